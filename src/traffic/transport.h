/* The table of transports.  A new transport is a new line here, and its
 * attributes in verbs/qp_attr.c. */
#ifndef TRAFFIC_TRANSPORT_H
#define TRAFFIC_TRANSPORT_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>

/* Bytes before each received datagram: the global route header, or as many
 * unused bytes. */
#define GRH_SIZE 40

/*
 * X(id, qp_type, target, reliable, datagram, paging)
 *   id        its name, also the argument of --transport
 *   qp_type   enum ibv_qp_type
 *   target    0, or the type of a second queue pair at each end: the first one
 *             then only sends, and what the peer sends comes to the second
 *             one, whose receives are in a shared queue
 *   reliable  messages without an acknowledgement are sent again, and in the
 *             end complete with an error
 *   datagram  each message has its own address, is one packet, and arrives
 *             with GRH_SIZE bytes before it
 *   paging    its field in struct ibv_device_attr_ex
 */
#define TRANSPORT_LIST(X) \
	X(RC, IBV_QPT_RC, 0, true, false, ODP_CAPS(rc)) \
	X(UC, IBV_QPT_UC, 0, false, false, ODP_CAPS(uc)) \
	X(UD, IBV_QPT_UD, 0, false, true, ODP_CAPS(ud)) \
	X(XRC, IBV_QPT_XRC_SEND, IBV_QPT_XRC_RECV, true, false, xrc_odp_caps)
#define ODP_CAPS(id) odp_caps.per_transport_caps.id##_odp_caps

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
#define ON_XRC (1U << TRANSPORT_XRC)

struct transport_info {
	const char *name;
	enum ibv_qp_type qp_type;
	int target;	/* enum ibv_qp_type, or 0 */
	bool reliable;
	bool datagram;
	size_t paging;	/* offset of a uint32_t in struct ibv_device_attr_ex */
};

static const struct transport_info transport_table[TRANSPORTS] = {
#define X(id, qp_type, target, reliable, datagram, caps) \
	[TRANSPORT_##id] = { #id, qp_type, target, reliable, datagram, \
			     offsetof(struct ibv_device_attr_ex, caps) },
	TRANSPORT_LIST(X)
#undef X
};

/* "RC|UC|UD|XRC" */
#define TRANSPORT_WORD(id, ...) "|" #id
#define TRANSPORT_WORDS (&("" TRANSPORT_LIST(TRANSPORT_WORD))[1])

#endif
