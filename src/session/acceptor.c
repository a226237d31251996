/*
 * The server of the test connect with --rdma-cm: accepts the connections that
 * its client requests through the connection manager.
 *
 * A request and its answer have the marks of verbs/cm_id.h, with the number of
 * the request as index.  The reason why this end rejects a request goes over
 * TCP, in REFUSE.
 */
#include "config.h"
#include "session/manager.h"

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
#include "verbs/cm_id.h"

/* One connection of the client. */
struct accepted {
	LIST_ENTRY(accepted) entry;
	struct rdma_cm_id *id;
	struct link link;
};

struct acceptor {
	struct session *s;
	struct link_end end;
	struct cm_end cm;
	LIST_HEAD(, accepted) list;
	uint32_t n;		/* connections in it */
	uint64_t deadline;	/* for the client to do something */
	bool over;		/* it sent BYE */
};

static struct error *error_of(struct acceptor *a)
{
	return &a->s->run.result->error;
}

static void renew_deadline(struct acceptor *a)
{
	a->deadline = time_after(run_peer_timeout(&a->s->run));
}

static void disconnect(struct acceptor *a, struct accepted *accepted)
{
	struct error other = { 0 };

	link_destroy(&a->end, &accepted->link, &other);
	/* this answers the client's wish to disconnect */
	rdma_destroy_id(accepted->id);
	LIST_REMOVE(accepted, entry);
	free(accepted);
	a->n--;
}

/* Begin to listen, and send an ENDPOINT with the port. */
static int send_endpoint(struct acceptor *a)
{
	const struct link none = { .psn = 0 };
	struct endpoint_qp qp;
	struct endpoint mine = link_describe(&a->end, &none, &qp);

	randombytes_buf(a->cm.token, sizeof(a->cm.token));
	memcpy(mine.cm_token, a->cm.token, sizeof(a->cm.token));
	cm_address_local(a->s->run.conn, a->end.path, &a->cm.local);
	return cm_end_open(&a->cm, error_of(a)) ?:
	       cm_end_listen(&a->cm, &mine.cm_port, error_of(a)) ?:
	       session_send(a->s, encode_endpoint(&mine));
}

/* Receive the client's ENDPOINT, with the path along which it connects. */
static int receive_path(struct acceptor *a)
{
	struct endpoint peer;
	struct frame frame = { 0 };
	int ret = session_expect(a->s, FRAME_ENDPOINT, &frame) ?:
		  decode_endpoint(&frame, &peer, error_of(a));

	frame_free(&frame);
	if (ret)
		return ret;
	ret = accept_path_of_one(a->s, &peer, error_of(a));
	free(peer.qps);
	return ret;
}

/* Make the queue pair for ID, and connect it. */
static int connect_to(struct acceptor *a, struct rdma_cm_id *id,
		      struct link *link, struct error *err)
{
	struct resources_link found = { .group = false };
	struct error other = { 0 };
	int ret = quota_check_connections(&a->s->run.result->params, a->n + 1,
					  err) ?:
		  cm_check_device(&a->cm, id, a->cm.name, err) ?:
		  cm_find_link(&a->cm, 0, id, &found, err) ?:
		  link_make(&a->end, link, err);

	if (ret)
		return ret;
	ret = link_connect_found(&a->end, link, &found, err);
	if (ret)
		link_destroy(&a->end, link, &other);
	return ret;
}

/* Reject the request ID, and send WHY in REFUSE: the client may go on. */
static int refuse(struct acceptor *a, struct rdma_cm_id *id,
		  const struct error *why)
{
	cm_reject(id);
	return session_send(a->s, encode_error(FRAME_REFUSE, why));
}

