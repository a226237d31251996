/*
 * The cost of the calls of the data path: posting a message, and polling for
 * its completion and for none.  A queue pair writes to itself; over UD it sends
 * to itself without a receive, so that the message is dropped.
 */
#include "config.h"
#include "control/op.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "control/qps.h"
#include "traffic/post.h"
#include "verbs/explain.h"
#include "verbs/qp.h"

enum { POLL_NOTHING, POST, WAIT, POLL };

struct own {
	struct control_qps common;	/* first: see qps.h */
	enum op op;
	bool is_inline;
	struct flow_qp q;
	struct flow_request request;
	post_one_fn *post;	/* as the loops post */
	uint8_t *buffer;
	struct ibv_mr *mr;
};

static int create_qp(struct control_thread *t, struct own *own)
{
	const struct plan *plan = &t->shared->params->plan;
	enum post_method method = plan->post;
	uint32_t inline_size = plan->inline_size == PLAN_AUTO ?
				       0 : plan->inline_size;
	const struct qp_parts parts = {
		.pd = t->shared->pd,
		.send_cq = own->common.cq,
		.recv_cq = own->common.cq,
		.transport = plan->transport,
		.send_depth = CONTROL_DEPTH,
		.send_entries = 1,
		.receive_entries = 1,
		.op = own->op,
		.sends = true,
	};
	int ret = qp_create(t->shared->device, &parts, &method, &inline_size,
			    &own->q.qp, &own->q.qpx, &t->err);

	own->post = choose_post_one(own->op, method);
	own->is_inline = t->shared->size <= inline_size;
	return ret;
}

static int connect_qp(struct control_thread *t, struct own *own)
{
	struct control_qps *c = &own->common;

	c->rtr.dest_qp_num = own->q.qp->qp_num;
	return control_check(t, "ibv_modify_qp",
			     ibv_modify_qp(own->q.qp, &c->init, c->init_mask) ?:
			     ibv_modify_qp(own->q.qp, &c->rtr, c->rtr_mask) ?:
			     ibv_modify_qp(own->q.qp, &c->rts, c->rts_mask),
			     "connect a queue pair to itself");
}

