/* The loop of an end that only answers or receives. */
#include "config.h"
#include "traffic/loops.h"

#include <errno.h>

#include "traffic/receive.h"
#include "traffic/window.h"

/*
 * True when no more messages will arrive.  On an unreliable transport, once the
 * peer has sent everything, missing messages may arrive until f->loss_timeout
 * after the last one.
 */
static ALWAYS_INLINE bool all_arrived(struct flow *f, uint64_t *silent_since)
{
	uint64_t now;

	if (!atomic_load_explicit(&f->control->peer_sent, memory_order_acquire))
		return false;
	if (f->received / (f->receivers ? f->receivers : 1) >= f->expected)
		return true;
	if (!f->unreliable)
		return false;
	now = clock_ticks(f->clock);
	if (!*silent_since)
		*silent_since = now;
	return now - *silent_since > f->loss_timeout;
}

/* Take the send completions of credits and allowances.  Returns N or a negative
 * errno. */
static ALWAYS_INLINE int reap(struct flow *f, int n)
{
	struct ibv_wc wc[POLL_BATCH];
	int k = poll_batch(f, f->send_cq, wc);

	if (k > 0 && f->allowances)
		k = allowance_retire(f, wc, k);
	if (k > 0)
		k = f->verify ? verify_retire(f, wc, k) :
				flow_completion_failed(f, wc, false);
	return k < 0 ? k : n;
}

/* GROUP: others may send, too, and what they send is nothing but left out, also
 * while the last messages are waited for. */
static ALWAYS_INLINE int respond(struct flow *f, const bool group)
{
	uint32_t seen = window_begin(f);
	uint64_t silent_since = 0;

	if (f->counts_arrivals && !f->window.opened && seen != PHASE_WARMUP)
		window_open(f);
	for (;;) {
		uint32_t command = flow_command(f);
		int n, others = 0;

		if (phase_of(command) == PHASE_ABORT)
			return -ECANCELED;
		next_cqs(f);
		n = take_batch(f, group, &others);
		if (f->counts_arrivals && n >= 0 &&
		    (command != seen || f->posted >= f->polls.timed_from))
			window_note_poll(f, n > 0, n + others < POLL_BATCH);
		if (n >= 0 && (f->verify || f->allowances))
			n = reap(f, n);
		if (n == 0 && all_arrived(f, &silent_since))
			return 0;
		if (group && n == 0 && others)
			f->idle_polls = 0;
		else if (n == 0)
			n = idle(f);
		else if (n > 0)
			silent_since = f->idle_polls = 0;
		if (n < 0)
			return n;
		if (n > 0 && f->counts_arrivals && command != seen &&
		    window_is_edge(f))
			seen = window_edge(f, seen, command);
		tell_progress(f, f->completed + f->received);
	}
}

static int respond_to_group(struct flow *f)
{
	return respond(f, true);
}

static int respond_to_peer(struct flow *f)
{
	return respond(f, false);
}

int responder_run(struct flow *f, enum op op)
{
	int ret = f->sender_qpn ? respond_to_group(f) : respond_to_peer(f);

	(void)op;		/* all operations are received alike */
	if (ret)
		window_cut(f);
	else if (f->counts_arrivals)
		window_settle(f);
	return ret;
}
