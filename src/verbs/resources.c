/* Creates, connects and destroys the verbs objects of one run. */
#include "config.h"
#include "verbs/resources.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/log.h"
#include "base/numbers.h"
#include "base/xalloc.h"
#include "traffic/allowance.h"
#include "verbs/advice.h"

uint32_t resources_first_qp(const struct resources *res, uint32_t t)
{
	return (uint32_t)((uint64_t)t * res->n_qps / res->n_threads);
}

/* Give each request of QP I's send list room for its entries.  Such a list has
 * no copies. */
static void give_entries(const struct resources *res, uint32_t i)
{
	const struct plan *plan = res->plan;

	for (uint32_t k = 0; k < plan->post_list; k++)
		res->qps[i].requests[k].wr.sg_list =
			res->entries +
			((uint64_t)i * plan->post_list + k) * plan->sge;
}

/* Allocate the requests of each QP's send list, which are rebuilt for each
 * size.  A loop writes to them for every message, so no two QPs share a cache
 * line. */
static void allocate_requests(struct resources *res)
{
	const struct plan *plan = res->plan;
	size_t length = flow_requests(plan_longest_list(plan));

	if (plan->sge > 1)
		res->entries = xcalloc_lines(
			(uint64_t)res->n_qps * plan->post_list,
			plan->sge * sizeof(struct ibv_sge));
	for (uint32_t i = 0; i < res->n_qps; i++) {
		res->qps[i].requests =
			xcalloc_lines(length, sizeof(struct flow_request));
		if (res->entries)
			give_entries(res, i);
	}
}

/* Set what the work requests of each size are made of (traffic/prepare.c), and
 * prepare the receives.  Q is QP I of QUEUES. */
static void prepare_qp(const struct resources *res, struct queues *queues,
		       uint32_t i, struct flow_qp *q)
{
	const struct memory *m = &res->memory;
	uint64_t offset = plan_stride(res->plan) * (uint64_t)(q - res->qps);
	uint8_t *outgoing = m->buffer + offset;
	uint8_t *incoming = resources_incoming(res) + offset;

	q->tag = (uint64_t)i << FLOW_COUNT_BITS;
	q->local = memory_address(m, outgoing);
	q->lkey = memory_mr(m, outgoing)->lkey;
	q->receives = queues_prepare(queues, i, q->qp,
				     memory_address(m, incoming),
				     memory_mr(m, incoming)->lkey);
}

/* Create the QP that receives what the peer sends to Q over XRC. */
static int create_target(const struct resources *res, struct flow_qp *q,
			 struct error *err)
{
	const struct device *device = res->device;
	const struct qp_local local = {
		.transport = res->plan->transport,
		.target = true,
		.access = plan_qp_access(res->plan, res->client),
	};

	return qp_create_target(device, local.transport, res->domain,
				&q->target, err) ?:
	       qp_to_init(device, q->target, &local, err);
}

/* Create one QP; res->inline_size becomes what was granted. */
static int create_qp(struct resources *res, const struct queues *queues,
		     uint32_t i, struct flow_qp *q, struct error *err)
{
	const struct device *device = res->device;
	const struct plan *plan = res->plan;
	const bool client = res->client;
	const bool sends = plan_sends(plan, client);
	const bool posts = sends || plan_sends_notices(plan);
	const bool targets = plan_has_targets(plan);
	const struct qp_parts parts = {
		.pd = res->pd,
		.send_cq = queues_of(queues, i)->send,
		.recv_cq = targets ? NULL : queues_of(queues, i)->recv,
		.srq = targets ? NULL : queues->srq,
		.transport = plan->transport,
		.send_depth = (posts ? plan_send_capacity(plan) : 1) +
			      plan_allowance_writes(plan, &device->port),
		.receive_depth = plan_receive_depth(plan, client),
		/* not every provider accepts a queue of no entries */
		.send_entries = plan_send_entries(plan, client) ?: 1,
		.receive_entries = plan_receive_entries(plan, client) ?: 1,
		.op = plan->op,
		.sends = sends,
	};
	const struct qp_local local = {
		.transport = parts.transport,
		.access = targets ? 0 : plan_qp_access(plan, client),
		.qkey = res->qkey,
	};
	uint32_t inline_size = (uint32_t)larger(
		res->inline_size, res->words ? sizeof(uint32_t) : 0);
	int ret = qp_create(device, &parts, &res->method, &inline_size, &q->qp,
			    &q->qpx, err) ?:
		  qp_to_init(device, q->qp, &local, err);

	res->inline_size = (uint32_t)smaller(res->inline_size, inline_size);
	if (!ret && targets)
		ret = create_target(res, q, err);
	return ret;
}

