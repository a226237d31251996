/* A library of a vendor, which is there or not: its functions by dlopen(3). */
#ifndef MEMORY_LIBRARY_H
#define MEMORY_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct library {
	const char *const *names;	/* tried in order; the last is NULL */
	const char *advice;	/* how to get it */
};

struct library_symbol {
	const char *name;
	size_t offset;		/* of the function's pointer in the table */
	bool optional;		/* NULL in the table when it is not there */
};

/*
 * Load LIBRARY, which stays for good, and set the N SYMBOLS in CALLS, a struct
 * of pointers to functions.  OPTION names the option that needs it, for
 * messages.  Returns 0, or a negative errno with what is missing in ERR.
 */
int library_load(const struct library *library,
		 const struct library_symbol *symbols, size_t n, void *calls,
		 const char *option, struct error *err);

#endif
