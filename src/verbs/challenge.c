/*
 * A challenge: one packet of random bytes to the peer's first queue pair.  Only
 * an end that receives there can know its content (session/reach.c).
 */
#include "config.h"
#include "verbs/resources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "verbs/advice.h"
#include "verbs/explain.h"

struct challenge_buffer {
	uint8_t sent[CHALLENGE_SIZE];
	uint8_t received[GRH_SIZE + CHALLENGE_SIZE];
};

static int failed(const struct resources *res, const char *verb, int errnum,
		  struct error *err)
{
	return verb_failed(&res->device->port, verb, errnum, err,
			   "cannot exchange a challenge with the peer: %s",
			   verb);
}

int challenge_create(struct resources *res, struct error *err)
{
	struct challenge *c = &res->challenge;

	c->buffer = xcalloc(1, sizeof(*c->buffer));
	c->mr = ibv_reg_mr(res->pd, c->buffer, sizeof(*c->buffer),
			   IBV_ACCESS_LOCAL_WRITE);
	return c->mr ? 0 : failed(res, "ibv_reg_mr", errno, err);
}

void challenge_destroy(struct challenge *challenge)
{
	if (challenge->mr)
		ibv_dereg_mr(challenge->mr);
	free(challenge->buffer);
}

/* Poll CQ for one completion, for WC.  Returns 1, 0 when there is none, or a
 * negative errno with the reason in ERR. */
static int poll_one(const struct resources *res, struct ibv_cq *cq,
		    struct ibv_wc *wc, struct error *err)
{
	int n = ibv_poll_cq(cq, 1, wc);

	if (n < 0)
		return failed(res, "ibv_poll_cq", EIO, err);
	if (n == 0 || wc->status == IBV_WC_SUCCESS)
		return n;
	return fail_code(err, -EIO, explain_status_name(wc->status), NULL,
			 "%s: a challenge to or from the peer completed with "
			 "%s", res->device->port.device,
			 explain_status_name(wc->status));
}

int challenge_receive(const struct resources *res, struct error *err)
{
	const struct challenge *c = &res->challenge;
	struct ibv_sge sge = {
		.addr = (uintptr_t)c->buffer->received,
		.length = sizeof(c->buffer->received),
		.lkey = c->mr->lkey,
	};
	struct ibv_recv_wr *bad, wr = { .sg_list = &sge, .num_sge = 1 };
	struct ibv_srq *srq = res->queues->srq;
	int ret = srq ? ibv_post_srq_recv(srq, &wr, &bad) :
			ibv_post_recv(res->qps->qp, &wr, &bad);

	if (!ret)
		return 0;
	return failed(res, srq ? "ibv_post_srq_recv" : "ibv_post_recv", ret,
		      err);
}

int challenge_take(const struct resources *res, uint8_t bytes[CHALLENGE_SIZE],
		   struct error *err)
{
	size_t header = res->qps->qp->qp_type == IBV_QPT_UD ? GRH_SIZE : 0;
	const uint32_t sender = res->multicast.sender_qpn;
	struct ibv_wc wc;
	int n = poll_one(res, res->queues->cqs[0].recv, &wc, err);

	/* others may send to the group, too */
	if (n > 0 && sender && wc.src_qp != sender)
		return challenge_receive(res, err);
	if (n > 0)
		memcpy(bytes, res->challenge.buffer->received + header,
		       CHALLENGE_SIZE);
	return n;
}

int challenge_send(const struct resources *res,
		   const uint8_t bytes[CHALLENGE_SIZE], struct error *err)
{
	const struct challenge *c = &res->challenge;
	const struct flow_qp *q = res->qps;
	struct ibv_sge sge = {
		.addr = (uintptr_t)c->buffer->sent,
		.length = sizeof(c->buffer->sent),
		.lkey = c->mr->lkey,
	};
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};
	int ret;

	if (q->ah) {
		wr.wr.ud.ah = q->ah;
		wr.wr.ud.remote_qpn = q->remote_qpn;
		wr.wr.ud.remote_qkey = q->remote_qkey;
	}
	memcpy(c->buffer->sent, bytes, CHALLENGE_SIZE);
	ret = ibv_post_send(q->qp, &wr, &bad);
	return ret ? failed(res, "ibv_post_send", ret, err) : 0;
}

int challenge_sent(const struct resources *res, struct error *err)
{
	struct ibv_wc wc;

	return poll_one(res, res->queues->cqs[0].send, &wc, err);
}
