#include "config.h"
#include "session/exchange.h"

#include "base/time.h"
#include "run/peer_check.h"

static int say_start(struct session *s, uint64_t size)
{
	struct frame frame;

	encode_start(&frame, size);
	return session_send(s, &frame);
}

static int hear_start(struct session *s, uint64_t size)
{
	struct error *err = &s->result->error;
	struct frame frame;
	uint64_t answered;
	int ret = session_expect(s, FRAME_START, &frame);

	if (ret)
		return ret;
	ret = decode_start(&frame, &answered, err);
	frame_free(&frame);
	return ret ? ret : wire_check(&frame, "size", answered, size, size,
				      err);
}

int exchange_start(struct session *s, uint64_t size)
{
	int ret = say_start(s, size);

	return ret || !s->client ? ret : hear_start(s, size);
}

static int say_done(struct session *s, const struct done *done)
{
	struct frame frame;

	encode_done(&frame, done);
	return session_send(s, &frame);
}

/* Messages that the peer has said it sent. */
static uint64_t sent_by_peer(const struct session *s)
{
	uint64_t sent = 0;

	for (uint32_t t = 0; t < s->n_flows; t++)
		sent += s->flows[t].expected;
	return sent;
}

/* done_free() and free(done->latency) it. */
static int take_done(struct session *s, const struct monitor *m,
		     const struct frame *frame, const struct done *mine,
		     struct done *done)
{
	struct peer_facts facts = m->peer;
	int ret;

	facts.has_sent = atomic_load(&s->control->peer_sent);
	facts.sent = sent_by_peer(s);
	facts.elapsed = time_since(m->began_at);
	facts.mine = mine;
	if (s->latency)
		done->latency = histogram_new();
	ret = decode_done(frame, done, &s->result->error);
	return ret ? ret : peer_check_done(&facts, done, &s->result->error);
}

/* The monitor may have heard it already. */
static int hear_done(struct session *s, struct monitor *m,
		     const struct done *mine, struct done *done)
{
	struct frame frame;
	int ret = 0;

	if (m->have_done)
		frame = m->done;
	else
		ret = session_expect(s, FRAME_DONE, &frame);
	m->have_done = false;
	if (ret)
		return ret;
	ret = take_done(s, m, &frame, mine, done);
	frame_free(&frame);
	return ret;
}

int exchange_done(struct session *s, struct monitor *m,
		  const struct done *mine, struct done *theirs)
{
	int ret = 0;

	if (s->client)
		ret = say_done(s, mine);
	if (!ret)
		ret = hear_done(s, m, mine, theirs);
	if (!ret && !s->client)
		ret = say_done(s, mine);
	return ret;
}
