#include "config.h"
#include "control/exchange.h"

#include "control/frames.h"

static const struct plan *plan_of(const struct session *s)
{
	return &s->result->params.plan;
}

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

/* What the peer says must suit the plan. */
static int check_done(struct session *s, const struct frame *frame,
		      const struct done *done)
{
	struct error *err = &s->result->error;
	const struct plan *plan = plan_of(s);
	bool measures = plan_measures(plan, !s->client);
	uint32_t threads = measures && plan->threads > 1 ? plan->threads : 0;
	int ret = wire_check(frame, "threads", done->n_threads, threads,
			     threads, err);

	for (uint32_t i = 0; i < done->n_threads && !ret; i++)
		ret = wire_check(frame, "QPs of a thread",
				 done->threads[i].qps, 1, plan->qps, err);
	if (!ret && (s->latency || !measures))
		ret = wire_check(frame, "number of intervals",
				 done->n_intervals, 0, 0, err);
	if (!ret && !measures)
		ret = wire_check(frame, "counted", done->counted, 0, 0, err);
	if (!ret && s->latency)
		ret = wire_check(frame, "samples", done->latency->count,
				 done->counted, done->counted, err);
	if (!ret)
		ret = wire_check(frame, "late", done->late, 0,
				 plan_is_open(plan) ? done->counted : 0, err);
	return ret;
}

/* done_free() and free(done->latency) it. */
static int take_done(struct session *s, const struct frame *frame,
		     struct done *done)
{
	int ret;

	if (s->latency)
		done->latency = histogram_new();
	ret = decode_done(frame, done, &s->result->error);
	return ret ? ret : check_done(s, frame, done);
}

/* The monitor may have heard it already. */
static int hear_done(struct session *s, struct monitor *m, struct done *done)
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
	ret = take_done(s, &frame, done);
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
		ret = hear_done(s, m, theirs);
	if (!ret && !s->client)
		ret = say_done(s, mine);
	return ret;
}
