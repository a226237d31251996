/* DONE: how one size went, with the histogram when there is one. */
#include "config.h"
#include "control/frames.h"

#include <errno.h>
#include <math.h>

static uint32_t count_bins(const struct histogram *h)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < HISTOGRAM_BINS; i++)
		n += h->bins[i] != 0;
	return n;
}

static void put_histogram(struct cursor *c, const struct histogram *h)
{
	wire_put(c, 8, h->count);
	if (h->count == 0)
		return;
	wire_put(c, 8, h->min);
	wire_put(c, 8, h->max);
	wire_put(c, 8, h->sum);
	wire_put(c, 8, h->origin);
	wire_put_real(c, h->squares);
	wire_put(c, 4, count_bins(h));
	for (uint32_t i = 0; i < HISTOGRAM_BINS; i++) {
		if (!h->bins[i])
			continue;
		wire_put(c, 4, i);
		wire_put(c, 8, h->bins[i]);
	}
}

void encode_done(struct frame *frame, const struct done *done)
{
	struct cursor c = wire_begin(frame, FRAME_DONE);

	wire_put(&c, 8, done->posted);
	wire_put(&c, 8, done->received);
	wire_put(&c, 8, done->counted);
	wire_put(&c, 8, done->window_ns);
	wire_put_string(&c, done->clock.source);
	wire_put_real(&c, done->clock.resolution_ns);
	wire_put_real(&c, done->clock.read_cost_ns);
	wire_put_real(&c, done->ns_per_tick);
	put_histogram(&c, done->latency);
	wire_end(frame, &c);
}

static int real_check(const struct frame *frame, const char *field,
		      double value, struct error *err)
{
	if (isfinite(value) && value >= 0)
		return 0;
	return fail(err, -EPROTO, NULL,
		    "the peer sent a %s with %s %g: must be at least 0",
		    frame_name(frame->type), field, value);
}

/* N bins in ascending order, whose counts make up h->count. */
static int get_bins(const struct frame *frame, struct cursor *c, uint32_t n,
		    struct histogram *h, struct error *err)
{
	uint64_t next = 0, left = h->count;
	int ret = 0;

	for (uint32_t i = 0; i < n && !ret; i++) {
		uint64_t bin = wire_get(c, 4);
		uint64_t count = wire_get(c, 8);

		ret = wire_check(frame, "bin", bin, next, HISTOGRAM_BINS - 1,
				 err);
		if (!ret)
			ret = wire_check(frame, "count", count, 1, left, err);
		if (ret)
			break;
		h->bins[bin] = count;
		next = bin + 1;
		left -= count;
	}
	if (!ret)
		ret = wire_check(frame, "samples in no bin", left, 0, 0, err);
	return ret;
}

static int get_histogram(const struct frame *frame, struct cursor *c,
			 struct histogram *h, struct error *err)
{
	uint32_t n;
	int ret;

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
	ret = wire_check(frame, "minimum", h->min, 0, h->max, err);
	if (!ret)
		ret = real_check(frame, "squares", h->squares, err);
	if (!ret)
		ret = wire_check(frame, "number of bins", n, 1,
				 HISTOGRAM_BINS, err);
	return ret ? ret : get_bins(frame, c, n, h, err);
}

int decode_done(const struct frame *frame, struct done *done,
		struct error *err)
{
	struct clock_description *clock = &done->clock;
	struct cursor c = wire_open(frame);
	int ret;

	done->posted = wire_get(&c, 8);
	done->received = wire_get(&c, 8);
	done->counted = wire_get(&c, 8);
	done->window_ns = wire_get(&c, 8);
	wire_get_string(&c, clock->source, sizeof(clock->source));
	clock->resolution_ns = wire_get_real(&c);
	clock->read_cost_ns = wire_get_real(&c);
	done->ns_per_tick = wire_get_real(&c);
	ret = real_check(frame, "clock resolution", clock->resolution_ns, err);
	if (!ret)
		ret = real_check(frame, "clock cost", clock->read_cost_ns,
				 err);
	if (!ret)
		ret = real_check(frame, "tick", done->ns_per_tick, err);
	if (!ret)
		ret = get_histogram(frame, &c, done->latency, err);
	return ret ? ret : wire_close(&c, frame, err);
}
