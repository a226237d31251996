/*
 * The contents of a verified message.  Every byte depends on the message's
 * sequence number, direction and queue pair and on the byte's offset, so a
 * byte that was lost, moved, stale or from another message is detected.  The
 * message begins with its sequence number, eight bytes, low byte first, cut to
 * the message's size, so that the receiver on an unreliable transport can
 * identify it.  These functions are pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pattern {
	uint64_t sequence;
	uint32_t qp;
	uint8_t direction;
};

/* The first wrong byte of a message. */
struct pattern_difference {
	uint64_t offset;
	uint8_t expected;
	uint8_t found;
};

/* Fill SIZE bytes at BUFFER with P. */
void pattern_fill(uint8_t *buffer, uint64_t size, const struct pattern *p);

/* True when the SIZE bytes at BUFFER match P; else *DIFFERENCE is the first
 * wrong byte. */
bool pattern_check(const uint8_t *buffer, uint64_t size,
		   const struct pattern *p,
		   struct pattern_difference *difference);

/*
 * True when each of the SIZE bytes at BUFFER, all zero before, matches P or is
 * still zero: the message arrived in part, or not at all.  Else as
 * pattern_check().
 */
bool pattern_check_partial(const uint8_t *buffer, uint64_t size,
			   const struct pattern *p,
			   struct pattern_difference *difference);

/*
 * The number nearest to NEXT whose low BITS bits are LOW.  With fewer than 31
 * bits, which a burst of losses may overrun, the first such number from NEXT
 * on.  With 0 bits, NEXT.
 */
uint64_t pattern_nearest(uint64_t low, unsigned int bits, uint64_t next);

/* The sequence number at the start of the SIZE bytes at BUFFER, when NEXT is
 * expected; NEXT when SIZE is 0. */
uint64_t pattern_sequence(const uint8_t *buffer, uint64_t size, uint64_t next);
