/* One end that uses the connection manager (librdmacm): what it asks for, and
 * what it makes of the manager's answers. */
#ifndef VERBS_CM_END_H
#define VERBS_CM_END_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/error.h"
#include "model/endpoint.h"
#include "model/plan.h"
#include "verbs/device.h"
#include "verbs/resources.h"

struct rdma_cm_id;

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

/* Have ID use the traffic class of the plan: in the header of every message of
 * the manager's, and in the address vectors that come of it. */
int cm_set_service(const struct cm_end *end, struct rdma_cm_id *id,
		   struct error *err);

/* The manager must have come to END's device and port, and to its P_Key, on the
 * way to PEER, which an error names. */
int cm_check_device(const struct cm_end *end, struct rdma_cm_id *id,
		    const char *peer, struct error *err);

/* Put AV, the manager's address of the peer of QP I, into LINK: what the plan
 * says of it goes first.  It must start from the path's GID. */
int cm_take_address(const struct cm_end *end, uint32_t i,
		    const struct ibv_ah_attr *av, struct resources_link *link,
		    struct error *err);

#endif
