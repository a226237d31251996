/* Makes, connects, uses and destroys one connection of the test connect. */
#include "config.h"
#include "control/link.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/numbers.h"
#include "base/time.h"
#include "base/xalloc.h"
#include "control/op.h"
#include "stats/histogram.h"
#include "verbs/advice.h"
#include "verbs/explain.h"
#include "verbs/qp.h"

/* Report a failed creation, with other advice than usual: a queue pair of one
 * request cannot be smaller. */
static int no_qp(const struct link_end *end, int errnum, struct error *err)
{
	const struct port *port = &end->device->port;

	if (errnum != ENOMEM && errnum != EINVAL)
		return verb_failed(port, "ibv_create_qp", errnum, err,
				   "cannot create a queue pair");
	return fail_errno(err, errnum, "it may be the device's limit (max_qp), "
			  "or that on locked memory (ulimit -l)",
			  "%s: cannot create a queue pair", port->device);
}

int link_open(struct link_end *end, struct error *err)
{
	int ret = pd_alloc(end->device, &end->pd, err);

	if (ret)
		return ret;
	end->cq = ibv_create_cq(end->device->context, LINK_COMPLETIONS, NULL,
				NULL, 0);
	if (end->cq)
		return 0;
	return verb_failed(&end->device->port, "ibv_create_cq", errno, err,
			   "cannot create a completion queue");
}

void link_close(struct link_end *end)
{
	if (end->cq)
		ibv_destroy_cq(end->cq);
	if (end->pd)
		ibv_dealloc_pd(end->pd);
	free(end->took);
	end->took = NULL;
	end->cq = NULL;
	end->pd = NULL;
}

uint64_t link_answered(struct link_end *end, uint64_t n, uint64_t began)
{
	if (!end->took) {
		end->took = histogram_new();
		end->began = began;
	}
	end->ended = time_now();
	end->most = larger(end->most, n);
	histogram_record(end->took, end->ended - began);
	return end->ended - began;
}

void link_report(const struct link_end *end, struct result *r, bool failed)
{
	struct result_row *row = &r->rows[r->n_rows];
	struct control_row *c;

	if (!end->took)
		return;
	r->n_rows++;
	/* the client does not send its pattern */
	r->params.pattern = end->most > 1 ? CONTROL_HOLD : CONTROL_CHURN;
	row->failed = failed;
	row->total.iterations = end->took->count;
	row->total.seconds = (double)(end->ended - end->began) / 1e9;
	row->total.bandwidth = summary_bandwidth(0, 0, 0);
	row->latency = summary_latency(end->took, 1);
	row->control = c = xcalloc(1, sizeof(*c));
	*c = (struct control_row){
		.most = end->most,
		.per_second = (double)row->total.iterations /
			      row->total.seconds,
		.pinned_gb_per_s = NAN,
		.n_parts = 1,
		.parts = { { .name = "server", .latency = row->latency } },
		.wall_ns = NAN, .cpu_ns = NAN, .user_ns = NAN, .system_ns = NAN,
	};
	if (r->observer) {
		r->observer->begin(r->observer, r);
		r->observer->row(r->observer, r, row);
	}
}

static int prepare(const struct link_end *end, struct link *link,
		   struct error *err)
{
	struct ibv_sge nothing = { .length = 0 };
	/* siw wants an entry */
	struct ibv_recv_wr receive = {
		.sg_list = &nothing,
		.num_sge = end->device->port.iwarp,
	}, *bad;
	const struct qp_local local = {
		.transport = TRANSPORT_RC,
	};
	int ret = qp_to_init(end->device, link->qp, &local, err);

	if (ret || end->client)
		return ret;
	ret = ibv_post_recv(link->qp, &receive, &bad);
	return ret ? verb_failed(&end->device->port, "ibv_post_recv", ret, err,
				 "cannot post a receive") : 0;
}

