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

/* The smallest sample with a share of Q at or below it, of however few: sorted,
 * that is number ceil(Q n). */
TEST(test_empirical_percentiles)
{
	static const struct {
		uint64_t n, p50, p99, p99_9;
	} rows[] = {
		{ 1, 1, 1, 1 }, { 2, 1, 2, 2 }, { 4, 2, 4, 4 },
		{ 100, 50, 99, 100 }, { 101, 51, 100, 101 },
		{ 1000, 500, 990, 999 }, { 1001, 501, 991, 1000 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct histogram *h = histogram_new();
		struct latency_summary s;

		for (uint64_t k = rows[i].n; k; k--)
			histogram_record(h, k);
		s = summary_latency(h, 1000);
		assert_true(s.empirical_p50 == (double)rows[i].p50);
		assert_true(s.empirical_p99 == (double)rows[i].p99);
		assert_true(s.empirical_p99_9 == (double)rows[i].p99_9);
		assert_true(isnan(s.p99_9));
		free(h);
	}
}

/* The last is the maximum itself, and not the middle of its bin. */
TEST(test_no_percentile_is_past_the_maximum)
{
	struct histogram *h = histogram_new();
	struct latency_summary s;

	for (uint64_t k = 1; k <= 10; k++)
		histogram_record(h, k * 1000003);
	s = summary_latency(h, 1);
	assert_true(s.empirical_p99_9 == s.max);
	assert_true(s.empirical_p50 < s.empirical_p99);
	free(h);
}

TEST(test_empty_and_one_sample)
{
	struct histogram *h = histogram_new();
	struct latency_summary s = summary_latency(h, 1);

	assert_int_equal(s.samples, 0);
	assert_true(isnan(s.min) && isnan(s.mean) && isnan(s.stddev) &&
		    isnan(s.max) && isnan(s.p50) && isnan(s.p99_99) &&
		    isnan(s.empirical_p50));
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

TEST(test_bandwidth_has_no_intervals_yet)
{
	struct bandwidth_summary b = summary_bandwidth(10, 64, 1);

	assert_true(isnan(b.peak_gbps) && isnan(b.ci95_gbps[0]) &&
		    isnan(b.ci95_gbps[1]));
}

TEST(test_percentiles_of_choice)
{
	struct histogram *h = histogram_new();

	for (int i = 1; i <= 1000; i++)
		histogram_record(h, (uint64_t)i);
	assert_close(summary_percentile(h, 995000, 1000), 995, 1e-12);
	assert_close(summary_percentile(h, 1, 1000), 1, 1e-12);
	assert_close(summary_percentile(h, 250000, 500), 125, 1e-12);
	assert_true(summary_percentile(h, 990000, 1) ==
		    summary_latency(h, 1).p99);
	/* 99.9% needs 2,995 samples */
	assert_true(isnan(summary_percentile(h, 999000, 1)));
	free(h);
}

/* Every sample is in one bin, between its ends, and bins ascend. */
TEST(test_bins)
{
	struct histogram *h = histogram_new();
	uint64_t seed = 7, counted = 0;
	struct histogram_bin *bins;
	uint32_t n;

	for (int i = 0; i < 10000; i++)
		histogram_record(h, next_random(&seed) >> (20 + i % 40));
	bins = summary_bins(h, 0.5, &n);
	assert_true(n > 100);
	assert_true(bins[0].low_ns == (double)h->min * 0.5);
	assert_true(bins[n - 1].high_ns == (double)h->max * 0.5);
	for (uint32_t i = 0; i < n; i++) {
		assert_true(bins[i].count > 0);
		assert_true(bins[i].low_ns <= bins[i].high_ns);
		assert_true(!i || bins[i - 1].high_ns < bins[i].low_ns);
		counted += bins[i].count;
	}
	assert_int_equal(counted, 10000);
	free(bins);
	free(h);
}

TEST(test_few_bins)
{
	struct histogram *h = histogram_new();
	uint32_t n = 99;
	struct histogram_bin *bins = summary_bins(h, 1, &n);

	assert_int_equal(n, 0);
	free(bins);
	for (int i = 0; i < 3; i++)
		histogram_record(h, 5001);
	/* beyond what bins can tell apart: the last one ends at the maximum */
	histogram_record(h, 1ULL << 50);
	bins = summary_bins(h, 2, &n);
	assert_int_equal(n, 2);
	assert_true(bins[0].low_ns == 10002 && bins[0].count == 3);
	assert_true(bins[0].high_ns >= 10002 && bins[0].high_ns < 10012);
	assert_true(bins[1].high_ns == 2.0 * (1ULL << 50));
	free(bins);
	free(h);
}

TEST(test_two_directions)
{
	struct bandwidth_summary one = summary_bandwidth(1000000, 1000, 1);
	struct bandwidth_summary other = summary_bandwidth(3000000, 1000, 1);
	struct bandwidth_summary both;

	one.error_percent = one.peak_error_percent = one.peak_gbps = 0.25;
	other.error_percent = other.peak_error_percent = 0.125;
	other.peak_gbps = one.ci95_gbps[0] = other.ci95_gbps[0] = 8;
	one.dry_percent = 50;
	both = summary_both(&one, &other);
	assert_true(both.gbps == 32 && both.mpps == 4);
	assert_true(both.mib_per_s == one.mib_per_s + other.mib_per_s);
	assert_true(both.error_percent == 0.25);
	assert_true(summary_both(&other, &one).error_percent == 0.25);
	/* what is unknown of one is unknown of both */
	assert_true(isnan(both.dry_percent));
	assert_true(isnan(summary_both(&other, &one).dry_percent));
	assert_true(isnan(both.peak_gbps) && isnan(both.peak_error_percent));
	assert_true(isnan(both.ci95_gbps[0]) && isnan(both.ci95_gbps[1]));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_minimum_samples),
	cmocka_unit_test(test_percentiles_appear_when_there_is_enough),
	cmocka_unit_test(test_empirical_percentiles),
	cmocka_unit_test(test_no_percentile_is_past_the_maximum),
	cmocka_unit_test(test_empty_and_one_sample),
	cmocka_unit_test(test_spread_in_microseconds),
	cmocka_unit_test(test_bandwidth_units),
	cmocka_unit_test(test_no_window_is_not_measured),
	cmocka_unit_test(test_bandwidth_has_no_intervals_yet),
	cmocka_unit_test(test_two_directions),
	cmocka_unit_test(test_percentiles_of_choice),
	cmocka_unit_test(test_bins),
	cmocka_unit_test(test_few_bins),
};

TEST_MAIN(tests, 30)