/* Successive threads use successive completion vectors. */
static int create_thread(struct resources *res, uint32_t vector, uint32_t t,
			 struct error *err)
{
	const int vectors = res->device->context->num_comp_vectors;
	uint32_t first = resources_first_qp(res, t);
	uint32_t n = resources_first_qp(res, t + 1) - first;
	struct queues *queues = &res->queues[t];
	int ret;

	if (t && vectors > 0)
		vector = (vector + t) % (uint32_t)vectors;
	*queues = (struct queues){
		.device = res->device,
		.pd = res->pd,
		.domain = res->domain,
		.plan = res->plan,
		.client = res->client,
		.n_qps = n,
	};
	ret = queues_create(queues, vector, err);
	for (uint32_t i = 0; i < n && !ret; i++) {
		struct flow_qp *q = &res->qps[first + i];

		ret = create_qp(res, queues, i, q, err);
		if (!ret)
			prepare_qp(res, queues, i, q);
		if (!ret && res->words && q->receives)
			ret = queues_give_words(queues, q->receives, err);
	}
	return ret;
}

/* Say that the device grants less inline data than was ASKED for, which is not
 * the default of a latency. */
static void tell_inline(const struct resources *res, uint32_t asked)
{
	const struct plan *plan = res->plan;

	if (plan->inline_size == PLAN_AUTO || res->inline_size >= asked)
		return;
	log_warning("--inline %u: %s grants %u bytes with a send queue of %u%s; "
		    "longer messages are not inline", asked,
		    res->device->port.device, res->inline_size,
		    plan_send_capacity(plan),
		    plan->sge > 1 ? " and these --sge" : "");
}

static int create_qps(struct resources *res, uint32_t vector, struct error *err)
{
	const struct plan *plan = res->plan;
	bool sends = plan_sends(plan, res->client);
	uint32_t asked;
	int ret = 0;

	res->n_qps = plan_qps(plan, res->client);
	res->n_threads = plan->threads;
	/* several entries go by ibv_post_send(): the library of Soft-RoCE, in
	 * rdma-core until 2026, miscounts their bytes in ibv_wr_set_sge_list()
	 * and ibv_wr_set_inline_data_list() */
	res->method = plan->post == POST_AUTO && plan->sge > 1 ? POST_LEGACY :
								 plan->post;
	res->words = res->device->port.iwarp && plan_sends_notices(plan);
	/* the host would have to read what is sent inline */
	res->inline_size = sends && !res->memory.copier ? plan_inline(plan) : 0;
	asked = res->inline_size;
	res->qps = xcalloc_lines(res->n_qps, sizeof(*res->qps));
	res->psns = xcalloc(res->n_qps, sizeof(*res->psns));
	res->queues = xcalloc(plan->threads, sizeof(*res->queues));
	if (sends)
		allocate_requests(res);
	for (uint32_t t = 0; t < plan->threads && !ret; t++)
		ret = create_thread(res, vector, t, err);
	if (!ret)
		tell_inline(res, asked);
	return ret;
}

/* Set NUMBER to random bits within MASK. */
static int choose(uint32_t *number, uint32_t mask, struct error *err)
{
	if (getrandom(number, sizeof(*number), 0) != sizeof(*number))
		return fail(err, -EIO, NULL, "cannot get random numbers");
	*number &= mask;
	return 0;
}

/* Choose random PSNs, so that nobody can guess one from an earlier
 * connection. */
static int choose_psns(struct resources *res, struct error *err)
{
	int ret = 0;

	for (uint32_t i = 0; i < res->n_qps && !ret; i++)
		ret = choose(&res->psns[i], ENDPOINT_QPN_MAX, err);
	return ret;
}

/* Choose a random Q_Key: whoever knows the Q_Key of UD can send messages in. */
static int choose_qkey(struct resources *res, struct error *err)
{
	res->qkey = res->plan->qkey;
	if (!plan_is_datagram(res->plan) || res->qkey)
		return 0;
	return choose(&res->qkey, ENDPOINT_QKEY_MAX, err);
}

/* Open an XRC domain of its own: no other process receives messages in it. */
static int open_domain(struct resources *res, struct error *err)
{
	struct ibv_xrcd_init_attr attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1,
		.oflags = O_CREAT,
	};

	if (!plan_has_targets(res->plan))
		return 0;
	res->domain = ibv_open_xrcd(res->device->context, &attr);
	if (res->domain)
		return 0;
	return fail_errno(err, errno, "use -c RC",
			  "%s: cannot open an XRC domain",
			  res->device->port.device);
}

