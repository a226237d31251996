/* What every user of the connection manager (librdmacm) does with an rdma_cm_id
 * and its events, and the mark by which the two ends of a session know each
 * other's requests and answers.
 *
 * Functions that return int return 0, or a negative errno set in ERR. */
#pragma once

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "model/endpoint.h"
#include "model/plan.h"
#include "verbs/device.h"
#include "verbs/resources.h"

/* cm_explain.c: explains an event of the connection manager that is not the
 * awaited one.  Pure. */

/* What the manager was requested to do. */
enum cm_step {
	CM_ADDRESS,		/* which device leads to an address */
	CM_ROUTE,
	CM_ANSWER,		/* to a request for a connection */
	CM_CONNECTED,
	CM_GROUP,		/* to join a multicast group */
	CM_STEPS,
};

/* What the manager talks over. */
enum cm_network {
	CM_INFINIBAND,
	CM_ETHERNET,		/* as RoCE does */
	CM_IWARP,
};

/* "RDMA_CM_EVENT_REJECTED"; "RDMA_CM_EVENT_?" for an unknown event. */
const char *cm_event_name(enum rdma_cm_event_type event);

/*
 * Explain in ERR why EVENT with STATUS ended STEP towards PEER ("10.0.0.2 port
 * 4711") over NETWORK.  Returns a negative errno.
 */
int cm_explain(enum rdma_cm_event_type event, int status, enum cm_step step,
	       const char *peer, enum cm_network network, struct error *err);

/* Explain in ERR that STEP took too long.  Returns -ETIMEDOUT. */
int cm_explain_silence(enum cm_step step, const char *peer,
		       enum cm_network network, struct error *err);

/* An end of a session, as the manager knows it; what it points to outlives the
 * connections. */
struct cm_end {
	bool client;
	const struct device *device;
	const struct plan *plan;
	const struct path *path;
	/* the next two are for struct cm only */
	struct resources *res;
	const struct endpoint *peer;	/* complete before the first event */
	uint8_t token[ENDPOINT_TOKEN_SIZE];
	struct sockaddr_storage local;	/* this end's address, port 0 */
	/* the rest is set by the functions below */
	struct sockaddr_storage remote;	/* client: the server's */
	/* of the peer or the multicast group, in messages: "10.0.0.2 port 4711"
	 */
	char name[GID_TEXT_SIZE + 32];
	struct rdma_event_channel *channel;
	struct rdma_cm_id *listener;
};

/* Open the channel, whose descriptor does not block.  cm_end_close() in any
 * case. */
int cm_end_open(struct cm_end *end, struct error *err);

/* Close what END has open, and forget the token. */
void cm_end_close(struct cm_end *end);

/* The server: accept requests from now on, at *PORT; and no more. */
int cm_end_listen(struct cm_end *end, uint16_t *port, struct error *err);
void cm_end_stop_listening(struct cm_end *end);

/* The client: the server's manager is at REMOTE. */
void cm_end_aim(struct cm_end *end, const struct sockaddr_storage *remote);

/* Check the RESULT of CALL of librdmacm, which sets errno: 0, or it failed,
 * which ERR then says. */
int cm_check(const struct cm_end *end, const char *call, int result,
	     struct error *err);

/* Make *ID, whose events have CONTEXT; NULL after a failure.  The caller
 * destroys it. */
int cm_create_id(const struct cm_end *end, void *context,
		 struct rdma_cm_id **id, struct error *err);

/* Give ID the address of this end. */
int cm_bind(const struct cm_end *end, struct rdma_cm_id *id, struct error *err);

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

/*
 * The steps of a client: resolve the server's address, with *ID and its
 * CONTEXT, then the route, and request the connection of QP INDEX of the
 * session, which is QP.  The caller destroys *ID, also after a failure, unless
 * it is NULL.
 */
int cm_resolve_address(const struct cm_end *end, void *context,
		       struct rdma_cm_id **id, struct error *err);
int cm_resolve_route(const struct cm_end *end, struct rdma_cm_id *id,
		     struct error *err);
int cm_request(const struct cm_end *end, struct rdma_cm_id *id,
	       const struct ibv_qp *qp, uint32_t index, struct error *err);

/* The server: accept the request ID for QP INDEX, which is QP.  TOOK goes into
 * the mark. */
int cm_accept(const struct cm_end *end, struct rdma_cm_id *id,
	      const struct ibv_qp *qp, uint32_t index, uint64_t took,
	      struct error *err);

/* Reject the request ID, which is a stranger's or a copy, and destroy it.
 * Returns 0. */
int cm_reject(struct rdma_cm_id *id);

/* The event by which a client gets the server's answer.  Over UD and on iWARP
 * nothing follows it. */
enum rdma_cm_event_type cm_answer(const struct cm_end *end);

/* The client: complete the connection ID after the answer, where that is to be
 * done. */
int cm_establish(const struct cm_end *end, struct rdma_cm_id *id,
		 struct error *err);

/* Put what the manager knows of the peer of QP I, which ID connects over RC,
 * into LINK: on iWARP nothing. */
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

/* Take the next event of END.  Returns 1; 0 if there is none; or a negative
 * errno set in ERR. */
int cm_event_take(const struct cm_end *end, struct cm_event *event,
		  struct error *err);

/* Explain in ERR why EVENT, which was not awaited, ended STEP; or that STEP
 * took too long (cm_explain.c). */
int cm_unexpected(const struct cm_end *end, const struct cm_event *event,
		  enum cm_step step, struct error *err);
int cm_late(const struct cm_end *end, enum cm_step step, struct error *err);

/* True when EVENT carries the token of END's session; then *INDEX and *TOOK are
 * those of its mark.  TOOK may be NULL. */
bool cm_mark_is_known(const struct cm_end *end, const struct cm_event *event,
		      uint32_t *index, uint64_t *took);

/* Say in ERR that the answer to a request is not of END's session. */
int cm_answer_is_strange(const struct cm_end *end, struct error *err);

struct cm_group;

/* Ask for the group of END's plan.  Returns 0, or a negative errno with the
 * reason in ERR; cm_group_leave(*GROUP) in any case. */
int cm_group_join(struct cm_end *end, struct cm_group **group,
		  struct error *err);

/*
 * Take EVENT.  When the group is joined, connect the queue pairs of this end to
 * it.  Returns 1 for progress, or a negative errno with the event and what to
 * do in ERR.
 */
int cm_group_take(struct cm_group *group, const struct cm_event *event,
		  struct error *err);

/* True when this end has joined, and its queue pairs are connected. */
bool cm_group_is_joined(const struct cm_group *group);

/* Leave the group; NULL is fine. */
void cm_group_leave(struct cm_group *group);
