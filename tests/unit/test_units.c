/* Numbers, sizes, times and lists: what is taken, and what is refused. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "base/units.h"

struct number {
	const char *text;
	int ret;
	uint64_t value;
};

static void check(const struct number *rows, size_t n,
		  int (*parse)(const char *, uint64_t *))
{
	for (size_t i = 0; i < n; i++) {
		uint64_t value = 77;
		int ret = parse(rows[i].text, &value);

		if (ret != rows[i].ret)
			fail_msg("'%s' gave %d", rows[i].text, ret);
		/* output is set only on success */
		if (value != (ret ? 77 : rows[i].value))
			fail_msg("'%s' became %llu", rows[i].text,
				 (unsigned long long)value);
	}
}

TEST(test_digits)
{
	static const struct number rows[] = {
		{ "0", 0, 0 },
		{ "1", 0, 1 },
		{ "007", 0, 7 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "99999999999999999999", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 },
		{ "1 ", -EINVAL, 0 },
		{ "0x10", -EINVAL, 0 },
		{ "1e3", -EINVAL, 0 },
		{ "1K", -EINVAL, 0 },
		{ "one", -EINVAL, 0 },
	};

	check(rows, COUNT(rows), units_parse_digits);
}

/* What both counts and plain numbers are. */
static const struct number whole_numbers[] = {
	{ "0", 0, 0 },
	{ "007", 0, 7 },
	{ "0x68", 0, 0x68 },
	{ "0XfF", 0, 255 },
	{ "0xffffffffffffffff", 0, UINT64_MAX },
	{ "0x10000000000000000", -ERANGE, 0 },
	{ "1e6", 0, 1000000 },
	{ "1E+6", 0, 1000000 },
	{ "1.5e3", 0, 1500 },
	{ "1500e-2", 0, 15 },
	{ "2.0", 0, 2 },
	{ "0e9999", 0, 0 },
	{ "18446744073709551615", 0, UINT64_MAX },
	{ "1844674407370955161.5e1", 0, UINT64_MAX },
	{ "18446744073709551616", -ERANGE, 0 },
	{ "1e20", -ERANGE, 0 },
	{ "1e99999999999999999999", -ERANGE, 0 },
	/* not whole */
	{ "1.5", -EINVAL, 0 },
	{ "1.55e1", -EINVAL, 0 },
	{ "1e-3", -EINVAL, 0 },
	{ "1e-99999999999999999999", -EINVAL, 0 },
	/* no number */
	{ "", -EINVAL, 0 },
	{ "-1", -EINVAL, 0 },
	{ "+1", -EINVAL, 0 },
	{ " 1", -EINVAL, 0 },
	{ "1 ", -EINVAL, 0 },
	{ "1.", -EINVAL, 0 },
	{ ".5", -EINVAL, 0 },
	{ "e6", -EINVAL, 0 },
	{ "1e", -EINVAL, 0 },
	{ "1e+", -EINVAL, 0 },
	{ "0x", -EINVAL, 0 },
	{ "0xg", -EINVAL, 0 },
	{ "0x1.8", -EINVAL, 0 },
	{ "0x68M", -EINVAL, 0 },
	{ "1,000", -EINVAL, 0 },
	{ "one", -EINVAL, 0 },
	{ "99999999999999999999x", -EINVAL, 0 },
};

TEST(test_numbers)
{
	static const struct number rows[] = {
		{ "1K", -EINVAL, 0 },
		{ "1M", -EINVAL, 0 },
	};

	check(whole_numbers, COUNT(whole_numbers), units_parse_number);
	check(rows, COUNT(rows), units_parse_number);
}

TEST(test_counts)
{
	static const struct number rows[] = {
		{ "1k", 0, 1000 },
		{ "1K", 0, 1000 },
		{ "1M", 0, 1000000 },
		{ "1m", 0, 1000000 },
		{ "2.5M", 0, 2500000 },
		{ "3G", 0, 3000000000 },
		{ "1T", 0, 1000000000000 },
		{ "1e3k", 0, 1000000 },
		{ "18446744073709551k", 0, 18446744073709551000ULL },
		{ "18446744073709552k", -ERANGE, 0 },
		{ "1.0001k", -EINVAL, 0 },
		{ "1KB", -EINVAL, 0 },
		{ "1Ki", -EINVAL, 0 },
		{ "k", -EINVAL, 0 },
		{ "1 M", -EINVAL, 0 },
	};

	check(whole_numbers, COUNT(whole_numbers), units_parse_count);
	check(rows, COUNT(rows), units_parse_count);
}

