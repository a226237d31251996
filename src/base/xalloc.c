/* Allocates memory, and ends the program where there is none. */
#include "config.h"
#include "base/xalloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/numbers.h"

static void *give_up(size_t n, size_t size)
{
	struct error err = { .stage = "memory" };

	fail(&err, -ENOMEM, NULL, "out of memory: %zu objects of %zu bytes", n,
	     size);
	log_error(&err);
	abort();
}

void *xcalloc(size_t n, size_t size)
{
	void *memory = calloc(n ? n : 1, size ? size : 1);

	return memory ? memory : give_up(n, size);
}

void *xrealloc(void *memory, size_t n, size_t size)
{
	void *grown = reallocarray(memory, n, size);

	return grown ? grown : give_up(n, size);
}

void *xcheck(void *memory)
{
	return memory ? memory : give_up(1, 1);
}

FILE *xmemstream(char **text)
{
	static _Thread_local size_t length;	/* nobody reads it */

	return xcheck(open_memstream(text, &length));
}

void *xcalloc_lines(size_t n, size_t size)
{
	size_t bytes;
	void *memory;

	if (__builtin_mul_overflow(n, size, &bytes) ||
	    __builtin_add_overflow(bytes, CACHE_LINE - 1, &bytes))
		return give_up(n, size);
	bytes -= bytes % CACHE_LINE;
	memory = aligned_alloc(CACHE_LINE, bytes);
	return memory ? memset(memory, 0, bytes) : give_up(n, size);
}
