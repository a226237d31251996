/* One end's traffic of one size, from its preparation to its row. */
#include "config.h"
#include "run/round.h"

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/log.h"
#include "base/numbers.h"
#include "base/time.h"
#include "base/xalloc.h"
#include "model/plan.h"
#include "model/result.h"
#include "traffic/batch.h"
#include "traffic/copier.h"
#include "traffic/flow.h"
#include "traffic/loops.h"
#include "traffic/open_loop.h"
#include "verbs/explain.h"

static void pace(struct flow *f, const struct plan *plan, uint64_t size,
		 double ns_per_tick)
{
	double share = (double)f->n_qps / plan->qps;

	pace_init(&f->pace, rate_messages(plan->rate, size) * share,
		  plan_burst(plan, size), (uint64_t)f->n_qps * f->shape.depth,
		  ns_per_tick);
}

static void open_loop(struct flow *f, const struct plan *plan, uint64_t size,
		      double ns_per_tick)
{
	if (!f->open)
		f->open = xcalloc(1, sizeof(*f->open));
	open_loop_init(f->open, rate_messages(plan->rate, size),
		       plan->arrival == ARRIVAL_POISSON, plan->open_depth,
		       ns_per_tick);
}

/*
 * If the plan has a rate or a gap, give it to RUN's flows, which are prepared
 * for messages of SIZE bytes.  In a bandwidth test each flow gets a share
 * proportional to its queue pairs; otherwise the client's flow gets the
 * schedule of an open loop, which run_free() frees.  May wait 10 ms until the
 * length of a tick is known.
 */
static void pacing_prepare(struct run *run, uint64_t size)
{
	const struct plan *plan = run->plan;
	double tick;

	if (!plan->rate && !plan->gap)
		return;
	tick = clock_ns_per_tick(&run->clock);
	if (plan->gap) {
		run->flows[0].gap = (uint64_t)((double)plan->gap / tick);
		return;
	}
	if (plan_is_open(plan)) {
		if (run->client)
			open_loop(&run->flows[0], plan, size, tick);
		return;
	}
	if (plan->pacing == PACING_DEVICE)
		return;
	for (uint32_t t = 0; t < run->n_flows; t++)
		pace(&run->flows[t], plan, size, tick);
}

typedef int sending_loop(struct flow *f, enum op op);

/* The loop this end runs until it has sent everything; NULL: it sends
 * nothing. */
static sending_loop *loop_of(const struct run *run)
{
	const struct plan *plan = run->plan;

	if (plan->metric == METRIC_BANDWIDTH && !plan_sends(plan, run->client))
		return NULL;
	if (plan->metric == METRIC_BANDWIDTH)
		return plan->batch.n ? batch_run : bandwidth_run;
	if (plan_is_open(plan) && run->client)
		return open_loop_run;
	if (plan_is_pingpong(plan))
		return run->client || plan->quiet ? latency_ping : latency_pong;
	return run->client ? latency_round_trip : NULL;
}

/* Most intervals in a result when the user chose their length; more are
 * merged. */
#define MOST_OWN_INTERVALS 10000
/* How many times slower the peer's clock may be; and for how long, in ns, an
 * end may send a given number of messages. */
#define SLOWEST 4
/* A short run may need longer for what it has outstanding than it took, in
 * ns. */
#define SHORTEST_DRAIN SECOND
#define LONGEST_COUNT (3600 * SECOND)

/* Where the last byte of a message of SIZE bytes arrives, from the start of its
 * buffer. */
static uint64_t last_byte_in(const struct plan *plan, uint64_t size)
{
	const struct gather g = plan_receive(plan);
	const uint64_t header = plan_is_datagram(plan) ? GRH_SIZE : 0;
	const uint64_t last = size ? size - 1 : 0;

	if (op_table[plan->op].access)
		return last;
	return gather_place(&g, header + last);
}

/* True when this end measures a ping-pong in which the other sends first. */
static bool is_second(const struct run *run)
{
	return plan_both_measure(run->plan) &&
	       run->plan->server_begins == run->client;
}

/* Point a ping-pong at the last byte it sends and the one it watches, in the
 * first of its slots. */
