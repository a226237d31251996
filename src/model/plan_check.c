/* The rules between options that need no device. */
#include "config.h"
#include "model/plan.h"

#include <errno.h>
#include <stdio.h>

#include "model/addressing.h"
#include "model/tests.h"

/* As many as an ENDPOINT has room for. */
#define MOST_TARGETS 8192

static const char *op_name(const struct plan *plan)
{
	return op_table[plan->op].name;
}

/* The transports of SET, as "RC, UC and XRC". */
static const char *list_transports(unsigned int set,
				   char text[TRANSPORTS * 8])
{
	unsigned int i = 0;
	int n = 0;

	for (; set; set >>= 1, i++)
		if (set & 1)
			n += sprintf(text + n, "%s%s",
				     !n ? "" : set == 1 ? " and " : ", ",
				     transport_table[i].name);
	return text;
}

static int check_operation(const struct plan *plan, struct error *err)
{
	unsigned int have = op_table[plan->op].transports;
	char words[TRANSPORTS * 8];

	if (plan->imm && !op_has_imm(plan->op))
		return fail(err, -EINVAL, NULL,
			    "--imm: only send and write have immediate data");
	if (plan->op != op_choose(plan->op, plan->imm,
				   (enum atomic_type)plan->atomic))
		return fail(err, -EINVAL, NULL,
			    "the operation contradicts --imm or --atomic-type");
	if (have & 1U << plan->transport)
		return 0;
	return fail(err, -EINVAL, NULL,
		    "--transport %s: %s is possible over %s only",
		    transport_table[plan->transport].name, op_name(plan),
		    list_transports(have, words));
}

static int check_targets(const struct plan *plan, struct error *err)
{
	if (!plan_has_targets(plan) || plan->qps <= MOST_TARGETS)
		return 0;
	return fail(err, -EINVAL, NULL,
		    "--qps %u: at most %d over %s, which has two queue pairs "
		    "at each end for each of them", plan->qps, MOST_TARGETS,
		    transport_table[plan->transport].name);
}

/* A ping-pong by plain writes polls for the last byte in memory. */
static bool waits_for_memory(const struct plan *plan)
{
	return plan->metric == METRIC_LATENCY && plan->op == OP_WRITE;
}

static int check_size(const struct plan *plan, uint64_t size,
		      struct error *err)
{
	if (op_is_atomic(plan->op) && size != ATOMIC_SIZE)
		return fail(err, -EINVAL, NULL,
			    "--size %llu: an atomic has %d bytes",
			    (unsigned long long)size, ATOMIC_SIZE);
	if (size == 0 && waits_for_memory(plan))
		return fail(err, -EINVAL, NULL,
			    "--size 0: write_lat waits for the last byte of a "
			    "message; --imm waits for a completion");
	return 0;
}

static int check_sizes(const struct plan *plan, struct error *err)
{
	int ret = 0;

	if (plan->all && op_is_atomic(plan->op))
		return fail(err, -EINVAL, NULL, "--all: an atomic has %d bytes",
			    ATOMIC_SIZE);
	for (uint32_t i = 0; i < plan->sizes.n && !ret; i++)
		ret = check_size(plan, plan->sizes.bytes[i], err);
	return ret;
}

/* Latency tests send one message after the other. */
static int check_latency(const struct plan *plan, struct error *err)
{
	const struct {
		bool wrong;
		const char *option;
		uint32_t value;
		const char *why;
	} rules[] = {
		{ plan->qps != 1, "--qps", plan->qps,
		  "latency is measured on one queue pair" },
		{ plan->threads > 1, "--threads", plan->threads,
		  "latency is measured by one thread" },
		{ plan->post_list > 1, "--post-list", plan->post_list,
		  "latency is measured one message at a time" },
		{ plan->recv_post_list > 1, "--recv-post-list",
		  plan->recv_post_list,
		  "latency is measured one message at a time" },
	};
	char test[TEST_NAME_SIZE], advice[TEST_NAME_SIZE + 8];

	snprintf(advice, sizeof(advice), "use %s",
		 test_name(plan->op, METRIC_BANDWIDTH, test));
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (rules[i].wrong)
			return fail(err, -EINVAL, advice, "%s %u: %s",
				    rules[i].option, rules[i].value,
				    rules[i].why);
	if (plan->bidirectional || plan->reversed)
		return fail(err, -EINVAL, advice, "--%s: only for bandwidth",
			    plan->bidirectional ? "bidirectional" :
						  "reversed");
	if (plan->events && waits_for_memory(plan))
		return fail(err, -EINVAL, NULL,
			    "--events: write_lat waits for a byte in memory, "
			    "which raises no event; use --imm");
	return 0;
}

