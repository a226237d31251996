/* Provokes faults of memory regions, memory windows and queue pair states. */
#include "config.h"
#include "inject/faults.h"

#include <errno.h>
#include <time.h>

#include "verbs/explain.h"
#include "verbs/qp.h"

/* The memory at ADDRESS: faults are provoked only in memory that is where its
 * addresses say. */
static const uint8_t *at(uint64_t address)
{
	return (const uint8_t *)(uintptr_t)address;
}

static void renew_key(struct run *run, struct flow_receive *r)
{
	r->sge.lkey = memory_mr(&run->res.memory, at(r->sge.addr))->lkey;
}

/* Make the prepared receives and sends use the keys of the new regions. */
static void renew_keys(struct run *run)
{
	const struct memory *m = &run->res.memory;

	for (uint32_t i = 0; i < run->res.n_qps; i++)
		run->res.qps[i].lkey =
			memory_mr(m, at(run->res.qps[i].local))->lkey;
	inject_change_receives(run, renew_key);
}

/* Register part I in PD with its original access flags, plus ALSO, minus
 * WITHOUT. */
static int renew_part(struct run *run, uint32_t i, struct ibv_pd *pd,
		      int also, int without)
{
	const struct plan *plan = run->plan;
	struct memory *m = &run->res.memory;
	uint32_t of_region = m->n_mrs / plan_regions(plan);
	int access = plan_access(plan, run->client, i / of_region) & ~without;
	struct ibv_mr *mr = m->ops->reg(m->allocation, pd, i * m->part,
					m->part, (unsigned int)(access | also));
	int ret;

	if (!mr)
		return inject_refused(run, "ibv_reg_mr", errno);
	ret = ibv_dereg_mr(m->mrs[i]);
	if (ret) {
		ibv_dereg_mr(mr);
		return inject_refused(run, "ibv_dereg_mr", ret);
	}
	m->mrs[i] = mr;
	return 0;
}

static int renew(struct run *run, struct ibv_pd *pd, int also, int without)
{
	int ret = 0;

	for (uint32_t i = 0; i < run->res.memory.n_mrs && !ret; i++)
		ret = renew_part(run, i, pd, also, without);
	renew_keys(run);
	return ret;
}

int inject_memory(struct run *run, int without)
{
	return renew(run, run->res.pd, 0, without);
}

int inject_other_domain(struct run *run)
{
	run->res.other_pd = ibv_alloc_pd(run->device->context);
	if (!run->res.other_pd)
		return inject_refused(run, "ibv_alloc_pd", errno);
	return renew(run, run->res.other_pd, 0, 0);
}

/* The region the peer writes to; of several, the first QP's. */
static struct ibv_mr *incoming_mr(const struct run *run)
{
	const uint8_t *incoming = resources_incoming(&run->res);

	return memory_mr(&run->res.memory, incoming);
}

/* The owner chooses the low byte of a type 2 window's key. */
int inject_memory_window(struct run *run)
{
	struct ibv_mw *window;
	int ret = renew(run, run->res.pd, IBV_ACCESS_MW_BIND, 0);

	if (ret)
		return ret;
	window = ibv_alloc_mw(run->res.pd, IBV_MW_TYPE_2);
	if (!window)
		return inject_refused(run, "ibv_alloc_mw", errno);
	run->res.memory_window = window;
	incoming_mr(run)->rkey = ibv_inc_rkey(window->rkey);
	return 0;
}

/* Post WR on the first QP and wait up to a second for its completion.  None of
 * the QP's own sends completes before it. */
static int carry_out(struct run *run, struct ibv_send_wr *wr, const char *verb)
{
	static const struct timespec pause = { .tv_nsec = 1000000 };
	struct ibv_cq *cq = run->res.queues[0].cqs[0].send;
	struct ibv_send_wr *bad;
	struct ibv_wc wc;
	int n, ret;

	wr->send_flags = IBV_SEND_SIGNALED;
	ret = ibv_post_send(run->res.qps[0].qp, wr, &bad);
	if (ret)
		return inject_refused(run, verb, ret);
	for (int ms = 0; !(n = ibv_poll_cq(cq, 1, &wc)) && ms < 1000; ms++)
		nanosleep(&pause, NULL);
	if (n > 0 && wc.status == IBV_WC_SUCCESS)
		return 0;
	return inject_refused(run,
			      n > 0 ? explain_status_name(wc.status) : verb,
			      n > 0 ? EIO : ETIMEDOUT);
}

int inject_bind_memory_window(struct run *run)
{
	struct ibv_mr *mr = incoming_mr(run);
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_BIND_MW,
		.bind_mw = {
			.mw = run->res.memory_window,
			.rkey = mr->rkey,
			.bind_info = {
				.mr = mr,
				.addr = (uintptr_t)mr->addr,
				.length = mr->length,
				.mw_access_flags = IBV_ACCESS_REMOTE_WRITE,
			},
		},
	};

	return carry_out(run, &wr, "IBV_WR_BIND_MW");
}

int inject_invalidate_memory_window(struct run *run)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_LOCAL_INV,
		.invalidate_rkey = incoming_mr(run)->rkey,
	};

	return carry_out(run, &wr, "IBV_WR_LOCAL_INV");
}

/* Move QP to INIT, without remote access. */
static int to_init(struct run *run, struct ibv_qp *qp)
{
	const struct plan *plan = run->plan;
	const struct qp_local local = {
		.transport = plan->transport,
		.qkey = run->res.qkey,
	};

	return qp_to_init(run->device, qp, &local, &run->result->error);
}

int inject_state(struct run *run, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = {
		.qp_state = state == IBV_QPS_ERR ? IBV_QPS_ERR : IBV_QPS_RESET,
	};
	int ret = 0;

	for (uint32_t i = 0; i < run->res.n_qps && !ret; i++) {
		struct ibv_qp *qp = run->res.qps[i].qp;

		ret = ibv_modify_qp(qp, &attr, IBV_QP_STATE);
		if (ret)
			return inject_refused(run, "ibv_modify_qp", ret);
		if (state == IBV_QPS_INIT)
			ret = to_init(run, qp);
	}
	return ret;
}

int inject_no_access(struct run *run)
{
	int ret = 0;

	for (uint32_t i = 0; i < run->res.n_qps && !ret; i++)
		ret = to_init(run, run->res.qps[i].qp);
	return ret;
}
