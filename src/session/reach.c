/*
 * An end that will be sent UC or UD messages first proves that it receives at
 * the address it names.
 *
 * These transports acknowledge nothing, so a peer that names another host's GID
 * could make this end flood that host.  Therefore an end that is about to send
 * first sends a challenge (verbs/challenge.c) to the first queue pair of the
 * peer's ENDPOINT, and the peer returns the random bytes over TCP.  Packets get
 * lost, so the peer may ask for the challenge again, at growing pauses; but a
 * host that never asked receives at most REACH_PACKETS.
 *
 * The first queue pair proves the address for all of them: an ENDPOINT has one
 * address, and everything goes there; what lies behind it is the peer's own
 * affair.  If each of 16384 queue pairs had to prove it, the challenges would
 * be a flood of their own.
 */
#include "config.h"
#include "session/setup.h"

#include <errno.h>
#include <poll.h>
#include <sodium.h>

#include "base/time.h"
#include "net/frames.h"
#include "net/wait.h"
#include "session/peer_address.h"

_Static_assert(REACHED_SIZE == CHALLENGE_SIZE, "REACHED returns a challenge");

/* A challenge that has not arrived within a pause is lost; each pause is twice
 * the one before, up to the longest. */
#define FIRST_PAUSE (SECOND / 10)
#define LONGEST_PAUSE (SECOND / 2)
/* How often an end that waits for a packet checks the connection. */
#define POLL_PERIOD (SECOND / 1000)

struct reach {
	bool needs_proof;	/* the peer must still send its proof */
	bool must_prove;	/* this end must still send its own */
	/* challenges to the peer */
	uint8_t sent[CHALLENGE_SIZE];
	uint32_t n_due;
	uint32_t n_sent;
	bool sending;		/* the last one has not completed */
	uint64_t deadline;	/* for that, and for the peer's next frame */
	/* from the peer */
	bool arrived;
	uint8_t got[CHALLENGE_SIZE];
	uint32_t n_requested;
	uint64_t pause;		/* after the last one requested */
	uint64_t over;		/* when that pause ends */
};

/* This end's address; of a receiver in a multicast group, the group. */
static const char *address_here(const struct session *s,
				char text[PEER_ADDRESS_SIZE])
{
	const struct path *path = &s->run.result->path;
	const struct multicast *m = &s->run.res.multicast;
	const struct gid group = { .raw = m->group };

	if (m->n)
		return peer_address(&group, true, 0, text);
	return peer_address(&path->local, path->global,
			    s->run.device->port.lid, text);
}

static const char *address_there(const struct session *s,
				 char text[PEER_ADDRESS_SIZE])
{
	const struct path *path = &s->run.result->path;

	return peer_address(&path->remote, path->global, path->dlid, text);
}

int reach_begin(struct session *s)
{
	if (!plan_proves_address(s->run.plan, s->run.client))
		return 0;
	return challenge_receive(&s->run.res, session_error(s));
}

/* Send a challenge that is due once the one before has completed. */
static int send_due(struct session *s, struct reach *r)
{
	int ret;

	if (r->sending) {
		ret = challenge_sent(&s->run.res, session_error(s));
		if (ret < 0)
			return ret;
		r->sending = !ret;
	}
	if (r->sending && !time_until(r->deadline))
		return fail(session_error(s), -ETIMEDOUT, NULL,
			    "%s: a packet to the %s was not sent in time",
			    s->run.device->port.device, s->run.conn->peer);
	if (r->sending || !r->needs_proof || r->n_sent == r->n_due)
		return 0;
	ret = challenge_send(&s->run.res, r->sent, session_error(s));
	r->sending = !ret;
	r->n_sent++;
	r->deadline = time_after(run_peer_timeout(&s->run));
	return ret;
}

/* AGAIN: the peer may ask only a limited number of times. */
static int handle_again(struct session *s, struct reach *r)
{
	char text[PEER_ADDRESS_SIZE];

	if (r->n_due++ < REACH_PACKETS)
		return 0;
	return fail(session_error(s), -EPROTO, NULL,
		    "the %s asked for more than %u packets at %s, and returned "
		    "none", s->run.conn->peer, REACH_PACKETS,
		    address_there(s, text));
}

/* REACHED: did the peer return the bytes sent to the address it named? */
static int check_proof(struct session *s, struct reach *r,
		       const struct frame *frame)
{
	uint8_t returned[REACHED_SIZE];
	char text[PEER_ADDRESS_SIZE];
	int ret = decode_reached(frame, returned, session_error(s));

	if (ret)
		return ret;
	r->needs_proof = false;
	if (!sodium_memcmp(returned, r->sent, sizeof(returned)))
		return 0;
	return fail(session_error(s), -EPROTO, NULL,
		    "the %s did not return the challenge sent to %s: it does "
		    "not receive at the address that it gave",
		    s->run.conn->peer, address_there(s, text));
}

