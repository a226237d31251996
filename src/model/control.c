/* The table of control tests: their names, parts and units. */
#include "config.h"
#include "model/control.h"

#include <math.h>
#include <string.h>

const struct control_info control_table[CONTROL_TESTS] = {
#define X(id, name, size, transports, what) \
	[CONTROL_##id] = { name, size, transports, what },
	CONTROL_LIST(X)
#undef X
};

enum control_test control_find(const char *name)
{
	for (enum control_test i = CONTROL_NONE + 1; i < CONTROL_TESTS; i++)
		if (!strcmp(control_table[i].name, name))
			return i;
	return CONTROL_NONE;
}

bool control_has_server(enum control_test test)
{
	return test == CONTROL_CONNECT;
}

const char *const control_pattern_names[CONTROL_PATTERNS] = {
	[CONTROL_CHURN] = "churn", [CONTROL_HOLD] = "hold",
};

const char *const control_mw_names[CONTROL_MWS] = {
	[CONTROL_MW_TYPE1] = "type1",
	[CONTROL_MW_TYPE2] = "type2",
	[CONTROL_MW_TYPE2_SEND] = "type2-send",
};

uint32_t control_span_of(uint64_t existing)
{
	uint32_t span = 0;

	for (uint64_t end = 10; existing >= end && span < CONTROL_SPANS - 1;
	     end *= 10)
		span++;
	return span;
}

double control_per_operation(const struct control_commands *commands,
			     uint64_t number)
{
	if (!commands->operations)
		return NAN;
	return (double)number / (double)commands->operations;
}
