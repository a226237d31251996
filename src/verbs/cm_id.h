/* What every user of the connection manager (librdmacm) does with an rdma_cm_id.
 * Functions that return int return 0, or a negative errno said in ERR. */
#ifndef VERBS_CM_ID_H
#define VERBS_CM_ID_H

#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "verbs/cm_end.h"

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

/* Begin a call: ask on CHANNEL, with *ID and its CONTEXT, which device leads to
 * REMOTE.  The caller destroys *ID, also after a failure, unless it is NULL. */
int cm_id_call(const struct cm_end *end, struct rdma_event_channel *channel,
	       void *context, const struct sockaddr_storage *remote,
	       struct rdma_cm_id **id, struct error *err);

/* Reject the request ID, which is a stranger's or a copy, and destroy it.
 * Returns 0. */
int cm_turn_away(struct rdma_cm_id *id);

/* What END tells the manager of the connection of QP, with SIZE bytes of DATA
 * for the peer: the plan's values, of which the manager decides nothing. */
struct rdma_conn_param cm_parameters(const struct cm_end *end,
				     const struct ibv_qp *qp, const void *data,
				     size_t size);

/* Put what the manager knows of the peer of QP I, which ID connects over RC,
 * into LINK. */
int cm_find_link(const struct cm_end *end, uint32_t i, struct rdma_cm_id *id,
		 struct resources_link *link, struct error *err);

#endif
