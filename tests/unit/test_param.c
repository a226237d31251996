/* The table of parameters: defaults, ranges, each kind, and its own rules. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "model/param.h"
#include "row_of.h"
#include "traffic/clock.h"

TEST(test_defaults)
{
	struct parameters p;

	memset(&p, 0xff, sizeof(p));
	param_defaults(&p);
	assert_null(p.device);
	assert_null(p.bind);
	assert_null(p.json);
	assert_null(p.title);
	assert_int_equal(p.ib_port, PLAN_AUTO);
	assert_int_equal(p.gid_index, PLAN_AUTO);
	assert_int_equal(p.port, 18515);
	assert_int_equal(p.wait, 0);
	assert_int_equal(p.max_memory, 4ULL << 30);
	assert_false(p.loopback || p.once);
	assert_int_equal(p.plan.sizes.n, 0);
	assert_int_equal(p.plan.iterations, 0);
	assert_int_equal(p.plan.duration, 3000000000);
	assert_int_equal(p.plan.warmup, 200000000);
	assert_int_equal(p.plan.timeout, 10000000000);
	assert_int_equal(p.plan.walk, 4096);
	assert_int_equal(p.plan.qps, 1);
	assert_int_equal(p.plan.tx_depth, PLAN_AUTO);
	assert_int_equal(p.plan.rx_depth, PLAN_AUTO);
	assert_int_equal(p.plan.cq_mod, PLAN_AUTO);
	assert_int_equal(p.plan.mtu, PLAN_AUTO);
	assert_int_equal(p.plan.outstanding_reads, PLAN_AUTO);
	assert_int_equal(p.plan.qp_timeout, PLAN_AUTO);
	assert_int_equal(p.plan.sl, 0);
	assert_int_equal(p.plan.post_list, 1);
	assert_int_equal(p.plan.post, POST_AUTO);
	assert_int_equal(p.plan.threads, 1);
	assert_false(p.plan.round_trip || p.histogram);
	assert_int_equal(p.plan.interval, 0);
	assert_int_equal(p.clock, CLOCK_AUTO);
	assert_int_equal(p.percentiles.n, 0);
	assert_int_equal(p.cpus.n, 0);
	assert_null(p.samples);
	for (int i = 0; i < LIMITS; i++)
		assert_false(p.limits[i].given);
}

/* No two rows share a name, letter or number on the wire; what travels
 * has a number, in ascending order, and is taken back as its default. */
TEST(test_the_table_itself)
{
	uint16_t last = 0;

	for (size_t i = 0; i < param_count; i++) {
		const struct param *a = &param_table[i];

		assert_true(!(a->who & PARAM_PLAN) == !a->id);
		assert_true(strlen(a->help) > 0);
		assert_true(a->kind == PARAM_FLAG || a->argument);
		if (a->id) {
			assert_true(a->id > last);
			last = a->id;
		}
		for (size_t k = 0; k < i; k++) {
			const struct param *b = &param_table[k];

			assert_string_not_equal(a->name, b->name);
			assert_true(!a->letter || a->letter != b->letter);
			assert_true(a->offset != b->offset);
		}
	}
}

TEST(test_every_default_is_in_range)
{
	struct parameters p;

	param_defaults(&p);
	for (size_t i = 0; i < param_count; i++)
		if (param_is_number(&param_table[i]))
			assert_true(param_in_range(&param_table[i],
						   param_get(&p,
							     &param_table[i])));
}

TEST(test_ranges_of_numbers)
{
	struct parameters p;

	param_defaults(&p);
	for (size_t i = 0; i < param_count; i++) {
		const struct param *row = &param_table[i];

		if (!param_is_number(row))
			continue;
		assert_true(param_in_range(row, row->min));
		assert_true(param_in_range(row, row->max));
		if (row->max < UINT64_MAX)
			assert_false(param_in_range(row, row->max + 1));
		if (row->min > 1)
			assert_false(param_in_range(row, row->min - 1));
		param_set(&p, row, row->max);
		assert_int_equal(param_get(&p, row), row->max);
		param_set(&p, row, row->min);
		assert_int_equal(param_get(&p, row), row->min);
	}
	assert_true(param_in_range(row_of("rx-depth"), PLAN_AUTO));
	assert_false(param_in_range(row_of("qps"), PLAN_AUTO));
	assert_true(param_in_range(row_of("iterations"), 0));
	assert_false(param_in_range(row_of("qps"), 0));
}

struct parse {
	const char *name;
	const char *text;
	uint64_t value;
	const char *error;	/* NULL: value is what it becomes */
};

