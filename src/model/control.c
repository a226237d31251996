#include "config.h"
#include "model/control.h"

#include <math.h>
#include <string.h>

static const struct {
	const char *name;
	uint64_t size;
	bool transports;
	const char *what;
} tests[CONTROL_TESTS] = {
#define X(id, name, size, transports, what) \
	[CONTROL_##id] = { name, size, transports, what },
	CONTROL_LIST(X)
#undef X
};

const char *control_name(enum control_test test)
{
	return tests[test].name;
}

const char *control_what(enum control_test test)
{
	return tests[test].what;
}

enum control_test control_find(const char *name)
{
	for (int i = CONTROL_NONE + 1; i < CONTROL_TESTS; i++)
		if (!strcmp(tests[i].name, name))
			return (enum control_test)i;
	return CONTROL_NONE;
}

uint64_t control_size(enum control_test test)
{
	return tests[test].size;
}

bool control_has_server(enum control_test test)
{
	return test == CONTROL_CONNECT;
}

bool control_has_transport(enum control_test test)
{
	return tests[test].transports;
}

const char *control_pattern_name(enum control_pattern pattern)
{
	return pattern == CONTROL_HOLD ? "hold" : "churn";
}

const char *control_mw_name(enum control_mw mw)
{
	static const char *const names[CONTROL_MWS] = {
		[CONTROL_MW_TYPE1] = "type1",
		[CONTROL_MW_TYPE2] = "type2",
		[CONTROL_MW_TYPE2_SEND] = "type2-send",
	};

	return names[mw];
}

uint32_t control_span_of(uint64_t existing)
{
	uint32_t span = 0;

	for (uint64_t end = 10; existing >= end && span < CONTROL_SPANS - 1;
	     end *= 10)
		span++;
	return span;
}

double control_per_operation(const struct control_calls *calls,
			     uint64_t number)
{
	if (!calls->operations)
		return NAN;
	return (double)number / (double)calls->operations;
}
