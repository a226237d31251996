#include "config.h"
#include "verbs/cm.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "model/addressing.h"
#include "verbs/advice.h"
#include "verbs/cm_explain.h"

/* Connections asked for at once, and requests that wait for cm_take(). */
#define AT_ONCE 16
#define BACKLOG 1024
#define PEER_TEXT_SIZE (INET6_ADDRSTRLEN + 16)

/* The private data of a request and of its answer. */
struct mark {
	uint8_t token[ENDPOINT_TOKEN_SIZE];
	uint8_t index[4];	/* of the queue pair, big-endian */
};

struct connection_of_qp {
	struct rdma_cm_id *id;
	enum cm_step step;
};

struct cm {
	struct cm_end end;
	struct rdma_event_channel *channel;
	struct rdma_cm_id *listener;
	struct connection_of_qp *qps;	/* plan->qps */
	struct sockaddr_storage remote;	/* client: the server's */
	uint32_t n_begun;		/* client: asked for */
	uint32_t n_done;
	char peer[PEER_TEXT_SIZE];	/* in messages */
};

/* An event whose data outlives rdma_ack_cm_event(3). */
struct event {
	struct rdma_cm_id *id;
	enum rdma_cm_event_type type;
	int status;
	struct rdma_ud_param ud;
	struct mark mark;
	bool marked;		/* the private data may be a mark */
};

static bool is_ethernet(const struct cm *cm)
{
	return port_is_ethernet(&cm->end.device->port);
}

static enum rdma_port_space port_space(const struct cm *cm)
{
	return plan_is_datagram(cm->end.plan) ? RDMA_PS_UDP : RDMA_PS_TCP;
}

/* CALL of librdmacm, which sets errno, failed. */
static int call_failed(const struct cm *cm, const char *call,
		       struct error *err)
{
	const int errnum = errno;
	const char *advice = NULL;

	if (errnum == ENODEV || errnum == ENOENT || errnum == EACCES ||
	    errnum == EPERM)
		advice = "load the module rdma_ucm (modprobe rdma_ucm), and "
			 "see the permissions of /dev/infiniband/rdma_cm";
	if (errnum == EADDRNOTAVAIL)
		advice = "the address of the GID is on no interface: see 'ip "
			 "address', or choose another GID with -x";
	return fail(err, errnum ? -errnum : -EIO, advice, "%s: %s: %s",
		    cm->end.device->port.device, call, strerror(errnum));
}

int cm_open(const struct cm_end *end, struct cm **cm, struct error *err)
{
	struct cm *c = xcalloc(1, sizeof(*c));

	*cm = c;
	c->end = *end;
	c->qps = xcalloc(end->plan->qps, sizeof(*c->qps));
	snprintf(c->peer, sizeof(c->peer), "the client");
	c->channel = rdma_create_event_channel();
	if (!c->channel)
		return call_failed(c, "rdma_create_event_channel", err);
	if (fcntl(c->channel->fd, F_SETFL, O_NONBLOCK) ||
	    fcntl(c->channel->fd, F_SETFD, FD_CLOEXEC))
		return call_failed(c, "fcntl", err);
	return 0;
}

/* In the header of every message of the manager's, and in the address vectors
 * that come of it. */
static int set_service(const struct cm *cm, struct rdma_cm_id *id,
		       struct error *err)
{
	uint8_t tos = addressing_traffic_class(cm->end.plan);

	if (tos && rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS,
				   &tos, sizeof(tos)))
		return call_failed(cm, "rdma_set_option", err);
	return 0;
}

int cm_listen(struct cm *cm, uint16_t *port, struct error *err)
{
	struct sockaddr_storage local = *cm->end.local;

	if (rdma_create_id(cm->channel, &cm->listener, NULL, port_space(cm))) {
		cm->listener = NULL;
		return call_failed(cm, "rdma_create_id", err);
	}
	if (rdma_bind_addr(cm->listener, (struct sockaddr *)&local))
		return call_failed(cm, "rdma_bind_addr", err);
	if (rdma_listen(cm->listener, BACKLOG))
		return call_failed(cm, "rdma_listen", err);
	*port = ntohs(rdma_get_src_port(cm->listener));
	return 0;
}

