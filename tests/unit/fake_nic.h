/* Inside the fake NIC: its objects, and the lock that guards them all. */
#pragma once

#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "fake_builder.h"

#define NIC_OBJECTS 1024
#define NIC_FIRST_QPN 0x1000
#define NIC_RKEY_BASE 0x500
#define NIC_GROUP_QPN 0xffffffU
/* What a message comes from that nobody here sent. */
#define NIC_STRANGER_QPN 0xfff000U
#define NIC_FIRST_SRQN 0x300
/* What a UD receive begins with; nothing is said by its bytes. */
#define NIC_GRH_SIZE 40
#define NIC_GRH_BYTE 0x6e

struct nic_mr {
	struct ibv_mr mr;
	unsigned int access;
	uint64_t iova;		/* its first address */
	uint8_t *bytes;		/* where they are: the NIC may touch them */
	void *mapping;		/* of a dma-buf; else NULL */
	size_t mapped;
};

struct nic_channel {
	struct ibv_comp_channel channel;	/* fd is the end that is read */
	int event_fd;		/* the end that is written */
};

struct nic_cq {
	struct ibv_cq cq;
	struct ibv_wc *ring;
	uint64_t head;
	uint64_t empty;		/* polls in a row that found nothing */
	uint64_t polled_at;	/* the latest of them */
	uint64_t seen;		/* nic_transfers at one of them */
	_Atomic uint64_t tail;
	bool armed;		/* the next completion is an event, or, if */
	bool solicited;		/* that, the next which asks for one */
	uint32_t unacked;	/* events that were got */
};

struct nic_send {
	struct ibv_send_wr wr;
	struct ibv_sge *sge;	/* wr.num_sge of them */
	uint8_t *inline_data;
};

struct nic_receive {
	uint64_t wr_id;
	struct ibv_sge *sge;
	int num_sge;
};

/* Receives: a ring. */
struct nic_rq {
	struct nic_receive *ring;
	struct ibv_sge *sge;	/* ENTRIES for each of the ring */
	uint32_t size;
	uint32_t entries;	/* most of a receive */
	uint64_t posted, done;
};

struct nic_srq {
	struct ibv_srq srq;
	struct nic_rq rq;
	struct ibv_xrcd *xrcd;		/* the rest is of one of XRC */
	struct ibv_cq *cq;
	uint32_t number;
};

struct nic_qp {
	union {
		struct ibv_qp qp;
		struct builder b;	/* begins with it */
	};
	uint32_t dest;
	union ibv_gid group;	/* attached to; zero: none */
	struct ibv_xrcd *xrcd;		/* of an XRC_RECV */
	struct ibv_qp_attr attr;	/* as it was moved */
	struct ibv_qp_cap cap;
	struct nic_send *sends;		/* ring of cap.max_send_wr */
	struct ibv_sge *sge;		/* max_send_sge for each of them */
	uint8_t *inline_data;		/* max_inline_data for each */
	uint64_t posted, done, retired;
	struct nic_rq *rq;		/* own, or that of its srq */
	struct nic_rq own;
	uint64_t stalled_at;		/* ns; 0: the peer answers */
};

struct nic_ah {
	struct ibv_ah ah;
	struct ibv_ah_attr attr;
};

extern pthread_mutex_t nic_lock;
/* Under nic_lock: how many messages were dealt with, and how many pollers wait
 * for the next. */
extern uint64_t nic_transfers;
extern unsigned int nic_waiting;
extern pthread_cond_t nic_transferred;
extern struct nic_qp *nic_qps[NIC_OBJECTS];
extern struct nic_mr *nic_mrs[NIC_OBJECTS];
extern struct nic_srq *nic_srqs[NIC_OBJECTS];	/* those of XRC */
extern struct nic_ah *nic_ahs[NIC_OBJECTS];	/* by their handle */
extern uint32_t nic_places;	/* of these, so many were ever taken */

/* Shared by the fakes of the slow verbs: does this call fail, as the test
 * wants; an object that is counted in *ALIVE; its place in a table. */
