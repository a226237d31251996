/*
 * A rate that was asked for: messages a second, or bits of their payload.  One
 * word holds the number and which of the two it is, so that it travels as any
 * other parameter.
 */
#ifndef BASE_RATE_H
#define BASE_RATE_H

#include <stdbool.h>
#include <stdint.h>

/* Set: thousandths of a message a second, else bits a second. */
#define RATE_MESSAGES (1ULL << 63)
/* The largest number of either: 10^15, which is a petabit a second. */
#define RATE_MAX 1000000000000000ULL

#define RATE_TEXT_SIZE 32

/*
 * "10", "2.5gbps" or "2.5Gb/s", "900mbps", "1.2mpps", "350kpps", "1000pps", in
 * letters of either case; Gb/s without a unit.  Returns 0, -EINVAL, or -ERANGE
 * (0, or above RATE_MAX).
 */
int rate_parse(const char *text, uint64_t *rate);

/* True for a RATE that rate_parse() could give, and for 0, which is none. */
bool rate_is_valid(uint64_t rate);

/* The number in Mpps or, of bits, in Gb/s. */
double rate_number(uint64_t rate);

/* "Mpps" or "Gb/s". */
const char *rate_unit(uint64_t rate);

/* "2.5 Gb/s" into TEXT; returns TEXT. */
const char *rate_format(uint64_t rate, char text[RATE_TEXT_SIZE]);

/* Messages of SIZE bytes a second; 0 for bits of messages that have none. */
double rate_messages(uint64_t rate, uint64_t size);

#endif
