/* What a control test and its server tell each other over TCP. */
#include "config.h"
#include "control/peer.h"

#include <errno.h>
#include <stdlib.h>

#include "base/numbers.h"
#include "base/time.h"
#include "net/frames.h"

static const char *peer_of(const struct control_thread *t)
{
	return t->shared->conn->peer;
}

struct link_end peer_link_end(const struct control_thread *t)
{
	const struct control_shared *shared = t->shared;

	return (struct link_end){
		.client = true,
		.device = shared->device,
		.plan = &shared->params->plan,
		.path = &shared->path,
	};
}

/* The server answers each frame at once. */
static uint64_t deadline_of(const struct control_thread *t)
{
	return time_after(t->shared->params->plan.timeout);
}

int peer_is_lost(struct control_thread *t, int ret)
{
	t->shared->lost = true;
	return ret;
}

int peer_check(struct control_thread *t)
{
	if (!t->shared->lost)
		return 0;
	return fail(&t->err, -ECONNRESET, NULL,
		    "the %s is asked nothing more, as an answer failed",
		    peer_of(t));
}

int peer_send(struct control_thread *t, struct frame frame)
{
	int ret = peer_check(t) ?:
		  oob_send(t->shared->conn, &frame, deadline_of(t), &t->err);

	frame_free(&frame);
	return ret ? peer_is_lost(t, ret) : 0;
}

/* FRAME came where WANTED was due, or nothing was. */
static int take_other(struct control_thread *t, const struct frame *frame,
		      const char *wanted)
{
	if (frame->type == FRAME_ALIVE)
		return 0;
	if (frame->type == FRAME_REFUSE)
		return frames_take_error(frame, peer_of(t), &t->err);
	if (frame->type == FRAME_ABORT)
		return peer_is_lost(t, frames_take_error(frame, peer_of(t),
							 &t->err));
	return peer_is_lost(t, wire_fail(&t->err, peer_of(t), "answer",
					 "the %s sent %s where %s was expected",
					 peer_of(t), frame_name(frame->type),
					 wanted));
}

int peer_receive(struct control_thread *t, enum frame_type type,
		 struct frame *frame)
{
	const uint64_t deadline = deadline_of(t);
	int ret;

	do {
		ret = oob_receive(t->shared->conn, frame_name(type), deadline,
				  frame, &t->err);
		if (ret)
			return peer_is_lost(t, ret);
		if (frame->type == type)
			return 0;
		ret = take_other(t, frame, frame_name(type));
		frame_free(frame);
	} while (!ret);
	return ret;
}

int peer_receive_trouble(struct control_thread *t)
{
	struct frame frame;
	int ret = oob_take(t->shared->conn, "rdma_cm", &frame, &t->err);

	if (ret)
		return ret == -EAGAIN ? 0 : peer_is_lost(t, ret);
	ret = take_other(t, &frame, "nothing");
	frame_free(&frame);
	return ret;
}

int peer_exchange(struct control_thread *t, const struct endpoint *mine,
		  struct endpoint_qp *qp, struct endpoint *theirs)
{
	struct frame frame;
	int ret = peer_send(t, encode_endpoint(mine)) ?:
		  peer_receive(t, FRAME_ENDPOINT, &frame);

	if (ret)
		return ret;
	ret = decode_endpoint(&frame, theirs, &t->err);
	frame_free(&frame);
	if (ret)
		return peer_is_lost(t, ret);
	if (theirs->n != 1)
		ret = wire_refuse(&t->err, peer_of(t), FRAME_ENDPOINT,
				  "of %u QPs where 1 was agreed", theirs->n);
	*qp = theirs->qps[0];
	free(theirs->qps);
	theirs->qps = NULL;
	return ret ? peer_is_lost(t, ret) : 0;
}

/* The server's time is by its own clock, and cannot be more than all. */
void peer_lap(struct control_thread *t, uint32_t part, uint32_t server,
	      uint64_t took)
{
	const struct clock *clock = t->shared->clock;
	const uint64_t now = clock_ticks(clock), all = now - t->lap;
	const double tick = clock_ns_per_tick(clock);
	const uint64_t theirs = (uint64_t)((double)took / tick);

	if (theirs > all)
		fail(&t->shared->implausible, -EPROTO, NULL,
		     "the %s worked for %llu ns on a connection, and this end "
		     "waited for %.0f (which count as its work)",
		     peer_of(t), (unsigned long long)took, (double)all * tick);
	control_lap_at(t, part, now - smaller(theirs, all));
	control_lap_at(t, server, now);
}
