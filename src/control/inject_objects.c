#include "config.h"
#include "control/inject.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/inject.h"
#include "verbs/qp.h"

static int refused(struct session *s, const char *verb, int errnum)
{
	return fail(&s->result->error, -errnum, NULL, "--inject %s: %s: %s",
		    inject_find(s->result->params.plan.inject)->name, verb,
		    strerror(errnum));
}

/* Receives and sends that are prepared already name the new regions. */
static void renew_keys(struct session *s)
{
	const struct plan *plan = &s->result->params.plan;
	const uint32_t n = plan->verify ? plan->rx_depth :
					  plan->recv_post_list;
	const struct memory *m = &s->res.memory;

	for (uint32_t i = 0; i < s->res.n_qps; i++)
		s->res.qps[i].lkey =
			memory_mr(m, s->res.qps[i].local)->lkey;
	for (uint32_t t = 0; t < s->n_flows; t++)
		for (uint32_t i = 0; i < s->flows[t].n_receives; i++) {
			struct flow_receive *entries =
				s->flows[t].receives[i].entries;

			for (uint32_t k = 0; k < n; k++)
				entries[k].sge.lkey =
					memory_mr(m, entries[k].sge.addr)->lkey;
		}
}

/* Part I, for what it was registered for but WITHOUT. */
static int renew_part(struct session *s, uint32_t i, int without)
{
	const struct plan *plan = &s->result->params.plan;
	struct memory *m = &s->res.memory;
	uint32_t of_region = m->n_mrs / plan_regions(plan);
	int access = plan_access(plan, s->client, i / of_region) & ~without;
	struct ibv_mr *mr = ibv_reg_mr(s->res.pd, m->buffer + i * m->part,
				       m->part, (unsigned int)access);
	int ret;

	if (!mr)
		return refused(s, "ibv_reg_mr", errno);
	ret = ibv_dereg_mr(m->mrs[i]);
	if (ret) {
		ibv_dereg_mr(mr);
		return refused(s, "ibv_dereg_mr", abs(ret));
	}
	m->mrs[i] = mr;
	return 0;
}

int inject_memory(struct session *s, int without)
{
	int ret = 0;

	for (uint32_t i = 0; i < s->res.memory.n_mrs && !ret; i++)
		ret = renew_part(s, i, without);
	renew_keys(s);
	return ret;
}

static int to_init(struct session *s, struct ibv_qp *qp, int access)
{
	const struct plan *plan = &s->result->params.plan;
	const struct qp_local local = {
		.transport = (enum transport)plan->transport,
		.port = s->device->port.number,
		.pkey_index = (uint16_t)s->device->pkey_index,
		.access = access,
		.qkey = s->res.qkey,
	};

	return qp_to_init(s->device, qp, &local, &s->result->error);
}

int inject_state(struct session *s, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = {
		.qp_state = state == IBV_QPS_ERR ? IBV_QPS_ERR : IBV_QPS_RESET,
	};
	int ret = 0;

	for (uint32_t i = 0; i < s->res.n_qps && !ret; i++) {
		struct ibv_qp *qp = s->res.qps[i].qp;

		ret = ibv_modify_qp(qp, &attr, IBV_QP_STATE);
		if (ret)
			return refused(s, "ibv_modify_qp", abs(ret));
		if (state == IBV_QPS_INIT)
			ret = to_init(s, qp, 0);
	}
	return ret;
}

int inject_no_access(struct session *s)
{
	int ret = 0;

	for (uint32_t i = 0; i < s->res.n_qps && !ret; i++)
		ret = to_init(s, s->res.qps[i].qp, 0);
	return ret;
}
