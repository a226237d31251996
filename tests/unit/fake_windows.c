/* The memory windows of the fake NIC, as the InfiniBand specification has
 * them: a key opens a part of a region until it is invalidated, that of type 2
 * only through the queue pair that it was bound on. */
#include "config.h"
#include "fake_nic.h"

#include <errno.h>
#include <stdlib.h>

#include "fake_verbs.h"

/* The low byte of a key is the consumer's. */
#define KEY(index) (0x80000000U | (index) << 8)
#define INDEX_OF(key) (((key) & ~0x80000000U) >> 8)

struct nic_mw {
	struct ibv_mw mw;
	bool bound;
	uint32_t key;
	uint32_t qpn;		/* type 2: only through this one */
	const struct nic_mr *mr;
	uint64_t address, length;
	unsigned int access;
};

static struct nic_mw *windows[NIC_OBJECTS];

static struct nic_mw *find(uint32_t key)
{
	const uint32_t i = INDEX_OF(key);

	return key & 0x80000000U && i < NIC_OBJECTS ? windows[i] : NULL;
}

static struct ibv_mw *alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct nic_mw *w;

	if (nic_call_fails())
		return NULL;
	w = nic_create(sizeof(*w), &fake_verbs.mws);
	w->mw.context = pd->context;
	w->mw.pd = pd;
	w->mw.type = type;
	w->mw.rkey = KEY(nic_enter((void **)windows, w));
	return &w->mw;
}

static int dealloc_mw(struct ibv_mw *mw)
{
	struct nic_mw *w = (struct nic_mw *)mw;

	nic_leave((void **)windows, INDEX_OF(mw->rkey));
	nic_count(&fake_verbs.mws, -1);
	free(w);
	return nic_call_fails() ? fake_verbs.errnum : 0;
}

/* Type 1, by a request that only the driver sees. */
static int bind_mw(struct ibv_qp *qp, struct ibv_mw *mw,
		   struct ibv_mw_bind *bind)
{
	struct ibv_send_wr *bad, wr = {
		.wr_id = bind->wr_id,
		.opcode = IBV_WR_BIND_MW,
		.send_flags = bind->send_flags,
		.bind_mw = { mw, ibv_inc_rkey(mw->rkey), bind->bind_info },
	};
	int ret = ibv_post_send(qp, &wr, &bad);

	if (!ret)
		mw->rkey = wr.bind_mw.rkey;
	return ret;
}

static bool is_inside(const struct nic_mw *w, uint64_t address,
		      uint64_t length)
{
	return address >= w->address && length <= w->length &&
	       address - w->address <= w->length - length;
}

static enum ibv_wc_status bind_window(const struct nic_qp *q,
				      const struct ibv_send_wr *wr)
{
	const struct ibv_mw_bind_info *info = &wr->bind_mw.bind_info;
	struct nic_mw *w = find(wr->bind_mw.rkey);
	const struct nic_mr *mr = (const struct nic_mr *)info->mr;

	if (!w || &w->mw != wr->bind_mw.mw)
		return IBV_WC_MW_BIND_ERR;
	if (w->mw.type == IBV_MW_TYPE_2 && w->bound)
		return IBV_WC_MW_BIND_ERR;
	w->bound = info->length > 0 || fake_verbs.stale_windows;
	if (!info->length)
		return IBV_WC_SUCCESS;
	if (!(mr->access & IBV_ACCESS_MW_BIND) ||
	    !(mr->access & IBV_ACCESS_LOCAL_WRITE))
		return IBV_WC_MW_BIND_ERR;
	w->key = wr->bind_mw.rkey;
	w->qpn = q->qp.qp_num;
	w->mr = mr;
	w->address = info->addr;
	w->length = info->length;
	w->access = info->mw_access_flags;
	return IBV_WC_SUCCESS;
}

enum ibv_wc_status nic_invalidate(const struct nic_qp *q, uint32_t key)
{
	struct nic_mw *w = find(key);

	if (!w || !w->bound || w->key != key || w->mw.type != IBV_MW_TYPE_2 ||
	    w->qpn != q->qp.qp_num)
		return IBV_WC_REM_ACCESS_ERR;
	w->bound = fake_verbs.stale_windows;
	return IBV_WC_SUCCESS;
}

bool nic_is_local(const struct nic_send *s)
{
	return s->wr.opcode == IBV_WR_BIND_MW ||
	       s->wr.opcode == IBV_WR_LOCAL_INV;
}

enum ibv_wc_status nic_do_local(const struct nic_qp *q,
				const struct nic_send *s)
{
	if (s->wr.opcode == IBV_WR_BIND_MW)
		return bind_window(q, &s->wr);
	return nic_invalidate(q, s->wr.invalidate_rkey) ?
		       IBV_WC_LOC_PROT_ERR : IBV_WC_SUCCESS;
}

void *nic_through_window(const struct nic_qp *q, uint32_t key,
			 uint64_t address, uint64_t length,
			 unsigned int access)
{
	const struct nic_mw *w = find(key);

	if (!w || !w->bound || w->key != key ||
	    (w->access & access) != access ||
	    !is_inside(w, address, length) ||
	    (w->mw.type == IBV_MW_TYPE_2 && w->qpn != q->qp.qp_num))
		return NULL;
	return w->mr->bytes + (address - w->mr->iova);
}

void nic_set_window_ops(struct ibv_context_ops *ops)
{
	ops->alloc_mw = alloc_mw;
	ops->bind_mw = bind_mw;
	ops->dealloc_mw = dealloc_mw;
}
