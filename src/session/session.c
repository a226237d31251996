#include "config.h"
#include "session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "base/xalloc.h"
#include "host/numa.h"
#include "inject/inject.h"
#include "model/observer.h"
#include "net/alive.h"
#include "net/frames.h"
#include "net/last_words.h"
#include "run/cause.h"
#include "run/peer_check.h"
#include "run/verification.h"
#include "session/greeting.h"
#include "session/reach.h"
#include "session/turn.h"
#include "verbs/sleep.h"

/* How long a client waits for its turn while nobody before it leaves. */
#define TURN_LIMIT (3600 * SECOND)
/* Of a message, in ns. */
#define LOST_AFTER 1e8

/* Samples that could not be written make a run that went well a failed one. */
static int close_samples(struct session *s, int ret)
{
	int written = recorder_close(s->recorder, &s->result->error);

	return ret ? ret : written;
}

int session_run(session_step *const *steps, bool client,
		struct connection *conn, struct device *device,
		struct result *result, struct session **session)
{
	struct session *s = xcalloc(1, sizeof(*s));
	int ret = 0;

	s->client = client;
	s->conn = conn;
	s->device = device;
	s->result = result;
	s->place = TURN_UNKNOWN;
	*session = s;
	result->at_server = !client;
	*(client ? &result->client : &result->server) = device->port;
	clock_gettime(CLOCK_REALTIME, &result->started);
	s->began_at = clock_raw_ns();
	clock_start(&s->clock, (enum clock_choice)result->params.clock);
	clock_watch_begin(&s->watch, &s->clock);
	for (size_t i = 0; steps[i] && !ret && !s->over; i++)
		ret = steps[i](s);
	greeting_free(s);	/* also the key of one that failed early */
	if (s->recorder)
		ret = close_samples(s, ret);
	if (ret)
		fail(&result->error, ret, NULL, "%s", strerror(-ret));
	if (ret)
		cause_swap(s);
	/* before the report, which may find nobody to take it for long */
	resources_stop(&s->res);
	return ret;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	verification_free(s);
	resources_destroy(&s->res);
	free(s->latency);
	if (s->flows)
		free(s->flows[0].open);
	free(s->flows);
	free(s->progress);
	free(s->control);
	free(s->peer.qps);
	free(s);
}

void session_stage(struct session *s, const char *stage)
{
	error_stage(&s->result->error, stage);
}

uint64_t session_patience(const struct session *s)
{
	const struct parameters *params = &s->result->params;

	/* the plan's timeout is the client's choice */
	if (!s->client && params->idle_timeout < params->plan.timeout)
		return params->idle_timeout;
	return params->plan.timeout;
}

int session_send(struct session *s, struct frame *frame)
{
	int ret = last_words_send(s->conn, frame,
				  time_after(session_patience(s)),
				  &s->result->error);

	frame_free(frame);
	return ret;
}

int session_unexpected(struct session *s, const struct frame *frame,
		       enum frame_type wanted)
{
	if (frame->type == FRAME_REFUSE || frame->type == FRAME_ABORT)
		return frames_take_error(frame, s->conn->peer,
					 &s->result->error);
	return fail(&s->result->error, -EPROTO, NULL,
		    "the %s sent %s where %s was due", s->conn->peer,
		    frame_name(frame->type), frame_name(wanted));
}

/* How long a peer that gives signs of life may take until a frame of TYPE. */
static uint64_t alive_limit(const struct session *s, enum frame_type type)
{
	uint64_t least = session_patience(s), work;

	switch (type) {
	case FRAME_ACCEPT:
		return TURN_LIMIT;
	case FRAME_ENDPOINT:
	case FRAME_READY:
		work = plan_work_limit(&s->result->params.plan);
		return work > least ? work : least;
	default:
		return least;
	}
}

/* Is SIGN one that may come while a frame of TYPE is due?  Those of the traffic
 * before may still be on their way. */
static bool is_sign_due(const struct session *s, const struct frame *sign,
			enum frame_type type)
{
	if (sign->type == FRAME_WAIT)
		return type == FRAME_ACCEPT;
	return sign->type == FRAME_ALIVE && s->accepted;
}

/* A sign of life: what it says, and until when the frame of TYPE must come. */
static int take_sign(struct session *s, const struct frame *sign,
		     enum frame_type type, uint64_t *limit)
{
	uint32_t before = s->place;
	int ret = sign->type == FRAME_WAIT ? turn_hear(s, sign) : 0;

