#include "config.h"
#include "fake_builder.h"

#include <errno.h>
#include <stdlib.h>

static struct builder *builder_of(struct ibv_qp_ex *qpx)
{
	return (struct builder *)qpx;	/* its first member */
}

static struct ibv_send_wr *last_of(struct builder *b)
{
	return &b->lists->wr[b->n - 1];
}

static void start(struct ibv_qp_ex *qpx)
{
	builder_of(qpx)->n = 0;
}

/* The next send takes wr_id and wr_flags as they stand; that it is inline is
 * not a flag but a call of its own. */
static struct ibv_send_wr *add(struct ibv_qp_ex *qpx,
			       enum ibv_wr_opcode opcode)
{
	struct builder *b = builder_of(qpx);
	uint32_t i = b->n++;
	struct ibv_send_wr *wr;

	if (i == BUILDER_MAX)
		abort();
	wr = &b->lists->wr[i];
	*wr = (struct ibv_send_wr){
		.wr_id = qpx->wr_id,
		.opcode = opcode,
		.send_flags = qpx->wr_flags & ~(unsigned int)IBV_SEND_INLINE,
		.sg_list = b->lists->sge[i],
	};
	if (i)
		wr[-1].next = wr;
	return wr;
}

static void add_send(struct ibv_qp_ex *qpx)
{
	add(qpx, IBV_WR_SEND);
}

static void add_send_imm(struct ibv_qp_ex *qpx, __be32 imm)
{
	add(qpx, IBV_WR_SEND_WITH_IMM)->imm_data = imm;
}

static struct ibv_send_wr *add_rdma(struct ibv_qp_ex *qpx,
				    enum ibv_wr_opcode opcode, uint32_t rkey,
				    uint64_t remote)
{
	struct ibv_send_wr *wr = add(qpx, opcode);

	wr->wr.rdma.remote_addr = remote;
	wr->wr.rdma.rkey = rkey;
	return wr;
}

static void add_write(struct ibv_qp_ex *qpx, uint32_t rkey, uint64_t remote)
{
	add_rdma(qpx, IBV_WR_RDMA_WRITE, rkey, remote);
}

static void add_write_imm(struct ibv_qp_ex *qpx, uint32_t rkey,
			  uint64_t remote, __be32 imm)
{
	add_rdma(qpx, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, remote)->imm_data =
		imm;
}

static void add_read(struct ibv_qp_ex *qpx, uint32_t rkey, uint64_t remote)
{
	add_rdma(qpx, IBV_WR_RDMA_READ, rkey, remote);
}

static void add_cmp_swap(struct ibv_qp_ex *qpx, uint32_t rkey, uint64_t remote,
			 uint64_t compare, uint64_t swap)
{
	struct ibv_send_wr *wr = add(qpx, IBV_WR_ATOMIC_CMP_AND_SWP);

	wr->wr.atomic.remote_addr = remote;
	wr->wr.atomic.rkey = rkey;
	wr->wr.atomic.compare_add = compare;
	wr->wr.atomic.swap = swap;
}

static void add_fetch_add(struct ibv_qp_ex *qpx, uint32_t rkey,
			  uint64_t remote, uint64_t addend)
{
	add_cmp_swap(qpx, rkey, remote, addend, 0);
	last_of(builder_of(qpx))->opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
}

static void set_sge_list(struct ibv_qp_ex *qpx, size_t n,
			 const struct ibv_sge *list)
{
	struct builder *b = builder_of(qpx);

	if (n > BUILDER_ENTRIES)
		abort();
	last_of(b)->num_sge = (int)n;
	for (size_t i = 0; i < n; i++)
		b->lists->sge[b->n - 1][i] = list[i];
}

static void set_sge(struct ibv_qp_ex *qpx, uint32_t lkey, uint64_t addr,
		    uint32_t length)
{
	const struct ibv_sge sge = { addr, length, lkey };

	set_sge_list(qpx, 1, &sge);
}

static void set_inline(struct ibv_qp_ex *qpx, void *data, size_t length)
{
	set_sge(qpx, 0, (uintptr_t)data, (uint32_t)length);
	last_of(builder_of(qpx))->send_flags |= IBV_SEND_INLINE;
}

static void set_inline_list(struct ibv_qp_ex *qpx, size_t n,
			    const struct ibv_data_buf *data)
{
	struct ibv_sge list[BUILDER_ENTRIES];

	for (size_t i = 0; i < n && i < BUILDER_ENTRIES; i++)
		list[i] = (struct ibv_sge){
			.addr = (uintptr_t)data[i].addr,
			.length = (uint32_t)data[i].length,
		};
	set_sge_list(qpx, n, list);
	last_of(builder_of(qpx))->send_flags |= IBV_SEND_INLINE;
}

static void set_ud_addr(struct ibv_qp_ex *qpx, struct ibv_ah *ah, uint32_t qpn,
			uint32_t qkey)
{
	struct ibv_send_wr *wr = last_of(builder_of(qpx));

	wr->wr.ud.ah = ah;
	wr->wr.ud.remote_qpn = qpn;
	wr->wr.ud.remote_qkey = qkey;
}

static void set_xrc_srqn(struct ibv_qp_ex *qpx, uint32_t srqn)
{
	last_of(builder_of(qpx))->qp_type.xrc.remote_srqn = srqn;
}

static int complete(struct ibv_qp_ex *qpx)
{
	struct builder *b = builder_of(qpx);
	struct ibv_send_wr *bad;

	b->completes++;
	return b->n ? ibv_post_send(&b->qp, b->lists->wr, &bad) : EINVAL;
}

void builder_init(struct builder *b, struct builder_lists *lists)
{
	b->lists = lists;
	b->qpx.wr_start = start;
	b->qpx.wr_send = add_send;
	b->qpx.wr_send_imm = add_send_imm;
	b->qpx.wr_rdma_write = add_write;
	b->qpx.wr_rdma_write_imm = add_write_imm;
	b->qpx.wr_rdma_read = add_read;
	b->qpx.wr_atomic_fetch_add = add_fetch_add;
	b->qpx.wr_atomic_cmp_swp = add_cmp_swap;
	b->qpx.wr_set_sge = set_sge;
	b->qpx.wr_set_sge_list = set_sge_list;
	b->qpx.wr_set_inline_data = set_inline;
	b->qpx.wr_set_inline_data_list = set_inline_list;
	b->qpx.wr_set_ud_addr = set_ud_addr;
	b->qpx.wr_set_xrc_srqn = set_xrc_srqn;
	b->qpx.wr_complete = complete;
}
