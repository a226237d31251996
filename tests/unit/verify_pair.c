#include "config.h"
#include "test.h"

#include <endian.h>
#include <errno.h>

#include "verify_pair.h"

#include "traffic/flow.h"

static struct pair_end *end_of(struct ibv_qp *qp)
{
	return qp->qp_context;
}

static void complete(struct pair_cq *cq, struct ibv_wc wc)
{
	assert_true(cq->n < COUNT(cq->wc));
	wc.status = IBV_WC_SUCCESS;
	cq->wc[cq->n++] = wc;
}

/* END's next receive; what it is for is lost when there is none. */
static struct flow_receive *next_receive(struct pair_end *end)
{
	struct flow_receive *r;

	if (!end->n_slots)
		return NULL;
	r = &end->entries[end->slots[0]];
	memmove(end->slots, end->slots + 1,
		--end->n_slots * sizeof(*end->slots));
	return r;
}

static void tell(struct pair_end *end, const struct ibv_send_wr *wr,
		 enum ibv_wc_opcode opcode, const uint8_t *data,
		 uint32_t length)
{
	uint64_t header = end->verifier.header;
	struct flow_receive *r = next_receive(end);

	if (!r)
		return;
	if (data)
		memcpy((uint8_t *)(uintptr_t)r->sge.addr + header, data,
		       length);
	complete(&end->came, (struct ibv_wc){
		.wr_id = r->wr.wr_id,
		.opcode = opcode,
		.byte_len = length + (uint32_t)header,
		.imm_data = wr->imm_data,
		.wc_flags = IBV_WC_WITH_IMM,
	});
}

