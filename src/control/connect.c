/* Connects to a server and disconnects again, over and over: the client.  What
 * the server does is in session/connections.c. */
#include "config.h"
#include "control/op.h"

#include "control/link.h"
#include "control/peer.h"
#include "net/frames.h"

enum { CREATE, EXCHANGE, SERVER, MODIFY, MESSAGE, DESTROY, DISCONNECT };

struct own {
	struct link_end end;
	uint64_t n;		/* connections */
};

static int setup(struct control_thread *t)
{
	struct own *own = t->own;

	own->end = peer_link_end(t);
	return link_open(&own->end, &t->err);
}

static void release(struct control_thread *t)
{
	struct own *own = t->own;

	link_close(&own->end);
}

/* Exchange ENDPOINTs.  *TOOK becomes what the server's calls took, in ns. */
static int exchange(struct control_thread *t, const struct link *link,
		    struct endpoint_qp *peer, uint64_t *took)
{
	struct own *own = t->own;
	struct endpoint_qp qp;
	struct endpoint mine = link_describe(&own->end, link, &qp), theirs;
	int ret = peer_exchange(t, &mine, peer, &theirs);

	*took = ret ? 0 : theirs.took;
	return ret;
}

/* Make the server close all connections but KEEP of them. */
static int disconnect(struct control_thread *t, uint64_t keep)
{
	struct frame frame = { 0 };
	uint64_t answer;
	int ret = peer_send(t, encode_start(keep)) ?:
		  peer_receive(t, FRAME_START, &frame) ?:
		  decode_start(&frame, &answer, &t->err) ?:
		  wire_check(FRAME_START, "connections", answer, keep, keep,
			     &t->err);

	frame_free(&frame);
	/* unlike other refusals, one of this ends the dialogue */
	return ret ? peer_is_lost(t, ret) : 0;
}

/* Complete the connection after the server's answer, which has made one,
 * too. */
static int finish(struct control_thread *t, struct link *link,
		  const struct endpoint_qp *peer, uint64_t took)
{
	struct own *own = t->own;
	int ret;

	peer_lap(t, EXCHANGE, SERVER, took);
	ret = link_connect(&own->end, link, peer, &t->err);
	control_lap(t, MODIFY);
	if (!ret) {
		ret = link_send(&own->end, link, &t->err);
		t->shared->broken = ret;
	}
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
	return ret ?: told;
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
