/* The queue pairs and address handles of the fake verbs. */
#include "config.h"
#include "fake_nic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake_verbs.h"

struct nic_ah *nic_ahs[NIC_OBJECTS];

/* What both ways to create one ask for. */
struct request {
	struct ibv_pd *pd;
	struct ibv_cq *send_cq;
	struct ibv_cq *recv_cq;
	struct ibv_srq *srq;
	struct ibv_qp_cap *cap;	/* becomes what is granted: the same */
	enum ibv_qp_type type;
};

/* One of XRC only sends. */
static bool receives_well(const struct request *r)
{
	if (r->type == IBV_QPT_XRC_SEND)
		return !r->srq && !r->recv_cq && !r->cap->max_recv_wr;
	return r->type >= IBV_QPT_RC && r->type <= IBV_QPT_UD && r->recv_cq &&
	       (r->srq || (r->cap->max_recv_wr > 0 &&
			   r->cap->max_recv_sge > 0));
}

static bool is_fine(const struct request *r)
{
	return r->cap->max_send_wr > 0 && r->cap->max_send_sge > 0 &&
	       r->cap->max_inline_data <= fake_verbs.max_inline &&
	       r->cap->max_send_sge <= (uint32_t)fake_verbs.attr.max_sge &&
	       r->cap->max_recv_sge <= (uint32_t)fake_verbs.attr.max_sge &&
	       receives_well(r);
}

static void make_queues(struct nic_qp *q, struct ibv_srq *srq)
{
	const uint32_t n = q->cap.max_send_wr;

	q->sends = calloc(n, sizeof(*q->sends));
	q->sge = calloc(n, q->cap.max_send_sge * sizeof(*q->sge));
	q->inline_data = calloc(n, q->cap.max_inline_data + 1);
	nic_make_receives(&q->own, srq ? 0 : q->cap.max_recv_wr,
			  q->cap.max_recv_sge);
	q->rq = srq ? &((struct nic_srq *)srq)->rq : &q->own;
}

static struct ibv_qp *create_qp(const struct request *r)
{
	struct nic_qp *q;

	if (nic_call_fails())
		return NULL;
	if (!is_fine(r)) {
		errno = EINVAL;
		return NULL;
	}
	q = nic_create(sizeof(*q), &fake_verbs.qps);
	q->qp.context = r->pd->context;
	q->qp.pd = r->pd;
	q->qp.send_cq = r->send_cq;
	q->qp.recv_cq = r->recv_cq;
	q->qp.srq = r->srq;
	q->qp.qp_type = r->type;
	q->qp.state = IBV_QPS_RESET;
	q->cap = *r->cap;
	make_queues(q, r->srq);
	q->qp.qp_num = NIC_FIRST_QPN + nic_enter((void **)nic_qps, q);
	return &q->qp;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	const struct request r = {
		pd, attr->send_cq, attr->recv_cq, attr->srq, &attr->cap,
		attr->qp_type,
	};

	return create_qp(&r);
}

struct ibv_qp *nic_create_qp_ex(struct ibv_context *context,
				struct ibv_qp_init_attr_ex *attr)
{
	const struct request r = {
		attr->pd, attr->send_cq, attr->recv_cq, attr->srq, &attr->cap,
		attr->qp_type,
	};
	struct ibv_qp *qp;

	(void)context;
	if (attr->qp_type == IBV_QPT_XRC_RECV)
		return nic_create_target(attr);
	if (!fake_verbs.builders) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	if (attr->comp_mask != (IBV_QP_INIT_ATTR_PD |
				IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) ||
	    !attr->send_ops_flags) {
		errno = EINVAL;
		return NULL;
	}
	qp = create_qp(&r);
	if (qp)
		builder_init((struct builder *)qp,
			     calloc(1, sizeof(struct builder_lists)));
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
	free(q->sge);
	free(q->inline_data);
	free(q->b.lists);
	nic_free_receives(&q->own);
	free(q);
	return 0;
}

/* What man ibv_modify_qp, and for XRC the kernel, ask for, of each type and in
 * each state. */
static int required_mask(enum ibv_qp_type type, enum ibv_qp_state to)
{
	const bool ud = type == IBV_QPT_UD;
	const bool takes = type == IBV_QPT_RC || type == IBV_QPT_XRC_RECV;
	const bool sends = type == IBV_QPT_RC || type == IBV_QPT_XRC_SEND;

	switch (to) {
	case IBV_QPS_INIT:
		return IBV_QP_STATE | IBV_QP_PORT |
		       (fake_verbs.iwarp ? 0 : IBV_QP_PKEY_INDEX) |
		       (ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS);
	case IBV_QPS_RTR:
		return IBV_QP_STATE |
		       (ud ? 0 : IBV_QP_AV | IBV_QP_PATH_MTU |
				 IBV_QP_DEST_QPN | IBV_QP_RQ_PSN) |
		       (takes ? IBV_QP_MAX_DEST_RD_ATOMIC |
				IBV_QP_MIN_RNR_TIMER : 0);
	default:
		return IBV_QP_STATE | IBV_QP_SQ_PSN |
		       (sends || takes ? IBV_QP_TIMEOUT : 0) |
		       (sends ? IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				IBV_QP_MAX_QP_RD_ATOMIC : 0);
	}
}

