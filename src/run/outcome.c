/* Turns the counts of the loops into the row of a result. */
#include "config.h"
#include "run/round.h"

#include <math.h>

#include "base/numbers.h"
#include "base/xalloc.h"
#include "host/counters.h"
#include "traffic/open_loop.h"

/* Fewer checks of the send queue do not show how often it was dry. */
#define LEAST_CHECKS 20

static uint64_t to_ns(uint64_t ticks, double tick)
{
	return (uint64_t)llround((double)ticks * tick);
}

/* An error bound in ns: TICKS (UINT64_MAX: unknown) plus the mean time of
 * MESSAGES, at most the whole window. */
static uint64_t error_ns(const struct done *done, uint64_t ticks,
			 uint64_t messages)
{
	double ns = (double)done->window_ns;

	if (ticks == UINT64_MAX || !done->counted)
		return DONE_UNKNOWN;
	return (uint64_t)fmin(ns, (double)ticks * done->ns_per_tick +
				  (double)messages * ns /
					  (double)done->counted);
}

/* Describe how far the window and the intervals may be off: the uncertainty of
 * any loop's edges, plus the spread between the loops' edges. */
static void describe_errors(const struct run *run, struct done *done)
{
	uint64_t opened = 0, closed = UINT64_MAX, opening = 0, closing = 0;
	uint64_t mark = 0, unsignaled = 0, between = 0;

	for (uint32_t t = 0; t < run->n_flows; t++) {
		const struct flow_window *w = &run->flows[t].window;

		opened = larger(opened, w->opened);
		closed = smaller(closed, w->closed);
		opening = larger(opening, w->opening.ticks);
		closing = larger(closing, w->closing.ticks);
		unsignaled += w->opening.messages + w->closing.messages;
		mark = larger(mark, w->mark.ticks);
		between += 2 * w->mark.messages;
	}
	done->window_error = done->interval_error = DONE_UNKNOWN;
	if (run->plan->metric != METRIC_BANDWIDTH || closed <= opened)
		return;
	if (opening != UINT64_MAX && closing != UINT64_MAX)
		done->window_error =
			error_ns(done,
				 progress_window(&run->progress) -
					 (closed - opened) + opening + closing,
				 unsignaled);
	if (mark < UINT64_MAX / 2)
		done->interval_error = error_ns(done, 2 * mark, between);
}

static struct thread_row describe_thread(const struct run *run, uint32_t t,
					 double tick)
{
	const struct cpus *cpus = &run->result->params.cpus;
	const struct flow *f = &run->flows[t];
	struct thread_row row = {
		.cpu = cpus->n ? cpus->id[t % cpus->n] : PLAN_AUTO,
		.qps = f->n_qps,
		.iterations = f->window.counted,
	};

	if (f->window.opened && f->window.closed > f->window.opened)
		row.window_ns = to_ns(f->window.closed - f->window.opened,
				      tick);
	return row;
}

static void describe_threads(const struct run *run, struct done *done)
{
	if (run->n_flows < 2)
		return;
	done->n_threads = run->n_flows;
	done->threads = xcalloc(run->n_flows, sizeof(*done->threads));
	for (uint32_t t = 0; t < run->n_flows; t++)
		done->threads[t] = describe_thread(run, t, done->ns_per_tick);
}

/* Describe what each receiver of a group received, if there are several. */
static void describe_receivers(const struct run *run, struct done *done)
{
	const struct flow *f = run->flows;

	if (run->client || f->receivers < 2)
		return;
	done->n_receivers = f->n_receives;
	done->receivers = xcalloc(f->n_receives, sizeof(*done->receivers));
	for (uint32_t i = 0; i < f->n_receives; i++)
		done->receivers[i] = flow_taken(&f->receives[i]) -
				     f->receives[i].before;
}

/* Without --interval, fewer than ten intervals show nothing. */
static void describe_intervals(const struct run *run, struct done *done)
{
	uint32_t n = run->progress.log.n;

	if (!run->plan->interval && n < INTERVALS_LEAST + 1)
		return;
	done->intervals = intervals_get(&run->progress.log, done->ns_per_tick,
					&done->n_intervals);
}

/*
 * If the monitor has seen every message, the last completion came before it
 * last saw progress.  If not, completions came later, and the end of the loop
 * is as good an estimate.
 */
