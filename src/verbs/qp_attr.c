#include "config.h"
#include "verbs/qp_attr.h"

/* Through routers (RoCE v2); IANA's default for IP. */
#define HOP_LIMIT 64
/* 0.64 ms: what a requester waits after "receiver not ready". */
#define MIN_RNR_TIMER 12
/* Not 7: Soft-RoCE takes that for "for ever", and would never give up. */
#define RETRY_COUNT 6
/* For ever: the monitor ends a run that makes no progress. */
#define RNR_RETRY 7

int qp_attr_init(struct ibv_qp_attr *attr, uint8_t port, int access)
{
	*attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_INIT,
		.pkey_index = 0,
		.port_num = port,
		.qp_access_flags = (unsigned int)access,
	};
	return IBV_QP_STATE |
	       IBV_QP_PKEY_INDEX |
	       IBV_QP_PORT |
	       IBV_QP_ACCESS_FLAGS;
}

static struct ibv_ah_attr address_vector(uint8_t port, const struct plan *plan,
					 const struct path *path)
{
	struct ibv_ah_attr av = {
		.dlid = path->dlid,
		.sl = (uint8_t)plan->sl,
		.port_num = port,
		.is_global = path->global,
	};

	if (path->global)
		av.grh = (struct ibv_global_route){
			.dgid = path->remote.raw,
			.sgid_index = (uint8_t)path->local.index,
			.hop_limit = HOP_LIMIT,
		};
	return av;
}

int qp_attr_rtr(struct ibv_qp_attr *attr, uint8_t port,
		const struct plan *plan, const struct path *path,
		uint32_t dest_qpn, uint32_t rq_psn)
{
	*attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR,
		.ah_attr = address_vector(port, plan, path),
		.path_mtu = (enum ibv_mtu)path->mtu,
		.dest_qp_num = dest_qpn,
		.rq_psn = rq_psn,
		.max_dest_rd_atomic = (uint8_t)plan->outstanding_reads,
		.min_rnr_timer = MIN_RNR_TIMER,
	};
	return IBV_QP_STATE |
	       IBV_QP_AV |
	       IBV_QP_PATH_MTU |
	       IBV_QP_DEST_QPN |
	       IBV_QP_RQ_PSN |
	       IBV_QP_MAX_DEST_RD_ATOMIC |
	       IBV_QP_MIN_RNR_TIMER;
}

int qp_attr_rts(struct ibv_qp_attr *attr, const struct plan *plan,
		uint32_t sq_psn)
{
	*attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS,
		.sq_psn = sq_psn,
		.timeout = (uint8_t)plan->qp_timeout,
		.retry_cnt = RETRY_COUNT,
		.rnr_retry = RNR_RETRY,
		.max_rd_atomic = (uint8_t)plan->outstanding_reads,
	};
	return IBV_QP_STATE |
	       IBV_QP_SQ_PSN |
	       IBV_QP_TIMEOUT |
	       IBV_QP_RETRY_CNT |
	       IBV_QP_RNR_RETRY |
	       IBV_QP_MAX_QP_RD_ATOMIC;
}