/* What may be there, too. */
static int optional_mask(enum ibv_qp_type type, enum ibv_qp_state to)
{
	return IBV_QP_RATE_LIMIT |
	       (type == IBV_QPT_UD && to == IBV_QPS_RTR ? IBV_QP_QKEY : 0);
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

/* Forget all that is outstanding. */
static int reset(struct ibv_qp *qp)
{
	struct nic_qp *q = (struct nic_qp *)qp;

	if (nic_call_fails())
		return fake_verbs.errnum;
	pthread_mutex_lock(&nic_lock);
	qp->state = IBV_QPS_RESET;
	q->posted = q->done = q->retired = 0;
	q->own.posted = q->own.done = 0;
	pthread_mutex_unlock(&nic_lock);
	return 0;
}

/* What a session ends with, of which nobody minds whether it fails. */
static int stop(struct ibv_qp *qp, int mask)
{
	if (qp->state == IBV_QPS_RESET || mask != IBV_QP_STATE)
		return EINVAL;
	pthread_mutex_lock(&nic_lock);
	qp->state = IBV_QPS_ERR;
	pthread_mutex_unlock(&nic_lock);
	return 0;
}

/* The rate of a queue pair or of its path. */
static void keep_rate(struct ibv_qp_attr *attr, int mask)
{
	if (mask & IBV_QP_AV) {
		fake_verbs.static_rate = attr->ah_attr.static_rate;
		if (fake_verbs.no_static_rate)
			attr->ah_attr.static_rate = 0;
	}
	if (mask & IBV_QP_RATE_LIMIT) {
		fake_verbs.paced++;
		fake_verbs.rate_limit = attr->rate_limit;
	}
}

void nic_connect(uint32_t qpn, uint32_t other_qpn)
{
	struct nic_qp *q = nic_find_qp(qpn);

	pthread_mutex_lock(&nic_lock);
	fake_verbs.misuses += q->qp.state != IBV_QPS_INIT;
	q->qp.state = IBV_QPS_RTS;
	q->dest = other_qpn;
	pthread_mutex_unlock(&nic_lock);
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	struct nic_qp *q = (struct nic_qp *)qp;

	if (attr->qp_state == IBV_QPS_ERR)
		return stop(qp, mask);
	if (attr->qp_state == IBV_QPS_RESET && mask == IBV_QP_STATE)
		return reset(qp);
	if (nic_call_fails())
		return fake_verbs.errnum;
	if (attr->qp_state != qp->state + 1 ||
	    (fake_verbs.iwarp && attr->qp_state > IBV_QPS_INIT) ||
	    (mask & ~optional_mask(qp->qp_type, attr->qp_state)) !=
		    required_mask(qp->qp_type, attr->qp_state))
		return EINVAL;
	if (mask & IBV_QP_RATE_LIMIT &&
	    (qp->state != IBV_QPS_RTR || fake_verbs.no_pacing))
		return EOPNOTSUPP;
	pthread_mutex_lock(&nic_lock);
	qp->state = attr->qp_state;
	keep_rate(attr, mask);
	keep(&q->attr, attr, mask);
	q->dest = q->attr.dest_qp_num;
	if (fake_verbs.stray && qp->state == IBV_QPS_RTR &&
	    !nic_is_reliable(q))
		nic_stray(q);
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

int ibv_query_qp_data_in_order(struct ibv_qp *qp, enum ibv_wr_opcode op,
			       uint32_t flags)
{
	(void)qp;
	return !flags && op == IBV_WR_RDMA_WRITE && fake_verbs.in_order;
}

static bool is_lid_of_group(uint16_t lid)
{
	return fake_verbs.port.link_layer == IBV_LINK_LAYER_ETHERNET ?
		       !lid : lid >= 0xc000 && lid != 0xffff;
}

int ibv_attach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	struct nic_qp *q = (struct nic_qp *)qp;

	if (nic_call_fails())
		return fake_verbs.errnum;
	if (qp->qp_type != IBV_QPT_UD || gid->raw[0] + gid->raw[10] < 0xff ||
	    qp->state < IBV_QPS_INIT || !is_lid_of_group(lid))
		return EINVAL;
	pthread_mutex_lock(&nic_lock);
	q->group = *gid;
	pthread_mutex_unlock(&nic_lock);
	nic_count(&fake_verbs.groups, 1);
	return 0;
}

int ibv_detach_mcast(struct ibv_qp *qp, const union ibv_gid *gid, uint16_t lid)
{
	struct nic_qp *q = (struct nic_qp *)qp;

	if (!is_lid_of_group(lid) || memcmp(&q->group, gid, sizeof(*gid)) != 0)
		return EINVAL;
	pthread_mutex_lock(&nic_lock);
	memset(&q->group, 0, sizeof(q->group));
	pthread_mutex_unlock(&nic_lock);
	nic_count(&fake_verbs.groups, -1);
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

/* Queue pairs may still have sends to it outstanding. */
int ibv_destroy_ah(struct ibv_ah *ah)
{
	pthread_mutex_lock(&nic_lock);
	for (uint32_t i = 0; i < nic_places; i++)
		if (nic_qps[i] && nic_qps[i]->qp.pd == ah->pd)
			fake_verbs.misuses++;
	pthread_mutex_unlock(&nic_lock);
	nic_leave((void **)nic_ahs, ah->handle);
	nic_count(&fake_verbs.ahs, -1);
	free(ah);
	return 0;
}
