/* Decides where the measured time of a loop begins and ends. */
#include "config.h"
#include "traffic/window.h"

#include "base/numbers.h"

/* The time of the edge: that of the last poll that found completions or, when
 * arrivals are measured, that found messages; send completions are no edge
 * then. */
static uint64_t edge_time(const struct flow *f)
{
	if (f->counts_arrivals && f->polls.arrived_at)
		return f->polls.arrived_at;
	return f->polls.last ? f->polls.last : clock_ticks(f->clock);
}

/* Maximum messages that one completion covers. */
static uint64_t messages_per_completion(const struct flow *f)
{
	if (f->counts_arrivals)
		return 1;
	return f->layout.unsignaled ?
		       f->layout.unsignaled + f->shape.list_length :
		       f->layout.signal_every;
}

/* Forget the polls of the edge just taken, so that the next one starts anew. */
static void edge_taken(struct flow *f)
{
	f->polls.last = f->polls.before = f->polls.due_since = 0;
}

void window_note_poll(struct flow *f, bool found, bool drained)
{
	struct flow_polls *p = &f->polls;
	uint64_t now = clock_ticks(f->clock);

	/* Completions found now arrived after the previous poll, and that poll
	 * came after the time noted for the one before it.  Several queues are
	 * polled round robin, so each waits n_cqs times as long. */
	p->gap = p->before ? (now - p->before) * f->n_cqs : UINT64_MAX;
	p->before = p->last;
	p->last = now;
	p->drained = drained;
	if (!p->due_since)
		p->due_since = now;
	if (found && !p->timed_from) {
		/* the pipeline was empty when the window opened */
		f->window.opening.ticks = now - f->window.opened;
		p->timed_from = flow_last_post(f);
		edge_taken(f);
	}
}

/* When the time is over, the window closes at once: waiting for an edge with a
 * smaller error would lengthen it by more than that error.  A loop that polls
 * as rarely as f->edge_timeout does not wait either: it would never find one.
 */
bool window_is_edge(struct flow *f)
{
	const struct flow_polls *p = &f->polls;
	const bool ends = phase_of(flow_command(f)) >= PHASE_DRAIN &&
			  f->window.opened && !f->shape.iterations;

	return ends || (p->drained && p->gap <= f->edge_error) ||
	       (f->edge_timeout && p->spacing >= f->edge_timeout) ||
	       (p->before && p->last - p->due_since >= f->edge_timeout);
}

/* Upper bound of the ticks since the completions found arrived; UINT64_MAX:
 * unknown.  Without a previous timed poll, take the usual spacing of polls, or
 * the time since the edge became due, plus any stall since then. */
static uint64_t arrived_within(const struct flow *f)
{
	const struct flow_polls *p = &f->polls;
	uint64_t since_due = p->last - p->due_since;
	uint64_t poll = p->spacing ? p->spacing : since_due;

	if (p->gap != UINT64_MAX)
		return p->gap;
	return poll ? since_due + poll : UINT64_MAX;
}

/* The uncertainty of an edge at this poll.  Nothing is unsignaled on the queue
 * pair whose completion it is; on each other one, all messages but one that a
 * completion covers may be. */
static struct flow_edge describe_edge(const struct flow *f)
{
	uint64_t outstanding = f->posted - f->completed;
	uint64_t unsignaled = (f->n_qps - 1) * (messages_per_completion(f) - 1);

	if (!f->polls.drained || unsignaled > outstanding)
		unsignaled = outstanding;
	return (struct flow_edge){
		.ticks = arrived_within(f),
		.messages = f->counts_arrivals ? 0 : unsignaled,
	};
}

static void open_at(struct flow *f, uint64_t ticks)
{
	f->window.opened = ticks;
	f->window.warmup = window_messages(f);
	f->window.received = f->received;
	f->dryness.checks = f->dryness.dry = 0;
}

void window_open(struct flow *f)
{
	open_at(f, clock_ticks(f->clock));
	f->polls.timed_from = 0;
}

static void close_now(struct flow *f)
{
	f->window.closed = edge_time(f);
	f->window.counted = window_messages(f) - f->window.warmup;
	f->window.closing = describe_edge(f);
}

void window_close(struct flow *f)
{
	f->polls.drained = true;
	close_now(f);
}

void window_settle(struct flow *f)
{
	if (!f->window.opened || f->window.closed)
		return;
	window_close(f);
	f->window.closing.ticks = UINT64_MAX;
}

void window_cut(struct flow *f)
{
	if (!f->window.opened || f->window.closed)
		return;
	/* the last timed poll may be long ago */
	f->polls.last = 0;
	window_settle(f);
	f->window.cut = true;
}

static void answer_mark(struct flow *f, uint32_t command)
{
	const struct flow_edge here = describe_edge(f);
	struct flow_edge *mark = &f->window.mark;

	mark->ticks = larger(mark->ticks, here.ticks);
	mark->messages = larger(mark->messages, here.messages);
	f->progress->mark_ticks = edge_time(f);
	f->progress->mark_counted = window_messages(f) - f->window.warmup;
	f->progress->mark_received = f->received - f->window.received;
	atomic_store_explicit(&f->progress->marked, command / FLOW_MARK,
			      memory_order_release);
}

uint32_t window_begin(const struct flow *f)
{
	uint32_t answered = atomic_load_explicit(&f->progress->marked,
						 memory_order_relaxed);

	return flow_phase(f) == PHASE_WARMUP ?
		       PHASE_WARMUP : PHASE_MEASURE | answered * FLOW_MARK;
}

uint32_t window_edge(struct flow *f, uint32_t seen, uint32_t command)
{
	/* The monitor reads an answer before it requests the next mark.  The
	 * loop read the command word relaxed; acquire it here, so that writing
	 * the next answer cannot overtake the monitor's read. */
	atomic_load_explicit(&f->control->command, memory_order_acquire);
	if (phase_of(seen) == PHASE_WARMUP) {
		f->window.opening = describe_edge(f);
		open_at(f, edge_time(f));
		command = PHASE_MEASURE;
	} else if (phase_of(command) == PHASE_MEASURE) {
		answer_mark(f, command);
	} else if (!f->shape.iterations && !f->window.closed) {
		close_now(f);
	}
	edge_taken(f);
	return command;
}