static void set_flags(struct run *run, uint64_t size)
{
	const struct plan *plan = run->plan;
	const struct gather out = gather_of(size, plan->sge);
	const uint64_t in = last_byte_in(plan, size);
	const uint8_t nothing = 0;
	struct flow *f = &run->flows[0];

	f->pingpong.flag_out = run->res.memory.buffer +
			       gather_place(&out, size ? size - 1 : 0);
	f->pingpong.flag_in = resources_incoming(&run->res) + in;
	f->pingpong.slots = plan_slots(plan);
	f->pingpong.slot_step = plan_slot_step(plan);
	f->pingpong.second = is_second(run);
	/* such a peer may still prepare after both ends were ready */
	f->pingpong.slow_start = plan_both_measure(plan);
	/* a quiet peer may have sent its first message, to memory of zeros */
	if (plan->quiet)
		return;
	for (uint32_t i = 0; i < f->pingpong.slots; i++)
		copier_put(f, resources_incoming(&run->res) + in +
				      i * f->pingpong.slot_step,
			   &nothing, 1);
}

/* Length of an interval in ns; 0: no intervals.  The user's, or else the longer
 * of 100 ms and 1/30 of the run, adjusted so that intervals fill the run. */
static uint64_t interval_length(const struct run *run)
{
	const struct plan *plan = run->plan;
	uint64_t least = larger(plan->duration / INTERVALS_USUAL,
				INTERVALS_SHORTEST);

	if (plan->metric != METRIC_BANDWIDTH || run->warming)
		return 0;
	/* the client shows its intervals, too, when the server measures */
	if (plan->interval)
		return plan_measures(plan, run->client) || run->client ?
			       plan->interval : 0;
	if (!plan_measures(plan, run->client))
		return 0;
	if (plan->iterations)
		return least;
	return plan->duration < least ? 0 :
		       plan->duration / (plan->duration / least);
}

/* ns between readings of what else happens, for the limit of an interval; 0:
 * nobody asks. */
static uint64_t glances(const struct run *run)
{
	const struct plan *plan = run->plan;
	const struct limit *limits = run->result->params.limits;

	if (run->warming || !run->client ||
	    !limits[LIMIT_MIN_INTERVAL_GBPS].given)
		return 0;
	return larger(plan->interval ?: plan->duration / INTERVALS_USUAL,
		      INTERVALS_SHORTEST);
}

static struct progress make_progress(struct run *run)
{
	const struct parameters *params = &run->result->params;
	/* scripts that read perftest's output would read it with the table */
	const bool shown = run->client && !params->perftest;

	return (struct progress){
		.control = run->control,
		.flows = run->flows,
		.n_flows = run->n_flows,
		.clock = &run->clock,
		.interval = interval_length(run),
		.most = params->plan.interval ? MOST_OWN_INTERVALS :
						INTERVALS_USUAL,
		.rows = shown && params->plan.interval,
		.awaited = params->plan.interval,
		.line = shown && !run->warming && !params->plan.interval &&
			isatty(2),
		.name = test_name_of(&params->plan),
		.size = run->size,
		.result = run->result,
	};
}

/* How long the peer may take until it has sent everything, in ns: its clock may
 * be slow.  Where messages are counted, each may take the timeout. */
static uint64_t sent_timeout(const struct plan *plan)
{
	const uint64_t count = plan->iterations * plan->qps;
	const uint64_t sending =
		plan->iterations ?
			smaller(count, LONGEST_COUNT / plan->timeout + 1) *
				plan->timeout :
			plan->duration;

	return SLOWEST * (plan->warmup + plan->hold + sending + plan->timeout);
}

/* How long this end waits after its time for what it has outstanding, in ns; 0:
 * for as long as anything completes.  The next size, and a check of the data,
 * need all of it. */
static uint64_t drain_timeout(const struct run *run)
{
	const struct plan *plan = run->plan;

	if (plan->metric != METRIC_BANDWIDTH || plan->batch.n || plan->quiet ||
	    plan->verify || plan->iterations || plan_is_unreliable(plan) ||
	    run->warming || run->result->n_rows + 1 < plan->sizes.n)
		return 0;
	return larger(plan->duration, SHORTEST_DRAIN);
}

static struct monitor make_monitor(struct run *run)
{
	const struct plan *plan = run->plan;
	const bool begins = plan_begins(plan, run->client);

