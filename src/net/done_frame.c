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

/* The fields of DONE, for wire_fields().  CLEAR leaves out what was read of
 * one. */
#define FIELD_LIST(X) \
	X(COUNTERS, "counters", true, done->own.counters.n, \
	  done_code_counters(c, &done->own.counters), \
	  counters_free(&done->own.counters)) \
	X(CPU, "cpu", true, done->own.cpu.ns, code_cpu(c, &done->own.cpu), \
	  cpu_cost_free(&done->own.cpu)) \
	X(EVENTS, "events", true, done->own.events.known, \
	  code_events(c, &done->own.events), done->own.events.known = false) \
	X(RECEIVERS, "receivers", true, done->n_receivers, \
	  code_receivers(c, done), done->n_receivers = 0) \
	X(CLOCK, "clock", true, \
	  done->span[0] || isfinite(done->clock.drift), code_spans(c, done), \
	  done->clock.drift = NAN; done->span[0] = done->span[1] = 0) \
	X(ON_CPU, "on-cpu", true, done->own.cpu.ns, \
	  code_on_cpu(c, &done->own.cpu), clear_on_cpu(&done->own.cpu)) \
	X(HEARD, "heard", true, done->heard[0] && done->heard[1], \
	  code_heard(c, done), \
	  done->n_heard = done->heard[0] = done->heard[1] = 0) \
	X(LEFT, "left", true, done->left, \
	  WIRE_WITHIN(c, 8, done->left, "messages left", 1, COUNT_MAX), \
	  done->left = 0) \
	X(PACKETS, "packets", true, done->own.packets.known, \
	  code_packets(c, &done->own.packets), \
	  done->own.packets.known = false) \
	X(OTHERS, "others", true, done->others, code_others(c, done), \
	  done->others = 0)

WIRE_FIELD_IDS(FIELD_LIST);

/* Relative tolerance of sums of reals: rounding grows with the number of
 * terms. */
#define ROUNDING 1e-3

static void code_counter(struct cursor *c, struct counter *counter,
			 const char *before)
{
	WIRE_STRING(c, counter->name);
	/* the names ascend, so that none comes twice */
	if (c->frame && wire_is_good(c) &&
	    (!counter_name_is_valid(counter->name) ||
	     strcmp(counter->name, before) <= 0))
		c->ret = wire_refuse(c->err, NULL, c->frame->type,
				     "with counter '%s' after '%s'",
				     counter->name, before);
	WIRE_WITHIN(c, 1, counter->known, "known counter", 0, 1);
	WIRE_WITHIN(c, 8, counter->value, "counter", 0,
		    counter->known ? COUNTER_RISE_MAX : 0);
}

void done_code_counters(struct cursor *c, struct counters *counters)
{
	const char *before = "";

	WIRE_WITHIN(c, 8, counters->ns, "time of the counters", 0, COUNT_MAX);
	WIRE_WITHIN(c, 2, counters->n, "number of counters", 1, COUNTERS_MAX);
	if (c->frame)
		counters->list = xcalloc(counters->n, sizeof(*counters->list));
	for (uint32_t i = 0; i < counters->n && wire_is_good(c); i++) {
		code_counter(c, &counters->list[i], before);
		before = counters->list[i].name;
	}
}

/* No machine has more CPUs, so no process uses more at once. */
#define MACHINE_CPUS 65536

/* USE is at most MOST of CPU time and SWITCHES. */
static void code_use(struct cursor *c, uint64_t most, uint64_t switches,
		     struct cpu_use *use)
{
	WIRE_WITHIN(c, 8, use->user_ns, "user time", 0, most);
	WIRE_WITHIN(c, 8, use->system_ns, "system time", 0, most);
	WIRE_WITHIN(c, 8, use->voluntary, "voluntary switches", 0, switches);
	WIRE_WITHIN(c, 8, use->involuntary, "involuntary switches", 0,
		    switches);
}