	if (ret)
		return ret;
	if (s->place < before)
		*limit = time_after(alive_limit(s, type));
	if (time_until(*limit))
		return 0;
	return fail(&s->result->error, -ETIMEDOUT, NULL,
		    "the %s is alive but did not send %s within %.6g s",
		    s->conn->peer, frame_name(type),
		    (double)alive_limit(s, type) / (double)SECOND);
}

/* The next frame that is no sign of life, when one of TYPE is due. */
static int receive(struct session *s, enum frame_type type,
		   struct frame *frame)
{
	uint64_t limit = time_after(alive_limit(s, type));
	int ret;

	for (;;) {
		uint64_t deadline = time_after(session_patience(s));

		ret = oob_receive(s->conn, frame_name(type),
				  deadline < limit ? deadline : limit, frame,
				  &s->result->error);
		if (ret || !is_sign_due(s, frame, type))
			return ret;
		ret = take_sign(s, frame, type, &limit);
		frame_free(frame);
		if (ret)
			return ret;
	}
}

int session_expect(struct session *s, enum frame_type type,
		   struct frame *frame)
{
	struct frame f;
	int ret = receive(s, type, &f);

	if (ret)
		return ret;
	if (f.type == type) {
		*frame = f;
		return 0;
	}
	ret = session_unexpected(s, &f, type);
	frame_free(&f);
	return ret;
}

int session_work(struct session *s, session_step *step)
{
	const struct plan *plan = &s->result->params.plan;
	struct error *err = &s->result->error;
	struct alive *alive;
	int ret = alive_begin(s->conn, alive_period(plan->timeout), &alive,
			      err), interrupted;

	if (ret)
		return ret;
	ret = step(s);
	interrupted = alive_end(alive, err);
	return ret ? ret : interrupted;
}

int session_say(struct session *s, enum frame_type type)
{
	struct frame frame;

	encode_empty(&frame, type);
	return session_send(s, &frame);
}

int session_hear(struct session *s, enum frame_type type)
{
	struct frame frame;
	int ret = session_expect(s, type, &frame);

	if (ret)
		return ret;
	ret = decode_empty(&frame, &s->result->error);
	frame_free(&frame);
	return ret;
}

/* An edge of a window that is known to that is as good as it gets; after the
 * other it need not be, ns. */
#define EDGE_SHARP 500
#define EDGE_HURRY 1000000

/* What is not there after that, on an unreliable transport, is lost. */
static uint64_t patience(const struct session *s)
{
	const struct plan *plan = &s->result->params.plan;

	if (!plan_is_unreliable(plan))
		return 0;
	return (uint64_t)(LOST_AFTER / clock_ns_per_tick(&s->clock));
}

/* Does this end look at what arrives?  As the measure, or to show how fast the
 * server is. */
static bool sees_arrivals(const struct session *s)
{
	const struct plan *plan = &s->result->params.plan;

	if (!plan_sends(plan, !s->client) || !plan_counts_received(plan))
		return false;
	return plan_by_receiver(plan) ||
	       (s->client && plan->reversed && plan->interval);
}

/* What thread T touches: its part of the QPs, with their queues. */
static struct flow make_flow(struct session *s, uint32_t t)
{
	const struct plan *plan = &s->result->params.plan;
	uint32_t first = resources_first_qp(&s->res, t);
	const struct queues *queues = &s->res.queues[t];
	const double tick = clock_ns_per_tick(&s->clock);

	return (struct flow){
		.qps = &s->res.qps[first],
		.n_qps = queues->n_qps,
		.send_cq = queues->cqs[0].send,
		.recv_cq = queues->cqs[0].recv,
		.cqs = queues->cqs,
		.n_cqs = queues->n_cqs,
		.receives = queues->receives,
		.n_receives = queues->n_receives,
		.wait = queues->channel ? sleep_wait : NULL,
		.sleep = queues->sleep,
		.clock = &s->clock,
		.control = s->control,
		.progress = &s->progress[t],
		.method = s->res.method,
		.inline_size = s->res.inline_size,
		.unreliable = plan_is_unreliable(plan),
		.by_receiver = sees_arrivals(s),
		.patience = patience(s),
		.sharp = (uint64_t)(EDGE_SHARP / tick),
		.hurry = (uint64_t)(EDGE_HURRY / tick),
		.latency = s->latency,
	};
}

