#include "config.h"
#include "session/callers.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/time.h"
#include "base/xalloc.h"
#include "control/link.h"
#include "net/frames.h"
#include "net/oob.h"
#include "net/wait.h"
#include "session/quota.h"
#include "session/setup.h"
#include "verbs/cm_explain.h"
#include "verbs/cm_id.h"

/* One connection of the client. */
struct caller {
	LIST_ENTRY(caller) entry;
	struct rdma_cm_id *id;
	struct link link;
};

struct callers {
	struct session *s;
	struct link_end end;
	struct cm_end cm;
	struct rdma_event_channel *channel;
	struct rdma_cm_id *listener;
	uint8_t token[ENDPOINT_TOKEN_SIZE];
	struct sockaddr_storage local;
	LIST_HEAD(, caller) list;
	uint32_t n;		/* callers in it */
	uint64_t deadline;	/* for the client to do something */
	bool over;		/* it said BYE */
};

static struct error *error_of(struct callers *c)
{
	return &c->s->run.result->error;
}

static void renew(struct callers *c)
{
	c->deadline = time_after(run_peer_timeout(&c->s->run));
}

static void forget(struct callers *c, struct caller *caller)
{
	struct error other = { 0 };

	link_destroy(&c->end, &caller->link, &other);
	/* this answers the client's wish to disconnect */
	rdma_destroy_id(caller->id);
	LIST_REMOVE(caller, entry);
	free(caller);
	c->n--;
}

/* Tell where this end listens. */
static int send_endpoint(struct callers *c)
{
	const struct link none = { .psn = 0 };
	struct endpoint_qp qp;
	struct endpoint mine = link_describe(&c->end, &none, &qp);
	struct frame frame;
	int ret;

	randombytes_buf(c->token, sizeof(c->token));
	memcpy(mine.cm_token, c->token, sizeof(c->token));
	cm_address_local(c->s->run.conn, c->end.path, &c->local);
	ret = cm_event_open(&c->cm, &c->channel, error_of(c));
	if (!ret)
		ret = cm_id_listen(&c->cm, c->channel, &c->listener,
				   &mine.cm_port, error_of(c));
	if (ret)
		return ret;
	encode_endpoint(&frame, &mine);
	return session_send(c->s, &frame);
}

/* The client's ENDPOINT says along which path it will call. */
static int take_path(struct callers *c)
{
	struct endpoint peer;
	struct frame frame;
	int ret = session_expect(c->s, FRAME_ENDPOINT, &frame);

	if (ret)
		return ret;
	ret = decode_endpoint(&frame, &peer, error_of(c));
	frame_free(&frame);
	if (ret)
		return ret;
	ret = accept_path_of_one(c->s, &peer, error_of(c));
	free(peer.qps);
	return ret;
}

/* Make the queue pair for ID, and connect it. */
static int connect_to(struct callers *c, struct rdma_cm_id *id,
		      struct link *link, struct error *err)
{
	struct resources_link found = { .group = false };
	struct error other = { 0 };
	int ret = quota_check_connections(&c->s->run.result->params, c->n + 1,
					  err);

	if (!ret)
		ret = cm_check_device(&c->cm, id, "the client", err);
	if (!ret)
		ret = cm_find_link(&c->cm, 0, id, &found, err);
	if (!ret)
		ret = link_make(&c->end, link, err);
	if (ret)
		return ret;
	ret = link_connect_found(&c->end, link, &found, err);
	if (ret)
		link_destroy(&c->end, link, &other);
	return ret;
}

/* Say why in REFUSE: a refusal is an answer like another, and the client may go
 * on. */
static int refuse(struct callers *c, struct rdma_cm_id *id,
		  const struct error *why)
{
	struct frame frame;

	cm_turn_away(id);
	encode_error(&frame, FRAME_REFUSE, why);
	return session_send(c->s, &frame);
}

static int accept_id(struct callers *c, struct rdma_cm_id *id,
		     const struct link *link, uint32_t number, uint64_t took)
{
	const struct cm_mark mark = cm_mark_of(&c->cm, number, took);
	struct rdma_conn_param param = cm_parameters(&c->cm, link->qp, &mark,
						     sizeof(mark));

	if (rdma_accept(id, &param))
		return cm_call_failed(&c->cm, "rdma_accept", error_of(c));
	return 0;
}

