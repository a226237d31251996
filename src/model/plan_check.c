/* The rules between options that need no device. */
#include "config.h"
#include "model/plan.h"

#include <errno.h>

#include "model/rule.h"
#include "traffic/batch.h"

static int check_operation(const struct plan *plan, struct error *err)
{
	const struct rule rules[] = {
		{ plan->imm && !op_has_imm(plan->op),
		  "--imm: only send and write have immediate data" },
		{ plan->op != op_choose(plan->op, plan->imm, plan->atomic),
		  "the operation contradicts --imm or --atomic-type" },
		{ !(op_table[plan->op].transports & 1U << plan->transport),
		  "--transport {transport}: {operation} is possible over "
		  "{transports} only" },
		/* the most that an ENDPOINT has room for */
		{ plan_has_targets(plan) && plan->qps > 8192,
		  "--qps {qps}: at most 8192 over {transport}, which has two "
		  "queue pairs at each end for each of them" },
		{ plan->all && op_is_atomic(plan->op),
		  "--all: an atomic has 8 bytes" },
	};

	return rule_check(rules, plan, err);
}

static int check_sizes(const struct plan *plan, struct error *err)
{
	for (uint32_t i = 0; i < plan->sizes.n; i++) {
		const uint64_t size = plan->sizes.bytes[i];

		if (op_is_atomic(plan->op) && size != ATOMIC_SIZE)
			return fail(err, -EINVAL, NULL,
				    "--size %llu: an atomic has %d bytes",
				    (unsigned long long)size, ATOMIC_SIZE);
		if (size == 0 && plan_waits_for_memory(plan))
			return fail(err, -EINVAL, NULL,
				    "--size 0: write_lat waits for the last "
				    "byte of a message; --imm waits for a "
				    "completion");
	}
	return 0;
}

/* What a batch excludes, and its limits. */
static int check_batch(const struct plan *plan, struct error *err)
{
	const struct batch *batch = &plan->batch;
	const uint64_t bytes = batch_bytes(batch);
	const uint64_t requests = batch_requests(batch);
	const struct rule rules[] = {
		{ plan->imm, "--batch and --imm exclude each other" },
		{ plan->bidirectional,
		  "--batch and --bidirectional exclude each other" },
		{ plan->rate, "--batch and --rate exclude each other" },
		{ plan->sge > 1, "--batch and --sge exclude each other" },
		{ plan->threads > 1,
		  "--batch and --threads exclude each other" },
		{ plan->post_list > 1,
		  "--batch and --post-list exclude each other" },
		{ plan->cq_mod != PLAN_AUTO,
		  "--batch and --cq-mod exclude each other" },
		{ plan->verify, "--batch and --verify exclude each other" },
		{ plan->inject, "--batch and --inject exclude each other" },
		{ plan->metric != METRIC_BANDWIDTH ||
			  (plan->op != OP_WRITE && plan->op != OP_READ),
		  "--batch: only for write_bw and read_bw" },
		{ plan_is_unreliable(plan),
		  "--batch: not over {transport}, where a completion does not "
		  "say that a message arrived" },
		{ plan->sizes.n != 1 || plan->sizes.bytes[0] != bytes,
		  "--batch and --size exclude each other" },
		{ bytes > BATCH_SIZE_MAX,
		  "--batch: must be at most 2G bytes in all" },
		{ plan->qps > requests,
		  "--qps {qps}: must be at most the number of requests of "
		  "--batch" },
		{ batch_share(batch, plan->qps) > BATCH_COUNT_MAX,
		  "--batch: must be at most 65536 requests for each queue "
		  "pair\nuse more --qps" },
	};

	if (!batch->n)
		return 0;
	return rule_check(rules, plan, err);
}

static int check_sends(const struct plan *plan, struct error *err)
{
	const bool latency = plan->metric == METRIC_LATENCY;
	const bool group = plan->mcast.wanted;
	const struct rule rules[] = {
		{ plan->sge > 1 && op_is_atomic(plan->op),
		  "--sge {sge}: an atomic has one entry, of 8 bytes" },
		{ plan->sge > 1 && plan->inject,
		  "--sge and --inject exclude each other" },
		{ plan->receivers > 1 && !group,
		  "--receivers: only with --mcast" },
		{ group && plan->transport != TRANSPORT_UD,
		  "--mcast: only over UD (--transport UD)" },
		{ group && latency,
		  "--mcast: only for bandwidth, because nobody answers a "
		  "group" },
		{ group && (plan->reversed || plan->bidirectional),
		  "--mcast: the client sends to the group, and the server "
		  "receives: not with --bidirectional or --reversed" },
		{ group && plan->qps > 1,
		  "--mcast: one queue pair sends to the group; --receivers "
		  "attaches several to it" },
		{ plan->receivers > 1 && plan->srq,
		  "--mcast: --receivers and --srq exclude each other, because "
		  "nobody would know which of them took a message" },
		{ plan->receivers > 1 && plan->inject,
		  "--mcast: --receivers and --inject exclude each other" },
		{ plan->fence && !op_table[plan->op].fetches,
		  "--fence: a fence waits for earlier reads and atomics, and "
		  "{operation} tests have none" },
		{ plan->fence && latency && !plan_is_open(plan),
		  "--fence: latency is measured one operation at a time, with "
		  "none before it to wait for" },
	};

	return rule_check(rules, plan, err);
}

