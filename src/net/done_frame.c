/* DONE: the results of one size, with the histogram if there is one. */
#include "config.h"
#include "net/frames.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/xalloc.h"

/* Size of one interval in the frame. */
#define INTERVAL_BYTES 24

/* Ids of the fields. */
#define FIELD_COUNTERS 1
#define FIELD_CPU 2
#define FIELD_EVENTS 3
#define FIELD_RECEIVERS 4
#define FIELD_CLOCK 5

/* Relative tolerance of sums of reals: rounding grows with the number of
 * terms. */
#define ROUNDING 1e-3

void done_put_counters(struct cursor *c, const struct counters *counters)
{
	wire_put(c, 8, counters->ns);
	wire_put(c, 2, counters->n);
	for (uint32_t i = 0; i < counters->n; i++) {
		wire_put_string(c, counters->list[i].name);
		wire_put(c, 1, counters->list[i].known);
		wire_put(c, 8, counters->list[i].value);
	}
}

static void get_counter(struct cursor *c, struct counter *counter,
			const char *before)
{
	wire_get_string(c, counter->name, sizeof(counter->name));
	/* the names ascend, so that none comes twice */
	if (wire_is_good(c) && (!counter_name_is_valid(counter->name) ||
				strcmp(counter->name, before) <= 0))
		c->ret = wire_refuse(c->err, c->frame,
				     "with counter '%s' after '%s'",
				     counter->name, before);
	counter->known = wire_get_within(c, 1, "known counter", 0, 1);
	counter->value = wire_get_within(c, 8, "counter", 0, counter->known ?
					 COUNTER_RISE_MAX : 0);
}

void done_get_counters(struct cursor *c, struct counters *counters)
{
	const char *before = "";

	counters->ns = wire_get_within(c, 8, "time of the counters", 0,
				       COUNT_MAX);
	counters->n = (uint32_t)wire_get_within(c, 2, "number of counters", 1,
						COUNTERS_MAX);
	counters->list = xcalloc(counters->n, sizeof(*counters->list));
	for (uint32_t i = 0; i < counters->n && wire_is_good(c); i++) {
		get_counter(c, &counters->list[i], before);
		before = counters->list[i].name;
	}
}

/* No machine has more CPUs, so no process uses more at once. */
#define MACHINE_CPUS 65536

static void put_use(struct cursor *c, const struct cpu_use *use)
{
	wire_put(c, 8, use->user_ns);
	wire_put(c, 8, use->system_ns);
	wire_put(c, 8, use->voluntary);
	wire_put(c, 8, use->involuntary);
}

static void put_cpu(struct cursor *c, const struct cpu_cost *cost)
{
	wire_put(c, 8, cost->ns);
	put_use(c, &cost->process);
	wire_put(c, 8, cost->host_busy_ns);
	wire_put(c, 8, cost->host_ns);
	wire_put(c, 8, cost->interrupts);
	wire_put(c, 4, cost->n_threads);
	for (uint32_t t = 0; t < cost->n_threads; t++) {
		wire_put(c, 4, cost->threads[t].cpu);
		put_use(c, &cost->threads[t].use);
	}
}

/* Read USE, and check that it is at most MOST of CPU time and SWITCHES. */
static void get_use(struct cursor *c, uint64_t most, uint64_t switches,
		    struct cpu_use *use)
{
	use->user_ns = wire_get_within(c, 8, "user time", 0, most);
	use->system_ns = wire_get_within(c, 8, "system time", 0, most);
	use->voluntary = wire_get_within(c, 8, "voluntary switches", 0,
					 switches);
	use->involuntary = wire_get_within(c, 8, "involuntary switches", 0,
					   switches);
}

static void get_process(struct cursor *c, struct cpu_cost *cost)
{
	uint64_t most = CPU_UNKNOWN - 1;

	cost->ns = wire_get_within(c, 8, "time between readings", 1, most);
	if (cost->ns < most / MACHINE_CPUS)
		most = cost->ns * MACHINE_CPUS;
	get_use(c, most, CPU_UNKNOWN - 1, &cost->process);
}

static void get_machine(struct cursor *c, struct cpu_cost *cost)
{
	cost->host_busy_ns = wire_get(c, 8);
	cost->host_ns = wire_get_within(c, 8, "time of all CPUs", 0,
					CPU_UNKNOWN);
	/* both are known, or neither */
	wire_expect(c, "busy time of all CPUs", cost->host_busy_ns,
		    cost->host_ns == CPU_UNKNOWN ? CPU_UNKNOWN : 0,
		    cost->host_ns);
	cost->interrupts = wire_get_within(c, 8, "interrupts", 0, CPU_UNKNOWN);
}