/* Someone asks for a connection. */
static int answer_request(struct callers *c, const struct cm_event *event)
{
	const uint64_t began = time_now();
	struct error refusal = { .stage = "connect" };
	struct caller *caller;
	struct link link;
	uint32_t number;

	if (!cm_mark_is_known(&c->cm, event, &number, NULL))
		return cm_turn_away(event->id);
	renew(c);
	link_drain(&c->end);
	if (connect_to(c, event->id, &link, &refusal))
		return refuse(c, event->id, &refusal);
	caller = xcalloc(1, sizeof(*caller));
	caller->id = event->id;
	caller->id->context = caller;
	caller->link = link;
	LIST_INSERT_HEAD(&c->list, caller, entry);
	c->n++;
	return accept_id(c, caller->id, &link, number, link_answered(
			 &c->end, c->n, began));
}

/* An event of the listener's has no caller, and is not good. */
static int take_event(struct callers *c, const struct cm_event *event)
{
	struct caller *caller = event->id->context;

	switch (event->type) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return answer_request(c, event);
	case RDMA_CM_EVENT_ESTABLISHED:
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		return 0;
	default:
		break;
	}
	if (!caller || event->type == RDMA_CM_EVENT_DEVICE_REMOVAL)
		return cm_explain(event->type, event->status, CM_CONNECTED,
				  "the client", cm_is_ethernet(&c->cm),
				  error_of(c));
	/* the client disconnects, or gave up, which it says itself */
	forget(c, caller);
	renew(c);
	return 0;
}

/* Between requests the client says only that it lives, or that it is done. */
static int hear(struct callers *c)
{
	struct frame frame;
	int ret = oob_take(c->s->run.conn, "the next connection", &frame,
			   error_of(c));

	if (ret)
		return ret == -EAGAIN ? 0 : ret;
	renew(c);
	if (frame.type == FRAME_BYE)
		c->over = true;
	else if (frame.type != FRAME_ALIVE)
		ret = session_unexpected(c->s, &frame, FRAME_BYE);
	frame_free(&frame);
	return ret;
}

static int answer_once(struct callers *c)
{
	struct connection *conn = c->s->run.conn;
	struct pollfd fds[2] = {
		{ .fd = c->channel->fd, .events = POLLIN },
		{ .fd = conn->fd, .events = POLLIN },
	};
	struct cm_event event;
	int ret = oob_wait_either(fds, &conn->cancel_fd, c->deadline,
				  error_of(c));

	if (ret == -ETIMEDOUT)
		return fail(error_of(c), ret, NULL,
			    "the client said nothing in time: waited for the "
			    "next connection");
	if (!ret && fds[1].revents)
		ret = hear(c);
	if (ret || !fds[0].revents)
		return ret < 0 ? ret : 0;
	ret = cm_event_take(&c->cm, c->channel, &event, error_of(c));
	return ret == 1 ? take_event(c, &event) : ret;
}

void callers_free(struct session *s)
{
	struct callers *c = s->callers;

	if (!c)
		return;
	while (!LIST_EMPTY(&c->list))
		forget(c, LIST_FIRST(&c->list));
	if (c->listener)
		rdma_destroy_id(c->listener);
	if (c->channel)
		rdma_destroy_event_channel(c->channel);
	link_close(&c->end);
	sodium_memzero(c->token, sizeof(c->token));
	free(c);
	s->callers = NULL;
}

/* The session owns what there is after a failure, too. */
static struct callers *begin(struct session *s)
{
	struct callers *c = xcalloc(1, sizeof(*c));

	LIST_INIT(&c->list);
	c->s = s;
	c->end = (struct link_end){
		.device = s->run.device,
		.plan = s->run.plan,
		.path = &s->run.result->path,
	};
	c->cm = (struct cm_end){
		.device = s->run.device,
		.plan = s->run.plan,
		.path = &s->run.result->path,
		.token = c->token,
		.local = &c->local,
	};
	s->callers = c;
	return c;
}

int callers_answer(struct session *s)
{
	struct callers *c = begin(s);
	int ret = link_open(&c->end, error_of(c));

	if (!ret)
		ret = take_path(c);
	if (!ret)
		ret = send_endpoint(c);
	renew(c);
	while (!ret && !c->over)
		ret = answer_once(c);
	link_report(&c->end, s->run.result, ret);
	return ret ? ret : session_say(s, FRAME_BYE);
}
