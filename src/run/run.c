/* What one end of a test is made of, and how long it waits for the other. */
#include "config.h"
#include "run/run.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "host/affinity.h"
#include "host/counters.h"
#include "traffic/allowance.h"
#include "verbs/queues.h"

/* Age, in ns, at which a message counts as lost. */
#define LOST_AFTER 1e8
/* A loop takes an edge of the window that is known to within EDGE_ERROR ns;
 * EDGE_TIMEOUT ns after the edge was due, it takes any. */
#define EDGE_ERROR 500
#define EDGE_TIMEOUT 1000000

void run_begin(struct run *run, bool client, struct connection *conn,
	       struct device *device, struct result *result)
{
	run->client = client;
	run->conn = conn;
	run->device = device;
	run->result = result;
	run->plan = &result->params.plan;
	run->traffic_until = UINT64_MAX;
	result->at_server = !client;
	*(client ? &result->client : &result->server) = device->port;
	clock_gettime(CLOCK_REALTIME, &result->started);
	run->began_at = clock_raw_ns();
	clock_start(&run->clock, result->params.clock);
	clock_watch_begin(&run->watch, &run->clock);
}

void run_free(struct run *run)
{
	for (uint32_t t = 0; t < run->n_flows; t++)
		verification_free(&run->flows[t]);
	resources_destroy(&run->res);
	counter_reader_free(run->counters);
	free(run->latency);
	if (run->flows)
		free(run->flows[0].open);
	free(run->flows);
	free(run->flow_progress);
	free(run->control);
	free(run->peer.qps);
}

uint64_t run_peer_timeout(const struct run *run)
{
	const struct parameters *params = &run->result->params;

	/* the client chooses the plan's timeout */
	if (!run->client && params->idle_timeout < run->plan->timeout)
		return params->idle_timeout;
	return run->plan->timeout;
}

/* On an unreliable transport, a message that takes longer is lost. */
static uint64_t loss_timeout(const struct run *run)
{
	if (!plan_is_unreliable(run->plan))
		return 0;
	return (uint64_t)(LOST_AFTER / clock_ns_per_tick(&run->clock));
}

/* True when this end times arrivals: to measure, or to show the server's
 * rate. */
static bool sees_arrivals(const struct run *run)
{
	const struct plan *plan = run->plan;

	if (!plan_sends(plan, !run->client) || !plan_counts_received(plan))
		return false;
	return plan_receiver_measures(plan) ||
	       (run->client && plan->reversed && plan->interval);
}

/* The flags of all sends.  Each message of a ping-pong is awaited. */
static unsigned int flags_of(const struct plan *plan)
{
	bool each = plan->solicited && plan->metric == METRIC_LATENCY;

	return (plan->fence ? IBV_SEND_FENCE : 0) |
	       (each ? IBV_SEND_SOLICITED : 0);
}

/* The flow of thread T: its share of the QPs, with their queues. */
static struct flow make_flow(struct run *run, uint32_t t)
{
	const struct queues *queues = &run->res.queues[t];
	const double tick = clock_ns_per_tick(&run->clock);

	return (struct flow){
		.qps = &run->res.qps[resources_first_qp(&run->res, t)],
		.n_qps = queues->n_qps,
		.send_cq = queues->cqs[0].send,
		.recv_cq = queues->cqs[0].recv,
		.cqs = queues->cqs,
		.n_cqs = queues->n_cqs,
		.receives = queues->receives,
		.n_receives = queues->n_receives,
		.wait = queues->channel ? sleep_wait : NULL,
		.channel = queues->channel,
		.solicited = run->plan->solicited,
		.flags = flags_of(run->plan),
		.signaled_flags = run->plan->solicited ? IBV_SEND_SOLICITED : 0,
		.clock = &run->clock,
		.control = run->control,
		.progress = &run->flow_progress[t],
		.method = run->res.method,
		.inline_size = run->res.inline_size,
		.copier = run->res.memory.copier,
		.entries = run->plan->sge,
		.in = plan_receive(run->plan),
		/* a quiet peer does not number its messages, nor say how many
		 * it sent while this end sends */
		.unreliable = plan_is_unreliable(run->plan) &&
			      (!run->plan->quiet || run->plan->arrivals),
		.receivers = run->plan->mcast.wanted ?
				     plan_copies(run->plan) : 0,
		.allowances = !run->res.allowances ? NULL :
			      &run->res.allowances[resources_first_qp(
				      &run->res, t)],
		.counts_arrivals = sees_arrivals(run),
		.loss_timeout = loss_timeout(run),
		.edge_error = (uint64_t)(EDGE_ERROR / tick),
		.edge_timeout = (uint64_t)(EDGE_TIMEOUT / tick),
		.latency = run->latency,
	};
}

int run_create(struct run *run)
{
	const struct plan *plan = run->plan;
	int ret = resources_create(run->device, plan, run->client,
				   &run->result->params.memory,
				   run->result->params.vector, &run->res,
				   &run->result->error);

	if (ret)
		return ret;
	if (!run->res.memory.copier)
		numa_check(run->device->port.numa_node,
			   run->res.memory.buffer, run->res.memory.length);
	run->n_flows = plan->threads;
	run->flows = xcalloc_lines(run->n_flows, sizeof(*run->flows));
	run->flow_progress = xcalloc_lines(run->n_flows,
					   sizeof(*run->flow_progress));
	run->control = xcalloc_lines(1, sizeof(*run->control));
	run->warming = plan_warms_up_apart(plan);
	if (plan_has_latency(plan))
		run->latency = histogram_new();
	for (uint32_t t = 0; t < run->n_flows; t++) {
		run->flows[t] = make_flow(run, t);
		verification_begin(run, t);
	}
	return 0;
}

int run_fill_receives(struct run *run)
{
	int ret = 0;

	for (uint32_t t = 0; t < run->n_flows && !ret; t++)
		ret = flow_fill_receives(&run->flows[t]);
	if (ret)
		fail_errno(&run->result->error, ret, NULL,
			   "%s: cannot post receives",
			   run->device->port.device);
	return ret;
}

struct effective *run_effective(struct run *run, bool client)
{
	return client ? &run->result->client_qp : &run->result->server_qp;
}

int run_connect(struct run *run)
{
	struct result *r = run->result;

	return resources_connect(&run->res, &r->path, &run->peer, &r->error);
}

int run_query(struct run *run)
{
	struct result *r = run->result;

	r->may_reorder = plan_waits_for_memory(run->plan) &&
			 resources_may_reorder(&run->res);
	return resources_query(&run->res, &r->path,
			       run_effective(run, run->client), &r->error);
}

/* The counters that this end's own command line asks for: those of the plan or,
 * at a server with one of perftest's names, its own. */
static enum counter_scope own_scope(const struct parameters *params)
{
	const struct ignored_options *options = params->ignored_options;

	return options && options->plan.counters.names ?
		       COUNTERS_ALL : params->plan.counters.read;
}

void run_find_counters(struct run *run)
{
	const struct result *r = run->result;

	run->counters = counter_reader_new(&run->device->port,
					   result_gid(r, run->client),
					   own_scope(&r->params));
}