/* Let the peer say how many receives each queue pair has there. */
static int make_allowances(struct resources *res, struct error *err)
{
	const size_t size = sizeof(*res->allowances);

	if (!plan_allowance_writes(res->plan, &res->device->port))
		return 0;
	res->allowances = xcalloc_lines(res->n_qps, size);
	res->allowances_mr = ibv_reg_mr(res->pd, res->allowances,
					res->n_qps * size,
					IBV_ACCESS_LOCAL_WRITE |
						IBV_ACCESS_REMOTE_WRITE);
	if (res->allowances_mr)
		return 0;
	return verb_failed(&res->device->port, "ibv_reg_mr", errno, err,
			   "cannot register %u counters", res->n_qps);
}

/* QP I of RES is connected to QP K of PEER. */
static void connect_allowance(const struct resources *res,
			      const struct endpoint *peer, uint32_t i,
			      uint32_t k)
{
	const uint32_t depth = res->plan->rx_depth;
	struct allowance *a = res->allowances ? &res->allowances[i] : NULL;

	if (!a || !peer->allowances)
		return;
	/* posted before the connection */
	res->qps[i].allowed = depth + 1;
	a->told = depth;
	a->step = larger(depth / 4, 1);
	a->sge = (struct ibv_sge){
		.addr = (uintptr_t)&a->ours,
		.length = sizeof(a->ours),
		.lkey = res->allowances_mr->lkey,
	};
	a->remote = peer->allowances + k * sizeof(*a);
	a->rkey = peer->allowances_rkey;
}

int resources_create(const struct device *device, const struct plan *plan,
		     bool client, const struct memory_choice *choice,
		     uint32_t vector, struct resources *res, struct error *err)
{
	struct resources r = {
		.device = device,
		.plan = plan,
		.client = client,
	};
	int ret = pd_alloc(device, &r.pd, err) ?:
		  memory_create(device, r.pd, plan, client, choice, &r.memory,
				err) ?:
		  choose_qkey(&r, err) ?:
		  open_domain(&r, err) ?:
		  create_qps(&r, vector, err) ?:
		  make_allowances(&r, err) ?:
		  choose_psns(&r, err);

	if (!ret && plan_is_unreliable(plan))
		ret = challenge_create(&r, err);
	if (ret)
		resources_destroy(&r);
	else
		*res = r;
	return ret;
}

void resources_stop(struct resources *res)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	for (uint32_t i = 0; res->qps && i < res->n_qps; i++) {
		if (res->qps[i].qp)
			ibv_modify_qp(res->qps[i].qp, &attr, IBV_QP_STATE);
		if (res->qps[i].target)
			ibv_modify_qp(res->qps[i].target, &attr, IBV_QP_STATE);
	}
}

void resources_destroy(struct resources *res)
{
	if (res->memory_window)
		ibv_dealloc_mw(res->memory_window);
	multicast_leave(&res->multicast, res->qps);
	for (uint32_t i = 0; res->qps && i < res->n_qps; i++) {
		if (res->qps[i].qp)
			ibv_destroy_qp(res->qps[i].qp);
		if (res->qps[i].target)
			ibv_destroy_qp(res->qps[i].target);
		free(res->qps[i].requests);
	}
	while (res->addresses.n)
		ibv_destroy_ah(res->addresses.list[--res->addresses.n].ah);
	challenge_destroy(&res->challenge);
	for (uint32_t t = 0; res->queues && t < res->n_threads; t++)
		queues_destroy(&res->queues[t]);
	if (res->domain)
		ibv_close_xrcd(res->domain);
	memory_destroy(&res->memory);
	if (res->allowances_mr)
		ibv_dereg_mr(res->allowances_mr);
	free(res->allowances);
	if (res->other_pd)
		ibv_dealloc_pd(res->other_pd);
	if (res->pd)
		ibv_dealloc_pd(res->pd);
	free(res->queues);
	free(res->entries);
	free(res->qps);
	free(res->psns);
	memset(res, 0, sizeof(*res));
}

uint8_t *resources_incoming(const struct resources *res)
{
	uint64_t region = plan_stride(res->plan) * res->n_qps;

	return res->memory.buffer + (plan_regions(res->plan) - 1) * region;
}

/* Describe where the messages of the peer's QPs go. */
static void describe_targets(const struct resources *res,
			     struct endpoint *endpoint)
{
	endpoint->targets = res->domain != NULL;
	for (uint32_t t = 0; res->domain && t < res->n_threads; t++)
		for (uint32_t i = resources_first_qp(res, t);
		     i < resources_first_qp(res, t + 1); i++) {
			endpoint->qps[i].target = res->qps[i].target->qp_num;
			endpoint->qps[i].srqn = res->queues[t].srqn;
		}
}

