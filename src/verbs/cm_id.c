#include "config.h"
#include "verbs/cm_id.h"

#include <arpa/inet.h>
#include <stdio.h>

/* Requests that wait to be taken. */
#define BACKLOG 1024

/* UD has a space of port numbers for itself. */
static enum rdma_port_space cm_port_space(const struct cm_end *end)
{
	return plan_is_datagram(end->plan) ? RDMA_PS_UDP : RDMA_PS_TCP;
}

int cm_lookup_ms(const struct cm_end *end)
{
	return (int)(end->plan->timeout / 2 / 1000000);
}

void cm_name_address(const struct sockaddr_storage *address,
		     char text[CM_ADDRESS_SIZE])
{
	const struct sockaddr_in6 *in6 = (const void *)address;
	const struct sockaddr_in *in = (const void *)address;
	const bool ipv6 = address->ss_family == AF_INET6;
	char ip[INET6_ADDRSTRLEN] = "?";

	inet_ntop(address->ss_family,
		  ipv6 ? (const void *)&in6->sin6_addr : &in->sin_addr, ip,
		  sizeof(ip));
	snprintf(text, CM_ADDRESS_SIZE, "%s port %u", ip,
		 ntohs(ipv6 ? in6->sin6_port : in->sin_port));
}

int cm_id_listen(const struct cm_end *end, struct rdma_event_channel *channel,
		 struct rdma_cm_id **listener, uint16_t *port,
		 struct error *err)
{
	struct sockaddr_storage local = *end->local;

	if (rdma_create_id(channel, listener, NULL, cm_port_space(end))) {
		*listener = NULL;
		return cm_call_failed(end, "rdma_create_id", err);
	}
	if (rdma_bind_addr(*listener, (struct sockaddr *)&local))
		return cm_call_failed(end, "rdma_bind_addr", err);
	if (rdma_listen(*listener, BACKLOG))
		return cm_call_failed(end, "rdma_listen", err);
	*port = ntohs(rdma_get_src_port(*listener));
	return 0;
}

int cm_id_call(const struct cm_end *end, struct rdma_event_channel *channel,
	       void *context, const struct sockaddr_storage *remote,
	       struct rdma_cm_id **id, struct error *err)
{
	struct sockaddr_storage from = *end->local, to = *remote;
	int ret;

	if (rdma_create_id(channel, id, context, cm_port_space(end))) {
		*id = NULL;
		return cm_call_failed(end, "rdma_create_id", err);
	}
	ret = cm_set_service(end, *id, err);
	if (ret)
		return ret;
	if (rdma_resolve_addr(*id, (struct sockaddr *)&from,
			      (struct sockaddr *)&to, cm_lookup_ms(end)))
		return cm_call_failed(end, "rdma_resolve_addr", err);
	return 0;
}

int cm_turn_away(struct rdma_cm_id *id)
{
	rdma_reject(id, NULL, 0);
	rdma_destroy_id(id);
	return 0;
}

struct rdma_conn_param cm_parameters(const struct cm_end *end,
				     const struct ibv_qp *qp, const void *data,
				     size_t size)
{
	const struct plan *plan = end->plan;

	return (struct rdma_conn_param){
		.private_data = data,
		.private_data_len = (uint8_t)size,
		.responder_resources = (uint8_t)plan_reads(plan, !end->client),
		.initiator_depth = (uint8_t)plan_reads(plan, end->client),
		.retry_count = (uint8_t)plan->retry_count,
		.rnr_retry_count = (uint8_t)plan->rnr_retry,
		.srq = qp->srq != NULL,
		.qp_num = qp->qp_num,
	};
}

int cm_find_link(const struct cm_end *end, uint32_t i, struct rdma_cm_id *id,
		 struct resources_link *link, struct error *err)
{
	struct ibv_qp_attr rtr = { .qp_state = IBV_QPS_RTR };
	struct ibv_qp_attr rts = { .qp_state = IBV_QPS_RTS };
	int mask = 0;

	if (rdma_init_qp_attr(id, &rtr, &mask))
		return cm_call_failed(end, "rdma_init_qp_attr to RTR", err);
	if (rdma_init_qp_attr(id, &rts, &mask))
		return cm_call_failed(end, "rdma_init_qp_attr to RTS", err);
	link->qpn = rtr.dest_qp_num;
	link->rq_psn = rtr.rq_psn;
	link->sq_psn = rts.sq_psn;
	return cm_take_address(end, i, &rtr.ah_attr, link, err);
}
