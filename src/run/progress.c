/* Asks the loops how far they are, and notes where each interval ends. */
#include "config.h"
#include "run/progress.h"

#include <math.h>
#include <stdio.h>

#include "base/log.h"
#include "base/numbers.h"
#include "base/time.h"

#define LINE_NS (SECOND / 2)
/* How soon after a mark was requested its answers are read at first, in ns;
 * each further wait is twice as long. */
#define FIRST_WAIT (SECOND / 1000)

void progress_init(struct progress *p)
{
	intervals_init(&p->log, 2 * (p->most < 2 ? 2 : p->most));
	p->wake_at = p->next_at = p->line_at = UINT64_MAX;
}

void progress_free(struct progress *p)
{
	intervals_free(&p->log);
}

/* The earliest opening of the loops' windows. */
static uint64_t first_opened(const struct progress *p)
{
	uint64_t opened = UINT64_MAX;

	for (uint32_t i = 0; i < p->n_flows; i++)
		if (p->flows[i].window.opened)
			opened = smaller(opened, p->flows[i].window.opened);
	return opened;
}

/* The latest closing of those that opened. */
static uint64_t last_closed(const struct progress *p)
{
	uint64_t closed = 0;

	for (uint32_t i = 0; i < p->n_flows; i++)
		if (p->flows[i].window.opened)
			closed = larger(closed, p->flows[i].window.closed);
	return closed;
}

uint64_t progress_window(const struct progress *p)
{
	const uint64_t opened = first_opened(p), closed = last_closed(p);

	return closed > opened ? closed - opened : 0;
}

uint64_t progress_total(const struct progress *p)
{
	uint64_t messages = 0;

	for (uint32_t i = 0; i < p->n_flows; i++)
		messages += atomic_load_explicit(
			&p->flows[i].progress->messages, memory_order_relaxed);
	return messages;
}

void progress_measure(struct progress *p, uint64_t now, uint64_t end)
{
	p->began_at = now;
	p->line_at = p->line ? now + LINE_NS : UINT64_MAX;
	p->line_messages = progress_total(p);
	p->next_at = p->interval ? now + p->interval : UINT64_MAX;
	p->duration = end == UINT64_MAX ? 0 : end - now;
	p->wake_at = smaller(p->next_at, p->line_at);
}

/* Request the next mark, unless the last is unanswered or the end, which is an
 * edge as well, is near. */
static void request_mark(struct progress *p, uint64_t now)
{
	uint64_t end = p->duration ? p->began_at + p->duration : UINT64_MAX;

	do {
		p->next_at += p->interval;
	} while (p->next_at <= now);
	if (p->waiting || end < now + p->interval / 2)
		return;
	p->requested++;
	p->waiting = true;
	p->wait = FIRST_WAIT;
	atomic_fetch_add(&p->control->command, FLOW_MARK);
}

static bool has_answered(const struct progress *p, const struct flow *f)
{
	return atomic_load_explicit(&f->progress->marked,
				    memory_order_acquire) == p->requested;
}

static bool answered(const struct progress *p)
{
	for (uint32_t i = 0; i < p->n_flows; i++) {
		const struct flow *f = &p->flows[i];

		if (!atomic_load_explicit(&f->progress->over,
					  memory_order_acquire) &&
		    !has_answered(p, f))
			return false;
	}
	return true;
}

/*
 * Form an edge from the loops' answers: their mean time, their total, and what
 * had arrived of the peer's messages.  False if
 * no loop answered before its end, or time has not passed since the last edge.
 */
static bool read_mark(struct progress *p, struct mark *mark)
{
	uint64_t opened = first_opened(p), since = 0, answers = 0;
	uint64_t arrivals = 0;

	*mark = (struct mark){ 0 };
	for (uint32_t i = 0; i < p->n_flows; i++) {
		const struct flow *f = &p->flows[i];

		if (!has_answered(p, f)) {
			mark->messages += f->window.counted;
			arrivals += f->received - f->window.received;
			continue;
		}
		mark->messages += f->progress->mark_counted;
		arrivals += f->progress->mark_received;
		since += f->progress->mark_ticks - opened;
		answers++;
	}
	p->arrivals = arrivals;
	if (answers)
		mark->time = opened + since / answers;
	return answers && mark->time > (p->log.n ? p->last.time : opened);
}

static void say_row(const struct progress *p, const struct mark *from,
		    const struct mark *to, uint64_t opened)
{
	double ns = clock_ns_per_tick(p->clock);
	double start = (double)(from->time - opened) * ns / 1e9;
	double end = (double)(to->time - opened) * ns / 1e9;
	struct bandwidth_summary b = summary_bandwidth(
		to->messages - from->messages, p->size, end - start);
	char text[160];

	snprintf(text, sizeof(text),
		 " %9.3f-%-9.3f s %12.3f Gb/s %12.2f MiB/s %12.6f Mpps\n",
		 start, end, b.gbps, b.mib_per_s, b.mpps);
	log_row(text);
}

