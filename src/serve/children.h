/*
 * A server's table of client processes, and the queue for turns.  Nothing here
 * reads from a client: only from its process, which asks for a turn and gives
 * it back (turn.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/ip.h"
#include "net/oob.h"

/* Most clients that have not asked for a turn yet, and that wait for one or
 * are held. */
#define NEW_MAX 128
#define WAITING_MAX 128
/* Most of these from one address. */
#define WAITING_SHARE (WAITING_MAX / 4)
/* Most processes whose report waits for its reader. */
#define REPORTING_MAX 256

enum child_state {
	CHILD_NEW,		/* has not asked for a turn yet */
	CHILD_WAITING,
	CHILD_HELD,		/* waits for its address to have a place */
	CHILD_SERVED,		/* it has its turn */
	CHILD_REPORTING,	/* turn over, report waits */
	CHILD_REFUSED,		/* gets no turn, ends by itself */
	CHILD_DROPPED,		/* killed, to make room */
	CHILD_OVERDUE,		/* killed, its turn lasted too long */
};

struct child {
	pid_t pid;
	int fd;			/* -1: the process closed it */
	enum child_state state;
	uint32_t place;		/* enum queue_place */
	uint32_t sent_place;	/* the one its process was sent last */
	uint64_t came_at;	/* ns of CLOCK_MONOTONIC */
	uint64_t served_at;	/* its turn began, likewise */
	uint64_t limit;		/* ns its turn may last */
	bool quiet;		/* its client gives no signs of life */
	char address[ADDRESS_TEXT_SIZE];
	struct ip_address host;
	struct child *next;
};

struct children {
	struct child *all;	/* in order of arrival */
	struct child *queue[WAITING_MAX];
	uint32_t n_waiting;
	uint32_t n_held;
	uint32_t n_served;
	uint32_t n_reporting;
	uint32_t n_others;	/* in any other state */
};

/* Append the process PID at the other end of FD, for the client at CONN.  The
 * table owns FD from now on. */
void children_add(struct children *c, pid_t pid, int fd,
		  const struct connection *conn);

/*
 * CHILD requests a turn that may last LIMIT ns.  Put it into the queue; refuse
 * it if OVER (no more turns), or if too many clients wait, in all or from its
 * address.
 *
 * A QUIET client may have fallen silent long ago, which only its turn would
 * tell.  Therefore such clients of one address have as many places as are
 * served at once, in the queue or with a turn; the others are held until one of
 * them is free, so that clients from elsewhere come between them.
 */
void children_enqueue(struct children *c, struct child *child, uint64_t limit,
		      bool quiet, bool over);

/*
 * Let clients that are held into the queue, if there is a place for their
 * address.  Give turns to waiting clients while fewer than PARALLEL are served,
 * and a place to each of the others.  Returns the last client whose turn came,
 * or NULL.
 */
struct child *children_give_turns(struct children *c, uint32_t parallel);

/* CHILD releases its turn, and sends nothing more.  Returns false after
 * killing its process because too many reports wait already. */
bool children_release_turn(struct children *c, struct child *child);

/* Refuse every waiting client: there are no more turns. */
void children_refuse_all(struct children *c);

/* Send each process its place if that has changed. */
void children_send_places(struct children *c);

/* True when CHILD's place has not been sent, because its socket is full. */
bool child_has_unsent_place(const struct child *child);

/*
 * Make room for one more: kill a client that has not asked for a turn for
 * LEAST_AGE ns, the oldest from the address that has the most of them.  Do
 * nothing while one that was killed before is still ending.  Returns the one
 * killed, or NULL.
 */
struct child *children_drop_oldest(struct children *c, uint64_t least_age);

/* When the first turn will be GRACE ns overdue; UINT64_MAX: nobody is
 * served. */
uint64_t children_first_deadline(const struct children *c, uint64_t grace);

/*
 * Kill a client whose turn is GRACE ns overdue.  Its turn is free at once,
 * because the kernel may keep the process for long.  Returns the one killed, or
 * NULL.
 */
struct child *children_kill_overdue(struct children *c, uint64_t grace);

uint32_t children_count(const struct children *c);

void children_signal(const struct children *c, int number);

/* Remove CHILD, whose process has ended, and release it. */
void children_remove(struct children *c, struct child *child);

/* Release the table and close its descriptors; the processes remain. */
void children_free(struct children *c);