/* Milliseconds for one look-up, which must end before --timeout does. */
static int lookup_ms(const struct cm *cm)
{
	return (int)(cm->end.plan->timeout / 2 / 1000000);
}

static int begin_next(struct cm *cm, struct error *err)
{
	const uint32_t i = cm->n_begun;
	struct connection_of_qp *q = &cm->qps[i];
	struct sockaddr_storage local = *cm->end.local, remote = cm->remote;
	int ret;

	if (rdma_create_id(cm->channel, &q->id, (void *)(uintptr_t)i,
			   port_space(cm))) {
		q->id = NULL;
		return call_failed(cm, "rdma_create_id", err);
	}
	cm->n_begun++;
	ret = set_service(cm, q->id, err);
	if (ret)
		return ret;
	if (rdma_resolve_addr(q->id, (struct sockaddr *)&local,
			      (struct sockaddr *)&remote, lookup_ms(cm)))
		return call_failed(cm, "rdma_resolve_addr", err);
	return 0;
}

static void name_peer(struct cm *cm)
{
	const struct sockaddr_in6 *in6 = (const void *)&cm->remote;
	const struct sockaddr_in *in = (const void *)&cm->remote;
	const bool ipv6 = cm->remote.ss_family == AF_INET6;
	char text[INET6_ADDRSTRLEN] = "?";

	inet_ntop(cm->remote.ss_family,
		  ipv6 ? (const void *)&in6->sin6_addr : &in->sin_addr, text,
		  sizeof(text));
	snprintf(cm->peer, sizeof(cm->peer), "%s port %u", text,
		 ntohs(ipv6 ? in6->sin6_port : in->sin_port));
}

int cm_call(struct cm *cm, const struct sockaddr_storage *remote,
	    struct error *err)
{
	int ret = 0;

	cm->remote = *remote;
	name_peer(cm);
	while (!ret && cm->n_begun < cm->end.plan->qps &&
	       cm->n_begun < AT_ONCE)
		ret = begin_next(cm, err);
	return ret;
}

int cm_fd(const struct cm *cm)
{
	return cm->channel->fd;
}

static struct mark mark_of(const struct cm *cm, uint32_t i)
{
	const uint32_t index = htonl(i);
	struct mark mark;

	memcpy(mark.token, cm->end.token, sizeof(mark.token));
	memcpy(mark.index, &index, sizeof(mark.index));
	return mark;
}

/* Does EVENT carry this session's token?  If so, *I is the index. */
static bool knows_session(const struct cm *cm, const struct event *event,
			  uint32_t *i)
{
	uint32_t index;

	if (!event->marked || sodium_memcmp(event->mark.token, cm->end.token,
					    sizeof(event->mark.token)))
		return false;
	memcpy(&index, event->mark.index, sizeof(index));
	*i = ntohl(index);
	return *i < cm->end.plan->qps;
}

/* Both ends tell the manager what the plan says; it decides nothing. */
static struct rdma_conn_param parameters(const struct cm *cm, uint32_t i,
					 const struct mark *mark)
{
	const struct plan *plan = cm->end.plan;
	const bool client = cm->end.client;

	return (struct rdma_conn_param){
		.private_data = mark,
		.private_data_len = sizeof(*mark),
		.responder_resources = (uint8_t)plan_reads(plan, !client),
		.initiator_depth = (uint8_t)plan_reads(plan, client),
		.retry_count = (uint8_t)plan->retry_count,
		.rnr_retry_count = (uint8_t)plan->rnr_retry,
		.srq = cm->end.res->qps[i].qp->srq != NULL,
		.qp_num = cm->end.res->qps[i].qp->qp_num,
	};
}

