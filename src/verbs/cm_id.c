/* Makes, binds, resolves and ends an rdma_cm_id, and knows the marks of a
 * session. */
#include "config.h"
#include "verbs/cm_id.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

static enum cm_network network_of(const struct cm_end *end)
{
	const struct port *port = &end->device->port;

	return port->iwarp ? CM_IWARP :
	       port_is_ethernet(port) ? CM_ETHERNET : CM_INFINIBAND;
}

int cm_check(const struct cm_end *end, const char *call, int result,
	     struct error *err)
{
	const int errnum = errno;
	const char *advice = NULL;

	if (!result)
		return 0;
	/* the first call fails without the kernel module */
	if (!strcmp(call, "rdma_create_event_channel"))
		advice = "load the module rdma_ucm (modprobe rdma_ucm), and "
			 "see the permissions of /dev/infiniband/rdma_cm";
	else if (errnum == ENODEV)
		advice = "the address of the GID leads to no RDMA device: "
			 "choose another GID with -x";
	if (errnum == EADDRNOTAVAIL)
		advice = "the address of the GID is on no interface: see 'ip "
			 "address', or choose another GID with -x";
	return fail(err, errnum ? -errnum : -EIO, advice, "%s: %s: %s",
		    end->device->port.device, call, strerror(errnum));
}

int cm_set_service(const struct cm_end *end, struct rdma_cm_id *id,
		   struct error *err)
{
	uint8_t tos = addressing_traffic_class(end->plan);

	return cm_check(end, "rdma_set_option",
			tos ? rdma_set_option(id, RDMA_OPTION_ID,
					      RDMA_OPTION_ID_TOS, &tos,
					      sizeof(tos)) : 0, err);
}

int cm_check_device(const struct cm_end *end, struct rdma_cm_id *id,
		    const char *peer, struct error *err)
{
	const struct device *device = end->device;
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT };
	const char *name = id->verbs ? ibv_get_device_name(id->verbs->device) :
				       "no device";
	int mask = 0, ret;

	if (strcmp(name, device->port.device) != 0 ||
	    id->port_num != device->port.number)
		return fail(err, -EXDEV,
			    "name the server by an address of the network that "
			    "this device is on, or choose another -d, -i or -x",
			    "rdma_cm reaches %s by %s port %u, not by %s port "
			    "%u", peer, name, id->port_num,
			    device->port.device, device->port.number);
	ret = cm_check(end, "rdma_init_qp_attr to INIT",
		       rdma_init_qp_attr(id, &attr, &mask), err);
	if (ret || attr.pkey_index == device->pkey_index)
		return ret;
	return fail(err, -EXDEV, "give --pkey-index that of the interface",
		    "rdma_cm reaches %s with the P_Key at index %u, not at %u",
		    peer, attr.pkey_index, device->pkey_index);
}

int cm_take_address(const struct cm_end *end, uint32_t i,
		    const struct ibv_ah_attr *av, struct resources_link *link,
		    struct error *err)
{
	const struct plan *plan = end->plan;
	const struct gid *mine = &end->path->local;

	link->av = *av;
	if (plan->sl)
		link->av.sl = (uint8_t)plan->sl;
	if (plan->flow_labels.n)
		link->av.grh.flow_label = addressing_flow_label(plan, i);
	if (plan->hop_limit != ADDRESSING_HOP_LIMIT)
		link->av.grh.hop_limit = (uint8_t)plan->hop_limit;
	if (!av->is_global || !end->path->global ||
	    av->grh.sgid_index == mine->index)
		return 0;
	return fail(err, -EXDEV,
		    "choose that with -x; of RoCE v1 and v2 rdma_cm takes what "
		    "default_roce_mode in configfs says",
		    "rdma_cm uses the GID at index %u, and the path that at %u",
		    av->grh.sgid_index, mine->index);
}

/* Requests that wait to be taken. */
#define BACKLOG 1024

/* UD has port numbers of its own. */
static enum rdma_port_space cm_port_space(const struct cm_end *end)
{
	return plan_is_datagram(end->plan) ? RDMA_PS_UDP : RDMA_PS_TCP;
}

int cm_create_id(const struct cm_end *end, void *context,
		 struct rdma_cm_id **id, struct error *err)
{
	int ret = cm_check(end, "rdma_create_id",
			   rdma_create_id(end->channel, id, context,
					  cm_port_space(end)), err);

	if (ret)
		*id = NULL;
	return ret;
}

int cm_bind(const struct cm_end *end, struct rdma_cm_id *id, struct error *err)
{
	struct sockaddr_storage local = end->local;

	return cm_check(end, "rdma_bind_addr",
			rdma_bind_addr(id, (struct sockaddr *)&local), err);
}

