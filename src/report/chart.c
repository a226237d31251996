#include "config.h"
#include "report/chart.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

#define BAR 40
#define MOST_SINGLE 12		/* bins with a line each */
#define PLAIN_RANGES 16		/* without a tail */
#define BODY_RANGES 12
#define TAIL_RANGES 8
#define MOST_RANGES 20
/* The tail begins above this part of all samples ... */
#define BODY_PART 0.95
/* ... when it is that much wider than what is below. */
#define TAIL_WIDTH 2

struct range {
	double low;		/* ns; up to the next one's */
	double high;
	uint64_t count;
};

struct chart {
	uint32_t n;
	uint32_t tail;		/* where it begins; n: there is none */
	struct range ranges[MOST_RANGES];
};

/* The range of the last bin that the body has. */
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

/* The edge I of N ranges from LOW to HIGH. */
static double edge(double low, double high, uint32_t i, uint32_t n,
		   bool widening)
{
	double part = (double)i / n;

	if (i == n)
		return high;
	return widening ? low * pow(high / low, part) :
			  low + (high - low) * part;
}

/* N ranges for the bins FIRST to LAST, which are counted in them. */
static void add_ranges(struct chart *chart, const struct histogram_bin *first,
		       const struct histogram_bin *last, uint32_t n,
		       bool widening)
{
	double low = first->low_ns, high = last->high_ns;
	struct range *r = &chart->ranges[chart->n];

	/* a nanosecond is the least that the figures can show */
	if (high - low < n)
		n = high - low < 1 ? 1 : (uint32_t)(high - low);
	widening = widening && low > 0;
	for (uint32_t i = 0; i < n; i++)
		r[i] = (struct range){
			.low = edge(low, high, i, n, widening),
			.high = edge(low, high, i + 1, n, widening),
		};
	chart->n += n;
	for (uint32_t i = 0; first <= last; first++) {
		while (i < n - 1 && first->low_ns >= r[i].high)
			i++;
		r[i].count += first->count;
	}
}

static void arrange(struct chart *chart, const struct histogram_bin *bins,
		    uint32_t n)
{
	const struct histogram_bin *last = &bins[n - 1];
	uint32_t end = body_end(bins, n);
	double body = bins[end].high_ns - bins[0].low_ns;

	chart->n = 0;
	if (n <= MOST_SINGLE) {
		for (uint32_t i = 0; i < n; i++)
			add_ranges(chart, &bins[i], &bins[i], 1, false);
		chart->tail = chart->n;
	} else if (end < n - 1 &&
		   last->high_ns - bins[end].high_ns > TAIL_WIDTH * body) {
		add_ranges(chart, bins, &bins[end], BODY_RANGES, false);
		chart->tail = chart->n;
		add_ranges(chart, &bins[end + 1], last, TAIL_RANGES, true);
	} else {
		add_ranges(chart, bins, last, PLAIN_RANGES, false);
		chart->tail = chart->n;
	}
}

/* Marks for COUNT when LARGEST has BAR of them; one for what is little. */
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

void chart_print(FILE *out, const struct histogram_bin *bins, uint32_t n)
{
	struct chart chart;
	uint64_t largest = 1;

	arrange(&chart, bins, n);
	for (uint32_t i = 0; i < chart.n; i++)
		if (chart.ranges[i].count > largest)
			largest = chart.ranges[i].count;
	fprintf(out, " %12s %12s %12s\n", "from[us]", "to[us]", "#samples");
	for (uint32_t i = 0; i < chart.n; i++) {
		if (i == chart.tail)
			fputs(" the last twentieth, in ranges that widen:\n",
			      out);
		print_range(out, &chart.ranges[i], largest);
	}
}
