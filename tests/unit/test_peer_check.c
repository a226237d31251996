/* What a peer says that cannot be: by its name, it is refused, or left out if
 * no number that is printed depends on it. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>

#include "base/time.h"
#include "good_plan.h"
#include "run/peer_check.h"

/* 10 messages on each of 4 queue pairs, in a millisecond. */
#define QPS 4
#define MESSAGES 40
#define WINDOW 1000000

struct round {
	struct plan plan;
	struct peer_facts facts;
	struct done theirs;
	struct thread_row threads[2];
	struct interval intervals[2];
	struct histogram *latency;
};

static void begin(struct round *r, bool client)
{
	memset(r, 0, sizeof(*r));
	r->plan = good_plan();
	r->plan.iterations = MESSAGES / QPS;
	r->plan.qps = QPS;
	r->plan.duration = 0;
	r->facts = (struct peer_facts){
		.plan = &r->plan,
		.client = client,
		.elapsed = 2 * WINDOW,
	};
	r->theirs = (struct done){
		.inline_size = 220,
		.clock = { "tsc", 1, 10, NAN, NAN, "tsc" },
		.ns_per_tick = 0.5,
	};
}

static void end(struct round *r)
{
	free(r->latency);
}

/* The client writes, with two threads. */
static void of_writes(struct round *r)
{
	begin(r, true);
	r->plan.threads = 2;
	r->facts.sent = MESSAGES;
	r->theirs.posted = r->theirs.counted = MESSAGES;
	r->theirs.window_ns = WINDOW;
	r->theirs.method = POST_WR;
	r->threads[0] = (struct thread_row){ 3, 2, 20, WINDOW };
	r->threads[1] = (struct thread_row){ PLAN_AUTO, 2, 20, WINDOW + 1 };
	r->theirs.n_threads = 2;
	r->theirs.threads = r->threads;
	r->intervals[0] = (struct interval){ 0, 400000, 10 };
	r->intervals[1] = (struct interval){ 400000, 600000, 30 };
	r->theirs.n_intervals = 2;
	r->theirs.intervals = r->intervals;
}

/* The server of it, which sees nothing of the writes. */
static void of_written(struct round *r)
{
	begin(r, false);
	r->plan.threads = 2;
}

/* The server receives datagrams, and measures. */
static void of_datagrams(struct round *r)
{
	begin(r, false);
	set_op(&r->plan, OP_SEND);
	r->plan.transport = TRANSPORT_UD;
	r->theirs.received = 30;
	r->theirs.counted = 25;
	r->theirs.window_ns = WINDOW;
}

/* Three of its queue pairs get each message of one. */
static void of_a_group(struct round *r)
{
	of_datagrams(r);
	r->plan.qps = 1;
	r->plan.iterations = MESSAGES;
	r->plan.mcast.wanted = true;
	r->plan.receivers = 3;
	r->theirs.received = r->theirs.counted = 3 * MESSAGES;
	r->theirs.n_receivers = 3;
}

/* The client pings; TRANSPORT may lose some, and then lost 3. */
static void of_pings(struct round *r, enum transport transport)
{
	uint64_t lost = transport_table[transport].reliable ? 0 : 3;

	begin(r, true);
	set_op(&r->plan, OP_SEND);
	r->plan.metric = METRIC_LATENCY;
	r->plan.transport = transport;
	r->plan.qps = 1;
	r->plan.iterations = MESSAGES;
	r->facts.sent = MESSAGES;
	r->theirs.posted = MESSAGES;
	r->theirs.received = r->theirs.counted = MESSAGES - lost;
	r->theirs.lost = lost;
	r->theirs.window_ns = WINDOW;
	r->theirs.method = POST_LEGACY;
	r->latency = histogram_new();
	r->theirs.latency = r->latency;
	for (uint64_t i = 0; i < r->theirs.counted; i++)
		histogram_record(r->latency, 2 * WINDOW / MESSAGES);
}

static void of_reliable_pings(struct round *r)
{
	of_pings(r, TRANSPORT_RC);
}

static void of_lost_pings(struct round *r)
{
	of_pings(r, TRANSPORT_UD);
}

/* The server answered them: some it never got. */
static void of_pongs(struct round *r)
{
	of_pings(r, TRANSPORT_UD);
	r->facts.client = false;
	r->theirs.posted = r->theirs.received = 38;
	r->theirs.counted = r->theirs.window_ns = r->theirs.lost = 0;
	histogram_reset(r->latency);
}

