/*
 * A host whose clock goes wrong: for a program that loads this, every second has
 * FAST_CLOCK seconds, in all it reads of CLOCK_MONOTONIC and CLOCK_MONOTONIC_RAW
 * and in all it waits.  The CPU's counter is what it is, and a program that
 * measures its rate by such a clock is misled as well.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>

#define SECOND 1000000000LL

static double factor = 1;
static bool raw_only;		/* FAST_CLOCK_RAW: time itself is right */
static int64_t base[2];		/* of CLOCK_MONOTONIC, of the raw one; ns */
static int (*gettime)(clockid_t id, struct timespec *ts);
static int (*settime)(int fd, int flags, const struct itimerspec *now,
		      struct itimerspec *old);
static int (*wait_for)(struct pollfd *fds, nfds_t n, int ms);
static int (*rest)(const struct timespec *time, struct timespec *left);
static int (*rest_by)(clockid_t id, int flags, const struct timespec *time,
		      struct timespec *left);
static int (*set_timer)(timer_t timer, int flags,
			const struct itimerspec *when, struct itimerspec *old);

static int64_t to_ns(const struct timespec *ts)
{
	return ts->tv_sec * SECOND + ts->tv_nsec;
}

static struct timespec to_timespec(double ns)
{
	return (struct timespec){ (time_t)((int64_t)ns / SECOND),
				  (long)((int64_t)ns % SECOND) };
}

/* How long TS is, or when it is by CLOCK_MONOTONIC. */
static struct timespec true_time(bool is_end, const struct timespec *ts)
{
	const double at = (double)to_ns(ts), from = is_end ? base[0] : 0;

	if (raw_only || at <= 0)
		return *ts;
	return to_timespec(from + (at - from) / factor);
}

__attribute__((constructor)) static void begin(void)
{
	const char *text = getenv("FAST_CLOCK");
	struct timespec now;

	gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT,
							      "clock_gettime");
	settime = (int (*)(int, int, const struct itimerspec *,
			   struct itimerspec *))dlsym(RTLD_NEXT,
						      "timerfd_settime");
	wait_for = (int (*)(struct pollfd *, nfds_t, int))dlsym(RTLD_NEXT,
								"poll");
	rest = (int (*)(const struct timespec *, struct timespec *))dlsym(
		RTLD_NEXT, "nanosleep");
	rest_by = (int (*)(clockid_t, int, const struct timespec *,
			   struct timespec *))dlsym(RTLD_NEXT,
						    "clock_nanosleep");
	set_timer = (int (*)(timer_t, int, const struct itimerspec *,
			     struct itimerspec *))dlsym(RTLD_NEXT,
							"timer_settime");
	factor = text ? atof(text) : 1;
	raw_only = getenv("FAST_CLOCK_RAW");
	gettime(CLOCK_MONOTONIC, &now);
	base[0] = to_ns(&now);
	gettime(CLOCK_MONOTONIC_RAW, &now);
	base[1] = to_ns(&now);
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
	const int64_t *from = id == CLOCK_MONOTONIC && !raw_only ? &base[0] :
			      id == CLOCK_MONOTONIC_RAW ? &base[1] : NULL;
	int ret;

	/* another library's constructor may come first */
	if (!gettime)
		begin();
	ret = gettime(id, ts);
	if (from && !ret)
		*ts = to_timespec((double)*from +
				  factor * (double)(to_ns(ts) - *from));
	return ret;
}

int timerfd_settime(int fd, int flags, const struct itimerspec *when,
		    struct itimerspec *old)
{
	struct itimerspec mine = *when;

	mine.it_value = true_time(flags & TFD_TIMER_ABSTIME, &when->it_value);
	return settime(fd, flags, &mine, old);
}

int timer_settime(timer_t timer, int flags, const struct itimerspec *when,
		  struct itimerspec *old)
{
	struct itimerspec mine = *when;

	mine.it_value = true_time(flags & TIMER_ABSTIME, &when->it_value);
	return set_timer(timer, flags, &mine, old);
}

int poll(struct pollfd *fds, nfds_t n, int ms)
{
	return wait_for(fds, n, ms > 0 ? (int)(ms / factor) + 1 : ms);
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
	const struct timespec mine = true_time(false, time);

	return rest(&mine, left);
}

int clock_nanosleep(clockid_t id, int flags, const struct timespec *time,
		    struct timespec *left)
{
	const struct timespec mine = true_time(flags & TIMER_ABSTIME, time);

	return rest_by(id, flags, &mine, left);
}
