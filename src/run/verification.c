/* Gives --verify its plan in each thread, and explains what it found. */
#include "config.h"
#include "run/run.h"

#include <errno.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "traffic/verify.h"

/* ns after which an unanswered notice is sent again. */
#define NOTICE_AGAIN 2e7

enum { FROM_CLIENT = 1, FROM_SERVER };

static struct verify_qp *make_qps(const struct flow *f, const struct plan *plan)
{
	struct verify_qp *qps = xcalloc(f->n_qps, sizeof(*qps));

	for (uint32_t i = 0; i < f->n_qps; i++) {
		qps[i].qp_num = flow_qpn(&f->qps[i], true);
		if (plan_sends_notices(plan) && op_has_imm(plan->op))
			qps[i].announced = xcalloc(plan_send_queue(plan),
						   sizeof(*qps[i].announced));
	}
	return qps;
}

/* What the host adds to an address of the device to get its own, from HOST
 * on. */
static uint64_t shift_of(const struct resources *res, const uint8_t *host)
{
	return (uintptr_t)host - memory_address(&res->memory, host);
}

void verification_begin(const struct run *run, uint32_t t)
{
	const struct resources *res = &run->res;
	const struct plan *plan = run->plan;
	const bool client = run->client;
	struct flow *f = &run->flows[t];
	uint64_t first = resources_first_qp(res, t) * plan_stride(plan);
	const uint64_t header = plan_is_datagram(plan) ? GRH_SIZE : 0;
	bool pingpong = plan_is_pingpong(plan);

	if (!plan->verify)
		return;
	f->credits = plan_sends_notices(plan) && !pingpong;
	f->verify = xcalloc(1, sizeof(*f->verify));
	*f->verify = (struct verifier){
		.direction_out = client ? FROM_CLIENT : FROM_SERVER,
		.direction_in = client ? FROM_SERVER : FROM_CLIENT,
		.pingpong = pingpong,
		.answers = pingpong && !client,
		.notices = plan_sends_notices(plan),
		.words = res->words,
		.incoming = plan_sends(plan, !client) ?
				    resources_incoming(res) + first :
				    NULL,
		.stride = plan_stride(plan),
		.capacity = plan_send_capacity(plan),
		.header = header,
		/* that of a proof of the address, which may come late */
		.length = CHALLENGE_SIZE + header,
		.resend_after = (uint64_t)(NOTICE_AGAIN /
				       clock_ns_per_tick(f->clock)),
		.shift_out = shift_of(res, res->memory.buffer),
		.shift_in = shift_of(res, resources_incoming(res)),
		.scratch = f->copier || plan->sge > 1 ?
				   xcalloc(1, plan_stride(plan)) : NULL,
		.qps = make_qps(f, plan),
	};
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

static int explain(const struct run *run, const struct flow *f,
		   const struct verify_mismatch *m)
{
	const struct op_info *op = &op_table[run->plan->op];

	return fail_code(
		&run->result->error, -EBADMSG, VERIFICATION_CODE,
		"the data was changed on its way, or put in the wrong place: "
		"look for memory, firmware and driver errors",
		"RDMA %s on QP 0x%06x: wrong %s in operation %llu of %llu "
		"bytes, at offset %llu: expected 0x%02llx, found 0x%02llx",
		op->name,
		flow_qpn(&f->qps[f->failure.qp_index], !op->fetches), m->what,
		(unsigned long long)m->operation,
		(unsigned long long)f->shape.size,
		(unsigned long long)m->offset,
		(unsigned long long)m->expected,
		(unsigned long long)m->found);
}

int verification_explain(const struct run *run)
{
	for (uint32_t t = 0; t < run->n_flows; t++) {
		const struct flow *f = &run->flows[t];

		if (f->verify && f->verify->mismatch.what)
			return explain(run, f, &f->verify->mismatch);
	}
	return 0;
}

void verification_free(struct flow *f)
{
	struct verifier *v = f->verify;

	if (!v)
		return;
	for (uint32_t i = 0; i < f->n_qps; i++)
		free(v->qps[i].announced);
	free(v->qps);
	free(v->scratch);
	free(v);
	f->verify = NULL;
}