static void get_loops(struct cursor *c, struct cpu_cost *cost)
{
	const uint64_t n = wire_get_within(c, 4, "number of loops", 0,
					   CPUS_MAX);

	cost->threads = xcalloc(n, sizeof(*cost->threads));
	for (; cost->n_threads < n && wire_is_good(c); cost->n_threads++) {
		struct cpu_thread *thread = &cost->threads[cost->n_threads];

		thread->cpu = (uint32_t)wire_get(c, 4);
		get_use(c, CPU_UNKNOWN, CPU_UNKNOWN, &thread->use);
	}
}

static void get_cpu(struct cursor *c, struct cpu_cost *cost)
{
	get_process(c, cost);
	get_machine(c, cost);
	get_loops(c, cost);
}

static void put_histogram(struct cursor *c, const struct histogram *h)
{
	uint32_t n = 0;

	wire_put(c, 8, h->count);
	if (h->count == 0)
		return;
	wire_put(c, 8, h->min);
	wire_put(c, 8, h->max);
	wire_put(c, 8, h->sum);
	wire_put(c, 8, h->origin);
	wire_put_real(c, h->squares);
	for (uint32_t i = 0; i < HISTOGRAM_BINS; i++)
		n += h->bins[i] != 0;
	wire_put(c, 4, n);
	for (uint32_t i = 0; i < HISTOGRAM_BINS; i++) {
		if (!h->bins[i])
			continue;
		wire_put(c, 4, i);
		wire_put(c, 8, h->bins[i]);
	}
}

/* The numbers of struct done in the order of the frame (WIRE_PUT). */
#define COUNT_LIST(X) \
	X(posted, "posted") X(received, "received") X(counted, "counted") \
	X(window_ns, "window") X(lost, "lost") X(late, "late")
#define DETAIL_LIST(X) \
	X(8, window_error) X(8, interval_error) X(8, queue_checks) \
	X(8, dry) X(1, method) X(4, inline_size)
#define THREAD_LIST(X) X(4, cpu) X(4, qps) X(8, iterations) X(8, window_ns)
#define INTERVAL_LIST(X) X(8, start_ns) X(8, length_ns) X(8, messages)

static void put_threads(struct cursor *c, const struct done *done)
{
	wire_put(c, 4, done->n_threads);
	for (uint32_t i = 0; i < done->n_threads; i++) {
		const struct thread_row *s = &done->threads[i];

		THREAD_LIST(WIRE_PUT)
	}
}

static void put_intervals(struct cursor *c, const struct done *done)
{
	wire_put(c, 4, done->n_intervals);
	for (uint32_t i = 0; i < done->n_intervals; i++) {
		const struct interval *s = &done->intervals[i];

		INTERVAL_LIST(WIRE_PUT)
	}
}

static void put_fields(struct cursor *c, const struct done *done)
{
	struct field_list list;

	wire_begin_fields(c, &list);
	if (done->counters.n) {
		wire_begin_field(c, &list, FIELD_COUNTERS, true, "counters");
		done_put_counters(c, &done->counters);
	}
	if (done->cpu.ns) {
		wire_begin_field(c, &list, FIELD_CPU, true, "cpu");
		put_cpu(c, &done->cpu);
	}
	if (done->events.known) {
		wire_begin_field(c, &list, FIELD_EVENTS, true, "events");
		wire_put(c, 8, done->events.sends);
		wire_put(c, 8, done->events.receives);
	}
	if (done->n_receivers) {
		wire_begin_field(c, &list, FIELD_RECEIVERS, true, "receivers");
		for (uint32_t i = 0; i < done->n_receivers; i++)
			wire_put(c, 8, done->receivers[i]);
	}
	if (done->span[0] || isfinite(done->clock.drift)) {
		wire_begin_field(c, &list, FIELD_CLOCK, true, "clock");
		wire_put_real(c, done->clock.drift);
		wire_put(c, 8, done->span[0]);
		wire_put(c, 8, done->span[1]);
		wire_put_string(c, done->clock.kernel);
	}
	wire_end_fields(c, &list);
}