int cm_end_open(struct cm_end *end, struct error *err)
{
	snprintf(end->name, sizeof(end->name), "the client");
	end->channel = rdma_create_event_channel();
	return cm_check(end, "rdma_create_event_channel",
			end->channel ? 0 : -1, err) ?:
	       cm_check(end, "fcntl",
			fcntl(end->channel->fd, F_SETFL, O_NONBLOCK) ?:
			fcntl(end->channel->fd, F_SETFD, FD_CLOEXEC), err);
}

void cm_end_close(struct cm_end *end)
{
	cm_end_stop_listening(end);
	if (end->channel)
		rdma_destroy_event_channel(end->channel);
	end->channel = NULL;
	sodium_memzero(end->token, sizeof(end->token));
}

int cm_end_listen(struct cm_end *end, uint16_t *port, struct error *err)
{
	int ret = cm_create_id(end, NULL, &end->listener, err) ?:
		  cm_bind(end, end->listener, err) ?:
		  cm_check(end, "rdma_listen",
			   rdma_listen(end->listener, BACKLOG), err);

	if (!ret)
		*port = ntohs(rdma_get_src_port(end->listener));
	return ret;
}

void cm_end_stop_listening(struct cm_end *end)
{
	if (end->listener)
		rdma_destroy_id(end->listener);
	end->listener = NULL;
}

void cm_end_aim(struct cm_end *end, const struct sockaddr_storage *remote)
{
	const struct sockaddr_in6 *in6 = (const void *)remote;
	const struct sockaddr_in *in = (const void *)remote;
	const bool ipv6 = remote->ss_family == AF_INET6;
	char ip[INET6_ADDRSTRLEN] = "?";

	end->remote = *remote;
	inet_ntop(remote->ss_family,
		  ipv6 ? (const void *)&in6->sin6_addr : &in->sin_addr, ip,
		  sizeof(ip));
	snprintf(end->name, sizeof(end->name), "%s port %u", ip,
		 ntohs(ipv6 ? in6->sin6_port : in->sin_port));
}

/* Milliseconds for one look-up, which must end before --timeout does. */
static int lookup_ms(const struct cm_end *end)
{
	return (int)(end->plan->timeout / 2 / 1000000);
}

int cm_resolve_address(const struct cm_end *end, void *context,
		       struct rdma_cm_id **id, struct error *err)
{
	struct sockaddr_storage from = end->local, to = end->remote;

	return cm_create_id(end, context, id, err) ?:
	       cm_set_service(end, *id, err) ?:
	       cm_check(end, "rdma_resolve_addr",
			rdma_resolve_addr(*id, (struct sockaddr *)&from,
					  (struct sockaddr *)&to,
					  lookup_ms(end)), err);
}

int cm_resolve_route(const struct cm_end *end, struct rdma_cm_id *id,
		     struct error *err)
{
	return cm_check(end, "rdma_resolve_route",
			rdma_resolve_route(id, lookup_ms(end)), err);
}

int cm_reject(struct rdma_cm_id *id)
{
	rdma_reject(id, NULL, 0);
	rdma_destroy_id(id);
	return 0;
}

static struct cm_mark mark_of(const struct cm_end *end, uint32_t index,
			      uint64_t took)
{
	const uint32_t big_index = htobe32(index);
	const uint64_t big_took = htobe64(took);
	struct cm_mark mark;

	memcpy(mark.token, end->token, sizeof(mark.token));
	memcpy(mark.index, &big_index, sizeof(mark.index));
	memcpy(mark.took, &big_took, sizeof(mark.took));
	return mark;
}

/* The plan's values, of which the manager decides none. */
static struct rdma_conn_param parameters(const struct cm_end *end,
					 const struct ibv_qp *qp,
					 const struct cm_mark *mark)
{
	const struct plan *plan = end->plan;

	return (struct rdma_conn_param){
		.private_data = mark,
		.private_data_len = sizeof(*mark),
		.responder_resources = (uint8_t)plan_reads(plan, !end->client),
		.initiator_depth = (uint8_t)plan_reads(plan, end->client),
		.retry_count = (uint8_t)plan->retry_count,
		.rnr_retry_count = (uint8_t)plan->rnr_retry,
		.srq = qp->srq != NULL,
		.qp_num = qp->qp_num,
	};
}

int cm_request(const struct cm_end *end, struct rdma_cm_id *id,
	       const struct ibv_qp *qp, uint32_t index, struct error *err)
{
	const struct cm_mark mark = mark_of(end, index, 0);
	struct rdma_conn_param param = parameters(end, qp, &mark);

	return cm_check(end, "rdma_connect", rdma_connect(id, &param), err);
}