static int check_mcast(const struct plan *plan, struct error *err)
{
	const struct {
		bool wrong;
		const char *why;
	} rules[] = {
		{ plan->transport != TRANSPORT_UD,
		  "only over UD (--transport UD)" },
		{ plan->metric != METRIC_BANDWIDTH,
		  "only for bandwidth, because nobody answers a group" },
		{ plan->reversed || plan->bidirectional,
		  "the client sends to the group, and the server receives" },
		{ plan->qps > 1,
		  "one queue pair sends to the group; --receivers attaches "
		  "several to it" },
		{ plan->receivers > 1 && plan->srq,
		  "--receivers and --srq exclude each other, because nobody "
		  "would know which of them took a message" },
		{ plan->receivers > 1 && plan->inject,
		  "--receivers and --inject exclude each other" },
	};

	if (!plan->mcast.wanted && plan->receivers > 1)
		return fail(err, -EINVAL, NULL,
			    "--receivers: only with --mcast");
	if (!plan->mcast.wanted)
		return 0;
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (rules[i].wrong)
			return fail(err, -EINVAL, NULL, "--mcast: %s",
				    rules[i].why);
	return 0;
}

static int check_fence(const struct plan *plan, struct error *err)
{
	if (!plan->fence)
		return 0;
	if (!op_table[plan->op].fetches)
		return fail(err, -EINVAL, NULL,
			    "--fence: a fence waits for earlier reads and "
			    "atomics, and %s tests have none", op_name(plan));
	if (plan->metric == METRIC_LATENCY && !plan_is_open(plan))
		return fail(err, -EINVAL, NULL,
			    "--fence: latency is measured one operation at a "
			    "time, with none before it to wait for");
	return 0;
}

static int check_solicited(const struct plan *plan, struct error *err)
{
	if (!plan->solicited)
		return 0;
	if (!plan->events)
		return fail(err, -EINVAL, NULL,
			    "--solicited: only with --events, as a receiver "
			    "that polls does not sleep");
	if (!op_table[plan->op].receives)
		return fail(err, -EINVAL, NULL,
			    "--solicited: RDMA %s takes no receives",
			    op_name(plan));
	if (plan->metric == METRIC_BANDWIDTH &&
	    plan->rx_depth != PLAN_AUTO && plan->cq_mod != PLAN_AUTO &&
	    plan->cq_mod > plan->rx_depth)
		return fail(err, -EINVAL, NULL,
			    "--solicited: --cq-mod %u: must be at most "
			    "--rx-depth, which is %u: the receives are used up "
			    "before a message asks for an event",
			    plan->cq_mod, plan->rx_depth);
	return 0;
}

static int check_entries(const struct plan *plan, struct error *err)
{
	if (plan->sge < 2)
		return 0;
	if (op_is_atomic(plan->op))
		return fail(err, -EINVAL, NULL,
			    "--sge %u: an atomic has one entry, of %d bytes",
			    plan->sge, ATOMIC_SIZE);
	if (plan->inject)
		return fail(err, -EINVAL, NULL,
			    "--sge and --inject exclude each other");
	return 0;
}

/* Options that need an end that posts receives, or that sends data inline, and
 * rules between directions. */
static int check_receives(const struct plan *plan, struct error *err)
{
	const char *option = plan->srq && !plan_has_targets(plan) ? "srq" :
			     plan->recv_post_list > 1 ? "recv-post-list" :
							NULL;

	if (option && !plan_counts_received(plan))
		return fail(err, -EINVAL, NULL,
			    "--%s: RDMA %s takes no receives", option,
			    op_name(plan));
	if (plan->inline_size && plan->inline_size != PLAN_AUTO &&
	    op_table[plan->op].fetches)
		return fail(err, -EINVAL, NULL,
			    "--inline %u: RDMA %s sends no data",
			    plan->inline_size, op_name(plan));
	if (plan->interval && plan->reversed && !plan_counts_received(plan))
		return fail(err, -EINVAL, NULL,
			    "--interval: with --reversed the client gets no "
			    "completion of an RDMA %s", op_name(plan));
	if (plan->bidirectional && plan->reversed)
		return fail(err, -EINVAL, NULL,
			    "--bidirectional and --reversed exclude each "
			    "other");
	return 0;
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

	if (plan->cq_mod != PLAN_AUTO && plan->cq_mod > depth)
		return fail(err, -EINVAL, NULL,
			    "--cq-mod %u: must be at most --tx-depth, which is "
			    "%u", plan->cq_mod, depth);
	if (plan->post_list > depth)
		return fail(err, -EINVAL, NULL,
			    "--post-list %u: must be at most --tx-depth, which "
			    "is %u", plan->post_list, depth);
	if (plan->rx_depth != PLAN_AUTO &&
	    plan->recv_post_list > plan->rx_depth)
		return fail(err, -EINVAL, NULL,
			    "--recv-post-list %u: must be at most --rx-depth, "
			    "which is %u",
			    plan->recv_post_list, plan->rx_depth);
	if (plan->threads > plan->qps)
		return fail(err, -EINVAL, NULL,
			    "--threads %u: must be at most --qps, which is %u",
			    plan->threads, plan->qps);
	return 0;
}

