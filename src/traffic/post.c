/* Posts requests that are not worth a loop of their own, by either interface.
 */
#include "config.h"
#include "traffic/post.h"

/* The loops move a message by its sge.addr; move its entries there. */
static void move_entries(struct flow_request *r)
{
	struct ibv_sge *list = r->wr.sg_list;
	uint64_t way = r->sge.addr - list->addr;

	for (int i = 0; way && i < r->wr.num_sge; i++)
		list[i].addr += way;
}

static void end_gathered(struct flow_qp *q, const struct flow_request *r,
			 enum op op)
{
	struct ibv_data_buf data[GATHER_MAX];
	const struct ibv_sge *list = r->wr.sg_list;
	const size_t n = (size_t)r->wr.num_sge;

	if (r->wr.send_flags & IBV_SEND_INLINE) {
		for (size_t i = 0; i < n; i++)
			data[i] = (struct ibv_data_buf){
				.addr = (void *)(uintptr_t)list[i].addr,
				.length = list[i].length,
			};
		ibv_wr_set_inline_data_list(q->qpx, n, data);
	} else {
		ibv_wr_set_sge_list(q->qpx, n, list);
	}
	set_destination(q, op);
}

/* As post_linked(), but each send has the entries at its wr.sg_list, moved to
 * where its sge.addr is. */
static int post_entries(struct flow_qp *q, struct flow_request *first,
			uint32_t length, enum op op)
{
	struct ibv_send_wr *bad;

	for (uint32_t i = 0; i < length; i++)
		move_entries(&first[i]);
	if (!q->qpx)
		return ibv_post_send(q->qp, &first->wr, &bad);
	ibv_wr_start(q->qpx);
	for (uint32_t i = 0; i < length; i++) {
		begin_send(q->qpx, &first[i].wr, op);
		end_gathered(q, &first[i], op);
	}
	return ibv_wr_complete(q->qpx);
}

int post_any(struct flow *f, struct flow_qp *q, struct flow_request *first,
	     uint32_t length)
{
	if (f->entries > 1)
		return post_entries(q, first, length, f->layout.op);
	return post_linked(q, first, length, f->layout.op, f->method);
}

#define POST_ONE(name, op, method) \
	static int name(struct flow_qp *q, struct flow_request *r) \
	{ \
		return post_linked(q, r, 1, op, method); \
	}
#define X(id, ...) POST_ONE(post_##id, OP_##id, POST_WR)
OP_LIST(X)
#undef X
/* a request says itself what its operation is */
POST_ONE(post_legacy, OP_SEND, POST_LEGACY)
#undef POST_ONE

post_one_fn *choose_post_one(enum op op, enum post_method method)
{
	static post_one_fn *const by_wr[OP_COUNT] = {
#define X(id, ...) [OP_##id] = post_##id,
		OP_LIST(X)
#undef X
	};

	return method == POST_WR ? by_wr[op] : post_legacy;
}
