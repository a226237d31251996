/* Limits that the user sets, as they are given: texts, and where they apply. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "base/units.h"
#include "command_line.h"
#include "row_of.h"

#define RATE "must be a rate like 92.5, in Gb/s, or 900Mb/s or 11GB/s, or " \
	"like 90%, of the port's rate"
#define MESSAGES "must be a message rate like 1.5, in Mpps, or 900kpps"
#define LATENCY "must be a time like 20 or 2.5, in us, or with ns, us, ms, " \
	"s, m or h"
#define SHARE "must be a percentage like 0.1 or 0.1%"

TEST(test_decimals)
{
	static const struct {
		const char *text;
		double value;
	} good[] = {
		{ "0", 0 }, { "7", 7 }, { "007.50", 7.5 }, { "0.001", 0.001 },
		{ "99.9", 99.9 }, { "18446744073709551616", 0x1p64 },
		{ "1e-3", 0.001 },
	};
	static const char *const bad[] = {
		"", ".", ".5", "5.", "1..2", "1.2.3", "-1", "+1", " 1", "1 ",
		"1,5", "1e", "0x10", "inf", "nan", "5us", "1.5%",
	};
	double value;

	for (size_t i = 0; i < COUNT(good); i++) {
		assert_int_equal(units_parse_decimal(good[i].text, &value), 0);
		assert_true(value == good[i].value);
	}
	value = 77;
	for (size_t i = 0; i < COUNT(bad); i++)
		if (units_parse_decimal(bad[i], &value) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
	assert_true(value == 77);
}

TEST(test_texts)
{
	static const struct {
		const char *name;
		const char *text;
		double value;
		const char *error;	/* NULL: value is what it becomes */
	} rows[] = {
		{ "min-gbps", "92.5", 92.5, NULL },
		{ "min-gbps", "1000000", 1e6, NULL },
		{ "min-mpps", "0.000001", 1e-6, NULL },
		{ "max-p50", "3", 3, NULL },
		{ "max-p99", "0.75", 0.75, NULL },
		{ "max-p99.9", "1000000000", 1e9, NULL },
		{ "max-lost", "0", 0, NULL },
		{ "max-lost", "0.0", 0, NULL },
		{ "max-lost", "100", 100, NULL },
		/* in the unit that a person writes behind it */
		{ "min-gbps", "92Gbps", 92, NULL },
		{ "min-gbps", "92.5Gb/s", 92.5, NULL },
		{ "min-gbps", "92G", 92, NULL },
		{ "min-gbps", "900Mbit/s", 0.9, NULL },
		{ "min-gbps", "11GB/s", 88, NULL },
		{ "min-gbps", "0.1Tb/s", 100, NULL },
		{ "min-gbps", "0.3", 0.3, NULL },
		{ "min-gbps", "1e2", 100, NULL },
		{ "min-mpps", "1.5Mpps", 1.5, NULL },
		{ "min-mpps", "1.5m", 1.5, NULL },
		{ "min-mpps", "250kpps", 0.25, NULL },
		{ "max-p99", "20us", 20, NULL },
		{ "max-p99", "750ns", 0.75, NULL },
		{ "max-p99", "2.5ms", 2500, NULL },
		{ "max-p99", "1s", 1e6, NULL },
		{ "max-p99", "1e3", 1000, NULL },
		{ "max-lost", "5%", 5, NULL },
		{ "min-gbps", "5Mpps", 0, "--o '5Mpps': " RATE },
		{ "min-gbps", "92M", 0, "--o '92M': " RATE },
		{ "min-gbps", "92us", 0, "--o '92us': " RATE },
		{ "min-gbps", "0Gb/s", 0, "--o 0Gb/s: must be above 0" },
		{ "min-mpps", "10Gb/s", 0, "--o '10Gb/s': " MESSAGES },
		{ "min-mpps", "50%", 0, "--o '50%': " MESSAGES },
		{ "max-p99", "5%", 0, "--o '5%': " LATENCY },
		{ "max-p99", "5US", 0, "--o '5US': " LATENCY },
		{ "max-p99", "us", 0, "--o 'us': " LATENCY },
		{ "max-p99", "1001s", 0,
		  "--o 1001s: must be at most 1000000000 us" },
		{ "max-lost", "5%%", 0, "--o '5%%': " SHARE },
		{ "max-lost", "100.001", 0,
		  "--o 100.001: must be at most 100%" },
		{ "min-gbps", "100.5%", 0, "--o 100.5%: must be at most 100%" },
		{ "min-gbps", "0%", 0, "--o 0%: must be above 0" },
		{ "min-gbps", "%", 0, "--o '%': " RATE },
		{ "min-gbps", "1000000.1", 0,
		  "--o 1000000.1: must be at most 1000000 Gb/s" },
		{ "min-gbps", "0", 0, "--o 0: must be above 0" },
		{ "max-p99.9", "0.000", 0, "--o 0.000: must be above 0" },
		{ "max-p99", "-1", 0, "--o '-1': " LATENCY },
		{ "max-p99", "+1", 0, "--o '+1': " LATENCY },
		{ "max-p99", "nan", 0, "--o 'nan': " LATENCY },
		{ "max-p99", "inf", 0, "--o 'inf': " LATENCY },
		{ "max-p99", "0x10", 0, "--o '0x10': " LATENCY },
		{ "max-p99", "1e", 0, "--o '1e': " LATENCY },
		{ "max-p99", "1.", 0, "--o '1.': " LATENCY },
		{ "max-p99", ".5", 0, "--o '.5': " LATENCY },
		{ "max-p99", "1,5", 0, "--o '1,5': " LATENCY },
		{ "max-p99", "1.2.3", 0, "--o '1.2.3': " LATENCY },
		{ "max-p99", " 1", 0, "--o ' 1': " LATENCY },
		{ "max-p99", "", 0, "--o '': " LATENCY },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct param *row = row_of(rows[i].name);
		const struct limit *limit;
		struct parameters p;
		struct error err = { 0 };
		int ret;

		param_defaults(&p);
		limit = param_field(&p, row);
		assert_false(limit->given);
		ret = param_parse(&p, row, "--o", rows[i].text, &err);
		if (ret != (rows[i].error ? -EINVAL : 0))
			fail_msg("--%s '%s' gave %d", rows[i].name,
				 rows[i].text, ret);
		if (rows[i].error)
			assert_message(&err, rows[i].error);
		assert_int_equal(limit->given, !rows[i].error);
		assert_true(limit->value == rows[i].value);
	}
}

