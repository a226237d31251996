/* Bins, percentiles against a sorted list, merging, spread. */
#include "config.h"
#include "test.h"

#include "stats/histogram.h"

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The smallest value with at least ceil(q n) at or below it. */
static uint64_t sorted_percentile(const uint64_t *sorted, uint64_t n,
				  uint32_t per_million)
{
	uint64_t rank = (uint64_t)(((__uint128_t)n * per_million + 999999) /
				   1000000);

	return sorted[rank ? rank - 1 : 0];
}

TEST(test_every_bin_holds_its_edges)
{
	uint64_t next = 0;

	for (uint32_t bin = 0; bin < HISTOGRAM_BINS; bin++) {
		uint64_t low = histogram_bin_low(bin);
		uint64_t high = histogram_bin_high(bin);

		assert_int_equal(low, next);
		assert_true(high >= low);
		assert_int_equal(histogram_bin(low), bin);
		assert_int_equal(histogram_bin(high), bin);
		assert_true((double)(high - low) <= 0.001 * (double)low);
		next = high + 1;
	}
	assert_int_equal(next, 1ULL << HISTOGRAM_VALUE_BITS);
}

TEST(test_beyond_the_last_bin)
{
	static const uint64_t values[] = { 1ULL << HISTOGRAM_VALUE_BITS,
					   1ULL << 63, UINT64_MAX };
	struct histogram *h = histogram_new();

	for (size_t i = 0; i < COUNT(values); i++)
		assert_int_equal(histogram_bin(values[i]), HISTOGRAM_BINS - 1);
	histogram_record(h, 1ULL << 50);
	assert_int_equal(h->max, 1ULL << 50);
	assert_int_equal(h->bins[HISTOGRAM_BINS - 1], 1);
	free(h);
}

TEST(test_empty_and_reset)
{
	struct histogram *h = histogram_new();

	assert_int_equal(h->count, 0);
	assert_int_equal(histogram_percentile(h, 500000), 0);
	assert_true(isnan(histogram_mean(h)));
	assert_true(isnan(histogram_stddev(h)));
	histogram_record(h, 42);
	assert_true(histogram_mean(h) == 42);
	assert_true(isnan(histogram_stddev(h)));
	assert_int_equal(histogram_percentile(h, 1), 42);
	assert_int_equal(histogram_percentile(h, 999999), 42);
	histogram_reset(h);
	assert_int_equal(h->count, 0);
	assert_int_equal(h->bins[42], 0);
	assert_true(isnan(histogram_mean(h)));
	free(h);
}

static const uint32_t parts[] = { 1,	  100000, 250000, 500000, 900000,
				  990000, 999000, 999900, 999999, 1000000 };

/* EXACT: the values are below 2,048, where every bin is one value. */
static void check_percentiles(uint64_t *values, uint64_t n, bool exact)
{
	struct histogram *h = histogram_new();

	for (uint64_t i = 0; i < n; i++)
		histogram_record(h, values[i]);
	qsort(values, n, sizeof(*values), compare);
	for (size_t i = 0; i < COUNT(parts); i++) {
		uint64_t wanted = sorted_percentile(values, n, parts[i]);
		uint64_t got = histogram_percentile(h, parts[i]);

		if (exact)
			assert_int_equal(got, wanted);
		else	/* half a bin, to either side */
			assert_close((double)got, (double)wanted, 0.0005);
	}
	assert_int_equal(h->min, values[0]);
	assert_int_equal(h->max, values[n - 1]);
	free(h);
}

TEST(test_percentiles_of_random_values)
{
	static const uint64_t counts[] = { 1, 2, 3, 10, 99, 100, 101, 999,
					   1000, 1001, 20000 };
	uint64_t *values = calloc(20000, sizeof(*values));
	uint64_t seed = 88172645463325252ULL;

	for (size_t c = 0; c < COUNT(counts); c++)
		for (int bits = 4; bits <= 43; bits += 3) {
			for (uint64_t i = 0; i < counts[c]; i++)
				values[i] = next_random(&seed) >> (64 - bits);
			check_percentiles(values, counts[c], bits <= 11);
		}
	free(values);
}

