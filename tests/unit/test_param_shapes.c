/* The parameters that shape the traffic: their defaults and their texts. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "model/param.h"
#include "row_of.h"

TEST(test_defaults)
{
	static const struct {
		const char *name;
		uint64_t value;
	} rows[] = {
		{ "transport", TRANSPORT_RC },
		{ "bidirectional", false },
		{ "reversed", false },
		{ "imm", false },
		{ "atomic-type", ATOMIC_FETCH_AND_ADD },
		{ "all", false },
		{ "inline", PLAN_AUTO },
		{ "recv-post-list", 1 },
		{ "srq", false },
		{ "events", false },
		{ "rate", 0 },
		{ "burst", 1 },
		{ "arrival", ARRIVAL_FIXED },
		{ "depth", 64 },
		{ "tclass", 0 },
		{ "dscp", PLAN_AUTO },
		{ "hop-limit", 64 },
		{ "retry-count", 7 },
		{ "rnr-retry", 7 },
		{ "min-rnr-timer", 12 },
		{ "hugepages", false },
		{ "mr-per-qp", false },
		{ "relaxed-ordering", false },
		{ "odp", false },
		{ "verify", false },
		{ "pkey-index", 0 },
		{ "vector", 0 },
		{ "numa", PLAN_AUTO },
	};
	struct parameters p;

	memset(&p, 0xff, sizeof(p));
	param_defaults(&p);
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t value = param_get(&p, row_of(rows[i].name));

		if (value != rows[i].value)
			fail_msg("--%s is %llu", rows[i].name,
				 (unsigned long long)value);
	}
	assert_int_equal(p.plan.flow_labels.n, 0);
}

struct parse {
	const char *name;
	const char *text;
	uint64_t value;
	const char *error;	/* NULL: value is what it becomes */
};

#define WANTED_RATE \
	"must be a rate like 10 or 2.5Gb/s (bits), 1.25GB/s or 2GiB/s (bytes), or 1.2Mpps"
#define RANGE_OF_RATE "must be above 0, and at most 10^6 Gb/s or Mpps"

// clang-format off
static const struct parse parses[] = {
	{ "transport", "RC", TRANSPORT_RC, NULL },
	{ "transport", "UC", TRANSPORT_UC, NULL },
	{ "transport", "UD", TRANSPORT_UD, NULL },
	{ "transport", "XRC", TRANSPORT_XRC, NULL },
	{ "transport", "DC", 0, "--o 'DC': expected RC, UC, UD, XRC" },
	{ "transport", "ucc", 0, "--o 'ucc': expected RC, UC, UD, XRC" },
	{ "transport", "ud", TRANSPORT_UD, NULL },
	{ "atomic-type", "FETCH_AND_ADD", ATOMIC_FETCH_AND_ADD, NULL },
	{ "atomic-type", "CMP_AND_SWAP", ATOMIC_CMP_AND_SWAP, NULL },
	{ "arrival", "fixed", ARRIVAL_FIXED, NULL },
	{ "arrival", "poisson", ARRIVAL_POISSON, NULL },
	{ "arrival", "Poisson", ARRIVAL_POISSON, NULL },
	{ "arrival", "steady", 0, "--o 'steady': expected fixed, poisson" },
	{ "inline", "0", 0, NULL },
	{ "inline", "65536", 65536, NULL },
	{ "inline", "auto", PLAN_AUTO, NULL },
	{ "inline", "65537", 0, "--o 65537: expected 0 to 64K" },
	{ "inline", "-1", 0, "--o '-1': must be auto or a number, 0 to 64K" },
	{ "recv-post-list", "1024", 1024, NULL },
	{ "recv-post-list", "0", 0, "--o 0: expected 1 to 1024" },
	{ "recv-post-list", "1025", 0, "--o 1025: expected 1 to 1024" },
	{ "burst", "65536", 65536, NULL },
	{ "burst", "0", 0, "--o 0: expected 1 to 65536" },
	{ "depth", "1024", 1024, NULL },
	{ "depth", "1025", 0, "--o 1025: expected 1 to 1024" },
	{ "tclass", "255", 255, NULL },
	{ "tclass", "256", 0, "--o 256: expected 0 to 255" },
	{ "dscp", "0", 0, NULL },
	{ "dscp", "63", 63, NULL },
	{ "dscp", "64", 0, "--o 64: expected 0 to 63" },
	{ "hop-limit", "1", 1, NULL },
	{ "hop-limit", "0", 0, "--o 0: expected 1 to 255" },
	{ "hop-limit", "256", 0, "--o 256: expected 1 to 255" },
	{ "retry-count", "0", 0, NULL },
	{ "retry-count", "8", 0, "--o 8: expected 0 to 7" },
	{ "rnr-retry", "0", 0, NULL },
	{ "rnr-retry", "8", 0, "--o 8: expected 0 to 7" },
	{ "min-rnr-timer", "0", 0, NULL },
	{ "min-rnr-timer", "32", 0, "--o 32: expected 0 to 31" },
	{ "pkey-index", "65535", 65535, NULL },
	{ "pkey-index", "65536", 0, "--o 65536: expected 0 to 65535" },
	{ "vector", "3", 3, NULL },
	{ "vector", "65536", 0, "--o 65536: expected 0 to 65535" },
	{ "numa", "0", 0, NULL },
	{ "numa", "1023", 1023, NULL },
	{ "numa", "auto", PLAN_AUTO, NULL },
	{ "numa", "none", PARAM_NONE, NULL },
	{ "numa", "1024", 0, "--o 1024: expected 0 to 1023" },
	/* what the words stand for, as digits */
	{ "numa", "4294967295", 0, "--o 4294967295: expected 0 to 1023" },
	{ "numa", "4294967294", 0, "--o 4294967294: expected 0 to 1023" },
	{ "inline", "4294967295", 0, "--o 4294967295: expected 0 to 64K" },
	{ "numa", "None", 0, "--o 'None': must be auto, none or a node number, 0 to 1023" },
	{ "numa", "", 0, "--o '': must be auto, none or a node number, 0 to 1023" },
	{ "vector", "none", 0, "--o 'none': must be a number, 0 to 65535" },
	{ "dscp", "none", 0, "--o 'none': must be auto or a number, 0 to 63" },
	{ "rate", "2.5Gb/s", 2500000000, NULL },
	{ "rate", "1.2Mpps", RATE_MESSAGES | 1200000000, NULL },
	{ "rate", "1000000", RATE_MAX, NULL },
	{ "rate", "0", 0, "--o 0: " RANGE_OF_RATE },
	{ "rate", "1000001", 0, "--o 1000001: " RANGE_OF_RATE },
	{ "rate", "fast", 0, "--o 'fast': " WANTED_RATE },
	{ "rate", "", 0, "--o '': " WANTED_RATE },
};
// clang-format on

