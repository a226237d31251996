/* Sends and expects frames of the dialogue within their deadlines. */
#include "config.h"
#include "session/dialogue.h"

#include <errno.h>

#include "base/log.h"
#include "base/time.h"
#include "net/oob.h"

/* How long a client waits without moving up in the queue. */
#define TURN_LIMIT (3600 * SECOND)

void session_stage(struct session *s, const char *stage)
{
	error_stage(session_error(s), stage);
}

int session_send(struct session *s, struct frame frame)
{
	int ret = oob_send_or_explain(s->run.conn, &frame,
				  time_after(run_peer_timeout(&s->run)),
				  session_error(s));

	frame_free(&frame);
	return ret;
}

int session_unexpected(struct session *s, const struct frame *frame,
		       enum frame_type wanted)
{
	if (frame->type == FRAME_REFUSE || frame->type == FRAME_ABORT)
		return frames_take_error(frame, s->run.conn->peer,
					 session_error(s));
	return wire_fail(session_error(s), s->run.conn->peer, "answer",
			 "the %s sent %s where %s was expected",
			 s->run.conn->peer, frame_name(frame->type),
			 frame_name(wanted));
}

/* How long a peer that sends signs of life may take for a frame of TYPE; one
 * that then stops sending them may take its timeout more. */
static uint64_t alive_limit(const struct session *s, enum frame_type type)
{
	uint64_t least = run_peer_timeout(&s->run), work;

	switch (type) {
	case FRAME_ACCEPT:
		return TURN_LIMIT;
	case FRAME_ENDPOINT:
	case FRAME_READY:
		work = plan_work_limit(s->run.plan);
		return work > least ? work : least;
	default:
		return least;
	}
}

/* True when SIGN may come while a frame of TYPE is due.  ALIVE from earlier
 * traffic may still be on its way. */
static bool is_sign_due(const struct session *s, const struct frame *sign,
			enum frame_type type)
{
	if (sign->type == FRAME_WAIT)
		return type == FRAME_ACCEPT;
	return sign->type == FRAME_ALIVE && s->accepted;
}

/* Answer WAIT with ALIVE, and log the place if it is new. */
static int take_wait(struct session *s, const struct frame *frame)
{
	uint32_t place;
	int ret = decode_wait(frame, &place, session_error(s)) ?:
		  session_send_empty(s, FRAME_ALIVE);

	if (ret || place == s->place)
		return ret;
	s->place = place;
	log_info("waiting: %u client%s ahead of this one", place,
		 place > 1 ? "s are" : " is");
	return 0;
}

/* Handle a sign of life; a better place in the queue restarts *LIMIT, the
 * deadline for the frame of TYPE. */
static int take_sign(struct session *s, const struct frame *sign,
		     enum frame_type type, uint64_t *limit)
{
	int ret = sign->type == FRAME_WAIT ? take_wait(s, sign) : 0;

	if (ret)
		return ret;
	if (s->place < s->best_place) {
		s->best_place = s->place;
		*limit = time_after(alive_limit(s, type));
	}
	if (time_until(*limit))
		return 0;
	return fail(session_error(s), -ETIMEDOUT, NULL,
		    "the %s is alive but did not send %s within %.6g s",
		    s->run.conn->peer, frame_name(type),
		    (double)alive_limit(s, type) / (double)SECOND);
}

/* Receive the next frame that is no sign of life, while one of TYPE is due. */
static int receive(struct session *s, enum frame_type type, struct frame *frame)
{
	uint64_t limit = time_after(alive_limit(s, type));
	int ret;

	for (;;) {
		ret = oob_receive(s->run.conn, frame_name(type),
				  time_after(run_peer_timeout(&s->run)),
				  frame, session_error(s));
		if (ret || !is_sign_due(s, frame, type))
			return ret;
		ret = take_sign(s, frame, type, &limit);
		frame_free(frame);
		if (ret)
			return ret;
	}
}

int session_expect(struct session *s, enum frame_type type, struct frame *frame)
{
	struct frame f;
	int ret = receive(s, type, &f);

	if (ret)
		return ret;
	if (f.type == type) {
		*frame = f;
		return 0;
	}
	ret = session_unexpected(s, &f, type);
	frame_free(&f);
	return ret;
}

int session_work(struct session *s, session_step *step)
{
	const struct plan *plan = s->run.plan;
	struct error *err = session_error(s);
	struct alive *alive;
	int ret = alive_begin(s->run.conn, alive_period(plan->timeout), &alive,
			      err), interrupted;

	if (ret)
		return ret;
	ret = step(s);
	interrupted = alive_end(alive, err);
	return ret ?: interrupted;
}

int session_send_empty(struct session *s, enum frame_type type)
{
	return session_send(s, encode_empty(type));
}

int session_swap(struct session *s, session_step *send, session_step *take)
{
	return s->run.client ? send(s) ?: take(s) : take(s) ?: send(s);
}

static int send_bye(struct session *s)
{
	return session_send_empty(s, FRAME_BYE);
}

static int take_bye(struct session *s)
{
	struct frame frame = { 0 };
	int ret = session_expect(s, FRAME_BYE, &frame) ?:
		  decode_empty(&frame, session_error(s));

	frame_free(&frame);
	return ret ?: s->refusal;
}

int session_end(struct session *s)
{
	session_stage(s, "bye");
	s->over = true;
	return session_swap(s, send_bye, take_bye);
}
