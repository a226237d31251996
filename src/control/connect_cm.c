/* Connects to a server by the connection manager (librdmacm) and disconnects
 * again, over and over: the client.  What the server does is in
 * session/acceptor.c. */
#include "config.h"
#include "control/op.h"

#include <errno.h>
#include <string.h>

#include "base/time.h"
#include "control/link.h"
#include "control/peer.h"
#include "net/frames.h"
#include "net/oob.h"
#include "verbs/cm_id.h"

/* The reason of a rejection that the server itself gave. */
#define REJECTED_BY_SERVER 28

enum {
	ADDRESS, ROUTE, CREATE, CONNECT, SERVER, MODIFY, MESSAGE, DISCONNECT,
	DESTROY,
};

struct own {
	struct link_end end;
	struct cm_end cm;
	uint32_t requested;	/* connections so far */
};

struct cm_link {
	struct rdma_cm_id *id;
	struct link link;
};

/* Exchange ENDPOINTs without a queue pair: the client's chooses the path, and
 * the server's has the port at which its manager listens. */
static int find_server(struct control_thread *t)
{
	const struct connection *conn = t->shared->conn;
	struct own *own = t->own;
	const struct link none = { .psn = 0 };
	struct endpoint_qp qp;
	struct endpoint mine = link_describe(&own->end, &none, &qp), theirs;
	struct sockaddr_storage remote;
	int ret = peer_exchange(t, &mine, &qp, &theirs);

	if (ret)
		return ret;
	if (!theirs.cm_port)
		return wire_refuse(&t->err, conn->peer, FRAME_ENDPOINT,
				   "without a port of rdma_cm");
	memcpy(own->cm.token, theirs.cm_token, sizeof(own->cm.token));
	cm_address_remote(conn, own->end.path, theirs.cm_port, &remote);
	cm_end_aim(&own->cm, &remote);
	return 0;
}

static int setup(struct control_thread *t)
{
	struct own *own = t->own;

	own->end = peer_link_end(t);
	own->cm = (struct cm_end){
		.client = true,
		.device = own->end.device,
		.plan = own->end.plan,
		.path = own->end.path,
	};
	cm_address_local(t->shared->conn, own->end.path, &own->cm.local);
	return link_open(&own->end, &t->err) ?:
	       cm_end_open(&own->cm, &t->err) ?:
	       find_server(t);
}

static void release(struct control_thread *t)
{
	struct own *own = t->own;

	cm_end_close(&own->cm);
	link_close(&own->end);
}

/* Wait until the manager or the server says something, and take that.  Returns
 * 1 with an EVENT, 0 without one, or a negative errno. */
static int wait_once(struct control_thread *t, enum cm_step step,
		     uint64_t deadline, struct signs *signs,
		     struct cm_event *event)
{
	struct own *own = t->own;
	int ret = alive_wait(t->shared->conn, own->cm.channel->fd, deadline,
			     signs, &t->err);

	if (ret == -ETIMEDOUT)
		return peer_is_lost(t, cm_late(&own->cm, step, &t->err));
	/* first: the server knows better why the manager failed */
	return ret ?: peer_receive_trouble(t) ?:
	       cm_event_take(&own->cm, event, &t->err);
}

/* Say why EVENT came, which was not awaited in STEP.  When the server rejects a
 * request, its reason comes over TCP. */
static int explain(struct control_thread *t, enum cm_step step,
		   const struct cm_event *event)
{
	const struct own *own = t->own;
	struct frame frame = { 0 };
	int ret;

	t->shared->broken = event->type != RDMA_CM_EVENT_REJECTED;
	if (event->type != RDMA_CM_EVENT_REJECTED ||
	    event->status != REJECTED_BY_SERVER)
		return cm_unexpected(&own->cm, event, step, &t->err);
	ret = peer_receive(t, FRAME_REFUSE, &frame) ?:
	      frames_take_error(&frame, t->shared->conn->peer, &t->err);
	frame_free(&frame);
	return ret;
}

/* Wait for the event of TYPE that ends STEP of C. */
static int await(struct control_thread *t, const struct cm_link *c,
		 enum cm_step step, enum rdma_cm_event_type type,
		 struct cm_event *event)
{
	const uint64_t timeout = t->shared->params->plan.timeout;
	const uint64_t deadline = time_after(timeout);
	struct signs signs = { .period = alive_period(timeout) };
	int ret;

	do {
		ret = wait_once(t, step, deadline, &signs, event);
		/* of a connection that is over */
		if (ret == 1 && event->type == RDMA_CM_EVENT_TIMEWAIT_EXIT)
			ret = 0;
	} while (!ret);
	if (ret < 0)
		return ret;
	if (event->id == c->id && event->type == type && !event->status)
		return 0;
	return explain(t, event->id == c->id ? step : CM_CONNECTED, event);
}