TEST(test_percentiles_of_two_points)
{
	uint64_t values[1000];

	for (uint64_t slow = 0; slow <= 1000; slow += 10) {
		for (uint64_t i = 0; i < 1000; i++)
			values[i] = i < slow ? 2000 : 1000;
		check_percentiles(values, 1000, true);
		for (uint64_t i = 0; i < 1000; i++)
			values[i] = i < slow ? 60000001 : 2000003;
		check_percentiles(values, 1000, false);
	}
}

/* p99 of 99 fast and one slow is the fast one: at least 99% are at most it. */
TEST(test_the_rank_is_rounded_up)
{
	struct histogram *h = histogram_new();

	for (int i = 0; i < 99; i++)
		histogram_record(h, 10);
	histogram_record(h, 500);
	assert_int_equal(histogram_percentile(h, 990000), 10);
	assert_int_equal(histogram_percentile(h, 990001), 500);
	histogram_record(h, 500);	/* 101: rank of p99 is 100 */
	assert_int_equal(histogram_percentile(h, 990000), 500);
	free(h);
}

static void check_same(const struct histogram *a, const struct histogram *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->min, b->min);
	assert_int_equal(a->max, b->max);
	assert_int_equal(a->sum, b->sum);
	assert_memory_equal(a->bins, b->bins, sizeof(a->bins));
	if (a->count > 1)
		assert_true(fabs(histogram_stddev(a) - histogram_stddev(b)) <=
			    1e-6 * (1 + histogram_stddev(a)));
}

TEST(test_merge_is_like_recording_all_in_one)
{
	struct histogram *all = histogram_new(), *sum = histogram_new();
	uint64_t seed = 12345;

	for (int part = 0; part < 5; part++) {
		struct histogram *h = histogram_new();

		/* the third is empty; each has another origin */
		for (int i = 0; part != 2 && i < 1000 * (part + 1); i++) {
			uint64_t value = 1000000 * (uint64_t)(5 - part) +
					 next_random(&seed) % 1000;

			histogram_record(h, value);
			histogram_record(all, value);
		}
		histogram_merge(sum, h);
		check_same(sum, all);
		free(h);
	}
	free(all);
	free(sum);
}

TEST(test_stddev_of_a_known_spread)
{
	struct histogram *h = histogram_new();

	for (int i = 0; i < 10000; i++)
		histogram_record(h, i % 2 ? 2000 : 2600);
	/* 300 ns: what perftest prints as 0 */
	assert_close(histogram_stddev(h), 300, 0.01);
	assert_close(histogram_mean(h), 2300, 1e-12);
	free(h);
}

TEST(test_small_spread_of_large_values)
{
	const uint64_t large = 3600ULL * 1000000000 * 4;
	struct histogram *h = histogram_new();

	for (int i = 0; i < 100000; i++)
		histogram_record(h, large + (i % 2 ? 3 : 0));
	assert_close(histogram_stddev(h), 1.5, 0.001);
	histogram_reset(h);
	for (int i = 0; i < 1000; i++)
		histogram_record(h, large);
	assert_true(histogram_stddev(h) == 0);
	free(h);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_every_bin_holds_its_edges),
	cmocka_unit_test(test_beyond_the_last_bin),
	cmocka_unit_test(test_empty_and_reset),
	cmocka_unit_test(test_percentiles_of_random_values),
	cmocka_unit_test(test_percentiles_of_two_points),
	cmocka_unit_test(test_the_rank_is_rounded_up),
	cmocka_unit_test(test_merge_is_like_recording_all_in_one),
	cmocka_unit_test(test_stddev_of_a_known_spread),
	cmocka_unit_test(test_small_spread_of_large_values),
};

TEST_MAIN(tests, 30)
