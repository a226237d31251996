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

static int64_t to_ns(const struct timespec *ts)
{
	return ts->tv_sec * SECOND + ts->tv_nsec;
}

static struct timespec to_timespec(double ns)
{
	return (struct timespec){ (time_t)((int64_t)ns / SECOND),
				  (long)((int64_t)ns % SECOND) };
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
	const double at = raw_only ? 0 : (double)to_ns(&when->it_value);
	struct itimerspec mine = *when;

	if (at > 0 && flags & TFD_TIMER_ABSTIME)
		mine.it_value = to_timespec((double)base[0] +
					    (at - (double)base[0]) / factor);
	else if (at > 0)
		mine.it_value = to_timespec(at / factor);
	return settime(fd, flags, &mine, old);
}

int poll(struct pollfd *fds, nfds_t n, int ms)
{
	return wait_for(fds, n, ms > 0 ? (int)(ms / factor) + 1 : ms);
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
	const struct timespec mine = to_timespec((double)to_ns(time) / factor);

	return rest(&mine, left);
}
