#include "config.h"
#include "control/outcome.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/xalloc.h"
#include "traffic/open_loop.h"
#include "verbs/explain.h"

#define CAUSE_WAIT_MS 50

static const struct plan *plan_of(const struct session *s)
{
	return &s->result->params.plan;
}

/* From the first opening of a loop's window to the last closing of one. */
static uint64_t merged_window(const struct session *s)
{
	uint64_t opened = UINT64_MAX, closed = 0;

	for (uint32_t t = 0; t < s->n_flows; t++) {
		const struct flow *f = &s->flows[t];

		if (f->opened && f->opened < opened)
			opened = f->opened;
		if (f->opened && f->closed > closed)
			closed = f->closed;
	}
	return closed > opened ? closed - opened : 0;
}

static uint64_t to_ns(uint64_t ticks, double tick)
{
	return (uint64_t)llround((double)ticks * tick);
}

static struct thread_row describe_thread(const struct session *s, uint32_t t,
					 double tick)
{
	const struct cpus *cpus = &s->result->params.cpus;
	const struct flow *f = &s->flows[t];
	struct thread_row row = {
		.cpu = cpus->n ? cpus->id[t % cpus->n] : PLAN_AUTO,
		.qps = f->n_qps,
		.iterations = f->counted,
	};

	if (f->opened && f->closed > f->opened)
		row.window_ns = to_ns(f->closed - f->opened, tick);
	return row;
}

static void describe_threads(const struct session *s, struct done *done)
{
	if (s->n_flows < 2)
		return;
	done->n_threads = s->n_flows;
	done->threads = xcalloc(s->n_flows, sizeof(*done->threads));
	for (uint32_t t = 0; t < s->n_flows; t++)
		done->threads[t] = describe_thread(s, t, done->ns_per_tick);
}

static void describe_clock(const struct session *s,
			   struct clock_description *clock, double tick)
{
	*clock = (struct clock_description){
		.resolution_ns = s->clock.resolution * tick,
		.read_cost_ns = s->clock.read_cost * tick,
		.deviation = s->watch.deviation,
	};
	memcpy(clock->source, s->clock.source, strlen(s->clock.source) + 1);
}

/* Without --interval fewer than ten say nothing. */
static void describe_intervals(const struct session *s,
			       const struct monitor *m, struct done *done)
{
	uint32_t n = m->progress->log.n;

	if (!s->result->params.interval && n < INTERVALS_LEAST + 1)
		return;
	done->intervals = intervals_get(&m->progress->log, done->ns_per_tick,
					&done->n_intervals);
}

/* The last completion was before the monitor last saw one more; or, if it has
 * not seen all, since then: then where the loop ended is as near. */
void outcome_settle(struct session *s, const struct monitor *m)
{
	if (progress_total(m->progress) != m->messages)
		return;
	for (uint32_t t = 0; t < s->n_flows; t++) {
		struct flow *f = &s->flows[t];

		if (f->cut && f->opened < m->progress_ticks &&
		    m->progress_ticks < f->closed)
			f->closed = m->progress_ticks;
	}
}

void outcome_describe(struct session *s, const struct monitor *m,
		      struct done *done)
{
	double tick = clock_ns_per_tick(&s->clock);

	*done = (struct done){
		.ns_per_tick = tick,
		.window_ns = to_ns(merged_window(s), tick),
		.latency = s->latency,
		.method = s->client || plan_is_pingpong(plan_of(s)) ?
				  s->res.method : POST_AUTO,
	};
	for (uint32_t t = 0; t < s->n_flows; t++) {
		done->posted += s->flows[t].posted;
		done->received += s->flows[t].received;
		done->counted += s->flows[t].counted;
		if (s->flows[t].open)
			done->late += s->flows[t].open->late;
	}
	describe_clock(s, &done->clock, tick);
	describe_threads(s, done);
	describe_intervals(s, m, done);
}

