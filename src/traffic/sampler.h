/* Records latency samples and decides which of them count. */
#pragma once

#include "traffic/flow.h"

/* A sequence of samples; the caller reads the clock. */
struct sampler {
	uint64_t start;		/* of the current sample; 0: not counted */
	uint64_t left;		/* samples not yet started */
};

static inline struct sampler sampler_init(const struct flow *f)
{
	return (struct sampler){
		.left = f->shape.iterations ? f->shape.iterations : UINT64_MAX,
	};
}

/* Begin a sample at NOW if the warm-up is over and more are wanted. */
static ALWAYS_INLINE void sample_begin(struct flow *f, struct sampler *s,
				       uint64_t now)
{
	s->start = 0;
	if (flow_phase(f) < PHASE_MEASURE || s->left == 0)
		return;
	s->left--;
	s->start = now;
	if (__builtin_expect(!f->window.opened, 0)) {
		f->window.opened = now;
		f->window.warmup = f->completed;
	}
}

static ALWAYS_INLINE void sample_end(struct flow *f, struct sampler *s,
				     uint64_t now)
{
	if (!s->start)
		return;
	histogram_record(f->latency, now - s->start);
	if (f->samples)
		samples_put(f->samples, s->start, now - s->start);
	f->window.closed = now;
	f->window.counted++;
}

/* True when the loop has measured enough.  If the time was over before the
 * first sample began, one sample is enough. */
static ALWAYS_INLINE bool finished(const struct flow *f,
				   const struct sampler *s)
{
	return s->left == 0 || (!f->shape.iterations && f->window.opened &&
				flow_phase(f) >= PHASE_DRAIN);
}
