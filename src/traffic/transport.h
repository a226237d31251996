/* The table of transports.  A new transport is a new line here, and its
 * attributes in verbs/qp_attr.c. */
#ifndef TRAFFIC_TRANSPORT_H
#define TRAFFIC_TRANSPORT_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>

/* Bytes before each datagram received: the global route header, or a gap of its
 * size. */
#define GRH_SIZE 40

/*
 * X(id, qp_type, reliable, datagram, paging)
 *   id        its name, also the argument of --transport
 *   qp_type   enum ibv_qp_type
 *   reliable  messages without an acknowledgement are sent again, and in the
 *             end complete with an error
 *   datagram  each message has its own address, is one packet, and arrives
 *             with GRH_SIZE bytes before it
 *   paging    its field in struct ibv_odp_caps
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
	size_t paging;	/* offset of a uint32_t in struct ibv_odp_caps */
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
