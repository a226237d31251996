/* A rate as text and as a word: every unit, and what is none. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "base/units.h"

struct row {
	const char *text;
	int ret;
	uint64_t rate;
};

#define MESSAGES(thousandths) (RATE_MESSAGES | (thousandths))

// clang-format off
static const struct row rows[] = {
	/* every unit: b is bits, B is bytes */
	{ "10", 0, 10000000000 },
	{ "10g", 0, 10000000000 },
	{ "10G", 0, 10000000000 },
	{ "10gbps", 0, 10000000000 },
	{ "10Gbps", 0, 10000000000 },
	{ "10Gbit/s", 0, 10000000000 },
	{ "10gbit", 0, 10000000000 },
	{ "9.41Gbits/sec", 0, 9410000000 },
	{ "900Mbits/s", 0, 900000000 },
	{ "1e3", 0, 1000000000000 },
	{ "1e-3mpps", 0, MESSAGES(1000000) },
	{ "10GB/s", 0, 80000000000 },
	{ "10GBps", 0, 80000000000 },
	{ "1250MB/s", 0, 10000000000 },
	{ "1.25gB/s", 0, 10000000000 },
	{ "2GiB/s", 0, 17179869184 },
	{ "1MiB/s", 0, 8388608 },
	{ "1KiBps", 0, 8192 },
	{ "1Gib/s", 0, 1073741824 },
	{ "1.6Tb/s", 0, 1600000000000 },
	{ "0.8Tb/s", 0, 800000000000 },
	{ "1000b/s", 0, 1000 },
	/* bits or bytes? */
	{ "10GBPS", -EINVAL, 0 },
	{ "900MB/S", -EINVAL, 0 },
	{ "10GB", -EINVAL, 0 },
	{ "10Gi", -EINVAL, 0 },
	{ "10gb/s", 0, 10000000000 },
	{ "10Gb/s", 0, 10000000000 },
	{ "900mbps", 0, 900000000 },
	{ "900Mbps", 0, 900000000 },
	{ "900mb/s", 0, 900000000 },
	{ "64kbps", 0, 64000 },
	{ "64Kb/s", 0, 64000 },
	{ "3mpps", 0, MESSAGES(3000000000) },
	{ "3Mpps", 0, MESSAGES(3000000000) },
	{ "3MPPS", 0, MESSAGES(3000000000) },
	{ "350kpps", 0, MESSAGES(350000000) },
	{ "350Kpps", 0, MESSAGES(350000000) },
	{ "5000pps", 0, MESSAGES(5000000) },
	{ "5000PPS", 0, MESSAGES(5000000) },
	/* with a fraction */
	{ "2.5", 0, 2500000000 },
	{ "2.5gb/s", 0, 2500000000 },
	{ "0.1mbps", 0, 100000 },
	{ "1.2mpps", 0, MESSAGES(1200000000) },
	{ "0.0005pps", -ERANGE, 0 },
	{ "0.001pps", 0, MESSAGES(1) },
	{ "0.5pps", 0, MESSAGES(500) },
	{ "007.250", 0, 7250000000 },
	/* 0.3 and 1e9 make no whole number in binary */
	{ "0.3", 0, 300000000 },
	{ "0.000000001", 0, 1 },
	/* none, and too large */
	{ "0", -ERANGE, 0 },
	{ "0.0", -ERANGE, 0 },
	{ "0mpps", -ERANGE, 0 },
	{ "0.0000000001", -ERANGE, 0 },
	{ "1000000", 0, RATE_MAX },
	{ "1000001", -ERANGE, 0 },
	{ "1000000mpps", 0, MESSAGES(RATE_MAX) },
	{ "1000000.1mpps", -ERANGE, 0 },
	{ "99999999999999999999999999999999999999999999", -ERANGE, 0 },
	/* no rate */
	{ "", -EINVAL, 0 },
	{ " 1", -EINVAL, 0 },
	{ "1 ", -EINVAL, 0 },
	{ "1 gbps", -EINVAL, 0 },
	{ "gbps", -EINVAL, 0 },
	{ "-1", -EINVAL, 0 },
	{ "+1", -EINVAL, 0 },
	{ ".5", -EINVAL, 0 },
	{ "1.", -EINVAL, 0 },
	{ "1.gbps", -EINVAL, 0 },
	{ "1.2.3", -EINVAL, 0 },
	{ "1e", -EINVAL, 0 },
	{ "0x10", -EINVAL, 0 },
	{ "1,5", -EINVAL, 0 },
	{ "inf", -EINVAL, 0 },
	{ "nan", -EINVAL, 0 },
	{ "auto", -EINVAL, 0 },
	{ "10gbpsx", -EINVAL, 0 },
	{ "10gb", -EINVAL, 0 },
	{ "10m", -EINVAL, 0 },
	{ "10Pb/s", -EINVAL, 0 },
	{ "10mbps,20mbps", -EINVAL, 0 },
};
// clang-format on

