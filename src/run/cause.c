#include "config.h"
#include "run/cause.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/time.h"
#include "net/last_words.h"
#include "run/verification.h"
#include "verbs/explain.h"

/* A cause comes at most that much later than what was flushed for it. */
#define CAUSE_WAIT_MS 50
/* What failed here was there before the peer was answered; an event may take a
 * moment. */
#define EVENT_WAIT_MS 5
/* What telling the peer of a failure may cost, and hearing of its own; ns. */
#define LAST_WORDS 1000000000ULL

static const struct plan *plan_of(const struct session *s)
{
	return &s->result->params.plan;
}

/* The loop that failed first hand; NULL when none did. */
static struct flow *find_failed(struct session *s)
{
	struct flow *flushed = NULL;

	for (uint32_t t = 0; t < s->n_flows; t++) {
		struct flow *f = &s->flows[t];

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
 * The cause may reach its queue a moment after what was flushed for it.  With
 * EVENT not NULL an asynchronous event is looked for as well, and ends it.
 */
static struct flow *find_cause(struct session *s, struct error *event)
{
	static const struct timespec pause = { .tv_nsec = 1000000 };
	const int most = event ? EVENT_WAIT_MS : CAUSE_WAIT_MS;
	struct flow *f = find_failed(s);

	for (int ms = 0; !is_cause(f) && ms < most; ms++) {
		if (event && monitor_take_event(s->device->context, event))
			break;
		nanosleep(&pause, NULL);
		f = find_failed(s);
	}
	return f;
}

/* Messages that the peer has acknowledged: in order, up to the one that
 * failed. */
static uint64_t acknowledged(const struct session *s, const struct flow *failed)
{
	const struct flow_failure *why = &failed->failure;
	uint64_t n = 0;

	for (uint32_t t = 0; t < s->n_flows; t++) {
		const struct flow *f = &s->flows[t];

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

static int explain_flow(struct session *s, const struct flow *f)
{
	const struct plan *plan = plan_of(s);
	const struct explain_context context = {
		.plan = plan,
		.path = s->result->has_path ? &s->result->path : NULL,
		.peer = s->conn->peer,
		.ethernet = port_is_ethernet(&s->device->port),
		.lid = s->device->port.lid,
		.pkey = s->device->port.pkey,
		.size = f->shape.size,
		.qpn = f->qps[f->failure.qp_index].qp->qp_num,
		.sends = plan_sends(plan, s->client),
		.fenced = plan_is_fenced(plan),
		.acknowledged = acknowledged(s, f),
	};

	return explain_failure(&f->failure, &context, &s->result->error);
}

/* Keep the stage that was noted for an error of this end. */
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

/* The peer gave up and said why: did this end fail as well, by itself? */
static int explain_both(struct session *s, const struct monitor *m, int ret)
{
	struct error *err = &s->result->error;
	struct error event = { 0 };
	struct flow *f = find_cause(s, &event);

	if (!is_cause(f) && !error_is_set(&event)) {
		take_error(err, &m->err);
		return ret;
	}
	frames_own_words(&m->err, s->conn->peer, &s->result->peer_error);
	if (is_cause(f))
		return explain_flow(s, f);
	take_error(err, &event);
	return -EIO;
}

int cause_explain(struct session *s, const struct monitor *m, int ret)
{
	bool aborted = error_is_set(&m->err);
	bool event = !m->err.from_peer &&
		     !strncmp(m->err.code, "IBV_EVENT_", 10);
	int wrong = verification_explain(s);
	struct flow *f;

	if (wrong)
		return wrong;
	if (aborted && m->err.from_peer)
		return explain_both(s, m, ret);
	f = !aborted || event ? find_cause(s, NULL) : NULL;
	if (f)
		return explain_flow(s, f);
	if (aborted)
		take_error(&s->result->error, &m->err);
	return ret;
}

static void tell_peer(struct session *s)
{
	enum frame_type type = s->client || s->accepted ? FRAME_ABORT :
							  FRAME_REFUSE;
	struct error ignored = { 0 };
	struct frame frame;

	encode_error(&frame, type, &s->result->error);
	oob_send(s->conn, &frame, time_after(LAST_WORDS), &ignored);
	frame_free(&frame);
}

/* Failures after which the peer has nothing to say, or is not waited for: it
 * fell silent, it left, it makes no sense, the user interrupts. */
static bool is_worth_waiting(const struct error *err)
{
	static const char *const codes[] = {
		"ETIMEDOUT", "ECONNRESET", "EPIPE", "EPROTO", "ECANCELED",
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (!strcmp(err->code, codes[i]))
			return false;
	return true;
}

/* The peer was told of this end's failure: does it tell of one of its own?  It
 * does so at once, or closes the connection. */
static void hear_peer(struct session *s)
{
	struct error said = { 0 };
	struct result *r = s->result;

	if (!s->connecting || error_is_set(&r->peer_error) ||
	    !is_worth_waiting(&r->error))
		return;
	if (last_words_wait(s->conn, time_after(LAST_WORDS), &said) ==
	    -ECONNABORTED)
		frames_own_words(&said, s->conn->peer, &r->peer_error);
}

void cause_swap(struct session *s)
{
	struct result *r = s->result;

	if (r->error.from_peer) {
		frames_own_words(&r->error, s->conn->peer, &r->peer_error);
		return;
	}
	tell_peer(s);
	hear_peer(s);
}
