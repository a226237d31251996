#include "config.h"
#include "verbs/resources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/xalloc.h"
#include "verbs/qp.h"

/* Room for every completion if the device has it, for the signalled ones in
 * any case: plan_fit() has checked that. */
static int create_cq(const struct device *device, uint64_t wanted,
		     const char *purpose, struct ibv_cq **cq,
		     struct error *err)
{
	uint64_t most = device->port.limits.max_cqe;
	int entries = (int)(wanted < most ? wanted : most);

	*cq = ibv_create_cq(device->context, entries ? entries : 1, NULL, NULL,
			    0);
	if (*cq)
		return 0;
	return fail(err, -errno, NULL,
		    "%s: cannot create a %s completion queue of %d entries: %s",
		    device->port.device, purpose, entries, strerror(errno));
}

static bool end_sends(const struct plan *plan, bool client)
{
	return client || plan_is_pingpong(plan);
}

static uint32_t receive_depth(const struct plan *plan, bool client)
{
	return plan_posts_receives(plan, client) ? plan->rx_depth : 0;
}

uint32_t resources_first_qp(const struct resources *res, uint32_t t)
{
	return (uint32_t)((uint64_t)t * res->n_qps / res->n_threads);
}

static int create_cqs(const struct device *device, const struct plan *plan,
		      bool client, struct resources *res, struct error *err)
{
	uint64_t qps = (plan->qps + plan->threads - 1) / plan->threads;
	uint64_t sends = end_sends(plan, client) ?
				 qps * plan_send_queue(plan) : 1;
	uint64_t receives = qps * receive_depth(plan, client);
	int ret = 0;

	res->n_threads = plan->threads;
	res->cqs = xcalloc(plan->threads, sizeof(*res->cqs));
	for (uint32_t t = 0; t < plan->threads && !ret; t++) {
		ret = create_cq(device, sends, "send", &res->cqs[t].send, err);
		if (!ret)
			ret = create_cq(device, receives, "receive",
					&res->cqs[t].recv, err);
	}
	return ret;
}

/* Room for the sends that each QP's lists are made of, size by size. */
static void allocate_requests(const struct plan *plan, struct resources *res)
{
	size_t length = flow_requests(plan->post_list);
	size_t lists = (size_t)res->n_qps * FLOW_LISTS;

	res->requests = xcalloc(lists * length, sizeof(*res->requests));
	for (size_t i = 0; i < lists; i++)
		res->qps[i / FLOW_LISTS].lists[i % FLOW_LISTS].requests =
			&res->requests[i * length];
}

/* The parts of Q's work requests that never change. */
static void prepare_requests(const struct resources *res,
			     const struct plan *plan, uint32_t index,
			     uint32_t first, struct flow_qp *q)
{
	uint64_t offset = plan_stride(plan) * index;
	uint64_t incoming = (uintptr_t)resources_incoming(res, plan) + offset;

	q->tag = (uint64_t)(index - first) << FLOW_COUNT_BITS;
	q->local = (uintptr_t)res->memory.buffer + offset;
	q->lkey = memory_mr(&res->memory, q->local)->lkey;
	q->recv_sge = (struct ibv_sge){
		.addr = incoming,
		.length = (uint32_t)plan_stride(plan),
		.lkey = memory_mr(&res->memory, incoming)->lkey,
	};
	q->recv_wr.wr_id = q->tag;
	q->recv_wr.sg_list = &q->recv_sge;
	q->recv_wr.num_sge = 1;
}

/* The QPs that thread T serves. */
static int create_thread_qps(const struct device *device,
			     const struct plan *plan, bool client, uint32_t t,
			     struct resources *res, struct error *err)
{
	const struct qp_parts parts = {
		.pd = res->pd,
		.send_cq = res->cqs[t].send,
		.recv_cq = res->cqs[t].recv,
		.send_depth = end_sends(plan, client) ?
				      plan_send_queue(plan) : 1,
		.receive_depth = receive_depth(plan, client),
		.op = plan->op,
		.sends = end_sends(plan, client),
	};
	uint32_t first = resources_first_qp(res, t);
	uint32_t end = resources_first_qp(res, t + 1);
	int ret = 0;

	for (uint32_t i = first; i < end && !ret; i++) {
		struct flow_qp *q = &res->qps[i];

		ret = qp_create(device, &parts, &res->method, &q->qp, &q->qpx,
				err);
		if (ret)
			break;
		ret = qp_to_init(device, q->qp, plan_access(plan, client),
				 err);
		prepare_requests(res, plan, i, first, q);
	}
	return ret;
}

