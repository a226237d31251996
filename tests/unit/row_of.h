/* The row of a parameter, by its name. */
#pragma once

#include "is_number.h"
#include "model/param.h"
#include "test.h"

static inline const struct param *row_of(const char *name)
{
	for (size_t i = 0; i < param_count; i++)
		if (!strcmp(param_table[i].name, name))
			return &param_table[i];
	fail_msg("no parameter %s", name);
	return NULL;
}
