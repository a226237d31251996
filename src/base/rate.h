/*
 * A requested rate: messages per second, or payload bits per second.  One word
 * holds the number and its unit, so that it is sent like any other parameter.
 */
#ifndef BASE_RATE_H
#define BASE_RATE_H

#include <stdbool.h>
#include <stdint.h>

/* Unit: if set, thousandths of a message per second; else bits per second. */
#define RATE_MESSAGES (1ULL << 63)
/* Largest number in either unit: 10^15 bit/s, or 10^12 messages/s. */
#define RATE_MAX 1000000000000000ULL

#define RATE_TEXT_SIZE 32

/*
 * Parse bits ("10", "2.5gbps", "2.5Gb/s", "900Mbit/s"), bytes ("1.25GB/s",
 * "300MBps", "2GiB/s") or messages ("1.2mpps", "350kpps", "1000pps") a second;
 * b is bits, B is bytes, and a number without a unit is in Gb/s.
 * Returns 0, -EINVAL, or -ERANGE (below 1 of the stored unit, or above
 * RATE_MAX).
 */
int rate_parse(const char *text, uint64_t *rate);

/* True for a RATE that rate_parse() can return, and for 0, which means none. */
bool rate_is_valid(uint64_t rate);

/* RATE in its rate_unit(). */
double rate_number(uint64_t rate);

/* "Mpps" or "Gb/s". */
const char *rate_unit(uint64_t rate);

/* Write RATE as "2.5 Gb/s" into TEXT; returns TEXT. */
const char *rate_format(uint64_t rate, char text[RATE_TEXT_SIZE]);

/* RATE in messages of SIZE bytes per second; 0 for a bit rate if SIZE is 0. */
double rate_messages(uint64_t rate, uint64_t size);

#endif
