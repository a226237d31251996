/*
 * Time that goes by only when the loop does something: each post and each poll
 * takes some, and each reading of the clock.  Linked into a test, it is the
 * clock_gettime() of the whole program.
 */
#pragma once

#include <stdint.h>

#include "fake_provider.h"

struct fake_clock {
	const struct fake *fake;	/* its ticks go by; NULL: none do */
	uint64_t tick_ns;	/* that each of them takes */
	uint64_t read_ns;	/* that a reading takes */
	uint64_t reads;
	uint64_t pause_ns;	/* the machine stood still, in all */
	void (*on_read)(void);	/* called before each reading */
};

extern struct fake_clock fake_clock;

/* Now, in ns, without taking any. */
uint64_t fake_clock_now(void);

/* fake_free(); time stands still then, as cmocka still asks for it. */
void fake_clock_free(struct fake *fake, struct flow *flow);
