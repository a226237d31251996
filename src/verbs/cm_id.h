/* What every user of the connection manager (librdmacm) does with an rdma_cm_id
 * and its events, and the mark by which the two ends of a session know each
 * other's requests and answers.
 *
 * Functions that return int return 0, or a negative errno set in ERR. */
#ifndef VERBS_CM_ID_H
#define VERBS_CM_ID_H

#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/endpoint.h"
#include "model/plan.h"
#include "verbs/device.h"
#include "verbs/resources.h"

/* What to connect; all of it outlives the connections. */
struct cm_end {
	bool client;
	const struct device *device;
	const struct plan *plan;
	const struct path *path;
	/* the next two are for struct cm only */
	struct resources *res;
	const struct endpoint *peer;	/* complete before the first event */
	const uint8_t *token;		/* ENDPOINT_TOKEN_SIZE bytes */
	const struct sockaddr_storage *local;	/* this end's address, port 0 */
};

bool cm_is_ethernet(const struct cm_end *end);

/* Say in ERR that CALL of librdmacm, which sets errno, failed.  Returns a
 * negative errno, as the functions below do unless they return 0. */
int cm_call_failed(const struct cm_end *end, const char *call,
		   struct error *err);

/* Make ID use the traffic class of the plan: in the headers of all messages of
 * the manager, and in the address vectors it makes. */
int cm_set_service(const struct cm_end *end, struct rdma_cm_id *id,
		   struct error *err);

/* Check that the manager chose END's device, port and P_Key on the way to PEER,
 * which an error names. */
int cm_check_device(const struct cm_end *end, struct rdma_cm_id *id,
		    const char *peer, struct error *err);

/* Put AV, the manager's address of the peer of QP I, into LINK; the plan's
 * values replace those of AV.  AV must start from the path's GID. */
int cm_take_address(const struct cm_end *end, uint32_t i,
		    const struct ibv_ah_attr *av, struct resources_link *link,
		    struct error *err);

/* "10.0.0.2 port 4711" */
#define CM_ADDRESS_SIZE (INET6_ADDRSTRLEN + 16)

/* Milliseconds for one look-up, which must end before --timeout does. */
int cm_lookup_ms(const struct cm_end *end);

/* Name the IP address ADDRESS and its port in TEXT. */
void cm_name_address(const struct sockaddr_storage *address,
		     char text[CM_ADDRESS_SIZE]);

/* Accept requests on CHANNEL from now on, at *PORT of END's address, with
 * *LISTENER, which the caller destroys, also after a failure, unless it is
 * NULL. */
int cm_id_listen(const struct cm_end *end, struct rdma_event_channel *channel,
		 struct rdma_cm_id **listener, uint16_t *port,
		 struct error *err);

/* Begin to connect: resolve REMOTE on CHANNEL, with *ID and its CONTEXT.  The
 * caller destroys *ID, also after a failure, unless it is NULL. */
int cm_id_resolve(const struct cm_end *end, struct rdma_event_channel *channel,
		  void *context, const struct sockaddr_storage *remote,
		  struct rdma_cm_id **id, struct error *err);

/* Reject the request ID, which is a stranger's or a copy, and destroy it.
 * Returns 0. */
int cm_reject(struct rdma_cm_id *id);

/* The parameters of the connection of QP, with SIZE bytes of DATA for the peer:
 * the plan's values, of which the manager decides none. */
struct rdma_conn_param cm_parameters(const struct cm_end *end,
				     const struct ibv_qp *qp, const void *data,
				     size_t size);

/* Put what the manager knows of the peer of QP I, which ID connects over RC,
 * into LINK. */
int cm_find_link(const struct cm_end *end, uint32_t i, struct rdma_cm_id *id,
		 struct resources_link *link, struct error *err);

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

/* Open a channel, whose descriptor does not block, in *CHANNEL.  Returns 0, or
 * a negative errno set in ERR with *CHANNEL NULL. */
int cm_event_open(const struct cm_end *end, struct rdma_event_channel **channel,
		  struct error *err);

/* Take the next event of CHANNEL.  Returns 1; 0 if there is none; or a negative
 * errno set in ERR. */
int cm_event_take(const struct cm_end *end, struct rdma_event_channel *channel,
		  struct cm_event *event, struct error *err);

/* The mark of queue pair INDEX in END's session. */
struct cm_mark cm_mark_of(const struct cm_end *end, uint32_t index,
			  uint64_t took);

/* True when EVENT carries the token of END's session; then *INDEX and *TOOK are
 * those of its mark.  TOOK may be NULL. */
bool cm_mark_is_known(const struct cm_end *end, const struct cm_event *event,
		      uint32_t *index, uint64_t *took);

#endif
