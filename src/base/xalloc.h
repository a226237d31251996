/*
 * Allocation that does not return on failure: a benchmark without memory has
 * nothing better to do than to say so.  Never call these with a number that a
 * peer chose and nobody checked.
 */
#ifndef BASE_XALLOC_H
#define BASE_XALLOC_H

#include <stddef.h>

/* N zeroed objects of SIZE bytes, to be freed with free(3). */
void *xcalloc(size_t n, size_t size) __attribute__((returns_nonnull));

/*
 * N zeroed objects of SIZE bytes one after the other, on cache lines that they
 * share with nothing else.  free(3) them.  Ends the program without memory.
 */
void *xcalloc_lines(size_t n, size_t size);

#endif