void outcome_settle(struct run *run)
{
	const struct monitor *m = &run->monitor;

	if (progress_total(&run->progress) != m->messages)
		return;
	for (uint32_t t = 0; t < run->n_flows; t++) {
		struct flow *f = &run->flows[t];

		if (f->window.cut && f->window.opened < m->progress_ticks &&
		    m->progress_ticks < f->window.closed)
			f->window.closed = m->progress_ticks;
	}
}

void outcome_describe(struct run *run, struct done *done)
{
	const struct plan *plan = run->plan;
	double tick = clock_ns_per_tick(&run->clock);
	bool sends = plan_sends(plan, run->client);

	*done = (struct done){
		.ns_per_tick = tick,
		.latency = run->latency,
		.method = sends ? run->res.method : POST_AUTO,
		.inline_size = run->res.inline_size,
		.own.events.known = plan->events,
		.window_error = DONE_UNKNOWN,
		.interval_error = DONE_UNKNOWN,
		.clock = clock_describe(&run->clock, tick,
					run->watch.deviation),
	};
	describe_receivers(run, done);
	done->own.counters = counter_reader_take(run->monitor.counters);
	done->own.packets = run->packets;
	meter_describe(&run->meter, &run->result->params.cpus, &done->own.cpu);
	for (uint32_t t = 0; t < run->n_flows; t++) {
		done->posted += run->flows[t].posted - run->flows[t].left;
		done->left += run->flows[t].left;
		done->received += run->flows[t].received;
		done->others += run->flows[t].others;
		done->lost += run->flows[t].lost;
		done->queue_checks += run->flows[t].dryness.checks;
		done->dry += run->flows[t].dryness.dry;
		done->own.events.sends += run->flows[t].send_events;
		done->own.events.receives += run->flows[t].receive_events;
		if (run->flows[t].open)
			done->late += run->flows[t].open->late;
	}
	if (!plan_measures(plan, run->client))
		return;
	done->window_ns = to_ns(progress_window(&run->progress), tick);
	for (uint32_t t = 0; t < run->n_flows; t++)
		done->counted += run->flows[t].window.counted;
	describe_errors(run, done);
	describe_threads(run, done);
	describe_intervals(run, done);
}

/* Convert the errors to percent of the window and of the mean interval. */
static void set_errors(const struct done *measured, struct result_direction *d)
{
	const double ns = (double)measured->window_ns;

	if (measured->window_error != DONE_UNKNOWN && ns > 0)
		d->bandwidth.error_percent =
			100 * (double)measured->window_error / ns;
	if (measured->interval_error != DONE_UNKNOWN && ns > 0 &&
	    isfinite(d->bandwidth.peak_gbps))
		d->bandwidth.peak_error_percent =
			fmin(100, 100 * (double)measured->interval_error *
					  d->n_intervals / ns);
}

/* Of the messages that the sender did not wait for, those that arrived were
 * sent like others. */
static void count_left(const struct done *sender, struct result_direction *d)
{
	d->left = sender->left;
	if (d->checked && d->received > d->sent &&
	    d->received - d->sent <= d->left) {
		d->left -= d->received - d->sent;
		d->sent = d->received;
	}
}

/* Fill one direction from the counts of its sender and its receiver; NULL:
 * unknown. */
static void fill_direction(struct run *run, uint64_t size, bool from_client,
			   const struct done *sender, struct done *receiver,
			   struct done *measured, struct result_direction *d)
{
	*d = (struct result_direction){ .from_client = from_client };
	if (sender)
		d->sent = sender->posted;
	d->sent_unknown = !sender || (run->plan->quiet && !sender->posted);
	if (receiver && plan_counts_received(run->plan) && !run->plan->quiet) {
		d->checked = sender != NULL;
		d->received = receiver->received;
	}
	if (sender)
		count_left(sender, d);
	if (measured) {
		d->iterations = measured->counted;
		d->seconds = (double)measured->window_ns / 1e9;
		d->n_threads = measured->n_threads;
		d->threads = measured->threads;
		d->n_intervals = measured->n_intervals;
		d->intervals = measured->intervals;
		measured->threads = NULL;
		measured->intervals = NULL;
	}
	d->bandwidth = summary_bandwidth(d->iterations, size, d->seconds);
	intervals_summarise(d->intervals, d->n_intervals, size, &d->bandwidth);
	if (measured && measured->least_gbps > 0)
		d->bandwidth.least_gbps = measured->least_gbps;
	if (measured)
		set_errors(measured, d);
	if (sender && sender->queue_checks >= LEAST_CHECKS)
		d->bandwidth.dry_percent = 100 * (double)sender->dry /
					   (double)sender->queue_checks;
}