static int register_buffer(struct control_thread *t, struct own *own)
{
	if (posix_memalign((void **)&own->buffer, 4096, t->shared->size))
		return fail(&t->err, -ENOMEM, NULL, "out of memory");
	memset(own->buffer, 0, t->shared->size);
	own->mr = ibv_reg_mr(t->shared->pd, own->buffer, t->shared->size,
			     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	return control_check(t, "ibv_reg_mr", own->mr ? 0 : errno,
			     "register a message");
}

/* Create the address handle of UD; the queue pair is its own peer. */
static int address(struct control_thread *t, struct own *own)
{
	if (own->op != OP_SEND)
		return 0;
	own->q.ah = ibv_create_ah(t->shared->pd, &own->common.rtr.ah_attr);
	return control_check(t, "ibv_create_ah", own->q.ah ? 0 : errno,
			     "create an address handle");
}

static void make_request(struct control_thread *t, struct own *own)
{
	struct flow_request *r = &own->request;

	own->q.remote_qpn = own->q.qp->qp_num;
	own->q.remote_qkey = own->common.init.qkey;
	r->sge = (struct ibv_sge){
		.addr = (uintptr_t)own->buffer,
		.length = (uint32_t)t->shared->size,
		.lkey = own->mr->lkey,
	};
	r->wr = (struct ibv_send_wr){
		.sg_list = &r->sge,
		.num_sge = 1,
		.opcode = op_table[own->op].opcode,
		.send_flags = IBV_SEND_SIGNALED |
			      (own->is_inline ? IBV_SEND_INLINE : 0),
	};
	if (own->q.ah) {
		r->wr.wr.ud.ah = own->q.ah;
		r->wr.wr.ud.remote_qpn = own->q.remote_qpn;
		r->wr.wr.ud.remote_qkey = own->q.remote_qkey;
	} else {
		r->wr.wr.rdma.remote_addr = (uintptr_t)own->buffer;
		r->wr.wr.rdma.rkey = own->mr->rkey;
	}
}

static int check_size(struct control_thread *t)
{
	const struct port *port = &t->shared->device->port;
	const bool datagram = plan_is_datagram(&t->shared->params->plan);
	const uint64_t most = datagram ? mtu_bytes(t->shared->path.mtu) :
					 port->limits.max_msg_sz;

	if (t->shared->size <= most)
		return 0;
	return fail(&t->err, -EMSGSIZE, "use a smaller --size",
		    "--size %llu: %s port %u takes %llu bytes at most",
		    (unsigned long long)t->shared->size, port->device,
		    port->number, (unsigned long long)most);
}

static int setup(struct control_thread *t)
{
	struct own *own = t->own;
	int ret;

	own->op = plan_is_datagram(&t->shared->params->plan) ? OP_SEND :
							       OP_WRITE;
	ret = check_size(t) ?:
	      control_qps_setup(t) ?:
	      create_qp(t, own) ?:
	      connect_qp(t, own) ?:
	      register_buffer(t, own) ?:
	      address(t, own);
	if (!ret)
		make_request(t, own);
	return ret;
}

static void release(struct control_thread *t)
{
	struct own *own = t->own;

	if (own->q.qp)
		ibv_destroy_qp(own->q.qp);
	if (own->q.ah)
		ibv_destroy_ah(own->q.ah);
	if (own->mr)
		ibv_dereg_mr(own->mr);
	free(own->buffer);
	control_qps_release(t);
}

static int check(struct control_thread *t, int n, const struct ibv_wc *wc)
{
	if (n < 0)
		return control_check(t, "ibv_poll_cq", EIO,
				     "poll for a completion");
	if (wc->status == IBV_WC_SUCCESS)
		return 0;
	return fail_code(&t->err, -EIO, explain_status_name(wc->status), NULL,
			 "%s: a message to itself completed with %s",
			 t->shared->device->port.device,
			 explain_status_name(wc->status));
}

/* Poll until the message is complete: only the last poll finds it. */
static int wait(struct control_thread *t, struct own *own)
{
	const uint64_t timeout = t->shared->params->plan.timeout;
	uint64_t deadline = 0, before;
	struct ibv_wc wc;
	int n = 0;

	for (uint32_t i = 1; !n; i++) {
		before = clock_ticks(t->shared->clock);
		n = ibv_poll_cq(own->common.cq, 1, &wc);
		if (n || i % CONTROL_POLLS)
			continue;
		if (!deadline)
			deadline = time_after(timeout);
		if (!time_until(deadline))
			return fail(&t->err, -ETIMEDOUT, NULL,
				    "%s: a message to itself did not complete "
				    "within %.6g s",
				    t->shared->device->port.device,
				    (double)timeout / SECOND);
	}
	control_lap_at(t, WAIT, before);
	control_lap(t, POLL);
	return check(t, n, &wc);
}

static int make(struct control_thread *t, void *object)
{
	struct own *own = t->own;
	struct ibv_wc wc;
	int ret;

	(void)object;
	ret = ibv_poll_cq(own->common.cq, 1, &wc);
	control_lap(t, POLL_NOTHING);
	if (ret)
		return check(t, ret, &wc);
	ret = own->post(&own->q, &own->request);
	control_lap(t, POST);
	return control_check(t, "ibv_post_send", ret, "post a message") ?:
	       wait(t, own);
}

const struct control_op control_post_poll = {
	.test = CONTROL_POST_POLL,
	.parts = {
		[POLL_NOTHING] = { .name = "poll_empty", .aside = true },
		[POST] = { .name = "post" },
		[WAIT] = { .name = "wait", .aside = true },
		[POLL] = { .name = "poll" },
	},
	.needs_path = true,
	.own_size = sizeof(struct own),
	.object_size = 1,
	.setup = setup,
	.make = make,
	.release = release,
};
