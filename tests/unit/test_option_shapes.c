/*
 * The options that shape the traffic, from argv.  A test without a server is
 * read and checked no further, so that the rules between options, which other
 * tests hold, do not matter here.
 */
#include "config.h"
#include "test.h"

#include <stdio.h>

#include "command_line.h"
#include "row_of.h"

static void shaped_for(const char *test, const char *words, struct options *o)
{
	static char copy[COMMAND_LINE_SIZE];
	char line[COMMAND_LINE_SIZE];

	snprintf(line, sizeof(line), "verbsperf %s %s", test, words);
	taken(line, copy, o);
}

static void shaped(const char *words, struct options *o)
{
	shaped_for("write_bw", words, o);
}

/* By the long name and the letter. */
static const struct {
	const char *words;
	const char *name;
	uint64_t value;
} values[] = {
	{ "--transport=UC", "transport", TRANSPORT_UC },
	{ "-c UD", "transport", TRANSPORT_UD },
	{ "-cUC", "transport", TRANSPORT_UC },
	{ "--bidirectional", "bidirectional", true },
	{ "-b", "bidirectional", true },
	{ "--reversed", "reversed", true },
	{ "--imm", "imm", true },
	{ "--atomic-type=CMP_AND_SWAP", "atomic-type", ATOMIC_CMP_AND_SWAP },
	{ "-A CMP_AND_SWAP", "atomic-type", ATOMIC_CMP_AND_SWAP },
	{ "--all", "all", true },
	{ "-a", "all", true },
	{ "--inline=64", "inline", 64 },
	{ "-I 0", "inline", 0 },
	{ "-I auto", "inline", PLAN_AUTO },
	{ "--recv-post-list=4", "recv-post-list", 4 },
	{ "--srq", "srq", true },
	{ "--events", "events", true },
	{ "-e", "events", true },
	{ "-eb", "events", true },
	{ "-eb", "bidirectional", true },
	{ "--rate=10", "rate", 10000000000 },
	{ "--rate 1.2Mpps", "rate", RATE_MESSAGES | 1200000000 },
	{ "--burst=8", "burst", 8 },
	{ "--arrival=poisson", "arrival", ARRIVAL_POISSON },
	{ "--depth=1", "depth", 1 },
	{ "--tclass=106", "tclass", 106 },
	{ "--dscp 46", "dscp", 46 },
	{ "--hop-limit=1", "hop-limit", 1 },
	{ "--retry-count=0", "retry-count", 0 },
	{ "--rnr-retry=0", "rnr-retry", 0 },
	{ "--min-rnr-timer 1", "min-rnr-timer", 1 },
	{ "--hugepages", "hugepages", true },
	{ "--mr-per-qp", "mr-per-qp", true },
	{ "--relaxed-ordering", "relaxed-ordering", true },
	{ "--odp", "odp", true },
	{ "--verify", "verify", true },
	{ "--pkey-index=1", "pkey-index", 1 },
	{ "--vector=2", "vector", 2 },
	{ "--numa=1", "numa", 1 },
	{ "--numa auto", "numa", PLAN_AUTO },
};

TEST(test_every_name)
{
	for (size_t i = 0; i < COUNT(values); i++) {
		struct options o;
		uint64_t value;

		shaped(values[i].words, &o);
		value = param_get(&o.params, row_of(values[i].name));
		if (value != values[i].value)
			fail_msg("'%s' became %llu", values[i].words,
				 (unsigned long long)value);
	}
}

TEST(test_flow_labels)
{
	struct options o;

	shaped("--flow-label=1,0x2a", &o);
	assert_int_equal(o.params.plan.flow_labels.n, 2);
	assert_int_equal(o.params.plan.flow_labels.value[1], 0x2a);
	shaped("--flow-label 5", &o);
	assert_int_equal(o.params.plan.flow_labels.n, 1);
}

/* A test of the control path that takes ROW. */
static const char *control_taker(const struct param *row)
{
	int test = CONTROL_NONE + 1;

	while (!param_suits(row, (enum control_test)test))
		test++;
	return control_table[test].name;
}

/* What every row of the table is called can be typed. */
TEST(test_every_row_of_the_table)
{
	for (size_t i = 0; i < param_count; i++) {
		const struct param *row = &param_table[i];
		const char *initial = row->initial;
		char name[200], value[80];
		struct options o;

		if (row->kind == PARAM_FLAG || !initial ||
		    row->who == PARAM_SERVER)
			continue;
		snprintf(value, sizeof(value), "=%s", initial);
		snprintf(name, sizeof(name), "--%s%s", row->name, value);
		if (row->who == PARAM_CONTROL) {
			shaped_for(control_taker(row), name, &o);
			continue;
		}
		shaped(name, &o);
		snprintf(name, sizeof(name), "-%c %s", row->letter, initial);
		if (row->letter)
			shaped(name, &o);
	}
}

/* Both ways to have a completion announce a write are the same. */
TEST(test_poll)
{
	static const char *const lines[] = { "a", "a --poll=data", "a --imm",
					     "a --poll=completion" };

	for (uint32_t i = 0; i < COUNT(lines); i++) {
		struct options o;

		shaped_for("write_lat", lines[i], &o);
		assert_int_equal(o.params.poll,
				 i < 2 ? POLL_DATA : POLL_COMPLETION);
		assert_int_equal(o.params.plan.imm, i >= 2);
		assert_int_equal(o.params.plan.op,
				 i < 2 ? OP_WRITE : OP_WRITE_IMM);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_poll),
	cmocka_unit_test(test_every_name),
	cmocka_unit_test(test_flow_labels),
	cmocka_unit_test(test_every_row_of_the_table),
};

TEST_MAIN(tests, 10)