/* Options that need an end that posts receives, or that sends data inline, and
 * rules between directions. */
static int check_receives(const struct plan *plan, struct error *err)
{
	const bool counted = plan_counts_received(plan);
	const struct rule rules[] = {
		{ plan->solicited && !plan->events,
		  "--solicited: only with --events, as a receiver that polls "
		  "does not sleep" },
		{ plan->solicited && !op_table[plan->op].receives,
		  "--solicited: RDMA {operation} takes no receives" },
		{ plan->solicited && plan->metric == METRIC_BANDWIDTH &&
			  plan->rx_depth != PLAN_AUTO &&
			  plan->cq_mod != PLAN_AUTO &&
			  plan->cq_mod > plan->rx_depth,
		  "--solicited: --cq-mod {cq-mod}: must be at most --rx-depth, "
		  "which is {rx-depth}: the receives are used up before a "
		  "message asks for an event" },
		{ plan->srq && !plan_has_targets(plan) && !counted,
		  "--srq: RDMA {operation} takes no receives" },
		{ plan->recv_post_list > 1 && !counted,
		  "--recv-post-list: RDMA {operation} takes no receives" },
		{ plan->inline_size && plan->inline_size != PLAN_AUTO &&
			  op_table[plan->op].fetches,
		  "--inline {inline}: RDMA {operation} sends no data" },
		{ plan->interval && plan->reversed && !counted,
		  "--interval: with --reversed the client gets no completion "
		  "of an RDMA {operation}" },
		{ plan->bidirectional && plan->reversed,
		  "--bidirectional and --reversed exclude each other" },
	};

	return rule_check(rules, plan, err);
}

/* Latency tests send one message after the other. */
static int check_latency(const struct plan *plan, struct error *err)
{
	const struct rule rules[] = {
		{ plan->qps != 1,
		  "--qps {qps}: latency is measured on one queue pair\n"
		  "use {bandwidth}" },
		{ plan->threads > 1,
		  "--threads {threads}: latency is measured by one thread\n"
		  "use {bandwidth}" },
		{ plan->post_list > 1,
		  "--post-list {post-list}: latency is measured one message "
		  "at a time\nuse {bandwidth}" },
		{ plan->recv_post_list > 1,
		  "--recv-post-list {recv-post-list}: latency is measured one "
		  "message at a time\nuse {bandwidth}" },
		{ plan->bidirectional,
		  "--bidirectional: only for bandwidth\nuse {bandwidth}" },
		{ plan->reversed,
		  "--reversed: only for bandwidth\nuse {bandwidth}" },
		{ plan->events && plan_waits_for_memory(plan),
		  "--events: write_lat waits for a byte in memory, which "
		  "raises no event; use --imm" },
	};

	if (plan->metric != METRIC_LATENCY)
		return 0;
	return rule_check(rules, plan, err);
}

int plan_check_manager(const struct plan *plan, struct error *err)
{
	if (!plan->rdma_cm)
		return 0;
	if (plan->transport != TRANSPORT_RC && plan->transport != TRANSPORT_UD)
		return fail(err, -EINVAL, NULL,
			    "--rdma-cm: librdmacm connects RC and UD, not %s",
			    transport_table[plan->transport].name);
	if (HAVE_RDMACM)
		return 0;
	return fail(err, -EOPNOTSUPP,
		    "install the headers of librdmacm and build again, or "
		    "leave --rdma-cm out",
		    "--rdma-cm: this verbsperf was built without librdmacm");
}

/* Sends posted in one call, or covered by one completion, must fit into the
 * queue. */
static int check_queue(const struct plan *plan, struct error *err)
{
	const uint32_t depth = plan_send_queue(plan);
	const struct rule rules[] = {
		{ plan->cq_mod != PLAN_AUTO && plan->cq_mod > depth,
		  "--cq-mod {cq-mod}: must be at most --tx-depth, which is "
		  "{queue}" },
		{ plan->post_list > depth,
		  "--post-list {post-list}: must be at most --tx-depth, which "
		  "is {queue}" },
		{ plan->rx_depth != PLAN_AUTO &&
			  plan->recv_post_list > plan->rx_depth,
		  "--recv-post-list {recv-post-list}: must be at most "
		  "--rx-depth, which is {rx-depth}" },
		{ plan->threads > plan->qps,
		  "--threads {threads}: must be at most --qps, which is "
		  "{qps}" },
	};

	return rule_check(rules, plan, err);
}