static int check_open(const struct plan *plan, struct error *err)
{
	if (plan->op != OP_READ && !op_table[plan->op].pingpong)
		return fail(err, -EINVAL, NULL,
			    "--rate: %s_lat has no open loop",
			    op_table[plan->op].name);
	if (plan_is_unreliable(plan))
		return fail(err, -EINVAL, NULL,
			    "--rate: an open loop needs --transport RC, where "
			    "no operation is lost");
	if (plan->verify)
		return fail(err, -EINVAL, NULL,
			    "--verify: not in an open loop");
	return 0;
}

static int check_gap(const struct plan *plan, struct error *err)
{
	if (!plan->gap)
		return 0;
	if (plan->metric != METRIC_LATENCY)
		return fail(err, -EINVAL, NULL, "--gap: only for latency");
	if (plan_is_open(plan))
		return fail(err, -EINVAL, NULL,
			    "--gap and --rate exclude each other: an "
			    "operation of an open loop starts at its time");
	return 0;
}

static int check_pacing(const struct plan *plan, struct error *err)
{
	const struct {
		bool wrong;
		const char *why;
	} rules[] = {
		{ plan->metric != METRIC_BANDWIDTH || !plan->rate,
		  "only for bandwidth with --rate" },
		{ plan->rate & RATE_MESSAGES,
		  "a device counts bits: give --rate in Gb/s" },
		{ op_table[plan->op].fetches,
		  "the other end sends the data of reads and atomics" },
		{ plan->burst > 1, "a device has no --burst" },
		{ plan->rdma_cm, "not with --rdma-cm" },
	};

	if (plan->pacing != PACING_DEVICE)
		return 0;
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (rules[i].wrong)
			return fail(err, -EINVAL, NULL, "--pacing device: %s",
				    rules[i].why);
	return 0;
}

static int check_burst(const struct plan *plan, struct error *err)
{
	if (plan->burst > plan_send_queue(plan))
		return fail(err, -EINVAL, NULL,
			    "--burst %u: must be at most --tx-depth, which is "
			    "%u", plan->burst, plan_send_queue(plan));
	return 0;
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

	if (plan->rate && plan->events)
		return fail(err, -EINVAL, NULL,
			    "--events and --rate exclude each other: a "
			    "thread that sleeps until a completion cannot "
			    "keep a rate");
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
	if (plan_is_open(plan))
		return check_open(plan, err);
	return plan->rate ? check_burst(plan, err) : 0;
}

int plan_check(const struct plan *plan, struct error *err)
{
	int ret = check_operation(plan, err);

	if (!ret)
		ret = check_targets(plan, err);
	if (!ret)
		ret = check_sizes(plan, err);
	if (!ret)
		ret = check_entries(plan, err);
	if (!ret)
		ret = check_mcast(plan, err);
	if (!ret)
		ret = check_fence(plan, err);
	if (!ret)
		ret = check_solicited(plan, err);
	if (!ret)
		ret = check_receives(plan, err);
	if (!ret && plan->metric == METRIC_LATENCY)
		ret = check_latency(plan, err);
	if (!ret)
		ret = check_queue(plan, err);
	if (!ret)
		ret = addressing_check(plan, err);
	if (!ret)
		ret = plan_check_manager(plan, err);
	if (!ret)
		ret = check_gap(plan, err);
	if (!ret)
		ret = check_pacing(plan, err);
	if (ret)
		return ret;
	if (plan->round_trip && !plan_is_pingpong(plan))
		return fail(err, -EINVAL, NULL,
			    "--round-trip: only for a ping-pong: send_lat or "
			    "write_lat");
	if (plan->mtu != PLAN_AUTO && !mtu_from_bytes(plan->mtu))
		return fail(err, -EINVAL, NULL,
			    "--mtu %u: expected 256, 512, 1024, 2048 or 4096",
			    plan->mtu);
	if (!plan->iterations && !plan->duration)
		return fail(err, -EINVAL, NULL,
			    "--duration 0: nothing would be measured");
	if (plan->hold && plan->iterations)
		return fail(err, -EINVAL, "use --duration",
			    "--hold and --iterations exclude each other");
	return check_rate(plan, err);
}
