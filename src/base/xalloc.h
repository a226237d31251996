/*
 * Allocation that reports a failure and aborts: a benchmark cannot go on
 * without memory.  Never pass a number that came from a peer unchecked.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* N zeroed objects of SIZE bytes, which the caller passes to free(3). */
void *xcalloc(size_t n, size_t size) __attribute__((returns_nonnull));

/* MEMORY, which has room for fewer of them or is NULL, with room for N objects
 * of SIZE bytes; the new ones are not zeroed. */
void *xrealloc(void *memory, size_t n, size_t size)
	__attribute__((returns_nonnull));

/* MEMORY, which a library allocated. */
void *xcheck(void *memory) __attribute__((returns_nonnull));

/* A stream that writes *TEXT, on the heap, which is complete once it is
 * closed. */
FILE *xmemstream(char **text) __attribute__((returns_nonnull));

/* As xcalloc(), on cache lines that the objects share with nothing else. */
void *xcalloc_lines(size_t n, size_t size);
