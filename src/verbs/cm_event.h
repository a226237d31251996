/* Events of the connection manager (librdmacm), and the mark by which the two
 * ends of a session know each other's requests and answers. */
#ifndef VERBS_CM_EVENT_H
#define VERBS_CM_EVENT_H

#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "model/endpoint.h"
#include "verbs/cm_end.h"

/* The private data of a request and of its answer: numbers are big-endian. */
struct cm_mark {
	uint8_t token[ENDPOINT_TOKEN_SIZE];
	uint8_t index[4];	/* of the queue pair */
	uint8_t took[8];	/* of an answer to the test connect: ns that
				 * the server's calls took; else 0 */
};

/* An event, whose data outlive rdma_ack_cm_event(3). */
struct cm_event {
	struct rdma_cm_id *id;
	enum rdma_cm_event_type type;
	int status;
	struct rdma_ud_param ud;	/* over UD */
	struct cm_mark mark;
	bool marked;		/* the private data may be a mark */
};

/* A channel whose descriptor does not block, into *CHANNEL.  Returns 0, or a
 * negative errno said in ERR with *CHANNEL NULL. */
int cm_event_open(const struct cm_end *end, struct rdma_event_channel **channel,
		  struct error *err);

/* Take the next event of CHANNEL.  Returns 1; 0 if there is none; or a negative
 * errno said in ERR. */
int cm_event_take(const struct cm_end *end, struct rdma_event_channel *channel,
		  struct cm_event *event, struct error *err);

/* The mark of queue pair INDEX in END's session. */
struct cm_mark cm_mark_of(const struct cm_end *end, uint32_t index,
			  uint64_t took);

/* Does EVENT carry the token of END's session?  If so, *INDEX and *TOOK are
 * those of its mark; TOOK may be NULL. */
bool cm_mark_is_known(const struct cm_end *end, const struct cm_event *event,
		      uint32_t *index, uint64_t *took);

#endif