int cm_accept(const struct cm_end *end, struct rdma_cm_id *id,
	      const struct ibv_qp *qp, uint32_t index, uint64_t took,
	      struct error *err)
{
	const struct cm_mark mark = mark_of(end, index, took);
	struct rdma_conn_param param = parameters(end, qp, &mark);

	return cm_check(end, "rdma_accept", rdma_accept(id, &param), err);
}

enum rdma_cm_event_type cm_answer(const struct cm_end *end)
{
	return plan_is_datagram(end->plan) || end->device->port.iwarp ?
		       RDMA_CM_EVENT_ESTABLISHED :
		       RDMA_CM_EVENT_CONNECT_RESPONSE;
}

int cm_establish(const struct cm_end *end, struct rdma_cm_id *id,
		 struct error *err)
{
	if (cm_answer(end) == RDMA_CM_EVENT_ESTABLISHED)
		return 0;
	return cm_check(end, "rdma_establish", rdma_establish(id), err);
}

int cm_find_link(const struct cm_end *end, uint32_t i, struct rdma_cm_id *id,
		 struct resources_link *link, struct error *err)
{
	struct ibv_qp_attr rtr = { .qp_state = IBV_QPS_RTR };
	struct ibv_qp_attr rts = { .qp_state = IBV_QPS_RTS };
	int mask = 0, ret;

	if (end->device->port.iwarp)
		return 0;
	ret = cm_check(end, "rdma_init_qp_attr to RTR",
		       rdma_init_qp_attr(id, &rtr, &mask), err) ?:
	      cm_check(end, "rdma_init_qp_attr to RTS",
		       rdma_init_qp_attr(id, &rts, &mask), err);
	if (ret)
		return ret;
	link->qpn = rtr.dest_qp_num;
	link->rq_psn = rtr.rq_psn;
	link->sq_psn = rts.sq_psn;
	return cm_take_address(end, i, &rtr.ah_attr, link, err);
}

/* The private data of EVENT, and its length. */
static const void *private_data(bool datagram,
				const struct rdma_cm_event *event,
				uint8_t *length)
{
	if (datagram) {
		*length = event->param.ud.private_data_len;
		return event->param.ud.private_data;
	}
	*length = event->param.conn.private_data_len;
	return event->param.conn.private_data;
}

static struct cm_event copy_event(bool datagram,
				  const struct rdma_cm_event *event)
{
	struct cm_event copy = {
		.id = event->id,
		.type = event->event,
		.status = event->status,
	};
	const void *data;
	uint8_t length;

	if (datagram)
		copy.ud = event->param.ud;
	if (event->event != RDMA_CM_EVENT_CONNECT_REQUEST &&
	    event->event != RDMA_CM_EVENT_CONNECT_RESPONSE &&
	    event->event != RDMA_CM_EVENT_ESTABLISHED)
		return copy;
	data = private_data(datagram, event, &length);
	/* padded with zeros to the size of the manager's message */
	copy.marked = data && length >= sizeof(copy.mark);
	if (copy.marked)
		memcpy(&copy.mark, data, sizeof(copy.mark));
	return copy;
}

int cm_unexpected(const struct cm_end *end, const struct cm_event *event,
		  enum cm_step step, struct error *err)
{
	return cm_explain(event->type, event->status, step, end->name,
			  network_of(end), err);
}

int cm_late(const struct cm_end *end, enum cm_step step, struct error *err)
{
	return cm_explain_silence(step, end->name, network_of(end), err);
}

int cm_event_take(const struct cm_end *end, struct cm_event *event,
		  struct error *err)
{
	struct rdma_cm_event *got;

	if (rdma_get_cm_event(end->channel, &got)) {
		if (errno == EAGAIN || errno == EINTR)
			return 0;
		return cm_check(end, "rdma_get_cm_event", -1, err);
	}
	*event = copy_event(plan_is_datagram(end->plan), got);
	/* an id can be destroyed only after this */
	rdma_ack_cm_event(got);
	return 1;
}

bool cm_mark_is_known(const struct cm_end *end, const struct cm_event *event,
		      uint32_t *index, uint64_t *took)
{
	uint32_t big_index;
	uint64_t big_took;

	if (!event->marked || sodium_memcmp(event->mark.token, end->token,
					    sizeof(event->mark.token)))
		return false;
	memcpy(&big_index, event->mark.index, sizeof(big_index));
	memcpy(&big_took, event->mark.took, sizeof(big_took));
	*index = be32toh(big_index);
	if (took)
		*took = be64toh(big_took);
	return true;
}

int cm_answer_is_strange(const struct cm_end *end, struct error *err)
{
	return fail(err, -EPROTO, NULL,
		    "the answer to rdma_cm from %s is not of this session",
		    end->name);
}
