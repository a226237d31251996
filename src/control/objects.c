/* Objects that one call makes and another one destroys: queue pairs, completion
 * queues, address handles. */
#include "config.h"
#include "control/op.h"

#include <errno.h>

#include "control/qps.h"
#include "model/plan.h"
#include "verbs/qp_attr.h"
#include "verbs/queues.h"

enum { CREATE, DESTROY };

#define CREATE_AND_DESTROY \
	{ \
		[CREATE] = { .name = "create" }, \
		[DESTROY] = { .name = "destroy", .undoes = true }, \
	}

static int undo_qp(struct control_thread *t, void *object)
{
	struct ibv_qp **qp = object;

	return control_end_part(t, DESTROY, "ibv_destroy_qp",
				ibv_destroy_qp(*qp), "destroy a queue pair");
}

const struct control_op control_create_qp = {
	.test = CONTROL_CREATE_QP,
	.parts = CREATE_AND_DESTROY,
	.own_size = sizeof(struct control_qps),
	.object_size = sizeof(struct ibv_qp *),
	.setup = control_qps_setup,
	.make = control_qp_create,
	.undo = undo_qp,
	.release = control_qps_release,
};

static int setup_cq(struct control_thread *t)
{
	return queues_check_vector(t->shared->device,
				   t->shared->params->vector, &t->err);
}

static int make_cq(struct control_thread *t, void *object)
{
	const struct parameters *params = t->shared->params;
	struct ibv_cq **cq = object;

	*cq = ibv_create_cq(t->shared->device->context,
			    (int)control_depth(params->plan.tx_depth), NULL,
			    NULL, (int)params->vector);
	return control_end_part(t, CREATE, "ibv_create_cq", *cq ? 0 : errno,
				"create a completion queue");
}

static int undo_cq(struct control_thread *t, void *object)
{
	struct ibv_cq **cq = object;

	return control_end_part(t, DESTROY, "ibv_destroy_cq",
				ibv_destroy_cq(*cq),
				"destroy a completion queue");
}

const struct control_op control_create_cq = {
	.test = CONTROL_CREATE_CQ,
	.parts = CREATE_AND_DESTROY,
	.object_size = sizeof(struct ibv_cq *),
	.setup = setup_cq,
	.make = make_cq,
	.undo = undo_cq,
};

static int setup_ah(struct control_thread *t)
{
	const struct control_shared *shared = t->shared;
	const struct plan *plan = &shared->params->plan;
	struct ibv_ah_attr *attr = t->own;

	*attr = qp_attr_address(shared->device->port.number, plan,
				&shared->path,
				addressing_flow_label(plan, t->number));
	return 0;
}

static int make_ah(struct control_thread *t, void *object)
{
	struct ibv_ah **ah = object;

	*ah = ibv_create_ah(t->shared->pd, t->own);
	return control_end_part(t, CREATE, "ibv_create_ah", *ah ? 0 : errno,
				"create an address handle");
}

static int undo_ah(struct control_thread *t, void *object)
{
	struct ibv_ah **ah = object;

	return control_end_part(t, DESTROY, "ibv_destroy_ah",
				ibv_destroy_ah(*ah),
				"destroy an address handle");
}

const struct control_op control_create_ah = {
	.test = CONTROL_CREATE_AH,
	.parts = CREATE_AND_DESTROY,
	.needs_path = true,
	.own_size = sizeof(struct ibv_ah_attr),
	.object_size = sizeof(struct ibv_ah *),
	.setup = setup_ah,
	.make = make_ah,
	.undo = undo_ah,
};
