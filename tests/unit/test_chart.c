/* Histograms as text: nothing is left out, and the tail is seen. */
#include "config.h"
#include "test.h"

#include <stdio.h>

#include "report/parts.h"

#define LINES 32

struct line {
	double from, to;
	uint64_t count;
	int marks;
};

struct parsed {
	struct line lines[LINES];
	uint32_t n;
	bool tail;
};

static void parse_line(const char *text, struct parsed *p)
{
	struct line *l = &p->lines[p->n++];
	unsigned long long count;
	const char *bar = strchr(text, '#');

	assert_true(p->n <= 20);
	assert_int_equal(sscanf(text, "%lf %lf %llu", &l->from, &l->to,
				&count), 3);
	l->count = count;
	l->marks = bar ? (int)strlen(bar) : 0;
	assert_true(!bar || strspn(bar, "#") == strlen(bar));
	assert_true(strlen(text) <= 82 && text[strlen(text) - 1] != ' ');
}

/* The chart of BINS, whose samples have a resolution of STEP ns, read back. */
static struct parsed draw_steps(const struct histogram_bin *bins, uint32_t n,
				double step)
{
	struct parsed p = { .n = 0 };
	char *text = NULL, *rest, *line;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	chart_print(out, bins, n, step);
	fclose(out);
	rest = text;
	assert_contains(strsep(&rest, "\n"), "from[us]");
	while ((line = strsep(&rest, "\n")) && line[0]) {
		if (strstr(line, "the tail"))
			p.tail = true;
		else
			parse_line(line, &p);
	}
	free(text);
	return p;
}

static struct parsed draw(const struct histogram_bin *bins, uint32_t n)
{
	return draw_steps(bins, n, 0.5);
}

/* Ascending ranges from the minimum to the maximum with all the samples, a
 * mark for each that has any, and bars in proportion. */
static void check(const struct parsed *p, const struct histogram_bin *bins,
		  uint32_t n)
{
	uint64_t counted = 0, total = 0, largest = 0;

	for (uint32_t i = 0; i < n; i++)
		total += bins[i].count;
	for (uint32_t i = 0; i < p->n; i++) {
		const struct line *l = &p->lines[i];

		assert_true(l->from <= l->to);
		assert_true(!i || p->lines[i - 1].to <= l->from);
		assert_int_equal(l->marks > 0, l->count > 0);
		counted += l->count;
		largest = l->count > largest ? l->count : largest;
	}
	assert_int_equal(counted, total);
	for (uint32_t i = 0; i < p->n; i++)
		if (p->lines[i].marks > 1)
			assert_true(fabs(p->lines[i].marks -
					 40.0 * (double)p->lines[i].count /
						 (double)largest) <= 0.5);
	assert_true(fabs(p->lines[0].from - bins[0].low_ns / 1000) < 0.001);
	/* the last may reach beyond */
	assert_true(p->lines[p->n - 1].from < bins[n - 1].high_ns / 1000 + 0.001);
	assert_true(p->lines[p->n - 1].to > bins[n - 1].high_ns / 1000 - 0.001);
}

TEST(test_one_and_few_bins)
{
	static const struct histogram_bin bins[] = {
		{ 2000, 2000, 1000000 }, { 2600, 2601, 1 },
		{ 1e6, 1e6 + 900, 500000 },
	};
	struct parsed p = draw(bins, 1);

	check(&p, bins, 1);
	assert_int_equal(p.n, 1);
	assert_int_equal(p.lines[0].marks, 40);
	p = draw(bins, 3);
	check(&p, bins, 3);
	assert_int_equal(p.n, 3);
	assert_false(p.tail);
	assert_int_equal(p.lines[1].marks, 1);
	assert_int_equal(p.lines[2].marks, 20);
}

/* A bell of 200 bins has no tail: ranges of the same width. */
TEST(test_bell)
{
	struct histogram_bin bins[200];
	struct parsed p;

	for (int i = 0; i < 200; i++)
		bins[i] = (struct histogram_bin){
			2000 + 5 * i, 2004 + 5 * i,
			1 + (uint64_t)(1e5 * exp(-pow((i - 100) / 30.0, 2)))
		};
	p = draw(bins, 200);
	check(&p, bins, 200);
	assert_int_equal(p.n, 16);
	assert_false(p.tail);
	for (uint32_t i = 0; i < p.n; i++)
		assert_true(fabs(p.lines[i].to - p.lines[i].from -
				 0.999 / 16) < 0.002);
}

