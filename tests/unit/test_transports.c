/* Whole sessions over each transport, either way, with what carries them. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>

#include "fake_verbs.h"
#include "pair.h"

#define MS 1000000ULL

static const char *const names[TRANSPORTS] = { "RC", "UC", "UD", "XRC" };

/* Which way the messages go. */
enum way { FORTH, BACK, BOTH, WAYS };

static struct plan *open_pair(struct pair *p, enum op op, enum metric metric,
			      enum transport transport)
{
	fake_verbs_reset();
	pair_open(p, op, metric);
	pair_plan(p)->transport = transport;
	pair_plan(p)->iterations = 200;
	/* where a receive is missing, a message is lost */
	pair_plan(p)->rx_depth = 256;
	return pair_plan(p);
}

static void set_way(struct plan *plan, enum way way)
{
	plan->reversed = way == BACK;
	plan->bidirectional = way == BOTH;
}

static bool has(enum op op, enum transport transport)
{
	return op_table[op].transports & 1U << transport;
}

#define FOR_EACH(op, transport) \
	for (enum op op = 0; op < OP_COUNT; op++) \
		for (enum transport transport = 0; transport < TRANSPORTS; \
		     transport++) \
			if (has(op, transport))

static void run_and_close(struct pair *p, enum op op, enum transport transport)
{
	char what[40];

	snprintf(what, sizeof(what), "%s over %s", op_table[op].name,
		 names[transport]);
	pair_run_well(p, what);
	pair_close_clean(p);
	assert_int_equal(fake_verbs.dropped, 0);
}

TEST(test_every_transport)
{
	FOR_EACH(op, transport)
		for (int metric = 0; metric < METRIC_COUNT; metric++) {
			struct pair p;

			open_pair(&p, op, (enum metric)metric, transport);
			/* each operation and each metric meets both */
			fake_verbs.builders = (op + transport +
					       (unsigned int)metric) & 1;
			run_and_close(&p, op, transport);
		}
}

static void check_way(enum op op, enum transport transport, enum way way,
		      uint32_t threads)
{
	/* and a challenge to each end that is sent to */
	uint64_t each = 200 * 4 + !transport_table[transport].reliable;
	struct pair p;
	struct plan *plan = open_pair(&p, op, METRIC_BANDWIDTH, transport);

	plan->qps = 4;
	plan->threads = threads;
	set_way(plan, way);
	run_and_close(&p, op, transport);
	assert_int_equal(fake_verbs.messages, way == BOTH ? 2 * each : each);
}

TEST(test_every_way)
{
	FOR_EACH(op, transport)
		for (enum way way = 0; way < WAYS; way++)
			check_way(op, transport, way,
				  ((unsigned int)op + transport + way) & 1 ?
					  1 : 3);
}

TEST(test_every_way_by_duration)
{
	FOR_EACH(op, transport)
		for (enum way way = 0; way < WAYS; way++) {
			struct pair p;
			struct plan *plan = open_pair(
				&p, op, METRIC_BANDWIDTH, transport);

			set_way(plan, way);
			plan->iterations = 0;
			plan->warmup = 2 * MS;
			plan->duration = 10 * MS;
			pair_run_briefly(&p, "by duration");
			pair_close_clean(&p);
		}
}

/* A shared queue, lists of receives, events: both ends, every operation. */
static void check_receives(enum op op, enum metric metric,
			   enum transport transport, enum way way)
{
	struct pair p;
	struct plan *plan = open_pair(&p, op, metric, transport);
	bool events = !(op == OP_WRITE && metric == METRIC_LATENCY);

	if (metric == METRIC_BANDWIDTH) {
		plan->qps = 4;
		plan->threads = 2;
		plan->recv_post_list = 16;
		set_way(plan, way);
	}
	plan->srq = op_table[op].receives;
	if (plan->srq)
		plan->rx_depth = 1024;
	else
		plan->recv_post_list = 1;
	plan->events = events;
	run_and_close(&p, op, transport);
	/* completion vectors, one after the other */
	assert_int_equal(fake_verbs.vectors,
			 events && metric == METRIC_BANDWIDTH ? 3 : 1);
}

TEST(test_shared_receives_and_events)
{
	FOR_EACH(op, transport) {
		for (enum way way = 0; way < WAYS; way++)
			check_receives(op, METRIC_BANDWIDTH, transport, way);
		check_receives(op, METRIC_LATENCY, transport, FORTH);
	}
}

/* Completion queues that hold those of two queue pairs, or of one. */
TEST(test_several_completion_queues)
{
	static const struct {
		int entries;
		uint32_t made;	/* where both depths are of use */
	} rows[] = { { 1000, 4 }, { 300, 12 }, { 150, 20 } };

	FOR_EACH(op, transport)
		for (size_t i = 0; i < COUNT(rows); i++) {
			struct pair p;
			struct plan *plan;

			fake_verbs_reset();
			fake_verbs.attr.max_cqe = rows[i].entries;
			pair_open(&p, op, METRIC_BANDWIDTH);
			plan = pair_plan(&p);
			plan->transport = transport;
			plan->bidirectional = true;
			plan->iterations = 120;
			plan->qps = 5;
			plan->cq_mod = 1;
			plan->tx_depth = 140;
			plan->rx_depth = 140;
			run_and_close(&p, op, transport);
			/* 120 are outstanding at most */
			assert_int_equal(fake_verbs.cqs_made, rows[i].made);
		}
}