/* The manager must have come to the same port and P_Key. */
static int check_device(const struct cm *cm, struct rdma_cm_id *id,
			struct error *err)
{
	const struct device *device = cm->end.device;
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT };
	const char *name = id->verbs ? ibv_get_device_name(id->verbs->device) :
				       "no device";
	int mask = 0;

	if (strcmp(name, device->port.device) != 0 ||
	    id->port_num != device->port.number)
		return fail(err, -EXDEV,
			    "name the server by an address of the network that "
			    "this device is on, or choose another -d, -i or -x",
			    "rdma_cm reaches %s by %s port %u, not by %s port "
			    "%u", cm->peer, name, id->port_num,
			    device->port.device, device->port.number);
	if (rdma_init_qp_attr(id, &attr, &mask))
		return call_failed(cm, "rdma_init_qp_attr to INIT", err);
	if (attr.pkey_index == device->pkey_index)
		return 0;
	return fail(err, -EXDEV, "give --pkey-index that of the interface",
		    "rdma_cm reaches %s with the P_Key at index %u, not at %u",
		    cm->peer, attr.pkey_index, device->pkey_index);
}

/* The manager's address of the peer of QP I: what the plan says of it goes
 * first. */
static int take_address(const struct cm *cm, uint32_t i,
			const struct ibv_ah_attr *av,
			struct resources_link *link, struct error *err)
{
	const struct plan *plan = cm->end.plan;
	const struct gid *mine = &cm->end.path->local;

	link->av = *av;
	if (plan->sl)
		link->av.sl = (uint8_t)plan->sl;
	if (plan->flow_labels.n)
		link->av.grh.flow_label = addressing_flow_label(plan, i);
	if (plan->hop_limit != ADDRESSING_HOP_LIMIT)
		link->av.grh.hop_limit = (uint8_t)plan->hop_limit;
	if (!av->is_global || !cm->end.path->global ||
	    av->grh.sgid_index == mine->index)
		return 0;
	return fail(err, -EXDEV,
		    "choose that with -x; of RoCE v1 and v2 rdma_cm takes what "
		    "default_roce_mode in configfs says",
		    "rdma_cm uses the GID at index %u, and the path that at %u",
		    av->grh.sgid_index, mine->index);
}

/* What the manager knows of the peer of QP I, over RC. */
static int find_link(const struct cm *cm, uint32_t i, struct rdma_cm_id *id,
		     struct resources_link *link, struct error *err)
{
	struct ibv_qp_attr rtr = { .qp_state = IBV_QPS_RTR };
	struct ibv_qp_attr rts = { .qp_state = IBV_QPS_RTS };
	int mask = 0;

	if (rdma_init_qp_attr(id, &rtr, &mask))
		return call_failed(cm, "rdma_init_qp_attr to RTR", err);
	if (rdma_init_qp_attr(id, &rts, &mask))
		return call_failed(cm, "rdma_init_qp_attr to RTS", err);
	link->qpn = rtr.dest_qp_num;
	link->rq_psn = rtr.rq_psn;
	link->sq_psn = rts.sq_psn;
	return take_address(cm, i, &rtr.ah_attr, link, err);
}

/* Connect QP I along LINK, or along the path without one.  The manager must
 * have found the queue pair that the peer's ENDPOINT names. */
static int connect_qp(struct cm *cm, uint32_t i,
		      const struct resources_link *link, struct error *err)
{
	const struct cm_end *end = &cm->end;

	if (link && link->qpn != end->peer->qps[i].qpn)
		return fail(err, -EPROTO, NULL,
			    "rdma_cm found QP 0x%06x at %s: expected QP "
			    "0x%06x", link->qpn, cm->peer,
			    end->peer->qps[i].qpn);
	return resources_connect_qp(end->res, end->device, end->plan,
				    end->path, end->peer, i, link, err);
}

/* A stranger, or a copy of a request. */
static int turn_away(struct rdma_cm_id *id)
{
	rdma_reject(id, NULL, 0);
	rdma_destroy_id(id);
	return 0;
}

