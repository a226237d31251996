/* Which doubt about a result is the worst, and advice that suffices. */
#include "config.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "base/xalloc.h"
#include "report/parts.h"
#include "results.h"

#define MILLISECOND (SECOND / 1000)

/* What is said of R first contains TEXT; NULL: nothing is said. */
static void check_first(const struct result *r, const char *text)
{
	char *first = caveats_first(r);

	if (!text)
		assert_null(first);
	else
		assert_contains(first ? first : "", text);
	free(first);
}

/* A run of 64 bytes that nobody doubts. */
static struct result *result_without_doubt(void)
{
	struct result *r = result_bandwidth();

	result_add_intervals(r);
	result_add_cpu(r);
	r->n_rows = 1;
	r->params.plan.sizes.n = 1;
	check_first(r, NULL);
	return r;
}

static void free_result(struct result *r)
{
	r->n_rows = 2;
	result_free(r);
}

/* The client's thread ran for NS, and had a CPU for ON_CPU ns of them. */
static void set_on_cpu(struct result *r, uint64_t ns, uint64_t on_cpu)
{
	r->rows[0].at[1].cpu.threads[0].loop_ns = ns;
	r->rows[0].at[1].cpu.threads[0].on_cpu_ns = on_cpu;
}

TEST(test_thread_without_a_cpu)
{
	static const struct {
		uint64_t ns, on_cpu;
		const char *said;
	} rows[] = {
		{ SECOND, SECOND, NULL },
		{ SECOND, 900 * MILLISECOND, NULL },
		{ SECOND, 890 * MILLISECOND, "client polls, but its thread had "
					     "a CPU for only 89% of the time" },
		{ SECOND, 130 * MILLISECOND, "only 13% of" },
		{ SECOND, MILLISECOND, "only 0.1% of" },
		{ 0, 0, NULL },
		/* a run of some ms: once taken off is no rule */
		{ 3 * MILLISECOND, 2 * MILLISECOND, NULL },
		{ 3 * MILLISECOND, MILLISECOND, "only 33% of" },
	};
	struct result *r = result_without_doubt();
	struct cpu_cost *cost = &r->rows[0].at[1].cpu;

	for (size_t i = 0; i < COUNT(rows); i++) {
		set_on_cpu(r, rows[i].ns, rows[i].on_cpu);
		check_first(r, rows[i].said);
	}
	set_on_cpu(r, SECOND, 450 * MILLISECOND);
	cost->threads[0].cpu = PLAN_AUTO;
	check_first(r, "45% of the time: keep an idle CPU for it with --cpus");
	r->params.perftest = true;
	check_first(r, "keep an idle CPU for it with taskset");
	r->params.perftest = false;
	cost->threads[0].cpu = 5;
	check_first(r, "keep its CPU 5 idle, or name another one with --cpus");
	cost->threads[0].cpu = PLAN_AUTO;
	cost->threads[0].use.involuntary = 812;
	check_first(r, "(taken 812 times)");
	/* before uncertainty and what else may be */
	r->rows[0].total.bandwidth.error_percent = 0.88;
	r->rows[0].total.bandwidth.dry_percent = 10;
	check_first(r, "polls");
	cost->stolen_ns = 300 * MILLISECOND;
	check_first(r, "hypervisor");
	/* a thread that waits for events wants none */
	r->params.plan.events = true;
	check_first(r, "ran dry");
	free_result(r);
}

/* Of both ends and all threads, the worst. */
TEST(test_worst_thread)
{
	struct result *r = result_without_doubt();
	struct cpu_cost *server = &r->rows[0].at[0].cpu;

	set_on_cpu(r, SECOND, 800 * MILLISECOND);
	server->n_threads = 3;
	server->threads = xcalloc(3, sizeof(*server->threads));
	for (uint32_t t = 0; t < 3; t++)
		server->threads[t] = (struct cpu_thread){
			.loop_ns = SECOND,
			.on_cpu_ns = (t == 1 ? 600 : 950) * MILLISECOND,
		};
	check_first(r, "the server polls, but a thread of it had a CPU for "
		       "only 60% of the time");
	free_result(r);
}