/* The client reads at times of its own; some began late. */
static void of_open_loop(struct round *r)
{
	of_pings(r, TRANSPORT_RC);
	set_op(&r->plan, OP_READ);
	r->plan.rate = 1000;
	r->theirs.received = 0;
	r->theirs.late = 7;
}

static void of_a_warm_up(struct round *r)
{
	of_datagrams(r);
	r->facts.warming = true;
	r->theirs.received = r->theirs.counted = 4711;
}

static void by_time(struct round *r)
{
	of_writes(r);
	r->plan.iterations = 0;
	r->facts.sent = r->theirs.posted = 100;
}

static void after_a_warm_up(struct round *r)
{
	of_writes(r);
	r->plan.warmup = SECOND;
	r->facts.sent = r->theirs.posted = 4711;
}

/* The server does. */
static void of_writes_there(struct round *r)
{
	of_writes(r);
	r->facts.client = false;
	r->plan.reversed = true;
}

TEST(test_what_is_taken)
{
	static void (*const rounds[])(struct round *) = {
		of_writes, of_written, of_datagrams, of_reliable_pings,
		of_lost_pings, of_pongs, of_open_loop, of_a_warm_up, by_time,
		after_a_warm_up, of_writes_there,
	};

	for (size_t i = 0; i < COUNT(rounds); i++) {
		struct error err = { 0 };
		struct round r;

		rounds[i](&r);
		if (peer_check_done(&r.facts, &r.theirs, &err))
			fail_msg("round %zu: %s", i, err.message);
		assert_string_equal(r.theirs.implausible.message, "");
		end(&r);
	}
}

struct spoilt {
	void (*round)(struct round *r);
	size_t offset;		/* into struct round */
	size_t size;
	uint64_t value;
	const char *text;
	bool left_out;		/* TEXT is a doubt, and no error */
};

#define FIELD(member) \
	offsetof(struct round, member), sizeof(((struct round *)NULL)->member)

