/* One connection of two queue pairs, made over and over: what both ends of the
 * test connect do. */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "model/endpoint.h"
#include "model/need.h"
#include "model/plan.h"
#include "model/result.h"
#include "verbs/device.h"
#include "verbs/resources.h"

/* Entries of the completion queue of all: for completions not polled yet. */
#define LINK_COMPLETIONS NEED_LINK_COMPLETIONS

/* What all connections of an end share. */
struct link_end {
	bool client;
	const struct device *device;
	const struct plan *plan;	/* that both ends agreed on */
	const struct path *path;	/* from this end */
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	/* at a server: ns of its calls for each connection, NULL before the
	 * first; the time of the first and the last; and how many existed at
	 * once */
	struct histogram *took;
	uint64_t began, ended, most;
};

struct link {
	struct ibv_qp *qp;
	uint32_t psn;		/* 24 random bits */
};

_Static_assert(sizeof(struct link) <= NEED_LINK, "a link needs more");

/* Make what connections share, for the other members, which are set.  Returns
 * 0, or a negative errno set in ERR.  link_close() it. */
int link_open(struct link_end *end, struct error *err);
void link_close(struct link_end *end);

/* Make a queue pair in INIT; a server's gets one receive.  Returns 0, or a
 * negative errno set in ERR with nothing left behind. */
int link_make(const struct link_end *end, struct link *link, struct error *err);

/* Connect the queue pair: move it through RTR to RTS, towards PEER. */
int link_connect(const struct link_end *end, struct link *link,
		 const struct endpoint_qp *peer, struct error *err);

/* Like link_connect(), towards what the connection manager found. */
int link_connect_found(const struct link_end *end, struct link *link,
		       const struct resources_link *found, struct error *err);

/* Send an empty message, and wait until the peer's device has acknowledged it.
 */
int link_send(const struct link_end *end, struct link *link, struct error *err);

/* Poll all completions that are there. */
void link_drain(const struct link_end *end);

/* The ENDPOINT of LINK, with QP as the memory of its queue pair.  LINK may have
 * no queue pair yet; its QPN is then 0. */
struct endpoint link_describe(const struct link_end *end,
			      const struct link *link,
			      struct endpoint_qp *qp);

/* Record that a server has answered the request of BEGAN, and that N
 * connections exist.  Returns how long it took, in ns. */
uint64_t link_answered(struct link_end *end, uint64_t n, uint64_t began);

/* Add a row of all that were answered to R, and tell the observer. */
void link_report(const struct link_end *end, struct result *r, bool failed);

/* Destroy the queue pair.  Returns 0 or a negative errno set in ERR. */
int link_destroy(const struct link_end *end, struct link *link,
		 struct error *err);
