/*
 * What a verified message is filled with: every byte follows from its sequence
 * number, its direction, its queue pair and the byte's offset, so that a byte
 * that was lost, moved, kept from before or taken from another message shows.
 * The first eight bytes are the sequence number, as far as the message is that
 * long, the low byte first: the receiver of an unreliable transport so knows
 * which message it has.  Pure.
 */
#ifndef TRAFFIC_PATTERN_H
#define TRAFFIC_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

struct pattern {
	uint64_t sequence;
	uint32_t qp;
	uint8_t direction;
};

/* Where a message differs from what it should be. */
struct pattern_difference {
	uint64_t offset;
	uint8_t expected;
	uint8_t found;
};

/* Fill SIZE bytes at BUFFER with P. */
void pattern_fill(uint8_t *buffer, uint64_t size, const struct pattern *p);

/* True when the SIZE bytes at BUFFER are P; else the first that is not in
 * DIFFERENCE. */
bool pattern_check(const uint8_t *buffer, uint64_t size,
		   const struct pattern *p,
		   struct pattern_difference *difference);

/*
 * True when each of the SIZE bytes at BUFFER, which was all zero, is P's or
 * still zero: a message that came in part, or not at all.  Else as
 * pattern_check().
 */
bool pattern_check_partial(const uint8_t *buffer, uint64_t size,
			   const struct pattern *p,
			   struct pattern_difference *difference);

/*
 * The number whose low BITS are LOW, nearest to NEXT; where they are fewer than
 * 31, which a burst of losses may overrun, the first from NEXT on.
 */
uint64_t pattern_nearest(uint64_t low, unsigned int bits, uint64_t next);

/* The sequence number that the SIZE bytes at BUFFER begin with, NEXT being due;
 * NEXT when there are no bytes. */
uint64_t pattern_sequence(const uint8_t *buffer, uint64_t size, uint64_t next);

#endif
