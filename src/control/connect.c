/* Connects to a server and disconnects again, over and over: the client.  What
 * the server does is in session/connections.c. */
#include "config.h"
#include "control/op.h"

#include <errno.h>
#include <stdlib.h>

#include "base/time.h"
#include "control/link.h"
#include "net/frames.h"

enum { CREATE, EXCHANGE, SERVER, MODIFY, MESSAGE, DESTROY, DISCONNECT };

struct own {
	struct link_end end;
	uint64_t n;		/* connections */
};

static const char *peer_of(const struct control_thread *t)
{
	return t->shared->conn->peer;
}

static int setup(struct control_thread *t)
{
	const struct control_shared *shared = t->shared;
	struct own *own = t->own;

	own->end = (struct link_end){
		.client = true,
		.device = shared->device,
		.plan = &shared->params->plan,
		.path = &shared->path,
	};
	return link_open(&own->end, &t->err);
}

static void release(struct control_thread *t)
{
	struct own *own = t->own;

	link_close(&own->end);
}

/* The server answers each frame at once. */
static uint64_t deadline_of(const struct control_thread *t)
{
	return time_after(t->shared->params->plan.timeout);
}

static int say(struct control_thread *t, struct frame *frame)
{
	int ret = oob_send(t->shared->conn, frame, deadline_of(t), &t->err);

	frame_free(frame);
	return ret;
}

/* Receive the answer, of TYPE; REFUSE is the server's error, and not the end
 * of the dialogue. */
static int hear(struct control_thread *t, enum frame_type type,
		struct frame *frame)
{
	int ret;

	do {
		ret = oob_receive(t->shared->conn, frame_name(type),
				  deadline_of(t), frame, &t->err);
		if (ret || frame->type == type)
			return ret;
		if (frame->type == FRAME_REFUSE || frame->type == FRAME_ABORT)
			ret = frames_take_error(frame, peer_of(t), &t->err);
		else if (frame->type != FRAME_ALIVE)
			ret = fail(&t->err, -EPROTO, NULL,
				   "the %s sent %s where %s was expected",
				   peer_of(t), frame_name(frame->type),
				   frame_name(type));
		frame_free(frame);
	} while (!ret);
	return ret;
}

/* Exchange ENDPOINTs.  *TOOK becomes what the server's calls took, in ns. */
static int exchange(struct control_thread *t, const struct link *link,
		    struct endpoint_qp *peer, uint64_t *took)
{
	struct own *own = t->own;
	struct endpoint_qp qp;
	struct endpoint mine = link_describe(&own->end, link, &qp), theirs;
	struct frame frame;
	int ret;

	encode_endpoint(&frame, &mine);
	ret = say(t, &frame);
	if (!ret)
		ret = hear(t, FRAME_ENDPOINT, &frame);
	if (ret)
		return ret;
	ret = decode_endpoint(&frame, &theirs, &t->err);
	frame_free(&frame);
	if (ret)
		return ret;
	if (theirs.n != 1)
		ret = fail(&t->err, -EPROTO, NULL,
			   "the %s sent an ENDPOINT of %u QPs where 1 was "
			   "agreed", peer_of(t), theirs.n);
	*peer = theirs.qps[0];
	*took = theirs.took;
	free(theirs.qps);
	return ret;
}

/* The end of the exchange: the server's part of it is what it says. */
static int lap_exchange(struct control_thread *t, uint64_t took)
{
	const struct clock *clock = t->shared->clock;
	const uint64_t now = clock_ticks(clock), all = now - t->lap;
	const uint64_t theirs =
		(uint64_t)((double)took / clock_ns_per_tick(clock));

	if (theirs > all)
		return fail(&t->err, -EPROTO, NULL,
			    "the %s says that it worked for %llu ns on a "
			    "connection, longer than this end waited",
			    peer_of(t), (unsigned long long)took);
	control_lap_at(t, EXCHANGE, now - theirs);
	control_lap_at(t, SERVER, now);
	return 0;
}

/* Have the server end all connections but KEEP of them. */
static int disconnect(struct control_thread *t, uint64_t keep)
{
	struct frame frame;
	uint64_t answer;
	int ret;

	encode_start(&frame, keep);
	ret = say(t, &frame);
	if (!ret)
		ret = hear(t, FRAME_START, &frame);
	if (ret)
		return ret;
	ret = decode_start(&frame, &answer, &t->err);
	if (!ret)
		ret = wire_check(&frame, "connections", answer, keep, keep,
				 &t->err);
	frame_free(&frame);
	return ret;
}

/* From the server's answer on: it has a connection, too. */
static int finish(struct control_thread *t, struct link *link,
		  const struct endpoint_qp *peer, uint64_t took)
{
	struct own *own = t->own;
	int ret = lap_exchange(t, took);

	if (!ret)
		ret = link_connect(&own->end, link, peer, &t->err);
	control_lap(t, MODIFY);
	if (!ret)
		ret = link_send(&own->end, link, &t->err);
	control_lap(t, MESSAGE);
	return ret;
}

static int make(struct control_thread *t, void *object)
{
	struct own *own = t->own;
	struct link *link = object;
	struct endpoint_qp peer;
	struct error other = { 0 };
	uint64_t took;
	int ret = link_make(&own->end, link, &t->err);

	if (ret)
		return ret;
	control_lap(t, CREATE);
	ret = exchange(t, link, &peer, &took);
	if (!ret) {
		ret = finish(t, link, &peer, took);
		if (ret)
			disconnect(t, own->n);
	}
	if (ret)
		link_destroy(&own->end, link, &other);
	else
		own->n++;
	return ret;
}

static int undo(struct control_thread *t, void *object)
{
	struct own *own = t->own;
	int ret = link_destroy(&own->end, object, &t->err), told;

	control_lap(t, DESTROY);
	told = disconnect(t, --own->n);
	control_lap(t, DISCONNECT);
	return ret ? ret : told;
}

const struct control_op control_connect = {
	.test = CONTROL_CONNECT,
	.parts = {
		[CREATE] = { .name = "create" },
		[EXCHANGE] = { .name = "exchange" },
		[SERVER] = { .name = "server" },
		[MODIFY] = { .name = "modify" },
		[MESSAGE] = { .name = "first message" },
		[DESTROY] = { .name = "destroy", .undoes = true,
			      .aside = true },
		[DISCONNECT] = { .name = "disconnect", .undoes = true,
				 .aside = true },
	},
	.own_size = sizeof(struct own),
	.object_size = sizeof(struct link),
	.setup = setup,
	.make = make,
	.undo = undo,
	.release = release,
};
