#include "config.h"
#include "traffic/window.h"

/* Now or, where messages that came in are measured, when the last did: other
 * completions are no edge of these. */
static uint64_t edge_time(const struct flow *f)
{
	if (f->by_receiver && f->arrived_at)
		return f->arrived_at;
	return clock_ticks(f->clock);
}

void window_open(struct flow *f)
{
	f->opened = edge_time(f);
	f->warmup = window_messages(f);
}

void window_close(struct flow *f)
{
	f->closed = edge_time(f);
	f->counted = window_messages(f) - f->warmup;
}

void window_settle(struct flow *f)
{
	if (f->opened && !f->closed)
		window_close(f);
}

void window_cut(struct flow *f)
{
	if (!f->opened || f->closed)
		return;
	window_close(f);
	f->cut = true;
}

static void answer_mark(struct flow *f, uint32_t command)
{
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
		window_open(f);
		return PHASE_MEASURE;
	}
	if (phase_of(command) == PHASE_MEASURE)
		answer_mark(f, command);
	else if (!f->shape.iterations && !f->closed)
		window_close(f);
	return command;
}
