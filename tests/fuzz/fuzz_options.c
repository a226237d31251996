/*
 * The command line.  An input is the words, of which a line feed or a zero ends
 * each.  What parses is in the ranges of the table and, if it is a test's, goes
 * as a PLAN that a server understands.
 */
#include "config.h"
#include "fuzz.h"

#include <string.h>

#include "../unit/is_number.h"
#include "base/xalloc.h"
#include "cli/options.h"
#include "net/frames.h"

#define WORDS_MAX 64

static void check_lists(const struct parameters *params)
{
	MUST(params->plan.sizes.n <= SIZES_MAX);
	MUST(params->plan.flow_labels.n <= LABELS_MAX);
	MUST(params->cpus.n <= CPUS_MAX);
	MUST(params->percentiles.n <= PERCENTILES_MAX);
}

static void check_limit(const struct limit *limit, const struct param *row)
{
	if (!limit->given)
		return;
	MUST(limit->value >= 0 && limit->value <= (double)row->max);
	MUST(limit->value > 0 || !row->min);
}

static void check_ranges(const struct parameters *params)
{
	for (size_t i = 0; i < param_count; i++) {
		const struct param *row = &param_table[i];
		uint64_t value;

		if (row->kind == PARAM_LIMIT)
			check_limit(param_field(params, row), row);
		if (!param_is_number(row))
			continue;
		value = param_get(params, row);
		MUST(!value || param_in_range(row, value));
	}
	check_lists(params);
}

/* The server reads what the client asks for. */
static void check_travels(const struct plan *plan)
{
	const struct port port = { .active_mtu = IBV_MTU_1024 };
	struct frame frame, again;
	struct error err = { 0 };
	struct port client;
	struct plan theirs;

	MUST(plan->sizes.n >= 1);
	MUST(!plan_check(plan, &err));
	frame = encode_plan(plan, &port);
	MUST(!decode_plan(&frame, &theirs, &client, &err));
	again = encode_plan(&theirs, &client);
	MUST(again.length == frame.length &&
	     !memcmp(again.bytes, frame.bytes,
		     WIRE_HEADER_SIZE + frame.length));
	frame_free(&frame);
	frame_free(&again);
}

static void check(int argc, char **argv)
{
	struct options options;
	struct error err = { 0 };
	int ret = options_parse(argc, argv, &options, &err);

	MUST(ret <= 0 && error_is_set(&err) == (ret != 0));
	if (ret)
		return;
	MUST(options.command <= COMMAND_FAULTS);
	check_ranges(&options.params);
	if (options.command == COMMAND_CLIENT ||
	    options.command == COMMAND_LOOPBACK)
		check_travels(&options.params.plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *argv[WORDS_MAX + 1] = { NULL };
	char *text = xcalloc(1, size + 1);
	int argc = 0;
	size_t at = 0;

	memcpy(text, data, size);
	while (at < size && argc < WORDS_MAX) {
		argv[argc++] = text + at;
		at += strcspn(text + at, "\n");
		text[at++] = '\0';
	}
	if (argc)
		check(argc, argv);
	free(text);
	return 0;
}
