/*
 * Points in time, and how far apart they are: nanoseconds of CLOCK_MONOTONIC,
 * which may have started a moment ago.  A deadline is such a point.  Times are
 * never subtracted by hand: in unsigned numbers "a minute ago" does not exist
 * on a machine that booted half a minute ago.
 */
#ifndef BASE_TIME_H
#define BASE_TIME_H

#include <stdint.h>

#define SECOND 1000000000ULL	/* in ns */

/* Now. */
uint64_t time_now(void);

/* The time NS nanoseconds from now; UINT64_MAX when there is no such time. */
uint64_t time_after(uint64_t ns);

/* Nanoseconds since THEN; 0 when THEN is still to come. */
uint64_t time_since(uint64_t then);

/* Nanoseconds until DEADLINE; 0 when it has passed. */
uint64_t time_until(uint64_t deadline);

#endif