static int create_qps(const struct device *device, const struct plan *plan,
		      bool client, struct resources *res, struct error *err)
{
	int ret = 0;

	res->n_qps = plan->qps;
	res->method = (enum post_method)plan->post;
	res->qps = xcalloc(plan->qps, sizeof(*res->qps));
	res->psns = xcalloc(plan->qps, sizeof(*res->psns));
	if (end_sends(plan, client))
		allocate_requests(plan, res);
	for (uint32_t t = 0; t < plan->threads && !ret; t++)
		ret = create_thread_qps(device, plan, client, t, res, err);
	return ret;
}

/* A PSN must not be guessed from a former connection's. */
static int choose_psns(struct resources *res, struct error *err)
{
	for (uint32_t i = 0; i < res->n_qps; i++) {
		if (getrandom(&res->psns[i], sizeof(*res->psns), 0) !=
		    sizeof(*res->psns))
			return fail(err, -EIO, NULL,
				    "cannot get random numbers");
		res->psns[i] &= ENDPOINT_QPN_MAX;
	}
	return 0;
}

int resources_create(const struct device *device, const struct plan *plan,
		     bool client, struct resources *res, struct error *err)
{
	struct resources r = { .pd = ibv_alloc_pd(device->context) };
	int ret = 0;

	if (!r.pd)
		ret = fail(err, -errno, NULL,
			   "%s: cannot allocate a protection domain: %s",
			   device->port.device, strerror(errno));
	if (!ret)
		ret = memory_create(device, r.pd, plan,
				    plan_access(plan, client),
				    plan_memory(plan),
				    plan->qps * plan_regions(plan), &r.memory,
				    err);
	if (!ret)
		ret = create_cqs(device, plan, client, &r, err);
	if (!ret)
		ret = create_qps(device, plan, client, &r, err);
	if (!ret)
		ret = choose_psns(&r, err);
	if (ret)
		resources_destroy(&r);
	else
		*res = r;
	return ret;
}

void resources_destroy(struct resources *res)
{
	for (uint32_t i = 0; res->qps && i < res->n_qps; i++)
		if (res->qps[i].qp)
			ibv_destroy_qp(res->qps[i].qp);
	for (uint32_t t = 0; res->cqs && t < res->n_threads; t++) {
		if (res->cqs[t].send)
			ibv_destroy_cq(res->cqs[t].send);
		if (res->cqs[t].recv)
			ibv_destroy_cq(res->cqs[t].recv);
	}
	memory_destroy(&res->memory);
	if (res->pd)
		ibv_dealloc_pd(res->pd);
	free(res->cqs);
	free(res->qps);
	free(res->requests);
	free(res->psns);
	memset(res, 0, sizeof(*res));
}

uint8_t *resources_incoming(const struct resources *res,
			    const struct plan *plan)
{
	uint64_t region = plan_stride(plan) * plan->qps;

	return res->memory.buffer + (plan_regions(plan) - 1) * region;
}

void resources_describe(const struct resources *res, const struct plan *plan,
			const struct device *device, const struct path *path,
			struct endpoint *endpoint)
{
	const uint64_t va = (uintptr_t)resources_incoming(res, plan);

	*endpoint = (struct endpoint){
		.lid = device->port.lid,
		.gid = path->local.raw,
		.gid_type = path->local.type,
		.gid_index = path->local.index,
		.peer_gid_index = path->remote.index,
		.global = path->global,
		.mtu = path->mtu,
		.va = va,
		.length = plan_stride(plan) * plan->qps,
		.stride = plan_stride(plan),
		.n = res->n_qps,
		.qps = xcalloc(res->n_qps, sizeof(*endpoint->qps)),
	};
	for (uint32_t i = 0; i < res->n_qps; i++)
		endpoint->qps[i] = (struct endpoint_qp){
			.qpn = res->qps[i].qp->qp_num,
			.psn = res->psns[i],
			.rkey = memory_mr(&res->memory,
					  va + endpoint->stride * i)->rkey,
		};
}

int resources_connect(struct resources *res, const struct device *device,
		      const struct plan *plan, const struct path *path,
		      const struct endpoint *peer, struct error *err)
{
	for (uint32_t i = 0; i < res->n_qps; i++) {
		struct flow_qp *q = &res->qps[i];
		int ret;

		q->remote = peer->va + peer->stride * i;
		q->rkey = peer->qps[i].rkey;
		ret = qp_connect(device, q->qp, plan, path, res->psns[i],
				 &peer->qps[i], err);
		if (ret)
			return ret;
	}
	return 0;
}
