/* The names of all tests, of traffic and of the control path. */
#include "config.h"
#include "model/plan.h"

#include <string.h>

const char *const traffic_names[OP_COUNT][METRIC_COUNT] = {
#define X(id, name, ...) \
	[OP_##id] = { [METRIC_BANDWIDTH] = name "_bw", \
		      [METRIC_LATENCY] = name "_lat" },
	OP_LIST(X)
#undef X
};

const char *test_name_of(const struct plan *plan)
{
	return plan->control ? control_table[plan->control].name :
			       traffic_names[plan->op][plan->metric];
}

bool test_find(const char *name, enum op *op, enum metric *metric)
{
	for (enum op o = 0; o < OP_COUNT; o++)
		for (enum metric m = 0; m < METRIC_COUNT; m++) {
			if (strcmp(traffic_names[o][m], name) != 0)
				continue;
			if (op)
				*op = o;
			if (metric)
				*metric = m;
			return true;
		}
	return false;
}

const char *test_list(char *text, size_t size)
{
	text[0] = '\0';
	for (enum op o = 0; o <= OP_LAST_TEST; o++)
		for (enum metric m = 0; m < METRIC_COUNT; m++)
			text_append(text, size, "%s%s", *text ? " " : "",
				    traffic_names[o][m]);
	return text;
}