// clang-format off
static const struct spoilt spoilt[] = {
	{ of_writes, FIELD(theirs.posted), 39, "posted 39: expected 40 to 40", false },
	{ of_writes, FIELD(theirs.posted), 1ULL << 60, "expected 40 to 40", false },
	{ of_writes_there, FIELD(theirs.posted), 39, "posted 39: expected 40 to 40", false },
	{ of_lost_pings, FIELD(theirs.posted), 39, "posted 39: expected 40 to 40", false },
	{ of_writes, FIELD(facts.sent), 41, "posted 40: expected 41 to 41", false },
	{ of_writes, FIELD(theirs.counted), 0, "counted 0: expected 1 to 40", false },
	{ of_writes, FIELD(theirs.counted), 41, "counted 41: expected 1 to 40", false },
	{ of_writes, FIELD(theirs.counted), 1ULL << 60, "expected 1 to 40", false },
	{ of_writes, FIELD(theirs.window_ns), 0, "window 0: expected 1 to 1152921504606846976", false },
	{ of_writes, FIELD(theirs.window_ns), 3600 * SECOND, NULL, false },
	{ of_writes, FIELD(theirs.window_error), WINDOW + 1, "error of the window 1000001: expected 0 to 1000000", true },
	{ of_writes, FIELD(theirs.window_error), DONE_UNKNOWN, NULL, false },
	{ of_writes, FIELD(theirs.interval_error), WINDOW + 1, "error of an interval 1000001", true },
	{ of_writes, FIELD(theirs.interval_error), DONE_UNKNOWN, NULL, false },
	{ of_writes, FIELD(theirs.queue_checks), COUNT_MAX, "checks of the send queue 1152921504606846976: expected 0 to ", true },
	{ of_writes, FIELD(theirs.queue_checks), UINT64_MAX, "(how often the send queue was dry left out)", true },
	{ of_writes, FIELD(theirs.dry), 1, "dry 1: expected 0 to 0", true },
	{ of_writes, FIELD(theirs.method), POST_AUTO, "post method 0: expected 1 to 2", true },
	{ of_writes, FIELD(theirs.method), 255, "post method 255: expected 1 to 2 (post method left out)", true },
	{ of_writes, FIELD(plan.post), POST_LEGACY, "post method 1: expected 2 to 2", true },
	{ of_writes, FIELD(theirs.n_threads), 1, "threads 1: expected 2 to 2", true },
	{ of_writes, FIELD(threads[0].cpu), PLAN_AUTO - 1, "CPU of a thread 4294967294: expected 0 to 1023", true },
	{ of_writes, FIELD(threads[0].qps), 0, "QPs of a thread 0: expected 1 to 4", true },
	{ of_writes, FIELD(threads[0].qps), 5, "QPs of a thread 5: expected 1 to 4", true },
	{ of_writes, FIELD(threads[0].qps), 3, "QPs of a thread 2: expected 1 to 1", true },
	{ of_writes, FIELD(threads[0].qps), 1, "QPs of no thread 1", true },
	{ of_writes, FIELD(threads[0].iterations), UINT64_MAX, "messages of a thread 18446744073709551615: expected 0 to 40", true },
	{ of_writes, FIELD(threads[1].iterations), 21, "messages of a thread 21: expected 0 to 20", true },
	{ of_writes, FIELD(threads[1].iterations), 19, "messages of no thread 1", true },
	{ of_writes, FIELD(threads[0].window_ns), 0, "window of a thread 0: expected 1 to 1000001", true },
	{ of_writes, FIELD(threads[0].window_ns), WINDOW + 2, "window of a thread 1000002", true },
	{ of_writes, FIELD(intervals[0].start_ns), 1, "start of an interval 1: expected 0 to 0", true },
	{ of_writes, FIELD(intervals[1].start_ns), 400001, "start of an interval 400001: expected 400000 to", true },
	{ of_writes, FIELD(intervals[0].length_ns), 0, "length of an interval 0: expected 1 to 1000001", true },
	{ of_writes, FIELD(intervals[1].length_ns), 600001, NULL, false },
	{ of_writes, FIELD(intervals[1].length_ns), 600002, "length of an interval 600002: expected 1 to 600001", true },
	{ of_writes, FIELD(intervals[1].length_ns), UINT64_MAX, "length of an interval 18446744073709551615", true },
	{ of_writes, FIELD(intervals[1].messages), 31, "messages of an interval 31: expected 0 to 30", true },
	{ of_writes, FIELD(intervals[1].messages), 29, "messages in no interval 1: expected 0 to 0", true },
	{ of_writes, FIELD(theirs.left), COUNT_MAX, "messages left 1152921504606846976: expected 0 to 512", true },
	{ of_written, FIELD(theirs.left), 1, "messages left 1: expected 0 to 0", true },
	{ of_datagrams, FIELD(theirs.left), 1, "messages left 1: expected 0 to 0", true },
	{ by_time, FIELD(theirs.counted), 101, "counted 101: expected 0 to 100", false },
	{ by_time, FIELD(facts.sent), 99, "posted 100: expected 99 to 99", false },
	{ after_a_warm_up, FIELD(theirs.counted), 41, "counted 41: expected 1 to 40", false },
	{ of_written, FIELD(theirs.method), POST_WR, "post method 1: expected 0 to 0", true },
	{ of_written, FIELD(theirs.n_threads), 2, "threads 2: expected 0 to 0", true },
	{ of_written, FIELD(theirs.n_intervals), 1, "number of intervals 1: expected 0 to 0", true },
	{ of_datagrams, FIELD(theirs.counted), 31, "counted 31: expected 0 to 30", false },
	{ of_datagrams, FIELD(theirs.counted), 0, NULL, false },
	{ of_datagrams, FIELD(theirs.window_ns), 0, "window 0: expected 1", false },
	{ of_a_group, FIELD(theirs.counted), 121, "counted 121: expected 0 to 120", false },
	{ of_a_group, FIELD(theirs.counted), 119, NULL, false },
	{ of_a_group, FIELD(theirs.n_receivers), 2, "receivers 2: expected 3 to 3", true },
	{ of_a_group, FIELD(plan.receivers), 1, "expected 0 to ", false },
	{ of_datagrams, FIELD(theirs.n_receivers), 1, "receivers 1: expected 0 to 0", true },
	{ of_reliable_pings, FIELD(theirs.counted), 39, "counted 39: expected 40 to 40", false },
	{ of_reliable_pings, FIELD(theirs.lost), 1, "lost 1: expected 0 to 0", false },
	{ of_reliable_pings, FIELD(theirs.late), 1, "late 1: expected 0 to 0", false },
	{ of_reliable_pings, FIELD(theirs.window_ns), WINDOW - 5, "samples of 1e+06 ns: at most 999996 ns are in the window", false },
	{ of_reliable_pings, FIELD(latency), 0, NULL, false },
	{ of_lost_pings, FIELD(theirs.lost), 41, "lost 41: expected 0 to 40", false },
	{ of_reliable_pings, FIELD(theirs.received), 39, "counted 40: expected at least 40, but at most 39 are possible", false },
	{ of_lost_pings, FIELD(theirs.lost), 2, "counted 37: expected at least 38", false },
	{ of_open_loop, FIELD(theirs.late), 41, "late 41: expected 0 to 40", false },
	{ of_open_loop, FIELD(theirs.window_ns), 1, NULL, false },
	{ of_a_warm_up, FIELD(theirs.counted), 4712, "counted 4712: expected 0 to 4711", false },
	/* nobody prints these */
	{ of_writes, FIELD(theirs.received), 1, NULL, false },
	{ of_writes, FIELD(theirs.lost), COUNT_MAX, NULL, false },
	{ of_writes, FIELD(theirs.late), COUNT_MAX, NULL, false },
	{ of_written, FIELD(theirs.posted), 1, NULL, false },
	{ of_written, FIELD(theirs.received), 40, NULL, false },
	{ of_written, FIELD(theirs.counted), 1, NULL, false },
	{ of_written, FIELD(theirs.window_ns), 1, NULL, false },
	{ of_pongs, FIELD(theirs.posted), 4711, NULL, false },
	{ of_pongs, FIELD(theirs.counted), 1, NULL, false },
	{ of_pongs, FIELD(theirs.lost), 1, NULL, false },
	{ of_pongs, FIELD(theirs.late), 1, NULL, false },
	{ of_open_loop, FIELD(theirs.received), 1, NULL, false },
	/* these are compared with what was sent */
	{ of_datagrams, FIELD(theirs.received), COUNT_MAX, NULL, false },
	{ of_pongs, FIELD(theirs.received), 41, NULL, false },
};
// clang-format on

