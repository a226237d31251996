/* The queue pairs of the fake verbs. */
#include "config.h"
#include "fake_nic.h"

#include <errno.h>
#include <stdlib.h>

#include "fake_verbs.h"

static struct ibv_qp *create_qp(struct ibv_pd *pd, struct ibv_cq *send_cq,
				struct ibv_cq *recv_cq,
				const struct ibv_qp_cap *cap,
				enum ibv_qp_type type)
{
	struct nic_qp *q;

	if (nic_call_fails())
		return NULL;
	if (cap->max_send_wr < 1 || cap->max_recv_wr < 1 ||
	    type != IBV_QPT_RC) {
		errno = EINVAL;
		return NULL;
	}
	q = nic_create(sizeof(*q), &fake_verbs.qps);
	q->qp.context = pd->context;
	q->qp.pd = pd;
	q->qp.send_cq = send_cq;
	q->qp.recv_cq = recv_cq;
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

/* What man ibv_modify_qp asks for an RC queue pair. */
static int required_mask(enum ibv_qp_state to)
{
	switch (to) {
	case IBV_QPS_INIT:
		return IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
		       IBV_QP_ACCESS_FLAGS;
	case IBV_QPS_RTR:
		return IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
		       IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
		       IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	default:
		return IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT |
		       IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
		       IBV_QP_MAX_QP_RD_ATOMIC;
	}
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	if (nic_call_fails())
		return fake_verbs.errnum;
	if (attr->qp_state != qp->state + 1 ||
	    mask != required_mask(attr->qp_state))
		return EINVAL;
	pthread_mutex_lock(&nic_lock);
	qp->state = attr->qp_state;
	if (qp->state == IBV_QPS_RTR)
		((struct nic_qp *)qp)->dest = attr->dest_qp_num;
	pthread_mutex_unlock(&nic_lock);
	return 0;
}
