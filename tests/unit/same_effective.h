/* Two sets of a queue pair's values, compared one by one. */
#pragma once

#include "model/endpoint.h"
#include "test.h"

static inline void check_effective(const struct effective *got,
				   const struct effective *wanted)
{
	assert_int_equal(got->known, wanted->known);
#define X(name, ...) assert_int_equal(got->name, wanted->name);
	EFFECTIVE_LIST(X)
#undef X
}
