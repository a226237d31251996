#include "config.h"
#include "traffic/window.h"

#include "base/numbers.h"

/* When completions were last found or, where messages that came in are
 * measured, when the last did: other completions are no edge of these. */
static uint64_t edge_time(const struct flow *f)
{
	if (f->by_receiver && f->arrived_at)
		return f->arrived_at;
	return f->looked_at ? f->looked_at : clock_ticks(f->clock);
}

/* Messages that one completion stands for at most. */
static uint64_t stands_for(const struct flow *f)
{
	if (f->by_receiver)
		return 1;
	return f->quiet ? (f->quiet + 1) * (uint64_t)f->shape.list_length :
			  f->list_every;
}

void window_look(struct flow *f, bool found, bool drained)
{
	uint64_t now = clock_ticks(f->clock);

	/* What is found now was not there at the look before, which was after
	 * the time noted for the one before that.  Of several queues each is
	 * looked at in its turn. */
	f->gap = f->looked_before ? (now - f->looked_before) * f->n_cqs :
				    UINT64_MAX;
	f->looked_before = f->looked_at;
	f->looked_at = now;
	f->drained = drained;
	if (!f->due_since)
		f->due_since = now;
	if (found && !f->watch_from) {
		/* the pipeline was empty when the window opened */
		f->opening.ticks = now - f->opened;
		f->watch_from = flow_last_post(f);
	}
}

/* A time that is over ends the window at once: to wait for a better end would
 * make it longer, by more than that end is off.  Nor would a loop with a turn
 * every other millisecond find a better edge. */
bool window_is_edge(struct flow *f)
{
	const bool ends = phase_of(flow_command(f)) >= PHASE_DRAIN &&
			  f->opened && !f->shape.iterations;

	return ends || (f->drained && f->gap <= f->sharp) ||
	       (f->hurry && f->spacing >= f->hurry) ||
	       (f->looked_before && f->looked_at - f->due_since >= f->hurry);
}

/* Where the look before is not known it was as long ago as turns usually are
 * apart, or as this one took; or longer when the loop stood still since. */
static uint64_t came_within(const struct flow *f)
{
	uint64_t since_due = f->looked_at - f->due_since;
	uint64_t turn = f->spacing ? f->spacing : since_due;

	if (f->gap != UINT64_MAX)
		return f->gap;
	return turn ? since_due + turn : UINT64_MAX;
}

/* What is known of the edge that is here.  Of the queue pair whose completion
 * it is all is known, of the others as much as their last completion told. */
static struct flow_edge describe_edge(const struct flow *f)
{
	uint64_t outstanding = f->posted - f->completed;
	uint64_t untold = (f->n_qps - 1) * (stands_for(f) - 1);

	if (!f->drained || untold > outstanding)
		untold = outstanding;
	return (struct flow_edge){ came_within(f), f->by_receiver ? 0 : untold };
}

/* An edge was taken: the next becomes due anew. */
static void edge_taken(struct flow *f)
{
	f->looked_at = f->looked_before = f->due_since = 0;
}

static void open_at(struct flow *f, uint64_t ticks)
{
	f->opened = ticks;
	f->warmup = window_messages(f);
	f->looks = f->dry = 0;
}

void window_open(struct flow *f)
{
	open_at(f, clock_ticks(f->clock));
	f->watch_from = 0;
}

static void close_now(struct flow *f)
{
	f->closed = edge_time(f);
	f->counted = window_messages(f) - f->warmup;
	f->closing = describe_edge(f);
}

void window_close(struct flow *f)
{
	f->drained = true;
	close_now(f);
}

void window_settle(struct flow *f)
{
	if (!f->opened || f->closed)
		return;
	window_close(f);
	f->closing.ticks = UINT64_MAX;
}

void window_cut(struct flow *f)
{
	if (!f->opened || f->closed)
		return;
	/* the last look for an edge may be long ago */
	f->looked_at = 0;
	window_close(f);
	f->closing.ticks = UINT64_MAX;
	f->cut = true;
}

static void answer_mark(struct flow *f, uint32_t command)
{
	const struct flow_edge here = describe_edge(f);

	f->mark.ticks = larger(f->mark.ticks, here.ticks);
	f->mark.messages = larger(f->mark.messages, here.messages);
	f->progress->mark_ticks = edge_time(f);
	f->progress->mark_counted = window_messages(f) - f->warmup;
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
	/* the monitor read the last answer before it asked for the next: here
	 * its word is acquired, which the loop only looked at */
	atomic_load_explicit(&f->control->command, memory_order_acquire);
	if (phase_of(seen) == PHASE_WARMUP) {
		f->opening = describe_edge(f);
		open_at(f, edge_time(f));
		command = PHASE_MEASURE;
	} else if (phase_of(command) == PHASE_MEASURE) {
		answer_mark(f, command);
	} else if (!f->shape.iterations && !f->closed) {
		close_now(f);
	}
	edge_taken(f);
	return command;
}
