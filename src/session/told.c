#include "config.h"
#include "session/told.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "model/tests.h"

/* Do A and B agree on ROW? */
static bool agrees(const struct param *row, const struct plan *a,
		   const struct plan *b)
{
	const struct parameters one = { .plan = *a }, other = { .plan = *b };

	if (row->kind == PARAM_SIZES)
		return !memcmp(&a->sizes, &b->sizes, sizeof(a->sizes));
	/* each end shows those that it was asked for */
	if (row->kind == PARAM_COUNTERS)
		return true;
	if (row->kind == PARAM_LABELS)
		return !memcmp(&a->flow_labels, &b->flow_labels,
			       sizeof(a->flow_labels));
	if (row->kind == PARAM_MCAST)
		return a->mcast.wanted == b->mcast.wanted &&
		       !memcmp(&a->mcast.gid, &b->mcast.gid,
			       sizeof(a->mcast.gid));
	return param_get(&one, row) == param_get(&other, row);
}

static void name_difference(FILE *out, const char *name)
{
	fprintf(out, "%s%s", ftell(out) ? ", " : "", name);
}

/* The names of what differs, on the heap; empty when nothing does. */
static char *differences(const struct told *told, const struct plan *plan)
{
	char mine[TEST_NAME_SIZE], option[64], *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	test_name(told->plan.op, told->plan.metric, mine);
	if (told->plan.metric != plan->metric ||
	    op_table[told->plan.op].name != op_table[plan->op].name)
		name_difference(out, mine);
	for (size_t i = 0; i < param_count; i++) {
		const struct param *row = &param_table[i];

		if (!(row->who & PARAM_PLAN) || !told->given[i] ||
		    agrees(row, &told->plan, plan))
			continue;
		snprintf(option, sizeof(option), "--%s", row->name);
		name_difference(out, option);
	}
	fclose(out);
	return text;
}

void told_compare(const struct parameters *params, const struct plan *plan)
{
	char *text;

	if (!params->told)
		return;
	text = differences(params->told, plan);
	if (text && *text)
		log_warning("ignored these options of the server, because the "
			    "client chose other values: %s", text);
	free(text);
}
