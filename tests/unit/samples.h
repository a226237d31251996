/* One of each frame, as a value and as bytes (golden.h, golden_plan.h). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "net/frames.h"

struct sample {
	const char *name;
	enum frame_type type;
	const uint8_t *bytes;
	size_t size;
	void (*encode)(struct frame *frame);
};

extern const struct sample samples[];
extern const size_t n_samples;

struct port sample_port(void);
struct plan sample_plan(void);
struct endpoint sample_endpoint(void);	/* qps are static: do not free */
struct error sample_error(void);
struct done sample_done(void);		/* free latency */

/* SIZE bytes at BYTES as a received frame with a copy of just that size. */
struct frame sample_frame(enum frame_type type, const uint8_t *bytes,
			  size_t size);

/* Decode FRAME as what its type says; what came out is dropped. */
int sample_decode(const struct frame *frame, struct error *err);