static void summarise_latency(const struct session *s,
			      const struct done *done, struct result_row *row)
{
	const struct parameters *params = &s->result->params;
	double ns = done->ns_per_tick * result_latency_factor(plan_of(s));

	row->latency = summary_latency(done->latency, ns);
	for (uint32_t i = 0; i < params->percentiles.n; i++)
		row->percentiles[i] = summary_percentile(
			done->latency, params->percentiles.per_million[i], ns);
	if (params->histogram)
		row->bins = summary_bins(done->latency, ns, &row->n_bins);
}

struct result_row *outcome_add_row(struct session *s, uint64_t size,
				   struct done *done)
{
	struct result *r = s->result;
	const struct plan *plan = plan_of(s);
	struct result_row *row = &r->rows[r->n_rows++];

	*row = (struct result_row){
		.size = size,
		.tx_depth = plan_depth(plan, size),
		.cq_mod = plan_cq_mod(plan, size),
		.post_list = plan_post_list(plan, size),
		.method = done->method,
		.iterations = done->counted,
		.sent = done->posted,
		.seconds = (double)done->window_ns / 1e9,
		.n_threads = done->n_threads,
		.threads = done->threads,
		.n_intervals = done->n_intervals,
		.intervals = done->intervals,
	};
	row->bandwidth = summary_bandwidth(done->counted, size, row->seconds);
	intervals_summarise(row->intervals, row->n_intervals, size,
			    &row->bandwidth);
	row->load = load_summarise(plan, size, done->counted, row->seconds,
				   done->late);
	if (done->latency)
		summarise_latency(s, done, row);
	done->threads = NULL;
	done->intervals = NULL;
	r->clock = done->clock;
	return row;
}

int outcome_compare(struct session *s, struct result_row *row,
		    const struct done *server)
{
	if (!op_table[plan_of(s)->op].receives)
		return 0;
	row->checked = true;
	row->received = server->received;
	if (row->sent == row->received)
		return 0;
	row->failed = true;
	return fail(&s->result->error, -EIO, NULL,
		    "%s of %llu bytes: the client sent %llu messages, the "
		    "server received %llu", op_table[plan_of(s)->op].name,
		    (unsigned long long)row->size,
		    (unsigned long long)row->sent,
		    (unsigned long long)row->received);
}

/* The loop that failed first hand; NULL when none did. */
static struct flow *find_failed(struct session *s)
{
	struct flow *flushed = NULL;

	for (uint32_t t = 0; t < s->n_flows; t++) {
		struct flow *f = &s->flows[t];

		if (flow_find_failure(f))
			return f;
		if (f->failure.verb)
			flushed = f;
	}
	return flushed;
}

static bool is_cause(const struct flow *f)
{
	return f && f->failure.status != IBV_WC_WR_FLUSH_ERR;
}

/* The cause may reach its queue a moment after what was flushed for it. */
static struct flow *find_cause(struct session *s)
{
	static const struct timespec pause = { .tv_nsec = 1000000 };
	struct flow *f = find_failed(s);

	for (int ms = 0; !is_cause(f) && ms < CAUSE_WAIT_MS; ms++) {
		nanosleep(&pause, NULL);
		f = find_failed(s);
	}
	return f;
}

int outcome_explain(struct session *s, const struct monitor *m, int ret)
{
	struct error *err = &s->result->error;
	bool aborted = error_is_set(&m->err);
	bool event = !m->err.from_peer &&
		     !strncmp(m->err.code, "IBV_EVENT_", 10);
	struct flow *f = !aborted || event ? find_cause(s) : NULL;

	if (f)
		return explain_failure(&f->failure, plan_of(s)->op,
				       f->qps[f->failure.qp_index].qp->qp_num,
				       err);
	if (aborted && !error_is_set(err)) {
		char stage[sizeof(err->stage)];

		memcpy(stage, err->stage, sizeof(stage));
		*err = m->err;
		if (!err->from_peer)
			memcpy(err->stage, stage, sizeof(stage));
	}
	return ret;
}
