/* Runs the steps of a session, and tells the peer why it ended. */
#include "config.h"
#include "session/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/time.h"
#include "base/xalloc.h"
#include "net/turn.h"
#include "net/wait.h"
#include "session/handshake.h"
#include "session/manager.h"

/* ns that sending ABORT, or waiting for the peer's, may take. */
#define ABORT_WAIT SECOND

static void send_abort(struct session *s)
{
	enum frame_type type = s->run.client || s->accepted ? FRAME_ABORT :
							  FRAME_REFUSE;
	struct error ignored = { 0 };
	struct frame frame = encode_error(type, session_error(s));

	oob_send(s->run.conn, &frame, time_after(ABORT_WAIT), &ignored);
	frame_free(&frame);
}

/* False for failures after which the peer reports nothing: it fell silent, left
 * or broke the protocol, or the user interrupted. */
static bool is_worth_waiting(const struct error *err)
{
	static const char *const codes[] = {
		"ETIMEDOUT", "ECONNRESET", "EPIPE", "EPROTO", "ECANCELED",
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (!strcmp(err->code, codes[i]))
			return false;
	return true;
}

/* The peer has been sent this end's failure: it reports one of its own at once,
 * or closes the connection. */
static void receive_abort(struct session *s)
{
	struct error reported = { 0 };
	struct result *r = s->run.result;

	if (!s->connecting || error_is_set(&r->peer_error) ||
	    !is_worth_waiting(&r->error))
		return;
	if (oob_await_error(s->run.conn, time_after(ABORT_WAIT), &reported) ==
	    -ECONNABORTED)
		frames_own_words(&reported, s->run.conn->peer, &r->peer_error);
}

/*
 * S ended with the result's error: tell the peer, unless it knows, and put a
 * failure that the peer reports of its own within a second into the result's
 * peer_error.  Does not wait if no report can come, or if the user interrupted.
 */
void exchange_abort(struct session *s)
{
	struct result *r = s->run.result;

	if (r->error.from_peer) {
		frames_own_words(&r->error, s->run.conn->peer, &r->peer_error);
		return;
	}
	send_abort(s);
	receive_abort(s);
}

void session_continue(struct session *s, const struct dialogue *dialogue)
{
	s->dialogue = dialogue;
	s->next = dialogue->steps;
}

/* Do all steps up to the first failure, and tell the peer of a failure it does
 * not know of. */
static int run_steps(struct session *s)
{
	struct error *err = session_error(s);
	/* the caller may know why it cannot begin */
	int ret = error_is_set(err) ? -ECANCELED : 0, written;

	while (*s->next && !ret && !s->over)
		ret = (*s->next++)(s);
	handshake_free(s);	/* also after an early failure */
	written = recorder_close(s->run.recorder, err);
	/* samples that could not be written: a failed run */
	ret = ret ? ret : written;
	if (ret)
		fail(err, ret, NULL, "%s", strerror(-ret));
	if (ret && s->dialogue->give_up)
		s->dialogue->give_up(s);
	/* before the report, which may wait long for a reader */
	resources_stop(&s->run.res);
	return ret;
}

int session_run(bool client, const struct dialogue *dialogue,
		struct connection *conn, struct device *device,
		struct result *result, struct session **session)
{
	struct session *s = xcalloc(1, sizeof(*s));

	s->place = s->best_place = PLACE_UNKNOWN;
	run_begin(&s->run, client, conn, device, result);
	session_continue(s, dialogue);
	*session = s;
	return run_steps(s);
}

bool session_was_served(const struct session *s)
{
	return s->place == PLACE_SERVED;
}

bool session_has_client(const struct session *s)
{
	return !s->unused;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	if (HAVE_RDMACM) {
		manager_free(s);
		acceptor_free(s);
	}
	run_free(&s->run);
	free(s->talk);
	free(s);
}

#define PAUSE SECOND

bool retry_is_wanted(const struct result *r, uint64_t give_up)
{
	return r->error.from_peer && !r->connected &&
	       !strcmp(r->error.code, "EAGAIN") && time_until(give_up) > PAUSE;
}

int retry_prepare(struct result *r, struct connection *conn,
		  struct session **session)
{
	int ret;

	log_info("%s; trying again in a second", r->error.message);
	oob_close(conn);
	session_free(*session);
	*session = NULL;
	error_clear(&r->error);
	error_clear(&r->peer_error);
	ret = oob_wait(-1, 0, &conn->cancel_fd, time_after(PAUSE), &r->error);
	return ret == -ETIMEDOUT ? 0 : ret;
}
