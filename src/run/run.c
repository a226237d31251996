#include "config.h"
#include "run/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/time.h"
#include "inject/inject.h"
#include "model/observer.h"
#include "model/tests.h"
#include "run/cause.h"
#include "run/compare.h"
#include "run/load.h"
#include "run/monitor.h"
#include "run/outcome.h"
#include "run/role.h"
#include "run/threads.h"
#include "run/verification.h"
#include "session/exchange.h"
#include "traffic/responder.h"
#include "verbs/explain.h"

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

/* Where a ping-pong looks for, and puts, the last byte: of the first of its
 * slots. */
static void set_flags(struct session *s, uint64_t size)
{
	const struct plan *plan = plan_of(s);
	uint64_t last = size ? size - 1 : 0;
	struct flow *f = &s->flows[0];

	f->flag_out = s->res.memory.buffer + last;
	f->flag_in = resources_incoming(&s->res, plan) + last;
	if (plan->transport == TRANSPORT_UD)
		f->flag_in += GRH_SIZE;
	f->slots = plan_slots(plan);
	f->slot_step = plan_slot_step(plan);
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
		.walk = bandwidth && !plan->verify ? plan->walk : size,
		.depth = plan_depth(plan, size),
		.signal_every = plan_cq_mod(plan, size),
		.list_length = plan_post_list(plan, size),
		.iterations = s->warming ? 0 : plan->iterations,
	};
	int ret;

	atomic_store(&s->control->peer_sent, false);
	set_flags(s, size);
	for (uint32_t t = 0; t < s->n_flows; t++)
		flow_prepare(&s->flows[t], plan->op, &shape);
	load_prepare(s, size);
	ret = inject_at(s, INJECT_AT_PREPARED);
	return ret ? ret : session_fill_receives(s);
}

/*
 * How long intervals are, in ns; 0: there are none.  As long as the user says,
 * else 100 ms or 1/20 of the run, whichever is longer, and so that they fill
 * the run.
 */
static uint64_t interval_length(const struct session *s)
{
	const struct plan *plan = plan_of(s);
	uint64_t least = larger(plan->duration / MOST_INTERVALS, INTERVALS_SHORTEST);

	if (plan->metric != METRIC_BANDWIDTH || s->warming)
		return 0;
	/* those of the client are shown, too, when the server measures */
	if (plan->interval)
		return plan_measures(plan, s->client) || s->client ?
			       plan->interval : 0;
	if (!plan_measures(plan, s->client))
		return 0;
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
		.most = params->plan.interval ? MOST_OWN_INTERVALS :
						MOST_INTERVALS,
		.rows = s->client && params->plan.interval,
		.line = s->client && !s->warming && !params->plan.interval &&
			isatty(2),
		.name = test_name(params->plan.op, params->plan.metric,
				  s->test),
		.size = size,
		.result = s->result,
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
		.flows = s->flows,
		.n_flows = s->n_flows,
		.keeps_time = role_begins(s) ||
			      plan_measures(plan, s->client) ||
			      (s->client && plan->interval),
		.began_at = time_now(),
		.peer = {
			.plan = plan,
			.client = !s->client,
			.warming = s->warming,
		},
		.sends = role_begins(s),
		.awaits = role_awaits_peer(s) || role_answers(s),
		.answers = role_answers(s),
		.warmup = plan_warms_up_apart(plan) ? 0 : plan->warmup,
		.duration = s->warming ? plan->warmup :
			    plan->iterations ? 0 : plan->duration,
		.timeout = plan->timeout,
		.patience = session_patience(s),
	};
}

static uint64_t counted(const struct session *s)
{
	uint64_t n = 0;

	for (uint32_t t = 0; t < s->n_flows; t++)
		n += s->flows[t].counted;
	return n;
}

/* What came before or after the time measured is no measurement. */
static int check_measured(struct session *s, const struct result_row *row)
{
	bool nothing = !row->iterations;

	for (uint32_t i = 0; i < row->n_directions; i++)
		nothing = nothing || !row->directions[i].iterations;
	if (!nothing || !plan_by_receiver(plan_of(s)))
		return 0;
	return fail(&s->result->error, -EIO,
		    explain_loss(plan_of(s), row->size,
				 "use --duration or more --iterations, or "
				 "--warmup 0"),
		    "%s of %llu bytes: none of the messages came in the time "
		    "measured", op_table[plan_of(s)->op].name,
		    (unsigned long long)row->size);
}

/* What lasted much longer than it was to is not what was asked for: the machine
 * or the peer held it up.  But what a receiver counts comes when it comes, from
 * the queues in between. */