static struct result_direction sum(const struct result_direction *a,
				   const struct result_direction *b)
{
	return (struct result_direction){
		.iterations = a->iterations + b->iterations,
		.seconds = fmax(a->seconds, b->seconds),
		.bandwidth = summary_both(&a->bandwidth, &b->bandwidth),
		.sent = a->sent + b->sent,
		.sent_unknown = a->sent_unknown || b->sent_unknown,
		.checked = a->checked && b->checked,
		.received = a->received + b->received,
		.left = a->left + b->left,
	};
}

/* Fill the directions of ROW.  OF[1] is the client's DONE, OF[0] the
 * server's. */
static void fill_directions(struct run *run, struct result_row *row,
			    struct done *const of[2])
{
	const struct plan *plan = run->plan;
	struct result_direction *d = row->directions;
	uint32_t n = 0;

	for (int from = 1; from >= 0; from--) {
		bool client = from == 1;
		struct done *measured =
			of[plan_receiver_measures(plan) ? !from : from];

		/* the server of a latency test sends, too, but only answers */
		if (plan->metric == METRIC_LATENCY ? !client :
		    !plan_sends(plan, client))
			continue;
		fill_direction(run, row->size, client, of[from], of[!from],
			       measured, &d[n++]);
	}
	if (n == 2) {
		row->n_directions = 2;
		row->total = sum(&d[0], &d[1]);
	} else {
		row->total = d[0];
		d[0] = (struct result_direction){ 0 };
	}
}

/* With two directions, the slower one decides whether the rate was reached. */
static struct load summarise_load(const struct plan *plan,
				  const struct result_row *row, uint64_t late)
{
	uint32_t n;
	const struct result_direction *d = result_directions(row, &n);

	d += n > 1 && d[1].bandwidth.mpps < d[0].bandwidth.mpps;
	return load_summarise(plan, row->size, d->iterations, d->seconds, late);
}

/* Describe what this end had under way when its window closed. */
static void describe_drain(const struct run *run, struct result_row *row)
{
	const double tick = clock_ns_per_tick(&run->clock) / 1e9;

	for (uint32_t t = 0; t < run->n_flows; t++) {
		const struct flow *f = &run->flows[t];
		const struct flow_window *w = &f->window;

		if (f->counts_arrivals || !w->closed || w->drained < w->closed)
			continue;
		row->drain_seconds = fmax(row->drain_seconds, tick *
					  (double)(w->drained - w->closed));
		row->drained += f->posted - w->warmup - w->counted;
	}
}

struct result_row *outcome_add_row(struct run *run, uint64_t size,
				   struct done *mine, struct done *theirs)
{
	struct result *r = run->result;
	const struct plan *plan = run->plan;
	struct result_row *row = &r->rows[r->n_rows++];
	struct done *const of[2] = { run->client ? theirs : mine,
				     run->client ? mine : theirs };
	/* its post method and inline size go into the row */
	const struct done *sender = of[!plan->reversed];
	const struct done *timed = of[plan_measures(plan, true)];

	*row = (struct result_row){
		.size = size,
		.tx_depth = plan_depth(plan, size),
		.cq_mod = plan_cq_mod(plan, size),
		.post_list = plan_post_list(plan, size),
	};
	if (sender) {
		row->method = sender->method;
		row->inline_size = sender->inline_size;
	}
	fill_directions(run, row, of);
	describe_drain(run, row);
	for (int client = 0; client < 2; client++)
		if (of[client]) {
			row->at[client] = of[client]->own;
			of[client]->own = (struct end_measured){ 0 };
			r->clocks[client] = of[client]->clock;
		}
	if (of[0]) {
		row->n_receivers = of[0]->n_receivers;
		row->receivers = of[0]->receivers;
		of[0]->receivers = NULL;
		row->others = of[0]->others;
	}
	row->load = summarise_load(plan, row, of[1] ? of[1]->late : 0);
	if (timed && timed->latency) {
		row->lost = timed->lost;
		result_set_samples(&r->params, timed->latency,
				   timed->ns_per_tick *
					   result_latency_factor(plan), row);
	}
	r->clock = r->clocks[plan_measures(plan, true)];
	return row;
}
