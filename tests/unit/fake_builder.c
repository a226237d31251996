#include "config.h"
#include "fake_builder.h"

#include <errno.h>
#include <stdlib.h>

static struct builder *builder_of(struct ibv_qp_ex *qpx)
{
	return (struct builder *)qpx;	/* its first member */
}

static void start(struct ibv_qp_ex *qpx)
{
	builder_of(qpx)->n = 0;
}

/* The next send takes wr_id and wr_flags as they stand. */
static void add(struct ibv_qp_ex *qpx, enum ibv_wr_opcode opcode,
		uint32_t rkey, uint64_t remote)
{
	struct builder *b = builder_of(qpx);
	uint32_t i = b->n++;

	if (i == BUILDER_MAX)
		abort();
	b->wr[i] = (struct ibv_send_wr){
		.wr_id = qpx->wr_id,
		.opcode = opcode,
		.send_flags = qpx->wr_flags,
		.sg_list = &b->sge[i],
		.wr.rdma = { remote, rkey },
	};
	if (i)
		b->wr[i - 1].next = &b->wr[i];
}

static void add_send(struct ibv_qp_ex *qpx)
{
	add(qpx, IBV_WR_SEND, 0, 0);
}

static void add_write(struct ibv_qp_ex *qpx, uint32_t rkey, uint64_t remote)
{
	add(qpx, IBV_WR_RDMA_WRITE, rkey, remote);
}

static void add_read(struct ibv_qp_ex *qpx, uint32_t rkey, uint64_t remote)
{
	add(qpx, IBV_WR_RDMA_READ, rkey, remote);
}

static void set_sge_list(struct ibv_qp_ex *qpx, size_t n,
			 const struct ibv_sge *list)
{
	struct builder *b = builder_of(qpx);

	b->wr[b->n - 1].num_sge = (int)n;
	if (n)
		b->sge[b->n - 1] = *list;
}

static void set_sge(struct ibv_qp_ex *qpx, uint32_t lkey, uint64_t addr,
		    uint32_t length)
{
	const struct ibv_sge sge = { addr, length, lkey };

	set_sge_list(qpx, 1, &sge);
}

static int complete(struct ibv_qp_ex *qpx)
{
	struct builder *b = builder_of(qpx);
	struct ibv_send_wr *bad;

	b->completes++;
	return b->n ? ibv_post_send(&b->qp, b->wr, &bad) : EINVAL;
}

void builder_init(struct builder *b)
{
	b->qpx.wr_start = start;
	b->qpx.wr_send = add_send;
	b->qpx.wr_rdma_write = add_write;
	b->qpx.wr_rdma_read = add_read;
	b->qpx.wr_set_sge = set_sge;
	b->qpx.wr_set_sge_list = set_sge_list;
	b->qpx.wr_complete = complete;
}
