#include "config.h"
#include "model/plan.h"

#include <stdio.h>
#include <string.h>

static const char *const suffixes[METRIC_COUNT] = {
	[METRIC_BANDWIDTH] = "bw",
	[METRIC_LATENCY] = "lat",
};

const char *test_name(enum op op, enum metric metric, char name[TEST_NAME_SIZE])
{
	snprintf(name, TEST_NAME_SIZE, "%s_%s", op_table[op].name,
		 suffixes[metric]);
	return name;
}

const char *test_name_of(const struct plan *plan, char name[TEST_NAME_SIZE])
{
	if (!plan->control)
		return test_name(plan->op, plan->metric, name);
	snprintf(name, TEST_NAME_SIZE, "%s", control_table[plan->control].name);
	return name;
}

bool test_find(const char *name, enum op *op, enum metric *metric)
{
	const char *end = strrchr(name, '_');
	const size_t length = end ? (size_t)(end - name) : 0;

	for (enum op o = 0; end && o < OP_COUNT; o++)
		for (enum metric m = 0; m < METRIC_COUNT; m++) {
			if (strncmp(op_table[o].name, name, length) != 0 ||
			    op_table[o].name[length] ||
			    strcmp(suffixes[m], end + 1) != 0)
				continue;
			*op = o;
			*metric = m;
			return true;
		}
	return false;
}

const char *test_list(char *text, size_t size)
{
	char name[TEST_NAME_SIZE];

	text[0] = '\0';
	for (enum op o = 0; o <= OP_LAST_TEST; o++)
		for (enum metric m = 0; m < METRIC_COUNT; m++)
			text_append(text, size, "%s%s", *text ? " " : "",
				    test_name(o, m, name));
	return text;
}

const char *test_list_control(char *text, size_t size)
{
	text[0] = '\0';
	for (int i = CONTROL_NONE + 1; i < CONTROL_TESTS; i++)
		text_append(text, size, "%s%s", *text ? " " : "",
			    control_table[i].name);
	return text;
}