/* What was doubted is not known any more. */
static void check_left_out(const struct spoilt *s, const struct done *d)
{
	const size_t at = s->offset - offsetof(struct round, theirs);

	if (!s->left_out)
		return;
	if (at == offsetof(struct done, window_error))
		assert_int_equal(d->window_error, DONE_UNKNOWN);
	else if (at == offsetof(struct done, interval_error))
		assert_int_equal(d->interval_error, DONE_UNKNOWN);
	else if (at == offsetof(struct done, queue_checks) ||
		 at == offsetof(struct done, dry))
		assert_int_equal(d->queue_checks + d->dry, 0);
	else if (strstr(s->text, "left"))
		assert_int_equal(d->left, 0);
	else if (strstr(s->text, "method"))
		assert_int_equal(d->method, POST_AUTO);
	else if (strstr(s->text, "receivers"))
		assert_int_equal(d->n_receivers, 0);
	else if (strstr(s->text, "interval"))
		assert_int_equal(d->n_intervals, 0);
	else
		assert_int_equal(d->n_threads, 0);
}

TEST(test_each_value)
{
	for (size_t i = 0; i < COUNT(spoilt); i++) {
		const struct spoilt *s = &spoilt[i];
		struct error err = { 0 };
		struct histogram *latency;
		struct round r;
		int ret;

		s->round(&r);
		latency = r.latency;
		memcpy((char *)&r + s->offset, &s->value,
		       s->size < sizeof(s->value) ? s->size :
						    sizeof(s->value));
		ret = peer_check_done(&r.facts, &r.theirs, &err);
		if (ret != (s->text && !s->left_out ? -EPROTO : 0))
			fail_msg("row %zu (%s) gave %d '%s'", i,
				 s->text ? s->text : "is taken", ret,
				 err.message);
		if (s->text)
			assert_contains(
				error_text(s->left_out ? &r.theirs.implausible
						       : &err),
				s->text);
		assert_int_equal(error_is_set(&r.theirs.implausible),
				 s->left_out);
		check_left_out(s, &r.theirs);
		free(latency);
	}
}