static int check_time(const struct plan *plan, struct error *err)
{
	const bool latency = plan->metric == METRIC_LATENCY;
	const bool paced = plan->pacing == PACING_DEVICE;
	const struct rule rules[] = {
		{ plan->gap && !latency, "--gap: only for latency" },
		{ plan->gap && plan_is_open(plan),
		  "--gap and --rate exclude each other: an operation of an "
		  "open loop starts at its time" },
		{ paced && (latency || !plan->rate),
		  "--pacing device: only for bandwidth with --rate" },
		{ paced && plan->rate & RATE_MESSAGES,
		  "--pacing device: a device counts bits: give --rate in "
		  "Gb/s" },
		{ paced && op_table[plan->op].fetches,
		  "--pacing device: the other end sends the data of reads and "
		  "atomics" },
		{ paced && plan->burst > 1,
		  "--pacing device: a device has no --burst" },
		{ paced && plan->rdma_cm,
		  "--pacing device: not with --rdma-cm" },
		{ plan->round_trip && !plan_is_pingpong(plan),
		  "--round-trip: only for a ping-pong: send_lat or write_lat" },
		{ plan->mtu != PLAN_AUTO && !mtu_from_bytes(plan->mtu),
		  "--mtu {mtu}: expected 256, 512, 1024, 2048 or 4096\n"
		  "that of an interface is larger" },
		{ !plan->iterations && !plan->duration,
		  "--duration 0: nothing would be measured" },
		{ plan->hold && plan->iterations,
		  "--hold and --iterations exclude each other\n"
		  "use --duration" },
		{ plan->rate && plan->events,
		  "--events and --rate exclude each other: a thread that "
		  "sleeps until a completion cannot keep a rate" },
	};

	return rule_check(rules, plan, err);
}

/* Most messages between two completions: a burst, which all threads send at the
 * same time, or cq_mod messages on every QP. */
static uint64_t completion_gap(const struct plan *plan, uint64_t size)
{
	uint64_t burst = plan_burst(plan, size);
	uint64_t every = plan_cq_mod(plan, size);

	return every > burst ? every * plan->qps : burst * plan->threads;
}

/* Fewest messages that must complete within a timeout. */
static uint64_t least_messages(const struct plan *plan, uint64_t size)
{
	if (!plan_is_open(plan))
		return 2 * completion_gap(plan, size);
	return plan->arrival == ARRIVAL_POISSON ? 20 : 2;
}

/* Refuse a rate so low that the timeout would take it for a stall. */
static int check_rate(const struct plan *plan, struct error *err)
{
	const double seconds = (double)plan->timeout / 1e9;
	char text[RATE_TEXT_SIZE];

	for (uint32_t i = 0; plan->rate && i < plan->sizes.n; i++) {
		uint64_t size = plan->sizes.bytes[i];
		uint64_t least = least_messages(plan, size);
		double rate = rate_messages(plan->rate, size);

		if (!(rate > 0))
			return fail(err, -EINVAL,
				    "give it in messages per second: 1.5mpps, "
				    "20kpps",
				    "--rate %s: messages of 0 bytes have no "
				    "bits", rate_format(plan->rate, text));
		if (rate * seconds < (double)least)
			return fail(err, -EINVAL, NULL,
				    "--rate %s: less than %llu messages of "
				    "%llu bytes in --timeout, which is %.3g s",
				    rate_format(plan->rate, text),
				    (unsigned long long)least,
				    (unsigned long long)size, seconds);
	}
	return 0;
}

static int check_load(const struct plan *plan, struct error *err)
{
	const bool open = plan_is_open(plan);
	const struct rule rules[] = {
		{ open && plan->op != OP_READ && !op_table[plan->op].pingpong,
		  "--rate: {operation}_lat has no open loop" },
		{ open && plan_is_unreliable(plan),
		  "--rate: an open loop needs --transport RC, where no "
		  "operation is lost" },
		{ open && plan->verify, "--verify: not in an open loop" },
		{ plan->rate && !open && plan->burst > plan_send_queue(plan),
		  "--burst {burst}: must be at most --tx-depth, which is "
		  "{queue}" },
	};

	return rule_check(rules, plan, err);
}

int plan_check(const struct plan *plan, struct error *err)
{
	static int (*const checks[])(const struct plan *plan,
				     struct error *err) = {
		check_operation, check_batch, check_sizes, check_sends,
		check_receives,
		check_latency, check_queue, addressing_check,
		plan_check_manager, check_time, check_rate, check_load,
	};
	int ret = 0;

	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks) && !ret; i++)
		ret = checks[i](plan, err);
	return ret;
}
