/*
 * The attributes a queue pair really has, as the device reports them
 * (ibv_query_qp), to compare with what the plan asked for.
 */
#ifndef MODEL_EFFECTIVE_H
#define MODEL_EFFECTIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "traffic/op.h"

/* Which transports have a value.  EFFECTIVE_GRH: only if the path has a GRH. */
#define EFFECTIVE_RELIABLE (ON_RC | ON_XRC)
#define EFFECTIVE_CONNECTED (EFFECTIVE_RELIABLE | ON_UC)
#define EFFECTIVE_ALL (EFFECTIVE_CONNECTED | ON_UD)
#define EFFECTIVE_GRH (1U << TRANSPORTS)

/* Stands for a value that the queue pair does not have. */
#define EFFECTIVE_NONE UINT32_MAX
#define EFFECTIVE_COUNT_MAX (EFFECTIVE_NONE - 1)

/*
 * X(name, largest value, transports, member of struct ibv_qp_attr), in the
 * order of the wire (net/frames.h).  path_mtu is in bytes here.  On UD the
 * address handles hold the path, and no verb reads them back.
 */
#define EFFECTIVE_LIST(X) \
	X(sl, 15, EFFECTIVE_CONNECTED, ah_attr.sl) \
	X(traffic_class, 255, EFFECTIVE_CONNECTED | EFFECTIVE_GRH, \
	  ah_attr.grh.traffic_class) \
	X(flow_label, 0xfffff, EFFECTIVE_CONNECTED | EFFECTIVE_GRH, \
	  ah_attr.grh.flow_label) \
	X(hop_limit, 255, EFFECTIVE_CONNECTED | EFFECTIVE_GRH, \
	  ah_attr.grh.hop_limit) \
	X(pkey_index, 65535, EFFECTIVE_ALL, pkey_index) \
	X(path_mtu, 4096, EFFECTIVE_CONNECTED, path_mtu) \
	X(timeout, 31, EFFECTIVE_RELIABLE, timeout) \
	X(retry_cnt, 7, EFFECTIVE_RELIABLE, retry_cnt) \
	X(rnr_retry, 7, EFFECTIVE_RELIABLE, rnr_retry) \
	X(min_rnr_timer, 31, EFFECTIVE_RELIABLE, min_rnr_timer) \
	X(max_rd_atomic, 255, EFFECTIVE_RELIABLE, max_rd_atomic) \
	X(max_dest_rd_atomic, 255, EFFECTIVE_RELIABLE, max_dest_rd_atomic) \
	X(max_send_wr, EFFECTIVE_COUNT_MAX, EFFECTIVE_ALL, cap.max_send_wr) \
	X(max_recv_wr, EFFECTIVE_COUNT_MAX, EFFECTIVE_ALL, cap.max_recv_wr) \
	X(max_send_sge, EFFECTIVE_COUNT_MAX, EFFECTIVE_ALL, cap.max_send_sge) \
	X(max_recv_sge, EFFECTIVE_COUNT_MAX, EFFECTIVE_ALL, cap.max_recv_sge) \
	X(max_inline_data, EFFECTIVE_COUNT_MAX, EFFECTIVE_ALL, \
	  cap.max_inline_data)

/* The values of the first queue pair of one end. */
struct effective {
	bool known;
#define X(name, ...) uint32_t name;
	EFFECTIVE_LIST(X)
#undef X
};

/* True when a queue pair of TRANSPORT has a value that those of TRANSPORTS
 * (EFFECTIVE_*) have.  GLOBAL: its path has a GRH. */
static inline bool effective_has(unsigned int transports,
				 unsigned int transport, bool global)
{
	return (transports & 1U << transport) &&
	       (global || !(transports & EFFECTIVE_GRH));
}

#define EFFECTIVE_ONE(...) +1
enum { EFFECTIVE_VALUES = 0 EFFECTIVE_LIST(EFFECTIVE_ONE) };
#undef EFFECTIVE_ONE

#endif