/* Nothing that is not printed goes on. */
TEST(test_what_is_not_printed)
{
	struct error err = { 0 };
	struct round r;

	of_written(&r);
	r.theirs.counted = r.theirs.window_ns = 1;
	r.theirs.lost = r.theirs.late = 1;
	assert_int_equal(peer_check_done(&r.facts, &r.theirs, &err), 0);
	assert_int_equal(r.theirs.counted + r.theirs.window_ns, 0);
	assert_int_equal(r.theirs.lost + r.theirs.late, 0);
	end(&r);
}

/* The first of what was left out is said, and all of it is left out. */
TEST(test_several)
{
	struct error err = { 0 };
	struct round r;

	of_writes(&r);
	r.theirs.method = POST_AUTO;
	r.theirs.n_threads = 1;
	r.intervals[0].start_ns = 1;
	assert_int_equal(peer_check_done(&r.facts, &r.theirs, &err), 0);
	assert_string_equal(error_text(&r.theirs.implausible),
			    "the peer sent a DONE with post method 0: "
			    "expected 1 to 2 (post method left out)");
	assert_int_equal(r.theirs.n_threads + r.theirs.n_intervals, 0);
	end(&r);
}

/* A clock that did not step while it was looked at has no resolution. */
TEST(test_clocks)
{
	static const double values[] = { 0, NAN, INFINITY, -1 };

	for (size_t i = 0; i < COUNT(values); i++) {
		struct clock_description *clock;
		struct error err = { 0 };
		struct round r;

		of_writes(&r);
		clock = &r.theirs.clock;
		clock->resolution_ns = clock->read_cost_ns = values[i];
		clock->deviation = clock->drift = values[i];
		r.theirs.ns_per_tick = values[i];
		assert_int_equal(peer_check_done(&r.facts, &r.theirs, &err), 0);
		assert_true(isnan(clock->resolution_ns));
		assert_true(isnan(clock->read_cost_ns));
		assert_int_equal(isnan(clock->deviation), values[i] != 0);
		assert_int_equal(isnan(clock->drift), !isfinite(values[i]));
		end(&r);
		/* samples are in ticks */
		of_reliable_pings(&r);
		r.theirs.ns_per_tick = values[i];
		assert_int_equal(peer_check_done(&r.facts, &r.theirs, &err),
				 -EPROTO);
		assert_contains(error_text(&err), "must be above 0");
		end(&r);
	}
}

/* Samples are those counted. */
TEST(test_samples)
{
	struct error err = { 0 };
	struct round r;

	of_open_loop(&r);
	histogram_record(r.latency, 1);
	assert_int_equal(peer_check_done(&r.facts, &r.theirs, &err), -EPROTO);
	assert_contains(error_text(&err), "samples 41: expected 40 to 40");
	end(&r);
	error_clear(&err);
	of_open_loop(&r);
	/* by the client's clock */
	r.theirs.ns_per_tick = 1e6;
	assert_int_equal(peer_check_done(&r.facts, &r.theirs, &err), 0);
	r.theirs.ns_per_tick = 1e15;
	assert_int_equal(peer_check_done(&r.facts, &r.theirs, &err), -EPROTO);
	assert_contains(error_text(&err),
			"at most 1.15292e+18 ns are in the window");
	end(&r);
}