static void code_process(struct cursor *c, struct cpu_cost *cost)
{
	uint64_t most = CPU_UNKNOWN - 1;

	WIRE_WITHIN(c, 8, cost->ns, "time between readings", 1, most);
	if (cost->ns < most / MACHINE_CPUS)
		most = cost->ns * MACHINE_CPUS;
	code_use(c, most, CPU_UNKNOWN - 1, &cost->process);
}

static void code_machine(struct cursor *c, struct cpu_cost *cost)
{
	WIRE(c, 8, cost->host_busy_ns);
	WIRE_WITHIN(c, 8, cost->host_ns, "time of all CPUs", 0, CPU_UNKNOWN);
	/* both are known, or neither */
	wire_expect(c, "busy time of all CPUs", cost->host_busy_ns,
		    cost->host_ns == CPU_UNKNOWN ? CPU_UNKNOWN : 0,
		    cost->host_ns);
	WIRE_WITHIN(c, 8, cost->interrupts, "interrupts", 0, CPU_UNKNOWN);
}

static void code_loops(struct cursor *c, struct cpu_cost *cost)
{
	WIRE_WITHIN(c, 4, cost->n_threads, "number of loops", 0, CPUS_MAX);
	if (c->frame)
		cost->threads = xcalloc(cost->n_threads,
					sizeof(*cost->threads));
	for (uint32_t i = 0; i < cost->n_threads && wire_is_good(c); i++) {
		WIRE(c, 4, cost->threads[i].cpu);
		code_use(c, CPU_UNKNOWN, CPU_UNKNOWN, &cost->threads[i].use);
	}
}

static void code_cpu(struct cursor *c, struct cpu_cost *cost)
{
	/* told by another field, if at all */
	if (c->frame)
		cost->stolen_ns = CPU_UNKNOWN;
	code_process(c, cost);
	code_machine(c, cost);
	code_loops(c, cost);
}

static void code_on_cpu(struct cursor *c, struct cpu_cost *cost)
{
	uint32_t n = cost->n_threads;

	WIRE(c, 8, cost->stolen_ns);
	if (cost->stolen_ns != CPU_UNKNOWN)
		wire_expect(c, "stolen time of all CPUs", cost->stolen_ns, 0,
			    cost->host_ns);
	WIRE_WITHIN(c, 4, n, "number of loops", cost->n_threads,
		    cost->n_threads);
	for (uint32_t i = 0; i < n && wire_is_good(c); i++) {
		struct cpu_thread *thread = &cost->threads[i];

		WIRE_WITHIN(c, 8, thread->loop_ns, "time of a loop", 0,
			    CPU_UNKNOWN - 1);
		WIRE_WITHIN(c, 8, thread->on_cpu_ns, "time on a CPU", 0,
			    thread->loop_ns);
	}
}

static void clear_on_cpu(struct cpu_cost *cost)
{
	cost->stolen_ns = CPU_UNKNOWN;
	for (uint32_t i = 0; i < cost->n_threads; i++)
		cost->threads[i].loop_ns = cost->threads[i].on_cpu_ns = 0;
}

/* The numbers of struct done in the order of the frame. */
#define COUNT_LIST(X) \
	X(posted, "posted") X(received, "received") X(counted, "counted") \
	X(window_ns, "window") X(lost, "lost") X(late, "late")
#define DETAIL_LIST(X) \
	X(8, window_error) X(8, interval_error) X(8, queue_checks) \
	X(8, dry) X(1, method) X(4, inline_size)
#define THREAD_LIST(X) X(4, cpu) X(4, qps) X(8, iterations) X(8, window_ns)
#define INTERVAL_LIST(X) X(8, start_ns) X(8, length_ns) X(8, messages)

