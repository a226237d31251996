/* What both ends say of one run, compared: messages, and the two clocks. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "good_plan.h"
#include "run/round.h"

struct fixture {
	struct run run;
	struct result *result;
	struct result_row row;
};

static void begin(struct fixture *f, enum op op, enum transport transport)
{
	memset(f, 0, sizeof(*f));
	f->result = calloc(1, sizeof(*f->result));
	f->run.result = f->result;
	f->run.plan = &f->result->params.plan;
	f->result->params.plan = good_plan();
	set_op(&f->result->params.plan, op);
	f->result->params.plan.transport = transport;
	f->row.size = 64;
	f->row.total.checked = true;
	f->row.total.from_client = true;
}

/* TEXT: what is wrong with the row; NULL: nothing. */
static void check(struct fixture *f, const char *text)
{
	struct error *err = &f->result->error;

	assert_int_equal(compare_counts(&f->run, &f->row), text ? -EIO : 0);
	if (text)
		assert_contains(err->message, text);
	error_clear(err);
}

TEST(test_counts)
{
	static const struct {
		enum transport transport;
		uint32_t receivers;	/* of a group; 0: there is none */
		uint64_t sent, received;
		bool unchecked, reversed;
		const char *text;
	} rows[] = {
		{ TRANSPORT_RC, 0, 40, 40, false, false, NULL },
		{ TRANSPORT_RC, 0, 40, 39, false, false,
		  "the client sent 40 messages, the server received 39" },
		{ TRANSPORT_RC, 0, 40, 41, false, true,
		  "the server sent 40 messages, the client received 41" },
		{ TRANSPORT_RC, 0, 40, 39, true, false, NULL },
		{ TRANSPORT_UD, 0, 40, 39, false, false, NULL },
		{ TRANSPORT_UD, 0, 40, 1, false, false, NULL },
		{ TRANSPORT_UC, 0, 40, 0, false, false, "received 0" },
		{ TRANSPORT_UC, 0, 0, 0, false, false, NULL },
		{ TRANSPORT_UD, 0, 40, 41, false, false, "received 41" },
		{ TRANSPORT_UD, 3, 40, 120, false, false, NULL },
		/* others may send to the group, too */
		{ TRANSPORT_UD, 3, 40, 121, false, false, NULL },
		{ TRANSPORT_UD, 3, 40, 0, false, false, "received 0" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct fixture f;

		begin(&f, OP_SEND, rows[i].transport);
		f.result->params.plan.mcast.wanted = rows[i].receivers > 0;
		f.result->params.plan.receivers = rows[i].receivers;
		f.result->params.plan.reversed = rows[i].reversed;
		f.row.total.sent = rows[i].sent;
		f.row.total.received = rows[i].received;
		f.row.total.checked = !rows[i].unchecked;
		f.row.total.from_client = !rows[i].reversed;
		check(&f, rows[i].text);
		free(f.result);
	}
}

TEST(test_directions)
{
	struct fixture f;

	begin(&f, OP_SEND, TRANSPORT_RC);
	f.row.n_directions = 2;
	f.row.directions[0] = (struct result_direction){ .from_client = true };
	f.row.directions[0].sent = f.row.directions[0].received = 40;
	f.row.directions[1].sent = f.row.directions[1].received = 30;
	check(&f, NULL);
	f.row.directions[1].received = 29;
	check(&f, "the server sent 30 messages, the client received 29");
	f.row.directions[0].received = 39;
	check(&f, "the client sent 40 messages, the server received 39");
	free(f.result);
}

/* Pings may be lost, but not all; and no more may arrive than were sent. */
TEST(test_pings)
{
	struct fixture f;

	begin(&f, OP_SEND, TRANSPORT_UD);
	f.result->params.plan.metric = METRIC_LATENCY;
	f.row.total.sent = f.row.total.received = 40;
	f.row.total.iterations = 1;
	f.row.lost = 39;
	check(&f, NULL);
	f.row.total.received = 41;
	check(&f, "the client sent 40 messages, the server received 41");
	f.row.total.received = 40;
	f.row.total.iterations = 0;
	f.row.lost = 40;
	check(&f, "none of 40 pings was answered");
	free(f.result);
}

#define TIMES(asked, answered, said, done) { asked, answered, said, done }

/* The client's ticks are half a nanosecond. */
TEST(test_clocks)
{
	static const struct {
		uint64_t times[4];	/* of the client, in ns */
		uint64_t span[2];	/* of the server */
		double low, high;	/* 0: no bounds */
	} rows[] = {
		{ TIMES(100, 300, 900, 1100), { 500, 900 }, 0.5, 1.5 },
		{ TIMES(100, 300, 1300, 1350), { 3000, 3300 }, 2.4, 3.3 },
		/* a server that tells nothing, or what cannot be */
		{ TIMES(100, 300, 900, 1100), { 0, 900 }, 0, 0 },
		{ TIMES(100, 300, 900, 1100), { 1000, 500 }, 0, 0 },
		{ TIMES(100, 300, 300, 1100), { 500, 900 }, 0, 0 },
		/* both bounds may be one */
		{ TIMES(100, 300, 1300, 1100), { 1000, 1000 }, 1, 1 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct done mine = { .ns_per_tick = 0.5 };
		struct done theirs = { .span = { rows[i].span[0],
						 rows[i].span[1] } };
		const uint64_t *times = rows[i].times;
		struct fixture f;

		begin(&f, OP_WRITE, TRANSPORT_RC);
		f.run.asked_ticks = 2 * times[0];
		f.run.answered_ticks = 2 * times[1];
		f.run.monitor.done_ticks = 2 * times[3];
		compare_clocks(&f.run, 2 * times[2], &mine, &theirs);
		assert_close(f.result->clock_ratio[0], rows[i].low, 1e-12);
		assert_close(f.result->clock_ratio[1], rows[i].high, 1e-12);
		free(f.result);
	}
}

/* The server's, whose ticks are half a nanosecond; its client took frame N of
 * those that the server sent at 400, 500 ... */
TEST(test_clocks_at_the_server)
{
	static const struct {
		uint64_t n, said;	/* of SAID frames */
		uint64_t heard[2];	/* by the client */
		double low, high;	/* 0: no bounds */
	} rows[] = {
		{ 6, 7, { 800, 400 }, 1, 2 },
		/* its clock is slow, or fast */
		{ 6, 7, { 4900, 4800 }, 800.0 / 4900, 800.0 / 4800 },
		{ 7, 7, { 150, 130 }, 6, 800 / 130.0 },
		/* it took none: the server's START at 300 counts */
		{ 0, 7, { 4000, 4800 }, 200.0 / 4000, 800.0 / 4800 },
		/* the client tells nothing, or what cannot be */
		{ 0, 7, { 0, 0 }, 0, 0 },
		{ 8, 7, { 800, 400 }, 0, 0 },
		{ 6, 7, { 400, 801 }, 0, 0 },
		/* that is too long ago */
		{ 6, 6 + MONITOR_SAID - 1, { 800, 400 }, 1, 2 },
		{ 6, 6 + MONITOR_SAID, { 800, 400 }, 0, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct done mine = { .ns_per_tick = 0.5 };
		const struct done theirs = {
			.n_heard = rows[i].n,
			.heard = { rows[i].heard[0], rows[i].heard[1] },
		};
		struct fixture f;

		begin(&f, OP_WRITE, TRANSPORT_RC);
		f.run.asked_ticks = 2 * 100;
		f.run.answered_ticks = 2 * 300;
		f.run.monitor.done_ticks = 2 * 1100;
		f.run.monitor.n_said = rows[i].said;
		for (uint64_t n = 1; n <= rows[i].said; n++)
			f.run.monitor.said_ticks[n % MONITOR_SAID] =
				2 * (300 + 100 * n);
		compare_at_server(&f.run, &mine, &theirs);
		assert_close(f.result->clock_ratio[0], rows[i].low, 1e-12);
		assert_close(f.result->clock_ratio[1], rows[i].high, 1e-12);
		free(f.result);
	}
}

/* The client's, whose ticks are 2 ns: until the last frame, or else START. */
TEST(test_heard)
{
	struct done done = { .ns_per_tick = 2 };
	struct fixture f;

	begin(&f, OP_WRITE, TRANSPORT_RC);
	clock_start(&f.run.clock, CLOCK_RAW);
	f.run.asked_ticks = 1;
	f.run.answered_ticks = 21;
	compare_heard(&f.run, &done);
	assert_int_equal(done.n_heard, 0);
	assert_int_equal(done.heard[0], 40);
	f.run.monitor.n_heard = 3;
	f.run.monitor.heard_ticks = 101;
	compare_heard(&f.run, &done);
	assert_int_equal(done.n_heard, 3);
	assert_int_equal(done.heard[0], 200);
	assert_true(done.heard[1] > 200);
	free(f.result);
}

/* Of several sizes the closest bounds stay. */
TEST(test_closest)
{
	static const struct {
		uint64_t span[2];
		double low, high;
	} rows[] = {
		{ { 800, 1200 }, 0.8, 1.2 },
		{ { 900, 1100 }, 0.9, 1.1 },
		{ { 800, 1200 }, 0.9, 1.1 },
		{ { 1800, 2200 }, 0.9, 1.1 },
		{ { 1900, 2000 }, 1.9, 2 },
	};
	const struct done mine = { .ns_per_tick = 1 };
	struct fixture f;

	begin(&f, OP_WRITE, TRANSPORT_RC);
	f.run.monitor.done_ticks = 1000;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct done theirs = { .span = { rows[i].span[0],
						 rows[i].span[1] } };

		compare_clocks(&f.run, 1000, &mine, &theirs);
		assert_close(f.result->clock_ratio[0], rows[i].low, 1e-12);
		assert_close(f.result->clock_ratio[1], rows[i].high, 1e-12);
	}
	free(f.result);
}

/* The server's: since it was asked, and from its answer to the client's DONE. */
TEST(test_measure)
{
	struct done done = { .ns_per_tick = 2 };
	struct fixture f;
	uint64_t now;

	begin(&f, OP_WRITE, TRANSPORT_RC);
	clock_start(&f.run.clock, CLOCK_RAW);
	now = clock_ticks(&f.run.clock);
	f.run.asked_ticks = now - 1000;
	f.run.answered_ticks = 5000;
	f.run.monitor.done_ticks = 7000;
	compare_measure(&f.run, &done);
	assert_true(done.span[0] >= 2 * 1000);
	assert_true(done.span[0] <= 2 * (clock_ticks(&f.run.clock) - now + 1000));
	assert_int_equal(done.span[1], 2 * 2000);
	free(f.result);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_counts),
	cmocka_unit_test(test_directions),
	cmocka_unit_test(test_pings),
	cmocka_unit_test(test_clocks),
	cmocka_unit_test(test_clocks_at_the_server),
	cmocka_unit_test(test_heard),
	cmocka_unit_test(test_closest),
	cmocka_unit_test(test_measure),
};

TEST_MAIN(tests, 10)
