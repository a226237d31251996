/* Finds the first cause of a failed run among completions, events and the
 * peer's words. */
#include "config.h"
#include "run/run.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "memory/gpu.h"
#include "run/signs.h"
#include "verbs/explain.h"

/* A failed completion may come this much later than the flushed ones. */
#define CAUSE_WAIT_MS 50
/* A local failure happened before the peer reported its own; only its event may
 * take a moment. */
#define EVENT_WAIT_MS 5
/* The event that says why all was flushed may come after the flush. */
#define FLUSH_WAIT_MS 250

/* The flow whose failure is not just a flush, else a flushed one, else NULL. */
static struct flow *find_failed(struct run *run)
{
	struct flow *flushed = NULL;

	for (uint32_t t = 0; t < run->n_flows; t++) {
		struct flow *f = &run->flows[t];

		if (flow_find_failure(f))
			return f;
		if (f->failure.verb)
			flushed = f;
	}
	return flushed;
}

static bool is_cause(const struct flow *f)
{
	return f && f->failure.status != IBV_WC_WR_FLUSH_ERR;
}

/*
 * Wait MOST ms for the cause, which may reach its queue after the flushed
 * completions.  If EVENT is not NULL, also look for an asynchronous event,
 * which ends the wait.
 */
static struct flow *find_cause(struct run *run, int most, struct error *event)
{
	static const struct timespec pause = { .tv_nsec = 1000000 };
	struct flow *f = find_failed(run);

	for (int ms = 0; !is_cause(f) && ms < most; ms++) {
		if (event && monitor_take_event(run->device->context, event))
			break;
		nanosleep(&pause, NULL);
		f = find_failed(run);
	}
	return f;
}

/* The number of messages that the peer has acknowledged: in order, up to the
 * failed one; FAILED is NULL if none is. */
static uint64_t acknowledged(const struct run *run, const struct flow *failed)
{
	const struct flow_failure *why = failed ? &failed->failure : NULL;
	uint64_t n = 0;

	for (uint32_t t = 0; t < run->n_flows; t++) {
		const struct flow *f = &run->flows[t];

		for (uint32_t i = 0; i < f->n_qps; i++) {
			uint64_t here = f->qps[i].completed;

			if (why && f == failed && i == why->qp_index &&
			    why->number > here + 1)
				here = why->number - 1;
			n += here;
		}
	}
	return n;
}

/* perftest does not say what it was given, and most of what a NIC refuses then,
 * or waits for in vain, comes from ends that were given different sizes,
 * numbers or times. */
static void suspect_options(struct run *run)
{
	static const char *const codes[] = {
		"IBV_WC_LOC_LEN_ERR", "IBV_WC_LOC_QP_OP_ERR",
		"IBV_WC_LOC_PROT_ERR", "IBV_WC_REM_ACCESS_ERR",
		"IBV_WC_REM_INV_REQ_ERR", "IBV_WC_REM_OP_ERR", "ETIMEDOUT",
	};
	struct error *err = &run->result->error;
	char said[sizeof(err->advice)];

	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
		if (!run->plan->quiet || strcmp(err->code, codes[i]) != 0)
			continue;
		memcpy(said, err->advice, sizeof(said));
		snprintf(err->advice, sizeof(err->advice),
			 "first compare test, --size, --qps, --iterations and "
			 "--duration with the %s's, which perftest does not "
			 "say (this end's size is %llu)%s%.140s",
			 run->conn->peer,
			 (unsigned long long)run->size,
			 said[0] ? "; then: " : "", said);
	}
}

/* What is known of RUN, of which the loop of F failed, or which stands still
 * (NULL). */