// clang-format off
static const struct parse parses[] = {
	{ "port", "0", 0, NULL },
	{ "port", "65535", 65535, NULL },
	{ "port", "65536", 0, "--o 65536: expected 0 to 65535" },
	{ "port", "99999999999999999999", 0,
	  "--o 99999999999999999999: expected 0 to 65535" },
	{ "port", "x", 0, "--o 'x': must be a number, 0 to 65535" },
	{ "port", "auto", 0, "--o 'auto': must be a number, 0 to 65535" },
	{ "port", "", 0, "--o '': must be a number, 0 to 65535" },
	{ "port", "18K", 0, "--o '18K': must be a number, 0 to 65535" },
	{ "port", "0x4853", 0x4853, NULL },
	{ "tclass", "0x68", 0x68, NULL },
	{ "tclass", "0x100", 0, "--o 0x100: expected 0 to 255" },
	{ "gid-index", "-1", 0, "--o '-1': must be auto or a number, 0 to 255" },
	{ "gid-index", "0x3", 3, NULL },
	{ "pkey-index", "1e1", 10, NULL },
	{ "numa", "x", 0, "--o 'x': must be auto, none or a node number, 0 to 1023" },
	{ "mtu", "4K", 4096, NULL },
	{ "mtu", "8K", 0, "--o 8K: expected 256 to 4K" },
	{ "inline", "0.5KiB", 512, NULL },
	{ "ib-port", "auto", PLAN_AUTO, NULL },
	{ "ib-port", "255", 255, NULL },
	{ "ib-port", "0", 0, "--o 0: expected 1 to 255" },
	{ "ib-port", "4294967295", 0, "--o 4294967295: expected 1 to 255" },
	{ "ib-port", "any", 0, "--o 'any': must be auto or a number, 1 to 255" },
	{ "iterations", "1000000000000", 1000000000000, NULL },
	{ "iterations", "1M", 1000000, NULL },
	{ "iterations", "1e6", 1000000, NULL },
	{ "iterations", "1T", 1000000000000, NULL },
	{ "iterations", "2T", 0, "--o 2T: expected 1 to 1T" },
	{ "iterations", "0", 0, "--o 0: expected 1 to 1T" },
	{ "iterations", "1.5", 0, "--o '1.5': must be a number like 5000 or 1e6, optionally with k, M, G or T, 1 to 1T" },
	{ "walk", "4K", 4096, NULL },
	{ "walk", "3G", 0, "--o 3G: expected 0 to 2G" },
	{ "walk", "4KB", 4096, NULL },
	{ "walk", "4X", 0, "--o '4X': must be a number of bytes, optionally with K, M, G or T" },
	{ "max-memory", "0", 0, "--o 0: expected at least 1" },
	{ "max-qps", "0", 0, "--o 0: expected 1 to 16384" },
	{ "max-duration", "999ms", 0, "--o 999ms: expected 1s to 168h" },
	{ "idle-timeout", "1", 0, "--o 1: expected 2s to 1h" },
	{ "parallel", "0", 0, "--o 0: expected 1 to 256" },
	{ "parallel", "257", 0, "--o 257: expected 1 to 256" },
	{ "ready-fd", "2", 0, "--o 2: expected 3 to 65535" },
	{ "duration", "0.5", 500000000, NULL },
	{ "duration", "50ms", 50000000, NULL },
	{ "duration", "169h", 0, "--o 169h: expected 0 to 168h" },
	{ "duration", "soon", 0, "--o 'soon': must be seconds like 3 or 0.5, or a time with ns, us, ms, s, m or h" },
	{ "timeout", "999ms", 0, "--o 999ms: expected 1s to 1h" },
	{ "sl", "16", 0, "--o 16: expected 0 to 15" },
	{ "post-list", "1024", 1024, NULL },
	{ "post-list", "1025", 0, "--o 1025: expected 1 to 1024" },
	{ "threads", "64", 64, NULL },
	{ "threads", "65", 0, "--o 65: expected 1 to 64" },
	{ "interval", "10ms", 10000000, NULL },
	{ "interval", "9ms", 0, "--o 9ms: expected 10ms to 1h" },
	{ "interval", "0", 0, "--o 0: expected 10ms to 1h" },
	{ "post", "auto", POST_AUTO, NULL },
	{ "post", "wr", POST_WR, NULL },
	{ "post", "legacy", POST_LEGACY, NULL },
	{ "post", "", 0, "--o '': expected auto, wr, legacy" },
	{ "post", "w", 0, "--o 'w': expected auto, wr, legacy" },
	{ "post", "wrx", 0, "--o 'wrx': expected auto, wr, legacy" },
	{ "post", "WR", POST_WR, NULL },
	{ "post", "wr|legacy", 0, "--o 'wr|legacy': expected auto, wr, legacy" },
	{ "post", "1", 0, "--o '1': expected auto, wr, legacy" },
	{ "clock", "counter", CLOCK_COUNTER, NULL },
	{ "clock", "monotonic_raw", CLOCK_RAW, NULL },
	{ "clock", "tsc", 0, "--o 'tsc': expected auto, counter, monotonic_raw" },
};
// clang-format on

