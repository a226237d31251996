/* From samples to what is reported. */
#include "config.h"
#include "test.h"

#include "stats/summary.h"

TEST(test_minimum_samples)
{
	static const struct {
		uint32_t per_million;
		uint64_t samples;
	} rows[] = {
		{ 500000, 5 },	  { 900000, 29 },    { 990000, 299 },
		{ 999000, 2995 }, { 999900, 29956 },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(summary_min_samples(rows[i].per_million),
				 rows[i].samples);
}

/* Each percentile appears with its minimum of samples, not one before. */
TEST(test_percentiles_appear_when_there_is_enough)
{
	struct histogram *h = histogram_new();
	uint64_t n = 0;

#define X(field, key, per_million) \
	while (n < summary_min_samples(per_million) - 1) { \
		histogram_record(h, 100); \
		n++; \
	} \
	assert_true(isnan(summary_latency(h, 1).field)); \
	histogram_record(h, 100); \
	n++; \
	assert_true(summary_latency(h, 1).field == 0.1);
	PERCENTILE_LIST(X)
#undef X
	free(h);
}

TEST(test_empty_and_one_sample)
{
	struct histogram *h = histogram_new();
	struct latency_summary s = summary_latency(h, 1);

	assert_int_equal(s.samples, 0);
	assert_true(isnan(s.min) && isnan(s.mean) && isnan(s.stddev) &&
		    isnan(s.max) && isnan(s.p50) && isnan(s.p99_99));
	histogram_record(h, 4000);
	s = summary_latency(h, 0.5);
	assert_int_equal(s.samples, 1);
	assert_true(s.min == 2 && s.mean == 2 && s.max == 2);
	assert_true(isnan(s.stddev) && isnan(s.p50));
	free(h);
}

/* Half of 2.0 us and half of 2.6 us: the spread is 0.3 us, not 0. */
TEST(test_spread_in_microseconds)
{
	struct histogram *h = histogram_new();
	struct latency_summary s;

	for (int i = 0; i < 2000; i++)
		histogram_record(h, i < 1000 ? 2000 : 2600);
	s = summary_latency(h, 1);
	assert_close(s.stddev, 0.3, 0.01);
	assert_close(s.mean, 2.3, 1e-9);
	assert_close(s.min, 2.0, 1e-12);
	assert_close(s.max, 2.6, 1e-12);
	assert_close(s.p50, 2.0, 1e-9);
	assert_close(s.p90, 2.6, 0.001);
	s = summary_latency(h, 0.5 / 2.4);	/* ticks, half round trip */
	assert_close(s.mean, 2.3 * 0.5 / 2.4, 1e-9);
	assert_close(s.stddev, 0.3 * 0.5 / 2.4, 0.01);
	free(h);
}

TEST(test_bandwidth_units)
{
	struct bandwidth_summary b = summary_bandwidth(1000000, 1 << 20, 2);

	assert_close(b.gbps, 1e6 * 1048576 * 8 / 2 / 1e9, 1e-12);
	assert_close(b.mib_per_s, 500000, 1e-12);
	assert_close(b.mpps, 0.5, 1e-12);
	b = summary_bandwidth(0, 64, 1);
	assert_true(b.gbps == 0 && b.mib_per_s == 0 && b.mpps == 0);
	b = summary_bandwidth(10, 0, 1);
	assert_true(b.gbps == 0 && b.mpps == 1e-5);
}

TEST(test_no_window_is_not_measured)
{
	static const double seconds[] = { 0, -1, NAN };

	for (size_t i = 0; i < COUNT(seconds); i++) {
		struct bandwidth_summary b =
			summary_bandwidth(5, 64, seconds[i]);

		assert_true(isnan(b.gbps) && isnan(b.mib_per_s) &&
			    isnan(b.mpps));
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_minimum_samples),
	cmocka_unit_test(test_percentiles_appear_when_there_is_enough),
	cmocka_unit_test(test_empty_and_one_sample),
	cmocka_unit_test(test_spread_in_microseconds),
	cmocka_unit_test(test_bandwidth_units),
	cmocka_unit_test(test_no_window_is_not_measured),
};

TEST_MAIN(tests, 30)
