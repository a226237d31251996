/* The operations of the control path: the rows of a table.  Each is in a file of
 * its own, but for the small ones in objects.c. */
#ifndef CONTROL_OPS_H
#define CONTROL_OPS_H

#include "control/op.h"

/* The row of TEST, by the connection manager or not; NULL: none of this
 * folder. */
const struct control_op *control_op_of(enum control_test test, bool rdma_cm);

extern const struct control_op control_connect, control_connect_cm,
	control_create_ah, control_create_cq, control_create_qp, control_mw_bind,
	control_post_poll, control_qp_setup, control_reg_mr;

#endif
