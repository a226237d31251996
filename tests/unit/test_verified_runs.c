/* Whole sessions with --verify: what is right passes, what is damaged does
 * not, and what is lost is neither. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "fake_verbs.h"
#include "pair.h"
#include "run/run.h"

#define MS 1000000ULL

enum way { FORTH, BACK, BOTH, WAYS };

static const struct sizes sizes = { 4, { 1, 64, 7, 1000 } };
static const struct sizes two_sizes = { 2, { 7, 1000 } };

static bool has(enum op op, enum transport transport)
{
	return op_table[op].transports & 1U << transport;
}

#define FOR_EACH(op, transport) \
	for (enum op op = 0; op < OP_COUNT; op++) \
		for (enum transport transport = 0; transport < TRANSPORTS; \
		     transport++) \
			if (has(op, transport))

static struct plan *open_pair(struct pair *p, enum op op, enum metric metric,
			      enum transport transport)
{
	struct plan *plan;

	fake_verbs_reset();
	/* what a receive holds is read after its completion: no other may be
	 * written there meanwhile */
	fake_verbs.distinct = true;
	pair_open(p, op, metric);
	pair_sizes(p, &sizes);
	plan = pair_plan(p);
	plan->transport = transport;
	plan->verify = true;
	plan->iterations = 70;
	plan->tx_depth = 16;
	plan->rx_depth = 64;
	return plan;
}

static void run_and_close(struct pair *p, enum op op, enum transport transport)
{
	char what[40];

	snprintf(what, sizeof(what), "%s (%d), transport %d",
		 op_table[op].name, op, transport);
	pair_run_well(p, what);
	pair_close_clean(p);
}

TEST(test_every_operation)
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

TEST(test_every_way)
{
	FOR_EACH(op, transport)
		for (enum way way = 0; way < WAYS; way++) {
			struct pair p;
			struct plan *plan = open_pair(
				&p, op, METRIC_BANDWIDTH, transport);
			/* each way meets both */
			const bool shared = ((unsigned int)op + transport + way) & 1;

			plan->reversed = way == BACK;
			plan->bidirectional = way == BOTH;
			plan->qps = 5;
			plan->threads = 2;
			plan->post_list = 4;
			plan->cq_mod = 8;
			plan->srq = shared && plan_counts_received(plan);
			plan->events = shared;
			pair_sizes(&p, &two_sizes);
			run_and_close(&p, op, transport);
		}
}

/* Messages from several places and to several, also fewer bytes than those;
 * inline in latency tests. */
TEST(test_several_entries)
{
	FOR_EACH(op, transport) {
		if (op_is_atomic(op))
			continue;
		for (int i = 0; i < 8; i++) {
			struct pair p;
			struct plan *plan = open_pair(
				&p, op, (enum metric)(i & 1), transport);
			const bool builders = i >> 1 & 1, shared = i >> 2 & 1;

			/* any three of the choices meet in all ways */
			plan->sge = (i ^ builders ^ shared) & 1 ? 5 : 2;
			pair_sizes(&p, &two_sizes);
			fake_verbs.builders = builders;
			plan->post = builders ? POST_WR : POST_AUTO;
			plan->srq = shared && plan_counts_received(plan);
			run_and_close(&p, op, transport);
			assert_true(fake_verbs.gathered > 100);
			assert_true(op_table[op].access ||
				    fake_verbs.scattered > 100);
		}
	}
}

TEST(test_several_entries_both_ways)
{
	FOR_EACH(op, transport) {
		struct pair p;
		struct plan *plan;

		if (op_is_atomic(op))
			continue;
		plan = open_pair(&p, op, METRIC_BANDWIDTH, transport);
		plan->bidirectional = true;
		plan->qps = 5;
		plan->threads = 2;
		plan->post_list = 4;
		plan->recv_post_list = plan_counts_received(plan) ? 3 : 1;
		plan->sge = 4;
		plan->mr_per_qp = true;
		pair_sizes(&p, &two_sizes);
		run_and_close(&p, op, transport);
	}
}

/* Receivers that sleep until a message asks for an event. */
TEST(test_solicited)
{
	FOR_EACH(op, transport)
		for (int i = 0; op_table[op].receives && i < 4; i++) {
			struct event_counts e[2];
			struct pair p;
			struct plan *plan = open_pair(&p, op,
						      (enum metric)(i & 1),
						      transport);

			plan->events = plan->solicited = true;
			plan->verify = fake_verbs.distinct = i & 2;
			pair_run_well(&p, op_table[op].name);
			for (int end = 0; end < 2; end++)
				e[end] = p.server.result->rows[0]
						 .at[end].events;
			pair_close_clean(&p);
			assert_true(e[0].known && e[1].known);
			/* the first 70 messages, or 70 pings */
			assert_true(e[0].receives <= 71 + 2 * 70);
		}
}

TEST(test_by_duration)
{
	FOR_EACH(op, transport)
		for (int metric = 0; metric < METRIC_COUNT; metric++) {
			struct pair p;
			struct plan *plan = open_pair(&p, op,
						      (enum metric)metric,
						      transport);

			plan->iterations = 0;
			plan->warmup = 2 * MS;
			plan->duration = 10 * MS;
			pair_run_briefly(&p, "by duration");
			pair_close_clean(&p);
		}
}

