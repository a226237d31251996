/* XRC of the fake NIC, as the annex on it of the InfiniBand specification and
 * the man pages say. */
#include "config.h"
#include "fake_nic.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "fake_verbs.h"

struct nic_srq *nic_srqs[NIC_OBJECTS];

static bool fine(bool is)
{
	if (!is)
		errno = EINVAL;
	return is;
}

static bool has_xrc(void)
{
	return fake_verbs.attr.device_cap_flags & IBV_DEVICE_XRC;
}

static struct ibv_xrcd *open_xrcd(struct ibv_context *context,
				  struct ibv_xrcd_init_attr *attr)
{
	struct ibv_xrcd *x;

	if (nic_call_fails() ||
	    !fine(has_xrc() && attr->fd == -1 && attr->oflags == O_CREAT &&
		  attr->comp_mask == (IBV_XRCD_INIT_ATTR_FD |
				      IBV_XRCD_INIT_ATTR_OFLAGS)))
		return NULL;
	x = nic_create(sizeof(*x), &fake_verbs.xrcds);
	x->context = context;
	return x;
}

static int close_xrcd(struct ibv_xrcd *x)
{
	bool used = false;

	/* the other end takes its own away meanwhile */
	pthread_mutex_lock(&nic_lock);
	for (uint32_t i = 0; i < nic_places; i++)
		used |= (nic_qps[i] && nic_qps[i]->xrcd == x) ||
			(nic_srqs[i] && nic_srqs[i]->xrcd == x);
	fake_verbs.misuses += used;
	pthread_mutex_unlock(&nic_lock);
	nic_count(&fake_verbs.xrcds, -1);
	free(x);
	return 0;
}

static struct ibv_srq *create_srq_ex(struct ibv_context *context,
				     struct ibv_srq_init_attr_ex *attr)
{
	struct ibv_srq_init_attr basic = { .attr = attr->attr };
	struct nic_srq *s;

	(void)context;
	if (!fine(attr->srq_type == IBV_SRQT_XRC && attr->xrcd && attr->cq &&
		  attr->comp_mask == (IBV_SRQ_INIT_ATTR_TYPE |
				      IBV_SRQ_INIT_ATTR_PD |
				      IBV_SRQ_INIT_ATTR_XRCD |
				      IBV_SRQ_INIT_ATTR_CQ)))
		return NULL;
	s = (struct nic_srq *)ibv_create_srq(attr->pd, &basic);
	if (!s)
		return NULL;
	s->xrcd = attr->xrcd;
	s->cq = attr->cq;
	s->number = NIC_FIRST_SRQN + nic_enter((void **)nic_srqs, s);
	return &s->srq;
}

static int get_srq_num(struct ibv_srq *srq, uint32_t *number)
{
	if (nic_call_fails())
		return fake_verbs.errnum;
	*number = ((struct nic_srq *)srq)->number;
	return 0;
}

void nic_set_xrc_ops(struct verbs_context *verbs)
{
	verbs->open_xrcd = open_xrcd;
	verbs->close_xrcd = close_xrcd;
	verbs->create_srq_ex = create_srq_ex;
	verbs->get_srq_num = get_srq_num;
}

/* It has neither queues nor a protection domain of its own. */
struct ibv_qp *nic_create_target(struct ibv_qp_init_attr_ex *attr)
{
	struct nic_qp *q;

	if (nic_call_fails() ||
	    !fine(attr->comp_mask == IBV_QP_INIT_ATTR_XRCD && attr->xrcd &&
		  !attr->send_cq && !attr->recv_cq && !attr->srq))
		return NULL;
	q = nic_create(sizeof(*q), &fake_verbs.qps);
	q->qp.context = attr->xrcd->context;
	q->qp.qp_type = attr->qp_type;
	q->qp.state = IBV_QPS_RESET;
	q->xrcd = attr->xrcd;
	q->rq = &q->own;
	q->qp.qp_num = NIC_FIRST_QPN + nic_enter((void **)nic_qps, q);
	return &q->qp;
}

struct nic_srq *nic_find_srq(const struct nic_qp *peer,
			     const struct nic_send *s)
{
	uint32_t i = s->wr.qp_type.xrc.remote_srqn - NIC_FIRST_SRQN;
	struct nic_srq *srq = i < NIC_OBJECTS ? nic_srqs[i] : NULL;

	return srq && srq->xrcd == peer->xrcd ? srq : NULL;
}

struct nic_rq *nic_receives_of(struct nic_qp *peer, const struct nic_send *s)
{
	struct nic_srq *srq;

	if (peer->qp.qp_type != IBV_QPT_XRC_RECV)
		return peer->rq;
	srq = nic_find_srq(peer, s);
	return srq ? &srq->rq : NULL;
}
