/* The loop of batches: many requests posted together, complete when all are. */
#include "config.h"
#include "traffic/batch.h"

#include "base/numbers.h"
#include "traffic/single.h"
#include "traffic/window.h"

uint64_t batch_requests(const struct batch *b)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < b->n; i++)
		n += b->parts[i].count;
	return n;
}

uint64_t batch_bytes(const struct batch *b)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < b->n; i++)
		bytes += (uint64_t)b->parts[i].count * b->parts[i].size;
	return bytes;
}

uint64_t batch_largest(const struct batch *b)
{
	uint64_t largest = 0;

	for (uint32_t i = 0; i < b->n; i++)
		largest = larger(largest, b->parts[i].size);
	return largest;
}

uint64_t batch_share(const struct batch *b, uint32_t qps)
{
	return (batch_requests(b) + qps - 1) / qps;
}

static uint64_t span_of(uint32_t size)
{
	return round_up(size, CACHE_LINE);
}

uint64_t batch_extent(const struct batch *b, uint32_t qps)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < b->n; i++)
		bytes += ((uint64_t)b->parts[i].count + qps - 1) / qps *
			 span_of(b->parts[i].size);
	return bytes;
}

/* Bytes of request NUMBER of B. */
static uint32_t size_of(const struct batch *b, uint64_t number)
{
	uint32_t i = 0;

	while (number >= b->parts[i].count)
		number -= b->parts[i++].count;
	return b->parts[i].size;
}

/* Of a list that is too long for Q's share, the first send of that share: its
 * last one is the list's, which is signaled.  The share goes to *N. */
static struct flow_request *share_of(const struct flow *f,
				     const struct flow_qp *q, uint64_t requests,
				     uint32_t *n)
{
	const uint64_t i = (uint64_t)(q - f->qps);

	*n = (uint32_t)((requests + f->n_qps - 1 - i) / f->n_qps);
	return &q->requests[f->shape.list_length - *n];
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* A step that visits each of N requests once, far from the one before. */
static uint64_t scattering_step(uint32_t n)
{
	uint32_t step = n * 5 / 8;

	while (common_divisor(n, step) != 1)
		step++;
	return step;
}

/* Give the N requests from R on of Q their places.  What a longer walk has more
 * than they need lies between them. */
static void scatter(const struct flow *f, const struct flow_qp *q,
		    struct flow_request *r, uint32_t n)
{
	const uint64_t step = scattering_step(n);
	uint64_t used = 0, gap = 0, offset = 0;

	for (uint32_t i = 0; i < n; i++)
		used += span_of(r[i].sge.length);
	if (f->shape.walk > used)
		gap = (f->shape.walk - used) / n / CACHE_LINE * CACHE_LINE;
	for (uint32_t i = 0; i < n; i++) {
		struct flow_request *at = &r[i * step % n];

		at->sge.addr = q->local + offset;
		at->wr.wr.rdma.remote_addr = q->remote + offset;
		offset += span_of(at->sge.length) + gap;
	}
}

void batch_prepare(struct flow *f, const struct batch *b)
{
	const uint64_t requests = batch_requests(b);

	for (uint32_t i = 0; i < f->n_qps; i++) {
		uint32_t n;
		struct flow_request *r = share_of(f, &f->qps[i], requests, &n);

		for (uint32_t k = 0; k < n; k++) {
			const uint32_t size =
				size_of(b, i + (uint64_t)k * f->n_qps);

			r[k].sge.length = size;
			if (size <= f->inline_size &&
			    !op_table[f->layout.op].fetches)
				r[k].wr.send_flags |= IBV_SEND_INLINE;
		}
		scatter(f, &f->qps[i], r, n);
	}
	f->batch = requests;
}

/* Post a batch, a list to each queue pair.  Returns 0 or a negative errno. */
static int post_batch(struct flow *f)
{
	for (uint32_t i = 0; i < f->n_qps; i++) {
		struct flow_qp *q = &f->qps[i];
		uint32_t n;
		struct flow_request *r = share_of(f, q, f->batch, &n);
		int ret;

		r[n - 1].wr.wr_id = q->tag | (q->posted + n);
		ret = post_any(f, q, r, n);
		if (ret)
			return post_failed(f, q, ret);
		q->posted += n;
	}
	f->posted++;
	return 0;
}

/* Wait until all requests posted are complete.  Returns 0 or a negative
 * errno. */
static int await_batch(struct flow *f)
{
	uint64_t completed = 0, before;
	int ret = 0;

	while (!ret && completed < f->batch) {
		if (flow_phase(f) == PHASE_ABORT)
			return -ECANCELED;
		next_cqs(f);
		before = completed;
		ret = reap_into(f, &completed);
		if (!ret && completed == before)
			ret = idle(f);
	}
	return ret;
}

/* Count a batch that began at START.  Nothing is outstanding now, so the end of
 * any batch is an edge of the window that is known exactly.  Returns 0, or
 * -ECANCELED after an abort. */
static int count_batch(struct flow *f, uint64_t start, uint32_t *seen)
{
	const uint64_t now = clock_ticks(f->clock);
	const uint32_t command = flow_command(f);

	if (phase_of(command) == PHASE_ABORT)
		return -ECANCELED;
	f->completed++;
	tell_progress(f, f->completed);
	f->polls.last = now;
	f->polls.gap = 0;
	f->polls.drained = true;
	if (f->window.opened) {
		histogram_record(f->latency, now - start);
		if (f->samples)
			samples_put(f->samples, start, now - start);
		if (f->completed == f->window.warmup + f->shape.iterations)
			window_close(f);
	}
	if (command != *seen)
		*seen = window_edge(f, *seen, command);
	return 0;
}

int batch_run(struct flow *f, enum op op)
{
	uint32_t seen = window_begin(f);
	int ret = 0;

	(void)op;	/* the requests have it */
	if (seen != PHASE_WARMUP)
		window_open(f);
	while (!ret && !f->window.closed) {
		const uint64_t start = clock_ticks(f->clock);

		ret = post_batch(f) ?:
		      await_batch(f) ?:
		      count_batch(f, start, &seen);
	}
	if (ret)
		window_cut(f);
	return ret;
}
