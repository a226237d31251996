/* What 'verbsperf watch' sees happen to devices, as data. */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/error.h"
#include "model/param.h"
#include "model/port.h"

/* The status of a port and of the network interface behind it, as text:
 * X(name, key in the JSON, words and unit for people, is a number) */
#define PORT_STATUS_LIST(X) \
	X(STATE, "state", "state", "", false) \
	X(PHYSICAL, "physical_state", "physical state", "", false) \
	X(MTU, "mtu", "MTU", "", true) \
	X(RATE, "rate_gbps", "rate", " Gb/s", true) \
	X(LID, "lid", "LID", "", true) \
	X(SM_LID, "sm_lid", "SM LID", "", true) \
	X(INTERFACE, "interface", "interface", "", false) \
	X(LINK, "link", "link", "", false) \
	X(LINK_MTU, "link_mtu", "link MTU", "", true) \
	X(LINK_DOWNS, "link_downs", "link downs", "", true)

enum port_status_field {
#define X(name, key, words, unit, number) PORT_STATUS_##name,
	PORT_STATUS_LIST(X)
#undef X
	PORT_STATUS_FIELDS,
};

#define PORT_STATUS_TEXT_SIZE 24

/* Each field as text, filled with zeros; "": unknown, or the port has none. */
struct port_status {
	char text[PORT_STATUS_FIELDS][PORT_STATUS_TEXT_SIZE];
};

extern const struct port_status_info {
	const char *key, *words, *unit;
	bool number;
} port_status_table[PORT_STATUS_FIELDS];

enum watch_kind {
	WATCH_DEVICE,		/* a device came, went, or cannot be watched */
	WATCH_PORT,		/* a port is there, or has changed */
	WATCH_GID,		/* a GID came or went */
	WATCH_ASYNC,		/* the driver reported an asynchronous event */
	WATCH_KINDS,
};

enum watch_change {
	CHANGE_PRESENT,		/* there when the watch began */
	CHANGE_ADDED,
	CHANGE_REMOVED,
	CHANGE_FAILED,		/* there, but it cannot be watched */
	CHANGE_USABLE,		/* no longer so */
	CHANGES,
};

/* "present", "added", ... */
extern const char *const watch_change_names[CHANGES];

struct watch_event {
	enum watch_kind kind;
	struct timespec when;	/* CLOCK_REALTIME */
	char device[PORT_NAME_SIZE];
	uint8_t port;		/* 0: the device as a whole */
	enum watch_change change;	/* WATCH_DEVICE, WATCH_GID */
	struct error error;	/* CHANGE_FAILED: why */
	bool first;		/* WATCH_PORT: nothing was known before */
	struct port_status before;	/* WATCH_PORT, unless FIRST */
	struct port_status now;	/* WATCH_PORT */
	struct gid gid;		/* WATCH_GID */
	enum ibv_event_type async;	/* WATCH_ASYNC */
};

/*
 * Takes events.  Each function gets the taker itself, and none of them waits
 * for whoever reads what it writes.
 */
struct watch_taker {
	void (*take)(struct watch_taker *t, const struct watch_event *event);
	/* Write what was not written yet.  Returns 0 when nothing is left, 1
	 * when the reader is behind, or a negative errno when no more can be
	 * written. */
	int (*flush)(struct watch_taker *t);
	/* The descriptor that is written, for poll(2); -1: none yet. */
	int (*fd)(const struct watch_taker *t);
};

/* watch.c: the loop of 'verbsperf watch'. */

/*
 * Give TAKER what happens to the devices that PARAMS names, until CANCEL_FD is
 * readable, the time of PARAMS is over, or the reader of TAKER's output has
 * gone.  Returns 0, or a negative errno, set in ERR.
 */
int watch(const struct parameters *params, struct watch_taker *taker,
	  int cancel_fd, struct error *err);