TEST(test_every_kind_of_number)
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

TEST(test_sizes)
{
	const struct param *row = row_of("size");
	struct parameters p;
	struct error err = { 0 };
	char many[200] = "1";

	param_defaults(&p);
	assert_int_equal(param_parse(&p, row, "-s", "0,2..8,2G", &err), 0);
	assert_int_equal(p.plan.sizes.n, 5);
	assert_int_equal(p.plan.sizes.bytes[4], 1ULL << 31);
	assert_int_equal(param_parse(&p, row, "-s", "1,3G", &err), -EINVAL);
	assert_message(&err, "-s 1,3G: expected 0 to 2G");
	assert_int_equal(p.plan.sizes.n, 5);
	error_clear(&err);
	assert_int_equal(param_parse(&p, row, "-s", "8..2", &err), -EINVAL);
	assert_message(&err, "-s '8..2': must be a size like 64 or 4K, a "
			     "list 64,4K or a range, the smaller first, "
			     "2..8M");
	error_clear(&err);
	for (int i = 0; i < SIZES_MAX; i++)
		strcat(many, ",1");
	assert_int_equal(param_parse(&p, row, "-s", many, &err), -EINVAL);
	assert_contains(err.message, "more than 64 sizes");
}

/* A word for each value that is in range, and for no other. */
TEST(test_words_of_choices)
{
	int length;

	for (size_t i = 0; i < param_count; i++) {
		const struct param *row = &param_table[i];

		if (row->kind != PARAM_CHOICE)
			continue;
		assert_int_equal(row->min, 0);
		for (uint64_t k = 0; k <= row->max; k++) {
			assert_non_null(param_word(row, k, &length));
			assert_true(length > 0);
		}
		assert_null(param_word(row, row->max + 1, &length));
		assert_null(param_word(row, UINT32_MAX, &length));
	}
	assert_memory_equal(param_word(row_of("post"), POST_WR, &length),
			    "wr|", 3);
	assert_int_equal(length, 2);
}

TEST(test_percentiles)
{
	const struct param *row = row_of("percentiles");
	struct parameters p;
	struct error err = { 0 };

	param_defaults(&p);
	assert_int_equal(param_parse(&p, row, "--o", "50,99.9999", &err), 0);
	assert_int_equal(p.percentiles.n, 2);
	assert_int_equal(p.percentiles.per_million[1], 999999);
	assert_int_equal(param_parse(&p, row, "--o", "100", &err), -EINVAL);
	assert_message(&err, "--o '100': must be percentiles like 99.5 or "
			     "50,99.999: above 0, below 100, with at most "
			     "four decimals");
	assert_int_equal(p.percentiles.n, 2);
	error_clear(&err);
	assert_int_equal(param_parse(&p, row, "--o",
				     "1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8",
				     &err), -EINVAL);
	assert_contains(err.message, "more than 16 percentiles");
}

TEST(test_cpus)
{
	const struct param *row = row_of("cpus");
	struct parameters p;
	struct error err = { 0 };

	param_defaults(&p);
	assert_int_equal(param_parse(&p, row, "--o", "3,0-1", &err), 0);
	assert_int_equal(p.cpus.n, 3);
	assert_int_equal(p.cpus.id[0], 3);
	assert_int_equal(param_parse(&p, row, "--o", "3-0", &err), -EINVAL);
	assert_message(&err, "--o '3-0': must be CPU numbers like 0 or "
			     "0,2,4-7, below 65536, or auto");
	assert_int_equal(p.cpus.n, 3);
	error_clear(&err);
	assert_int_equal(param_parse(&p, row, "--o", "0-64", &err), -EINVAL);
	assert_contains(err.message, "more than 64 CPUs");
}

TEST(test_strings_are_kept_by_reference)
{
	static const char text[] = "mlx5_0";
	struct parameters p;
	struct error err = { 0 };

	param_defaults(&p);
	assert_int_equal(param_parse(&p, row_of("device"), "-d", text, &err),
			 0);
	assert_ptr_equal(p.device, text);
	assert_ptr_equal(param_get_string(&p, row_of("device")), text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_defaults),
	cmocka_unit_test(test_the_table_itself),
	cmocka_unit_test(test_every_default_is_in_range),
	cmocka_unit_test(test_ranges_of_numbers),
	cmocka_unit_test(test_every_kind_of_number),
	cmocka_unit_test(test_sizes),
	cmocka_unit_test(test_words_of_choices),
	cmocka_unit_test(test_percentiles),
	cmocka_unit_test(test_cpus),
	cmocka_unit_test(test_strings_are_kept_by_reference),
};

TEST_MAIN(tests, 10)
