/*
 * The functions of ibv_wr_start(3) for a fake queue pair: they gather sends,
 * and at the end hand them to its ibv_post_send.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdint.h>

#define BUILDER_MAX 64
#define BUILDER_ENTRIES 8	/* most scatter/gather entries of a send */

struct builder_lists {
	struct ibv_send_wr wr[BUILDER_MAX];
	struct ibv_sge sge[BUILDER_MAX][BUILDER_ENTRIES];
};

/* The first part of a fake queue pair. */
struct builder {
	union {
		struct ibv_qp qp;
		struct ibv_qp_ex qpx;	/* which begins with the other */
	};
	uint32_t n;
	uint64_t completes;	/* calls of ibv_wr_complete */
	struct builder_lists *lists;
};

/* Give B's queue pair the functions, which gather in LISTS of the caller. */
void builder_init(struct builder *b, struct builder_lists *lists);
