/* Waits for the connection manager while it connects the queue pairs of a
 * session. */
#include "config.h"
#include "session/manager.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/time.h"
#include "base/xalloc.h"
#include "net/oob.h"
#include "verbs/cm.h"

struct manager {
	struct cm cm;
	uint64_t deadline;		/* for the next event */
	uint64_t limit;			/* for all connections */
	struct signs signs;		/* of life */
	struct frame ready;		/* the client's READY; no bytes: not
					 * yet */
};

/* The session owns the manager, also after a failure. */
static int new_manager(struct session *s,
		       const uint8_t token[ENDPOINT_TOKEN_SIZE])
{
	struct manager *m = xcalloc(1, sizeof(*m));
	struct cm_end *end = &m->cm.end;

	s->manager = m;
	*end = (struct cm_end){
		.client = s->run.client,
		.device = s->run.device,
		.plan = s->run.plan,
		.path = &s->run.result->path,
		.res = &s->run.res,
		.peer = &s->run.peer,
	};
	memcpy(end->token, token, sizeof(end->token));
	cm_address_local(s->run.conn, end->path, &end->local);
	return cm_open(&m->cm, session_error(s));
}

int manager_listen(struct session *s, struct endpoint *mine)
{
	if (s->run.client || !s->run.plan->rdma_cm ||
	    s->run.plan->mcast.wanted)
		return 0;
	randombytes_buf(mine->cm_token, sizeof(mine->cm_token));
	return new_manager(s, mine->cm_token) ?:
	       cm_end_listen(&s->manager->cm.end, &mine->cm_port,
			     session_error(s));
}

/* A server trusts the client to give up first. */
static void renew_deadline(struct session *s, struct manager *m)
{
	m->deadline = smaller(time_after(run_peer_timeout(&s->run)), m->limit);
}

/* True when READY may come now.  A client does not wait until the server has
 * joined a group. */
static bool may_be_ready(const struct session *s, const struct manager *m,
			 bool awaits_ready)
{
	return !m->ready.bytes &&
	       (awaits_ready || (!s->run.client && s->run.plan->mcast.wanted));
}

/* Receive what the peer sends meanwhile: signs of life, an error, or READY if
 * that may come. */
static int receive_frame(struct session *s, struct manager *m,
			 bool awaits_ready)
{
	struct frame frame;
	int ret = oob_take(s->run.conn,
			   awaits_ready ? frame_name(FRAME_READY) : "rdma_cm",
			   &frame, session_error(s));

	if (ret)
		return ret == -EAGAIN ? 0 : ret;
	if (frame.type == FRAME_READY && may_be_ready(s, m, awaits_ready)) {
		m->ready = frame;
		return 0;
	}
	if (frame.type != FRAME_ALIVE)
		ret = session_unexpected(s, &frame, FRAME_READY);
	else if (!s->run.client)
		renew_deadline(s, m);
	frame_free(&frame);
	return ret;
}

static int fail_timeout(struct session *s, const struct manager *m)
{
	if (!s->run.client && cm_is_done(&m->cm))
		return fail(session_error(s), -ETIMEDOUT, NULL,
			    "the client did not send READY in time");
	return cm_timed_out(&m->cm, session_error(s));
}

/* Wait for an event of the manager or a frame of the peer, and handle it. */
static int run_step(struct session *s, struct manager *m, bool awaits_ready)
{
	int ret = alive_wait(s->run.conn, m->cm.end.channel->fd, m->deadline,
			     &m->signs, session_error(s));

	if (ret < 0 && ret != -ETIMEDOUT)
		return ret;
	/* first: the peer may know why the manager failed */
	ret = receive_frame(s, m, awaits_ready);
	if (ret || (awaits_ready && m->ready.bytes))
		return ret;
	ret = cm_take(&m->cm, session_error(s));
	if (ret < 0)
		return ret;
	if (ret)
		renew_deadline(s, m);
	return time_until(m->deadline) ? 0 : fail_timeout(s, m);
}

/* Take events until READY has come or, unless AWAITS_READY, until this end is
 * connected. */
static int manage(struct session *s, bool awaits_ready)
{
	struct manager *m = s->manager;
	int ret = 0;

	m->limit = time_after(plan_work_limit(s->run.plan) +
			      run_peer_timeout(&s->run));
	m->signs = (struct signs){
		.period = alive_period(s->run.plan->timeout),
	};
	renew_deadline(s, m);
	while (!ret &&
	       (awaits_ready ? !m->ready.bytes : !cm_is_done(&m->cm)))
		ret = run_step(s, m, awaits_ready);
	return ret;
}

int manager_connect(struct session *s)
{
	struct sockaddr_storage remote;
	int ret;

	if (!s->run.client && !s->run.plan->mcast.wanted)
		return manage(s, false);
	ret = new_manager(s, s->run.peer.cm_token);
	if (ret)
		return ret;
	cm_address_remote(s->run.conn, &s->run.result->path,
			  s->run.peer.cm_port, &remote);
	ret = s->run.plan->mcast.wanted ?
		      cm_join(&s->manager->cm, session_error(s)) :
		      cm_connect(&s->manager->cm, &remote, session_error(s));
	return ret ?: manage(s, false);
}

int manager_expect_ready(struct session *s, struct frame *frame)
{
	struct manager *m = s->manager;
	int ret = manage(s, true);

	if (ret)
		return ret;
	cm_end_stop_listening(&m->cm.end);
	*frame = m->ready;
	m->ready = (struct frame){ 0 };
	return 0;
}

void manager_free(struct session *s)
{
	struct manager *m = s->manager;

	if (!m)
		return;
	cm_close(&m->cm);
	frame_free(&m->ready);
	free(m);
	s->manager = NULL;
}
