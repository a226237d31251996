/* One queue pair: RESET -> INIT -> RTR -> RTS, by ibv_modify_qp(3). */
#pragma once

#include <infiniband/verbs.h>
#include <stdint.h>

#include "base/error.h"
#include "model/plan.h"
#include "verbs/device.h"
#include "verbs/qp_attr.h"

struct qp_parts {
	struct ibv_pd *pd;
	struct ibv_cq *send_cq;
	struct ibv_cq *recv_cq;
	struct ibv_srq *srq;	/* NULL: it has its own receive queue or, over
				 * XRC, none */
	enum transport transport;
	uint32_t send_depth;
	uint32_t receive_depth;
	uint32_t send_entries;	/* scatter/gather, at least 1 */
	uint32_t receive_entries;
	enum op op;
	bool sends;		/* this end posts sends of op */
};

/*
 * Create a QP in RESET.  *METHOD is how to post its sends; POST_AUTO becomes
 * the method chosen.  *INLINE_SIZE is the inline size wanted, and becomes the
 * one granted, which is never larger.  *QPX is QP for the functions of
 * ibv_wr_start(3), or NULL for POST_LEGACY.  Returns 0, or a negative errno
 * with what was asked for in ERR.  ibv_destroy_qp() it.
 */
int qp_create(const struct device *device, const struct qp_parts *parts,
	      enum post_method *method, uint32_t *inline_size,
	      struct ibv_qp **qp, struct ibv_qp_ex **qpx, struct error *err);

/* Create the target of TRANSPORT in DOMAIN, in RESET.  Returns as
 * qp_create(). */
int qp_create_target(const struct device *device, enum transport transport,
		     struct ibv_xrcd *domain, struct ibv_qp **qp,
		     struct error *err);

/* RESET -> INIT.  Returns 0, or a negative errno with the reason in ERR. */
int qp_to_init(const struct device *device, struct ibv_qp *qp,
	       const struct qp_local *local, struct error *err);

/* INIT -> RTR -> RTS.  A UD queue pair has no peer to connect to and takes only
 * its PSN.  Returns as qp_to_init(). */
int qp_connect(const struct device *device, struct ibv_qp *qp,
	       const struct plan *plan, const struct qp_remote *remote,
	       struct error *err);