	return (struct monitor){
		.conn = run->conn,
		.context = run->device->context,
		.clock = &run->clock,
		.watch = &run->watch,
		.control = run->control,
		.progress = &run->progress,
		.meter = &run->meter,
		.counters = run->warming ? NULL : run->counters,
		.flows = run->flows,
		.n_flows = run->n_flows,
		.keeps_time = begins || plan_measures(plan, run->client) ||
			      (run->client && plan->interval),
		.began_at = time_now(),
		.peer = {
			.plan = plan,
			.client = !run->client,
			.warming = run->warming,
		},
		.sends = begins,
		.awaits = plan_answers(plan, run->client) ||
			  plan_awaits_peer(plan, run->client),
		.warmup = plan_warms_up_apart(plan) ? 0 : plan->warmup,
		.duration = run->warming ? plan->warmup :
			    plan->iterations ? 0 : plan->duration,
		.drain = begins ? drain_timeout(run) : 0,
		.glances = glances(run),
		.peer_timeout = run_peer_timeout(run),
		.sent_timeout = sent_timeout(plan),
	};
}

/* Check that copies to memory that the host cannot write did not fail. */
static int check_prepared(struct run *run)
{
	for (uint32_t t = 0; t < run->n_flows; t++) {
		const struct flow_failure *why = &run->flows[t].failure;

		if (why->verb)
			return fail_errno(&run->result->error, why->errnum,
					  NULL, "cannot write to memory %s: %s",
					  run->res.memory.allocation->text,
					  why->verb);
	}
	return 0;
}

/* A quiet peer does not say how many messages it has sent: they are as many as
 * this end's, or those of the same time. */
static void expect_count(struct run *run)
{
	for (uint32_t t = 0; t < run->n_flows; t++)
		run->flows[t].expected = run->plan->iterations *
					 run->flows[t].n_qps;
	/* that it has sent everything, one that sends alone says when it goes
	 * on */
	if (plan_sends(run->plan, run->client))
		atomic_store(&run->control->peer_sent, true);
}

int round_prepare(struct run *run, uint64_t size)
{
	const struct plan *plan = run->plan;
	bool bandwidth = plan->metric == METRIC_BANDWIDTH;
	const struct flow_shape shape = {
		.size = size,
		.walk = bandwidth && !plan->verify ? plan->walk : size,
		.depth = plan_depth(plan, size),
		.cq_mod = plan_cq_mod(plan, size),
		.list_length = plan_post_list(plan, size),
		/* one round trip lacks its beginning, or its end */
		.iterations = run->warming ? 0 :
			      plan->iterations - (plan->iterations &&
						  plan_both_measure(plan)),
	};

	run->size = size;
	run->dropped = 0;
	run->progress = make_progress(run);
	meter_begin(&run->meter, run->device->port.device);
	run->monitor = make_monitor(run);
	/* the first messages, or the peer's, must not wait for a reading; a
	 * warm-up that fails is told from here, too */
	run->monitor.counted = !run->monitor.warmup && !plan->hold;
	counter_reader_begin(run->counters);
	run->packets = counter_reader_packets(run->counters);
	progress_init(&run->progress);
	atomic_store(&run->control->peer_sent, false);
	set_flags(run, size);
	for (uint32_t t = 0; t < run->n_flows; t++) {
		flow_prepare(&run->flows[t], plan->op, &shape);
		run->flows[t].sender_qpn = run->res.multicast.sender_qpn;
	}
	if (plan->batch.n && plan_sends(plan, run->client))
		batch_prepare(&run->flows[0], &plan->batch);
	if (plan->quiet)
		expect_count(run);
	pacing_prepare(run, size);
	return check_prepared(run);
}

static uint64_t counted(const struct run *run)
{
	uint64_t n = 0;

	for (uint32_t t = 0; t < run->n_flows; t++)
		n += run->flows[t].window.counted;
	return n;
}

/* Check that ROW has a measurement: all messages may have come before or after
 * the window. */
static int check_measured(struct run *run, const struct result_row *row)
{
	bool nothing = !row->total.iterations;

	for (uint32_t i = 0; i < row->n_directions; i++)
		nothing = nothing || !row->directions[i].iterations;
	if (!nothing)
		return 0;
	if (run->plan->quiet)
		return fail(&run->result->error, -EIO,
			    "give both ends the same options, and a longer "
			    "--duration",
			    "%s of %llu bytes: no message came in the time "
			    "measured", op_table[run->plan->op].name,
			    (unsigned long long)row->size);
	if (!plan_receiver_measures(run->plan))
		return 0;
	return fail(&run->result->error, -EIO,
		    explain_loss(run->plan, row->size,
				 "use --duration or more --iterations, or "
				 "--warmup 0"),
		    "%s of %llu bytes: no message arrived in the time measured",
		    op_table[run->plan->op].name,
		    (unsigned long long)row->size);
}

