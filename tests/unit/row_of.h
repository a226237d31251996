/* The row of a parameter, by its name. */
#ifndef TESTS_UNIT_ROW_OF_H
#define TESTS_UNIT_ROW_OF_H

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

/* True for the kinds that param_get() and param_set() handle. */
static inline bool param_is_number(const struct param *row)
{
	switch (row->kind) {
	case PARAM_SIZES:
	case PARAM_STRING:
	case PARAM_PERCENTILES:
	case PARAM_CPUS:
	case PARAM_LABELS:
	case PARAM_MCAST:
	case PARAM_NETWORKS:
	case PARAM_LIMIT:
	case PARAM_COUNTER_LIMITS:
	case PARAM_MEMORY:
		return false;
	default:
		return true;
	}
}

#endif
