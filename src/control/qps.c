/* What queue pairs of a thread have in common, and the operation that moves
 * them from RESET through INIT and RTR to RTS, each connected to itself. */
#include "config.h"
#include "control/qps.h"

#include <errno.h>

#include "model/plan.h"
#include "verbs/qp_attr.h"

/* Reads that a queue pair may have outstanding: they cost nothing here. */
#define READS 1
/* Q_Key of UD: any, as long as it is not privileged. */
#define QKEY 0x11111111

uint32_t control_depth(uint32_t depth)
{
	return depth == PLAN_AUTO ? CONTROL_DEPTH : depth;
}

/* Prepare the attributes of each transition; only the QP number is missing. */
static void prepare(struct control_thread *t, struct control_qps *own)
{
	const struct control_shared *shared = t->shared;
	const struct device *device = shared->device;
	struct plan plan = shared->params->plan;
	const struct qp_local local = {
		.transport = plan.transport,
		.access = IBV_ACCESS_REMOTE_WRITE,
		.qkey = QKEY,
	};
	const struct qp_remote remote = {
		.path = &shared->path,
		.flow_label = addressing_flow_label(&plan, t->number),
		.client = true,
	};

	/* an operation without reads, for the functions below */
	plan.op = OP_WRITE;
	plan.qp_timeout = CONTROL_ACK_TIMEOUT;
	own->init_mask = qp_attr_init(&own->init, device->port.number,
				      device->pkey_index, &local);
	own->rtr_mask = qp_attr_rtr(&own->rtr, device->port.number, &plan,
				    &remote);
	own->rts_mask = qp_attr_rts(&own->rts, &plan, &remote);
	own->rtr.max_dest_rd_atomic = READS;
	own->rts.max_rd_atomic = READS;
}

int control_qps_setup(struct control_thread *t)
{
	struct control_qps *own = t->own;
	const struct control_shared *shared = t->shared;

	if (port_check_transport(&shared->device->port,
				 shared->params->plan.transport, &t->err))
		return -EOPNOTSUPP;
	prepare(t, own);
	own->cq = ibv_create_cq(t->shared->device->context, CONTROL_DEPTH,
				NULL, NULL, 0);
	return control_check(t, "ibv_create_cq", own->cq ? 0 : errno,
			     "create a completion queue");
}

void control_qps_release(struct control_thread *t)
{
	struct control_qps *own = t->own;

	if (own->cq)
		ibv_destroy_cq(own->cq);
}

enum { CREATE, INIT, RTR, RTS, DESTROY };

int control_qp_create(struct control_thread *t, void *object)
{
	const struct control_qps *own = t->own;
	struct ibv_qp **qp = object;
	const struct plan *plan = &t->shared->params->plan;
	struct ibv_qp_init_attr attr = {
		.send_cq = own->cq,
		.recv_cq = own->cq,
		.qp_type = transport_table[plan->transport].qp_type,
		.cap = {
			.max_send_wr = control_depth(plan->tx_depth),
			.max_recv_wr = control_depth(plan->rx_depth),
			.max_send_sge = 1,
			.max_recv_sge = 1,
			.max_inline_data = plan->inline_size == PLAN_AUTO ?
						   0 : plan->inline_size,
		},
	};

	*qp = ibv_create_qp(t->shared->pd, &attr);
	return control_end_part(t, CREATE, "ibv_create_qp", *qp ? 0 : errno,
				"create a queue pair");
}

static int set_up(struct control_thread *t, struct ibv_qp *qp)
{
	struct control_qps *own = t->own;

	own->rtr.dest_qp_num = qp->qp_num;
	return control_end_part(t, INIT, "ibv_modify_qp",
				ibv_modify_qp(qp, &own->init, own->init_mask),
				"move a queue pair to INIT") ?:
	       control_end_part(t, RTR, "ibv_modify_qp",
				ibv_modify_qp(qp, &own->rtr, own->rtr_mask),
				"move a queue pair to RTR") ?:
	       control_end_part(t, RTS, "ibv_modify_qp",
				ibv_modify_qp(qp, &own->rts, own->rts_mask),
				"move a queue pair to RTS");
}

static int make(struct control_thread *t, void *object)
{
	struct ibv_qp **qp = object;
	int ret = control_qp_create(t, qp);

	if (ret)
		return ret;
	ret = set_up(t, *qp);
	if (ret)
		ibv_destroy_qp(*qp);
	return ret;
}

static int undo(struct control_thread *t, void *object)
{
	struct ibv_qp **qp = object;

	return control_end_part(t, DESTROY, "ibv_destroy_qp",
				ibv_destroy_qp(*qp), "destroy a queue pair");
}

const struct control_op control_qp_setup = {
	.test = CONTROL_QP_SETUP,
	.parts = {
		[CREATE] = { .name = "create", .aside = true },
		[INIT] = { .name = "init" },
		[RTR] = { .name = "rtr" },
		[RTS] = { .name = "rts" },
		[DESTROY] = { .name = "destroy", .undoes = true,
			      .aside = true },
	},
	.needs_path = true,
	.own_size = sizeof(struct control_qps),
	.object_size = sizeof(struct ibv_qp *),
	.setup = control_qps_setup,
	.make = make,
	.undo = undo,
	.release = control_qps_release,
};
