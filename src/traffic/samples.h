/*
 * A ring that carries samples from a loop, its only writer, to a file's thread,
 * its only reader.  The loop never waits: it drops and counts samples that find
 * no room.
 */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "base/numbers.h"

struct sample {
	uint64_t start;		/* in ticks */
	uint64_t ticks;		/* its length */
};

struct sample_ring {
	/* written by the loop */
	_Alignas(CACHE_LINE) _Atomic uint64_t written;
	_Atomic uint64_t dropped;
	uint64_t seen;		/* the loop's last copy of read */
	/* written by the reader */
	_Alignas(CACHE_LINE) _Atomic uint64_t read;
	/* never changes */
	_Alignas(CACHE_LINE) struct sample *entries;
	uint64_t size;		/* a power of two */
};

/* Called by the loop: put one sample in, or count it as dropped. */
static inline void samples_put(struct sample_ring *ring, uint64_t start,
			       uint64_t ticks)
{
	uint64_t n = atomic_load_explicit(&ring->written, memory_order_relaxed);

	if (n - ring->seen == ring->size) {
		ring->seen = atomic_load_explicit(&ring->read,
						  memory_order_acquire);
		if (n - ring->seen == ring->size) {
			atomic_fetch_add_explicit(&ring->dropped, 1,
						  memory_order_relaxed);
			return;
		}
	}
	ring->entries[n & (ring->size - 1)] = (struct sample){ start, ticks };
	atomic_store_explicit(&ring->written, n + 1, memory_order_release);
}

/* Called by the reader: take up to MOST samples, oldest first, into OUT.
 * Returns their number. */
static inline uint64_t samples_take(struct sample_ring *ring,
				    struct sample *out, uint64_t most)
{
	uint64_t first = atomic_load_explicit(&ring->read,
					      memory_order_relaxed);
	uint64_t n = atomic_load_explicit(&ring->written,
					  memory_order_acquire) - first;

	if (n > most)
		n = most;
	for (uint64_t i = 0; i < n; i++)
		out[i] = ring->entries[(first + i) & (ring->size - 1)];
	atomic_store_explicit(&ring->read, first + n, memory_order_release);
	return n;
}
