#include "config.h"
#include "control/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "control/frames.h"
#include "control/monitor.h"
#include "traffic/bandwidth.h"
#include "traffic/latency.h"
#include "traffic/responder.h"
#include "verbs/explain.h"

#define CAUSE_WAIT_MS 50

static const struct plan *plan_of(const struct session *s)
{
	return &s->result->params.plan;
}

/* Where a ping-pong by RDMA write looks for, and puts, the last byte. */
static void set_flags(struct session *s, uint64_t size)
{
	uint64_t last = size ? size - 1 : 0;

	s->flow.flag_out = s->res.buffer + last;
	s->flow.flag_in = resources_incoming(&s->res, plan_of(s)) + last;
	*s->flow.flag_in = 0;
}

/* Everything the loop of this end needs, before the peer is told. */
static int prepare(struct session *s, uint64_t size)
{
	const struct plan *plan = plan_of(s);
	bool bandwidth = plan->metric == METRIC_BANDWIDTH;
	int ret;

	flow_prepare(&s->flow, size, bandwidth ? plan->walk : size,
		     plan_depth(plan, size), plan_cq_mod(plan, size),
		     plan->iterations);
	set_flags(s, size);
	ret = flow_fill_receives(&s->flow);
	if (ret)
		fail(&s->result->error, ret, NULL,
		     "%s: cannot post receives: %s", s->device->port.device,
		     strerror(-ret));
	return ret;
}

static int client_loop(struct session *s)
{
	const struct plan *plan = plan_of(s);

	if (plan->metric == METRIC_BANDWIDTH)
		return bandwidth_run(&s->flow, plan->op);
	if (plan_is_pingpong(plan))
		return latency_ping(&s->flow, plan->op);
	return latency_round_trip(&s->flow, plan->op);
}

static int server_loop(struct session *s, struct monitor *m)
{
	const struct plan *plan = plan_of(s);

	if (plan_is_pingpong(plan))
		return latency_pong(&s->flow, plan->op);
	if (plan_posts_receives(plan, false))
		return responder_run(&s->flow);
	monitor_wait(m);
	return error_is_set(&m->err) ? -ECANCELED : 0;
}

static bool server_has_loop(const struct session *s)
{
	return plan_is_pingpong(plan_of(s)) ||
	       plan_posts_receives(plan_of(s), false);
}

static struct monitor make_monitor(struct session *s)
{
	const struct plan *plan = plan_of(s);

	return (struct monitor){
		.conn = s->conn,
		.context = s->device->context,
		.clock = &s->clock,
		.control = &s->control,
		.client = s->client,
		.warmup = plan->warmup,
		.duration = plan->iterations ? 0 : plan->duration,
		.timeout = plan->timeout,
	};
}

/* The cause may reach its queue a moment after what was flushed for it. */
static void find_cause(struct flow *f)
{
	static const struct timespec pause = { .tv_nsec = 1000000 };

	for (int ms = 0; !flow_find_failure(f) && ms < CAUSE_WAIT_MS; ms++)
		nanosleep(&pause, NULL);
}

/*
 * Why the traffic ended early.  A completion with an error tells more than
 * the asynchronous event that comes with it, so it is looked for.
 */
static int explain(struct session *s, const struct monitor *m, int ret)
{
	struct error *err = &s->result->error;
	struct flow_failure *failure = &s->flow.failure;
	bool aborted = error_is_set(&m->err);
	bool event = !m->err.from_peer &&
		     !strncmp(m->err.code, "IBV_EVENT_", 10);

	if (!aborted || event)
		find_cause(&s->flow);
	if (failure->verb && (!aborted || event))
		return explain_failure(failure, plan_of(s)->op,
				       s->res.qps[failure->qp_index]
					       .qp->qp_num, err);
	if (aborted && !error_is_set(err)) {
		char stage[sizeof(err->stage)];

		memcpy(stage, err->stage, sizeof(stage));
		*err = m->err;
		if (!err->from_peer)
			memcpy(err->stage, stage, sizeof(stage));
	}
	return ret;
}

/* What this end counted; the window of a run that failed ends where progress
 * was last seen. */
