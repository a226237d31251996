/* The sizes of a test: START, the traffic, and DONE of each. */
#include "config.h"
#include "session/dialogue.h"

#include <stdlib.h>

#include "inject/inject.h"
#include "net/frames.h"
#include "run/peer_check.h"
#include "run/round.h"
#include "session/setup.h"

/* Receive the peer's START. */
int exchange_await(struct session *s, uint64_t size)
{
	struct error *err = session_error(s);
	struct frame frame = { 0 };
	uint64_t answered;
	int ret = session_expect(s, FRAME_START, &frame) ?:
		  decode_start(&frame, &answered, err) ?:
		  wire_check(FRAME_START, "size", answered, size, size, err);

	frame_free(&frame);
	return ret;
}

/* Send START and, at the client, await the server's; note the times for
 * compare_clocks(). */
int exchange_start(struct session *s, uint64_t size)
{
	struct run *run = &s->run;
	int ret;

	*(run->client ? &run->asked_ticks : &run->answered_ticks) =
		clock_ticks(&run->clock);
	ret = session_send(s, encode_start(size));
	if (ret || !run->client)
		return ret;
	ret = exchange_await(s, size);
	run->answered_ticks = clock_ticks(&run->clock);
	return ret;
}

/* The caller calls done_free(), and free(3) on done->latency. */
static int take_done(struct session *s, const struct frame *frame,
		     struct done *done)
{
	struct run *run = &s->run;
	struct result *r = run->result;
	struct peer_facts facts = run->monitor.peer;
	int ret;

	/* according to its SENT */
	facts.sent = 0;
	for (uint32_t t = 0; t < run->n_flows; t++)
		facts.sent += run->flows[t].expected;
	if (run->latency)
		done->latency = histogram_new();
	ret = decode_done(frame, done, &r->error) ?:
	      peer_check_done(&facts, done, &r->error);
	if (!error_is_set(&r->implausible))
		r->implausible = done->implausible;
	return ret;
}

/* Take the DONE that the monitor received, or else receive it. */
static int receive_done(struct session *s, struct done *done)
{
	struct monitor *m = &s->run.monitor;
	struct frame frame = m->have_done ? m->done : (struct frame){ 0 };
	int ret = 0;

	if (!m->have_done) {
		ret = session_expect(s, FRAME_DONE, &frame);
		m->done_ticks = clock_ticks(m->clock);
	}
	m->have_done = false;
	ret = ret ?: take_done(s, &frame, done);
	frame_free(&frame);
	return ret;
}

/* The client sends DONE first. */
int exchange_done(struct session *s, struct done *mine, struct done *theirs)
{
	struct run *run = &s->run;
	const uint64_t sent_at = clock_ticks(&run->clock);
	int ret = 0;

	if (run->client) {
		compare_heard(run, mine);
		ret = session_send(s, encode_done(mine));
	}
	if (!ret)
		ret = receive_done(s, theirs);
	if (ret)
		return ret;
	if (run->client) {
		compare_clocks(run, sent_at, mine, theirs);
		return 0;
	}
	compare_at_server(run, mine, theirs);
	compare_measure(run, mine);
	return session_send(s, encode_done(mine));
}

/* Make both ends ready and start the monitor. */
static int begin(struct session *s, uint64_t size)
{
	struct run *run = &s->run;

	return round_prepare(run, size) ?:
	       inject_at(run, INJECT_AT_PREPARED) ?:
	       run_fill_receives(run) ?:
	       s->dialogue->start(s, size) ?:
	       round_start(run);
}

static int run_traffic(struct session *s)
{
	int ret;

	session_stage(s, "traffic");
	ret = inject_at(&s->run, INJECT_AT_RUNNING) ?: round_run(&s->run);
	return round_stop(&s->run, ret);
}

/* The traffic ended with RET: combine both ends' counts or, for a failed round,
 * use this end's alone. */
static int finish(struct session *s, int ret)
{
	struct done mine, theirs = { 0 };

	outcome_describe(&s->run, &mine);
	if (!ret)
		ret = s->dialogue->swap(s, &mine, &theirs);
	ret = round_report(&s->run, &mine, ret ? NULL : &theirs, ret);
	done_free(&mine);
	done_free(&theirs);
	free(theirs.latency);
	return ret;
}

/* Begin the traffic of SIZE with the peer, run it, and swap results.  Adds a
 * row to the result as round_report() does. */
static int run_round(struct session *s, uint64_t size)
{
	int ret;

	session_stage(s, "start");
	ret = s->dialogue->await ? s->dialogue->await(s, size) : 0;
	if (ret)
		return ret;
	/* the client's START has just come */
	if (!s->run.client)
		s->run.asked_ticks = clock_ticks(&s->run.clock);
	ret = begin(s, size) ?: finish(s, run_traffic(s));
	round_end(&s->run);
	return ret;
}

int exchange_rounds(struct session *s)
{
	const struct sizes *sizes = &s->run.plan->sizes;
	int ret = 0;

	setup_notify_begin(s);
	while (!ret && s->run.result->n_rows < sizes->n)
		ret = run_round(s, sizes->bytes[s->run.result->n_rows]);
	return ret;
}

int exchange_all(struct session *s)
{
	return exchange_rounds(s) ?: session_end(s);
}