/* QP I of the server, which the client asks for with ID. */
static int connect_server_qp(struct cm *cm, uint32_t i, struct rdma_cm_id *id,
			     struct error *err)
{
	struct resources_link link;
	int ret = check_device(cm, id, err);

	if (!ret && plan_is_datagram(cm->end.plan))
		return connect_qp(cm, i, NULL, err);
	if (!ret)
		ret = find_link(cm, i, id, &link, err);
	return ret ? ret : connect_qp(cm, i, &link, err);
}

/* The server: someone asks for a connection.  Over UD, where an answer that
 * got lost is asked for again, so it is given again. */
static int accept_request(struct cm *cm, const struct event *event,
			  struct error *err)
{
	struct rdma_conn_param param;
	struct connection_of_qp *q;
	struct mark mark;
	bool again;
	uint32_t i;
	int ret = 0;

	if (!knows_session(cm, event, &i))
		return turn_away(event->id);
	q = &cm->qps[i];
	again = q->id != NULL;
	if (again && !plan_is_datagram(cm->end.plan))
		return turn_away(event->id);
	if (again)
		rdma_destroy_id(q->id);
	q->id = event->id;
	if (!again)
		ret = connect_server_qp(cm, i, q->id, err);
	if (ret)
		return ret;
	mark = mark_of(cm, i);
	param = parameters(cm, i, &mark);
	if (rdma_accept(q->id, &param))
		return call_failed(cm, "rdma_accept", err);
	q->step = CM_CONNECTED;
	cm->n_done += !again;
	return 1;
}

static int take_server_event(struct cm *cm, const struct event *event,
			     struct error *err)
{
	if (event->type == RDMA_CM_EVENT_CONNECT_REQUEST)
		return accept_request(cm, event, err);
	if (event->type == RDMA_CM_EVENT_ESTABLISHED ||
	    event->type == RDMA_CM_EVENT_TIMEWAIT_EXIT)
		return 0;
	return cm_explain(event->type, event->status, CM_CONNECTED, cm->peer,
			  is_ethernet(cm), err);
}

/* The client: each awaited event, and what follows it. */

static int ask_for_route(struct cm *cm, uint32_t i, const struct event *event,
			 struct error *err)
{
	int ret = check_device(cm, event->id, err);

	if (ret)
		return ret;
	if (rdma_resolve_route(event->id, lookup_ms(cm)))
		return call_failed(cm, "rdma_resolve_route", err);
	cm->qps[i].step = CM_ROUTE;
	return 1;
}

static int ask_for_connection(struct cm *cm, uint32_t i,
			      const struct event *event, struct error *err)
{
	const struct mark mark = mark_of(cm, i);
	struct rdma_conn_param param = parameters(cm, i, &mark);

	if (rdma_connect(event->id, &param))
		return call_failed(cm, "rdma_connect", err);
	cm->qps[i].step = CM_ANSWER;
	return 1;
}

/* The server's answer. */
static int take_answer(struct cm *cm, uint32_t i, const struct event *event,
		       struct error *err)
{
	struct resources_link link = { .qpn = event->ud.qp_num };
	uint32_t index;
	int ret;

	if (!knows_session(cm, event, &index) || index != i)
		return fail(err, -EPROTO, NULL,
			    "the answer to rdma_cm from %s is not of this "
			    "session", cm->peer);
	if (plan_is_datagram(cm->end.plan))
		ret = take_address(cm, i, &event->ud.ah_attr, &link, err);
	else
		ret = find_link(cm, i, event->id, &link, err);
	if (!ret)
		ret = connect_qp(cm, i, &link, err);
	if (ret)
		return ret;
	if (!plan_is_datagram(cm->end.plan) && rdma_establish(event->id))
		return call_failed(cm, "rdma_establish", err);
	cm->qps[i].step = CM_CONNECTED;
	cm->n_done++;
	if (cm->n_begun < cm->end.plan->qps)
		ret = begin_next(cm, err);
	return ret ? ret : 1;
}