void resources_describe(const struct resources *res, const struct path *path,
			struct endpoint *endpoint)
{
	const struct memory *m = &res->memory;
	const uint8_t *incoming = resources_incoming(res);

	*endpoint = (struct endpoint){
		.lid = res->device->port.lid,
		.gid = path->local.raw,
		.gid_type = path->local.type,
		.gid_index = path->local.index,
		.peer_gid_index = path->remote.index,
		.global = path->global,
		.mtu = path->mtu,
		.qkey = res->qkey,
		.va = memory_address(m, incoming),
		.length = plan_stride(res->plan) * res->n_qps,
		.stride = plan_stride(res->plan),
		.n = res->n_qps,
		.qps = xcalloc(res->n_qps, sizeof(*endpoint->qps)),
	};
	for (uint32_t i = 0; i < res->n_qps; i++)
		endpoint->qps[i] = (struct endpoint_qp){
			.qpn = res->qps[i].qp->qp_num,
			.psn = res->psns[i],
			.rkey = memory_mr(m, incoming + endpoint->stride *
								i)->rkey,
		};
	describe_targets(res, endpoint);
	if (res->allowances) {
		endpoint->allowances = (uintptr_t)res->allowances;
		endpoint->allowances_rkey = res->allowances_mr->rkey;
	}
	snprintf(endpoint->memory, sizeof(endpoint->memory), "%s",
		 m->allocation->text);
}

/* The values of LINK replace those of the peer's ENDPOINT. */
static void follow_link(struct qp_remote *remote,
			const struct resources_link *link, bool datagram)
{
	remote->peer.qpn = link->qpn;
	if (link->group)
		remote->qkey = &link->qkey;
	if (datagram)
		return;
	remote->psn = link->sq_psn;
	remote->peer.psn = link->rq_psn;
	remote->av = &link->av;
}

/* Over XRC, the QP that sends is connected to the peer's target, and its target
 * to the QP that sends at the peer. */
static int connect_target(const struct resources *res, struct flow_qp *q,
			  struct qp_remote *remote, struct error *err)
{
	struct qp_remote target = *remote;

	if (!q->target)
		return 0;
	q->remote_srqn = remote->peer.srqn;
	remote->peer.qpn = remote->peer.target;
	target.target = true;
	return qp_connect(res->device, q->target, res->plan, &target, err);
}

static int no_address(const struct resources *res, const struct path *path,
		      int errnum, struct error *err)
{
	const struct port *port = &res->device->port;
	char towards[GID_TEXT_SIZE + 4], advice[VERB_ADVICE_SIZE];

	if (path->global)
		gid_format(&path->remote.raw, towards);
	else
		snprintf(towards, sizeof(towards), "LID %u", path->dlid);
	return fail_errno(err, errnum,
			  verb_advice(port, "ibv_modify_qp", errnum, advice),
			  "%s port %u: cannot make an address handle towards "
			  "%s", port->device, port->number, towards);
}

/*
 * Give Q, queue pair INDEX, the address handle along PATH; make it if there is
 * none with its flow label yet.  AV, unless it is NULL, is what to make it
 * from; of more labels than there is room for the last share a handle.
 */
static int give_address(struct resources *res, const struct path *path,
			uint32_t index, const struct ibv_ah_attr *av,
			struct flow_qp *q, struct error *err)
{
	struct addresses *list = &res->addresses;
	uint32_t label = av ? av->grh.flow_label :
			      addressing_flow_label(res->plan, index);
	struct ibv_ah_attr attr;

	for (uint32_t i = 0; i < list->n; i++)
		if (list->list[i].flow_label == label || i + 1 == LABELS_MAX) {
			q->ah = list->list[i].ah;
			return 0;
		}
	attr = av ? *av : qp_attr_address(res->device->port.number, res->plan,
					  path, label);
	q->ah = ibv_create_ah(res->pd, &attr);
	if (!q->ah)
		return no_address(res, path, errno, err);
	list->list[list->n].flow_label = label;
	list->list[list->n++].ah = q->ah;
	return 0;
}

/* Attach Q to the group that AV leads to.  Its IP group is joined once, unless
 * the connection manager did that. */
static int join_group(struct resources *res, const struct path *path,
		      const struct ibv_ah_attr *av, bool managed,
		      const struct flow_qp *q, struct error *err)
{
	struct multicast *m = &res->multicast;
	int ret = multicast_attach(res->device, q->qp, av, m, err);

	if (ret || managed || m->n > 1)
		return ret;
	return multicast_join(res->device, path, m, err);
}

