#include "config.h"
#include "session/manager.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/ip.h"
#include "base/numbers.h"
#include "base/time.h"
#include "base/xalloc.h"
#include "model/gid.h"
#include "net/alive.h"
#include "net/wait.h"
#include "verbs/cm.h"

struct manager {
	struct cm *cm;
	int epoll;			/* the manager and the connection */
	uint8_t token[ENDPOINT_TOKEN_SIZE];
	struct sockaddr_storage local;
	uint64_t deadline;		/* for a step further */
	uint64_t limit;			/* for all of it */
	uint64_t next_sign;		/* of life, to be sent */
};

static struct error *error_of(struct session *s)
{
	return &s->run.result->error;
}

/* The address of an end, without a port: GID, or that of the socket TCP. */
static void choose_address(const struct path *path, const struct gid *gid,
			   const struct sockaddr_storage *tcp,
			   struct sockaddr_storage *address)
{
	struct sockaddr_in6 *in6 = (void *)address;
	struct sockaddr_in *in = (void *)address;
	uint8_t ip[IP_SIZE] = { 0 };
	const bool by_gid = path->global && gid_names_host(gid);

	memset(address, 0, sizeof(*address));
	ip_from_socket((const struct sockaddr *)tcp, ip);
	if (by_gid)
		memcpy(ip, gid->raw.raw, sizeof(ip));
	if (ip_is_ipv4(ip)) {
		in->sin_family = AF_INET;
		memcpy(&in->sin_addr, ip + IPV4_AT, sizeof(in->sin_addr));
		return;
	}
	in6->sin6_family = AF_INET6;
	memcpy(&in6->sin6_addr, ip, sizeof(in6->sin6_addr));
	if (!by_gid && tcp->ss_family == AF_INET6)
		in6->sin6_scope_id =
			((const struct sockaddr_in6 *)tcp)->sin6_scope_id;
}

static void local_address(struct session *s, struct sockaddr_storage *address)
{
	const struct path *path = &s->run.result->path;
	struct sockaddr_storage tcp = { .ss_family = AF_UNSPEC };
	socklen_t length = sizeof(tcp);

	getsockname(s->run.conn->fd, (struct sockaddr *)&tcp, &length);
	choose_address(path, &path->local, &tcp, address);
}

static void remote_address(struct session *s, uint16_t port,
			   struct sockaddr_storage *address)
{
	const struct path *path = &s->run.result->path;
	struct sockaddr_storage tcp = { .ss_family = AF_UNSPEC };
	socklen_t length = sizeof(tcp);

	getpeername(s->run.conn->fd, (struct sockaddr *)&tcp, &length);
	choose_address(path, &path->remote, &tcp, address);
	if (address->ss_family == AF_INET)
		((struct sockaddr_in *)address)->sin_port = htons(port);
	else
		((struct sockaddr_in6 *)address)->sin6_port = htons(port);
}

static int watch(struct session *s, struct manager *m)
{
	const int fds[] = { cm_fd(m->cm), s->run.conn->fd };

	m->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (m->epoll < 0)
		return fail(error_of(s), -errno, NULL, "cannot poll: %s",
			    strerror(errno));
	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++) {
		struct epoll_event event = { .events = EPOLLIN };

		if (epoll_ctl(m->epoll, EPOLL_CTL_ADD, fds[i], &event))
			return fail(error_of(s), -errno, NULL,
				    "cannot poll: %s", strerror(errno));
	}
	return 0;
}

/* The session owns what there is after a failure, too. */
static int begin(struct session *s, const uint8_t token[ENDPOINT_TOKEN_SIZE])
{
	struct manager *m = xcalloc(1, sizeof(*m));
	const struct cm_end end = {
		.client = s->run.client,
		.device = s->run.device,
		.plan = s->run.plan,
		.path = &s->run.result->path,
		.res = &s->run.res,
		.peer = &s->run.peer,
		.token = m->token,
		.local = &m->local,
	};
	int ret;

	s->manager = m;
	m->epoll = -1;
	memcpy(m->token, token, sizeof(m->token));
	local_address(s, &m->local);
	ret = cm_open(&end, &m->cm, error_of(s));
	return ret ? ret : watch(s, m);
}

