/* A run cut into intervals, and what they say about its rate. */
#include "config.h"
#include "test.h"

#include "stats/intervals.h"

static struct mark at(uint64_t time, uint64_t messages)
{
	return (struct mark){ time, messages };
}

/* LOG opened at 1,000 and 50 messages, then EDGES edges of 10 and 3. */
static void fill(struct interval_log *log, uint32_t max, uint32_t edges)
{
	intervals_init(log, max);
	intervals_open(log, at(1000, 50));
	for (uint32_t i = 1; i <= edges; i++)
		intervals_mark(log, at(1000 + 10 * i, 50 + 3 * i));
}

/* Whatever was joined: no gap, no overlap, and nothing lost. */
static void check_whole(const struct interval_log *log, uint64_t length,
			uint64_t messages)
{
	uint64_t end = 0, counted = 0;
	uint32_t n;
	struct interval *list = intervals_get(log, 1, &n);

	assert_true(n <= log->max);
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(list[i].start_ns, end);
		assert_true(list[i].length_ns > 0);
		end += list[i].length_ns;
		counted += list[i].messages;
	}
	assert_int_equal(end, length);
	assert_int_equal(counted, messages);
	free(list);
}

TEST(test_edges_become_intervals)
{
	struct interval_log log;
	struct interval *list;
	uint32_t n;

	fill(&log, 8, 3);
	intervals_close(&log, at(1038, 62));
	list = intervals_get(&log, 2.5, &n);
	assert_int_equal(n, 4);
	assert_int_equal(list[1].start_ns, 25);
	assert_int_equal(list[1].length_ns, 25);
	assert_int_equal(list[1].messages, 3);
	assert_int_equal(list[3].start_ns, 75);
	assert_int_equal(list[3].length_ns, 20);
	assert_int_equal(list[3].messages, 3);
	free(list);
	intervals_free(&log);
}

/* A rest of less than half an interval is not one. */
TEST(test_short_rest)
{
	static const struct {
		uint64_t close;
		uint32_t n;
	} rows[] = { { 1031, 3 }, { 1034, 3 }, { 1035, 4 }, { 1099, 4 } };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct interval_log log;
		uint32_t n;

		fill(&log, 8, 3);
		intervals_close(&log, at(rows[i].close, 60));
		free(intervals_get(&log, 1, &n));
		assert_int_equal(n, rows[i].n);
		check_whole(&log, rows[i].close - 1000, 10);
		intervals_free(&log);
	}
}

/* However many edges come, memory does not grow and nothing is lost. */
TEST(test_joined_when_full)
{
	for (uint32_t max = 4; max <= 12; max += 2)
		for (uint32_t edges = 0; edges < 300; edges++)
			for (uint32_t rest = 1; rest < 12; rest++) {
				struct interval_log log;

				fill(&log, max, edges);
				intervals_close(&log, at(1000 + 10 * edges +
							 rest, 50 + 3 * edges +
							 rest));
				check_whole(&log, 10 * edges + rest,
					    3 * edges + rest);
				intervals_free(&log);
			}
}

/* All but the last are equally long, and twice as long each time. */
TEST(test_equally_long)
{
	struct interval_log log;
	struct interval *list;
	uint32_t n;

	fill(&log, 20, 1000);
	intervals_close(&log, at(11000, 3050));
	list = intervals_get(&log, 1, &n);
	/* 1,000 edges, of which every 64th is kept: 15, and 40 left over */
	assert_int_equal(n, 16);
	for (uint32_t i = 0; i < n - 1; i++)
		assert_int_equal(list[i].length_ns, 640);
	assert_int_equal(list[n - 1].length_ns, 400);
	free(list);
	intervals_free(&log);
}

TEST(test_join)
{
	for (uint32_t edges = 1; edges <= 64; edges++)
		for (uint32_t most = 1; most <= 20; most++) {
			struct interval_log log;

			fill(&log, 64, edges);
			intervals_join(&log, most);
			assert_true(log.n - 1 <= most);
			if (edges <= most)
				assert_int_equal(log.n - 1, edges);
			else
				assert_true(log.n - 1 >= most / 2);
			check_whole(&log, 10 * edges, 3 * edges);
			intervals_free(&log);
		}
}

/* The window may close before an edge: what is after it was not counted. */
TEST(test_edges_after_the_close)
{
	struct interval_log log;

	fill(&log, 8, 5);
	intervals_close(&log, at(1025, 57));
	check_whole(&log, 25, 7);
	intervals_free(&log);
	fill(&log, 8, 5);
	intervals_close(&log, at(1050, 65));
	check_whole(&log, 50, 15);
	intervals_free(&log);
}