static void operate(uint8_t *result, const struct ibv_send_wr *wr)
{
	uint64_t *counter = (uint64_t *)(uintptr_t)wr->wr.atomic.remote_addr;
	uint64_t was = *counter;

	if (wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
		*counter += wr->wr.atomic.compare_add;
	else if (was == wr->wr.atomic.compare_add)
		*counter = wr->wr.atomic.swap;
	if (result)
		memcpy(result, &was, sizeof(was));
}

static void carry_out(struct pair_end *end, const struct ibv_send_wr *wr)
{
	uint8_t *remote = (uint8_t *)(uintptr_t)wr->wr.rdma.remote_addr;
	uint32_t length = wr->num_sge ? wr->sg_list->length : 0;
	uint8_t *local = wr->num_sge ?
		(uint8_t *)(uintptr_t)wr->sg_list->addr : NULL;

	switch (wr->opcode) {
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		if (length)
			memcpy(remote, local, length);
		if (wr->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
			tell(end->peer, wr, IBV_WC_RECV_RDMA_WITH_IMM, NULL,
			     length);
		break;
	case IBV_WR_RDMA_READ:
		if (length && !end->brings_nothing)
			memcpy(local, remote, length);
		break;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		operate(end->brings_nothing ? NULL : local, wr);
		break;
	default:
		tell(end->peer, wr, IBV_WC_RECV, local, length);
	}
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
		     struct ibv_send_wr **bad)
{
	struct pair_end *end = end_of(qp);

	(void)bad;
	for (; wr; wr = wr->next) {
		carry_out(end, wr);
		if (wr->send_flags & IBV_SEND_SIGNALED)
			complete(&end->sent, (struct ibv_wc){
				.wr_id = wr->wr_id });
	}
	return 0;
}

static void make_receives(struct pair_end *end)
{
	end->receives = (struct flow_receives){
		.qp = &end->qp,
		.depth = PAIR_RECEIVES,
		.list_length = 1,
		.outstanding = PAIR_RECEIVES,
		.entries = end->entries,
	};
	for (uint32_t i = 0; i < PAIR_RECEIVES; i++) {
		end->entries[i].wr.wr_id = i;
		end->entries[i].sge.addr = (uintptr_t)end->in +
					   (uint64_t)i * PAIR_STEP;
		end->slots[end->n_slots++] = i;
	}
}

static void make_end(struct pair *pair, struct pair_end *end,
		     struct pair_end *peer, bool notices)
{
	bool sends = end == &pair->a;

	end->peer = peer;
	end->qp = (struct ibv_qp){ .context = &pair->context,
				   .qp_context = end };
	end->q = (struct flow_qp){
		.qp = &end->qp,
		.local = (uintptr_t)end->out,
		.remote = (uintptr_t)peer->in,
	};
	if (sends)
		end->q.requests = end->requests;
	end->verifier = (struct verifier){
		.direction_out = sends ? 1 : 2,
		.direction_in = sends ? 2 : 1,
		.notices = notices,
		.capacity = PAIR_CAPACITY,
		.incoming = sends ? NULL : end->in,
		.stride = PAIR_MEMORY,
		.header = pair->header,
		.qps = &end->verify_qp,
	};
	make_receives(end);
}

static void make_flow(struct pair *pair, struct pair_end *end,
		      enum transport transport)
{
	end->flow = (struct flow){
		.qps = &end->q,
		.n_qps = 1,
		.clock = &pair->clock,
		.control = &pair->control,
		.progress = &end->progress,
		.method = POST_LEGACY,
		.unreliable = !transport_table[transport].reliable,
		.receives = &end->receives,
		.n_receives = 1,
		.credits = end->verifier.notices,
		.verify = &end->verifier,
	};
	end->verify_qp.announced = end->announced;
}

void pair_prepare(struct pair *pair, uint64_t size, uint32_t list)
{
	const struct flow_shape shape = {
		.size = size,
		.depth = PAIR_DEPTH,
		.cq_mod = 1,
		.list_length = list,
	};

	flow_prepare(&pair->b.flow, pair->op, &shape);
	flow_prepare(&pair->a.flow, pair->op, &shape);
}

struct pair *pair_new(enum op op, enum transport transport, uint64_t size,
		      uint32_t list)
{
	static struct pair pair;
	bool notices = op == OP_WRITE || op == OP_WRITE_IMM;

	memset(&pair, 0, sizeof(pair));
	pair.op = op;
	pair.header = transport == TRANSPORT_UD ? GRH_SIZE : 0;
	pair.context.ops.post_send = post_send;
	make_end(&pair, &pair.a, &pair.b, notices);
	make_end(&pair, &pair.b, &pair.a, notices);
	make_flow(&pair, &pair.a, transport);
	make_flow(&pair, &pair.b, transport);
	pair_prepare(&pair, size, list);
	return &pair;
}

void pair_post(struct pair *pair, uint64_t n)
{
	struct flow *f = &pair->a.flow;
	struct flow_qp *q = &pair->a.q;
	uint32_t list = f->shape.list_length;
	int ret;

	assert_int_equal(verify_post(f, q, pair->a.requests, list,
				     n / list, &ret), n / list);
	assert_int_equal(ret, 0);
	q->posted += n;
	f->posted += n;
}

int pair_take(struct pair_end *end)
{
	int messages = 0;

	for (uint32_t i = 0; i < end->came.n; i++) {
		const struct ibv_wc wc = end->came.wc[i];
		uint64_t sequence = 0;
		int ret = verify_received(&end->flow, &wc, &sequence);

		if (ret < 0)
			return ret;
		messages += ret == VERIFY_MESSAGE;
		end->slots[end->n_slots++] = (uint32_t)wc.wr_id;
	}
	end->came.n = 0;
	return messages;
}

int pair_retire(struct pair_end *end)
{
	int ret = verify_retire(&end->flow, end->sent.wc, (int)end->sent.n);

	end->sent.n = 0;
	return ret;
}

int pair_settle(struct pair *pair)
{
	int ret = pair_take(&pair->b);

	if (ret >= 0)
		ret = pair_retire(&pair->b);
	if (ret >= 0)
		ret = pair_take(&pair->a);
	if (ret >= 0)
		ret = pair_retire(&pair->a);
	return ret < 0 ? ret : 0;
}

void pair_drop(struct pair_end *end, uint32_t i)
{
	struct pair_cq *cq = &end->came;

	end->slots[end->n_slots++] = (uint32_t)cq->wc[i].wr_id;
	memmove(&cq->wc[i], &cq->wc[i + 1],
		(--cq->n - i) * sizeof(*cq->wc));
}

uint8_t *pair_message(struct pair *pair, uint64_t sequence)
{
	if (op_table[pair->op].fetches)
		return pair->a.out + sequence % PAIR_DEPTH *
					     pair->a.verifier.step;
	if (op_table[pair->op].access)
		return pair->b.in + sequence % PAIR_DEPTH *
					    pair->b.verifier.step;
	return pair->b.in + sequence % PAIR_RECEIVES * PAIR_STEP +
	       pair->header;
}