int manager_listen(struct session *s, struct endpoint *mine)
{
	int ret;

	if (s->run.client || !s->run.plan->rdma_cm)
		return 0;
	randombytes_buf(mine->cm_token, sizeof(mine->cm_token));
	ret = begin(s, mine->cm_token);
	return ret ? ret : cm_listen(s->manager->cm, &mine->cm_port,
				     error_of(s));
}

int manager_check_endpoint(struct session *s, const struct endpoint *peer)
{
	const bool due = s->run.client && s->run.plan->rdma_cm;

	if (due == (peer->cm_port != 0))
		return 0;
	return fail(error_of(s), -EPROTO, NULL,
		    "the %s sent an ENDPOINT %s a port of rdma_cm",
		    s->run.conn->peer, due ? "without" : "with");
}

/* A server trusts the client to give up first. */
static void renew(struct session *s, struct manager *m)
{
	m->deadline = smaller(time_after(run_peer_timeout(&s->run)), m->limit);
}

/* What the peer says meanwhile: signs of life, the end, or READY if that is
 * due. */
static int hear(struct session *s, struct manager *m, struct frame *ready)
{
	struct frame frame;
	int ret = oob_take(s->run.conn, ready ? frame_name(FRAME_READY) :
						"rdma_cm",
			   &frame, error_of(s));

	if (ret)
		return ret == -EAGAIN ? 0 : ret;
	if (ready && frame.type == FRAME_READY) {
		*ready = frame;
		return 0;
	}
	if (frame.type != FRAME_ALIVE)
		ret = session_unexpected(s, &frame, FRAME_READY);
	else if (!s->run.client)
		renew(s, m);
	frame_free(&frame);
	return ret;
}

static int out_of_time(struct session *s, const struct manager *m)
{
	if (!s->run.client && cm_is_done(m->cm))
		return fail(error_of(s), -ETIMEDOUT, NULL,
			    "the client did not send READY in time");
	return cm_timed_out(m->cm, error_of(s));
}

static int keep_time(struct session *s, struct manager *m)
{
	if (!time_until(m->deadline))
		return out_of_time(s, m);
	if (time_until(m->next_sign))
		return 0;
	m->next_sign = time_after(alive_period(s->run.plan->timeout));
	return session_say(s, FRAME_ALIVE);
}

/* Wait for something and handle it. */
static int take_step(struct session *s, struct manager *m, struct frame *ready)
{
	int ret = oob_wait(m->epoll, POLLIN, &s->run.conn->cancel_fd,
			   smaller(m->deadline, m->next_sign), error_of(s));

	if (ret < 0 && ret != -ETIMEDOUT)
		return ret;
	/* first: the peer may know why the manager failed */
	ret = hear(s, m, ready);
	if (ret || (ready && ready->bytes))
		return ret;
	ret = cm_take(m->cm, error_of(s));
	if (ret < 0)
		return ret;
	if (ret)
		renew(s, m);
	return keep_time(s, m);
}

/* Until READY has come, or with NULL until this end is connected. */
static int manage(struct session *s, struct frame *ready)
{
	struct manager *m = s->manager;
	int ret = 0;

	m->limit = time_after(plan_work_limit(s->run.plan) +
			      run_peer_timeout(&s->run));
	m->next_sign = time_after(alive_period(s->run.plan->timeout));
	renew(s, m);
	while (!ret && (ready ? !ready->bytes : !cm_is_done(m->cm)))
		ret = take_step(s, m, ready);
	return ret;
}

int manager_connect(struct session *s)
{
	struct sockaddr_storage remote;
	int ret;

	if (!s->run.client)
		return manage(s, NULL);
	ret = begin(s, s->run.peer.cm_token);
	if (ret)
		return ret;
	remote_address(s, s->run.peer.cm_port, &remote);
	ret = cm_call(s->manager->cm, &remote, error_of(s));
	return ret ? ret : manage(s, NULL);
}

int manager_expect_ready(struct session *s, struct frame *frame)
{
	int ret;

	memset(frame, 0, sizeof(*frame));
	ret = manage(s, frame);
	if (!ret)
		cm_stop_listening(s->manager->cm);
	return ret;
}

void manager_free(struct session *s)
{
	struct manager *m = s->manager;

	if (!m)
		return;
	cm_close(m->cm);
	if (m->epoll >= 0)
		close(m->epoll);
	sodium_memzero(m->token, sizeof(m->token));
	free(m);
	s->manager = NULL;
}