TEST(test_numbers_are_written_as_they_are_read)
{
	static const struct {
		uint64_t value;
		const char *count;
		const char *size;
	} rows[] = {
		{ 0, "0", "0" },
		{ 16384, "16384", "16K" },
		{ 65535, "65535", "65535" },
		{ 1000000, "1M", "1000000" },
		{ 1500000, "1500k", "1500000" },
		{ 1000000000000, "1T", "976562500K" },
		{ 1ULL << 31, "2147483648", "2G" },
		{ UINT64_MAX, "18446744073709551615", "18446744073709551615" },
	};
	char text[NUMBER_TEXT_SIZE];
	uint64_t value;

	for (size_t i = 0; i < COUNT(rows); i++) {
		units_format_count(rows[i].value, text);
		assert_string_equal(text, rows[i].count);
		assert_int_equal(units_parse_count(text, &value), 0);
		assert_true(value == rows[i].value);
		units_format_size(rows[i].value, text);
		assert_string_equal(text, rows[i].size);
		assert_int_equal(units_parse_size(text, &value), 0);
		assert_true(value == rows[i].value);
	}
}

TEST(test_one_size)
{
	static const struct number rows[] = {
		{ "0", 0, 0 },
		{ "64", 0, 64 },
		{ "4K", 0, 4096 },
		{ "4k", 0, 4096 },
		{ "1M", 0, 1 << 20 },
		{ "1m", 0, 1 << 20 },
		{ "2G", 0, 2ULL << 30 },
		{ "2g", 0, 2ULL << 30 },
		{ "17179869183G", 0, 17179869183ULL << 30 },
		{ "17179869184G", -ERANGE, 0 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "18446744073709551615K", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ "K", -EINVAL, 0 },
		{ "4KB", 0, 4096 },
		{ "4KiB", 0, 4096 },
		{ "4kib", 0, 4096 },
		{ "4MB", 0, 4 << 20 },
		{ "4T", 0, 4ULL << 40 },
		{ "64B", 0, 64 },
		{ "1.5K", 0, 1536 },
		{ "0.5G", 0, 1 << 29 },
		{ "0x40", 0, 64 },
		{ "1e3", 0, 1000 },
		{ "1e3K", 0, 1024000 },
		{ "1.0009765625K", 0, 1025 },
		{ "1.1K", -EINVAL, 0 },
		{ "1.5", -EINVAL, 0 },
		{ "4Ki", -EINVAL, 0 },
		{ "4KK", -EINVAL, 0 },
		{ "4KiBs", -EINVAL, 0 },
		{ "-4K", -EINVAL, 0 },
		{ "4 K", -EINVAL, 0 },
		{ "4,8", -EINVAL, 0 },
	};

	check(rows, COUNT(rows), units_parse_size);
}

TEST(test_times)
{
	static const struct number rows[] = {
		{ "0", 0, 0 },
		{ "1", 0, 1000000000 },
		{ "1s", 0, 1000000000 },
		{ "0.2", 0, 200000000 },
		{ "1.5", 0, 1500000000 },
		{ "50ms", 0, 50000000 },
		{ "2.5ms", 0, 2500000 },
		{ "10us", 0, 10000 },
		{ "7ns", 0, 7 },
		{ "7.9ns", 0, 7 },
		{ "2m", 0, 120000000000 },
		{ "1h", 0, 3600000000000 },
		{ "0.5h", 0, 1800000000000 },
		{ "0.123456789", 0, 123456789 },
		{ "0.1234567899999", 0, 123456789 },
		{ "18446744073.709551615", 0, UINT64_MAX },
		{ "18446744073.709551616", -ERANGE, 0 },
		{ "18446744074", -ERANGE, 0 },
		{ "99999999999h", -ERANGE, 0 },
		{ "", -EINVAL, 0 },
		{ ".5", -EINVAL, 0 },
		{ "1.", -EINVAL, 0 },
		{ "1.s", -EINVAL, 0 },
		{ "1.2.3", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "1 s", -EINVAL, 0 },
		{ "1S", -EINVAL, 0 },
		{ "1min", -EINVAL, 0 },
		{ "s", -EINVAL, 0 },
		{ "0x10", -EINVAL, 0 },
		{ "1e", -EINVAL, 0 },
		{ "1e3", 0, 1000000000000 },
		{ "1e-3", 0, 1000000 },
		{ "2.5e-1ms", 0, 250000 },
		{ "1e-12", 0, 0 },
		{ "0.33m", 0, 19800000000 },
		{ "0.00000000000001h", 0, 0 },
		{ "1e20", -ERANGE, 0 },
	};

	check(rows, COUNT(rows), units_parse_time);
}