TEST(test_order)
{
	struct result *r = result_without_doubt();
	struct bandwidth_summary *b = &r->rows[0].total.bandwidth;

	b->peak_error_percent = 3;
	check_first(r, "peak uncertain");
	b->error_percent = 2;
	check_first(r, "uncertain by 2%");
	b->dry_percent = 20;
	check_first(r, "ran dry");
	r->client.rate_mbps = 1000;
	check_first(r, "more than the port carries");
	r->rows[0].total.seconds = 0.2;
	check_first(r, "measured for");
	set_on_cpu(r, SECOND, SECOND / 2);
	check_first(r, "had a CPU");
	r->clock_ratio[0] = r->clock_ratio[1] = 6;
	check_first(r, "the clocks of both hosts disagree");
	free_result(r);
}

/* Also one whose queue pair has the number of the client's. */
TEST(test_other_senders_of_a_group)
{
	struct result *r = result_without_doubt();
	struct result_row *row = &r->rows[0];

	row->others = 7;
	row->total.received = row->total.sent = 50;
	check_first(r, "7 messages of other senders");
	row->others = 0;
	check_first(r, NULL);
	row->total.received = 53;
	check_first(r, NULL);
	r->params.plan.mcast.wanted = true;
	check_first(r, "3 messages of other senders");
	row->others = 7;
	check_first(r, "10 messages of other senders");
	row->total.sent_unknown = true;
	check_first(r, "7 messages of other senders");
	free_result(r);
}

/* The tables of ports name 100 Gb/s what carries 97.7 in messages of 64 KiB. */
TEST(test_more_than_a_port_carries)
{
	struct result *r = result_bandwidth();
	struct result_row *row = &r->rows[0];

	result_add_intervals(r);
	r->n_rows = 1;
	row->size = 65536;
	r->client.rate_mbps = r->server.rate_mbps = 100000;
	row->total.bandwidth.gbps = 96;
	check_first(r, NULL);
	row->total.bandwidth.gbps = 149.8;
	check_first(r, "more than the port carries (92.59 Gb/s): look whether "
		       "both ends are in one NIC");
	/* inside one NIC that is what it can do ... */
	strcpy(r->server.hostname, r->client.hostname);
	check_first(r, NULL);
	/* ... but not with so few messages: 256 of them are under way */
	row->total.iterations = 50;
	check_first(r, "50 messages are too few where 256 may be under way: ");
	row->total.iterations = 671;
	check_first(r, NULL);
	row->total.iterations = 670;
	check_first(r, "670 messages are too few");
	strcpy(r->server.hostname, "elsewhere");
	check_first(r, "670 messages are too few");
	row->failed = true;
	check_first(r, NULL);
	row->failed = false;
	facts_set_text(&r->server.facts, FACT_DRIVER, "rdma_rxe");
	check_first(r, NULL);
	free_result(r);
}

/* Memory that Soft-RoCE pages on demand, unless the data is checked. */
TEST(test_memory_paged_on_demand)
{
	struct result *r = result_without_doubt();
	struct plan *plan = &r->params.plan;

	for (int i = 0; i < 8; i++) {
		plan->odp = i & 1;
		plan->verify = i & 2;
		facts_set_text(&r->server.facts, FACT_DRIVER,
			       i & 4 ? "rdma_rxe" : "mlx5_core");
		check_first(r, plan->odp && !plan->verify && i & 4 ?
			       "nobody checked the data" : NULL);
	}
	free_result(r);
}

/* A port carries as much each way. */
TEST(test_more_than_a_port_carries_both_ways)
{
	struct result *r = result_bandwidth();
	struct result_row *row = &r->rows[0];

	r->n_rows = 1;
	row->size = 65536;
	row->n_directions = 2;
	r->client.rate_mbps = r->server.rate_mbps = 100000;
	row->directions[0].bandwidth.gbps = row->directions[1].bandwidth.gbps =
		92;
	row->total.bandwidth.gbps = 184;
	check_first(r, "sum of two directions");
	row->directions[1].bandwidth.gbps = 120;
	check_first(r, "carries (92.59 Gb/s each way): ");
	row->n_directions = 0;
	free_result(r);
}

TEST(test_stalls)
{
	struct result *r = result_latency(2995);
	struct latency_summary *l = &r->rows[0].latency;

	check_first(r, NULL);
	l->max = 40000;
	check_first(r, NULL);
	l->mean = 1.7 * l->empirical_p50;
	check_first(r, "a few stalls, of up to 40 ms, make the mean 70% higher "
		       "than the median");
	/* which has other reasons if one message in a hundred takes long */
	l->empirical_p99 = l->mean;
	check_first(r, NULL);
	result_free(r);
}

/* A run on a machine whose readings are uncertain by EDGE seconds, with
 * messages that take MESSAGE seconds. */
