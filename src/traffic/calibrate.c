/* Measures what loops and clock cost, on a provider that does nothing. */
#include "config.h"
#include "traffic/calibrate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/time.h"
#include "base/xalloc.h"
#include "traffic/flow.h"
#include "traffic/loops.h"
#include "traffic/null_provider.h"
#include "traffic/post.h"

/* Many short runs, of which some fit between two disturbances even on a busy
 * machine.  What disturbs a run makes it longer, so what one run in ten falls
 * below is the cost: a difference of two such costs is that of the columns. */
#define RUNS 199
#define MESSAGES 48000
#define TENTH (20 - 1)
/* With 97.5% confidence each lies between these two of the sorted runs, 20 +-
 * 2.24 sqrt(199 0.1 0.9), and so the difference with 95%. */
#define LOW (10 - 1)
#define HIGH (30 - 1)
#define ITERATION_RUNS 99
#define TURNS 5000
#define SAMPLES 1000000
#define DEPTH 128
#define SIZE 64
#define WALK 4096

/* One QP of the null provider, and the flow over it. */
struct bench {
	struct null_provider provider;
	struct flow_control control;
	struct flow_progress progress;
	struct flow_qp qp;
	struct flow_request requests[FLOW_PREPARED];
	struct flow flow;
};

static struct bench *new_bench(const struct clock *clock)
{
	struct bench *b = xcalloc_lines(1, sizeof(*b));

	null_provider_init(&b->provider);
	b->control.command = PHASE_MEASURE;
	b->qp.qp = &b->provider.qp;
	b->qp.requests = b->requests;
	b->flow = (struct flow){
		.qps = &b->qp,
		.n_qps = 1,
		.send_cq = &b->provider.cq,
		.recv_cq = &b->provider.cq,
		.clock = clock,
		.control = &b->control,
		.progress = &b->progress,
		.method = POST_LEGACY,
	};
	return b;
}

static void prepare(struct bench *b, enum op op,
		    const struct calibration_loop *loop, uint64_t iterations)
{
	flow_prepare(&b->flow, op, &(struct flow_shape){
		.size = SIZE,
		.walk = op == OP_READ ? SIZE : WALK,
		.depth = DEPTH,
		.cq_mod = loop->signal_every,
		.list_length = loop->list_length,
		.iterations = iterations,
	});
}

/* The least that a loop must do: call the verbs, check their return values and
 * count outstanding messages. */
static int bare_loop(struct bench *b, const struct calibration_loop *loop)
{
	const uint32_t lists = loop->signal_every > loop->list_length ?
				       loop->signal_every / loop->list_length :
				       1;
	const uint32_t per_completion = lists * loop->list_length;
	struct ibv_send_wr *wr = &b->requests[0].wr;
	unsigned int *flags = &b->requests[loop->list_length - 1].wr.send_flags;
	struct ibv_wc wc[POLL_BATCH];
	struct ibv_send_wr *bad;

	for (uint64_t left = MESSAGES; left >= per_completion;) {
		uint32_t room = DEPTH;
		int n;

		for (; room >= per_completion; room -= per_completion) {
			*flags = b->qp.flags[false];
			for (uint32_t i = 1; i < lists; i++)
				if (ibv_post_send(b->qp.qp, wr, &bad))
					return -EIO;
			*flags = b->qp.flags[true];
			if (ibv_post_send(b->qp.qp, wr, &bad))
				return -EIO;
			left -= left < per_completion ? left : per_completion;
		}
		do {
			n = ibv_poll_cq(b->flow.send_cq, POLL_BATCH, wc);
			for (int i = 0; i < n; i++)
				if (wc[i].status != IBV_WC_SUCCESS)
					return -EIO;
		} while (n > 0);
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void sort(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), compare);
}

static double window_length(const struct flow *f)
{
	return (double)(f->window.closed - f->window.opened);
}

