/* The attributes and masks of each state change of a queue pair, by transport.
 */
#include "config.h"
#include "verbs/qp_attr.h"

enum step { TO_INIT, TO_RTR, TO_RTS, STEPS };

/* The row for the target queue pair of XRC. */
enum { TARGET = TRANSPORTS, ROWS };

/* The attributes of each connected queue pair, and further ones of a responder
 * and of a requester whose requests are acknowledged. */
#define INIT \
	(IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)
#define RTR \
	(IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | \
	 IBV_QP_RQ_PSN)
#define RTS (IBV_QP_STATE | IBV_QP_SQ_PSN)
#define RESPONDER (IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define REQUESTER \
	(IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | \
	 IBV_QP_MAX_QP_RD_ATOMIC)

static const int masks[ROWS][STEPS] = {
	[TRANSPORT_RC] = { INIT, RTR | RESPONDER, RTS | REQUESTER },
	[TRANSPORT_UC] = { INIT, RTR, RTS },
	[TRANSPORT_XRC] = { INIT, RTR, RTS | REQUESTER },
	[TARGET] = { INIT, RTR | RESPONDER, RTS | IBV_QP_TIMEOUT },
	[TRANSPORT_UD] = {
		IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY,
		IBV_QP_STATE,
		RTS,
	},
};

static const int *masks_of(unsigned int transport, bool target)
{
	return masks[target ? (unsigned int)TARGET : transport];
}

int qp_attr_init(struct ibv_qp_attr *attr, uint8_t port, uint32_t index,
		 const struct qp_local *local)
{
	*attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_INIT,
		.pkey_index = (uint16_t)index,
		.port_num = port,
		.qp_access_flags = (unsigned int)local->access,
		.qkey = local->qkey,
	};
	return masks_of(local->transport, local->target)[TO_INIT];
}

struct ibv_ah_attr qp_attr_address(uint8_t port, const struct plan *plan,
				   const struct path *path,
				   uint32_t flow_label)
{
	struct ibv_ah_attr av = {
		.dlid = path->dlid,
		.sl = (uint8_t)plan->sl,
		.port_num = port,
		.static_rate = plan->static_rate,
		.is_global = path->global,
	};

	if (path->global)
		av.grh = (struct ibv_global_route){
			.dgid = path->remote.raw,
			.flow_label = flow_label,
			.sgid_index = (uint8_t)path->local.index,
			.hop_limit = (uint8_t)plan->hop_limit,
			.traffic_class = addressing_traffic_class(plan),
		};
	return av;
}

int qp_attr_rtr(struct ibv_qp_attr *attr, uint8_t port,
		const struct plan *plan, const struct qp_remote *remote)
{
	const int mask = masks_of(plan->transport, remote->target)[TO_RTR];

	*attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR,
		.ah_attr = remote->av ? *remote->av :
			   qp_attr_address(port, plan, remote->path,
					   remote->flow_label),
		.path_mtu = (enum ibv_mtu)remote->path->mtu,
		.dest_qp_num = remote->peer.qpn,
		.rq_psn = remote->peer.psn,
		.max_dest_rd_atomic = (uint8_t)plan_reads(plan,
							 !remote->client),
		.min_rnr_timer = (uint8_t)plan->min_rnr_timer,
	};
	if (!remote->qkey)
		return mask;
	attr->qkey = *remote->qkey;
	return mask | IBV_QP_QKEY;
}

int qp_attr_rts(struct ibv_qp_attr *attr, const struct plan *plan,
		const struct qp_remote *remote)
{
	const int mask = masks_of(plan->transport, remote->target)[TO_RTS];

	*attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS,
		.sq_psn = remote->psn,
		.timeout = (uint8_t)plan->qp_timeout,
		.retry_cnt = (uint8_t)plan->retry_count,
		.rnr_retry = (uint8_t)plan->rnr_retry,
		.max_rd_atomic = (uint8_t)plan_reads(plan, remote->client),
	};
	if (!plan->paced_kbps || remote->target ||
	    !plan_sends(plan, remote->client))
		return mask;
	attr->rate_limit = plan->paced_kbps;
	return mask | IBV_QP_RATE_LIMIT;
}

int qp_attr_query(enum transport transport, bool target)
{
	int mask = IBV_QP_CAP;

	for (int step = 0; step < STEPS; step++)
		mask |= masks_of(transport, target)[step];
	return mask;
}

struct effective qp_attr_effective(const struct ibv_qp_attr *attr,
				   enum transport transport, bool global)
{
	struct effective e = { .known = true };

#define X(name, most, transports, member) \
	e.name = effective_has(transports, transport, global) ? \
		 (uint32_t)attr->member : EFFECTIVE_NONE;
	EFFECTIVE_LIST(X)
#undef X
	if (e.path_mtu != EFFECTIVE_NONE)
		e.path_mtu = mtu_bytes((uint8_t)attr->path_mtu);
	return e;
}