TEST(test_nothing_to_show)
{
	struct interval_log log;
	uint32_t n = 99;

	intervals_init(&log, 7);
	assert_int_equal(log.max, 6);
	intervals_mark(&log, at(5, 5));
	intervals_close(&log, at(6, 6));
	assert_null(intervals_get(&log, 1, &n));
	assert_int_equal(n, 0);
	intervals_open(&log, at(7, 7));
	intervals_mark(&log, at(7, 9));
	intervals_close(&log, at(7, 9));
	assert_null(intervals_get(&log, 1, &n));
	intervals_free(&log);
	assert_null(log.marks);
}

TEST(test_opened_again)
{
	struct interval_log log;

	fill(&log, 4, 100);
	intervals_open(&log, at(5000, 0));
	intervals_mark(&log, at(5010, 1));
	intervals_close(&log, at(5020, 2));
	assert_int_equal(log.n, 3);
	check_whole(&log, 20, 2);
	intervals_free(&log);
}

/* From a table of Student's t, two-sided 95%. */
TEST(test_t)
{
	static const struct {
		uint32_t df;
		double t;
	} rows[] = {
		{ 9, 2.262157 },   { 10, 2.228139 }, { 11, 2.200985 },
		{ 12, 2.178813 },  { 13, 2.160369 }, { 14, 2.144787 },
		{ 15, 2.131450 },  { 16, 2.119905 }, { 17, 2.109816 },
		{ 18, 2.100922 },  { 19, 2.093024 }, { 20, 2.085963 },
		{ 24, 2.063899 },  { 29, 2.045230 }, { 30, 2.042272 },
		{ 40, 2.021075 },  { 60, 2.000298 }, { 99, 1.984217 },
		{ 120, 1.979930 }, { 1000000, 1.959966 },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (fabs(intervals_t975(rows[i].df) - rows[i].t) > 1e-3)
			fail_msg("%u degrees: %.7f", rows[i].df,
				 intervals_t975(rows[i].df));
}

/* Ten intervals of 1 s and 1 to 10 times 125 bytes: 1 to 10 kb/s. */
TEST(test_summary)
{
	struct bandwidth_summary b = summary_bandwidth(55, 125, 10);
	struct interval list[10];
	const double half = 2.262157 * 3.0276504 / sqrt(10);

	for (uint32_t i = 0; i < 10; i++)
		list[i] = (struct interval){ i * 1000000000ULL, 1000000000,
					     10 - i };
	intervals_summarise(list, 10, 125, &b);
	assert_close(b.peak_gbps, 10e-6, 1e-9);
	assert_close(b.least_gbps, 1e-6, 1e-9);
	assert_close(b.ci95_gbps[0], (5.5 - half) * 1e-6, 1e-3);
	assert_close(b.ci95_gbps[1], (5.5 + half) * 1e-6, 1e-3);
	assert_close(b.gbps, 5.5e-6, 1e-9);
	intervals_summarise(list, 9, 125, &b);
	assert_true(isnan(b.peak_gbps) && isnan(b.least_gbps) &&
		    isnan(b.ci95_gbps[0]) && isnan(b.ci95_gbps[1]));
	assert_close(b.gbps, 5.5e-6, 1e-9);
}

/* A steady rate leaves no doubt, whatever the lengths. */
TEST(test_steady)
{
	struct bandwidth_summary b = { 0 };
	struct interval list[20];

	for (uint32_t i = 0; i < 20; i++)
		list[i] = (struct interval){ 0, 1000 * (i + 1), 4 * (i + 1) };
	intervals_summarise(list, 20, 1000, &b);
	assert_close(b.peak_gbps, 32, 1e-12);
	assert_close(b.ci95_gbps[0], 32, 1e-9);
	assert_close(b.ci95_gbps[1], 32, 1e-9);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_edges_become_intervals),
	cmocka_unit_test(test_short_rest),
	cmocka_unit_test(test_joined_when_full),
	cmocka_unit_test(test_equally_long),
	cmocka_unit_test(test_join),
	cmocka_unit_test(test_edges_after_the_close),
	cmocka_unit_test(test_nothing_to_show),
	cmocka_unit_test(test_opened_again),
	cmocka_unit_test(test_t),
	cmocka_unit_test(test_summary),
	cmocka_unit_test(test_steady),
};

TEST_MAIN(tests, 30)
