#include "config.h"
#include "base/xalloc.h"

#include <errno.h>
#include <stdlib.h>

#include "base/log.h"

void *xcalloc(size_t n, size_t size)
{
	struct error err = { .stage = "memory" };
	void *memory = calloc(n ? n : 1, size ? size : 1);

	if (memory)
		return memory;
	fail(&err, -ENOMEM, NULL, "out of memory: %zu objects of %zu bytes", n,
	     size);
	log_error(&err);
	abort();
}
