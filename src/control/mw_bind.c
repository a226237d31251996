/* Allocates, binds and invalidates memory windows, and proves both: a write
 * through the window arrives, and one with the old key is refused. */
#include "config.h"
#include "control/op.h"

#include <errno.h>
#include <stdlib.h>

#include "base/time.h"
#include "base/xalloc.h"
#include "verbs/explain.h"
#include "verbs/qp.h"

/* Requests outstanding at either end. */
#define DEPTH 4

enum { PAIR_REQUESTER, PAIR_RESPONDER, PAIR_ENDS };

enum { ALLOCATE, BIND, WRITE, INVALIDATE, PROVE, FREE };

/* Two RC queue pairs of one port, connected to each other. */
struct pair {
	struct ibv_cq *cq;
	struct ibv_qp *qps[PAIR_ENDS];
	struct plan plan;	/* of the connection */
};

/* The source and the target of a write: a number that grows. */
struct buffers {
	uint64_t from;
	uint64_t to;
};

struct own {
	struct pair pair;
	struct buffers *buffers;
	struct ibv_mr *mr;
	uint64_t written;	/* number of the latest write */
	uint64_t bound;		/* windows that are bound */
};

/* One window, and the key that it was bound with. */
struct window {
	struct ibv_mw *mw;
	uint32_t rkey;
};

static int create(struct control_thread *t, struct pair *pair, int end)
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

static int connect_to_other(struct control_thread *t,
			    struct pair *pair, int end)
{
	const struct qp_remote remote = {
		.path = &t->shared->path,
		.client = end == PAIR_REQUESTER,
		.peer = { .qpn = pair->qps[!end]->qp_num },
	};

	return qp_connect(t->shared->device, pair->qps[end], &pair->plan,
			  &remote, &t->err);
}

static int connect_both(struct control_thread *t, struct pair *pair)
{
	const struct qp_local local = {
		.transport = TRANSPORT_RC,
		.access = IBV_ACCESS_REMOTE_WRITE,
	};
	int ret = 0;

	for (int end = 0; end < PAIR_ENDS && !ret; end++)
		ret = qp_to_init(t->shared->device, pair->qps[end], &local,
				 &t->err);
	for (int end = 0; end < PAIR_ENDS && !ret; end++)
		ret = connect_to_other(t, pair, end);
	return ret;
}

static void free_pair(struct pair *pair)
{
	for (int end = 0; end < PAIR_ENDS; end++)
		if (pair->qps[end])
			ibv_destroy_qp(pair->qps[end]);
	if (pair->cq)
		ibv_destroy_cq(pair->cq);
}

/* Make and connect the queue pairs, which remote ends may write through; call
 * free_pair() in any case.  Returns 0, or a negative errno set in T's error. */
static int make_pair(struct control_thread *t, struct pair *pair)
{
	int ret;

	*pair = (struct pair){ .plan = t->shared->params->plan };
	pair->plan.op = OP_WRITE;
	pair->plan.transport = TRANSPORT_RC;
	pair->plan.qp_timeout = CONTROL_ACK_TIMEOUT;
	pair->cq = ibv_create_cq(t->shared->device->context, 4 * DEPTH, NULL,
				 NULL, 0);
	ret = control_check(t, "ibv_create_cq", pair->cq ? 0 : errno,
			    "create a completion queue");
	for (int end = 0; end < PAIR_ENDS && !ret; end++)
		ret = create(t, pair, end);
	return ret ?: connect_both(t, pair);
}

/* Connect them again after an error, with nothing outstanding. */
static int reconnect(struct control_thread *t, struct pair *pair)
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

/* Post WR on END, and a receive without memory on the other one if TAKES. */
static int post(struct control_thread *t, struct pair *pair,
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

/* Wait for the completion of a request of END, and take all others that come
 * meanwhile.  Returns 0 with its STATUS, or a negative errno set in T's error
 * when none comes in time. */
static int wait(struct control_thread *t, struct pair *pair,
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
		if (i % CONTROL_POLLS == 0 && !time_until(deadline))
			return fail(&t->err, -ETIMEDOUT, NULL,
				    "%s: nothing completed within %.6g s",
				    t->shared->device->port.device,
				    (double)pair->plan.timeout /
					    (double)SECOND);
	}
	*status = wc.status;
	return 0;
}

static enum control_mw kind_of(const struct control_thread *t)
{
	return t->shared->params->mw;
}