/* More digits than any number has. */
TEST(test_limit_of_a_thousand_digits)
{
	struct error err = { 0 };
	struct parameters p;
	char text[1001];

	memset(text, '9', 1000);
	text[1000] = '\0';
	param_defaults(&p);
	assert_int_equal(param_parse(&p, row_of("max-p50"), "--o", text, &err),
			 -EINVAL);
	assert_contains(err.message, "--o 9999");
	assert_false(p.limits[LIMIT_MAX_P50].given);
}

TEST(test_percentage)
{
	struct error err = { 0 };
	struct parameters p;
	char text[70];

	param_defaults(&p);
	assert_int_equal(param_parse(&p, row_of("min-interval-gbps"), "--o",
				     "92.5%", &err), 0);
	assert_true(p.limits[LIMIT_MIN_INTERVAL_GBPS].percent);
	assert_true(p.limits[LIMIT_MIN_INTERVAL_GBPS].value == 92.5);
	/* what is long is not cut */
	memset(text, '0', sizeof(text));
	memcpy(text + sizeof(text) - 4, "50%", 4);
	assert_int_equal(param_parse(&p, row_of("min-gbps"), "--o", text, &err),
			 0);
	assert_true(p.limits[LIMIT_MIN_GBPS].percent);
	assert_true(p.limits[LIMIT_MIN_GBPS].value == 50);
}

TEST(test_taken)
{
	char copy[200];
	struct options o;

	taken("verbsperf send_bw h -c UD --min-gbps=9.5 --min-mpps 1 "
	      "--max-lost 0", copy, &o);
	assert_true(o.params.limits[LIMIT_MIN_GBPS].given);
	assert_true(o.params.limits[LIMIT_MIN_GBPS].value == 9.5);
	assert_true(o.params.limits[LIMIT_MIN_MPPS].value == 1);
	assert_true(o.params.limits[LIMIT_MAX_LOST].given);
	assert_false(o.params.limits[LIMIT_MAX_P99].given);
	/* what begins another one's name is its own */
	taken("verbsperf write_lat h -c UC --max-p50 2 --max-p99=3 "
	      "--max-p99.9=4 --max-lost 1", copy, &o);
	assert_true(o.params.limits[LIMIT_MAX_P50].value == 2);
	assert_true(o.params.limits[LIMIT_MAX_P99].value == 3);
	assert_true(o.params.limits[LIMIT_MAX_P99_9].value == 4);
	taken("verbsperf read_lat h --max-mean 5 --max-p90 6us --max-p99.99 7 "
	      "--max-latency 1ms", copy, &o);
	assert_true(o.params.limits[LIMIT_MAX_MEAN].value == 5);
	assert_true(o.params.limits[LIMIT_MAX_P90].value == 6);
	assert_true(o.params.limits[LIMIT_MAX_P99_99].value == 7);
	assert_true(o.params.limits[LIMIT_MAX_LATENCY].value == 1000);
	taken("verbsperf write_bw h -c UC --imm --max-lost 1", copy, &o);
	taken("verbsperf write_bw h -c UC --verify --max-lost 1", copy, &o);
	taken("verbsperf write_bw --min-gbps 5 --max-p50 1", copy, &o);
	assert_string_equal(o.ignored, "--min-gbps, --max-p50");
}

