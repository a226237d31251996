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

/* What SplitMix64 (Steele, Lea and Flood, 2014) adds to its state in a step. */
#define MIX_STEP 0x9e3779b97f4a7c15ULL

/* The number after state X of SplitMix64: every bit of X affects every bit of
 * it, and any subset of them is as good as random. */
static inline uint64_t mix(uint64_t x)
{
	x += MIX_STEP;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}
