/* What an end tells of its own run: intervals, threads and errors, from the
 * counts and the times of its loops. */
#include "config.h"
#include "test.h"

#include "good_plan.h"
#include "run/round.h"

#define MS 1000000ULL
/* Of the window; the loops count a message each ms. */
#define LENGTH (1000 * MS)
/* When it opened, in ticks of a ns. */
#define OPENED (7000 * MS)

static struct result result;
static struct flow flows[2];
static struct run run;

/* A client's run by N_FLOWS loops, of INTERVALS equal intervals. */
static void begin(uint32_t n_flows, uint32_t intervals)
{
	memset(flows, 0, sizeof(flows));
	memset(&run, 0, sizeof(run));
	memset(&result, 0, sizeof(result));
	result.params.plan = good_plan();
	run.client = true;
	run.result = &result;
	run.plan = &result.params.plan;
	run.flows = flows;
	run.n_flows = n_flows;
	run.progress.flows = flows;
	run.progress.n_flows = n_flows;
	clock_start(&run.clock, CLOCK_RAW);
	for (uint32_t t = 0; t < n_flows; t++)
		flows[t].window = (struct flow_window){
			.opened = OPENED,
			.closed = OPENED + LENGTH,
			.counted = 1000,
		};
	intervals_init(&run.progress.log, 100);
	intervals_open(&run.progress.log, (struct mark){ OPENED, 0 });
	for (uint32_t i = 1; i < intervals; i++)
		intervals_mark(&run.progress.log,
			       (struct mark){ OPENED + i * LENGTH / intervals,
					      i * 1000 / intervals });
	if (intervals)
		intervals_close(&run.progress.log,
				(struct mark){ OPENED + LENGTH, 1000 });
}

static void end(struct done *done)
{
	intervals_free(&run.progress.log);
	free(done->threads);
	free(done->intervals);
	free(done->receivers);
}

/* A run of so many intervals, without and with --interval, has so many in its
 * result. */
