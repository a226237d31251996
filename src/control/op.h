/*
 * An operation of the control path as a row of a table: what making and undoing
 * one object consist of.  The engine (engine.h) runs any of them, and times
 * them.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "model/control.h"
#include "model/param.h"
#include "model/port.h"
#include "net/oob.h"
#include "traffic/clock.h"
#include "verbs/device.h"

/* Polls between two looks at the clock. */
#define CONTROL_POLLS 1024
/* The acknowledge timeout where a port is connected to itself: 67 ms. */
#define CONTROL_ACK_TIMEOUT 14

/* What the threads of a test share. */
struct control_shared {
	const struct parameters *params;
	const struct device *device;
	const struct clock *clock;
	struct ibv_pd *pd;
	struct path path;	/* from the port to itself, if has_path */
	bool has_path;
	uint64_t size;		/* of this row, in bytes */
	struct connection *conn;	/* to the server; NULL: no server */
	bool lost;		/* the dialogue with the server is over: it is
				 * not asked again */
	bool broken;		/* the failure was no lack of something, which
				 * would be a limit */
	/* the first value of the server's that cannot be: it was left out */
	struct error implausible;
	_Atomic uint64_t existing;	/* objects of all threads */
};

/* The state of one thread that makes objects. */
struct control_thread {
	struct control_shared *shared;
	uint32_t number;
	void *own;		/* of the operation: own_size bytes, zeroed */
	struct error err;	/* why an operation of this thread failed */
	uint64_t lap;		/* ticks when the current part began */
	uint64_t ticks[CONTROL_PARTS_MAX];	/* of the current operation */
};

struct control_op {
	enum control_test test;
	/* In the order of time; ended by a NULL name. */
	struct {
		const char *name;
		bool undoes;	/* a part of undo() */
		bool aside;	/* not in the time of the operation */
	} parts[CONTROL_PARTS_MAX + 1];
	uint32_t pinning;	/* 1 + the part that registers bytes; 0:
				 * none */
	bool needs_path;	/* the port must reach itself */
	size_t own_size;	/* of thread->own */
	size_t object_size;	/* of one object, which may be moved */
	/*
	 * Each returns 0, or a negative errno that it set in thread->err.
	 * make() and undo() call control_lap() at the end of each part.  A
	 * make() that fails leaves nothing behind.  release() undoes setup(),
	 * also one that failed.  Each but make() may be NULL.
	 */
	int (*setup)(struct control_thread *t);
	int (*make)(struct control_thread *t, void *object);
	int (*undo)(struct control_thread *t, void *object);
	void (*release)(struct control_thread *t);
};

/* PART of the current operation ended at AT, in ticks, and the next one
 * begins. */
static inline void control_lap_at(struct control_thread *t, uint32_t part,
				  uint64_t at)
{
	t->ticks[part] += at - t->lap;
	t->lap = at;
}

/* PART ends now. */
static inline void control_lap(struct control_thread *t, uint32_t part)
{
	control_lap_at(t, part, clock_ticks(t->shared->clock));
}

/* Check the RESULT of VERB: 0, or an errno of either sign.  If VERB refused,
 * say in T's error what it was to do, WHAT ("create a queue pair"), and what
 * may be the limit.  Returns 0 or a negative errno. */
int control_check(struct control_thread *t, const char *verb, int result,
		  const char *what);

/* PART of the current operation, which was to do WHAT by VERB, is over.
 * Returns as control_check(). */
int control_end_part(struct control_thread *t, uint32_t part, const char *verb,
		     int result, const char *what);

/* Report that VERB refused with ERRNUM to do WHAT, for the reason WHY, with
 * OTHER to try if nothing has run out; NULL: nothing. */
int control_refused_as(struct control_thread *t, const char *verb, int errnum,
		       const char *what, const char *why, const char *other);

/* The row of TEST, by the connection manager or not; NULL: none of this
 * folder. */
const struct control_op *control_op_of(enum control_test test, bool rdma_cm);

extern const struct control_op control_connect, control_connect_cm,
	control_create_ah, control_create_cq, control_create_qp,
	control_mw_bind, control_post_poll, control_qp_setup, control_reg_mr;
