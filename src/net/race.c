#include "config.h"
#include "net/race.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/time.h"
#include "net/wait.h"

#define ATTEMPT_DELAY (SECOND / 4)
#define RETRY_PAUSE (SECOND / 10)
#define NEVER UINT64_MAX
#define EVENTS 16

struct race {
	struct attempt *attempts;
	size_t n;
	int epoll;
	const char *whom;
	uint64_t timeout;
	uint64_t delay;		/* between the starts of first attempts */
	uint64_t deadline;	/* of the first attempts */
	uint64_t give_up;	/* no attempt repeats after this */
	bool waiting;		/* the log says that it waits */
};

static bool is_new(const struct attempt *a)
{
	return a->fd < 0 && !a->errnum;
}

/* The first attempt that has not begun begins now, each later one a delay after
 * the one before. */
static void schedule(struct race *race)
{
	uint64_t in = 0;

	for (size_t i = 0; i < race->n; i++) {
		if (!is_new(&race->attempts[i]))
			continue;
		race->attempts[i].start = time_after(in);
		in += race->delay;
	}
}

static void stop(struct attempt *a)
{
	if (a->fd >= 0)
		close(a->fd);
	a->fd = -1;
}

static void fail_attempt(struct race *race, struct attempt *a, int errnum)
{
	bool first = !a->errnum;

	stop(a);
	a->errnum = errnum;
	a->start = NEVER;
	if (time_until(race->give_up) > RETRY_PAUSE) {
		a->start = time_after(RETRY_PAUSE);
		if (!race->waiting)
			log_info("waiting for %s", race->whom);
		race->waiting = true;
	}
	if (first)
		schedule(race);
}

/* Returns 0, or the errno of an immediate failure. */
static int begin(struct race *race, struct attempt *a)
{
	const struct addrinfo *to = a->to, *from = a->from;
	struct epoll_event event = {
		.events = EPOLLOUT,
		.data.u64 = (uint64_t)(a - race->attempts),
	};

	a->deadline = is_new(a) ? race->deadline : time_after(race->timeout);
	a->start = NEVER;
	a->fd = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC |
		       SOCK_NONBLOCK, 0);
	if (a->fd < 0 ||
	    (from && bind(a->fd, from->ai_addr, from->ai_addrlen)))
		return errno;
	if (connect(a->fd, to->ai_addr, to->ai_addrlen) &&
	    errno != EINPROGRESS)
		return errno;
	return epoll_ctl(race->epoll, EPOLL_CTL_ADD, a->fd, &event) ? errno :
								      0;
}

/* Begin attempts that are due, and end those past their deadline. */
static void keep_time(struct race *race)
{
	for (size_t i = 0; i < race->n; i++) {
		struct attempt *a = &race->attempts[i];
		int errnum = 0;

		if (a->fd >= 0 && !time_until(a->deadline))
			errnum = ETIMEDOUT;
		else if (a->fd < 0 && !time_until(a->start))
			errnum = begin(race, a);
		if (errnum)
			fail_attempt(race, a, errnum);
	}
}

/* When keep_time() is due next; NEVER: all attempts have failed for good. */
static uint64_t next_time(const struct race *race)
{
	uint64_t next = NEVER;

	for (size_t i = 0; i < race->n; i++) {
		const struct attempt *a = &race->attempts[i];
		uint64_t time = a->fd >= 0 ? a->deadline : a->start;

		if (time < next)
			next = time;
	}
	return next;
}

/* The connected attempt, or NULL; ends attempts that failed. */
static struct attempt *find_winner(struct race *race)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(race->epoll, events, EVENTS, 0);
	struct attempt *winner = NULL;

	for (int i = 0; i < n; i++) {
		struct attempt *a = &race->attempts[events[i].data.u64];
		socklen_t length = sizeof(int);
		int errnum = 0;

		if (getsockopt(a->fd, SOL_SOCKET, SO_ERROR, &errnum, &length))
			errnum = errno;
		if (errnum)
			fail_attempt(race, a, errnum);
		else if (!winner || a < winner)
			winner = a;
	}
	return winner;
}

/* Wait until one is connected: 0 with *WINNER, or a negative errno. */
static int watch(struct race *race, int *cancel_fd, struct attempt **winner,
		 struct error *err)
{
	for (;;) {
		uint64_t next;
		int ret;

		keep_time(race);
		next = next_time(race);
		if (next == NEVER)
			return -race->attempts[0].errnum;
		ret = oob_wait(race->epoll, POLLIN, cancel_fd, next, err);
		if (ret < 0 && ret != -ETIMEDOUT)
			return ret;
		*winner = find_winner(race);
		if (*winner)
			return 0;
	}
}

int race_run(struct attempt *attempts, size_t n, uint64_t timeout,
	     uint64_t wait, const char *whom, int *cancel_fd, size_t *winner,
	     struct error *err)
{
	struct race race = {
		.attempts = attempts,
		.n = n,
		.epoll = epoll_create1(EPOLL_CLOEXEC),
		.whom = whom,
		.timeout = timeout,
		.delay = ATTEMPT_DELAY,
		.deadline = time_after(timeout),
		.give_up = time_after(wait),
	};
	struct attempt *first = NULL;
	int ret;

	if (race.epoll < 0)
		return fail(err, -errno, NULL, "cannot wait for a connection: "
			    "%s", strerror(errno));
	/* within a short timeout every attempt still gets its share */
	if (race.delay > timeout / n)
		race.delay = timeout / n;
	for (size_t i = 0; i < n; i++) {
		attempts[i].fd = -1;
		attempts[i].errnum = 0;
	}
	schedule(&race);
	ret = watch(&race, cancel_fd, &first, err);
	if (first) {
		ret = first->fd;
		*winner = (size_t)(first - attempts);
		first->fd = -1;
	}
	for (size_t i = 0; i < n; i++)
		stop(&attempts[i]);
	close(race.epoll);
	return ret;
}
