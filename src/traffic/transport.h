/* The transports, as data.  A new one is a line here, and its attributes in
 * verbs/qp_attr.c. */
#ifndef TRAFFIC_TRANSPORT_H
#define TRAFFIC_TRANSPORT_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>

/* A receive of datagrams begins with the global route header, or room for it. */
#define GRH_SIZE 40

/*
 * X(id, qp_type, reliable, datagram, paging)
 *   id        its name as well, and the word behind --transport
 *   qp_type   enum ibv_qp_type
 *   reliable  what was not acknowledged is sent again, or an error
 *   datagram  each message has its own address, is one packet, and comes with
 *             GRH_SIZE bytes before it
 *   paging    what struct ibv_odp_caps has of it
 */
#define TRANSPORT_LIST(X) \
	X(RC, IBV_QPT_RC, true, false, rc_odp_caps) \
	X(UC, IBV_QPT_UC, false, false, uc_odp_caps) \
	X(UD, IBV_QPT_UD, false, true, ud_odp_caps)

enum transport {
#define X(id, ...) TRANSPORT_##id,
	TRANSPORT_LIST(X)
#undef X
	TRANSPORTS
};

/* Sets of transports. */
#define ON_RC (1U << TRANSPORT_RC)
#define ON_UC (1U << TRANSPORT_UC)
#define ON_UD (1U << TRANSPORT_UD)

struct transport_info {
	const char *name;
	enum ibv_qp_type qp_type;
	bool reliable;
	bool datagram;
	size_t paging;	/* of a uint32_t in struct ibv_odp_caps */
};

static const struct transport_info transport_table[TRANSPORTS] = {
#define X(id, qp_type, reliable, datagram, caps) \
	[TRANSPORT_##id] = { #id, qp_type, reliable, datagram, \
			     offsetof(struct ibv_odp_caps, \
				      per_transport_caps.caps) },
	TRANSPORT_LIST(X)
#undef X
};

/* "RC|UC|UD" */
#define TRANSPORT_WORD(id, ...) "|" #id
#define TRANSPORT_WORDS (&("" TRANSPORT_LIST(TRANSPORT_WORD))[1])

#endif
