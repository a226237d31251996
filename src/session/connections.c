/* Serves the test connect: answers connections that the client makes over and
 * over. */
#include "config.h"
#include "session/dialogue.h"

#include <stdlib.h>

#include "base/time.h"
#include "base/xalloc.h"
#include "control/control.h"
#include "control/link.h"
#include "net/frames.h"
#include "session/manager.h"
#include "session/quota.h"
#include "session/setup.h"

int connections_measure(struct session *s)
{
	struct connection *conn = s->run.conn;
	const int cancel_fd = conn->cancel_fd;
	int ret;

	if (s->run.plan->control != CONTROL_CONNECT)
		return 0;
	s->over = true;
	/* the engine watches for signals itself, and nobody else may take
	 * them */
	conn->cancel_fd = -1;
	ret = control_run(s->run.device, cancel_fd, conn, s->run.result);
	conn->cancel_fd = cancel_fd;
	return ret ?: session_end(s);
}

/* The connections of a client that the server has answered, the oldest
 * first. */
struct answers {
	struct session *s;
	struct link_end end;
	struct link *links;	/* room for as many as the quota allows */
	uint64_t n;
};

/* Make and connect a queue pair; MINE and QP describe it. */
static int connect_to(struct answers *a, const struct endpoint *peer,
		      struct endpoint *mine, struct endpoint_qp *qp,
		      struct error *err)
{
	const uint64_t began = time_now();
	struct link *link = &a->links[a->n];
	struct error other = { 0 };
	int ret = link_make(&a->end, link, err);

	if (ret)
		return ret;
	ret = link_connect(&a->end, link, &peer->qps[0], err);
	if (ret) {
		link_destroy(&a->end, link, &other);
		return ret;
	}
	a->n++;
	*mine = link_describe(&a->end, link, qp);
	mine->took = link_answered(&a->end, a->n, began);
	return 0;
}

/* Connect the QP of the client's ENDPOINT and answer with this end's, or
 * refuse; after a refusal the client may go on. */
static int answer_endpoint(struct answers *a, const struct frame *frame)
{
	struct error *err = &a->s->run.result->error;
	struct error refusal = { .stage = "connect" };
	struct endpoint peer, mine;
	struct endpoint_qp qp;
	int ret = decode_endpoint(frame, &peer, err);

	if (ret)
		return ret;
	link_drain(&a->end);
	ret = quota_check_connections(&a->s->run.result->params, a->n + 1,
				      &refusal) ?:
	      accept_path_of_one(a->s, &peer, &refusal) ?:
	      connect_to(a, &peer, &mine, &qp, &refusal);
	free(peer.qps);
	return session_send(a->s, ret ? encode_error(FRAME_REFUSE, &refusal) :
					encode_endpoint(&mine));
}

/* Close all connections but the number that START names. */
static int answer_start(struct answers *a, const struct frame *frame)
{
	struct error *err = &a->s->run.result->error;
	uint64_t keep;
	int ret = decode_start(frame, &keep, err) ?:
		  wire_check(FRAME_START, "connections", keep, 0, a->n, err);

	while (!ret && a->n > keep)
		ret = link_destroy(&a->end, &a->links[--a->n], err);
	return ret ?: session_send(a->s, encode_start(keep));
}

/* Answer FRAME.  Returns 1 when it is BYE. */
static int answer(struct answers *a, const struct frame *frame)
{
	switch (frame->type) {
	case FRAME_ALIVE:
		return 0;
	case FRAME_ENDPOINT:
		return answer_endpoint(a, frame);
	case FRAME_START:
		return answer_start(a, frame);
	case FRAME_BYE:
		return 1;
	default:
		return session_unexpected(a->s, frame, FRAME_ENDPOINT);
	}
}

static int answer_all(struct answers *a)
{
	struct session *s = a->s;
	struct frame frame;
	int ret;

	do {
		ret = oob_receive(s->run.conn, "the next connection",
				  time_after(run_peer_timeout(&s->run)),
				  &frame, session_error(s));
		if (ret)
			return ret;
		ret = answer(a, &frame);
		frame_free(&frame);
	} while (!ret);
	return ret < 0 ? ret : session_send_empty(s, FRAME_BYE);
}

static void free_answers(struct answers *a)
{
	struct error other = { 0 };

	while (a->n)
		link_destroy(&a->end, &a->links[--a->n], &other);
	free(a->links);
	link_close(&a->end);
}

int connections_answer(struct session *s)
{
	struct answers a = {
		.s = s,
		.end = {
			.device = s->run.device,
			.plan = s->run.plan,
			.path = &s->run.result->path,
		},
	};
	int ret;

	if (s->run.plan->control != CONTROL_CONNECT)
		return 0;
	s->over = true;
	session_stage(s, "connect");
	if (HAVE_RDMACM && s->run.plan->rdma_cm)
		return acceptor_serve(s);
	a.links = xcalloc(s->run.result->params.max_qps, sizeof(*a.links));
	ret = link_open(&a.end, session_error(s)) ?: answer_all(&a);
	link_report(&a.end, s->run.result, ret);
	free_answers(&a);
	return ret;
}
