/* Makes and checks the bytes of a verified message. */
#include "config.h"
#include "traffic/pattern.h"

#include "base/numbers.h"

#define WORD 8

static uint64_t key_of(const struct pattern *p)
{
	return mix(mix(p->sequence) ^ (uint64_t)p->qp << 8 ^ p->direction);
}

/* Eight bytes of the pattern, word INDEX, as a little-endian number. */
static uint64_t word_of(const struct pattern *p, uint64_t key, uint64_t index)
{
	return index ? mix(key + index) : p->sequence;
}

static uint64_t bytes_left(uint64_t size, uint64_t at)
{
	return size - at < WORD ? size - at : WORD;
}

void pattern_fill(uint8_t *buffer, uint64_t size, const struct pattern *p)
{
	uint64_t key = key_of(p);

	for (uint64_t at = 0; at < size; at += WORD) {
		uint64_t word = word_of(p, key, at / WORD);

		for (uint64_t i = 0; i < bytes_left(size, at); i++)
			buffer[at + i] = (uint8_t)(word >> 8 * i);
	}
}

static bool check(const uint8_t *buffer, uint64_t size,
		  const struct pattern *p, bool partial,
		  struct pattern_difference *difference)
{
	uint64_t key = key_of(p);

	for (uint64_t at = 0; at < size; at += WORD) {
		uint64_t word = word_of(p, key, at / WORD);

		for (uint64_t i = 0; i < bytes_left(size, at); i++) {
			uint8_t expected = (uint8_t)(word >> 8 * i);
			uint8_t found = buffer[at + i];

			if (found == expected || (partial && !found))
				continue;
			*difference = (struct pattern_difference){
				at + i, expected, found,
			};
			return false;
		}
	}
	return true;
}

bool pattern_check(const uint8_t *buffer, uint64_t size,
		   const struct pattern *p,
		   struct pattern_difference *difference)
{
	return check(buffer, size, p, false, difference);
}

bool pattern_check_partial(const uint8_t *buffer, uint64_t size,
			   const struct pattern *p,
			   struct pattern_difference *difference)
{
	return check(buffer, size, p, true, difference);
}

uint64_t pattern_nearest(uint64_t low, unsigned int bits, uint64_t next)
{
	uint64_t range, ahead;

	if (bits == 0 || bits >= 64)
		return bits ? low : next;
	range = 1ULL << bits;
	ahead = (low - next) & (range - 1);
	if (bits < 31 || ahead < range / 2 || next + ahead < range)
		return next + ahead;
	return next + ahead - range;
}

uint64_t pattern_sequence(const uint8_t *buffer, uint64_t size, uint64_t next)
{
	unsigned int bytes = size < WORD ? (unsigned int)size : WORD;
	uint64_t low = 0;

	for (unsigned int i = 0; i < bytes; i++)
		low |= (uint64_t)buffer[i] << 8 * i;
	return pattern_nearest(low, 8 * bytes, next);
}
