/* Finds the first cause of a failed run among completions, events and the
 * peer's words. */
#include "config.h"
#include "run/run.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "memory/gpu.h"
#include "verbs/explain.h"

/* A failed completion may come this much later than the flushed ones. */
#define CAUSE_WAIT_MS 50
/* A local failure happened before the peer reported its own; only its event may
 * take a moment. */
#define EVENT_WAIT_MS 5

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
 * Wait a moment for the cause, which may reach its queue after the flushed
 * completions.  If EVENT is not NULL, also look for an asynchronous event,
 * which ends the wait.
 */
static struct flow *find_cause(struct run *run, struct error *event)
{
	static const struct timespec pause = { .tv_nsec = 1000000 };
	const int most = event ? EVENT_WAIT_MS : CAUSE_WAIT_MS;
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
 * failed one. */
static uint64_t acknowledged(const struct run *run, const struct flow *failed)
{
	const struct flow_failure *why = &failed->failure;
	uint64_t n = 0;

	for (uint32_t t = 0; t < run->n_flows; t++) {
		const struct flow *f = &run->flows[t];

		for (uint32_t i = 0; i < f->n_qps; i++) {
			uint64_t here = f->qps[i].completed;

			if (f == failed && i == why->qp_index &&
			    why->number > here + 1)
				here = why->number - 1;
			n += here;
		}
	}
	return n;
}

static int explain_flow(struct run *run, const struct flow *f)
{
	const struct plan *plan = run->plan;
	const struct explain_context context = {
		.plan = plan,
		.path = run->result->has_path ? &run->result->path : NULL,
		.peer = run->conn->peer,
		.iwarp = run->device->port.iwarp,
		.ethernet = port_is_ethernet(&run->device->port),
		.lid = run->device->port.lid,
		.pkey = run->device->port.pkey,
		.size = f->shape.size,
		.qpn = flow_qpn(&f->qps[f->failure.qp_index],
				f->failure.receive),
		.sends = plan_sends(plan, run->client),
		.notices = plan_sends_notices(plan),
		.on_gpu = run->res.memory.allocation &&
			  gpu_driver_of(run->res.memory.allocation->choice.kind),
		.driver = facts_text(&run->device->port.facts, FACT_DRIVER),
		.acknowledged = acknowledged(run, f),
	};

	return explain_failure(&f->failure, &context, &run->result->error);
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
	struct flow *f = find_cause(run, &event);

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
	f = !aborted || event ? find_cause(run, NULL) : NULL;
	if (f)
		return explain_flow(run, f);
	if (aborted)
		take_error(&run->result->error, seen);
	return ret;
}
