#include "config.h"
#include "session/abort.h"

#include <errno.h>
#include <string.h>

#include "base/time.h"
#include "net/oob.h"

/* ns that sending ABORT, or waiting for the peer's, may take. */
#define ABORT_WAIT SECOND

static void tell_peer(struct session *s)
{
	enum frame_type type = s->run.client || s->accepted ? FRAME_ABORT :
							  FRAME_REFUSE;
	struct error ignored = { 0 };
	struct frame frame;

	encode_error(&frame, type, &s->run.result->error);
	oob_send(s->run.conn, &frame, time_after(ABORT_WAIT), &ignored);
	frame_free(&frame);
}

/* False for failures after which the peer sends nothing, or is not worth the
 * wait: it fell silent, left, makes no sense, or the user interrupted. */
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

/* The peer has heard of this end's failure: it reports one of its own at once,
 * or closes the connection. */
static void hear_peer(struct session *s)
{
	struct error said = { 0 };
	struct result *r = s->run.result;

	if (!s->connecting || error_is_set(&r->peer_error) ||
	    !is_worth_waiting(&r->error))
		return;
	if (peer_error_wait(s->run.conn, time_after(ABORT_WAIT), &said) ==
	    -ECONNABORTED)
		frames_own_words(&said, s->run.conn->peer, &r->peer_error);
}

void abort_swap(struct session *s)
{
	struct result *r = s->run.result;

	if (r->error.from_peer) {
		frames_own_words(&r->error, s->run.conn->peer, &r->peer_error);
		return;
	}
	tell_peer(s);
	hear_peer(s);
}