/* Let Q send to the group of PLAN, or receive what comes there. */
static int connect_group(struct resources *res, const struct path *path,
			 const struct endpoint *peer, struct flow_qp *q,
			 const struct resources_link *link, struct error *err)
{
	const struct device *device = res->device;
	const struct plan *plan = res->plan;
	const bool sends = plan_sends(plan, res->client);
	const union ibv_gid group =
		multicast_group(plan, path, sends ? peer->qkey : res->qkey);
	const struct ibv_ah_attr av = link ? link->av :
		multicast_address(device->port.number, plan, path, &group);
	int ret;

	if (!sends) {
		ret = join_group(res, path, &av, link != NULL, q, err);
		res->multicast.sender_qpn = peer->qps[0].qpn;
		return ret;
	}
	q->remote_qpn = MULTICAST_QPN;
	res->multicast.group = av.grh.dgid;
	return give_address(res, path, 0, &av, q, err);
}

int resources_connect_qp(struct resources *res, const struct path *path,
			 const struct endpoint *peer, uint32_t i,
			 const struct resources_link *link, struct error *err)
{
	const struct device *device = res->device;
	const struct plan *plan = res->plan;
	const bool datagram = plan_is_datagram(plan);
	/* the receivers of a group have one sender */
	const uint32_t k = i < peer->n ? i : 0;
	struct qp_remote remote = {
		.path = path,
		.flow_label = addressing_flow_label(plan, i),
		.psn = res->psns[i],
		.client = res->client,
		.peer = peer->qps[k],
	};
	struct flow_qp *q = &res->qps[i];
	int ret;

	connect_allowance(res, peer, i, k);
	if (link)
		follow_link(&remote, link, datagram);
	q->remote = endpoint_va(peer, k);
	q->rkey = peer->qps[k].rkey;
	q->remote_qpn = remote.peer.qpn;
	q->remote_qkey = remote.qkey ? *remote.qkey : peer->qkey;
	ret = connect_target(res, q, &remote, err) ?:
	      qp_connect(device, q->qp, plan, &remote, err);
	if (ret || !datagram)
		return ret;
	if (plan->mcast.wanted)
		return connect_group(res, path, peer, q, link, err);
	return give_address(res, path, i, link ? &link->av : NULL, q, err);
}

int resources_connect(struct resources *res, const struct path *path,
		      const struct endpoint *peer, struct error *err)
{
	int ret = 0;

	for (uint32_t i = 0; i < res->n_qps && !ret; i++)
		ret = resources_connect_qp(res, path, peer, i, NULL, err);
	return ret;
}

/* The library's 0 is no answer for a provider that has none, and for processors
 * other than x86. */
bool resources_may_reorder(const struct resources *res)
{
#if defined(HAVE_IBV_QUERY_QP_DATA_IN_ORDER) && \
	(defined(__x86_64__) || defined(__i386__))
	const struct facts *facts = &res->device->port.facts;
	const struct flow_qp *q = res->qps;

	return !strcmp(facts_text(facts, FACT_DRIVER), "mlx5_core") &&
	       !ibv_query_qp_data_in_order(q->target ? q->target : q->qp,
					   IBV_WR_RDMA_WRITE, 0);
#else
	(void)res;
	return false;
#endif
}

static int query(const struct resources *res, struct ibv_qp *qp, int mask,
		 struct ibv_qp_attr *attr, struct error *err)
{
	const struct port *port = &res->device->port;
	struct ibv_qp_init_attr init = { .qp_context = NULL };
	int ret;

	*attr = (struct ibv_qp_attr){ .qp_state = IBV_QPS_RTS };
	ret = ibv_query_qp(qp, attr, mask, &init);
	if (!ret)
		return 0;
	return fail_errno(err, ret, NULL,
			  "%s port %u: cannot query the attributes of QP "
			  "0x%06x", port->device, port->number, qp->qp_num);
}

int resources_query(const struct resources *res, const struct path *path,
		    struct effective *effective, struct error *err)
{
	const enum transport transport = res->plan->transport;
	const struct flow_qp *q = res->qps;
	struct ibv_qp_attr attr, responds;
	int ret = query(res, q->qp, qp_attr_query(transport, false), &attr,
			err);

	if (!ret && q->target)
		ret = query(res, q->target, qp_attr_query(transport, true),
			    &responds, err);
	if (ret)
		return ret;
	if (q->target) {
		attr.min_rnr_timer = responds.min_rnr_timer;
		attr.max_dest_rd_atomic = responds.max_dest_rd_atomic;
	}
	*effective = qp_attr_effective(&attr, transport, path->global);
	return 0;
}