static int take_client_event(struct cm *cm, const struct event *event,
			     struct error *err)
{
	const struct {
		enum rdma_cm_event_type awaited;
		int (*next)(struct cm *cm, uint32_t i,
			    const struct event *event, struct error *err);
	} steps[] = {
		[CM_ADDRESS] = { RDMA_CM_EVENT_ADDR_RESOLVED, ask_for_route },
		[CM_ROUTE] = { RDMA_CM_EVENT_ROUTE_RESOLVED,
			       ask_for_connection },
		[CM_ANSWER] = { plan_is_datagram(cm->end.plan) ?
					RDMA_CM_EVENT_ESTABLISHED :
					RDMA_CM_EVENT_CONNECT_RESPONSE,
				take_answer },
	};
	const uint32_t i = (uint32_t)(uintptr_t)event->id->context;
	const enum cm_step step = cm->qps[i].step;

	if (step < CM_CONNECTED && event->type == steps[step].awaited &&
	    !event->status)
		return steps[step].next(cm, i, event, err);
	return cm_explain(event->type, event->status, step, cm->peer,
			  is_ethernet(cm), err);
}

/* Where EVENT has its private data. */
static const void *private_data(const struct cm *cm,
				const struct rdma_cm_event *event,
				uint8_t *length)
{
	if (plan_is_datagram(cm->end.plan)) {
		*length = event->param.ud.private_data_len;
		return event->param.ud.private_data;
	}
	*length = event->param.conn.private_data_len;
	return event->param.conn.private_data;
}

static struct event copy_event(const struct cm *cm,
			       const struct rdma_cm_event *event)
{
	struct event copy = {
		.id = event->id,
		.type = event->event,
		.status = event->status,
	};
	const void *data;
	uint8_t length;

	if (event->event != RDMA_CM_EVENT_CONNECT_REQUEST &&
	    event->event != RDMA_CM_EVENT_CONNECT_RESPONSE &&
	    event->event != RDMA_CM_EVENT_ESTABLISHED)
		return copy;
	if (plan_is_datagram(cm->end.plan))
		copy.ud = event->param.ud;
	data = private_data(cm, event, &length);
	/* padded with zeros to the size of the manager's message */
	copy.marked = data && length >= sizeof(copy.mark);
	if (copy.marked)
		memcpy(&copy.mark, data, sizeof(copy.mark));
	return copy;
}

int cm_take(struct cm *cm, struct error *err)
{
	struct rdma_cm_event *got;
	struct event event;

	if (rdma_get_cm_event(cm->channel, &got))
		return errno == EAGAIN || errno == EINTR ?
			       0 : call_failed(cm, "rdma_get_cm_event", err);
	event = copy_event(cm, got);
	/* an id cannot be destroyed before that */
	rdma_ack_cm_event(got);
	return cm->end.client ? take_client_event(cm, &event, err) :
				take_server_event(cm, &event, err);
}

bool cm_is_done(const struct cm *cm)
{
	return cm->n_done == cm->end.plan->qps;
}

int cm_timed_out(const struct cm *cm, struct error *err)
{
	enum cm_step step = CM_CONNECTED;

	for (uint32_t i = 0; i < cm->n_begun; i++)
		if (cm->qps[i].step < step)
			step = cm->qps[i].step;
	if (!cm->end.client)
		return fail(err, -ETIMEDOUT, NULL,
			    "the client requested only %u of %u connections "
			    "from rdma_cm in time", cm->n_done,
			    cm->end.plan->qps);
	return cm_explain_silence(step, cm->peer, is_ethernet(cm), err);
}

void cm_stop_listening(struct cm *cm)
{
	if (cm->listener)
		rdma_destroy_id(cm->listener);
	cm->listener = NULL;
}

void cm_close(struct cm *cm)
{
	if (!cm)
		return;
	cm_stop_listening(cm);
	for (uint32_t i = 0; i < cm->end.plan->qps; i++)
		if (cm->qps[i].id)
			rdma_destroy_id(cm->qps[i].id);
	if (cm->channel)
		rdma_destroy_event_channel(cm->channel);
	free(cm->qps);
	free(cm);
}
