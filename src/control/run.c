#include "config.h"
#include "control/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "control/frames.h"
#include "control/load.h"
#include "control/monitor.h"
#include "control/outcome.h"
#include "control/threads.h"
#include "model/tests.h"
#include "traffic/bandwidth.h"
#include "traffic/latency.h"
#include "traffic/open_loop.h"
#include "traffic/responder.h"

#define INTERVAL_NS 100000000ULL
#define MOST_INTERVALS 20
/* Of those the user chose: more are joined. */
#define MOST_OWN_INTERVALS 10000

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static const struct plan *plan_of(const struct session *s)
{
	return &s->result->params.plan;
}

/* Where a ping-pong by RDMA write looks for, and puts, the last byte: of the
 * first of its slots. */
static void set_flags(struct session *s, uint64_t size)
{
	uint64_t last = size ? size - 1 : 0;
	struct flow *f = &s->flows[0];

	f->flag_out = s->res.buffer + last;
	f->flag_in = resources_incoming(&s->res, plan_of(s)) + last;
	f->slots = plan_slots(plan_of(s));
	f->slot_step = plan_slot_step(plan_of(s));
	for (uint32_t i = 0; i < f->slots; i++)
		f->flag_in[i * f->slot_step] = 0;
}

/* Everything the loops of this end need, before the peer is told. */
static int prepare(struct session *s, uint64_t size)
{
	const struct plan *plan = plan_of(s);
	bool bandwidth = plan->metric == METRIC_BANDWIDTH;
	const struct flow_shape shape = {
		.size = size,
		.walk = bandwidth ? plan->walk : size,
		.depth = plan_depth(plan, size),
		.signal_every = plan_cq_mod(plan, size),
		.list_length = plan_post_list(plan, size),
		.iterations = plan->iterations,
	};

	for (uint32_t t = 0; t < s->n_flows; t++)
		flow_prepare(&s->flows[t], plan->op, &shape);
	load_prepare(s, size);
	set_flags(s, size);
	return session_fill_receives(s);
}

static int client_loop(struct session *s)
{
	const struct plan *plan = plan_of(s);

	if (plan->metric == METRIC_BANDWIDTH)
		return threads_run(s, bandwidth_run);
	if (plan_is_open(plan))
		return threads_run(s, open_loop_run);
	if (plan_is_pingpong(plan))
		return threads_run(s, latency_ping);
	return threads_run(s, latency_round_trip);
}

static int server_loop(struct session *s, struct monitor *m)
{
	const struct plan *plan = plan_of(s);

	if (plan_is_pingpong(plan))
		return threads_run(s, latency_pong);
	if (plan_posts_receives(plan, false))
		return threads_run(s, responder_run);
	monitor_wait(m);
	return error_is_set(&m->err) ? -ECANCELED : 0;
}

static bool server_has_loop(const struct session *s)
{
	return plan_is_pingpong(plan_of(s)) ||
	       plan_posts_receives(plan_of(s), false);
}

/*
 * How long intervals are, in ns; 0: there are none.  As long as the user says,
 * else 100 ms or 1/20 of the run, whichever is longer, and so that they fill
 * the run.
 */
static uint64_t interval_length(const struct session *s)
{
	const struct plan *plan = plan_of(s);
	uint64_t least = larger(plan->duration / MOST_INTERVALS, INTERVAL_NS);

	if (!s->client || plan->metric != METRIC_BANDWIDTH)
		return 0;
	if (s->result->params.interval)
		return s->result->params.interval;
	if (plan->iterations)
		return least;
	return plan->duration < least ? 0 :
		       plan->duration / (plan->duration / least);
}

static struct progress make_progress(struct session *s, uint64_t size)
{
	const struct parameters *params = &s->result->params;

	return (struct progress){
		.control = s->control,
		.flows = s->flows,
		.n_flows = s->n_flows,
		.clock = &s->clock,
		.interval = interval_length(s),
		.most = params->interval ? MOST_OWN_INTERVALS : MOST_INTERVALS,
		.rows = params->interval > 0,
		.line = s->client && !params->interval && isatty(2),
		.name = test_name(params->plan.op, params->plan.metric,
				  s->test),
		.size = size,
	};
}

static struct monitor make_monitor(struct session *s,
				   struct progress *progress)
{
	const struct plan *plan = plan_of(s);

	return (struct monitor){
		.conn = s->conn,
		.context = s->device->context,
		.clock = &s->clock,
		.watch = &s->watch,
		.control = s->control,
		.progress = progress,
		.client = s->client,
		.warmup = plan->warmup,
		.duration = plan->iterations ? 0 : plan->duration,
		.timeout = plan->timeout,
	};
}

static int say_done(struct session *s, const struct done *done)
{
	struct frame frame;

	encode_done(&frame, done);
	return session_send(s, &frame);
}

static int say_start(struct session *s, uint64_t size)
{
	struct frame frame;

	encode_start(&frame, size);
	return session_send(s, &frame);
}

static int hear_start(struct session *s, uint64_t size)
{
	struct error *err = &s->result->error;
	struct frame frame;
	uint64_t answered;
	int ret = session_expect(s, FRAME_START, &frame);

	if (ret)
		return ret;
	ret = decode_start(&frame, &answered, err);
	frame_free(&frame);
	return ret ? ret : wire_check(&frame, "size", answered, size, size,
				      err);
}

