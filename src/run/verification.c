#include "config.h"
#include "run/verification.h"

#include <errno.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "traffic/verify.h"

/* A fence that was not answered for so long is sent again; in ns. */
#define FENCE_AGAIN 2e7

enum { FROM_CLIENT = 1, FROM_SERVER };

static struct verify_qp *make_qps(const struct flow *f,
				  const struct plan *plan)
{
	struct verify_qp *qps = xcalloc(f->n_qps, sizeof(*qps));

	for (uint32_t i = 0; i < f->n_qps; i++) {
		qps[i].qp_num = f->qps[i].qp->qp_num;
		if (plan_is_fenced(plan) && op_has_imm(plan->op))
			qps[i].announced = xcalloc(plan_send_queue(plan),
						   sizeof(*qps[i].announced));
	}
	return qps;
}

void verification_begin(struct run *run, uint32_t t)
{
	const struct plan *plan = run->plan;
	uint64_t first = resources_first_qp(&run->res, t) * plan_stride(plan);
	bool pingpong = plan_is_pingpong(plan);
	struct flow *f = &run->flows[t];
	struct verifier *v;

	if (!plan->verify)
		return;
	v = xcalloc(1, sizeof(*v));
	*v = (struct verifier){
		.direction_out = run->client ? FROM_CLIENT : FROM_SERVER,
		.direction_in = run->client ? FROM_SERVER : FROM_CLIENT,
		.pingpong = pingpong,
		.answers = pingpong && !run->client,
		.fenced = plan_is_fenced(plan),
		.credits = plan_is_fenced(plan) && !pingpong,
		.incoming = !plan_sends(plan, !run->client) ? NULL :
			    resources_incoming(&run->res, plan) + first,
		.stride = plan_stride(plan),
		.capacity = plan_send_capacity(plan),
		.header = plan->transport == TRANSPORT_UD ? GRH_SIZE : 0,
		.patience = (uint64_t)(FENCE_AGAIN /
				       clock_ns_per_tick(&run->clock)),
		.qps = make_qps(f, plan),
	};
	f->verify = v;
}

int verification_end(struct run *run)
{
	const struct plan *plan = run->plan;
	int ret = 0;

	if (!plan->verify || !op_is_atomic(plan->op) ||
	    !plan_sends(plan, !run->client))
		return 0;
	for (uint32_t t = 0; t < run->n_flows && !ret; t++)
		ret = verify_counters(&run->flows[t]);
	return ret;
}

int verification_explain(struct run *run)
{
	const struct plan *plan = run->plan;

	for (uint32_t t = 0; t < run->n_flows; t++) {
		const struct flow *f = &run->flows[t];
		const struct verify_mismatch *m =
			f->verify ? &f->verify->mismatch : NULL;

		if (!m || !m->what)
			continue;
		return fail_code(
			&run->result->error, -EBADMSG, VERIFICATION_CODE,
			"the data was changed on its way, or put in the wrong "
			"place: look for memory, firmware and driver errors",
			"RDMA %s on QP 0x%06x: wrong %s in operation %llu of "
			"%llu bytes, at offset %llu: expected 0x%02llx, found "
			"0x%02llx", op_table[plan->op].name,
			f->qps[f->failure.qp_index].qp->qp_num, m->what,
			(unsigned long long)m->operation,
			(unsigned long long)f->shape.size,
			(unsigned long long)m->offset,
			(unsigned long long)m->expected,
			(unsigned long long)m->found);
	}
	return 0;
}

void verification_free(struct run *run)
{
	for (uint32_t t = 0; t < run->n_flows; t++) {
		struct verifier *v = run->flows[t].verify;

		for (uint32_t i = 0; v && i < run->flows[t].n_qps; i++)
			free(v->qps[i].announced);
		if (v)
			free(v->qps);
		free(v);
	}
}