/* Nothing was measured: what the port counted may say why. */
static void keep_counters(struct run *run, struct done *mine)
{
	struct counters *kept = &run->result->unmeasured;

	counters_free(kept);
	*kept = mine->own.counters;
	mine->own.counters = (struct counters){ 0 };
	if (!run->warming)
		return;
	counter_reader_end(run->counters);
	*kept = counter_reader_take(run->counters);
}

int round_report(struct run *run, struct done *mine, struct done *theirs,
		 int ret)
{
	struct result *r = run->result;
	struct result_row *row;

	if (run->warming || (ret && !(plan_measures(run->plan, run->client) &&
				      counted(run)))) {
		if (ret)
			keep_counters(run, mine);
		return ret;
	}
	row = outcome_add_row(run, run->size, mine, theirs);
	meter_real_time(&run->meter, &row->opened);
	row->timeline = run->meter.timeline;
	run->meter.timeline = (struct timeline){ 0 };
	row->samples_dropped = run->dropped;
	if (!ret)
		ret = compare_counts(run, row) ?: check_measured(run, row);
	row->failed = ret != 0;
	if (r->observer)
		r->observer->row(r->observer, r, row);
	return ret;
}

int round_start(struct run *run)
{
	struct result *r = run->result;
	int ret;

	run->monitor.traffic_until = run->traffic_until;
	ret = monitor_start(&run->monitor, &r->error);
	if (!ret && r->setup_seconds == 0)
		r->setup_seconds =
			(double)(clock_raw_ns() - run->began_at) / 1e9;
	return ret;
}

static void tell_dropped(const struct run *run)
{
	if (run->dropped)
		log_warning("--samples: %llu of %llu samples came faster than "
			    "%s could be written and are not in it",
			    (unsigned long long)run->dropped,
			    (unsigned long long)counted(run),
			    run->recorder->path);
}

/* F's loop ended with RET: true when it left what it had outstanding. */
static bool has_left(struct flow *f, int ret)
{
	if (ret != -ECANCELED || flow_phase(f) != PHASE_LEAVE)
		return false;
	f->left = f->posted - f->completed;
	return true;
}

/* Run one flow: send, then take what still arrives.  The other end's thread may
 * need that while other threads of this end still send. */
static int run_flow(struct run *run, struct flow *f)
{
	const struct plan *plan = run->plan;
	sending_loop *loop = loop_of(run);
	int ret = loop ? loop(f, plan->op) : 0;

	if (ret && !has_left(f, ret))
		return ret;
	f->window.drained = clock_ticks(f->clock);
	if (plan_begins(plan, run->client) &&
	    atomic_fetch_sub(&run->sending, 1) == 1)
		monitor_send_sent(&run->monitor);
	if (plan_awaits_peer(plan, run->client) &&
	    plan_posts_receives(plan, run->client))
		return responder_run(f, plan->op);
	return 0;
}

/* Run all flows, and record every sample if the user asks. */
static int run_flows(struct run *run)
{
	struct recorder *r = run->recorder;
	int ret;

	atomic_store(&run->sending, run->n_flows);
	if (!r)
		return threads_run(run, run_flow);
	run->flows[0].samples = r->ring;
	ret = recorder_start(r, &run->clock, result_latency_factor(run->plan),
			     run->size, &run->result->error);
	if (ret)
		return ret;
	ret = threads_run(run, run_flow);
	run->dropped = recorder_stop(r);
	return ret;
}

int round_run(struct run *run)
{
	bool receives = plan_posts_receives(run->plan, run->client);
	int ret = 0;

	if (loop_of(run) || receives)
		ret = run_flows(run);
	if (ret && run->monitor.left)
		ret = 0;
	if (!ret && plan_awaits_peer(run->plan, run->client) && !receives)
		ret = monitor_wait_peer(&run->monitor);
	if (ret)
		return ret;
	return verification_end(run);
}

int round_stop(struct run *run, int ret)
{
	struct packet_counts now;

	monitor_stop(&run->monitor);
	now = counter_reader_packets(run->counters);
	run->packets = packet_counts_rise(&run->packets, &now);
	outcome_settle(run);
	progress_close(&run->progress);
	tell_dropped(run);
	if (ret || error_is_set(&run->monitor.err))
		return failure_explain(run, ret ? ret : -ECANCELED);
	return 0;
}

void round_end(struct run *run)
{
	if (run->monitor.have_done)
		frame_free(&run->monitor.done);
	run->monitor.have_done = false;
	timeline_free(&run->meter.timeline);
	progress_free(&run->progress);
	run->warming = !run->warming && plan_warms_up_apart(run->plan);
}