/* What a client says must suit the plan; a server has little to say. */
static int check_done(struct session *s, const struct frame *frame,
		      const struct done *done)
{
	struct error *err = &s->result->error;
	const struct plan *plan = plan_of(s);
	uint32_t threads = plan->threads > 1 ? plan->threads : 0;
	int ret;

	if (s->client)
		return 0;
	ret = wire_check(frame, "threads", done->n_threads, threads, threads,
			 err);
	for (uint32_t i = 0; i < done->n_threads && !ret; i++)
		ret = wire_check(frame, "QPs of a thread",
				 done->threads[i].qps, 1, plan->qps, err);
	if (!ret && s->latency)
		ret = wire_check(frame, "number of intervals",
				 done->n_intervals, 0, 0, err);
	if (!ret && s->latency)
		ret = wire_check(frame, "samples", done->latency->count,
				 done->counted, done->counted, err);
	if (!ret)
		ret = wire_check(frame, "late", done->late, 0,
				 plan_is_open(plan) ? done->counted : 0, err);
	return ret;
}

/* done_free() and free(done->latency) it. */
static int take_done(struct session *s, const struct frame *frame,
		     struct done *done)
{
	int ret;

	if (s->latency)
		done->latency = histogram_new();
	ret = decode_done(frame, done, &s->result->error);
	return ret ? ret : check_done(s, frame, done);
}

static int hear_done(struct session *s, struct done *done)
{
	struct frame frame;
	int ret = session_expect(s, FRAME_DONE, &frame);

	if (ret)
		return ret;
	ret = take_done(s, &frame, done);
	frame_free(&frame);
	return ret;
}

/* What the server counted must agree with ROW. */
static int hear_and_compare(struct session *s, struct result_row *row)
{
	struct done theirs = { 0 };
	int ret = hear_done(s, &theirs);

	if (!ret)
		ret = outcome_compare(s, row, &theirs);
	done_free(&theirs);
	free(theirs.latency);
	return ret;
}

static uint64_t counted(const struct session *s)
{
	uint64_t n = 0;

	for (uint32_t t = 0; t < s->n_flows; t++)
		n += s->flows[t].counted;
	return n;
}

/* The client's loops are over, with RET: its row, and what the server says. */
static int finish_client(struct session *s, uint64_t size,
			 const struct monitor *m, uint64_t dropped, int ret)
{
	struct result_row *row;
	struct done mine;

	if (ret && !counted(s))
		return ret;
	outcome_describe(s, m, &mine);
	if (!ret)
		ret = say_done(s, &mine);
	row = outcome_add_row(s, size, &mine);
	row->samples_dropped = dropped;
	if (!ret)
		ret = hear_and_compare(s, row);
	row->failed = ret != 0;
	return ret;
}

/* START both ways, and the watch begins. */
static int begin(struct session *s, uint64_t size, struct monitor *m)
{
	int ret;

	session_stage(s, "start");
	ret = prepare(s, size);
	if (!ret)
		ret = say_start(s, size);
	if (!ret && s->client)
		ret = hear_start(s, size);
	if (!ret)
		ret = monitor_start(m, &s->result->error);
	if (!ret)
		session_stage(s, "traffic");
	return ret;
}

static void tell_dropped(const struct session *s, uint64_t dropped)
{
	if (dropped)
		log_warning("--samples: %llu of %llu samples came faster than "
			    "%s could be written and are not in it",
			    (unsigned long long)dropped,
			    (unsigned long long)counted(s), s->recorder->path);
}

/* The loops of the client, with every sample recorded if that is wanted. */
static int measure(struct session *s, uint64_t size, uint64_t *dropped)
{
	struct recorder *r = s->recorder;
	int ret;

	if (!r)
		return client_loop(s);
	s->flows[0].samples = r->ring;
	ret = recorder_start(r, &s->clock, result_latency_factor(plan_of(s)),
			     size, &s->result->error);
	if (ret)
		return ret;
	ret = client_loop(s);
	*dropped = recorder_stop(r);
	return ret;
}

int run_client(struct session *s, uint64_t size)
{
	struct progress progress = make_progress(s, size);
	struct monitor m = make_monitor(s, &progress);
	uint64_t dropped = 0;
	int ret;

	progress_init(&progress);
	ret = begin(s, size, &m);
	if (!ret) {
		ret = measure(s, size, &dropped);
		monitor_stop(&m);
		outcome_settle(s, &m);
		progress_close(&progress);
		tell_dropped(s, dropped);
		if (ret || error_is_set(&m.err))
			ret = outcome_explain(s, &m, ret ? ret : -ECANCELED);
		ret = finish_client(s, size, &m, dropped, ret);
	}
	progress_free(&progress);
	return ret;
}

/* The server's part is over: the client's row, and what this end counted. */
static int finish_server(struct session *s, uint64_t size, struct monitor *m)
{
	struct done mine, theirs = { 0 };
	int ret = take_done(s, &m->done, &theirs);

	outcome_describe(s, m, &mine);
	if (!ret)
		ret = outcome_compare(s, outcome_add_row(s, size, &theirs),
				      &mine);
	if (!ret)
		ret = say_done(s, &mine);
	done_free(&mine);
	done_free(&theirs);
	free(theirs.latency);
	return ret;
}

int run_server(struct session *s, uint64_t size)
{
	struct progress progress = make_progress(s, size);
	struct monitor m = make_monitor(s, &progress);
	int ret;

	progress_init(&progress);
	ret = begin(s, size, &m);
	if (!ret) {
		ret = server_loop(s, &m);
		if (server_has_loop(s))
			monitor_stop(&m);
		if (ret || !m.have_done)
			ret = outcome_explain(s, &m, ret ? ret : -ECANCELED);
		else
			ret = finish_server(s, size, &m);
		if (m.have_done)
			frame_free(&m.done);
	}
	progress_free(&progress);
	return ret;
}