TEST(test_texts)
{
	for (size_t i = 0; i < COUNT(parses); i++) {
		const struct parse *t = &parses[i];
		const struct param *row = row_of(t->name);
		struct parameters p;
		struct error err = { 0 };
		uint64_t before;
		int ret;

		param_defaults(&p);
		before = param_get(&p, row);
		ret = param_parse(&p, row, "--o", t->text, &err);
		if (ret != (t->error ? -EINVAL : 0))
			fail_msg("--%s '%s' gave %d", t->name, t->text, ret);
		if (t->error)
			assert_message(&err, t->error);
		assert_int_equal(param_get(&p, row),
				 t->error ? before : t->value);
	}
}

TEST(test_flow_labels)
{
	const struct param *row = row_of("flow-label");
	struct parameters p;
	struct error err = { 0 };
	char many[200] = "1";

	param_defaults(&p);
	assert_false(param_is_number(row));
	assert_int_equal(param_parse(&p, row, "--o", "7,0xFFfff", &err), 0);
	assert_int_equal(p.plan.flow_labels.n, 2);
	assert_int_equal(p.plan.flow_labels.value[0], 7);
	assert_int_equal(p.plan.flow_labels.value[1], 0xfffff);
	assert_int_equal(param_parse(&p, row, "--o", "1,0x100000", &err),
			 -EINVAL);
	assert_message(&err, "--o '1,0x100000': must be flow labels like "
			     "1,2,0xfffff");
	assert_int_equal(p.plan.flow_labels.n, 2);
	error_clear(&err);
	for (int i = 0; i < LABELS_MAX; i++)
		strcat(many, ",1");
	assert_int_equal(param_parse(&p, row, "--o", many, &err), -EINVAL);
	assert_contains(err.message, "more than 64 flow labels");
	assert_int_equal(p.plan.flow_labels.n, 2);
}

/* Of a peer: what the texts cannot say is refused all the same. */
TEST(test_ranges_of_nodes_and_rates)
{
	const struct param *numa = row_of("numa"), *rate = row_of("rate");

	assert_true(param_in_range(numa, PLAN_AUTO));
	assert_true(param_in_range(numa, PARAM_NONE));
	assert_true(param_in_range(numa, 0));
	assert_false(param_in_range(numa, PARAM_NONE - 1));
	assert_false(param_in_range(row_of("dscp"), PARAM_NONE));
	assert_true(param_in_range(rate, 0));
	assert_true(param_in_range(rate, RATE_MESSAGES | RATE_MAX));
	assert_false(param_in_range(rate, RATE_MESSAGES));
	assert_false(param_in_range(rate, RATE_MAX + 1));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_defaults),
	cmocka_unit_test(test_texts),
	cmocka_unit_test(test_flow_labels),
	cmocka_unit_test(test_ranges_of_nodes_and_rates),
};

TEST_MAIN(tests, 10)
