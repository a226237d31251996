/* Points in time and deadlines in nanoseconds of CLOCK_MONOTONIC. */
#include "config.h"
#include "base/time.h"

#include <time.h>

uint64_t time_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * SECOND + (uint64_t)ts.tv_nsec;
}

uint64_t time_after(uint64_t ns)
{
	uint64_t now = time_now();

	return ns > UINT64_MAX - now ? UINT64_MAX : now + ns;
}

uint64_t time_since(uint64_t then)
{
	uint64_t now = time_now();

	return now > then ? now - then : 0;
}

uint64_t time_until(uint64_t deadline)
{
	uint64_t now = time_now();

	return deadline > now ? deadline - now : 0;
}