static void tell(struct progress *p, const struct mark *from,
		 const struct mark *to, uint64_t opened)
{
	const struct result *r = p->result;
	double ns = clock_ns_per_tick(p->clock);
	bool received = p->flows[0].counts_arrivals;

	p->unread |= !r->observer->interval(r->observer, r, &(struct observed){
		.size = p->size,
		.interval.start_ns = (uint64_t)llround(
			(double)(from->time - opened) * ns),
		.interval.length_ns = (uint64_t)llround(
			(double)(to->time - from->time) * ns),
		.interval.messages = to->messages - from->messages,
		.from_client = r->at_server == received,
		.received = received,
		.arrivals = p->arrivals - p->last_arrivals,
	});
}

/* Close an interval at MARK, and report it. */
static void take_edge(struct progress *p, const struct mark *mark)
{
	if (p->log.n == 0) {
		p->last = (struct mark){ .time = first_opened(p) };
		intervals_open(&p->log, p->last);
	}
	if (p->rows)
		say_row(p, &p->last, mark, p->log.marks[0].time);
	if (p->result->observer)
		tell(p, &p->last, mark, p->log.marks[0].time);
	p->last = *mark;
	p->last_arrivals = p->arrivals;
}

static void take_mark(struct progress *p)
{
	struct mark mark;

	p->waiting = false;
	if (!read_mark(p, &mark))
		return;
	take_edge(p, &mark);
	intervals_mark(&p->log, mark);
}

#define SPEED_SIZE 64

/* Format RATE (messages per second); for a closed latency loop, the time that
 * each message takes. */
static void describe_speed(const struct progress *p, double rate,
			   char text[SPEED_SIZE])
{
	const struct plan *plan = &p->result->params.plan;

	if (plan->metric == METRIC_BANDWIDTH)
		snprintf(text, SPEED_SIZE, "%.3f Gb/s, %.6f Mpps",
			 rate * (double)p->size * 8 / 1e9, rate / 1e6);
	else if (plan_is_open(plan))
		snprintf(text, SPEED_SIZE, "%.6f Mpps", rate / 1e6);
	else if (rate > 0)
		snprintf(text, SPEED_SIZE, "t_avg %.2f us",
			 1e6 / rate * result_latency_factor(plan));
	else
		snprintf(text, SPEED_SIZE, "t_avg -");
}

/* The time that the remaining sizes take, in ns. */
static uint64_t still_to_come(const struct progress *p)
{
	const struct plan *plan = &p->result->params.plan;
	uint32_t sizes = plan->sizes.n - p->result->n_rows - 1;

	return sizes * (plan->warmup + plan->duration);
}

/* Fewer than 80 columns, so that it stays one line of a terminal. */
static void show_line(struct progress *p, uint64_t now)
{
	const struct plan *plan = &p->result->params.plan;
	const bool sweep = plan->sizes.n > 1;
	uint64_t done = now - p->began_at;
	uint64_t left = plan->duration > done ? plan->duration - done : 0;
	double rate = (double)(p->messages - p->line_messages) /
		      ((double)(now - p->line_at + LINE_NS) / 1e9);
	char what[48], time[48], speed[SPEED_SIZE], text[200];

	if (sweep)
		snprintf(what, sizeof(what), "size %u of %u",
			 p->result->n_rows + 1, plan->sizes.n);
	else
		snprintf(what, sizeof(what), "%s", p->name);
	if (!plan->duration)
		snprintf(time, sizeof(time), "%.1f s", (double)done / 1e9);
	else if (sweep)
		snprintf(time, sizeof(time), "%.0f s left",
			 ceil((double)(left + still_to_come(p)) / 1e9));
	else
		snprintf(time, sizeof(time), "%.1f of %.3g s",
			 (double)done / 1e9, (double)plan->duration / 1e9);
	describe_speed(p, rate, speed);
	snprintf(text, sizeof(text), "%s, %llu bytes, %s: %s", what,
		 (unsigned long long)p->size, time, speed);
	log_progress(text);
	p->line_messages = p->messages;
	p->line_at = now + LINE_NS;
}

/* How long until the answers are looked for again. */
static uint64_t next_wait(struct progress *p)
{
	const uint64_t wait = smaller(p->wait, p->interval / 8);

	p->wait *= 2;
	return wait;
}

void progress_update(struct progress *p, uint64_t now)
{
	p->messages = progress_total(p);
	p->wake_at = UINT64_MAX;
	if (phase_of(atomic_load(&p->control->command)) != PHASE_MEASURE)
		return;
	if (p->waiting && answered(p))
		take_mark(p);
	if (now >= p->next_at)
		request_mark(p, now);
	if (now >= p->line_at)
		show_line(p, now);
	p->wake_at = smaller(p->next_at, p->line_at);
	if (p->waiting && p->awaited)
		p->wake_at = smaller(p->wake_at, now + next_wait(p));
}

void progress_close(struct progress *p)
{
	struct mark end = { .time = last_closed(p) };
	uint64_t arrivals = 0;

	if (p->line)
		log_progress(NULL);
	if (p->waiting && answered(p))
		take_mark(p);
	for (uint32_t i = 0; i < p->n_flows; i++) {
		end.messages += p->flows[i].window.counted;
		arrivals += p->flows[i].received -
			    p->flows[i].window.received;
	}
	p->arrivals = arrivals;
	if (!p->interval || !end.time || end.time <= first_opened(p))
		return;
	if (end.time > p->last.time)
		take_edge(p, &end);
	intervals_close(&p->log, end);
	intervals_join(&p->log, p->most);
}
