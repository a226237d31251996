/* A measurement with perftest at the other end, from the queue pairs on. */
#include "config.h"
#include "perftest/steps.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/time.h"
#include "net/frames.h"
#include "perftest/schedule.h"
#include "perftest/talk.h"
#include "perftest/traffic_time.h"
#include "session/setup.h"

#define MIB 1048576.0
#define LONGEST_FILLING 120

/* How long the peer may take until its memory is full of random bytes, before
 * its first key: on a slow host a second for each MiB, but one that has much
 * is not slow. */
static uint64_t filling_time(const struct session *s)
{
	const double mib =
		(double)plan_memory(s->run.plan, !s->run.client) / MIB;

	return (uint64_t)(fmin(mib, LONGEST_FILLING) * (double)SECOND);
}

int perftest_await_ready(struct session *s)
{
	session_stage(s, "endpoint");
	return talk_await_key(s, filling_time(s));
}

int perftest_connect(struct session *s)
{
	struct result *r = s->run.result;
	struct endpoint mine;
	int ret;

	session_stage(s, "resources");
	ret = setup_create(s);
	if (ret)
		return ret;
	session_stage(s, "endpoint");
	resources_describe(&s->run.res, &r->path, &mine);
	setup_note_end(r, s->run.client, &mine);
	free(mine.qps);
	/* a server's client has filled it */
	return talk_follow(s, schedule_of(s->run.plan)->connect,
			   s->run.client ? filling_time(s) : 0);
}

/* At a server, the time of the client's traffic in messages of SIZE bytes
 * begins.  A client waits for as long as its user wants. */
static void begin_traffic(struct session *s, uint64_t size)
{
	struct run *run = &s->run;

	talk_of(s)->most = 0;
	if (!run->client)
		run->traffic_until =
			time_after(traffic_time(run->plan, size,
						run->result->server.rate_mbps) +
				   run_peer_timeout(run));
}

int perftest_start(struct session *s, uint64_t size)
{
	int ret = talk_follow(s, schedule_of(s->run.plan)->begin, 0);

	begin_traffic(s, size);
	return ret;
}

/* How long the peer may take besides its timeout after this end's traffic was
 * over: a client, what is left of its time. */
static uint64_t more_time(const struct session *s)
{
	const uint64_t left = time_until(s->run.traffic_until);
	const uint64_t timeout = run_peer_timeout(&s->run);

	if (!s->run.client)
		return left > timeout ? left - timeout : 0;
	return s->run.plan->iterations ? 0 : s->run.plan->duration;
}

/* Gb/s in the unit of reports, which both ends were given. */
static double gbps_per_unit(const struct parameters *params)
{
	return params->gbits ? 1 : 8 * MIB / 1e9;
}

static void fill_report(struct session *s, const struct done *mine)
{
	const struct parameters *params = &s->run.result->params;
	const double seconds = (double)mine->window_ns / 1e9;
	struct bandwidth_summary b =
		summary_bandwidth(mine->counted, s->run.size, seconds);
	const double unit = gbps_per_unit(params);

	intervals_summarise(mine->intervals, mine->n_intervals, s->run.size,
			    &b);
	talk_of(s)->mine = (struct report){
		.size = s->run.size,
		.iterations = mine->counted,
		.peak = fmax(fmax(b.peak_gbps, b.gbps), 0) / unit,
		.average = fmax(b.gbps, 0) / unit,
		.mpps = fmax(b.mpps, 0),
		.least = (isfinite(b.least_gbps) ? b.least_gbps :
						   fmax(b.gbps, 0)) / unit,
	};
}

/* What the peer reported as if it were its DONE.  Of an end that only takes its
 * messages it says how large they were, too. */
static int take_report(struct session *s, struct done *theirs)
{
	const struct report *report = &talk_of(s)->theirs;
	const double ns = (double)report->iterations * 1e3 / report->mpps;

	if (plan_is_endless(s->run.plan))
		return fail(session_error(s), -EIO, NULL,
			    "the %s (%s) was stopped, and then does not say "
			    "what it measured", s->run.conn->peer,
			    talk_of(s)->name);
	if (!plan_sends(s->run.plan, s->run.client) &&
	    report->size <= plan_largest(s->run.plan))
		s->run.size = report->size;
	if (report->size != s->run.size)
		return fail(session_error(s), -EPROTO,
			    "give both ends the same --size",
			    "the %s (%s) measured messages of %llu bytes, this "
			    "end %llu", s->run.conn->peer, talk_of(s)->name,
			    (unsigned long long)report->size,
			    (unsigned long long)s->run.size);
	if (!report->iterations)
		return fail(session_error(s), -EIO, "use a longer --duration",
			    "the %s (%s) measured nothing", s->run.conn->peer,
			    talk_of(s)->name);
	/* perftest -F goes on with a clock that it does not trust */
	if (report->mpps <= 0)
		return fail(session_error(s), -EIO,
			    "its host may be too busy for perftest's clock",
			    "the %s (%s) reported a rate of 0",
			    s->run.conn->peer, talk_of(s)->name);
	if (!(ns > 0 && ns < 1e18) || report->iterations > COUNT_MAX)
		return talk_refuse(s, "report");
	theirs->posted = theirs->counted = report->iterations;
	theirs->window_ns = (uint64_t)ns;
	theirs->least_gbps = report->least *
			     gbps_per_unit(&s->run.result->params);
	return 0;
}