struct frame encode_done(const struct done *s)
{
	struct cursor cursor = wire_begin(FRAME_DONE), *c = &cursor;

#define X(member, name) wire_put(c, 8, s->member);
	COUNT_LIST(X)
#undef X
	DETAIL_LIST(WIRE_PUT)
	wire_put_string(c, s->clock.source);
	wire_put_real(c, s->clock.resolution_ns);
	wire_put_real(c, s->clock.read_cost_ns);
	wire_put_real(c, s->clock.deviation);
	wire_put_real(c, s->ns_per_tick);
	put_threads(c, s);
	put_intervals(c, s);
	if (s->latency)
		put_histogram(c, s->latency);
	else
		wire_put(c, 8, 0);
	put_fields(c, s);
	return wire_end(c);
}

/* NAN is never allowed. */
static void expect_real(struct cursor *c, const char *field, double value,
			double min, double max)
{
	if (wire_is_good(c) && !(value >= min && value <= max))
		c->ret = wire_refuse(c->err, c->frame,
				     "with %s %g: expected %g to %g", field,
				     value, min, max);
}

/*
 * The values lie in these bins, and so bound the sum and the squares: the
 * squares are no smaller than for equal values, and each is no larger than that
 * of the value farthest from the origin.
 */
static void check_sums(struct cursor *c, const struct histogram *h)
{
	const double n = (double)h->count;
	uint64_t least = 0, most = 0;
	double offset, farthest;

	for (uint32_t i = 0; i < HISTOGRAM_BINS; i++) {
		least += h->bins[i] * larger(histogram_bin_low(i), h->min);
		most += h->bins[i] * (i == HISTOGRAM_BINS - 1 ? h->max :
				      smaller(histogram_bin_high(i), h->max));
	}
	wire_expect(c, "sum", h->sum, least, most);
	/* exact integers: reals would lose a small spread of large values */
	offset = (double)(int64_t)(h->sum - h->count * h->origin);
	farthest = (double)larger(h->max - h->origin, h->origin - h->min);
	expect_real(c, "squares", h->squares,
		    offset * offset / n * (1 - ROUNDING),
		    n * farthest * farthest * (1 + ROUNDING));
}

/* Read N bins in ascending order; their counts must add up to h->count. */
static void get_bins(struct cursor *c, uint64_t n, struct histogram *h)
{
	const uint64_t last = histogram_bin(h->max);
	uint64_t next = histogram_bin(h->min), left = h->count;
	uint64_t most = next;	/* the first bin is that of the minimum */

	for (; n && wire_is_good(c); n--, most = last) {
		uint64_t bin = wire_get_within(c, 4, "bin", next, most);

		h->bins[bin] = wire_get_within(c, 8, "count", 1, left);
		next = bin + 1;
		left -= h->bins[bin];
	}
	wire_expect(c, "samples in no bin", left, 0, 0);
	wire_expect(c, "last bin", next - 1, last, last);
	if (wire_is_good(c))
		check_sums(c, h);
}

static void get_histogram(struct cursor *c, struct histogram *h)
{
	uint64_t n;

	histogram_reset(h);
	h->count = wire_get(c, 8);
	if (h->count == 0)
		return;
	h->min = wire_get(c, 8);
	h->max = wire_get(c, 8);
	h->sum = wire_get(c, 8);
	h->origin = wire_get(c, 8);
	h->squares = wire_get_real(c);
	wire_expect(c, "minimum", h->min, 0, h->max);
	wire_expect(c, "samples", h->count, 1, COUNT_MAX);
	wire_expect(c, "maximum", h->max, 0, UINT64_MAX / h->count);
	wire_expect(c, "sum", h->sum, h->count * h->min, h->count * h->max);
	wire_expect(c, "origin", h->origin, h->min, h->max);
	n = wire_get_within(c, 4, "number of bins", 1, HISTOGRAM_BINS);
	if (wire_is_good(c))
		get_bins(c, n, h);
}

static void get_threads(struct cursor *c, struct done *done)
{
	done->n_threads = (uint32_t)wire_get_within(c, 4, "number of threads",
						    0, CPUS_MAX);
	done->threads = xcalloc(done->n_threads, sizeof(*done->threads));
	for (uint32_t i = 0; i < done->n_threads; i++) {
		struct thread_row *s = &done->threads[i];

		THREAD_LIST(WIRE_GET)
	}
}

static void get_intervals(struct cursor *c, struct done *done)
{
	done->n_intervals = (uint32_t)wire_get_within(
		c, 4, "number of intervals", 0, c->size / INTERVAL_BYTES);
	done->intervals = xcalloc(done->n_intervals, sizeof(*done->intervals));
	for (uint32_t i = 0; i < done->n_intervals; i++) {
		struct interval *s = &done->intervals[i];

		INTERVAL_LIST(WIRE_GET)
	}
}

