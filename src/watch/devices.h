/* The devices that are watched, each open for its asynchronous events. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "watch/event.h"

struct watched_port {
	struct port_status status;
	struct gid *gids;	/* NULL: they were not read yet */
	size_t n_gids;
};

struct watched {
	char name[PORT_NAME_SIZE];
	ino_t identity;		/* of its folder in sysfs: a new device of the
				 * same name has another */
	bool listed;		/* it was, at the last refresh */
	struct ibv_context *context;	/* NULL: it cannot be watched now */
	bool failed;		/* and that was said */
	bool shown;		/* sysfs has its device file, or had */
	bool leaving;		/* and no longer: it is being removed */
	uint8_t n_ports;
	struct watched_port *ports;	/* by their numbers */
};

struct watched_devices {
	const char *only;	/* the device to watch; NULL: all */
	uint32_t only_port;	/* PLAN_AUTO: all */
	bool begun;		/* they were read before */
	struct watched *list;
	size_t n;
	struct watch_taker *taker;
};

/* Watch the devices and ports that ONLY and ONLY_PORT name; TAKER takes what
 * happens.  Call devices_close(). */
void devices_init(struct watched_devices *devices, const char *only,
		  uint32_t only_port, struct watch_taker *taker);

/* Read all of them again, and tell TAKER what came, went or changed. */
void devices_refresh(struct watched_devices *devices);

/* Take every asynchronous event that D has. */
void devices_take_events(struct watched_devices *devices, struct watched *d);

void devices_close(struct watched_devices *devices);

/* port_status.c: reads the status of a port and of the network interface behind
 * it. */

/*
 * Read the status of port NUMBER of CONTEXT.  STATUS is the previous one, or
 * empty, and becomes the present one.  Returns 0, or a negative errno with
 * STATUS as it was.
 */
int port_status_read(struct ibv_context *context, uint8_t number,
		     struct port_status *status);