static struct done describe(struct session *s, const struct monitor *m)
{
	const struct flow *f = &s->flow;
	double tick = clock_ns_per_tick(&s->clock);
	uint64_t closed = f->closed ? f->closed : m->progress_ticks;
	struct done done = {
		.posted = f->posted,
		.received = f->received,
		.counted = f->counted,
		.clock = {
			.resolution_ns = s->clock.resolution * tick,
			.read_cost_ns = s->clock.read_cost * tick,
		},
		.ns_per_tick = tick,
		.latency = f->latency,
	};

	if (f->opened && closed > f->opened)
		done.window_ns = (uint64_t)((double)(closed - f->opened) *
					    tick);
	memcpy(done.clock.source, s->clock.source,
	       strlen(s->clock.source) + 1);
	return done;
}

/* The row that both ends report, from what the client counted. */
static struct result_row *add_row(struct session *s, uint64_t size,
				  const struct done *done)
{
	struct result *r = s->result;
	const struct plan *plan = plan_of(s);
	struct result_row *row = &r->rows[r->n_rows++];
	double seconds = (double)done->window_ns / 1e9;

	*row = (struct result_row){
		.size = size,
		.tx_depth = plan_depth(plan, size),
		.cq_mod = plan_cq_mod(plan, size),
		.iterations = done->counted,
		.sent = done->posted,
		.seconds = seconds,
		.bandwidth = summary_bandwidth(done->counted, size, seconds),
		.latency = summary_latency(done->latency,
					   done->ns_per_tick *
					   result_latency_factor(plan)),
	};
	r->clock = done->clock;
	return row;
}

/* A receiver knows how many came: it must be as many as were sent. */
static int compare_counts(struct session *s, struct result_row *row,
			  const struct done *server)
{
	if (!op_table[plan_of(s)->op].receives)
		return 0;
	row->checked = true;
	row->received = server->received;
	if (row->sent == row->received)
		return 0;
	row->failed = true;
	return fail(&s->result->error, -EIO, NULL,
		    "%s of %llu bytes: the client sent %llu messages, the "
		    "server received %llu", op_table[plan_of(s)->op].name,
		    (unsigned long long)row->size,
		    (unsigned long long)row->sent,
		    (unsigned long long)row->received);
}

static int send_done(struct session *s, const struct done *done)
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

static int take_done(struct session *s, const struct frame *frame,
		     struct done *done)
{
	done->latency = histogram_new();
	return decode_done(frame, done, &s->result->error);
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

/* The client's loop is over, with RET: its row, and what the server says. */
static int finish_client(struct session *s, uint64_t size,
			 const struct monitor *m, int ret)
{
	struct done mine, theirs = { 0 };
	struct result_row *row;

	if (ret && !s->flow.counted)
		return ret;
	mine = describe(s, m);
	row = add_row(s, size, &mine);
	row->failed = ret != 0;
	if (ret)
		return ret;
	ret = send_done(s, &mine);
	if (!ret)
		ret = hear_done(s, &theirs);
	if (!ret)
		ret = compare_counts(s, row, &theirs);
	row->failed = ret != 0;
	free(theirs.latency);
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

int run_client(struct session *s, uint64_t size)
{
	struct monitor m = make_monitor(s);
	int ret = begin(s, size, &m);

	if (ret)
		return ret;
	ret = client_loop(s);
	monitor_stop(&m);
	if (ret || error_is_set(&m.err))
		ret = explain(s, &m, ret ? ret : -ECANCELED);
	return finish_client(s, size, &m, ret);
}

/* The server's part is over: the client's row, and what this end counted. */
static int finish_server(struct session *s, uint64_t size, struct monitor *m)
{
	struct done mine = describe(s, m), theirs = { 0 };
	int ret = take_done(s, &m->done, &theirs);

	if (!ret)
		ret = compare_counts(s, add_row(s, size, &theirs), &mine);
	if (!ret)
		ret = send_done(s, &mine);
	free(theirs.latency);
	return ret;
}

int run_server(struct session *s, uint64_t size)
{
	struct monitor m = make_monitor(s);
	int ret = begin(s, size, &m);

	if (ret)
		return ret;
	ret = server_loop(s, &m);
	if (server_has_loop(s))
		monitor_stop(&m);
	if (ret || !m.have_done)
		ret = explain(s, &m, ret ? ret : -ECANCELED);
	else
		ret = finish_server(s, size, &m);
	if (m.have_done)
		frame_free(&m.done);
	return ret;
}
