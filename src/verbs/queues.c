/* Creates the completion queues and receives of the queue pairs of a thread. */
#include "config.h"
#include "verbs/queues.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>

#include "base/numbers.h"
#include "base/xalloc.h"
#include "traffic/allowance.h"
#include "verbs/advice.h"

/* A sleeping loop checks this often, in ms, whether it must end. */
#define CHECK_MS 10

static int arm(struct flow *f, struct ibv_cq *cq, bool solicited)
{
	int ret = ibv_req_notify_cq(cq, solicited);

	return ret ? flow_verb_failed(f, "ibv_req_notify_cq", 0, ret) : 0;
}

static int arm_all(struct flow *f)
{
	int ret = 0;

	for (uint32_t i = 0; i < f->n_cqs && !ret; i++)
		ret = arm(f, f->cqs[i].send, false) ?:
		      arm(f, f->cqs[i].recv, f->solicited);
	return ret;
}

static bool is_for_sends(const struct flow *f, const struct ibv_cq *cq)
{
	for (uint32_t i = 0; i < f->n_cqs; i++)
		if (f->cqs[i].send == cq)
			return true;
	return false;
}

static void take_events(struct flow *f)
{
	struct ibv_cq *cq;
	void *context;

	while (!ibv_get_cq_event(f->channel, &cq, &context)) {
		ibv_ack_cq_events(cq, 1);
		if (is_for_sends(f, cq))
			f->send_events++;
		else
			f->receive_events++;
	}
}

int sleep_wait(struct flow *f)
{
	struct pollfd fd = { .fd = f->channel->fd, .events = POLLIN };

	if (f->idle_polls == f->n_cqs)
		return arm_all(f);
	if (f->idle_polls < 2 * f->n_cqs)
		return 0;
	poll(&fd, 1, CHECK_MS);
	take_events(f);
	f->idle_polls = 0;
	return 0;
}

/* Make room for all WANTED completions if the device allows it.  There is
 * always room for the signaled ones, because plan_fit() has checked that. */
static int create_cq(const struct queues *q, uint64_t wanted, uint32_t vector,
		     const char *purpose, struct ibv_cq **cq,
		     struct error *err)
{
	const struct port *port = &q->device->port;
	uint64_t n = smaller(wanted ? wanted : 1, port->limits.max_cqe);

	*cq = ibv_create_cq(q->device->context, (int)n, NULL, q->channel,
			    (int)vector);
	if (*cq)
		return 0;
	return verb_failed(port, "ibv_create_cq", errno, err,
			   "cannot create a %s completion queue of %d entries",
			   purpose, (int)n);
}

static int create_cqs(struct queues *q, uint32_t vector, struct error *err)
{
	const struct plan *plan = q->plan;
	uint64_t qps = smaller(q->qps_per_cq, q->n_qps);
	bool posts = plan_sends(plan, q->client) || plan_sends_notices(plan);
	uint64_t sends = (posts ? qps * plan_send_capacity(plan) : 1) +
			 qps * plan_allowance_writes(plan, &q->device->port);
	uint64_t receives = plan_receive_depth(plan, q->client);
	int ret = 0;

	if (!plan_shares_receives(plan))
		receives *= qps;
	q->n_cqs = (q->n_qps + q->qps_per_cq - 1) / q->qps_per_cq;
	q->cqs = xcalloc(q->n_cqs, sizeof(*q->cqs));
	for (uint32_t i = 0; i < q->n_cqs && !ret; i++)
		ret = create_cq(q, sends, vector, "send", &q->cqs[i].send,
				err) ?:
		      create_cq(q, receives, vector, "receive",
				&q->cqs[i].recv, err);
	return ret;
}

int queues_check_vector(const struct device *device, uint32_t vector,
			struct error *err)
{
	int n = device->context->num_comp_vectors;

	if ((int)vector < (n > 0 ? n : 1))
		return 0;
	if (n <= 1)
		return fail(err, -EINVAL, NULL,
			    "--vector %u: %s has one completion vector, 0",
			    vector, device->port.device);
	return fail(err, -EINVAL, NULL,
		    "--vector %u: %s has completion vectors 0 to %d", vector,
		    device->port.device, n - 1);
}

static int create_channel(struct queues *q, struct error *err)
{
	q->channel = ibv_create_comp_channel(q->device->context);
	if (!q->channel)
		return verb_failed(&q->device->port, "ibv_create_comp_channel",
				   errno, err,
				   "cannot create a completion channel");
	fcntl(q->channel->fd, F_SETFL, O_NONBLOCK);
	return 0;
}

static int refused(const struct queues *q, const char *kind, uint32_t depth,
		   const char *advice, struct error *err)
{
	return fail_errno(err, errno, advice,
			  "%s: cannot create %s shared receive queue of %u",
			  q->device->port.device, kind, depth);
}

static int create_srq(struct queues *q, uint32_t depth, uint32_t entries,
		      struct error *err)
{
	struct ibv_srq_init_attr attr = {
		.attr = { .max_wr = depth, .max_sge = entries },
	};

	q->srq = ibv_create_srq(q->pd, &attr);
	if (q->srq)
		return 0;
	return refused(q, "a", depth, "use a smaller --rx-depth, or no --srq",
		       err);
}

/* Create the shared receive queue of XRC.  It has completions of its own, and
 * exists even if nothing is received: its protection domain decides what a peer
 * may access. */