/* By time, sends in both directions have no report: this end knows what came
 * in while it sent. */
static void take_arrivals(const struct done *mine, struct done *theirs)
{
	theirs->posted = theirs->counted = mine->received;
	theirs->window_ns = mine->window_ns;
}

/* Both ends measure a ping-pong, and a row has what its client measured: at the
 * server, this end's. */
static void take_own(const struct done *mine, struct done *theirs)
{
	theirs->counted = mine->counted;
	theirs->window_ns = mine->window_ns;
	theirs->ns_per_tick = mine->ns_per_tick;
	theirs->clock = mine->clock;
	theirs->latency = histogram_new();
	*theirs->latency = *mine->latency;
}

/* True when the peer's report is among the steps LETTERS. */
static bool has_report(const struct session *s, const char *letters)
{
	return strchr(letters, STEP_REPORT) ||
	       (strchr(letters, STEP_COUNT_REPORT) && s->run.plan->iterations);
}

/* A server that only takes messages learns what was measured in the last steps
 * of all, which therefore belong to its only size. */
static bool ends_with_report(const struct session *s)
{
	return !s->run.client && has_report(s, schedule_of(s->run.plan)->close);
}

/* The steps after the traffic of a size. */
static const char *steps_after(const struct session *s)
{
	const struct schedule *schedule = schedule_of(s->run.plan);

	if (ends_with_report(s))
		return schedule->close;
	return s->run.plan->all ? schedule->end_all : schedule->end;
}

/* A server that was given a number of messages takes no more, and this end,
 * which was given a time, waits for the rest of it: not what was asked for. */
static int check_time(struct session *s, const struct done *mine)
{
	const struct plan *plan = s->run.plan;

	if (!s->run.client || plan->iterations || plan_is_endless(plan) ||
	    !plan_counts_received(plan) ||
	    mine->window_ns >= plan->duration / 2)
		return 0;
	return fail(session_error(s), -EPROTO,
		    "give both ends the same --duration or --iterations",
		    "the %s (%s) took messages for only %.3g s of %.3g s: it "
		    "was probably given a number of messages (-n)",
		    s->run.conn->peer, talk_of(s)->name,
		    (double)mine->window_ns / 1e9,
		    (double)plan->duration / 1e9);
}

int perftest_swap(struct session *s, struct done *mine, struct done *theirs)
{
	const struct plan *plan = s->run.plan;
	const char *letters = steps_after(s);
	int ret;

	session_stage(s, "done");
	theirs->window_error = theirs->interval_error = DONE_UNKNOWN;
	fill_report(s, mine);
	ret = check_time(s, mine) ?: talk_follow(s, letters, more_time(s));
	if (ret)
		return ret;
	if (plan_both_measure(plan) && !s->run.client)
		take_own(mine, theirs);
	else if (has_report(s, letters))
		return take_report(s, theirs);
	else if (plan->bidirectional)
		take_arrivals(mine, theirs);
	return 0;
}

/* True when this end is read from, one message after the other, and learns of
 * no number. */
static bool is_only_read(const struct session *s)
{
	return !s->run.client && s->run.plan->metric == METRIC_LATENCY &&
	       !plan_is_pingpong(s->run.plan);
}

int perftest_measure(struct session *s)
{
	const char *last = schedule_of(s->run.plan)->close;
	const bool read = is_only_read(s);
	int ret = 0;

	if (read)
		begin_traffic(s, plan_largest(s->run.plan));
	else
		ret = exchange_rounds(s);
	if (ret)
		return ret;
	session_stage(s, read ? "traffic" : "bye");
	talk_of(s)->closing = true;
	if (!ends_with_report(s))
		ret = talk_follow(s, last, more_time(s));
	if (!ret && *last)
		talk_end(s);
	return ret;
}