static int answer_request(struct acceptor *a, const struct cm_event *event)
{
	const uint64_t began = time_now();
	struct error refusal = { .stage = "connect" };
	struct accepted *accepted;
	struct link link;
	uint32_t number;

	if (!cm_mark_is_known(&a->cm, event, &number, NULL))
		return cm_reject(event->id);
	renew_deadline(a);
	link_drain(&a->end);
	if (connect_to(a, event->id, &link, &refusal))
		return refuse(a, event->id, &refusal);
	accepted = xcalloc(1, sizeof(*accepted));
	accepted->id = event->id;
	accepted->id->context = accepted;
	accepted->link = link;
	LIST_INSERT_HEAD(&a->list, accepted, entry);
	a->n++;
	return cm_accept(&a->cm, accepted->id, link.qp, number,
			 link_answered(&a->end, a->n, began), error_of(a));
}

/* Only an event of a connection has a context; one of the listener's is an
 * error. */
static int handle_event(struct acceptor *a, const struct cm_event *event)
{
	struct accepted *accepted = event->id->context;

	switch (event->type) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return answer_request(a, event);
	case RDMA_CM_EVENT_ESTABLISHED:
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		return 0;
	default:
		break;
	}
	if (!accepted || event->type == RDMA_CM_EVENT_DEVICE_REMOVAL)
		return cm_unexpected(&a->cm, event, CM_CONNECTED, error_of(a));
	/* the client disconnects, or gave up, which it reports itself */
	disconnect(a, accepted);
	renew_deadline(a);
	return 0;
}

/* Between requests the client sends only signs of life, and BYE at the end. */
static int receive_frame(struct acceptor *a)
{
	struct frame frame;
	int ret = oob_take(a->s->run.conn, "the next connection", &frame,
			   error_of(a));

	if (ret)
		return ret == -EAGAIN ? 0 : ret;
	renew_deadline(a);
	if (frame.type == FRAME_BYE)
		a->over = true;
	else if (frame.type != FRAME_ALIVE)
		ret = session_unexpected(a->s, &frame, FRAME_BYE);
	frame_free(&frame);
	return ret;
}

static int answer_once(struct acceptor *a)
{
	struct connection *conn = a->s->run.conn;
	struct pollfd fds[3] = {
		{ .fd = a->cm.channel->fd, .events = POLLIN },
		{ .fd = conn->fd, .events = POLLIN },
	};
	struct cm_event event;
	int ret = oob_wait_any(fds, 3, &conn->cancel_fd, a->deadline,
			       error_of(a));

	if (ret == -ETIMEDOUT)
		return fail(error_of(a), ret, NULL,
			    "the client said nothing in time: waited for the "
			    "next connection");
	if (!ret && fds[1].revents)
		ret = receive_frame(a);
	if (ret || !fds[0].revents)
		return ret < 0 ? ret : 0;
	ret = cm_event_take(&a->cm, &event, error_of(a));
	return ret == 1 ? handle_event(a, &event) : ret;
}

void acceptor_free(struct session *s)
{
	struct acceptor *a = s->acceptor;

	if (!a)
		return;
	while (!LIST_EMPTY(&a->list))
		disconnect(a, LIST_FIRST(&a->list));
	cm_end_close(&a->cm);
	link_close(&a->end);
	free(a);
	s->acceptor = NULL;
}

/* The session owns the acceptor, also after a failure. */
static struct acceptor *new_acceptor(struct session *s)
{
	struct acceptor *a = xcalloc(1, sizeof(*a));

	LIST_INIT(&a->list);
	a->s = s;
	a->end = (struct link_end){
		.device = s->run.device,
		.plan = s->run.plan,
		.path = &s->run.result->path,
	};
	a->cm = (struct cm_end){
		.device = s->run.device,
		.plan = s->run.plan,
		.path = &s->run.result->path,
	};
	s->acceptor = a;
	return a;
}

int acceptor_serve(struct session *s)
{
	struct acceptor *a = new_acceptor(s);
	int ret = link_open(&a->end, error_of(a)) ?:
		  receive_path(a) ?:
		  send_endpoint(a);

	renew_deadline(a);
	while (!ret && !a->over)
		ret = answer_once(a);
	link_report(&a->end, s->run.result, ret);
	return ret ?: session_send_empty(s, FRAME_BYE);
}