TEST(test_texts)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t rate = 4711;
		int ret = rate_parse(rows[i].text, &rate);

		if (ret != rows[i].ret || rate != (ret ? 4711 : rows[i].rate))
			fail_msg("'%s' gave %d and %llu", rows[i].text, ret,
				 (unsigned long long)rate);
		if (!ret)
			assert_true(rate_is_valid(rate));
	}
}

TEST(test_valid_words)
{
	static const uint64_t good[] = { 0, 1, RATE_MAX, MESSAGES(1),
					 MESSAGES(RATE_MAX) };
	static const uint64_t bad[] = { RATE_MESSAGES, RATE_MAX + 1,
					MESSAGES(RATE_MAX + 1), UINT64_MAX,
					RATE_MESSAGES - 1 };

	for (size_t i = 0; i < COUNT(good); i++)
		assert_true(rate_is_valid(good[i]));
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_false(rate_is_valid(bad[i]));
}

TEST(test_as_people_read_it)
{
	static const struct {
		const char *given, *shown;
		double number;
	} cases[] = {
		{ "2.5", "2.5 Gb/s", 2.5 },
		{ "900mbps", "0.9 Gb/s", 0.9 },
		{ "100", "100 Gb/s", 100 },
		{ "64kbps", "6.4e-05 Gb/s", 6.4e-5 },
		{ "1.2mpps", "1.2 Mpps", 1.2 },
		{ "350kpps", "0.35 Mpps", 0.35 },
		{ "5000pps", "0.005 Mpps", 0.005 },
		{ "1000000", "1e+06 Gb/s", 1e6 },
		{ "123456.7mpps", "123457 Mpps", 123456.7 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[RATE_TEXT_SIZE];
		uint64_t rate;

		assert_int_equal(rate_parse(cases[i].given, &rate), 0);
		assert_ptr_equal(rate_format(rate, text), text);
		assert_string_equal(text, cases[i].shown);
		assert_contains(text, rate_unit(rate));
		assert_close(rate_number(rate), cases[i].number, 1e-12);
	}
}

/* A message is its payload: 1 Gb/s of 1,000 bytes are 125,000 a second. */
TEST(test_messages_a_second)
{
	assert_close(rate_messages(1000000000, 1000), 125000, 1e-12);
	assert_close(rate_messages(1000000000, 1), 125e6, 1e-12);
	assert_close(rate_messages(8, 1ULL << 31), 1.0 / (1ULL << 31), 1e-12);
	assert_true(rate_messages(1000000000, 0) == 0);
	/* of messages, whatever is in them */
	assert_close(rate_messages(MESSAGES(1200000000), 0), 1.2e6, 1e-12);
	assert_close(rate_messages(MESSAGES(1200000000), 1 << 20), 1.2e6,
		     1e-12);
	assert_close(rate_messages(MESSAGES(1), 8), 0.001, 1e-12);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_texts),
	cmocka_unit_test(test_valid_words),
	cmocka_unit_test(test_as_people_read_it),
	cmocka_unit_test(test_messages_a_second),
};

TEST_MAIN(tests, 10)
