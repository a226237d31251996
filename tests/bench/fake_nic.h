/*
 * A NIC of one process, without hardware: the device list of libibverbs with
 * one RoCE device, to be loaded with LD_PRELOAD.  What it does, in time, is
 * set by the environment (fake_time.c), whether data moves (fake_data.c), and
 * what links are between several of them (fake_fabric.c).
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#define FAKE_QPS 16384
#define FAKE_FIRST_QPN 0x1000
#define FAKE_SRQN 0x77
#define FAKE_MAX_SGE 2
#define FAKE_MAX_WR 32768
#define FAKE_MAX_CQE (1 << 22)

/* A work request as hardware would fetch it: one cache line. */
struct fake_wqe {
	uint32_t opcode_index;
	uint32_t qpn_segments;
	uint32_t flags;
	uint32_t immediate;
	uint64_t remote_addr;
	uint32_t rkey;
	uint32_t reserved;
	struct fake_segment {
		uint32_t length;
		uint32_t lkey;
		uint64_t addr;
	} data[FAKE_MAX_SGE];
};

struct fake_qp {
	struct ibv_qp qp;
	struct fake_wqe *wqes;
	uint64_t *wr_ids;
	uint32_t mask;		/* of an index into both */
	uint32_t depth;
	uint32_t head;		/* requests posted */
	uint32_t tail;		/* requests known to be complete */
	uint32_t recv_head;
	uint64_t last_due;	/* an RC queue pair completes in order */
	volatile uint32_t doorbell;
	struct ibv_qp_cap cap;
	uint32_t control;	/* what every descriptor says of its queue */
	bool efa;		/* each send must be signaled */
	uint32_t signal_all;	/* 0 or IBV_SEND_SIGNALED */
	uint32_t dest;		/* number of the peer's */
	/* fake_data.c: where messages arrive, and those that wait to be sent */
	struct fake_box *box;
	struct fake_held *held;
	uint32_t first_held, n_held;
	struct fake_route *route;	/* fake_fabric.c; NULL: no links */
};

struct fake_srq {
	struct ibv_srq srq;
	uint32_t box;
};

struct fake_cqe {
	uint64_t due;		/* ticks since open; 0: at once */
	uint64_t posted;	/* ticks since open */
	struct fake_qp *q;
	uint32_t index;
	uint32_t length;
	uint32_t opcode;
};

struct fake_cq {
	struct ibv_cq cq;
	struct fake_cqe *ring;
	uint32_t mask;
	uint32_t head;
	uint32_t tail;
	volatile uint32_t doorbell;
};

/* Its descriptor is a timer. */
struct fake_channel {
	struct ibv_comp_channel channel;
	struct ibv_cq *cq;	/* that the next event is of */
};

/* Programs see the verbs of libibverbs and nothing else. */
#pragma GCC visibility push(hidden)

/* fake_path.c: the calls a benchmark makes per message. */
void fake_path_ops(struct ibv_context_ops *ops);

/* fake_data.c: do data move?  If they are to, OPS move them from then on. */
bool fake_data_moves(void);
void fake_data_open(struct ibv_context_ops *ops);

/* Take a mailbox for Q, whose receives are those of SRQ, if that is not NULL.
 * Returns its number, or -1, with errno set. */
int fake_data_take(struct fake_qp *q, struct ibv_srq *srq);
void fake_data_release(struct fake_qp *q);
void fake_data_release_srq(struct ibv_srq *srq);

/* fake_fabric.c: are there links? */
bool fake_fabric(void);

/* Q is connected to the address GID. */
void fake_fabric_join(struct fake_qp *q, const union ibv_gid *gid);

/* When LENGTH bytes that Q posts at NOW have gone over all its links; both are
 * by the counter. */
uint64_t fake_fabric_due(const struct fake_qp *q, uint64_t now, uint32_t length,
			 bool reads, double ticks_per_ns);

/* fake_time.c */
struct fake_timing {
	bool on;		/* anything but "complete at once" */
	uint64_t start;		/* counter when the device was opened */
};
extern struct fake_timing fake_timing;

/* Read the environment and measure the counter's rate. */
void fake_time_open(void);

/* Write what FAKE_SAMPLES asks for. */
void fake_time_close(void);

/* Ticks since the device was opened. */
uint64_t fake_now(void);

/* When a message of LENGTH bytes posted at NOW on Q, which READS them or sends
 * them, completes. */
uint64_t fake_due(struct fake_qp *q, uint64_t now, uint32_t length, bool reads);

/* From now until DUE, at least 1 ns. */
uint64_t fake_ns_until(uint64_t due);

/* A completion was taken; NOW and POSTED are ticks. */
void fake_note(uint64_t posted, uint64_t now);

#pragma GCC visibility pop