/* NAN is never allowed. */
static void expect_real(struct cursor *c, const char *field, double value,
			double min, double max)
{
	if (wire_is_good(c) && !(value >= min && value <= max))
		c->ret = wire_refuse(c->err, NULL, c->frame->type,
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

static void put_bins(struct cursor *c, const struct histogram *h)
{
	for (uint32_t i = 0; i < HISTOGRAM_BINS; i++) {
		if (!h->bins[i])
			continue;
		wire_put(c, 4, i);
		wire_put(c, 8, h->bins[i]);
	}
}

/* The bins that have a sample. */
static uint32_t count_bins(const struct histogram *h)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < HISTOGRAM_BINS; i++)
		n += h->bins[i] != 0;
	return n;
}

static void code_histogram(struct cursor *c, struct histogram *h)
{
	uint32_t n;

	if (c->frame)
		histogram_reset(h);
	WIRE(c, 8, h->count);
	if (h->count == 0)
		return;
	WIRE(c, 8, h->min);
	WIRE(c, 8, h->max);
	WIRE(c, 8, h->sum);
	WIRE(c, 8, h->origin);
	wire_real(c, &h->squares);
	wire_expect(c, "minimum", h->min, 0, h->max);
	wire_expect(c, "samples", h->count, 1, COUNT_MAX);
	wire_expect(c, "maximum", h->max, 0, UINT64_MAX / h->count);
	wire_expect(c, "sum", h->sum, h->count * h->min, h->count * h->max);
	wire_expect(c, "origin", h->origin, h->min, h->max);
	n = count_bins(h);
	WIRE_WITHIN(c, 4, n, "number of bins", 1, HISTOGRAM_BINS);
	if (!c->frame)
		put_bins(c, h);
	else if (wire_is_good(c))
		get_bins(c, n, h);
}

static void code_threads(struct cursor *c, struct done *done)
{
	WIRE_WITHIN(c, 4, done->n_threads, "number of threads", 0, CPUS_MAX);
	if (c->frame)
		done->threads = xcalloc(done->n_threads,
					sizeof(*done->threads));
	for (uint32_t i = 0; i < done->n_threads; i++) {
		struct thread_row *s = &done->threads[i];

		THREAD_LIST(WIRE_MEMBER)
	}
}

static void code_intervals(struct cursor *c, struct done *done)
{
	WIRE_WITHIN(c, 4, done->n_intervals, "number of intervals", 0,
		    c->size / INTERVAL_BYTES);
	if (c->frame)
		done->intervals = xcalloc(done->n_intervals,
					  sizeof(*done->intervals));
	for (uint32_t i = 0; i < done->n_intervals; i++) {
		struct interval *s = &done->intervals[i];

		INTERVAL_LIST(WIRE_MEMBER)
	}
}

/* Read the number of receivers from the size of the field. */
static void get_n_receivers(struct cursor *c, struct done *done)
{
	const uint64_t n = (c->size - c->at) / 8;

	wire_expect(c, "number of receivers", n, 2, ENDPOINT_QPS_MAX);
	if (!wire_is_good(c))
		return;
	done->n_receivers = (uint32_t)n;
	done->receivers = xcalloc(n, sizeof(*done->receivers));
}

/* The messages of each receiver of a group; together they are all that were
 * received. */
static void code_receivers(struct cursor *c, struct done *done)
{
	uint64_t left = done->received;

	if (c->frame)
		get_n_receivers(c, done);
	for (uint32_t i = 0; i < done->n_receivers && wire_is_good(c); i++) {
		WIRE_WITHIN(c, 8, done->receivers[i], "messages of a receiver",
			    i + 1 < done->n_receivers ? 0 : left, left);
		left -= done->receivers[i];
	}
}

static void code_events(struct cursor *c, struct event_counts *events)
{
	if (c->frame)
		events->known = true;
	WIRE_WITHIN(c, 8, events->sends, "events of sends", 0, COUNT_MAX);
	WIRE_WITHIN(c, 8, events->receives, "events of receives", 0, COUNT_MAX);
}

