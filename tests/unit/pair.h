/*
 * Both ends of a session in one process, each in a thread of its own, over
 * the fake verbs; between them a relay that can spoil one frame.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "net/wire.h"
#include "session/session.h"

/* What the relay does to one frame. */
enum spoil {
	SPOIL_NOTHING,
	SPOIL_CLOSE,		/* both connections, before the frame */
	SPOIL_SILENCE,		/* swallow it, and all that follow it */
	SPOIL_HALF,		/* half of it, then silence */
	SPOIL_GARBAGE,		/* a line of HTTP instead */
	SPOIL_VERSION,		/* the next protocol version */
	SPOIL_LENGTH,		/* a header that announces 4 GiB */
	SPOIL_TYPE,		/* a valid frame of type .type instead */
	SPOIL_ENDPOINTS,	/* a valid ENDPOINT of two QPs instead */
	SPOIL_BYTES,		/* .size bytes of .value at .offset of it */
	SPOIL_BIT,		/* the lowest bit of the byte at .offset */
};

struct relay {
	enum spoil spoil;
	bool to_client;		/* the direction spoiled */
	int nth;		/* its frames from 0; ALIVE does not count */
	enum frame_type type;
	size_t offset;		/* in the payload */
	unsigned int size;
	uint64_t value;
	/* its own */
	int client_fd, server_fd;
	int seen[2];
	bool silent[2];
	pthread_t thread;
};

struct end {
	struct connection conn;
	int cancel_fd;		/* -1: none */
	struct device device;
	struct result *result;
	pthread_t thread;
	int ret;
};

struct pair {
	struct end client, server;
	struct relay relay;
	bool relayed;
};

/* Open devices and results, with test OP and METRIC of a few messages; the
 * plan may be changed before pair_start(). */
void pair_open(struct pair *p, enum op op, enum metric metric);

/* These sizes, if the operation has more than one. */
void pair_sizes(struct pair *p, const struct sizes *sizes);

/* Both ends give up after a second without progress or word. */
void pair_hurry(struct pair *p);

/* Start both ends, with the relay between them if p->relayed. */
void pair_start(struct pair *p);

/* Until both ends are done; their results stay. */
void pair_wait(struct pair *p);

/* Start both ends, and wait until both are done. */
void pair_run(struct pair *p);

/* Serve whoever is at the other end of the server's connection, in this thread;
 * returns as session_run(). */
int pair_serve(struct pair *p, struct session **session);

/* Release all. */
void pair_close(struct pair *p);

/* Release all, and nothing is left (in pair_run.c, as all that follow and check
 * something). */
void pair_close_clean(struct pair *p);

/* The plan of the client. */
struct plan *pair_plan(struct pair *p);

/* Start, wait, and check that both ends did well and report the same (in
 * pair_run.c).  WHAT is for the message when not. */
void pair_run_well(struct pair *p, const char *what);

/* The same for a run so short that on a busy machine nothing may come in its
 * window, which is an error then: there must be no other. */
void pair_run_briefly(struct pair *p, const char *what);

/* Nothing is left of the fake verbs and of the fake connection manager, and
 * nothing was misused. */
void pair_check_clean(void);

/* END failed with one sentence, in a stage that has a name. */
void pair_check_failed(const struct end *e, const char *what);

/* Both did, the one because the other told it why; WHAT names the case. */
void pair_check_both_failed(struct pair *p, const char *what);

/* Run: one end fails, with MESSAGE, and tells the other.  Release all. */
void pair_run_fails(struct pair *p, const char *what, const char *message);

/* A valid frame of TYPE into FRAME; frame_free() it. */
void pair_valid_frame(enum frame_type type, struct frame *frame);

/* Write FRAME to FD, and free it. */
void pair_say(int fd, struct frame *frame);

/* Write to FD what a client at PORT says until both ends are ready to run PLAN:
 * its queue pair is nowhere. */
void pair_say_until_ready(int fd, const struct plan *plan,
			  const struct port *port);
