/* Two RC queue pairs of one port, connected to each other, for an operation
 * that needs a connection but no other end. */
#ifndef CONTROL_PAIR_H
#define CONTROL_PAIR_H

#include <infiniband/verbs.h>

#include "control/op.h"

enum { PAIR_REQUESTER, PAIR_RESPONDER, PAIR_ENDS };

struct control_pair {
	struct ibv_cq *cq;
	struct ibv_qp *qps[PAIR_ENDS];
	struct plan plan;	/* of the connection */
};

/*
 * Make and connect the queue pairs, which remote ends may write through.
 * Returns 0, or a negative errno set in T's error with nothing left behind.
 */
int control_pair_make(struct control_thread *t, struct control_pair *pair);

/* Connect them again after an error, with nothing outstanding. */
int control_pair_reconnect(struct control_thread *t, struct control_pair *pair);

/* Post WR on END, and a receive without memory on the other one if TAKES. */
int control_pair_post(struct control_thread *t, struct control_pair *pair,
		      int end, struct ibv_send_wr *wr, bool takes);

/*
 * Wait for the completion of a request of END, and take all others that come
 * meanwhile.  Returns 0 with its STATUS, or a negative errno set in T's error
 * when none comes in time.
 */
int control_pair_wait(struct control_thread *t, struct control_pair *pair,
		      int end, enum ibv_wc_status *status);

/* Destroy them; members that are NULL are skipped. */
void control_pair_free(struct control_pair *pair);

#endif