static void code_spans(struct cursor *c, struct done *done)
{
	wire_real(c, &done->clock.drift);
	WIRE(c, 8, done->span[0]);
	WIRE(c, 8, done->span[1]);
	WIRE_STRING(c, done->clock.kernel);
}

static void code_heard(struct cursor *c, struct done *done)
{
	WIRE_WITHIN(c, 8, done->n_heard, "frames heard", 0, COUNT_MAX);
	WIRE_WITHIN(c, 8, done->heard[0], "time until the last was heard", 1,
		    COUNT_MAX);
	WIRE_WITHIN(c, 8, done->heard[1], "time since START", 1, COUNT_MAX);
}

static void code_others(struct cursor *c, struct done *done)
{
	WIRE_WITHIN(c, 8, done->others, "messages of other senders", 1,
		    COUNT_MAX);
}

static void code_packets(struct cursor *c, struct packet_counts *packets)
{
	packets->known = true;
	WIRE_WITHIN(c, 8, packets->sent, "packets sent", 0, COUNT_MAX);
	WIRE_WITHIN(c, 8, packets->came, "packets received", 0, COUNT_MAX);
	WIRE_WITHIN(c, 8, packets->out, "packets of the interface", 0,
		    COUNT_MAX);
	WIRE_WITHIN(c, 8, packets->in, "packets at the interface", 0,
		    COUNT_MAX);
}

/* A field_coder of a struct done. */
static bool code_field(struct field *field, void *what)
{
	struct cursor *c = &field->value;
	struct done *done = what;

	switch (field->id) {
		FIELD_LIST(WIRE_FIELD_CASE)
	default:
		return false;
	}
}

static void clear_field(struct done *done, uint16_t id)
{
	switch (id) {
#define X(id, name, optional, present, code, clear) \
	case FIELD_##id: \
		clear; \
		break;
	FIELD_LIST(X)
#undef X
	}
}

/* A field_coder that reads.  The results of a test depend on none of these
 * fields, so one that cannot be is left out. */
static bool get_field(struct field *field, void *into)
{
	struct cursor *value = &field->value;
	struct error *err = value->err, why = { 0 };
	bool known;

	value->err = &why;
	known = code_field(field, into);
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
	counters_free(&done->own.counters);
	cpu_cost_free(&done->own.cpu);
	free(done->threads);
	free(done->intervals);
	free(done->receivers);
	done->receivers = NULL;
	done->threads = NULL;
	done->intervals = NULL;
}

static void code_fields(struct cursor *c, struct done *done)
{
	const struct field_to_write rows[] = { FIELD_LIST(WIRE_FIELD_ROW) };

	wire_fields(c, rows, sizeof(rows) / sizeof(*rows),
		    c->frame ? get_field : code_field, done);
}

static void code_clock(struct cursor *c, struct clock_description *clock)
{
	WIRE_STRING(c, clock->source);
	wire_real(c, &clock->resolution_ns);
	wire_real(c, &clock->read_cost_ns);
	wire_real(c, &clock->deviation);
	if (c->frame)
		clock->drift = NAN;
}

static void code_done(struct cursor *c, void *what)
{
	struct done *s = what;
	uint64_t none = 0;

#define X(member, name) WIRE_WITHIN(c, 8, s->member, name, 0, COUNT_MAX);
	COUNT_LIST(X)
#undef X
	DETAIL_LIST(WIRE_MEMBER)
	code_clock(c, &s->clock);
	wire_real(c, &s->ns_per_tick);
	code_threads(c, s);
	code_intervals(c, s);
	if (s->latency)
		code_histogram(c, s->latency);
	else
		WIRE_WITHIN(c, 8, none, "samples", 0, 0);
	code_fields(c, s);
}

struct frame encode_done(const struct done *done)
{
	return wire_encode(FRAME_DONE, code_done, done);
}

int decode_done(const struct frame *frame, struct done *done, struct error *err)
{
	return wire_decode(frame, code_done, done, err);
}
