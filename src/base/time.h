/*
 * Points in time, including deadlines, in nanoseconds of CLOCK_MONOTONIC.
 * Callers use these functions and never subtract times themselves: the clock
 * may start at boot, so on a machine that booted half a minute ago "a minute
 * ago" underflows.
 */
#pragma once

#include <stdint.h>

#define SECOND 1000000000ULL	/* in ns */

uint64_t time_now(void);

/* The time NS nanoseconds from now; UINT64_MAX on overflow. */
uint64_t time_after(uint64_t ns);

/* Nanoseconds since THEN; 0 when THEN is in the future. */
uint64_t time_since(uint64_t then);

/* Nanoseconds until DEADLINE; 0 when it has passed. */
uint64_t time_until(uint64_t deadline);