TEST(test_times_are_written_in_the_largest_unit)
{
	char text[TIME_TEXT_SIZE];

	assert_string_equal(units_format_time(0, text), "0");
	assert_string_equal(units_format_time(604800000000000, text), "168h");
	assert_string_equal(units_format_time(90000000000, text), "90s");
	assert_string_equal(units_format_time(1500000, text), "1500us");
	assert_string_equal(units_format_time(UINT64_MAX, text),
			    "18446744073709551615ns");
}

struct list {
	const char *text;
	int ret;
	uint32_t n;
	uint64_t bytes[8];
};

TEST(test_lists_and_ranges)
{
	static const struct list rows[] = {
		{ "64", 0, 1, { 64 } },
		{ "0", 0, 1, { 0 } },
		{ "4K,1M", 0, 2, { 4096, 1 << 20 } },
		{ "1,1,1", 0, 3, { 1, 1, 1 } },
		{ "2..16", 0, 4, { 2, 4, 8, 16 } },
		{ "2..17", 0, 4, { 2, 4, 8, 16 } },
		{ "3..20", 0, 3, { 3, 6, 12 } },
		{ "8..8", 0, 1, { 8 } },
		{ "1K..4K", 0, 3, { 1024, 2048, 4096 } },
		{ "1,2..8,64K", 0, 5, { 1, 2, 4, 8, 65536 } },
		{ "0..8", -ERANGE, 0, { 0 } },
		{ "8..2", -ERANGE, 0, { 0 } },
		{ "1..18446744073709551616", -ERANGE, 0, { 0 } },
		{ "", -EINVAL, 0, { 0 } },
		{ ",", -EINVAL, 0, { 0 } },
		{ "1,", -EINVAL, 0, { 0 } },
		{ ",1", -EINVAL, 0, { 0 } },
		{ "1,,2", -EINVAL, 0, { 0 } },
		{ "1..", -EINVAL, 0, { 0 } },
		{ "..2", -EINVAL, 0, { 0 } },
		{ "1...4", -EINVAL, 0, { 0 } },
		{ "1..2..4", -EINVAL, 0, { 0 } },
		{ "1;2", -EINVAL, 0, { 0 } },
		{ "2..4,1..18446744073709551615", -E2BIG, 0, { 0 } },
		{ "64KiB,1.5K..3K,0x10", 0, 4, { 65536, 1536, 3072, 16 } },
		{ "2e3..4e3", 0, 2, { 2000, 4000 } },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct sizes sizes = { .n = 99 };
		int ret = units_parse_sizes(rows[i].text, &sizes);

		if (ret != rows[i].ret)
			fail_msg("'%s' gave %d", rows[i].text, ret);
		assert_int_equal(sizes.n, ret ? 99 : rows[i].n);
		for (uint32_t k = 0; !ret && k < sizes.n; k++)
			assert_int_equal(sizes.bytes[k], rows[i].bytes[k]);
	}
}

TEST(test_as_many_sizes_as_fit)
{
	struct sizes sizes;
	char text[2 * SIZES_MAX + 3] = "1";

	for (int i = 1; i < SIZES_MAX; i++)
		strcat(text, ",1");
	assert_int_equal(units_parse_sizes(text, &sizes), 0);
	assert_int_equal(sizes.n, SIZES_MAX);
	strcat(text, ",1");
	assert_int_equal(units_parse_sizes(text, &sizes), -E2BIG);
	/* all powers of two: exactly as many */
	assert_int_equal(units_parse_sizes("1..18446744073709551615", &sizes),
			 0);
	assert_int_equal(sizes.n, 64);
	assert_int_equal(sizes.bytes[63], 1ULL << 63);
}

struct small_list {
	const char *text;
	int ret;
	uint32_t n;
	uint32_t values[8];
};

