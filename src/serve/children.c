/* A server's table of client processes, and the queue for turns. */
#include "config.h"
#include "serve/children.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "base/xalloc.h"
#include "net/turn.h"

static uint32_t *count_of(struct children *c, enum child_state state)
{
	switch (state) {
	case CHILD_WAITING:
		return &c->n_waiting;
	case CHILD_HELD:
		return &c->n_held;
	case CHILD_SERVED:
		return &c->n_served;
	case CHILD_REPORTING:
		return &c->n_reporting;
	default:
		return &c->n_others;
	}
}

static void set_state(struct children *c, struct child *child,
		      enum child_state state)
{
	--*count_of(c, child->state);
	++*count_of(c, state);
	child->state = state;
}

void children_add(struct children *c, pid_t pid, int fd,
		  const struct connection *conn)
{
	struct child *child = xcalloc(1, sizeof(*child)), **end = &c->all;

	child->pid = pid;
	child->fd = fd;
	child->place = child->sent_place = PLACE_UNKNOWN;
	child->came_at = time_now();
	child->host = conn->host;
	snprintf(child->address, sizeof(child->address), "%s", conn->address);
	while (*end)
		end = &(*end)->next;
	*end = child;
	++*count_of(c, child->state);
}

static void refuse(struct children *c, struct child *child,
		   enum queue_place why)
{
	set_state(c, child, CHILD_REFUSED);
	child->place = why;
}

static void append_to_queue(struct children *c, struct child *child)
{
	c->queue[c->n_waiting] = child;
	set_state(c, child, CHILD_WAITING);
}

static uint32_t count_from_host(const struct children *c,
				enum child_state state, const struct child *as)
{
	uint32_t n = 0;

	for (struct child *child = c->all; child; child = child->next)
		n += child->state == state &&
		     networks_same_host(&child->host, &as->host);
	return n;
}

void children_enqueue(struct children *c, struct child *child, uint64_t limit,
		      bool quiet, bool over)
{
	if (child->state != CHILD_NEW)
		return;
	child->limit = limit;
	child->quiet = quiet;
	if (over)
		refuse(c, child, PLACE_OVER);
	else if (c->n_waiting + c->n_held == WAITING_MAX)
		refuse(c, child, PLACE_QUEUE_FULL);
	else if (count_from_host(c, CHILD_WAITING, child) +
		 count_from_host(c, CHILD_HELD, child) >= WAITING_SHARE)
		refuse(c, child, PLACE_SHARE_FULL);
	else if (quiet)
		set_state(c, child, CHILD_HELD);
	else
		append_to_queue(c, child);
}

static void leave_queue(struct children *c, struct child *child)
{
	uint32_t i = 0;

	while (c->queue[i] != child)
		i++;
	memmove(&c->queue[i], &c->queue[i + 1],
		(c->n_waiting - i - 1) * sizeof(*c->queue));
}

/* The quiet clients of the address of AS in the queue or with a turn. */
static uint32_t count_quiet(const struct children *c, const struct child *as)
{
	uint32_t n = 0;

	for (struct child *child = c->all; child; child = child->next)
		n += child->quiet && (child->state == CHILD_WAITING ||
				      child->state == CHILD_SERVED) &&
		     networks_same_host(&child->host, &as->host);
	return n;
}

static void release_held(struct children *c, uint32_t parallel)
{
	for (struct child *child = c->all; child && c->n_held;
	     child = child->next)
		if (child->state == CHILD_HELD &&
		    count_quiet(c, child) < parallel)
			append_to_queue(c, child);
}

struct child *children_give_turns(struct children *c, uint32_t parallel)
{
	struct child *last = NULL;

	release_held(c, parallel);
	while (c->n_waiting && c->n_served < parallel) {
		last = c->queue[0];
		leave_queue(c, last);
		set_state(c, last, CHILD_SERVED);
		last->place = PLACE_SERVED;
		last->served_at = time_now();
	}
	for (uint32_t i = 0; i < c->n_waiting; i++)
		c->queue[i]->place = i + 1;
	return last;
}

static void close_socket(struct child *child)
{
	if (child->fd >= 0)
		close(child->fd);
	child->fd = -1;
}

static void drop(struct children *c, struct child *child,
		 enum child_state state)
{
	kill(child->pid, SIGKILL);
	set_state(c, child, state);
}

bool children_release_turn(struct children *c, struct child *child)
{
	bool fits = c->n_reporting < REPORTING_MAX;

	close_socket(child);
	if (child->state != CHILD_SERVED)
		return true;
	if (fits)
		set_state(c, child, CHILD_REPORTING);
	else
		drop(c, child, CHILD_DROPPED);
	return fits;
}

void children_refuse_all(struct children *c)
{
	while (c->n_waiting) {
		struct child *child = c->queue[0];

		leave_queue(c, child);
		refuse(c, child, PLACE_OVER);
	}
	for (struct child *child = c->all; child; child = child->next)
		if (child->state == CHILD_HELD)
			refuse(c, child, PLACE_OVER);
}

bool child_has_unsent_place(const struct child *child)
{
	return child->fd >= 0 && child->sent_place != child->place;
}

void children_send_places(struct children *c)
{
	for (struct child *child = c->all; child; child = child->next)
		if (child_has_unsent_place(child) &&
		    turn_send_place(child->fd, child->place) != -EAGAIN)
			child->sent_place = child->place;
}

struct child *children_drop_oldest(struct children *c, uint64_t least_age)
{
	struct child *found = NULL;
	uint32_t most = 0, n;

	for (struct child *child = c->all; child; child = child->next) {
		if (child->state == CHILD_DROPPED)
			return NULL;
		if (child->state != CHILD_NEW ||
		    time_since(child->came_at) < least_age)
			continue;
		n = count_from_host(c, CHILD_NEW, child);
		if (n > most) {
			most = n;
			found = child;
		}
	}
	if (found)
		drop(c, found, CHILD_DROPPED);
	return found;
}

static uint64_t deadline(const struct child *child, uint64_t grace)
{
	return child->served_at + child->limit + grace;
}

/* The served child whose turn should end first. */
static struct child *first_to_end(const struct children *c)
{
	struct child *first = NULL;

	for (struct child *child = c->all; child; child = child->next)
		if (child->state == CHILD_SERVED &&
		    (!first || deadline(child, 0) < deadline(first, 0)))
			first = child;
	return first;
}

uint64_t children_first_deadline(const struct children *c, uint64_t grace)
{
	const struct child *first = first_to_end(c);

	return first ? deadline(first, grace) : UINT64_MAX;
}

struct child *children_kill_overdue(struct children *c, uint64_t grace)
{
	struct child *first = first_to_end(c);

	if (!first || time_until(deadline(first, grace)))
		return NULL;
	drop(c, first, CHILD_OVERDUE);
	return first;
}

uint32_t children_count(const struct children *c)
{
	return c->n_waiting + c->n_held + c->n_served + c->n_reporting +
	       c->n_others;
}

void children_signal(const struct children *c, int number)
{
	for (const struct child *child = c->all; child; child = child->next)
		kill(child->pid, number);
}

static void free_child(struct child *child)
{
	close_socket(child);
	free(child);
}

void children_remove(struct children *c, struct child *child)
{
	struct child **at = &c->all;

	while (*at != child)
		at = &(*at)->next;
	*at = child->next;
	if (child->state == CHILD_WAITING)
		leave_queue(c, child);
	--*count_of(c, child->state);
	free_child(child);
}

void children_free(struct children *c)
{
	while (c->all) {
		struct child *child = c->all;

		c->all = child->next;
		free_child(child);
	}
	*c = (struct children){ 0 };
}
