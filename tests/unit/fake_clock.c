#include "config.h"
#include "fake_clock.h"

#include <time.h>

/* No time is 0: that is none. */
#define EPOCH 1000000

struct fake_clock fake_clock;

uint64_t fake_clock_now(void)
{
	const struct fake_clock *c = &fake_clock;
	uint64_t ticks = c->fake ? c->fake->ticks : 0;

	return EPOCH + ticks * c->tick_ns + c->reads * c->read_ns +
	       c->pause_ns;
}

void fake_clock_free(struct fake *fake, struct flow *flow)
{
	fake_clock.fake = NULL;
	fake_clock.on_read = NULL;
	fake_free(fake, flow);
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
	uint64_t now;

	(void)id;
	if (fake_clock.on_read)
		fake_clock.on_read();
	now = fake_clock_now();
	fake_clock.reads++;
	ts->tv_sec = (time_t)(now / 1000000000);
	ts->tv_nsec = (long)(now % 1000000000);
	return 0;
}
