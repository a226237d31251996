/* DONE: the results of one size, with the histogram if there is one. */
#include "config.h"
#include "net/frames.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/numbers.h"
#include "base/xalloc.h"
#include "net/frame_parts.h"

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
	X(8, window_error) \
	X(8, interval_error) X(8, queue_checks) X(8, dry) X(1, method) \
		X(4, inline_size)
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
		wire_end_field(c, &list);
	}
	if (done->cpu.ns) {
		wire_begin_field(c, &list, FIELD_CPU, true, "cpu");
		done_put_cpu(c, &done->cpu);
		wire_end_field(c, &list);
	}
	if (done->events.known) {
		wire_begin_field(c, &list, FIELD_EVENTS, true, "events");
		wire_put(c, 8, done->events.sends);
		wire_put(c, 8, done->events.receives);
		wire_end_field(c, &list);
	}
	if (done->n_receivers) {
		wire_begin_field(c, &list, FIELD_RECEIVERS, true, "receivers");
		for (uint32_t i = 0; i < done->n_receivers; i++)
			wire_put(c, 8, done->receivers[i]);
		wire_end_field(c, &list);
	}
	if (done->span[0] || isfinite(done->clock.drift)) {
		wire_begin_field(c, &list, FIELD_CLOCK, true, "clock");
		wire_put_real(c, done->clock.drift);
		wire_put(c, 8, done->span[0]);
		wire_put(c, 8, done->span[1]);
		wire_put_string(c, done->clock.kernel);
		wire_end_field(c, &list);
	}
	wire_end_fields(c, &list);
}

void encode_done(struct frame *frame, const struct done *s)
{
	struct cursor cursor = wire_begin(frame, FRAME_DONE), *c = &cursor;

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
	wire_end(frame, c);
}

/* NAN is never allowed. */
static int real_check(const struct frame *frame, const char *field,
		      double value, double min, double max, struct error *err)
{
	if (value >= min && value <= max)
		return 0;
	return wire_refuse(err, frame, "with %s %g: expected %g to %g", field,
			   value, min, max);
}

/*
 * The values lie in these bins, and so bound the sum and the squares: the
 * squares are no smaller than for equal values, and each is no larger than that
 * of the value farthest from the origin.
 */
static int check_sums(const struct frame *frame, const struct histogram *h,
		      struct error *err)
{
	const double n = (double)h->count;
	uint64_t least = 0, most = 0;
	double offset, farthest;
	int ret;

	for (uint32_t i = 0; i < HISTOGRAM_BINS; i++) {
		least += h->bins[i] * larger(histogram_bin_low(i), h->min);
		most += h->bins[i] * (i == HISTOGRAM_BINS - 1 ? h->max :
				      smaller(histogram_bin_high(i), h->max));
	}
	ret = wire_check(frame, "sum", h->sum, least, most, err);
	if (ret)
		return ret;
	/* exact integers: reals would lose a small spread of large values */
	offset = (double)(int64_t)(h->sum - h->count * h->origin);
	farthest = (double)larger(h->max - h->origin, h->origin - h->min);
	return real_check(frame, "squares", h->squares,
			  offset * offset / n * (1 - ROUNDING),
			  n * farthest * farthest * (1 + ROUNDING), err);
}

/* Read N bins in ascending order; their counts must add up to h->count. */
static int get_bins(const struct frame *frame, struct cursor *c, uint32_t n,
		    struct histogram *h, struct error *err)
{
	const uint64_t first = histogram_bin(h->min);
	const uint64_t last = histogram_bin(h->max);
	uint64_t next = first, left = h->count;
	int ret = 0;

	for (uint32_t i = 0; i < n && !ret; i++) {
		uint64_t bin = wire_get(c, 4);
		uint64_t count = wire_get(c, 8);

		ret = wire_check(frame, "bin", bin, next, i == 0 ? first : last,
				 err) ?:
		      wire_check(frame, "count", count, 1, left, err);
		if (ret)
			break;
		h->bins[bin] = count;
		next = bin + 1;
		left -= count;
	}
	return ret ?:
	       wire_check(frame, "samples in no bin", left, 0, 0, err) ?:
	       wire_check(frame, "last bin", next - 1, last, last, err) ?:
	       check_sums(frame, h, err);
}

static int get_histogram(const struct frame *frame, struct cursor *c,
			 struct histogram *h, struct error *err)
{
	uint32_t n;

	histogram_reset(h);
	h->count = wire_get(c, 8);
	if (h->count == 0)
		return 0;
	h->min = wire_get(c, 8);
	h->max = wire_get(c, 8);
	h->sum = wire_get(c, 8);
	h->origin = wire_get(c, 8);
	h->squares = wire_get_real(c);
	n = (uint32_t)wire_get(c, 4);
	return wire_check(frame, "minimum", h->min, 0, h->max, err) ?:
	       wire_check(frame, "samples", h->count, 1, COUNT_MAX, err) ?:
	       wire_check(frame, "maximum", h->max, 0, UINT64_MAX / h->count,
			  err) ?:
	       wire_check(frame, "sum", h->sum, h->count * h->min,
			  h->count * h->max, err) ?:
	       wire_check(frame, "origin", h->origin, h->min, h->max, err) ?:
	       wire_check(frame, "number of bins", n, 1, HISTOGRAM_BINS, err) ?:
	       get_bins(frame, c, n, h, err);
}

