/* Moves queue pairs from RESET through INIT and RTR to RTS, each connected to
 * itself. */
#include "config.h"
#include "control/op.h"

#include <errno.h>
#include <stdlib.h>

#include "control/qps.h"

enum { CREATE, INIT, RTR, RTS, DESTROY };

/* Make a transition, which is PART, and say when it is refused. */
static int move(struct control_thread *t, struct ibv_qp *qp,
		struct ibv_qp_attr *attr, int mask, uint32_t part,
		const char *what)
{
	int ret = ibv_modify_qp(qp, attr, mask);

	control_lap(t, part);
	return ret ? control_refused(t, "ibv_modify_qp", abs(ret), what) : 0;
}

static int set_up(struct control_thread *t, struct ibv_qp *qp)
{
	struct control_qps *own = t->own;
	int ret = move(t, qp, &own->init, own->init_mask, INIT,
		       "move a queue pair to INIT");

	own->rtr.dest_qp_num = qp->qp_num;
	if (!ret)
		ret = move(t, qp, &own->rtr, own->rtr_mask, RTR,
			   "move a queue pair to RTR");
	if (!ret)
		ret = move(t, qp, &own->rts, own->rts_mask, RTS,
			   "move a queue pair to RTS");
	return ret;
}

static int make(struct control_thread *t, void *object)
{
	struct ibv_qp **qp = object;
	int ret = control_qp_create(t, qp);

	control_lap(t, CREATE);
	if (ret)
		return control_refused(t, "ibv_create_qp", -ret,
				       "create a queue pair");
	ret = set_up(t, *qp);
	if (ret)
		ibv_destroy_qp(*qp);
	return ret;
}

static int undo(struct control_thread *t, void *object)
{
	struct ibv_qp **qp = object;
	int ret = ibv_destroy_qp(*qp);

	control_lap(t, DESTROY);
	return ret ? control_refused(t, "ibv_destroy_qp", abs(ret),
				     "destroy a queue pair") : 0;
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