TEST(test_refused)
{
	// clang-format off
	static const struct {
		const char *line;
		const char *message;
	} rows[] = {
		{ "verbsperf write_lat a --min-gbps 1", "--min-gbps: only for bandwidth, as in write_bw" },
		{ "verbsperf read_lat a --min-mpps 1", "--min-mpps: only for bandwidth, as in read_bw" },
		{ "verbsperf read_lat a --rate 1mpps --min-mpps 1", "--min-mpps: only for bandwidth, as in read_bw" },
		{ "verbsperf send_bw a --max-p50 1", "--max-p50: only for latency, as in send_lat" },
		{ "verbsperf atomic_bw a --max-p99 1", "--max-p99: only for latency, as in atomic_lat" },
		{ "verbsperf write_bw a --max-p99.9 1", "--max-p99.9: only for latency, as in write_lat or with --batch" },
		{ "verbsperf write_bw a --max-latency 1", "--max-latency: only for latency, as in write_lat or with --batch" },
		{ "verbsperf send_bw a --max-lost 1", "--max-lost: only for UC and UD; RC loses nothing" },
		{ "verbsperf write_lat a --max-lost 0", "--max-lost: only for UC and UD; RC loses nothing" },
		{ "verbsperf write_bw a -c UC --max-lost 1", "--max-lost: the receiver does not count plain writes over UC" },
		{ "verbsperf serve --max-lost 1", "--max-lost: the client decides that, not the server" },
		{ "verbsperf calibrate --max-p50 1", "--max-p50: not for calibrate" },
		{ "verbsperf write_bw a --max-lost x", "--max-lost 'x': must be a percentage like 0.1 or 0.1%" },
		{ "verbsperf write_bw a --min-gbps", "--min-gbps needs a value: GBPS|PERCENT%" },
		{ "verbsperf write_lat a --max-p9 1", "option '--max-p9' is ambiguous" },
	};
	// clang-format on
	char copy[200];

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct options o;
		struct error err;

		assert_int_equal(parse(rows[i].line, copy, &o, &err), -EINVAL);
		assert_message(&err, rows[i].message);
	}
}

TEST(test_of_counters)
{
	struct counter_choice *choice;
	char copy[COMMAND_LINE_SIZE];
	struct options o;
	struct error err;

	taken("verbsperf write_bw --max-counter link_downed=0 h", copy, &o);
	choice = &o.params.plan.counters;
	assert_int_equal(o.params.counter_limits.n, 1);
	assert_int_equal(choice->read, COUNTERS_INTEREST);
	assert_false(choice->given);
	taken("verbsperf write_bw --max-counter a=1,b=2 --max-counter b=3 "
	      "--counters=interest h", copy, &o);
	assert_int_equal(o.params.counter_limits.n, 2);
	assert_int_equal(o.params.counter_limits.list[1].most, 3);
	/* they are not read otherwise */
	assert_int_equal(choice->read, COUNTERS_ALL);
	assert_int_equal(choice->shown, COUNTERS_INTEREST);
	assert_true(choice->given);
	assert_int_equal(parse("verbsperf write_bw --counters none "
			       "--max-counter a=1 h", copy, &o, &err),
			 -EINVAL);
	assert_message(&err, "--max-counter: not with --counters none");
	assert_int_equal(parse("verbsperf write_bw --max-counter a h", copy,
			       &o, &err), -EINVAL);
	assert_message(&err, "--max-counter 'a': must be counters and numbers "
			     "like link_downed=0,out_of_sequence=10");
	assert_int_equal(parse("verbsperf write_bw --counters a,,b h", copy,
			       &o, &err), -EINVAL);
	assert_message(&err, "--counters 'a,,b': must be interest, all, none "
			     "or names of counters with commas between them");
	assert_int_equal(parse("verbsperf serve --counters all", copy, &o,
			       &err), -EINVAL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_of_counters),
	cmocka_unit_test(test_decimals),
	cmocka_unit_test(test_texts),
	cmocka_unit_test(test_limit_of_a_thousand_digits),
	cmocka_unit_test(test_percentage),
	cmocka_unit_test(test_taken),
	cmocka_unit_test(test_refused),
};

TEST_MAIN(tests, 10)
