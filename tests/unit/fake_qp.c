/* The queue pairs and address handles of the fake verbs. */
#include "config.h"
#include "fake_nic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake_verbs.h"

struct nic_ah *nic_ahs[NIC_OBJECTS];

static struct ibv_qp *create_qp(struct ibv_pd *pd, struct ibv_cq *send_cq,
				struct ibv_cq *recv_cq,
				const struct ibv_qp_cap *cap,
				enum ibv_qp_type type)
{
	struct nic_qp *q;

	if (nic_call_fails())
		return NULL;
	if (cap->max_send_wr < 1 || cap->max_recv_wr < 1 ||
	    type < IBV_QPT_RC || type > IBV_QPT_UD) {
		errno = EINVAL;
		return NULL;
	}
	q = nic_create(sizeof(*q), &fake_verbs.qps);
	q->qp.context = pd->context;
	q->qp.pd = pd;
	q->qp.send_cq = send_cq;
	q->qp.recv_cq = recv_cq;
	q->qp.qp_type = type;
	q->qp.state = IBV_QPS_RESET;
	q->cap = *cap;
	q->sends = calloc(q->cap.max_send_wr, sizeof(*q->sends));
	q->receives = calloc(q->cap.max_recv_wr, sizeof(*q->receives));
	q->qp.qp_num = NIC_FIRST_QPN + nic_enter((void **)nic_qps, q);
	return &q->qp;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	return create_qp(pd, attr->send_cq, attr->recv_cq, &attr->cap,
			 attr->qp_type);
}

struct ibv_qp *nic_create_qp_ex(struct ibv_context *context,
				   struct ibv_qp_init_attr_ex *attr)
{
	struct ibv_qp *qp;

	(void)context;
	if (attr->comp_mask != (IBV_QP_INIT_ATTR_PD |
				IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) ||
	    !attr->send_ops_flags) {
		errno = EINVAL;
		return NULL;
	}
	qp = create_qp(attr->pd, attr->send_cq, attr->recv_cq, &attr->cap,
		       attr->qp_type);
	if (qp)
		builder_init((struct builder *)qp);
	return qp;
}

struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
	return &((struct builder *)qp)->qpx;
}

int ibv_destroy_qp(struct ibv_qp *qp)
{
	struct nic_qp *q = (struct nic_qp *)qp;

	nic_leave((void **)nic_qps, qp->qp_num - NIC_FIRST_QPN);
	nic_count(&fake_verbs.qps, -1);
	free(q->sends);
	free(q->receives);
	free(q);
	return 0;
}

/* What man ibv_modify_qp asks for, of each type and in each state. */
static int required_mask(enum ibv_qp_type type, enum ibv_qp_state to)
{
	const bool ud = type == IBV_QPT_UD, rc = type == IBV_QPT_RC;

	switch (to) {
	case IBV_QPS_INIT:
		return IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
		       (ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS);
	case IBV_QPS_RTR:
		return IBV_QP_STATE |
		       (ud ? 0 : IBV_QP_AV | IBV_QP_PATH_MTU |
				 IBV_QP_DEST_QPN | IBV_QP_RQ_PSN) |
		       (rc ? IBV_QP_MAX_DEST_RD_ATOMIC |
			     IBV_QP_MIN_RNR_TIMER : 0);
	default:
		return IBV_QP_STATE | IBV_QP_SQ_PSN |
		       (rc ? IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			     IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC : 0);
	}
}

/* What MASK has of FROM becomes that of TO. */
static void keep(struct ibv_qp_attr *to, const struct ibv_qp_attr *from,
		 int mask)
{
#define KEEP(bit, member) \
	if (mask & (bit)) \
		to->member = from->member
	KEEP(IBV_QP_PKEY_INDEX, pkey_index);
	KEEP(IBV_QP_PORT, port_num);
	KEEP(IBV_QP_QKEY, qkey);
	KEEP(IBV_QP_ACCESS_FLAGS, qp_access_flags);
	KEEP(IBV_QP_AV, ah_attr);
	KEEP(IBV_QP_PATH_MTU, path_mtu);
	KEEP(IBV_QP_DEST_QPN, dest_qp_num);
	KEEP(IBV_QP_RQ_PSN, rq_psn);
	KEEP(IBV_QP_SQ_PSN, sq_psn);
	KEEP(IBV_QP_MAX_DEST_RD_ATOMIC, max_dest_rd_atomic);
	KEEP(IBV_QP_MIN_RNR_TIMER, min_rnr_timer);
	KEEP(IBV_QP_TIMEOUT, timeout);
	KEEP(IBV_QP_RETRY_CNT, retry_cnt);
	KEEP(IBV_QP_RNR_RETRY, rnr_retry);
	KEEP(IBV_QP_MAX_QP_RD_ATOMIC, max_rd_atomic);
#undef KEEP
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	struct nic_qp *q = (struct nic_qp *)qp;

	if (nic_call_fails())
		return fake_verbs.errnum;
	if (attr->qp_state != qp->state + 1 ||
	    mask != required_mask(qp->qp_type, attr->qp_state))
		return EINVAL;
	pthread_mutex_lock(&nic_lock);
	qp->state = attr->qp_state;
	keep(&q->attr, attr, mask);
	q->dest = q->attr.dest_qp_num;
	pthread_mutex_unlock(&nic_lock);
	return 0;
}

int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask,
		 struct ibv_qp_init_attr *init)
{
	const struct nic_qp *q = (const struct nic_qp *)qp;

	(void)init;
	if (nic_call_fails())
		return fake_verbs.errnum;
	memset(attr, 0, sizeof(*attr));
	pthread_mutex_lock(&nic_lock);
	keep(attr, &q->attr, mask);
	attr->qp_state = qp->state;
	if (mask & IBV_QP_CAP)
		attr->cap = q->cap;
	pthread_mutex_unlock(&nic_lock);
	return 0;
}

struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct nic_ah *a;

	if (nic_call_fails())
		return NULL;
	a = nic_create(sizeof(*a), &fake_verbs.ahs);
	a->ah.context = pd->context;
	a->ah.pd = pd;
	a->attr = *attr;
	a->ah.handle = nic_enter((void **)nic_ahs, a);
	return &a->ah;
}

/* Queue pairs may still have sends under way to it. */
int ibv_destroy_ah(struct ibv_ah *ah)
{
	pthread_mutex_lock(&nic_lock);
	for (uint32_t i = 0; i < NIC_OBJECTS; i++)
		if (nic_qps[i] && nic_qps[i]->qp.pd == ah->pd)
			fake_verbs.misuses++;
	pthread_mutex_unlock(&nic_lock);
	nic_leave((void **)nic_ahs, ah->handle);
	nic_count(&fake_verbs.ahs, -1);
	free(ah);
	return 0;
}
