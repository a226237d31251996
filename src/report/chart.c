/* Draws the histogram of latencies as text. */
#include "config.h"
#include "report/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

#define BAR 40
#define MOST_SINGLE 12		/* most bins with a line each */
#define PLAIN_RANGES 16		/* most ranges without a tail */
#define BODY_RANGES 12
#define TAIL_RANGES 8
#define MOST_RANGES 20
/* The tail begins above this fraction of all samples ... */
#define BODY_PART 0.95
/* ... if it is more than this many times as wide as the body. */
#define TAIL_WIDTH 2

struct range {
	double low;		/* ns; excludes high */
	double high;
	uint64_t count;
};

struct chart {
	double step;		/* ns; least width of a range */
	uint32_t n;
	uint32_t tail;		/* its first range; 0: no tail */
	struct range ranges[MOST_RANGES];
};

static uint32_t body_end(const struct histogram_bin *bins, uint32_t n)
{
	uint64_t total = 0, seen = 0;
	uint32_t i;

	for (i = 0; i < n; i++)
		total += bins[i].count;
	for (i = 0; i < n - 1; i++) {
		seen += bins[i].count;
		if ((double)seen >= BODY_PART * (double)total)
			break;
	}
	return i;
}

/* True when A is below B, within the tolerance that equal multiples of a step
 * need. */
static bool is_below(const struct chart *chart, double a, double b)
{
	return a < b - 1e-6 * chart->step;
}

/* Count the samples of the bins into the ranges; both ascend. */
static void count_bins(struct chart *chart, const struct histogram_bin *first,
		       const struct histogram_bin *last)
{
	struct range *r = chart->ranges, *end = &chart->ranges[chart->n - 1];

	for (; first <= last; first++) {
		while (r < end && !is_below(chart, first->low_ns, r->high))
			r++;
		r->count += first->count;
	}
}

/*
 * Add at most MOST equal ranges from the bin FIRST to LAST, each a whole number
 * of steps wide: with a clock that ticks in steps, every range holds the same
 * number of ticks.
 */
static void add_equal(struct chart *chart, const struct histogram_bin *first,
		      const struct histogram_bin *last, uint32_t most)
{
	double low = first->low_ns, step = chart->step;
	double span = last->high_ns - low + step;
	double width = step * ceil(span / most / step);
	uint32_t n = (uint32_t)ceil(span / width - 1e-6);

	for (uint32_t i = 0; i < n; i++)
		chart->ranges[chart->n++] = (struct range){
			.low = low + i * width,
			.high = low + (i + 1) * width,
		};
}

/* Like add_equal(), but each range is wider than the one before by the same
 * factor. */
static void add_widening(struct chart *chart, const struct histogram_bin *first,
			 const struct histogram_bin *last, uint32_t most)
{
	double low = first->low_ns;
	double times = fmax(last->high_ns, low + chart->step) / low;
	uint32_t n = most;

	while (n > 1 && low * pow(times, 1.0 / n) - low < chart->step)
		n--;
	for (uint32_t i = 0; i < n; i++)
		chart->ranges[chart->n++] = (struct range){
			.low = low * pow(times, (double)i / n),
			.high = low * pow(times, (i + 1.0) / n),
		};
}

/* True when the bins are few, and at least a step apart. */
static bool are_single(const struct chart *chart,
		       const struct histogram_bin *bins, uint32_t n)
{
	for (uint32_t i = 1; i < n && n <= MOST_SINGLE; i++)
		if (is_below(chart, bins[i].low_ns,
			     bins[i - 1].low_ns + chart->step))
			return false;
	return n <= MOST_SINGLE;
}

static void add_single(struct chart *chart, const struct histogram_bin *bin)
{
	chart->ranges[chart->n++] = (struct range){
		.low = bin->low_ns,
		.high = fmax(bin->high_ns, bin->low_ns + chart->step),
	};
}

/* Add the body, up to the bin END, and a tail from the end of its last
 * range. */
static void add_body_and_tail(struct chart *chart,
			      const struct histogram_bin *bins, uint32_t end,
			      const struct histogram_bin *last)
{
	const struct histogram_bin *tail = &bins[end + 1];

	add_equal(chart, bins, &bins[end], BODY_RANGES);
	while (tail <= last && is_below(chart, tail->low_ns,
					chart->ranges[chart->n - 1].high))
		tail++;
	chart->tail = chart->n;
	if (tail <= last)
		add_widening(chart, tail, last, TAIL_RANGES);
}

static void arrange(struct chart *chart, const struct histogram_bin *bins,
		    uint32_t n)
{
	const struct histogram_bin *last = &bins[n - 1];
	uint32_t end = body_end(bins, n);
	double body = bins[end].high_ns - bins[0].low_ns;

	if (are_single(chart, bins, n))
		for (uint32_t i = 0; i < n; i++)
			add_single(chart, &bins[i]);
	else if (last->high_ns - bins[end].high_ns > TAIL_WIDTH * body)
		add_body_and_tail(chart, bins, end, last);
	else
		add_equal(chart, bins, last, PLAIN_RANGES);
	count_bins(chart, bins, last);
}

/* The marks of a bar for COUNT if LARGEST has BAR of them; at least one for any
 * sample. */
static int marks(uint64_t count, uint64_t largest)
{
	int n = (int)lround((double)count * BAR / (double)largest);

	return count && !n ? 1 : n;
}

static void print_range(FILE *out, const struct range *r, uint64_t largest)
{
	static const char bar[BAR + 1] =
		"########################################";
	int n = marks(r->count, largest);

	fprintf(out, " %12.3f %12.3f %12" PRIu64 "%s%.*s\n", r->low / 1000,
		r->high / 1000, r->count, n ? "  " : "", n, bar);
}

void chart_print(FILE *out, const struct histogram_bin *bins, uint32_t n,
		 double step_ns)
{
	struct chart chart = { .step = fmax(step_ns, 1) };
	uint64_t largest = 1;

	arrange(&chart, bins, n);
	for (uint32_t i = 0; i < chart.n; i++)
		if (chart.ranges[i].count > largest)
			largest = chart.ranges[i].count;
	fprintf(out, " %12s %12s %12s\n", "from[us]", "to[us]", "#samples");
	for (uint32_t i = 0; i < chart.n; i++) {
		if (i && i == chart.tail)
			fputs(" the tail, in ranges that widen:\n", out);
		print_range(out, &chart.ranges[i], largest);
	}
}

void charts_print(FILE *out, const struct result *r, double step_ns)
{
	for (uint32_t i = 0; i < r->n_rows; i++) {
		const struct result_row *row = &r->rows[i];

		if (!row->n_bins)
			continue;
		fprintf(out, "\n histogram of size %" PRIu64 ":\n", row->size);
		chart_print(out, row->bins, row->n_bins, step_ns);
	}
}