/* Check that the device has memory windows of the type. */
static int check_device(struct control_thread *t)
{
	struct ibv_device_attr attr;
	const char *device = t->shared->device->port.device;
	const bool first = kind_of(t) == CONTROL_MW_TYPE1;
	const unsigned int second = IBV_DEVICE_MEM_WINDOW_TYPE_2A |
				    IBV_DEVICE_MEM_WINDOW_TYPE_2B;
	const unsigned int wanted = first ? IBV_DEVICE_MEM_WINDOW : second;
	const unsigned int other = first ? second : IBV_DEVICE_MEM_WINDOW;
	int ret = ibv_query_device(t->shared->device->context, &attr);

	if (ret)
		return control_check(t, "ibv_query_device", ret,
				     "query the device");
	if (attr.device_cap_flags & wanted)
		return 0;
	return fail(&t->err, -EOPNOTSUPP,
		    !(attr.device_cap_flags & other) ?
			    "choose another device with -d" :
		    first ? "try --mw type2" : "try --mw type1",
		    "--mw %s: %s has no memory windows of type %d",
		    control_mw_names[kind_of(t)], device, first ? 1 : 2);
}

static int setup(struct control_thread *t)
{
	struct own *own = t->own;
	int ret = check_device(t);

	if (ret)
		return ret;
	own->buffers = xcalloc_lines(1, sizeof(*own->buffers));
	own->mr = ibv_reg_mr(t->shared->pd, own->buffers, sizeof(*own->buffers),
			     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	return control_check(t, "ibv_reg_mr", own->mr ? 0 : errno,
			     "register memory") ?:
	       make_pair(t, &own->pair);
}

static void release(struct control_thread *t)
{
	struct own *own = t->own;

	free_pair(&own->pair);
	if (own->mr)
		ibv_dereg_mr(own->mr);
	free(own->buffers);
}

/* Wait for the request of END that is to do WHAT, and must succeed. */
static int finish(struct control_thread *t, int end, const char *what)
{
	struct own *own = t->own;
	enum ibv_wc_status status;
	int ret = wait(t, &own->pair, end, &status);

	if (ret || !status)
		return ret;
	return fail_code(&t->err, -EIO, explain_status_name(status), NULL,
			 "%s: cannot %s: completion with %s (%d)",
			 t->shared->device->port.device, what,
			 explain_status_name(status), status);
}

static struct ibv_mw_bind_info info_of(struct own *own, uint64_t length)
{
	return (struct ibv_mw_bind_info){
		.mr = own->mr,
		.addr = (uintptr_t)&own->buffers->to,
		.length = length,
		.mw_access_flags = length ? IBV_ACCESS_REMOTE_WRITE : 0,
	};
}

/* Bind a window of type 1, by a call of its own.  A LENGTH of 0 takes the
 * access away. */
static int bind_first(struct control_thread *t, struct window *w,
		      uint64_t length, const char *what)
{
	struct own *own = t->own;
	struct ibv_mw_bind bind = {
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = info_of(own, length),
	};

	return control_check(t, "ibv_bind_mw",
			     ibv_bind_mw(own->pair.qps[PAIR_RESPONDER], w->mw,
					 &bind), what) ?:
	       finish(t, PAIR_RESPONDER, what);
}

/* Bind a window of type 2, by a work request. */
static int bind_second(struct control_thread *t, struct window *w,
		       const char *what)
{
	struct own *own = t->own;
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_BIND_MW,
		.bind_mw = {
			.mw = w->mw,
			.rkey = ibv_inc_rkey(w->mw->rkey),
			.bind_info = info_of(own, sizeof(own->buffers->to)),
		},
	};
	int ret = post(t, &own->pair, PAIR_RESPONDER, &wr,
				    false) ?:
		  finish(t, PAIR_RESPONDER, what);

	if (!ret)
		w->mw->rkey = wr.bind_mw.rkey;
	return ret;
}

static int bind_window(struct control_thread *t, struct window *w)
{
	static const char what[] = "bind a memory window";
	struct own *own = t->own;
	int ret = kind_of(t) == CONTROL_MW_TYPE1 ?
			  bind_first(t, w, sizeof(own->buffers->to), what) :
			  bind_second(t, w, what);

	w->rkey = w->mw->rkey;
	return ret;
}

/* Post a write of the next number with the key of W. */
static int post_write(struct control_thread *t, const struct window *w)
{
	struct own *own = t->own;
	struct ibv_sge sge = {
		.addr = (uintptr_t)&own->buffers->from,
		.length = sizeof(own->buffers->from),
		.lkey = own->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE,
		.sg_list = &sge,
		.num_sge = 1,
		.wr.rdma = { (uintptr_t)&own->buffers->to, w->rkey },
	};

	own->buffers->from = ++own->written;
	return post(t, &own->pair, PAIR_REQUESTER, &wr, false);
}

