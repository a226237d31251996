/* Inside the fake NIC: its objects, and the lock that guards them all. */
#ifndef TESTS_UNIT_FAKE_NIC_H
#define TESTS_UNIT_FAKE_NIC_H

#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "fake_builder.h"

#define NIC_OBJECTS 1024
#define NIC_FIRST_QPN 0x1000
#define NIC_RKEY_BASE 0x500

struct nic_mr {
	struct ibv_mr mr;
	unsigned int access;
};

struct nic_cq {
	struct ibv_cq cq;
	struct ibv_wc *ring;
	uint64_t head;
	uint64_t empty;		/* polls that found nothing */
	_Atomic uint64_t tail;
};

struct nic_send {
	struct ibv_sge sge;
	struct ibv_send_wr wr;
};

struct nic_receive {
	uint64_t wr_id;
	struct ibv_sge sge;
};

struct nic_qp {
	union {
		struct ibv_qp qp;
		struct builder b;	/* begins with it */
	};
	uint32_t dest;
	struct ibv_qp_attr attr;	/* as it was moved */
	struct ibv_qp_cap cap;
	struct nic_send *sends;		/* ring of cap.max_send_wr */
	uint64_t posted, done, retired;
	struct nic_receive *receives;	/* ring of cap.max_recv_wr */
	uint64_t recv_posted, recv_done;
	uint64_t stalled_at;		/* ns; 0: the peer answers */
};

struct nic_ah {
	struct ibv_ah ah;
	struct ibv_ah_attr attr;
};

extern pthread_mutex_t nic_lock;
extern struct nic_qp *nic_qps[NIC_OBJECTS];
extern struct nic_mr *nic_mrs[NIC_OBJECTS];
extern struct nic_ah *nic_ahs[NIC_OBJECTS];	/* by their handle */

/* Shared by the fakes of the slow verbs: does this call fail, as the test
 * wants; an object that is counted in *ALIVE; its place in a table. */
bool nic_call_fails(void);
void nic_count(uint32_t *alive, int by);
void *nic_create(size_t size, uint32_t *alive);
uint32_t nic_enter(void **table, void *object);
void nic_leave(void **table, uint32_t i);

/* ibv_create_qp_ex(3) of a context that has builders. */
struct ibv_qp *nic_create_qp_ex(struct ibv_context *context,
				struct ibv_qp_init_attr_ex *attr);

/* The operations of a context. */
void nic_set_ops(struct ibv_context_ops *ops);

#endif