static int handle_frame(struct session *s, struct reach *r,
			const struct frame *frame)
{
	if (frame->type == FRAME_ALIVE)
		return 0;
	if (r->needs_proof && frame->type == FRAME_AGAIN)
		return handle_again(s, r);
	if (r->needs_proof && frame->type == FRAME_REACHED)
		return check_proof(s, r, frame);
	return session_unexpected(s, frame,
				  r->needs_proof ? FRAME_REACHED : FRAME_START);
}

/* Receive the peer's next frame; wait only if there is nothing else to wait
 * for. */
static int receive(struct session *s, struct reach *r, struct frame *frame)
{
	if (!r->must_prove && !r->sending)
		return oob_receive(s->run.conn, frame_name(FRAME_REACHED),
				   r->deadline, frame, session_error(s));
	return oob_take(s->run.conn,
			r->needs_proof ? frame_name(FRAME_REACHED) : "a packet",
			frame, session_error(s));
}

/* Handle the peer's next frame, if there is one; return soon if this end also
 * waits for a packet or a completion. */
static int handle_next_frame(struct session *s, struct reach *r)
{
	struct connection *conn = s->run.conn;
	/* what comes after both proofs is for the next step */
	const bool reads = r->must_prove || r->needs_proof;
	struct frame frame;
	int ret = 0;

	if (r->must_prove || r->sending)
		ret = oob_wait(conn->fd, reads ? POLLIN : OOB_GONE,
			       &conn->cancel_fd, time_after(POLL_PERIOD),
			       session_error(s));
	if (ret == -ETIMEDOUT)
		return 0;
	if (!ret && !reads)
		return oob_explain_gone(conn, "a completion", session_error(s));
	if (ret)
		return ret;
	ret = receive(s, r, &frame);
	if (ret)
		return ret == -EAGAIN ? 0 : ret;
	ret = handle_frame(s, r, &frame);
	frame_free(&frame);
	return ret;
}

static int fail_unreached(struct session *s)
{
	static const char *const advice[][2] = {
		{ "check the path between both ends, and that the subnet "
		  "manager knows both",
		  "check the route between the GIDs of both ends, and that no "
		  "firewall stops UDP port 4791; choose another GID with -x" },
		{ "see that the subnet manager has both ends in the group: "
		  "'saquery -m'",
		  "see that the switches pass the group on (with IGMP or MLD "
		  "snooping they need a querier), and that no firewall stops "
		  "UDP port 4791" },
	};
	const struct port *port = &s->run.device->port;
	const bool lids = port_has_lids(port);
	char text[PEER_ADDRESS_SIZE];

	return fail(session_error(s), -EHOSTUNREACH,
		    port_is_efa(port) ?
			    "let the security groups of both ends allow all "
			    "traffic between them" :
			    advice[s->run.res.multicast.n > 0][!lids],
		    "none of %u packets that the %s sent to %s arrived",
		    REACH_PACKETS, s->run.conn->peer, address_here(s, text));
}

static int request_again(struct session *s, struct reach *r)
{
	if (r->n_requested == REACH_PACKETS)
		return fail_unreached(s);
	r->n_requested++;
	r->pause = 2 * r->pause < LONGEST_PAUSE ? 2 * r->pause : LONGEST_PAUSE;
	r->over = time_after(r->pause);
	return session_send_empty(s, FRAME_AGAIN);
}

static int send_proof(struct session *s, struct reach *r)
{
	r->must_prove = false;
	return session_send(s, encode_reached(r->got));
}

/* Take the peer's challenge, if it has arrived.  If this end requested it
 * again, another may still come: traffic begins only when that has arrived or
 * is lost. */
static int take_challenge(struct session *s, struct reach *r)
{
	int n = 0;

	if (!r->arrived)
		n = challenge_take(&s->run.res, r->got, session_error(s));
	if (n < 0)
		return n;
	if (n > 0) {
		r->arrived = true;
		r->over = time_after(r->n_requested > 1 ? FIRST_PAUSE : 0);
	}
	if (time_until(r->over))
		return 0;
	return r->arrived ? send_proof(s, r) : request_again(s, r);
}

/* Do everything due now, then handle the peer's next frame. */
static int run_step(struct session *s, struct reach *r)
{
	int ret = send_due(s, r);

	if (!ret && r->must_prove)
		ret = take_challenge(s, r);
	if (!ret && (r->must_prove || r->needs_proof || r->sending))
		ret = handle_next_frame(s, r);
	return ret;
}

int reach_prove(struct session *s)
{
	const struct plan *plan = s->run.plan;
	struct reach r = {
		.needs_proof = plan_proves_address(plan, !s->run.client),
		.must_prove = plan_proves_address(plan, s->run.client),
		.n_due = 1,
		.deadline = time_after(run_peer_timeout(&s->run)),
		.n_requested = 1,
		.pause = FIRST_PAUSE,
		.over = time_after(FIRST_PAUSE),
	};
	int ret = 0;

	session_stage(s, "reach");
	randombytes_buf(r.sent, sizeof(r.sent));
	while (!ret && (r.must_prove || r.needs_proof || r.sending))
		ret = run_step(s, &r);
	return ret;
}