static struct explain_context describe(const struct run *run,
				       const struct flow *f,
				       const struct path_signs *signs)
{
	const struct plan *plan = run->plan;

	return (struct explain_context){
		.plan = plan,
		.path = run->result->has_path ? &run->result->path : NULL,
		.peer = run->conn->peer,
		.iwarp = run->device->port.iwarp,
		.ethernet = port_is_ethernet(&run->device->port),
		.lid = run->device->port.lid,
		.pkey = run->device->port.pkey,
		.size = run->size,
		.qpn = !f ? 0 : flow_qpn(&f->qps[f->failure.qp_index],
					 f->failure.receive),
		.sends = plan_sends(plan, run->client),
		.notices = plan_sends_notices(plan),
		.on_gpu = run->res.memory.allocation &&
			  gpu_driver_of(run->res.memory.allocation->choice.kind),
		.driver = facts_text(&run->device->port.facts, FACT_DRIVER),
		.acknowledged = acknowledged(run, f),
		.signs = signs,
	};
}

static int explain_flow(struct run *run, const struct flow *f)
{
	struct explain_context context;
	struct path_signs signs;
	int ret;

	signs_look(run, false, &signs);
	context = describe(run, f, &signs);
	ret = explain_failure(&f->failure, &context, &run->result->error);
	suspect_options(run);
	return ret;
}

/* True when an end waits for a byte that the other should have written, and its
 * own writes were all acknowledged. */
static bool is_unanswered(const struct run *run)
{
	const struct flow_qp *q = &run->flows[0].qps[0];

	return plan_waits_for_memory(run->plan) && q->posted &&
	       q->completed == q->posted;
}

static int explain_standstill(struct run *run)
{
	struct explain_context context;
	struct path_signs signs;
	int ret;

	signs_look(run, true, &signs);
	context = describe(run, NULL, &signs);
	context.unanswered = is_unanswered(run);
	ret = explain_stall(&context, run->monitor.err.message,
			    &run->result->error);
	suspect_options(run);
	return ret;
}

/* Copy the error but keep this end's stage. */
static void take_error(struct error *err, const struct error *from)
{
	char stage[sizeof(err->stage)];

	if (error_is_set(err))
		return;
	memcpy(stage, err->stage, sizeof(stage));
	*err = *from;
	if (!err->from_peer)
		memcpy(err->stage, stage, sizeof(stage));
}

/* The peer reported a failure: find out whether this end failed by itself,
 * too. */
static int explain_both(struct run *run, int ret)
{
	const struct error *said = &run->monitor.err;
	struct error *err = &run->result->error;
	struct error event = { 0 };
	struct flow *f = find_cause(run, EVENT_WAIT_MS, &event);

	if (!is_cause(f) && !error_is_set(&event)) {
		take_error(err, said);
		return ret;
	}
	frames_own_words(said, run->conn->peer, &run->result->peer_error);
	if (is_cause(f))
		return explain_flow(run, f);
	take_error(err, &event);
	return -EIO;
}

/* The loop of F failed by itself.  SEEN is the event that was seen before; if
 * there is none, and all was only flushed, it may still come. */
static int explain_own(struct run *run, struct flow *f,
		       const struct error *seen)
{
	struct error event = { 0 };
	struct path_signs signs;

	if (!is_cause(f) && !error_is_set(seen))
		f = find_cause(run, FLUSH_WAIT_MS, &event);
	if (error_is_set(seen))
		event = *seen;
	signs_look(run, false, &signs);
	/* the port's state says more than that it changed */
	if (is_cause(f) || !error_is_set(&event) ||
	    path_fault_is_local(path_fault_of(&signs)))
		return explain_flow(run, f);
	take_error(&run->result->error, &event);
	return -EIO;
}

int failure_explain(struct run *run, int ret)
{
	const struct error *seen = &run->monitor.err;
	bool aborted = error_is_set(seen);
	bool event = !seen->from_peer && !strncmp(seen->code, "IBV_EVENT_", 10);
	int wrong = verification_explain(run);
	struct flow *f;

	if (wrong)
		return wrong;
	if (aborted && seen->from_peer)
		return explain_both(run, ret);
	if (aborted && run->monitor.stalled)
		return explain_standstill(run);
	f = !aborted || event ? find_cause(run, CAUSE_WAIT_MS, NULL) : NULL;
	if (f)
		return explain_own(run, f, seen);
	if (aborted)
		take_error(&run->result->error, seen);
	return ret;
}