int session_create(struct session *s)
{
	const struct plan *plan = &s->result->params.plan;
	int ret = resources_create(s->device, plan, s->client,
				   s->result->params.vector, &s->res,
				   &s->result->error);

	if (ret)
		return ret;
	numa_check(s->device->port.numa_node, s->res.memory.buffer,
		   s->res.memory.length);
	s->n_flows = plan->threads;
	s->flows = xcalloc_lines(s->n_flows, sizeof(*s->flows));
	s->progress = xcalloc_lines(s->n_flows, sizeof(*s->progress));
	s->control = xcalloc_lines(1, sizeof(*s->control));
	s->warming = plan_warms_up_apart(plan);
	if (plan->metric == METRIC_LATENCY)
		s->latency = histogram_new();
	for (uint32_t t = 0; t < s->n_flows; t++)
		s->flows[t] = make_flow(s, t);
	for (uint32_t t = 0; t < s->n_flows; t++)
		verification_begin(s, t);
	return inject_at(s, INJECT_AT_CREATED);
}

int session_send_endpoint(struct session *s)
{
	struct endpoint mine;
	struct frame frame;

	resources_describe(&s->res, &s->result->params.plan, s->device,
			   &s->result->path, &mine);
	encode_endpoint(&frame, &mine);
	free(mine.qps);
	return session_send(s, &frame);
}

/* The peer's endpoint must suit the plan that both agreed on. */
static int check_endpoint(struct session *s)
{
	const struct plan *plan = &s->result->params.plan;
	const struct endpoint *peer = &s->peer;
	const uint64_t least = plan_slots(plan) > 1 ? plan_stride(plan) :
						      plan_largest(plan);

	if (peer->n == plan->qps && peer->stride >= least &&
	    mtu_bytes(peer->mtu) == plan->mtu)
		return 0;
	return fail(&s->result->error, -EPROTO, NULL,
		    "the %s sent an ENDPOINT of %u QPs, stride %llu and MTU "
		    "%u where %u, %llu and %u were agreed", s->conn->peer,
		    peer->n, (unsigned long long)peer->stride,
		    mtu_bytes(peer->mtu), plan->qps,
		    (unsigned long long)plan_stride(plan), plan->mtu);
}

int session_take_endpoint(struct session *s)
{
	struct frame frame;
	int ret = session_expect(s, FRAME_ENDPOINT, &frame);

	if (ret)
		return ret;
	ret = decode_endpoint(&frame, &s->peer, &s->result->error);
	frame_free(&frame);
	return ret ? ret : check_endpoint(s);
}

int session_fill_receives(struct session *s)
{
	int ret = 0;

	for (uint32_t t = 0; t < s->n_flows && !ret; t++)
		ret = flow_fill_receives(&s->flows[t]);
	if (ret)
		fail(&s->result->error, ret, NULL,
		     "%s: cannot post receives: %s", s->device->port.device,
		     strerror(-ret));
	return ret;
}

/* What the QPs of an end are set to, in the result. */
static struct effective *effective_of(struct session *s, bool client)
{
	return client ? &s->result->client_qp : &s->result->server_qp;
}

int session_connect(struct session *s)
{
	const struct result *r = s->result;
	struct error *err = &s->result->error;
	int ret = inject_at(s, INJECT_AT_ENDPOINT);

	s->connecting = true;
	/* where messages may be lost run_size() does it in time, too: a packet
	 * that comes late must not take the receive of a message */
	if (!ret && plan_is_unreliable(&r->params.plan))
		ret = reach_begin(s);
	else if (!ret)
		ret = session_fill_receives(s);
	if (!ret)
		ret = resources_connect(&s->res, s->device, &r->params.plan,
					&r->path, &s->peer, err);
	if (!ret)
		ret = resources_query(&s->res, s->device, &r->params.plan,
				      &r->path, effective_of(s, s->client),
				      err);
	return ret ? ret : inject_at(s, INJECT_AT_CONNECTED);
}

int session_send_ready(struct session *s)
{
	struct frame frame;

	encode_ready(&frame, effective_of(s, s->client));
	return session_send(s, &frame);
}

int session_take_ready(struct session *s)
{
	const struct result *r = s->result;
	struct error *err = &s->result->error;
	struct effective theirs;
	struct frame frame;
	int ret = session_expect(s, FRAME_READY, &frame);

	if (ret)
		return ret;
	ret = decode_ready(&frame, &theirs, err);
	frame_free(&frame);
	if (!ret)
		ret = peer_check_ready(&r->params.plan, &r->path, &theirs, err);
	if (!ret)
		*effective_of(s, !s->client) = theirs;
	return ret;
}

void session_tell_begin(struct session *s)
{
	struct result *r = s->result;

	result_note_effective(r, &s->device->port);
	if (r->observer)
		r->observer->begin(r->observer, r);
}
