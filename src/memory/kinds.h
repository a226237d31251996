/* The kinds of memory that messages can be in: the rows of a table. */
#ifndef MEMORY_KINDS_H
#define MEMORY_KINDS_H

#include "memory/kind.h"

/* The row of KIND. */
const struct memory_ops *memory_ops_of(enum memory_kind kind);

extern const struct memory_ops memory_anonymous, memory_huge_pages,
	memory_shared, memory_file, memory_on_device, memory_udmabuf,
	memory_cuda, memory_hip;

#endif
