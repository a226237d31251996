/* The CPU's counter, which the fake NIC and the bare loop tell time by. */
#pragma once

#include <stdint.h>

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>

static inline uint64_t counter(void)
{
	return __rdtsc();
}
#elif defined(__aarch64__)
static inline uint64_t counter(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}
#else
#error "no counter is known for this CPU"
#endif