static uint64_t arrived(const struct own *own)
{
	return __atomic_load_n(&own->buffers->to, __ATOMIC_ACQUIRE);
}

static int write_through(struct control_thread *t, const struct window *w)
{
	struct own *own = t->own;
	int ret = post_write(t, w) ?:
		  finish(t, PAIR_REQUESTER, "write through a memory window");

	if (ret || arrived(own) == own->written)
		return ret;
	return fail_code(&t->err, -EIO, "WRONG_DATA", NULL,
			 "%s: a write through a memory window completed, and "
			 "its data did not arrive",
			 t->shared->device->port.device);
}

static int make(struct control_thread *t, void *object)
{
	struct own *own = t->own;
	struct window *w = object;
	int ret;

	w->mw = ibv_alloc_mw(t->shared->pd,
			     kind_of(t) == CONTROL_MW_TYPE1 ? IBV_MW_TYPE_1 :
							      IBV_MW_TYPE_2);
	if (!w->mw)
		return control_check(t, "ibv_alloc_mw", errno,
				     "allocate a memory window");
	control_lap(t, ALLOCATE);
	ret = bind_window(t, w);
	control_lap(t, BIND);
	if (!ret)
		ret = write_through(t, w);
	control_lap(t, WRITE);
	if (ret)
		ibv_dealloc_mw(w->mw);
	else
		own->bound++;
	return ret;
}

/* Take the access away: for a window of type 2, by a SEND of the peer or by a
 * request of this end. */
static int invalidate(struct control_thread *t, struct window *w)
{
	const bool by_send = kind_of(t) == CONTROL_MW_TYPE2_SEND;
	const int end = by_send ? PAIR_REQUESTER : PAIR_RESPONDER;
	struct own *own = t->own;
	struct ibv_send_wr wr = {
		.opcode = by_send ? IBV_WR_SEND_WITH_INV : IBV_WR_LOCAL_INV,
		.invalidate_rkey = w->rkey,
	};

	if (kind_of(t) == CONTROL_MW_TYPE1)
		return bind_first(t, w, 0, "unbind a memory window");
	return post(t, &own->pair, end, &wr, by_send) ?:
	       finish(t, end, by_send ? "invalidate a memory window by a SEND" :
					"invalidate a memory window");
}

/* Prove that the old key gives no access. */
static int prove(struct control_thread *t, const struct window *w)
{
	struct own *own = t->own;
	const uint64_t before = arrived(own);
	enum ibv_wc_status status;
	int ret = post_write(t, w) ?:
		  wait(t, &own->pair, PAIR_REQUESTER, &status);

	if (ret)
		return ret;
	if (status == IBV_WC_REM_ACCESS_ERR && arrived(own) == before)
		return reconnect(t, &own->pair);
	return fail_code(&t->err, -EACCES, explain_status_name(status),
			 "an invalidated key must open nothing: the driver or "
			 "the device has a fault",
			 "%s: a write with the key of an invalidated memory "
			 "window completed with %s%s, not with "
			 "IBV_WC_REM_ACCESS_ERR",
			 t->shared->device->port.device,
			 explain_status_name(status),
			 arrived(own) == before ? "" : " and changed memory");
}

/* Undo a window.  A refused write ends the connection that other windows are
 * bound to, so only the last one is proved invalid. */
static int undo(struct control_thread *t, void *object)
{
	struct own *own = t->own;
	struct window *w = object;
	int ret = invalidate(t, w), freed;

	control_lap(t, INVALIDATE);
	if (!ret && own->bound == 1) {
		ret = prove(t, w);
		control_lap(t, PROVE);
	}
	own->bound--;
	freed = ibv_dealloc_mw(w->mw);
	control_lap(t, FREE);
	return ret ?: control_check(t, "ibv_dealloc_mw", freed,
				    "free a memory window");
}

const struct control_op control_mw_bind = {
	.test = CONTROL_MW_BIND,
	.parts = {
		[ALLOCATE] = { .name = "allocate" },
		[BIND] = { .name = "bind" },
		[WRITE] = { .name = "write" },
		[INVALIDATE] = { .name = "invalidate", .undoes = true },
		[PROVE] = { .name = "refused write", .undoes = true,
			    .aside = true },
		[FREE] = { .name = "free", .undoes = true },
	},
	.needs_path = true,
	.own_size = sizeof(struct own),
	.object_size = sizeof(struct window),
	.setup = setup,
	.make = make,
	.undo = undo,
	.release = release,
};
