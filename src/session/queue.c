/* A client's process at a server waits for its turn. */
#include "config.h"
#include "session/dialogue.h"

#include <errno.h>
#include <poll.h>

#include "base/time.h"
#include "net/oob.h"
#include "net/turn.h"
#include "net/wait.h"

/*
 * How often a waiting client is sent its place, as a sign of life: four times
 * within the shortest timeout it can have, but not each time that one of many
 * short runs ends.
 */
#define PLACE_PERIOD (SECOND / 4)

enum { PLACE, CLIENT, SIGNAL, N_FDS };

struct waiting {
	uint64_t send_at;	/* when it is sent its place next */
	uint64_t heard_at;	/* its last sign of life */
};

/* Report why there is no turn; -EAGAIN tells the client to retry
 * (session.h). */
static int explain_refusal(uint32_t why, struct error *err)
{
	static const char later[] = "try again later, or use --wait";

	switch (why) {
	case PLACE_QUEUE_FULL:
		return fail(err, -EAGAIN, later,
			    "too many clients are already waiting for this "
			    "server");
	case PLACE_SHARE_FULL:
		return fail(err, -EAGAIN, later,
			    "too many clients from this address are already "
			    "waiting for this server");
	default:
		return fail(err, -EBUSY, NULL,
			    "this server serves one client, and another came "
			    "first");
	}
}

static int receive_place(struct session *s)
{
	struct error *err = session_error(s);
	uint32_t place;
	int ret = turn_receive_place(s->run.conn->turn_fd, &place);

	if (ret)
		return ret == -EAGAIN ? 0 : fail(err, ret, NULL,
						 "the server is gone");
	if (place > WAIT_MAX)
		return explain_refusal(place, err);
	s->place = place;
	return 0;
}

static int client_left(struct session *s)
{
	return oob_read_error(s->run.conn, session_error(s)) ?:
	       fail(session_error(s), -ECONNRESET,
		    "look at the client's output",
		    "the client closed the connection while it waited for its "
		    "turn");
}

/* A waiting client may send only signs of life; a quiet one waits for its
 * answer. */
static int receive_sign(struct session *s, struct waiting *w)
{
	struct error *err = session_error(s);
	struct frame frame;
	int ret;

	if (s->run.plan->quiet)
		return fail(err, -EPROTO, NULL, "the client did not wait for "
			    "its turn: it sent more before it was answered");
	ret = oob_take(s->run.conn, "a sign of life", &frame, err);
	if (ret)
		return ret == -EAGAIN ? 0 : ret;
	w->heard_at = time_now();
	if (frame.type == FRAME_ABORT)
		ret = frames_take_error(&frame, s->run.conn->peer, err);
	else if (frame.type != FRAME_ALIVE)
		ret = wire_fail(err, "client", "message",
				"the client sent %s while it waited for its "
				"turn",
				frame_name(frame.type));
	frame_free(&frame);
	return ret;
}

static int check_life(struct session *s, const struct waiting *w)
{
	uint64_t timeout = run_peer_timeout(&s->run);

	if (s->run.plan->quiet || time_since(w->heard_at) < timeout)
		return 0;
	return fail(session_error(s), -ETIMEDOUT, NULL,
		    "the client said nothing for %.3g s while it waited for "
		    "its turn", (double)timeout / (double)SECOND);
}

static int send_place(struct session *s, struct waiting *w)
{
	if (s->place == PLACE_SERVED || s->place == PLACE_UNKNOWN ||
	    s->run.plan->quiet || time_until(w->send_at))
		return 0;
	w->send_at = time_after(PLACE_PERIOD);
	return session_send(s, encode_wait(s->place));
}

static int wait_once(struct session *s, struct waiting *w)
{
	struct connection *conn = s->run.conn;
	struct pollfd fds[N_FDS] = {
		[PLACE] = { .fd = conn->turn_fd, .events = POLLIN },
		[CLIENT] = { .fd = conn->fd, .events = POLLIN | OOB_GONE },
		[SIGNAL] = { .fd = conn->cancel_fd, .events = POLLIN },
	};
	int ret = 0;

	if (poll(fds, N_FDS, PLACE_PERIOD / 1000000) < 0)
		return errno == EINTR ? 0 : fail_errno(session_error(s),
						       errno, NULL,
						       "cannot poll");
	if (fds[SIGNAL].revents)
		return signals_take(&conn->cancel_fd, NULL, session_error(s));
	if (fds[CLIENT].revents & ~POLLIN)
		return client_left(s);
	if (fds[CLIENT].revents)
		ret = receive_sign(s, w);
	if (!ret && fds[PLACE].revents)
		ret = receive_place(s);
	if (!ret)
		ret = send_place(s, w);
	return ret ?: check_life(s, w);
}

int queue_wait(struct session *s, uint64_t limit)
{
	struct waiting w = { .heard_at = time_now() };
	int ret;

	if (s->run.conn->turn_fd < 0) {
		s->place = PLACE_SERVED;
		return 0;
	}
	session_stage(s, "queue");
	ret = turn_request(s->run.conn->turn_fd, limit, s->run.plan->quiet);
	if (ret)
		return fail_errno(session_error(s), ret, NULL,
				  "cannot ask for a turn");
	while (!ret && s->place != PLACE_SERVED)
		ret = wait_once(s, &w);
	return ret;
}
