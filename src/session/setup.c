/* Makes the verbs objects of a run and connects them to those of the peer. */
#include "config.h"
#include "session/setup.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/ip.h"
#include "base/xalloc.h"
#include "inject/inject.h"
#include "model/gid.h"
#include "model/result.h"
#include "run/peer_check.h"
#include "session/manager.h"
#include "session/peer_address.h"

static bool is_same_end(const struct path *a, const struct path *b)
{
	return a->global == b->global && a->dlid == b->dlid &&
	       !memcmp(&a->remote.raw, &b->remote.raw, sizeof(a->remote.raw));
}

/* Take the path of PEER, the client's ENDPOINT, into the result: the client
 * chose it among the GIDs that this end offered.  Returns 0, or a negative
 * errno with the reason in ERR. */
static int accept_path(struct session *s, const struct endpoint *peer,
		       struct error *err)
{
	struct result *r = s->run.result;
	struct path mine;
	int ret = path_accept(&r->server, &r->client, peer->global,
			      peer->gid_index, peer->peer_gid_index, &mine,
			      err);

	if (ret)
		return ret;
	mine.mtu = peer->mtu;
	mine.dlid = peer->lid;
	ret = peer_check_endpoint(&r->client, &mine, peer, err);
	/* the connections of connect have mostly the same one */
	if (!ret && !(r->has_path && is_same_end(&mine, &r->path)))
		ret = peer_address_check(s, &mine, err);
	if (ret)
		return ret;
	r->path = mine;
	r->has_path = true;
	return 0;
}

int accept_path_of_one(struct session *s, const struct endpoint *peer,
		       struct error *err)
{
	const uint32_t mtu = s->run.plan->mtu;

	if (peer->n == 1 && mtu_bytes(peer->mtu) == mtu)
		return accept_path(s, peer, err);
	return wire_refuse(err, "client", FRAME_ENDPOINT,
			   "of %u QPs and MTU %u where 1 and %u were agreed",
			   peer->n, mtu_bytes(peer->mtu), mtu);
}

/* True when both ends of CONN share a host's memory: of --loopback, or with one
 * address. */
static bool is_one_host(const struct connection *conn)
{
	struct sockaddr_storage mine, theirs;
	socklen_t my_size = sizeof(mine), their_size = sizeof(theirs);
	uint8_t here[16], there[16];

	if (getsockname(conn->fd, (struct sockaddr *)&mine, &my_size) ||
	    getpeername(conn->fd, (struct sockaddr *)&theirs, &their_size))
		return false;
	if (mine.ss_family == AF_UNIX)
		return true;
	return ip_from_socket((struct sockaddr *)&mine, here) &&
	       ip_from_socket((struct sockaddr *)&theirs, there) &&
	       !memcmp(here, there, sizeof(here));
}

/* Refuse messages that the host has no memory for, before they are filled: the
 * kernel would end this process, or another one. */
static int check_available(const struct session *s)
{
	struct result *r = s->run.result;
	const struct plan *plan = &r->params.plan;
	const bool client = s->run.client;
	const struct facts *facts = &s->run.device->port.facts;
	const uint64_t most = facts_count(facts, FACT_MEMORY_AVAILABLE);
	const bool both = is_one_host(s->run.conn);
	const uint64_t needed = plan_memory(plan, client) +
				(both ? plan_memory(plan, !client) : 0);

	if (!facts_known(facts, FACT_MEMORY_AVAILABLE) || needed <= most ||
	    r->params.memory.kind != MEMORY_ANONYMOUS || plan->hugepages ||
	    plan->odp || plan->control)
		return 0;
	return fail(&r->error, -ENOMEM, "use fewer -q or a smaller -s, or "
		    "raise memory.max of the control group",
		    "the messages%s need %" PRIu64 " bytes of memory: this "
		    "host, or the control group of the process, has %" PRIu64
		    " available", both ? " of both ends on this host" : "",
		    needed, most);
}

int setup_create(struct session *s)
{
	return check_available(s) ?: run_create(&s->run) ?:
	       inject_at(&s->run, INJECT_AT_CREATED);
}

void setup_note_end(struct result *r, bool client, const struct endpoint *end)
{
	struct endpoint *noted = &r->ends[client];

	free(noted->qps);
	*noted = *end;
	noted->qps = xcalloc(end->n, sizeof(*end->qps));
	memcpy(noted->qps, end->qps, end->n * sizeof(*end->qps));
}

/* Send this end's ENDPOINT for the result's path. */
static int send_endpoint(struct session *s)
{
	struct endpoint mine;
	int ret = 0;

	resources_describe(&s->run.res, &s->run.result->path, &mine);
	setup_note_end(s->run.result, s->run.client, &mine);
	if (HAVE_RDMACM)
		ret = manager_listen(s, &mine);
	ret = ret ?: session_send(s, encode_endpoint(&mine));
	free(mine.qps);
	return ret;
}

/* Check that PEER, an ENDPOINT, has the port of rdma_cm when it must, and only
 * then. */