TEST(test_sent)
{
	static const struct {
		uint64_t iterations, warmup, messages;
		bool warming;
		const char *text;
	} rows[] = {
		{ 10, 0, 20, false, NULL },
		{ 10, 0, 19, false, "SENT with messages 19: expected 20 to 20" },
		{ 10, 0, 21, false, "messages 21: expected 20 to 20" },
		{ 10, SECOND, 4711, false, NULL },
		{ 10, SECOND, 19, false, "messages 19: expected 20 to 20000000" },
		{ 10, 0, 4711, true, NULL },
		{ 0, 0, 0, false, NULL },
		{ 0, 0, 20000000, false, NULL },
		{ 0, 0, 20000001, false, "expected 0 to 20000000" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error err = { 0 };
		struct round r;

		begin(&r, true);
		r.plan.iterations = rows[i].iterations;
		r.plan.warmup = rows[i].warmup;
		r.facts.warming = rows[i].warming;
		assert_int_equal(peer_check_sent(&r.facts, 2, rows[i].messages,
						 &err),
				 rows[i].text ? -EPROTO : 0);
		if (rows[i].text)
			assert_contains(error_text(&err), rows[i].text);
		end(&r);
	}
}

/* What the queue pairs of TRANSPORT have, over a path with a GRH or without. */
static struct effective effective_of(enum transport transport, bool global)
{
	struct effective e = { .known = true };

#define X(name, most, who, ...) \
	e.name = effective_has(who, transport, global) ? 1 : EFFECTIVE_NONE;
	EFFECTIVE_LIST(X)
#undef X
	if (transport != TRANSPORT_UD)
		e.path_mtu = 1024;
	return e;
}

static void check_ready(enum transport transport, const struct effective *e,
			bool global, const char *text)
{
	const struct path path = { .global = global };
	struct plan plan = good_plan();
	struct error err = { 0 };

	plan.mtu = 1024;
	plan.transport = transport;
	assert_int_equal(peer_check_ready(&plan, &path, e, &err),
			 text ? -EPROTO : 0);
	if (text)
		assert_message(&err, text);
}

TEST(test_ready)
{
	struct effective e;

	for (int t = 0; t < TRANSPORTS; t++)
		for (int global = 0; global < 2; global++) {
			e = effective_of((enum transport)t, global);
			check_ready((enum transport)t, &e, global, NULL);
		}
	e = effective_of(TRANSPORT_RC, false);
	check_ready(TRANSPORT_RC, &e, true,
		    "the peer sent a READY without traffic_class, which its "
		    "queue pairs have");
	check_ready(TRANSPORT_UC, &e, false,
		    "the peer sent a READY with timeout, which its queue pairs "
		    "do not have");
	e.path_mtu = 77;
	check_ready(TRANSPORT_RC, &e, false,
		    "the peer sent a READY with path_mtu 77: expected 1024 "
		    "to 1024");
	e.path_mtu = 0;		/* a device that does not say */
	check_ready(TRANSPORT_RC, &e, false, NULL);
	e.max_send_wr = EFFECTIVE_NONE;
	check_ready(TRANSPORT_RC, &e, false,
		    "the peer sent a READY without max_send_wr, which its "
		    "queue pairs have");
}

static void check_endpoint(const struct endpoint *e, bool global,
			   const char *text)
{
	const struct port port = { .lid = 4 };
	struct path path = {
		.global = global,
		.local = { .index = 3 },
		.remote = { .index = 5, .type = GID_TYPE_ROCE_V2 },
	};
	struct error err = { 0 };

	path.remote.raw.raw[15] = 1;
	assert_int_equal(peer_check_endpoint(&port, &path, e, &err),
			 text ? -EPROTO : 0);
	if (text)
		assert_contains(error_text(&err), text);
}

TEST(test_endpoint)
{
	struct endpoint e = {
		.lid = 4, .gid = { .raw = { [15] = 1 } },
		.gid_type = GID_TYPE_ROCE_V2, .gid_index = 5,
		.peer_gid_index = 3, .global = 1,
	};
	struct endpoint bad = e;

	check_endpoint(&e, true, NULL);
	bad.lid = 5;
	check_endpoint(&bad, true, "ENDPOINT with LID 5: expected 4 to 4");
	bad = e;
	bad.gid_index = 4;
	check_endpoint(&bad, true, "GID index 4: expected 5 to 5");
	bad = e;
	bad.peer_gid_index = 4;
	check_endpoint(&bad, true, "GID index of the receiver 4");
	bad = e;
	bad.gid_type = 9;
	check_endpoint(&bad, true, "GID type 9: expected 2 to 2");
	bad = e;
	bad.gid.raw[15] = 2;
	check_endpoint(&bad, true, "with GID ::2: expected ::1, its GID 5");
	check_endpoint(&e, false, "GRH 1: expected 0 to 0");
	bad = (struct endpoint){ .lid = 4, .gid_index = 99 };
	check_endpoint(&bad, false, NULL);
	check_endpoint(&bad, true, "GRH 0: expected 1 to 1");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_what_is_taken),
	cmocka_unit_test(test_each_value),
	cmocka_unit_test(test_what_is_not_printed),
	cmocka_unit_test(test_several),
	cmocka_unit_test(test_clocks),
	cmocka_unit_test(test_samples),
	cmocka_unit_test(test_sent),
	cmocka_unit_test(test_endpoint),
	cmocka_unit_test(test_ready),
};

TEST_MAIN(tests, 10)