TEST(test_percentiles)
{
	static const struct small_list rows[] = {
		{ "50", 0, 1, { 500000 } },
		{ "50,99.9,99.9999", 0, 3, { 500000, 999000, 999999 } },
		{ "99,50", 0, 2, { 990000, 500000 } },
		{ "0.0001", 0, 1, { 1 } },
		{ "99.5000", 0, 1, { 995000 } },
		{ "07.25", 0, 1, { 72500 } },
		{ "99%,99.9%", 0, 2, { 990000, 999000 } },
		{ "99.90000", 0, 1, { 999000 } },
		{ "0", -ERANGE, 0, { 0 } },
		{ "0.0000", -ERANGE, 0, { 0 } },
		{ "100", -ERANGE, 0, { 0 } },
		{ "50,100.5", -ERANGE, 0, { 0 } },
		{ "18446744073709551616", -ERANGE, 0, { 0 } },
		{ "", -EINVAL, 0, { 0 } },
		{ ",", -EINVAL, 0, { 0 } },
		{ "50,", -EINVAL, 0, { 0 } },
		{ ",50", -EINVAL, 0, { 0 } },
		{ "50,,99", -EINVAL, 0, { 0 } },
		{ "50 ,99", -EINVAL, 0, { 0 } },
		{ "50;99", -EINVAL, 0, { 0 } },
		{ "99.", -EINVAL, 0, { 0 } },
		{ ".9", -EINVAL, 0, { 0 } },
		{ "99.99999", -EINVAL, 0, { 0 } },
		{ "-5", -EINVAL, 0, { 0 } },
		{ "+5", -EINVAL, 0, { 0 } },
		{ "99%%", -EINVAL, 0, { 0 } },
		{ "p99", -EINVAL, 0, { 0 } },
		{ "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", -E2BIG, 0,
		  { 0 } },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct percentiles list = { .n = 99 };
		int ret = units_parse_percentiles(rows[i].text, &list);

		if (ret != rows[i].ret)
			fail_msg("'%s' gave %d", rows[i].text, ret);
		assert_int_equal(list.n, ret ? 99 : rows[i].n);
		for (uint32_t k = 0; !ret && k < list.n; k++)
			assert_int_equal(list.per_million[k],
					 rows[i].values[k]);
	}
}

/* Percentiles come back as what they were: of a million, one in 37, and so each
 * ending of four digits. */
TEST(test_percentiles_there_and_back)
{
	char text[PERCENTILE_TEXT_SIZE];
	struct percentiles list;

	assert_string_equal(units_format_percentile(500000, text), "50");
	assert_string_equal(units_format_percentile(999000, text), "99.9");
	assert_string_equal(units_format_percentile(1, text), "0.0001");
	assert_string_equal(units_format_percentile(10, text), "0.001");
	for (uint32_t i = 1; i < 1000000; i += 37) {
		units_format_percentile(i, text);
		assert_int_equal(units_parse_percentiles(text, &list), 0);
		assert_int_equal(list.per_million[0], i);
	}
}

TEST(test_cpus)
{
	static const struct small_list rows[] = {
		{ "0", 0, 1, { 0 } },
		{ "0,2,4-7", 0, 6, { 0, 2, 4, 5, 6, 7 } },
		{ "7,3", 0, 2, { 7, 3 } },
		{ "3-3", 0, 1, { 3 } },
		{ "1,1", 0, 2, { 1, 1 } },
		{ "65535", 0, 1, { 65535 } },
		{ "auto", 0, 0, { 0 } },
		{ "auto,1", -EINVAL, 0, { 0 } },
		{ "65536", -ERANGE, 0, { 0 } },
		{ "65530-65536", -ERANGE, 0, { 0 } },
		{ "0-18446744073709551615", -ERANGE, 0, { 0 } },
		{ "18446744073709551616", -ERANGE, 0, { 0 } },
		{ "7-4", -ERANGE, 0, { 0 } },
		{ "", -EINVAL, 0, { 0 } },
		{ ",", -EINVAL, 0, { 0 } },
		{ "1,", -EINVAL, 0, { 0 } },
		{ "1,,2", -EINVAL, 0, { 0 } },
		{ "1-", -EINVAL, 0, { 0 } },
		{ "-1", -EINVAL, 0, { 0 } },
		{ "1-2-3", -EINVAL, 0, { 0 } },
		{ "1..2", -EINVAL, 0, { 0 } },
		{ "1 ", -EINVAL, 0, { 0 } },
		{ "0x1", -EINVAL, 0, { 0 } },
		{ "all", -EINVAL, 0, { 0 } },
		{ "0-64", -E2BIG, 0, { 0 } },
		{ "0-31,0-32", -E2BIG, 0, { 0 } },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct cpus cpus = { .n = 99 };
		int ret = units_parse_cpus(rows[i].text, &cpus);

		if (ret != rows[i].ret)
			fail_msg("'%s' gave %d", rows[i].text, ret);
		assert_int_equal(cpus.n, ret ? 99 : rows[i].n);
		assert_int_equal(cpus.automatic, !ret && !cpus.n);
		for (uint32_t k = 0; !ret && k < cpus.n; k++)
			assert_int_equal(cpus.id[k], rows[i].values[k]);
	}
}

