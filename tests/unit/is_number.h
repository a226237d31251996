/* Kinds of parameters, for unit tests and fuzzers. */
#pragma once

#include <stdbool.h>

#include "model/param.h"

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
	case PARAM_BATCH:
		return false;
	default:
		return true;
	}
}