/* Read the messages of each receiver of a group; together they are all that
 * were received. */
static void get_receivers(struct cursor *c, struct done *done)
{
	const uint64_t n = (c->size - c->at) / 8;
	uint64_t left = done->received, messages;

	wire_expect(c, "number of receivers", n, 2, ENDPOINT_QPS_MAX);
	if (!wire_is_good(c))
		return;
	done->n_receivers = (uint32_t)n;
	done->receivers = xcalloc(n, sizeof(*done->receivers));
	for (uint32_t i = 0; i < n && wire_is_good(c); i++) {
		messages = wire_get_within(c, 8, "messages of a receiver",
					   i + 1 < n ? 0 : left, left);
		done->receivers[i] = messages;
		left -= messages;
	}
}

static bool get_known(struct field *field, struct done *done)
{
	struct cursor *c = &field->value;

	switch (field->id) {
	case FIELD_COUNTERS:
		done_get_counters(c, &done->counters);
		return true;
	case FIELD_CPU:
		get_cpu(c, &done->cpu);
		return true;
	case FIELD_EVENTS:
		done->events.known = true;
		done->events.sends = wire_get_within(c, 8, "events of sends", 0,
						     COUNT_MAX);
		done->events.receives = wire_get_within(
			c, 8, "events of receives", 0, COUNT_MAX);
		return true;
	case FIELD_RECEIVERS:
		get_receivers(c, done);
		return true;
	case FIELD_CLOCK:
		done->clock.drift = wire_get_real(c);
		done->span[0] = wire_get(c, 8);
		done->span[1] = wire_get(c, 8);
		wire_get_string(c, done->clock.kernel,
				sizeof(done->clock.kernel));
		return true;
	default:
		return false;
	}
}

static void clear_field(struct done *done, uint16_t id)
{
	switch (id) {
	case FIELD_COUNTERS:
		counters_free(&done->counters);
		break;
	case FIELD_CPU:
		cpu_cost_free(&done->cpu);
		break;
	case FIELD_EVENTS:
		done->events.known = false;
		break;
	default:
		done->n_receivers = 0;
	}
}

/* A field_reader; INTO is a struct done.  The results of a test depend on none
 * of these fields, so one that cannot be is left out. */
static bool get_field(struct field *field, void *into)
{
	struct cursor *value = &field->value;
	struct error *err = value->err, why = { 0 };
	bool known;

	value->err = &why;
	known = get_known(field, into);
	value->err = err;
	/* the caller reports what is too short */
	if (value->ret && !value->failed) {
		done_leave_out(into, field->name, &why);
		clear_field(into, field->id);
		value->at = value->size;
	}
	value->ret = 0;
	return known;
}

void done_leave_out(struct done *done, const char *what, struct error *why)
{
	if (!error_is_set(&done->implausible)) {
		fail(&done->implausible, -EPROTO, NULL, "%s (left out)", what);
		snprintf(done->implausible.detail,
			 sizeof(done->implausible.detail),
			 "%.300s (%.60s left out)", why->detail, what);
	}
	error_clear(why);
}

void done_free(struct done *done)
{
	counters_free(&done->counters);
	cpu_cost_free(&done->cpu);
	free(done->threads);
	free(done->intervals);
	free(done->receivers);
	done->receivers = NULL;
	done->threads = NULL;
	done->intervals = NULL;
}

/* Read what describes the counts: how messages were posted, and the clock. */
static void get_details(struct cursor *c, struct done *s)
{
	struct clock_description *clock = &s->clock;

	DETAIL_LIST(WIRE_GET)
	wire_get_string(c, clock->source, sizeof(clock->source));
	clock->resolution_ns = wire_get_real(c);
	clock->read_cost_ns = wire_get_real(c);
	clock->deviation = wire_get_real(c);
	clock->drift = NAN;
	s->ns_per_tick = wire_get_real(c);
}

int decode_done(const struct frame *frame, struct done *done, struct error *err)
{
	struct cursor cursor = wire_open(frame, err), *c = &cursor;

#define X(member, name) \
	done->member = wire_get_within(c, 8, name, 0, COUNT_MAX);
	COUNT_LIST(X)
#undef X
	get_details(c, done);
	get_threads(c, done);
	get_intervals(c, done);
	if (done->latency)
		get_histogram(c, done->latency);
	else
		wire_expect(c, "samples", wire_get(c, 8), 0, 0);
	wire_get_fields(c, get_field, done);
	return wire_close(c);
}
