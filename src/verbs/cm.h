/*
 * Connects queue pairs by the connection manager (librdmacm).
 *
 * The queue pairs are those of resources.h, with an rdma_cm_id each.  The
 * client's asks the server for a connection; the manager of the kernel finds
 * the path, and what it found moves the queue pair on both sides.  The TCP
 * dialogue remains for everything else.
 *
 * A request and its answer carry the mark of cm_id.h: the random bytes of the
 * server's ENDPOINT and the index of the queue pair.  The server rejects every
 * other request, and the client every other answer: they are a stranger's.
 *
 * Over UD the manager only tells the client where the server's queue pair is.
 * The server takes the client's address from the path.  Q_Keys are those of
 * the ENDPOINTs: the manager's is the same for everybody.
 *
 * For --mcast no connection is asked for: each end joins the group by itself
 * (cm_multicast.c), and the Q_Key is the group's.
 *
 * Nothing here waits: an end polls end.channel's descriptor, and calls
 * cm_take() when it is readable.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/error.h"
#include "verbs/cm_id.h"

/* What connects one queue pair. */
struct cm_connection {
	struct rdma_cm_id *id;
	enum cm_step step;
};

/* A server listens by cm_end_listen(), until all are connected. */
struct cm {
	struct cm_end end;		/* set by the caller */
	struct cm_connection *qps;	/* plan->qps */
	uint32_t n_begun;		/* client: requested */
	uint32_t n_done;
	struct cm_group *group;		/* --mcast; else NULL */
};

/* Begin.  Returns 0, or a negative errno with the reason in ERR.  cm_close()
 * it in any case. */
int cm_open(struct cm *cm, struct error *err);

/* The client: request a connection for each queue pair from REMOTE. */
int cm_connect(struct cm *cm, const struct sockaddr_storage *remote,
	       struct error *err);

/* Either end of a multicast test: join the group. */
int cm_join(struct cm *cm, struct error *err);

/*
 * Take one event, if there is one.  Returns 1 if a queue pair came a step
 * further, 0 if none did, or a negative errno with the event, its status and
 * what to do in ERR.
 */
int cm_take(struct cm *cm, struct error *err);

/* True when all queue pairs of this end are connected, or in the group.  A
 * server must take events until it knows that those of the client are, too: an
 * answer may get lost. */
bool cm_is_done(const struct cm *cm);

/* Report in ERR that the other end did not answer in time.  Returns
 * -ETIMEDOUT. */
int cm_timed_out(const struct cm *cm, struct error *err);

/* Release all connections, or leave the group.  Call resources_stop()
 * before. */
void cm_close(struct cm *cm);