static int get_threads(const struct frame *frame, struct cursor *c,
		       struct done *done, struct error *err)
{
	uint64_t n = wire_get(c, 4);
	int ret = wire_check(frame, "number of threads", n, 0, CPUS_MAX, err);

	if (ret)
		return ret;
	done->n_threads = (uint32_t)n;
	done->threads = xcalloc(n, sizeof(*done->threads));
	for (uint32_t i = 0; i < n; i++) {
		struct thread_row *s = &done->threads[i];

		THREAD_LIST(WIRE_GET)
	}
	return 0;
}

static int get_intervals(const struct frame *frame, struct cursor *c,
			 struct done *done, struct error *err)
{
	uint64_t n = wire_get(c, 4);
	int ret = wire_check(frame, "number of intervals", n, 0,
			     frame->length / INTERVAL_BYTES, err);

	if (ret)
		return ret;
	done->n_intervals = (uint32_t)n;
	done->intervals = xcalloc(n, sizeof(*done->intervals));
	for (uint32_t i = 0; i < n; i++) {
		struct interval *s = &done->intervals[i];

		INTERVAL_LIST(WIRE_GET)
	}
	return 0;
}

static int get_events(const struct frame *frame, struct cursor *c,
		      struct event_counts *events, struct error *err)
{
	events->known = true;
	events->sends = wire_get(c, 8);
	events->receives = wire_get(c, 8);
	return wire_check(frame, "events of sends", events->sends, 0, COUNT_MAX,
			  err) ?:
	       wire_check(frame, "events of receives", events->receives, 0,
			  COUNT_MAX, err);
}

/* Read the messages of each receiver of a group; together they are all that
 * were received. */
static int get_receivers(const struct frame *frame, struct cursor *c,
			 struct done *done, struct error *err)
{
	const uint64_t n = (c->size - c->at) / 8;
	uint64_t left = done->received;
	int ret = wire_check(frame, "number of receivers", n, 2,
			     ENDPOINT_QPS_MAX, err);

	if (ret)
		return ret;
	done->n_receivers = (uint32_t)n;
	done->receivers = xcalloc(n, sizeof(*done->receivers));
	for (uint32_t i = 0; i < n && !ret; i++) {
		done->receivers[i] = wire_get(c, 8);
		ret = wire_check(frame, "messages of a receiver",
				 done->receivers[i], i + 1 < n ? 0 : left,
				 left, err);
		left -= ret ? 0 : done->receivers[i];
	}
	return ret;
}

static int get_known(const struct frame *frame, struct field *field,
		     struct done *done, struct error *err)
{
	switch (field->id) {
	case FIELD_COUNTERS:
		return done_get_counters(frame, &field->value, &done->counters,
					 err);
	case FIELD_CPU:
		return done_get_cpu(frame, &field->value, &done->cpu, err);
	case FIELD_EVENTS:
		return get_events(frame, &field->value, &done->events, err);
	case FIELD_RECEIVERS:
		return get_receivers(frame, &field->value, done, err);
	case FIELD_CLOCK:
		done->clock.drift = wire_get_real(&field->value);
		done->span[0] = wire_get(&field->value, 8);
		done->span[1] = wire_get(&field->value, 8);
		wire_get_string(&field->value, done->clock.kernel,
				sizeof(done->clock.kernel));
		return 0;
	default:
		return -ENOENT;
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
static int get_field(const struct frame *frame, struct field *field,
		     void *into, struct error *err)
{
	struct error why = { 0 };
	int ret = get_known(frame, field, into, &why);

	(void)err;
	/* the caller reports what is too short */
	if (!ret || ret == -ENOENT || field->value.failed)
		return ret == -ENOENT ? ret : 0;
	done_leave_out(into, field->name, &why);
	clear_field(into, field->id);
	field->value.at = field->value.size;
	return 0;
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

/* Read the message counts and times. */
static int get_counts(const struct frame *frame, struct cursor *c,
		      struct done *done, struct error *err)
{
	int ret = 0;

#define X(member, name) \
	done->member = wire_get(c, 8); \
	ret = ret ?: wire_check(frame, name, done->member, 0, COUNT_MAX, err);
	COUNT_LIST(X)
#undef X
	return ret;
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

int decode_done(const struct frame *frame, struct done *done,
		struct error *err)
{
	struct cursor c = wire_open(frame);
	int ret = get_counts(frame, &c, done, err);

	get_details(&c, done);
	ret = ret ?:
	      get_threads(frame, &c, done, err) ?:
	      get_intervals(frame, &c, done, err);
	if (!ret && done->latency)
		ret = get_histogram(frame, &c, done->latency, err);
	else if (!ret)
		ret = wire_check(frame, "samples", wire_get(&c, 8), 0, 0, err);
	return ret ?:
	       wire_get_fields(frame, &c, get_field, done, err) ?:
	       wire_close(&c, frame, err);
}