bool nic_call_fails(void);
void nic_count(uint32_t *alive, int by);
void *nic_create(size_t size, uint32_t *alive);
uint32_t nic_enter(void **table, void *object);
void nic_leave(void **table, uint32_t i);

/* Connect both, as the driver of an iWARP device does. */
void nic_connect(uint32_t qpn, uint32_t other_qpn);

/* Something was done that verbs do not allow. */
void nic_misuse(bool is);

/* ibv_create_qp_ex(3) of a context that has builders. */
struct ibv_qp *nic_create_qp_ex(struct ibv_context *context,
				struct ibv_qp_init_attr_ex *attr);

/* Room for SIZE receives of as many ENTRIES. */
void nic_make_receives(struct nic_rq *rq, uint32_t size, uint32_t entries);
void nic_free_receives(struct nic_rq *rq);

/* The operations of a context; the second part is that of its completion
 * queues. */
void nic_set_ops(struct ibv_context_ops *ops);
void nic_set_cq_ops(struct ibv_context_ops *ops);

/* The queue pair of XRC that receives. */
struct ibv_qp *nic_create_target(struct ibv_qp_init_attr_ex *attr);

/* The operations of XRC, but for those on queue pairs. */
void nic_set_xrc_ops(struct verbs_context *verbs);

/* The operations on memory of the device. */
void nic_set_memory_ops(struct verbs_context *verbs);

/* Those on memory windows. */
void nic_set_window_ops(struct ibv_context_ops *ops);

/* Under the lock, all of them: */

/* True when S does all of its work at this end: it binds or invalidates. */
bool nic_is_local(const struct nic_send *s);
enum ibv_wc_status nic_do_local(const struct nic_qp *q,
				const struct nic_send *s);

/* The window of KEY, bound on Q, opens nothing any more. */
enum ibv_wc_status nic_invalidate(const struct nic_qp *q, uint32_t key);

/* The memory at ADDRESS that a window's KEY opens for ACCESS through Q; NULL
 * when it does not. */
void *nic_through_window(const struct nic_qp *q, uint32_t key,
			 uint64_t address, uint64_t length,
			 unsigned int access);

/* The queue pair of that number; NULL: there is none. */
struct nic_qp *nic_find_qp(uint32_t qpn);

/* A completion into a queue; one of a SOLICITED message asks for an event. */
void nic_complete(struct ibv_cq *cq, const struct ibv_wc *wc, bool solicited);

/* Deal with what QPs on CQ wait for whose peers are gone. */
void nic_retry(const struct ibv_cq *cq);

/* The slots of a send queue are free again once the loop saw a completion of
 * that message or a later one. */
void nic_retire(const struct ibv_wc *wc);

/* What the NIC does of an operation. */
struct nic_opcode {
	enum ibv_wc_opcode sent;	/* in the completion of the send */
	unsigned int access;	/* to the peer's memory; 0: to none */
	bool takes_receive;
	bool fetches;		/* writes to the memory of who posted it */
};

extern const struct nic_opcode nic_opcodes[];	/* by enum ibv_wr_opcode */

/* True when Q sends again what is not acknowledged. */
bool nic_is_reliable(const struct nic_qp *q);

/* The shared receives of XRC that S names, in PEER's domain; NULL: there are
 * none. */
struct nic_srq *nic_find_srq(const struct nic_qp *peer,
			     const struct nic_send *s);

/* The receives that S takes one of when it comes to PEER; NULL: nothing is as S
 * says. */
struct nic_rq *nic_receives_of(struct nic_qp *peer, const struct nic_send *s);

/* Where S of Q goes; NULL: nowhere. */
struct nic_qp *nic_peer(const struct nic_qp *q, const struct nic_send *s);

/* The first receive of Q, if there is one, takes a message of zeros. */
void nic_stray(struct nic_qp *q);

/*
 * Move the bytes of S, from Q to PEER or back, and take a receive there if it
 * needs one; PEER is NULL when it is lost.  Returns how S completes.
 */
enum ibv_wc_status nic_transfer(struct nic_qp *q, struct nic_qp *peer,
				const struct nic_send *s);