struct machine {
	double edge, message;
	struct plan plan;	/* what is asked for first */
	bool perftest;
};

/* What M measures in the way of R's plan; the edges are WORSE times as
 * uncertain. */
static void measure(const struct machine *m, double worse, struct result *r)
{
	struct result_row *row = &r->rows[0];
	struct result_direction *d = &row->total;
	struct bandwidth_summary *b = &d->bandwidth;
	const struct plan *plan = &r->params.plan;
	double length;

	d->seconds = plan->iterations ? (double)plan->iterations * m->message :
					(double)plan->duration / 1e9;
	d->iterations = (uint64_t)(d->seconds / m->message);
	length = plan->interval ? (double)plan->interval / 1e9 :
				  fmax(0.1, d->seconds / INTERVALS_USUAL);
	*b = summary_bandwidth(d->iterations, row->size, d->seconds);
	b->error_percent = fmin(100, 100 * worse * m->edge / d->seconds);
	d->n_intervals = (uint32_t)(d->seconds * 0.95 / length);
	if (d->n_intervals < INTERVALS_LEAST) {
		d->n_intervals = 0;
		return;
	}
	b->peak_gbps = b->gbps;
	b->peak_error_percent = fmin(100, 100 * worse * m->edge / length);
}

/* The number after the last OPTION in TEXT; 0: there is none. */
static double given(const char *text, const char *option)
{
	double value = 0;

	for (const char *at = strstr(text, option); at;
	     at = strstr(at, option)) {
		at += strlen(option);
		value = strtod(at, NULL);
	}
	return value;
}

static void check_advice(const struct machine *m)
{
	struct result *r = result_bandwidth();
	struct plan *plan = &r->params.plan;
	double count, seconds, interval;
	char *first;

	r->n_rows = 1;
	plan->duration = m->plan.duration;
	plan->iterations = m->plan.iterations;
	plan->interval = m->plan.interval;
	r->params.perftest = m->perftest;
	measure(m, 1, r);
	first = caveats_first(r);
	assert_non_null(first);
	count = given(first, "-n ");
	seconds = given(first, "-D ");
	interval = given(first, "--interval ");
	/* more than was asked for */
	if (plan->iterations)
		assert_true(count > (double)plan->iterations);
	else
		assert_true(seconds * 1e9 > (double)plan->duration);
	assert_true(!interval || interval * 1e9 > (double)plan->interval);
	free(first);
	plan->duration = (uint64_t)(seconds * 1e9);
	plan->iterations = (uint64_t)count;
	if (interval)
		plan->interval = (uint64_t)llround(interval * 1e9);
	/* and enough, also where the next run is a bit less exact */
	measure(m, 1.15, r);
	check_first(r, NULL);
	result_free(r);
}

TEST(test_advice_that_suffices)
{
	static const struct machine machines[] = {
		{ 0.00265, 5e-6, { .duration = SECOND / 2 }, false },
		{ 0.00265, 5e-6, { .duration = SECOND / 2 }, true },
		{ 0.0002, 5e-6, { .duration = SECOND / 2 }, false },
		{ 0.0065, 5e-6, { .duration = SECOND }, false },
		{ 0.0155, 5e-6, { .duration = 3 * SECOND }, false },
		{ 0.1, 5e-4, { .duration = 3 * SECOND }, false },
		{ 0.02, 5e-6, { .duration = 3 * SECOND,
				.interval = SECOND }, false },
		{ 0.01, 5e-6, { .duration = 20 * SECOND,
				.interval = SECOND / 10 }, false },
		{ 0.00002, 5e-6, { .iterations = 50 }, false },
		{ 0.00002, 5e-6, { .iterations = 50 }, true },
		{ 0.0008, 5e-6, { .iterations = 5000 }, true },
		{ 0.001, 5e-6, { .iterations = 200000 }, false },
	};

	for (size_t i = 0; i < COUNT(machines); i++)
		check_advice(&machines[i]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_thread_without_a_cpu),
	cmocka_unit_test(test_worst_thread),
	cmocka_unit_test(test_order),
	cmocka_unit_test(test_other_senders_of_a_group),
	cmocka_unit_test(test_more_than_a_port_carries),
	cmocka_unit_test(test_memory_paged_on_demand),
	cmocka_unit_test(test_more_than_a_port_carries_both_ways),
	cmocka_unit_test(test_stalls),
	cmocka_unit_test(test_advice_that_suffices),
};

TEST_MAIN(tests, 10)