static int create_xrc_srq(struct queues *q, uint32_t depth, uint32_t entries,
			  struct error *err)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = depth ? depth : 1,
			  .max_sge = entries ? entries : 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD |
			     IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC,
		.pd = q->pd,
		.xrcd = q->domain,
		.cq = q->cqs[0].recv,
	};
	int ret;

	q->srq = ibv_create_srq_ex(q->device->context, &attr);
	if (!q->srq)
		return refused(q, "an XRC", attr.attr.max_wr,
			       "use a smaller --rx-depth", err);
	ret = ibv_get_srq_num(q->srq, &q->srqn);
	if (!ret)
		return 0;
	return fail_errno(err, ret, NULL, "%s: cannot read the number of a "
			  "shared receive queue", q->device->port.device);
}

int queues_create(struct queues *q, uint32_t vector, struct error *err)
{
	const struct plan *plan = q->plan;
	const uint32_t entries = plan_receive_entries(plan, q->client);
	uint32_t depth = plan_receive_depth(plan, q->client);
	int ret = 0;

	q->qps_per_cq = plan_qps_per_cq(plan, q->client,
					&q->device->port.limits);
	if (plan->events)
		ret = queues_check_vector(q->device, vector, err) ?:
		      create_channel(q, err);
	ret = ret ?: create_cqs(q, plan->events ? vector : 0, err);
	if (!ret && q->domain)
		ret = create_xrc_srq(q, depth, entries, err);
	else if (!ret && depth && plan->srq)
		ret = create_srq(q, depth, entries, err);
	if (ret || !depth)
		return ret;
	q->n_receives = q->srq ? 1 : q->n_qps;
	q->receives = xcalloc_lines(q->n_receives, sizeof(*q->receives));
	return 0;
}

void queues_destroy(struct queues *q)
{
	if (q->srq)
		ibv_destroy_srq(q->srq);
	for (uint32_t i = 0; q->cqs && i < q->n_cqs; i++) {
		if (q->cqs[i].send)
			ibv_destroy_cq(q->cqs[i].send);
		if (q->cqs[i].recv)
			ibv_destroy_cq(q->cqs[i].recv);
	}
	if (q->channel)
		ibv_destroy_comp_channel(q->channel);
	for (uint32_t i = 0; i < q->n_receives; i++) {
		if (q->receives[i].words_mr)
			ibv_dereg_mr(q->receives[i].words_mr);
		free(q->receives[i].words);
		free(q->receives[i].entries);
		free(q->receives[i].scatter);
	}
	free(q->receives);
	free(q->cqs);
	*q = (struct queues){ 0 };
}

const struct flow_cqs *queues_of(const struct queues *q, uint32_t i)
{
	return &q->cqs[i / q->qps_per_cq];
}

/* Prepare one receive.  That of a send needs a buffer; that of a write with
 * immediate data only completes. */
static void prepare_entry(const struct plan *plan, uint64_t wr_id,
			  uint64_t address, uint32_t lkey,
			  struct ibv_sge *scatter, struct flow_receive *entry)
{
	const struct gather g = plan_receive(plan);

	*entry = (struct flow_receive){
		.wr = {
			.wr_id = wr_id,
			.sg_list = &entry->sge,
			.num_sge = !op_table[plan->op].access,
		},
		.sge = {
			.addr = address,
			.length = (uint32_t)plan_receive_size(plan),
			.lkey = lkey,
		},
	};
	if (!scatter)
		return;
	gather_fill(&g, address, lkey, scatter);
	entry->wr.sg_list = scatter;
	entry->wr.num_sge = (int)g.n;
}

struct flow_receives *queues_prepare(struct queues *q, uint32_t i,
				     struct ibv_qp *qp, uint64_t address,
				     uint32_t lkey)
{
	const struct plan *plan = q->plan;
	uint64_t step = plan->verify ? plan_receive_size(plan) : 0;
	uint32_t n = plan->verify ? plan->rx_depth : plan->recv_post_list;
	const uint32_t entries = plan_receive(plan).n;
	struct flow_receives *r;

	if (!q->n_receives)
		return NULL;
	r = &q->receives[q->srq ? 0 : i];
	if (r->entries)
		return r;
	*r = (struct flow_receives){
		.qp = q->srq ? NULL : qp,
		.srq = q->srq,
		.depth = plan->rx_depth,
		.list_length = plan->recv_post_list,
		.entries = xcalloc_lines(n, sizeof(*r->entries)),
	};
	/* or else they have one entry, or none */
	if (entries > 1 && !op_table[plan->op].access)
		r->scatter = xcalloc_lines((uint64_t)n * entries,
					   sizeof(*r->scatter));
	for (uint32_t k = 0; k < n; k++)
		prepare_entry(plan, (uint64_t)(r - q->receives) <<
					    FLOW_COUNT_BITS | k,
			      address + k * step, lkey,
			      r->scatter ? &r->scatter[k * entries] : NULL,
			      &r->entries[k]);
	return r;
}

int queues_give_words(const struct queues *q, struct flow_receives *r,
		      struct error *err)
{
	const uint32_t n = q->plan->rx_depth;

	if (r->words)
		return 0;
	r->words = xcalloc(n, sizeof(*r->words));
	r->words_mr = ibv_reg_mr(q->pd, r->words, n * sizeof(*r->words),
				 IBV_ACCESS_LOCAL_WRITE);
	if (!r->words_mr)
		return verb_failed(&q->device->port, "ibv_reg_mr", errno, err,
				   "cannot register %u receives", n);
	for (uint32_t k = 0; k < n; k++) {
		r->entries[k].wr.num_sge = 1;
		r->entries[k].sge = (struct ibv_sge){
			.addr = (uintptr_t)&r->words[k],
			.length = sizeof(*r->words),
			.lkey = r->words_mr->lkey,
		};
	}
	return 0;
}
