/*
 * The processes of a server's clients, as their parent knows them, and whose
 * turn it is.  Nothing here hears a client: only its process, which says no
 * more than that it asks for a turn (turn.h).
 */
#ifndef SERVE_CHILDREN_H
#define SERVE_CHILDREN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/networks.h"
#include "net/oob.h"

/* Connections that have not said who they are yet, and clients that wait. */
#define NEW_MAX 128
#define WAITING_MAX 128
/* How many of those that wait may come from one address. */
#define WAITING_SHARE (WAITING_MAX / 4)
/* Processes whose report waits for its reader. */
#define REPORTING_MAX 256

enum child_state {
	CHILD_NEW,		/* has not asked for a turn yet */
	CHILD_WAITING,
	CHILD_SERVED,		/* it has its turn */
	CHILD_REPORTING,	/* its turn is over, its report waits */
	CHILD_REFUSED,		/* there is none for it: it ends by itself */
	CHILD_DROPPED,		/* killed, to make room */
	CHILD_OVERDUE,		/* killed, for its turn lasted too long */
};

struct child {
	pid_t pid;
	int fd;			/* -1: the process closed it */
	enum child_state state;
	uint32_t place;		/* enum turn, or clients before it */
	uint32_t told;		/* which of those it knows */
	uint64_t came_at;	/* ns of CLOCK_MONOTONIC */
	uint64_t served_at;	/* likewise, once it has its turn */
	uint64_t limit;		/* ns that its turn may last */
	char address[ADDRESS_TEXT_SIZE];
	struct ip_address host;
	struct child *next;
};

struct children {
	struct child *all;	/* in the order in which they came */
	struct child *queue[WAITING_MAX];
	uint32_t n_waiting;
	uint32_t n_served;
	uint32_t n_reporting;
	uint32_t n_others;	/* none of these */
};

/* Append the process PID at the other end of FD, which is the table's from now
 * on, of the client at CONN. */
void children_add(struct children *c, pid_t pid, int fd,
		  const struct connection *conn);

/* CHILD asks for a turn that may last LIMIT ns: it waits for one unless, with
 * OVER, there will be none, or too many wait already, in all or of its host. */
void children_ask(struct children *c, struct child *child, uint64_t limit,
		  bool over);

/*
 * Turns to those who wait, as long as fewer than PARALLEL have theirs, and a
 * place for each of the others.  Returns the last one whose turn came, or NULL.
 */
struct child *children_give(struct children *c, uint32_t parallel);

/*
 * CHILD gives its turn back, and says nothing more.  Returns false when too
 * many reports wait already: this one is given up, its process killed.
 */
bool children_end_turn(struct children *c, struct child *child);

/* Nobody gets a turn any more. */
void children_refuse_all(struct children *c);

/* Tell each its place that does not know it. */
void children_tell(struct children *c);

/* Does CHILD not listen, though it is to be told something? */
bool child_is_deaf(const struct child *child);

/*
 * Make room for one more: kill one of those who have not asked for a turn for
 * LEAST_AGE ns, unless one that was killed has still to end.  It is the oldest
 * of the host that has the most of them.  Returns the one killed, or NULL.
 */
struct child *children_drop_oldest(struct children *c, uint64_t least_age);

/* When the first turn will have lasted GRACE ns longer than it may; UINT64_MAX:
 * there is none. */
uint64_t children_due(const struct children *c, uint64_t grace);

/*
 * Kill one whose turn has lasted GRACE ns longer than it may.  The turn is
 * another's at once, for the kernel may keep a process for long.  Returns the
 * one killed, or NULL.
 */
struct child *children_kill_overdue(struct children *c, uint64_t grace);

/* How many there are. */
uint32_t children_count(const struct children *c);

/* Send the signal NUMBER to all. */
void children_signal(const struct children *c, int number);

/* Take CHILD, which ended, out and release it. */
void children_remove(struct children *c, struct child *child);

/* Release the table and close its descriptors; the processes remain. */
void children_free(struct children *c);

#endif
