/* What the queue pairs of a thread have in common. */
#pragma once

#include <infiniband/verbs.h>

#include "control/op.h"

/* Entries of a queue, where the user did not say. */
#define CONTROL_DEPTH 128

struct control_qps {
	struct ibv_cq *cq;
	/* of the transitions of a queue pair that is connected to itself */
	struct ibv_qp_attr init, rtr, rts;
	int init_mask, rtr_mask, rts_mask;
};

/* DEPTH, or CONTROL_DEPTH for PLAN_AUTO. */
uint32_t control_depth(uint32_t depth);

/* setup() and release() of an operation whose own memory is a struct
 * control_qps, or begins with one. */
int control_qps_setup(struct control_thread *t);
void control_qps_release(struct control_thread *t);

/* make(), or its first part: create a queue pair of the transport and depths
 * that the user chose.  OBJECT is a struct ibv_qp *. */
int control_qp_create(struct control_thread *t, void *object);