TEST(test_labels)
{
	static const struct small_list rows[] = {
		{ "0", 0, 1, { 0 } },
		{ "1,2,0x3a", 0, 3, { 1, 2, 0x3a } },
		{ "0X3A,0x3a", 0, 2, { 0x3a, 0x3a } },
		{ "0xfffff", 0, 1, { LABEL_MAX } },
		{ "1048575", 0, 1, { LABEL_MAX } },
		{ "007", 0, 1, { 7 } },
		{ "0x00000000000000000001", 0, 1, { 1 } },
		{ "7,7,7", 0, 3, { 7, 7, 7 } },
		{ "1048576", -ERANGE, 0, { 0 } },
		{ "0x100000", -ERANGE, 0, { 0 } },
		{ "1,0x100000", -ERANGE, 0, { 0 } },
		{ "18446744073709551616", -ERANGE, 0, { 0 } },
		{ "0xffffffffffffffffffff", -ERANGE, 0, { 0 } },
		{ "", -EINVAL, 0, { 0 } },
		{ ",", -EINVAL, 0, { 0 } },
		{ "1,", -EINVAL, 0, { 0 } },
		{ ",1", -EINVAL, 0, { 0 } },
		{ "1,,2", -EINVAL, 0, { 0 } },
		{ "1 2", -EINVAL, 0, { 0 } },
		{ "1, 2", -EINVAL, 0, { 0 } },
		{ "-1", -EINVAL, 0, { 0 } },
		{ "+1", -EINVAL, 0, { 0 } },
		{ "1-3", -EINVAL, 0, { 0 } },
		{ "0x", -EINVAL, 0, { 0 } },
		{ "0xg", -EINVAL, 0, { 0 } },
		{ "0x-1", -EINVAL, 0, { 0 } },
		{ "0x 1", -EINVAL, 0, { 0 } },
		{ "3a", -EINVAL, 0, { 0 } },
		{ "0x3ag", -EINVAL, 0, { 0 } },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct labels labels = { .n = 99 };
		int ret = units_parse_labels(rows[i].text, &labels);

		if (ret != rows[i].ret)
			fail_msg("'%s' gave %d", rows[i].text, ret);
		assert_int_equal(labels.n, ret ? 99 : rows[i].n);
		for (uint32_t k = 0; !ret && k < labels.n; k++)
			assert_int_equal(labels.value[k], rows[i].values[k]);
	}
}

TEST(test_as_many_labels_as_fit)
{
	struct labels labels = { 0 };
	char text[4 * LABELS_MAX] = "0";

	for (int i = 1; i < LABELS_MAX; i++)
		strcat(text, ",1");
	assert_int_equal(units_parse_labels(text, &labels), 0);
	assert_int_equal(labels.n, LABELS_MAX);
	assert_int_equal(labels.value[63], 1);
	strcat(text, ",1");
	assert_int_equal(units_parse_labels(text, &labels), -E2BIG);
}

TEST(test_as_many_as_fit)
{
	struct percentiles list;
	struct cpus cpus;

	assert_int_equal(units_parse_percentiles(
		"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", &list), 0);
	assert_int_equal(list.n, PERCENTILES_MAX);
	assert_int_equal(list.per_million[15], 160000);
	assert_int_equal(units_parse_cpus("100-163", &cpus), 0);
	assert_int_equal(cpus.n, CPUS_MAX);
	assert_int_equal(cpus.id[63], 163);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_digits),
	cmocka_unit_test(test_numbers),
	cmocka_unit_test(test_counts),
	cmocka_unit_test(test_numbers_are_written_as_they_are_read),
	cmocka_unit_test(test_one_size),
	cmocka_unit_test(test_times),
	cmocka_unit_test(test_times_are_written_in_the_largest_unit),
	cmocka_unit_test(test_lists_and_ranges),
	cmocka_unit_test(test_as_many_sizes_as_fit),
	cmocka_unit_test(test_percentiles),
	cmocka_unit_test(test_percentiles_there_and_back),
	cmocka_unit_test(test_cpus),
	cmocka_unit_test(test_labels),
	cmocka_unit_test(test_as_many_labels_as_fit),
	cmocka_unit_test(test_as_many_as_fit),
};

TEST_MAIN(tests, 10)
