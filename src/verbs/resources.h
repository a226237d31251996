/*
 * The verbs objects of one run: protection domain, memory, completion queues,
 * queue pairs.
 */
#ifndef VERBS_RESOURCES_H
#define VERBS_RESOURCES_H

#include <infiniband/verbs.h>
#include <stdint.h>

#include "base/error.h"
#include "model/effective.h"
#include "model/endpoint.h"
#include "model/plan.h"
#include "traffic/flow.h"
#include "verbs/address.h"
#include "verbs/challenge.h"
#include "verbs/device.h"
#include "verbs/memory.h"
#include "verbs/queues.h"

struct resources {
	bool client;		/* which end this is */
	struct ibv_pd *pd;
	struct memory memory;
	struct queues *queues;	/* of each thread */
	uint32_t n_threads;
	struct flow_qp *qps;	/* n_qps, ready for a loop once connected */
	uint32_t n_qps;
	enum post_method method;	/* how sends are posted */
	uint32_t inline_size;	/* most bytes of a send that is inline */
	uint32_t *psns;		/* of each QP, 24 random bits */
	uint32_t qkey;		/* of UD: 31 random bits, of all QPs */
	struct addresses addresses;	/* likewise: the QPs' ah */
	struct challenge challenge;	/* of UC and UD, by the first QP */
	struct ibv_pd *other_pd;	/* of --inject: NULL without */
	struct ibv_mw *memory_window;	/* likewise */
};

/*
 * Make all that PLAN needs at this end (CLIENT says which), with the QPs in
 * INIT; events come by completion vector VECTOR and those after it.  Returns
 * 0, or a negative errno with what was refused in ERR and nothing left behind.
 */
int resources_create(const struct device *device, const struct plan *plan,
		     bool client, uint32_t vector, struct resources *res,
		     struct error *err);

/*
 * Move every QP to ERR: it answers nothing any more, so that no rkey is of use,
 * and waits for nothing, as a destruction may.  One that cannot go there was
 * never connected.
 */
void resources_stop(struct resources *res);

/* Release everything; members that are NULL are skipped. */
void resources_destroy(struct resources *res);

/*
 * What the peer must know, for PATH as seen from here.  endpoint->qps is
 * allocated; free(3) it.
 */
void resources_describe(const struct resources *res, const struct plan *plan,
			const struct device *device, const struct path *path,
			struct endpoint *endpoint);

/*
 * Point the work requests at PEER and move every QP through RTR to RTS; make
 * the address handles of UD.
 * Receives should be posted before.  Returns as resources_create(), but
 * releases nothing.
 */
int resources_connect(struct resources *res, const struct device *device,
		      const struct plan *plan, const struct path *path,
		      const struct endpoint *peer, struct error *err);

/* Ask the first QP, once connected, what it is set to.  Returns as
 * resources_connect(). */
int resources_query(const struct resources *res, const struct device *device,
		    const struct plan *plan, const struct path *path,
		    struct effective *effective, struct error *err);

/* The first of the QPs that thread T serves; those of T end where those of
 * T + 1 begin. */
uint32_t resources_first_qp(const struct resources *res, uint32_t t);

/* Where this end takes messages in: the second of two regions, or the only. */
uint8_t *resources_incoming(const struct resources *res,
			    const struct plan *plan);

#endif