int link_make(const struct link_end *end, struct link *link, struct error *err)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = end->cq,
		.recv_cq = end->cq,
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};
	int ret;

	if (getrandom(&link->psn, sizeof(link->psn), 0) != sizeof(link->psn))
		return fail(err, -EIO, NULL, "cannot get random numbers");
	link->psn &= ENDPOINT_QPN_MAX;
	link->qp = ibv_create_qp(end->pd, &attr);
	if (!link->qp)
		return no_qp(end, errno, err);
	ret = prepare(end, link, err);
	if (ret)
		ibv_destroy_qp(link->qp);
	return ret;
}

int link_connect(const struct link_end *end, struct link *link,
		 const struct endpoint_qp *peer, struct error *err)
{
	const struct qp_remote remote = {
		.path = end->path,
		.psn = link->psn,
		.client = end->client,
		.peer = *peer,
	};

	return qp_connect(end->device, link->qp, end->plan, &remote, err);
}

int link_connect_found(const struct link_end *end, struct link *link,
		       const struct resources_link *found, struct error *err)
{
	const struct qp_remote remote = {
		.path = end->path,
		.psn = found->sq_psn,
		.client = end->client,
		.peer = { .qpn = found->qpn, .psn = found->rq_psn },
		.av = &found->av,
	};

	return qp_connect(end->device, link->qp, end->plan, &remote, err);
}

void link_drain(const struct link_end *end)
{
	struct ibv_wc wc[16];

	while (ibv_poll_cq(end->cq, 16, wc) > 0)
		;
}

/* Wait for a completion: nothing else is under way at this end. */
static int wait(const struct link_end *end, struct ibv_wc *wc,
		struct error *err)
{
	const uint64_t deadline = time_after(end->plan->timeout);

	for (uint32_t i = 1;; i++) {
		int n = ibv_poll_cq(end->cq, 1, wc);

		if (n < 0)
			return verb_failed(&end->device->port, "ibv_poll_cq",
					   EIO, err,
					   "cannot poll for a completion");
		if (n)
			return 0;
		if (i % CONTROL_POLLS == 0 && !time_until(deadline))
			return fail(err, -ETIMEDOUT, NULL,
				    "the first message was not acknowledged "
				    "within %.6g s",
				    (double)end->plan->timeout /
					    (double)SECOND);
	}
}

int link_send(const struct link_end *end, struct link *link, struct error *err)
{
	struct ibv_send_wr *bad, wr = {
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};
	struct ibv_wc wc;
	int ret = ibv_post_send(link->qp, &wr, &bad);

	if (ret)
		return verb_failed(&end->device->port, "ibv_post_send", ret,
				   err, "cannot post a send");
	ret = wait(end, &wc, err);
	if (ret || !wc.status)
		return ret;
	return fail_code(err, -EIO, explain_status_name(wc.status),
			 "check the path between both GIDs",
			 "the first message on QP 0x%06x: completion with %s "
			 "(%d)", link->qp->qp_num,
			 explain_status_name(wc.status), wc.status);
}

struct endpoint link_describe(const struct link_end *end,
			      const struct link *link, struct endpoint_qp *qp)
{
	const struct path *path = end->path;

	*qp = (struct endpoint_qp){
		.qpn = link->qp ? link->qp->qp_num : 0,
		.psn = link->psn,
	};
	/* the peer may access no memory */
	return (struct endpoint){
		.lid = end->device->port.lid,
		.gid = path->local.raw,
		.gid_type = path->local.type,
		.gid_index = path->local.index,
		.peer_gid_index = path->remote.index,
		.global = path->global,
		.mtu = path->mtu,
		.length = 1,
		.stride = 1,
		.n = 1,
		.qps = qp,
	};
}

int link_destroy(const struct link_end *end, struct link *link,
		 struct error *err)
{
	int ret = ibv_destroy_qp(link->qp);

	link->qp = NULL;
	return ret ? verb_failed(&end->device->port, "ibv_destroy_qp", ret,
				 err, "cannot destroy a queue pair") : 0;
}
