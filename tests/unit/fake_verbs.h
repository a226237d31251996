/*
 * Link-time fakes of the libibverbs functions that the program calls, so that
 * whole sessions run without the library and without a device: both ends in
 * one process, with a NIC between them that moves the bytes of every operation,
 * over RC, UC, UD and XRC, as soon as it is posted.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#define FAKE_DEVICES 2
#define FAKE_GIDS 8
#define FAKE_PKEYS 4
#define FAKE_MAX_SGE 8

/* What the program reads of struct ibv_gid_entry, which not every library
 * has. */
struct fake_gid {
	union ibv_gid gid;
	uint32_t gid_index, port_num, gid_type;
};

/* X(kind): the objects of a device that are counted. */
#define FAKE_KINDS(X) \
	X(pds) X(mrs) X(cqs) X(qps) X(ahs) X(srqs) X(channels) X(xrcds) \
	X(mws) X(groups)

/* What the devices are, what goes wrong, and what is alive. */
struct fake_verbs {
	/* set by the test */
	int n_devices;
	const char *no_open;	/* this device does not open */
	const char *dev_path;	/* of every device in sysfs; NULL: none */
	struct ibv_device_attr attr;
	bool extended;		/* has ibv_query_device_ex(3): */
	struct ibv_odp_caps odp;
	uint32_t xrc_odp;
	uint64_t dm_size;	/* and this much memory of its own */
	bool no_dmabuf;		/* takes none */
	bool no_resize;		/* its completion queues keep their size */
	bool no_peer;		/* takes no memory of GPUs by its address */
	struct ibv_packet_pacing_caps pacing;
	bool no_pacing;		/* but that is not so */
	bool no_static_rate;	/* that of a path is ignored */
	struct ibv_port_attr port;	/* every port is like this */
	uint64_t port_speed;	/* tenths of a Gb/s; 0: unknown */
	bool no_port_speed;	/* the kernel does not say it */
	int active_port;		/* 0: as port.state says, all of them */
	struct fake_gid gids[FAKE_GIDS];
	int n_gids;
	uint16_t pkeys[FAKE_PKEYS];	/* port.pkey_tbl_len of them */
	bool stale_windows;	/* invalidated keys still open memory */
	bool iwarp;		/* only a connection manager connects QPs, and
				 * there are no immediate data */
	bool in_order;		/* the last byte of a write arrives last */
	bool builders;		/* QPs have ibv_wr_start(3) if asked for */
	uint32_t fail_call;	/* this slow verb, from 1, fails */
	uint32_t fail_post;	/* this post of a send or receive */
	int errnum;		/* with that */
	uint64_t fail_message;	/* this send completes with status */
	enum ibv_wc_status status;
	uint64_t damage_message;	/* a byte of this one is changed */
	uint32_t lose_every;	/* of UC and UD messages each so many-th */
	uint64_t lose_first;	/* and that many at first */
	uint64_t late_message;	/* this one is sent when it is given up */
	uint32_t lose_copies;	/* so many of a group's messages to another than
				 * its first receiver */
	bool stray;		/* a message of zeros that nobody sent comes to
				 * each queue pair of these, if it has a
				 * receive */
	uint32_t others;	/* so many messages of a group are followed by
				 * such a one from another sender */
	bool black_hole;	/* nothing sent from now on arrives, but */
	uint64_t spare_first;	/* that many of UC and UD */
	int n_vectors;		/* completion vectors */
	uint32_t max_inline;	/* more is refused when a QP is created */
	/* to be read */
	uint32_t calls;
	uint32_t calls_after;	/* by the thread whose call failed */
	uint32_t posts;
	uint64_t messages;
	uint32_t paced;		/* queue pairs that packet pacing limits */
	uint32_t rate_limit;	/* of the last of them, in kb/s */
	uint8_t static_rate;	/* of the last path */
	unsigned int access;	/* that any memory was registered with */
	/* alive: */
	uint32_t lists, contexts, pds, mrs, cqs, qps, ahs, srqs, channels,
		 dms, xrcds, mws;
	uint32_t groups;	/* queue pairs attached to one */
	struct {
#define X(kind) uint32_t kind;
		FAKE_KINDS(X)
#undef X
	} most;			/* alive at once */
	uint32_t overflows;	/* of any queue */
	uint32_t misuses;	/* destroyed in the wrong order, ... */
	uint32_t receives_late;	/* messages that had to wait for one */
	uint64_t unreliable;	/* messages over UC and UD */
	uint64_t lost;		/* of them, by lose_every and lose_first */
	uint64_t dropped;	/* of them, for there was no receive */
	uint64_t inlined;	/* messages whose bytes came with them */
	bool distinct;		/* a receive with the ID of an outstanding one
				 * is refused */
	uint64_t gathered;	/* sends posted with several entries */
	uint64_t scattered;	/* receives posted with several entries */
	uint64_t events;	/* completions that were told of */
	uint32_t cqs_made;
	uint32_t resizes;	/* of completion queues */
	uint32_t vectors;	/* bit set: that any completion queue has */
};

extern struct fake_verbs fake_verbs;

/* One healthy Ethernet port with a RoCE v2 GID; nothing fails. */
void fake_verbs_reset(void);

/* Objects alive, of all kinds. */
uint32_t fake_verbs_alive(void);

/* CONTEXT reports TYPE asynchronously. */
void fake_verbs_raise(struct ibv_context *context, enum ibv_event_type type);
