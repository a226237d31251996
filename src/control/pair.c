#include "config.h"
#include "control/pair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "verbs/qp.h"

/* Requests outstanding at either end. */
#define DEPTH 4
/* Polls between two looks at the clock. */
#define POLLS 1024
/* 67 ms, seven times. */
#define ACK_TIMEOUT 14

static int create(struct control_thread *t, struct control_pair *pair, int end)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = pair->cq,
		.recv_cq = pair->cq,
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = DEPTH, .max_recv_wr = DEPTH,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};

	pair->qps[end] = ibv_create_qp(t->shared->pd, &attr);
	return control_check(t, "ibv_create_qp", pair->qps[end] ? 0 : errno,
			     "create a queue pair");
}

static int to_init(struct control_thread *t, struct control_pair *pair,
		   int end)
{
	const struct device *device = t->shared->device;
	const struct qp_local local = {
		.transport = TRANSPORT_RC,
		.port = device->port.number,
		.pkey_index = (uint16_t)device->pkey_index,
		.access = IBV_ACCESS_REMOTE_WRITE,
	};

	return qp_to_init(device, pair->qps[end], &local, &t->err);
}

static int connect_to_other(struct control_thread *t,
			    struct control_pair *pair, int end)
{
	const struct qp_remote remote = {
		.path = &t->shared->path,
		.client = end == PAIR_REQUESTER,
		.peer = { .qpn = pair->qps[!end]->qp_num },
	};

	return qp_connect(t->shared->device, pair->qps[end], &pair->plan,
			  &remote, &t->err);
}

static int connect_both(struct control_thread *t, struct control_pair *pair)
{
	int ret = 0;

	for (int end = 0; end < PAIR_ENDS && !ret; end++)
		ret = to_init(t, pair, end);
	for (int end = 0; end < PAIR_ENDS && !ret; end++)
		ret = connect_to_other(t, pair, end);
	return ret;
}

int control_pair_make(struct control_thread *t, struct control_pair *pair)
{
	int ret;

	*pair = (struct control_pair){ .plan = t->shared->params->plan };
	pair->plan.op = OP_WRITE;
	pair->plan.transport = TRANSPORT_RC;
	pair->plan.qp_timeout = ACK_TIMEOUT;
	pair->cq = ibv_create_cq(t->shared->device->context, 4 * DEPTH, NULL,
				 NULL, 0);
	ret = control_check(t, "ibv_create_cq", pair->cq ? 0 : errno,
			    "create a completion queue");
	for (int end = 0; end < PAIR_ENDS && !ret; end++)
		ret = create(t, pair, end);
	ret = ret ?: connect_both(t, pair);
	if (ret)
		control_pair_free(pair);
	return ret;
}

int control_pair_reconnect(struct control_thread *t, struct control_pair *pair)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct ibv_wc wc;
	int ret = 0;

	for (int end = 0; end < PAIR_ENDS && !ret; end++)
		ret = ibv_modify_qp(pair->qps[end], &attr, IBV_QP_STATE);
	if (ret)
		return control_check(t, "ibv_modify_qp", ret,
				     "reset a queue pair");
	while (ibv_poll_cq(pair->cq, 1, &wc) > 0)
		;
	return connect_both(t, pair);
}

int control_pair_post(struct control_thread *t, struct control_pair *pair,
		      int end, struct ibv_send_wr *wr, bool takes)
{
	struct ibv_recv_wr receive = { .wr_id = 0 }, *bad_receive;
	struct ibv_send_wr *bad;
	int ret = 0;

	wr->send_flags |= IBV_SEND_SIGNALED;
	if (takes)
		ret = ibv_post_recv(pair->qps[!end], &receive, &bad_receive);
	if (!ret)
		ret = ibv_post_send(pair->qps[end], wr, &bad);
	return control_check(t, "ibv_post_send", ret, "post a request");
}

int control_pair_wait(struct control_thread *t, struct control_pair *pair,
		      int end, enum ibv_wc_status *status)
{
	const uint64_t deadline = time_after(pair->plan.timeout);
	struct ibv_wc wc;

	for (uint32_t i = 1;; i++) {
		int n = ibv_poll_cq(pair->cq, 1, &wc);

		if (n < 0)
			return control_check(t, "ibv_poll_cq", EIO,
					     "poll for a completion");
		if (n && wc.qp_num == pair->qps[end]->qp_num &&
		    (wc.status || !(wc.opcode & IBV_WC_RECV)))
			break;
		if (i % POLLS == 0 && !time_until(deadline))
			return fail(&t->err, -ETIMEDOUT, NULL,
				    "%s: nothing completed within %.6g s",
				    t->shared->device->port.device,
				    (double)pair->plan.timeout /
					    (double)SECOND);
	}
	*status = wc.status;
	return 0;
}

void control_pair_free(struct control_pair *pair)
{
	for (int end = 0; end < PAIR_ENDS; end++)
		if (pair->qps[end])
			ibv_destroy_qp(pair->qps[end]);
	if (pair->cq)
		ibv_destroy_cq(pair->cq);
	memset(pair, 0, sizeof(*pair));
}