/* Sends carry their bytes with them, as far as queue pairs can. */
TEST(test_inline)
{
	static const uint32_t most[] = { 0, 31, 32, 97, 128 };

	FOR_EACH(op, transport) {
		const bool sends = !op_table[op].fetches;

		for (size_t i = 0; i < (sends ? COUNT(most) : 1); i++) {
			struct pair p;
			struct plan *plan = open_pair(
				&p, op, METRIC_BANDWIDTH, transport);

			plan->inline_size = sends ? 128 : PLAN_AUTO;
			fake_verbs.max_inline = most[i];
			pair_run_well(&p, "inline");
			assert_int_equal(fake_verbs.inlined,
					 sends && most[i] >= 64 ? 200 : 0);
			/* the most that is granted */
			if (sends)
				assert_int_equal(
					p.client.result->rows[0].inline_size,
					most[i]);
			pair_close_clean(&p);
		}
	}
}

/* What is lost is missing from what was received, and that is all. */
TEST(test_losses)
{
	FOR_EACH(op, transport)
		for (enum way way = 0; way < WAYS; way++) {
			const struct result_row *row;
			struct pair p;

			if (transport_table[transport].reliable)
				continue;
			set_way(open_pair(&p, op, METRIC_BANDWIDTH, transport),
				way);
			fake_verbs.lose_every = 7;
			pair_run_well(&p, "losses");
			row = &p.client.result->rows[0];
			assert_true(fake_verbs.lost > 0);
			if (row->total.checked)
				assert_int_equal(row->total.sent - row->total.received,
						 fake_verbs.lost);
			pair_close_clean(&p);
		}
}

/* A ping or its answer is lost: said, and the next one is sent. */
TEST(test_lost_pings)
{
	FOR_EACH(op, transport) {
		const struct result_row *row;
		struct pair p;

		if (transport_table[transport].reliable ||
		    !op_table[op].pingpong)
			continue;
		open_pair(&p, op, METRIC_LATENCY, transport)->iterations = 20;
		fake_verbs.lose_every = 9;
		pair_run(&p);
		assert_int_equal(p.client.ret | p.server.ret, 0);
		row = &p.client.result->rows[0];
		/* one that was late, on a busy machine, counts as lost, too */
		assert_true(fake_verbs.lost > 0);
		assert_true(row->lost >= fake_verbs.lost);
		assert_int_equal(row->latency.samples + row->lost, 20);
		pair_close_clean(&p);
	}
}

/* Nothing comes at all: an error, as where a filter is in the way. */
TEST(test_nothing_comes)
{
	for (enum transport t = TRANSPORT_UC; t <= TRANSPORT_UD; t++) {
		struct pair p;

		open_pair(&p, OP_SEND, METRIC_BANDWIDTH, t);
		fake_verbs.black_hole = true;
		fake_verbs.spare_first = 1;	/* challenges come */
		pair_run(&p);
		assert_int_equal(p.client.ret, -EIO);
		assert_contains(p.client.result->error.message,
				"the client sent 200 messages, the server "
				"received 0");
		pair_close_clean(&p);
	}
}

/* No ping is answered: an error at the end, or once --timeout is over. */
TEST(test_no_answer_comes)
{
	static const struct {
		uint64_t pings;
		uint64_t timeout;
		const char *says;
	} cases[] = {
		{ 3, 60000000000, "none of 3 pings was answered" },
		{ 1000, 1000000000, "completed" },
	};

	FOR_EACH(op, transport)
		for (size_t i = 0; i < COUNT(cases); i++) {
			struct plan *plan;
			struct pair p;

			if (transport_table[transport].reliable ||
			    !op_table[op].pingpong)
				continue;
			plan = open_pair(&p, op, METRIC_LATENCY, transport);
			plan->iterations = cases[i].pings;
			plan->timeout = cases[i].timeout;
			fake_verbs.black_hole = true;
			fake_verbs.spare_first = 2;
			pair_run(&p);
			assert_true(p.client.ret < 0);
			assert_contains(p.client.result->error.message,
					cases[i].says);
			pair_close_clean(&p);
		}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_every_transport),
	cmocka_unit_test(test_every_way),
	cmocka_unit_test(test_every_way_by_duration),
	cmocka_unit_test(test_shared_receives_and_events),
	cmocka_unit_test(test_several_completion_queues),
	cmocka_unit_test(test_inline),
	cmocka_unit_test(test_losses),
	cmocka_unit_test(test_lost_pings),
	cmocka_unit_test(test_nothing_comes),
	cmocka_unit_test(test_no_answer_comes),
};

TEST_MAIN(tests, 120)
