/*
 * Messages of several scatter/gather entries.  The entries of a message have
 * the same length, or the first ones a byte more, and each begins in a cache
 * line of its own, so that a device must fetch or store each of them apart.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdint.h>

/* Most entries of a message. */
#define GATHER_MAX 64

/* How a message lies in memory. */
struct gather {
	uint64_t size;		/* bytes */
	uint32_t n;		/* entries, at least 1 */
};

/* The layout of SIZE bytes in ENTRIES entries, fewer if there are not as many
 * bytes; 0 entries count as 1. */
struct gather gather_of(uint64_t size, uint32_t entries);

/* Bytes of entry I. */
uint64_t gather_length(const struct gather *g, uint32_t i);

/* Bytes from the start of one entry to that of the next. */
uint64_t gather_step(const struct gather *g);

/* Bytes of memory from the first byte of G to its last one. */
uint64_t gather_extent(const struct gather *g);

/* Like gather_extent(), in whole cache lines, at least one: from one message to
 * the next. */
uint64_t gather_span(const struct gather *g);

/* Where byte OFFSET of the message is, in bytes from its first. */
uint64_t gather_place(const struct gather *g, uint64_t offset);

/* Fill the entries of LIST for a message at ADDRESS in the memory of LKEY. */
void gather_fill(const struct gather *g, uint64_t address, uint32_t lkey,
		 struct ibv_sge *list);