/* Resolve the address and the route of the server. */
static int find_route(struct control_thread *t, struct cm_link *c)
{
	struct own *own = t->own;
	struct cm_event event;
	int ret = cm_resolve_address(&own->cm, NULL, &c->id, &t->err) ?:
		  await(t, c, CM_ADDRESS, RDMA_CM_EVENT_ADDR_RESOLVED,
			&event) ?:
		  cm_check_device(&own->cm, c->id, own->cm.name, &t->err);

	if (ret)
		return ret;
	control_lap(t, ADDRESS);
	ret = cm_resolve_route(&own->cm, c->id, &t->err) ?:
	      await(t, c, CM_ROUTE, RDMA_CM_EVENT_ROUTE_RESOLVED, &event);
	control_lap(t, ROUTE);
	return ret;
}

/* Request the connection, and wait for the server's answer. */
static int request_connection(struct control_thread *t, struct cm_link *c)
{
	struct own *own = t->own;
	const uint32_t number = own->requested++;
	struct cm_event event;
	uint32_t answered;
	uint64_t took;
	int ret = cm_request(&own->cm, c->id, c->link.qp, number, &t->err) ?:
		  await(t, c, CM_ANSWER, cm_answer(&own->cm), &event);

	if (ret)
		return ret;
	if (!cm_mark_is_known(&own->cm, &event, &answered, &took) ||
	    answered != number || took > COUNT_MAX)
		return peer_is_lost(t, cm_answer_is_strange(&own->cm, &t->err));
	peer_lap(t, CONNECT, SERVER, took);
	return 0;
}

/* Complete the connection after the server's answer. */
static int finish(struct control_thread *t, struct cm_link *c)
{
	struct own *own = t->own;
	struct resources_link found = { .group = false };
	int ret = cm_find_link(&own->cm, 0, c->id, &found, &t->err) ?:
		  link_connect_found(&own->end, &c->link, &found, &t->err) ?:
		  cm_establish(&own->cm, c->id, &t->err);

	if (ret)
		return ret;
	control_lap(t, MODIFY);
	ret = link_send(&own->end, &c->link, &t->err);
	t->shared->broken = ret;
	control_lap(t, MESSAGE);
	return ret;
}

static int make(struct control_thread *t, void *object)
{
	struct own *own = t->own;
	struct cm_link *c = object;
	struct error other = { 0 };
	int ret;

	*c = (struct cm_link){ .id = NULL };
	ret = find_route(t, c) ?: link_make(&own->end, &c->link, &t->err);
	if (ret) {
		if (c->id)
			rdma_destroy_id(c->id);
		return ret;
	}
	control_lap(t, CREATE);
	ret = request_connection(t, c) ?: finish(t, c);
	if (ret) {
		link_destroy(&own->end, &c->link, &other);
		rdma_destroy_id(c->id);
	}
	return ret;
}

static int disconnect(struct control_thread *t, struct cm_link *c)
{
	const struct own *own = t->own;
	struct cm_event event;

	return peer_check(t) ?:
	       cm_check(&own->cm, "rdma_disconnect", rdma_disconnect(c->id),
			&t->err) ?:
	       await(t, c, CM_CONNECTED, RDMA_CM_EVENT_DISCONNECTED, &event);
}

static int undo(struct control_thread *t, void *object)
{
	struct own *own = t->own;
	struct cm_link *c = object;
	int ret = disconnect(t, c), destroyed;

	if (ret)
		peer_is_lost(t, ret);
	control_lap(t, DISCONNECT);
	destroyed = link_destroy(&own->end, &c->link, &t->err);
	rdma_destroy_id(c->id);
	control_lap(t, DESTROY);
	return ret ?: destroyed;
}

const struct control_op control_connect_cm = {
	.test = CONTROL_CONNECT,
	.parts = {
		[ADDRESS] = { .name = "address" },
		[ROUTE] = { .name = "route" },
		[CREATE] = { .name = "create" },
		[CONNECT] = { .name = "connect" },
		[SERVER] = { .name = "server" },
		[MODIFY] = { .name = "modify" },
		[MESSAGE] = { .name = "first message" },
		[DISCONNECT] = { .name = "disconnect", .undoes = true,
				 .aside = true },
		[DESTROY] = { .name = "destroy", .undoes = true,
			      .aside = true },
	},
	.own_size = sizeof(struct own),
	.object_size = sizeof(struct cm_link),
	.setup = setup,
	.make = make,
	.undo = undo,
	.release = release,
};
