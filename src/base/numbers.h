/* Arithmetic that C lacks. */
#pragma once

#include <stdint.h>

#define CACHE_LINE 64	/* bytes */

static inline uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* N rounded up to a multiple of TO. */
static inline uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* The largest divisor of N that is at most MOST, which is above 0. */
static inline uint64_t largest_divisor(uint64_t n, uint64_t most)
{
	while (n % most)
		most--;
	return most;
}