static int check_cm_port(struct session *s, const struct endpoint *peer)
{
	const bool due = s->run.client && s->run.plan->rdma_cm &&
			 !s->run.plan->mcast.wanted;

	if (due == (peer->cm_port != 0))
		return 0;
	return wire_refuse(session_error(s), s->run.conn->peer, FRAME_ENDPOINT,
			   "%s a port of rdma_cm", due ? "without" : "with");
}

/* Check the peer's ENDPOINT against the plan that both ends agreed on. */
static int check_endpoint(struct session *s)
{
	const struct plan *plan = s->run.plan;
	const struct endpoint *peer = &s->run.peer;
	const uint32_t qps = plan_qps(plan, !s->run.client);
	const uint64_t least = plan_slots(plan) > 1 || plan->batch.n ?
				       plan_stride(plan) : plan_largest(plan);

	if (peer->targets != plan_has_targets(plan))
		return wire_refuse(session_error(s), s->run.conn->peer,
				   FRAME_ENDPOINT, "%s queue pairs of XRC",
				   peer->targets ? "with" : "without");
	if (peer->n == qps && peer->stride >= least &&
	    mtu_bytes(peer->mtu) == plan->mtu)
		return check_cm_port(s, peer);
	return wire_refuse(session_error(s), s->run.conn->peer, FRAME_ENDPOINT,
			   "of %u QPs, stride %llu and MTU %u where %u, %llu "
			   "and %u were agreed", peer->n,
			   (unsigned long long)peer->stride,
			   mtu_bytes(peer->mtu), qps,
			   (unsigned long long)plan_stride(plan), plan->mtu);
}

/* The client chose the path: the server's ENDPOINT must be its other end. */
static int check_path(struct session *s)
{
	struct result *r = s->run.result;

	return s->run.client ?
		       peer_check_endpoint(&r->server, &r->path, &s->run.peer,
					   &r->error) :
		       accept_path(s, &s->run.peer, &r->error);
}

static int take_endpoint(struct session *s)
{
	struct frame frame = { 0 };
	int ret = session_expect(s, FRAME_ENDPOINT, &frame) ?:
		  decode_endpoint(&frame, &s->run.peer, session_error(s));

	frame_free(&frame);
	if (ret)
		return ret;
	setup_note_end(s->run.result, !s->run.client, &s->run.peer);
	return check_endpoint(s) ?: check_path(s);
}

static int prepare(struct session *s)
{
	struct run *run = &s->run;
	int ret = inject_at(run, INJECT_AT_ENDPOINT);

	s->connecting = true;
	if (ret)
		return ret;
	/* on unreliable transports each round posts them in time as well: a
	 * late packet must not consume a message's receive */
	return plan_is_unreliable(run->plan) ? reach_begin(s) :
					       run_fill_receives(run);
}

static int complete(struct session *s)
{
	int ret = run_query(&s->run);

	if (!ret)
		run_find_counters(&s->run);
	return ret ?: inject_at(&s->run, INJECT_AT_CONNECTED);
}

static int connect_by_address(struct session *s)
{
	return prepare(s) ?: run_connect(&s->run) ?: complete(s);
}

/* Post receives and connect the queue pairs to the peer's, while this end sends
 * signs of life. */
static int connect_qps(struct session *s)
{
	if (!HAVE_RDMACM || !s->run.plan->rdma_cm)
		return session_work(s, connect_by_address);
	return session_work(s, prepare) ?:
	       manager_connect(s) ?:
	       session_work(s, complete);
}

static int send_ready(struct session *s)
{
	return session_send(s, encode_ready(run_effective(&s->run,
							  s->run.client)));
}

static int take_ready(struct session *s)
{
	const struct result *r = s->run.result;
	struct error *err = session_error(s);
	struct effective theirs;
	struct frame frame = { 0 };
	const bool awaits = s->run.plan->rdma_cm && !s->run.client;
	int ret = HAVE_RDMACM && awaits ?
			  manager_expect_ready(s, &frame) :
			  session_expect(s, FRAME_READY, &frame);

	ret = ret ?:
	      decode_ready(&frame, &theirs, err) ?:
	      peer_check_ready(&r->params.plan, &r->path, &theirs, err);
	frame_free(&frame);
	if (!ret)
		*run_effective(&s->run, !s->run.client) = theirs;
	return ret;
}

int setup_connect(struct session *s)
{
	int ret;

	session_stage(s, "resources");
	ret = session_work(s, setup_create);
	if (ret)
		return ret;
	session_stage(s, "endpoint");
	ret = session_swap(s, send_endpoint, take_endpoint);
	if (ret)
		return ret;
	session_stage(s, "connect");
	return connect_qps(s) ?: session_swap(s, send_ready, take_ready);
}

int setup_reach(struct session *s)
{
	int ret = reach_prove(s);

	if (ret || !plan_is_unreliable(s->run.plan))
		return ret;
	return inject_at(&s->run, INJECT_AT_REACHED);
}

void setup_notify_begin(struct session *s)
{
	struct result *r = s->run.result;

	result_note_effective(r, &s->run.device->port);
	r->group = s->run.res.multicast.group;
	r->method = s->run.res.method;
	if (r->observer)
		r->observer->begin(r->observer, r);
}