static int check_window(struct session *s, const struct result_row *row)
{
	const struct plan *plan = plan_of(s);
	double wanted = (double)plan->duration / (double)SECOND;
	/* a busy machine may be late by a second or two */
	double allowed = wanted + (wanted > 8 ? wanted / 2 : 4);

	if (plan->iterations || plan_by_receiver(plan) ||
	    row->seconds <= allowed)
		return 0;
	return fail(&s->result->error, -ETIME,
		    "look for what kept both ends from running",
		    "%s of %llu bytes was measured for %.3g s instead of "
		    "%.3g s", op_table[plan->op].name,
		    (unsigned long long)row->size, row->seconds, wanted);
}

/* The loops are over, with RET: a row, of what both ends say or, of a run that
 * failed, of what this end has. */
static int finish(struct session *s, uint64_t size, struct monitor *m,
		  uint64_t dropped, int ret)
{
	bool has = plan_measures(plan_of(s), s->client) && counted(s) &&
		   !s->warming;
	struct done mine, theirs = { 0 };
	struct result_row *row;

	outcome_describe(s, m, &mine);
	if (!ret)
		ret = exchange_done(s, m, &mine, &theirs);
	if ((!ret && !s->warming) || has) {
		row = outcome_add_row(s, size, &mine, ret ? NULL : &theirs);
		row->samples_dropped = dropped;
		if (!ret)
			ret = compare_counts(s, row);
		if (!ret)
			ret = check_measured(s, row);
		if (!ret)
			ret = check_window(s, row);
		row->failed = ret != 0;
		if (s->result->observer)
			s->result->observer->row(s->result->observer,
						 s->result, row);
	}
	done_free(&mine);
	done_free(&theirs);
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
		ret = exchange_start(s, size);
	if (!ret)
		ret = monitor_start(m, &s->result->error);
	if (ret)
		return ret;
	session_stage(s, "traffic");
	if (s->result->setup_seconds == 0)
		s->result->setup_seconds =
			(double)(clock_raw_ns() - s->began_at) / 1e9;
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

/* What one thread does: it sends, then takes what is still to come in.  The
 * other end's thread may need that while others of this end still send. */
static int run_flow(struct session *s, struct flow *f)
{
	const struct plan *plan = plan_of(s);
	sending_loop *loop = role_loop(s);
	int ret = loop ? loop(f, plan->op) : 0;

	if (ret)
		return ret;
	if (role_begins(s) && atomic_fetch_sub(&s->sending, 1) == 1)
		monitor_say_sent(s->monitor);
	if (role_awaits_peer(s) && plan_posts_receives(plan, s->client))
		return responder_run(f, plan->op);
	return 0;
}

/* The same, with every sample recorded if that is wanted. */
static int run_flows(struct session *s, uint64_t size, uint64_t *dropped)
{
	struct recorder *r = s->recorder;
	int ret;

	atomic_store(&s->sending, s->n_flows);
	if (!r)
		return threads_run(s, run_flow);
	s->flows[0].samples = r->ring;
	ret = recorder_start(r, &s->clock, result_latency_factor(plan_of(s)),
			     size, &s->result->error);
	if (ret)
		return ret;
	ret = threads_run(s, run_flow);
	*dropped = recorder_stop(r);
	return ret;
}

/* The loops of this end, if it has any, and the wait for the peer's. */
static int run_loops(struct session *s, uint64_t size, uint64_t *dropped)
{
	bool receives = plan_posts_receives(plan_of(s), s->client);
	int ret = inject_at(s, INJECT_AT_RUNNING);

	if (!ret && (role_loop(s) || receives))
		ret = run_flows(s, size, dropped);
	if (!ret && role_awaits_peer(s) && !receives)
		ret = monitor_wait_peer(s->monitor);
	return ret ? ret : verification_end(s);
}

int run_size(struct session *s, uint64_t size)
{
	struct progress progress = make_progress(s, size);
	struct monitor m = make_monitor(s, &progress);
	uint64_t dropped = 0;
	int ret;

	progress_init(&progress);
	ret = begin(s, size, &m);
	if (!ret) {
		s->monitor = &m;
		ret = run_loops(s, size, &dropped);
		monitor_stop(&m);
		outcome_settle(s, &m);
		progress_close(&progress);
		tell_dropped(s, dropped);
		if (ret || error_is_set(&m.err))
			ret = cause_explain(s, &m, ret ? ret : -ECANCELED);
		ret = finish(s, size, &m, dropped, ret);
		if (m.have_done)
			frame_free(&m.done);
	}
	progress_free(&progress);
	s->warming = !s->warming && plan_warms_up_apart(plan_of(s));
	return ret;
}