/* Alternate between the loops, so that a disturbance hits both alike. */
static int time_loop(struct bench *b, struct calibration_loop *loop)
{
	double ns[RUNS], bare[RUNS];
	int ret = 0;

	for (int i = 0; i < RUNS && !ret; i++) {
		uint64_t start;

		prepare(b, OP_WRITE, loop, 0);
		start = clock_ticks(b->flow.clock);
		ret = bare_loop(b, loop);
		bare[i] = (double)(clock_ticks(b->flow.clock) - start) /
			  MESSAGES;
		if (ret)
			break;
		prepare(b, OP_WRITE, loop, MESSAGES);
		ret = bandwidth_run(&b->flow, OP_WRITE);
		ns[i] = window_length(&b->flow) / MESSAGES;
	}
	if (ret)
		return ret;
	sort(ns, RUNS);
	sort(bare, RUNS);
	loop->ns = ns[TENTH];
	loop->bare_ns = bare[TENTH];
	loop->own_ns = loop->ns - loop->bare_ns;
	loop->own_low_ns = ns[LOW] - bare[HIGH];
	loop->own_high_ns = ns[HIGH] - bare[LOW];
	return 0;
}

/* Time many short runs for the usual cost, and a long one for what disturbs
 * it. */
static int time_samples(struct bench *b, struct calibration *c)
{
	static const struct calibration_loop each = { .signal_every = 1,
						      .list_length = 1 };
	double iteration[ITERATION_RUNS];
	int ret = 0;

	b->flow.latency = c->samples;
	for (int i = 0; i < ITERATION_RUNS && !ret; i++) {
		prepare(b, OP_READ, &each, TURNS);
		ret = latency_round_trip(&b->flow, OP_READ);
		iteration[i] = window_length(&b->flow) / TURNS;
	}
	if (ret)
		return ret;
	sort(iteration, ITERATION_RUNS);
	c->sample_ns = iteration[ITERATION_RUNS / 2];
	prepare(b, OP_READ, &each, SAMPLES);
	return latency_round_trip(&b->flow, OP_READ);
}

/* Convert ticks to ns: the run is over and the ratio known. */
static void convert(struct calibration *c)
{
	c->ns_per_tick = clock_ns_per_tick(&c->clock);
	c->sample_ns *= c->ns_per_tick;
	for (int i = 0; i < CALIBRATION_LOOPS; i++) {
		struct calibration_loop *loop = &c->loops[i];

		loop->ns *= c->ns_per_tick;
		loop->bare_ns *= c->ns_per_tick;
		loop->own_ns *= c->ns_per_tick;
		loop->own_low_ns *= c->ns_per_tick;
		loop->own_high_ns *= c->ns_per_tick;
	}
}

static uint64_t cpu_time(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * SECOND + (uint64_t)used.tv_nsec;
}

/* How often this thread lost its CPU since it began. */
static uint64_t times_taken(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (uint64_t)usage.ru_nivcsw;
}

static int time_everything(struct bench *b, struct clock_watch *watch,
			   struct calibration *c)
{
	const uint64_t began = time_now(), used = cpu_time();
	const uint64_t taken = times_taken();
	int ret = 0;

	for (int i = 0; i < CALIBRATION_LOOPS && !ret; i++) {
		ret = time_loop(b, &c->loops[i]);
		clock_watch_update(watch, &c->clock);
	}
	if (!ret)
		ret = time_samples(b, c);
	clock_watch_update(watch, &c->clock);
	c->on_cpu_percent = 100 * (double)(cpu_time() - used) /
			    (double)time_since(began);
	c->taken = times_taken() - taken;
	return ret;
}

int calibrate(enum clock_choice choice, struct calibration *c)
{
	static const struct calibration_loop loops[CALIBRATION_LOOPS] = {
		{ .name = "-Q 100", .signal_every = 100, .list_length = 1 },
		{ .name = "-Q 1", .signal_every = 1, .list_length = 1 },
		{ .name = "-l 16", .signal_every = 96, .list_length = 16 },
	};
	struct clock_watch watch;
	struct bench *b;
	int ret;

	*c = (struct calibration){ .samples = histogram_new() };
	memcpy(c->loops, loops, sizeof(loops));
	clock_start(&c->clock, choice);
	clock_watch_begin(&watch, &c->clock);
	b = new_bench(&c->clock);
	ret = time_everything(b, &watch, c);
	c->deviation = watch.deviation;
	convert(c);
	free(b);
	return ret;
}

void calibration_free(struct calibration *c)
{
	free(c->samples);
	c->samples = NULL;
}
