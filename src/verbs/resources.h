/*
 * The verbs objects of one run: protection domain, memory, completion queues,
 * queue pairs.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "model/endpoint.h"
#include "model/plan.h"
#include "traffic/flow.h"
#include "verbs/device.h"
#include "verbs/memory.h"
#include "verbs/multicast.h"
#include "verbs/qp.h"
#include "verbs/queues.h"

/* Random bytes of a challenge (challenge.c). */
#define CHALLENGE_SIZE 16

/* Memory for the challenge to the peer and for the peer's. */
struct challenge {
	struct challenge_buffer *buffer;
	struct ibv_mr *mr;	/* of buffer */
};

/* Address handles of UD: one per flow label, which the queue pairs that use it
 * share. */
struct addresses {
	uint32_t n;
	struct {
		uint32_t flow_label;
		struct ibv_ah *ah;
	} list[LABELS_MAX];	/* unique labels */
};

struct resources {
	const struct device *device;
	const struct plan *plan;
	bool client;		/* which end this is */
	struct ibv_pd *pd;
	struct ibv_xrcd *domain;	/* XRC only, else NULL */
	struct memory memory;
	struct queues *queues;	/* one per thread */
	struct ibv_sge *entries;	/* of all requests, if they have several
					 * each */
	uint32_t n_threads;
	struct flow_qp *qps;	/* n_qps entries, ready for a loop once
				 * connected */
	uint32_t n_qps;
	enum post_method method;	/* how sends are posted */
	uint32_t inline_size;	/* most bytes of a message sent inline */
	bool words;		/* notices are data: the device has no
				 * immediate data */
	struct allowance *allowances;	/* per QP; NULL: none */
	struct ibv_mr *allowances_mr;
	uint32_t *psns;		/* per QP, 24 random bits */
	uint32_t qkey;		/* UD: 31 random bits, the same for all QPs */
	struct addresses addresses;
	struct multicast multicast;	/* --mcast: of the receivers */
	struct challenge challenge;	/* UC and UD, on the first QP */
	struct ibv_pd *other_pd;	/* --inject only, else NULL */
	struct ibv_mw *memory_window;	/* --inject only, else NULL */
};

/*
 * Create all that PLAN needs at this end (CLIENT says which), with the QPs in
 * INIT and the messages in memory of CHOICE.  DEVICE and PLAN must outlive RES.
 * Completion events use vector VECTOR and those after it.  Returns 0, or a
 * negative errno with what was refused in ERR and nothing left behind.
 */
int resources_create(const struct device *device, const struct plan *plan,
		     bool client, const struct memory_choice *choice,
		     uint32_t vector, struct resources *res,
		     struct error *err);

/*
 * Move every QP to ERR.  It then answers nothing, so that no rkey is usable any
 * more, and waits for nothing, whereas destroying it may wait.  A QP that
 * cannot go to ERR was never connected.
 */
void resources_stop(struct resources *res);

/* Release everything; members that are NULL are skipped. */
void resources_destroy(struct resources *res);

/*
 * Fill ENDPOINT with what the peer must know, for PATH as seen from here.
 * endpoint->qps is allocated; free(3) it.
 */
void resources_describe(const struct resources *res, const struct path *path,
			struct endpoint *endpoint);

/*
 * Note where PEER's memory and QPs are, for the work requests of each size, and
 * move every QP through RTR to RTS; create the address handles of UD.  Post the
 * receives first.  Returns as resources_create(), but releases nothing.
 */
int resources_connect(struct resources *res, const struct path *path,
		      const struct endpoint *peer, struct error *err);

/* What the connection manager found about the peer of a QP, or about the
 * multicast group between them. */
struct resources_link {
	struct ibv_ah_attr av;
	uint32_t qpn;
	uint32_t rq_psn;
	uint32_t sq_psn;
	bool group;
	uint32_t qkey;		/* of the group, for both ends */
};

/* Connect QP I only.  LINK, unless it is NULL, replaces PATH and PEER as the
 * way to the peer; over UD it has no PSNs, and a Q_Key only for a group. */
int resources_connect_qp(struct resources *res, const struct path *path,
			 const struct endpoint *peer, uint32_t i,
			 const struct resources_link *link, struct error *err);

/* True when the device could promise that the last byte of a write to the first
 * queue pair arrives last, and does not. */
bool resources_may_reorder(const struct resources *res);

/* Query the attributes of the first QP, which must be connected; those of a
 * responder come from its target, if it has one.  Returns as
 * resources_connect(). */
int resources_query(const struct resources *res, const struct path *path,
		    struct effective *effective, struct error *err);

/* Index of thread T's first QP.  Thread T serves the QPs up to the first of
 * thread T + 1. */
uint32_t resources_first_qp(const struct resources *res, uint32_t t);

/* Start of the memory that messages arrive in: the second of two regions, or
 * the only one. */
uint8_t *resources_incoming(const struct resources *res);

/* challenge.c: one packet of random bytes to the peer's first queue pair. */

/*
 * Prepare challenges from and to the first queue pair of RES.  Call
 * challenge_destroy() after destroying the queue pairs, in any case.  Returns
 * 0, or a negative errno with the reason in ERR.
 */
int challenge_create(struct resources *res, struct error *err);

/* Release CHALLENGE; members that are NULL are skipped. */
void challenge_destroy(struct challenge *challenge);

/* Post the receive for the peer's challenge.  It is the only one, so a
 * challenge that is sent again is dropped.  Returns as challenge_create(). */
int challenge_receive(const struct resources *res, struct error *err);

/*
 * Look for the peer's challenge.  Returns 1 with its content in BYTES, 0 when
 * none has arrived yet, or a negative errno with the reason in ERR.
 */
int challenge_take(const struct resources *res, uint8_t bytes[CHALLENGE_SIZE],
		   struct error *err);

/*
 * Send BYTES; the queue pair must be in RTS.  Returns as challenge_create().
 * Wait until challenge_sent() returns 1 before sending the next.  1 means that
 * the packet was sent, not that it arrived; 0: not yet; or a negative errno
 * with the reason in ERR.
 */
int challenge_send(const struct resources *res,
		   const uint8_t bytes[CHALLENGE_SIZE], struct error *err);
int challenge_sent(const struct resources *res, struct error *err);