/* A byte of this message is another one at its destination: said by the end
 * that looks at it, and to the other. */
static void check_damage(enum op op, enum metric metric,
			 enum transport transport, uint32_t sge, uint64_t nth)
{
	struct plan *plan;
	struct pair p;

	plan = open_pair(&p, op, metric, transport);
	plan->sge = sge;
	pair_hurry(&p);
	/* challenges come before */
	fake_verbs.damage_message = nth + plan_proves_address(plan, true) +
				    plan_proves_address(plan, false);
	pair_run(&p);
	if (!p.client.ret || !p.server.ret)
		fail_msg("op %d, metric %d, transport %d, message %d: %d %d",
			 op, metric, transport, (int)nth, p.client.ret,
			 p.server.ret);
	assert_string_equal(p.client.result->error.code, VERIFICATION_CODE);
	assert_string_equal(p.server.result->error.code, VERIFICATION_CODE);
	assert_contains(p.client.result->error.message, ": wrong ");
	assert_int_equal(p.client.result->error.from_peer +
			 p.server.result->error.from_peer, 1);
	pair_close(&p);
	assert_int_equal(fake_verbs_alive(), 0);
}

TEST(test_damage_is_found)
{
	FOR_EACH(op, transport)
		for (int metric = 0; metric < METRIC_COUNT; metric++) {
			/* notices are messages, too, but have no bytes: there
			 * is one behind each */
			if (op == OP_WRITE || op == OP_WRITE_IMM) {
				check_damage(op, (enum metric)metric,
					     transport, 1, 1);
				check_damage(op, (enum metric)metric,
					     transport, 3, 1);
				continue;
			}
			for (uint64_t nth = 1; nth <= 30; nth += 14)
				check_damage(op, (enum metric)metric,
					     transport,
					     op_is_atomic(op) || nth & 2 ?
						     1 : 3, nth);
		}
}

/* What does not come is not wrong. */
TEST(test_losses)
{
	FOR_EACH(op, transport) {
		if (transport_table[transport].reliable)
			continue;
		for (uint32_t every = 3; every < 12; every += 4) {
			struct pair p;
			struct plan *plan = open_pair(
				&p, op, METRIC_BANDWIDTH, transport);

			plan->sizes = (struct sizes){ 1, { 64 } };
			plan->iterations = 60;
			fake_verbs.lose_every = every;
			run_and_close(&p, op, transport);
			assert_true(fake_verbs.lost > 0);
		}
	}
}

TEST(test_lost_pings)
{
	FOR_EACH(op, transport) {
		const struct result_row *row;
		struct pair p;

		if (transport_table[transport].reliable)
			continue;
		open_pair(&p, op, METRIC_LATENCY, transport)->iterations = 20;
		pair_plan(&p)->sizes = (struct sizes){ 1, { 64 } };
		fake_verbs.lose_every = 9;
		pair_run_well(&p, "lost pings");
		row = &p.client.result->rows[0];
		assert_true(row->lost > 0);
		assert_int_equal(row->latency.samples + row->lost, 20);
		pair_close_clean(&p);
	}
}

/* An answer that was given up is none of the next size's. */
TEST(test_late_answers)
{
	const struct sizes shrinking = { 2, { 64, 1 } };

	FOR_EACH(op, transport) {
		const uint64_t iterations = 20;
		struct pair p;

		if (transport_table[transport].reliable ||
		    !op_table[op].pingpong)
			continue;
		open_pair(&p, op, METRIC_LATENCY, transport)->iterations =
			iterations;
		pair_sizes(&p, &shrinking);
		/* one round trip precedes the samples */
		fake_verbs.late_message = 2 * (iterations + 1);
		run_and_close(&p, op, transport);
	}
}

/* Of one write, its notice and its credit three are sent: what is said to be
 * acknowledged are the writes. */
TEST(test_acknowledged_counts_messages)
{
	static const char said[] = "the server acknowledged ";
	const char *at;
	struct pair p;
	struct plan *plan = open_pair(&p, OP_WRITE, METRIC_BANDWIDTH,
				      TRANSPORT_RC);

	plan->sizes.n = 1;
	plan->tx_depth = plan->cq_mod = 1;
	fake_verbs.fail_message = 61;
	fake_verbs.status = IBV_WC_RETRY_EXC_ERR;
	pair_run(&p);
	at = strstr(p.client.result->error.message, said);
	assert_non_null(at);
	assert_int_equal(atoi(at + strlen(said)), 20);
	pair_close_clean(&p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_every_operation),
	cmocka_unit_test(test_every_way),
	cmocka_unit_test(test_several_entries),
	cmocka_unit_test(test_several_entries_both_ways),
	cmocka_unit_test(test_solicited),
	cmocka_unit_test(test_by_duration),
	cmocka_unit_test(test_damage_is_found),
	cmocka_unit_test(test_losses),
	cmocka_unit_test(test_lost_pings),
	cmocka_unit_test(test_late_answers),
	cmocka_unit_test(test_acknowledged_counts_messages),
};

TEST_MAIN(tests, 120)