/* The same with a few samples a thousand times as far: both are seen. */
TEST(test_long_tail)
{
	struct histogram_bin bins[203];
	struct parsed p;

	for (int i = 0; i < 200; i++)
		bins[i] = (struct histogram_bin){ 2000 + 5 * i, 2004 + 5 * i,
						  100 };
	bins[200] = (struct histogram_bin){ 10000, 10010, 3 };
	bins[201] = (struct histogram_bin){ 150000, 150100, 2 };
	bins[202] = (struct histogram_bin){ 2000000, 2001000, 1 };
	p = draw(bins, 203);
	check(&p, bins, 203);
	assert_true(p.tail);
	assert_int_equal(p.n, 20);
	assert_true(p.lines[11].to < 3);
	assert_int_equal(p.lines[p.n - 1].count, 1);
	assert_true(p.lines[p.n - 1].from > 100);
	for (uint32_t i = 0; i < 12; i++)
		assert_true(p.lines[i].count > 1000);
}

/* Ticks of less than a nanosecond: no two ranges look the same. */
TEST(test_narrow)
{
	struct histogram_bin bins[30];
	struct parsed p;

	for (int i = 0; i < 30; i++)
		bins[i] = (struct histogram_bin){ 1000 + i / 4.0,
						  1000 + i / 4.0, 9 };
	p = draw(bins, 30);
	check(&p, bins, 30);
	for (uint32_t i = 0; i < p.n; i++)
		assert_true(p.lines[i].from < p.lines[i].to);
}

/* A counter of 25 MHz, of which a half round trip has steps of 20 ns: no line
 * shows less, and each of the same width has as many steps. */
TEST(test_coarse_clock)
{
	static const int widths[] = { 3, 11, 12, 13, 16, 17, 40, 100 };
	const double step = 20;

	for (size_t k = 0; k < COUNT(widths); k++) {
		uint32_t n = (uint32_t)widths[k];
		struct histogram_bin bins[100];
		struct parsed p;

		for (uint32_t i = 0; i < n; i++) {
			double at = (100 + i) * 39.999999 * 0.5;

			bins[i] = (struct histogram_bin){ at, at, 1000 };
		}
		p = draw_steps(bins, n, step * 0.999999975);
		check(&p, bins, n);
		assert_false(p.tail);
		for (uint32_t i = 0; i < p.n; i++)
			assert_true(p.lines[i].to - p.lines[i].from >=
				    step / 1000 - 0.001);
		for (uint32_t i = 1; i + 1 < p.n; i++)
			assert_int_equal(p.lines[i].count, p.lines[0].count);
	}
}

/* Ticks are finer than what two readings of the clock can tell apart. */
TEST(test_finer_than_the_clock)
{
	struct histogram_bin bins[60];

	for (uint32_t n = 1; n <= COUNT(bins); n++) {
		struct parsed p;

		for (uint32_t i = 0; i < n; i++)
			bins[i] = (struct histogram_bin){
				1000 + i * (i < n - 2 ? 1 : 50),
				1000 + i * (i < n - 2 ? 1 : 50),
				i < n - 2 ? 1000 : 1
			};
		p = draw_steps(bins, n, 7);
		check(&p, bins, n);
		for (uint32_t i = 0; i < p.n; i++)
			assert_true(p.lines[i].to - p.lines[i].from > 0.006);
	}
}

TEST(test_from_zero)
{
	struct histogram_bin bins[40];
	struct parsed p;

	for (int i = 0; i < 40; i++)
		bins[i] = (struct histogram_bin){ i * i * i * i,
						  i * i * i * i,
						  i < 9 ? 1000U >> i : 1 };
	p = draw(bins, 40);
	check(&p, bins, 40);
}

/* Whatever the samples are. */
TEST(test_any)
{
	uint64_t seed = 99;

	for (int turn = 0; turn < 300; turn++) {
		struct histogram *h = histogram_new();
		struct histogram_bin *bins;
		struct parsed p;
		uint32_t n;

		for (int i = 0; i < 1 + turn * 7; i++)
			histogram_record(h, 500 + (next_random(&seed) >>
						   (64 - 1 - turn % 12 -
						    (i % 50 ? 0 : 20))));
		bins = summary_bins(h, 0.5, &n);
		p = draw(bins, n);
		check(&p, bins, n);
		free(bins);
		free(h);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_one_and_few_bins),
	cmocka_unit_test(test_bell),
	cmocka_unit_test(test_long_tail),
	cmocka_unit_test(test_narrow),
	cmocka_unit_test(test_coarse_clock),
	cmocka_unit_test(test_finer_than_the_clock),
	cmocka_unit_test(test_from_zero),
	cmocka_unit_test(test_any),
};

TEST_MAIN(tests, 30)