TEST(test_intervals)
{
	static const struct {
		uint32_t made, without, with;
	} rows[] = {
		{ 0, 0, 0 },
		{ 1, 0, 1 },
		{ INTERVALS_LEAST - 1, 0, INTERVALS_LEAST - 1 },
		{ INTERVALS_LEAST, INTERVALS_LEAST, INTERVALS_LEAST },
		{ INTERVALS_LEAST + 1, INTERVALS_LEAST + 1,
		  INTERVALS_LEAST + 1 },
		{ 30, 30, 30 },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		for (int asked = 0; asked < 2; asked++) {
			uint64_t messages = 0, next = 0;
			struct done done;

			begin(1, rows[i].made);
			result.params.plan.interval = asked ? LENGTH : 0;
			outcome_describe(&run, &done);
			assert_int_equal(done.n_intervals,
					 asked ? rows[i].with :
						 rows[i].without);
			for (uint32_t k = 0; k < done.n_intervals; k++) {
				assert_int_equal(done.intervals[k].start_ns,
						 next);
				next += done.intervals[k].length_ns;
				messages += done.intervals[k].messages;
			}
			if (done.n_intervals) {
				assert_int_equal(next, LENGTH);
				assert_int_equal(messages, 1000);
			}
			end(&done);
		}
}

/* The window is from the first loop that opened to the last that closed, and
 * each of several loops is told. */
TEST(test_threads)
{
	struct done done;

	begin(2, 0);
	flows[1].window.opened += 5 * MS;
	flows[1].window.closed += 5 * MS;
	flows[1].window.counted = 400;
	flows[1].n_qps = 3;
	outcome_describe(&run, &done);
	assert_int_equal(done.window_ns, LENGTH + 5 * MS);
	assert_int_equal(done.counted, 1400);
	assert_int_equal(done.n_threads, 2);
	assert_int_equal(done.threads[0].window_ns, LENGTH);
	assert_int_equal(done.threads[1].window_ns, LENGTH);
	assert_int_equal(done.threads[1].iterations, 400);
	assert_int_equal(done.threads[1].qps, 3);
	end(&done);
	begin(1, 0);
	outcome_describe(&run, &done);
	assert_int_equal(done.n_threads, 0);
	end(&done);
}

/* A loop that neither opened nor closed its window has none. */
TEST(test_thread_without_a_window)
{
	struct done done;

	begin(2, 0);
	flows[1].window.opened = 0;
	outcome_describe(&run, &done);
	assert_int_equal(done.threads[0].window_ns, LENGTH);
	assert_int_equal(done.threads[1].window_ns, 0);
	end(&done);
	begin(2, 0);
	flows[1].window.closed = flows[1].window.opened;
	outcome_describe(&run, &done);
	assert_int_equal(done.threads[1].window_ns, 0);
	end(&done);
}

/* What the edges of each loop's window are uncertain by, what the loops' edges
 * are apart, and the mean time of messages that no completion told of. */
TEST(test_errors)
{
	struct done done;

	begin(2, 0);
	for (int t = 0; t < 2; t++) {
		flows[t].window.opening.ticks = (uint64_t)(t + 1) * MS;
		flows[t].window.closing.ticks = (uint64_t)(t + 2) * MS;
		flows[t].window.mark.ticks = (uint64_t)(t + 1) * MS;
		flows[t].window.opening.messages = 1;
		flows[t].window.closing.messages = 3;
		flows[t].window.mark.messages = 2;
	}
	flows[1].window.opened += 10 * MS;
	outcome_describe(&run, &done);
	/* 2,000 messages in 1,000 ms */
	assert_int_equal(done.window_error, (10 + 2 + 3) * MS + 8 * MS / 2);
	assert_int_equal(done.interval_error, 2 * 2 * MS + 8 * MS / 2);
	end(&done);
}

/* An edge of which nothing is known leaves the error unknown; an interval's is
 * apart from that. */
TEST(test_unknown_errors)
{
	struct done done;

	for (int which = 0; which < 3; which++) {
		struct flow_window *w = &flows[0].window;

		begin(1, 0);
		w->opening.ticks = w->closing.ticks = w->mark.ticks = 5;
		if (which == 0)
			w->opening.ticks = UINT64_MAX;
		else if (which == 1)
			w->closing.ticks = UINT64_MAX;
		else
			w->mark.ticks = UINT64_MAX;
		outcome_describe(&run, &done);
		assert_int_equal(done.window_error == DONE_UNKNOWN, which < 2);
		assert_int_equal(done.interval_error == DONE_UNKNOWN,
				 which == 2);
		end(&done);
	}
	for (int which = 0; which < 3; which++) {
		begin(1, 0);
		if (which == 0)
			result.params.plan.metric = METRIC_LATENCY;
		else if (which == 1)
			flows[0].window.closed = flows[0].window.opened;
		else
			flows[0].window.counted = 0;
		outcome_describe(&run, &done);
		assert_true(done.window_error == DONE_UNKNOWN);
		assert_true(done.interval_error == DONE_UNKNOWN);
		end(&done);
	}
}

/* Only the server of a group has several receivers. */
TEST(test_receivers)
{
	struct flow_receives receives[] = {
		{ .before = 3, .total = 40, .outstanding = 10 },
		{ .before = 5, .total = 40, .outstanding = 20 },
	};

	for (int client = 0; client < 2; client++)
		for (uint32_t receivers = 1; receivers <= 2; receivers++) {
			const bool told = !client && receivers == 2;
			struct done done;

			begin(1, 0);
			run.client = client;
			flows[0].receives = receives;
			flows[0].receivers = flows[0].n_receives = receivers;
			outcome_describe(&run, &done);
			assert_int_equal(done.n_receivers, told ? 2 : 0);
			if (told) {
				assert_int_equal(done.receivers[0], 27);
				assert_int_equal(done.receivers[1], 15);
			}
			end(&done);
		}
}

/* What a sender did not wait for counts as sent as far as it was received. */
TEST(test_what_was_left)
{
	static const struct {
		uint64_t received, left, sent, remain;
	} rows[] = {
		{ 90, 10, 90, 10 }, { 93, 10, 93, 7 }, { 100, 10, 100, 0 },
		/* these are for compare_counts() */
		{ 101, 10, 90, 10 }, { 80, 10, 90, 10 }, { 91, 0, 90, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct done mine = { 0 }, theirs = { 0 };
		struct result_row *row;

		begin(1, 0);
		result.params.plan.op = OP_SEND;
		flows[0].posted = 90 + rows[i].left;
		flows[0].left = rows[i].left;
		outcome_describe(&run, &mine);
		assert_int_equal(mine.posted, 90);
		theirs.received = rows[i].received;
		row = outcome_add_row(&run, 64, &mine, &theirs);
		assert_int_equal(row->total.sent, rows[i].sent);
		assert_int_equal(row->total.left, rows[i].remain);
		end(&mine);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_intervals),
	cmocka_unit_test(test_threads),
	cmocka_unit_test(test_thread_without_a_window),
	cmocka_unit_test(test_errors),
	cmocka_unit_test(test_unknown_errors),
	cmocka_unit_test(test_receivers),
	cmocka_unit_test(test_what_was_left),
};

TEST_MAIN(tests, 10)
