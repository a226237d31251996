/* Depths, memory, access, and rules that no device is needed for. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "base/time.h"
#include "good_plan.h"
#include "model/inject.h"
#include "model/plan.h"
#include "model/result.h"

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* signal <= depth; all at once: depth == iterations, signal divides it. */
static void check_depths(const struct plan *plan, uint64_t size)
{
	uint32_t depth = plan_depth(plan, size);
	uint32_t every = plan_cq_mod(plan, size);

	assert_true(depth >= 1 && depth <= plan->tx_depth);
	assert_true(every >= 1 && every <= depth);
	if (plan->cq_mod != PLAN_AUTO)
		assert_true(every <= plan->cq_mod);
	if (plan->metric == METRIC_LATENCY) {
		assert_int_equal(depth, plan->tx_depth);
		assert_true(every == 1 || every <= depth / 4);
		return;
	}
	if (plan->iterations && plan->iterations <= plan->tx_depth) {
		assert_int_equal(depth, plan->iterations);
		assert_int_equal(plan->iterations % every, 0);
	} else {
		assert_int_equal(depth, plan->tx_depth);
		if (plan->cq_mod != PLAN_AUTO)
			assert_int_equal(every,
					 smaller(plan->cq_mod, depth));
	}
	if (plan->cq_mod == PLAN_AUTO && every > 1)
		assert_true(every <= 100 && every * size <= 1 << 20);
}

TEST(test_depth_and_moderation)
{
	static const uint64_t sizes[] = { 0, 1, 64, 4096, 65536, 1 << 20,
					  1U << 31 };
	struct plan plan = good_plan();

	for (int metric = 0; metric < METRIC_COUNT; metric++)
		for (uint64_t n = 0; n <= 70; n++)
			for (uint32_t depth = 1; depth <= 70; depth++)
				for (uint32_t mod = 0; mod <= depth; mod++) {
					plan.metric = (enum metric)metric;
					plan.op = (enum op)(n % OP_COUNT);
					plan.iterations = n;
					plan.tx_depth = depth;
					plan.cq_mod = mod ? mod : PLAN_AUTO;
					check_depths(&plan,
						     sizes[(n + mod) % 7]);
				}
}

/* Chosen automatically: 128, but no more than 32 MiB on their way. */
TEST(test_automatic_depth)
{
	struct plan plan = good_plan();

	plan.tx_depth = PLAN_AUTO;
	assert_int_equal(plan_send_queue(&plan), 128);
	assert_int_equal(plan_depth(&plan, 0), 128);
	assert_int_equal(plan_depth(&plan, 64), 128);
	assert_int_equal(plan_depth(&plan, 256 << 10), 128);
	assert_int_equal(plan_depth(&plan, 1 << 20), 32);
	assert_int_equal(plan_depth(&plan, 1U << 31), 1);
	plan.iterations = 33;
	assert_int_equal(plan_depth(&plan, 1 << 20), 32);
	plan.iterations = 32;
	assert_int_equal(plan_depth(&plan, 1 << 20), 32);
	plan.iterations = 31;
	assert_int_equal(plan_depth(&plan, 1 << 20), 31);
	for (plan.iterations = 0; plan.iterations < 140; plan.iterations++)
		for (uint64_t size = 1; size <= 1U << 31; size *= 2) {
			uint32_t depth = plan_depth(&plan, size);
			uint32_t every = plan_cq_mod(&plan, size);

			assert_true(depth >= 1 && depth <= 128);
			assert_true(depth == 1 || depth * size <= 32 << 20);
			assert_true(every >= 1 && every <= depth);
			if (plan.iterations && plan.iterations <= depth)
				assert_int_equal(plan.iterations % every, 0);
		}
	plan.tx_depth = 100;		/* asked for: as it is */
	plan.iterations = 0;
	assert_int_equal(plan_depth(&plan, 1 << 20), 100);
}

static uint32_t depth_at(uint32_t gbps, uint64_t size, uint32_t qps)
{
	struct plan plan = good_plan();
	struct port port = good_port();

	plan.tx_depth = PLAN_AUTO;
	plan.sizes = (struct sizes){ 2, { size, 1 << 20 } };
	plan.qps = qps;
	port.rate_mbps = gbps * 1000;
	plan_choose_depth(&plan, &port, &port);
	assert_int_equal(plan_send_queue(&plan), plan_depth(&plan, size));
	assert_int_equal(plan_depth(&plan, 1 << 20), 32);
	return plan_depth(&plan, size);
}

/* Three quarters of it are what the link carries in 10 us, or more. */
TEST(test_depth_for_the_link)
{
	static const uint32_t rates[] = { 1, 10, 25, 100, 200, 400, 800, 1600 };

	assert_int_equal(depth_at(0, 64, 1), 128);
	assert_int_equal(depth_at(100, 4096, 1), 128);
	assert_int_equal(depth_at(400, 4096, 1), 256);
	assert_int_equal(depth_at(800, 4096, 1), 512);
	assert_int_equal(depth_at(400, 64, 1), 512);
	assert_int_equal(depth_at(400, 0, 1), 512);
	assert_int_equal(depth_at(400, 4096, 2), 128);
	assert_int_equal(depth_at(400, 65536, 1), 128);
	for (size_t i = 0; i < COUNT(rates); i++)
		for (uint64_t size = 1; size <= 65536; size *= 2) {
			uint32_t depth = depth_at(rates[i], size, 1);
			double sent = depth * 0.75 * (double)size * 8 /
				      (rates[i] * 1e3);

			assert_true(depth == 512 || sent >= 10);
		}
}

/* No deeper than either device that sends, nor for thousands of queue pairs. */
TEST(test_depth_within_limits)
{
	struct plan plan = good_plan();
	struct port fast = good_port(), small = good_port();

	plan.tx_depth = PLAN_AUTO;
	plan.sizes = (struct sizes){ 1, { 64 } };
	fast.rate_mbps = small.rate_mbps = 400000;
	small.limits.max_qp_wr = 100;
	plan_choose_depth(&plan, &fast, &small);
	assert_int_equal(plan_send_queue(&plan), 512);	/* it does not send */
	plan_choose_depth(&plan, &small, &fast);
	assert_int_equal(plan_send_queue(&plan), 100);
	plan.bidirectional = true;
	plan_choose_depth(&plan, &fast, &small);
	assert_int_equal(plan_send_queue(&plan), 100);
	plan.verify = true;		/* with notices between */
	plan_choose_depth(&plan, &fast, &small);
	assert_int_equal(plan_send_queue(&plan), 50);
	assert_int_equal(plan_send_capacity(&plan), 100);
	plan = good_plan();
	plan.tx_depth = PLAN_AUTO;
	plan.sizes = (struct sizes){ 1, { 64 } };
	plan.qps = 1 << 13;
	plan_choose_depth(&plan, &fast, &fast);
	assert_int_equal(plan_send_queue(&plan), 32);
	/* the slower end's link */
	plan.qps = 1;
	small.rate_mbps = 1000;
	plan.sizes.bytes[0] = 4096;
	plan_choose_depth(&plan, &fast, &small);
	assert_int_equal(plan_send_queue(&plan), 128);
}

TEST(test_defaults_of_perftest)
{
	struct plan plan = good_plan();
	struct port port = good_port();

	plan.perftest_defaults = true;
	plan.tx_depth = PLAN_AUTO;
	plan.sizes = (struct sizes){ 1, { 64 } };
	port.rate_mbps = 400000;
	plan_choose_depth(&plan, &port, &port);
	assert_int_equal(plan_depth(&plan, 64), 128);
	assert_int_equal(plan_cq_mod(&plan, 64), 100);
	assert_int_equal(plan_cq_mod(&plan, 65536), 16);
	plan.cq_mod = 7;
	plan.tx_depth = 200;
	assert_int_equal(plan_depth(&plan, 64), 200);
	assert_int_equal(plan_cq_mod(&plan, 64), 7);
}

TEST(test_automatic_moderation)
{
	struct plan plan = good_plan();

	/* a quarter of 128 */
	assert_int_equal(plan_cq_mod(&plan, 64), 32);
	assert_int_equal(plan_cq_mod(&plan, 65536), 16);
	assert_int_equal(plan_cq_mod(&plan, 1 << 20), 1);
	assert_int_equal(plan_cq_mod(&plan, 1U << 31), 1);
	assert_int_equal(plan_cq_mod(&plan, 0), 32);
	plan.tx_depth = 3;
	assert_int_equal(plan_cq_mod(&plan, 64), 1);
	plan.tx_depth = 512;
	assert_int_equal(plan_cq_mod(&plan, 64), 100);
	/* of several queue pairs, a MiB of all, and a part of a count */
	plan.qps = 4;
	assert_int_equal(plan_cq_mod(&plan, 65536), 4);
	assert_int_equal(plan_cq_mod(&plan, 64), 100);
	plan.iterations = 1000;
	assert_int_equal(plan_cq_mod(&plan, 64), 3);
	plan.qps = 1;
	assert_int_equal(plan_cq_mod(&plan, 64), 100);
	plan.tx_depth = 128;
	plan.iterations = 96;
	assert_int_equal(plan_cq_mod(&plan, 1), 24);
	plan.iterations = 97;		/* a prime: each */
	assert_int_equal(plan_cq_mod(&plan, 1), 1);
	plan.cq_mod = 50;
	assert_int_equal(plan_cq_mod(&plan, 1), 1);
	plan.metric = METRIC_LATENCY;
	/* a quarter of 128 */
	assert_int_equal(plan_cq_mod(&plan, 1), 32);
	plan.op = OP_READ;
	assert_int_equal(plan_cq_mod(&plan, 1), 1);
}

/* Lists are full, fit into the queue, and each signals like the others. */
static void check_list(const struct plan *plan, uint64_t size)
{
	uint32_t depth = plan_depth(plan, size);
	uint32_t list = plan_post_list(plan, size);
	uint32_t every = plan_cq_mod(plan, size);

	assert_true(list >= 1 && list <= plan->post_list && list <= depth);
	assert_true(every >= 1 && every <= depth && every <= plan->cq_mod);
	assert_true(every % list == 0 || list % every == 0);
	/* no more completions than a rounding makes necessary */
	assert_true(every >= list || every == plan->cq_mod ||
		    list % plan->cq_mod);
	if (plan->iterations && plan->iterations <= plan->tx_depth) {
		assert_int_equal(plan->iterations % list, 0);
		assert_int_equal(plan->iterations % every, 0);
	} else {
		assert_int_equal(list, smaller(plan->post_list, depth));
		if (plan->cq_mod >= list)
			assert_int_equal(every, plan->cq_mod -
						plan->cq_mod % list);
	}
}

TEST(test_lists)
{
	struct plan plan = good_plan();

	for (uint32_t n = 0; n <= 40; n++)
		for (uint32_t depth = 1; depth <= 36; depth++)
			for (uint32_t list = 1; list <= depth; list++)
				for (uint32_t mod = 1; mod <= depth; mod++) {
					plan.iterations = n;
					plan.tx_depth = depth;
					plan.post_list = list;
					plan.cq_mod = mod;
					check_list(&plan, 64);
				}
}

TEST(test_lists_by_example)
{
	static const struct {
		uint32_t list, mod;
		uint64_t iterations;
		uint32_t used, every;
	} rows[] = {
		{ 1, 100, 0, 1, 100 },
		{ 32, PLAN_AUTO, 0, 32, 32 },
		{ 32, 32, 0, 32, 32 },
		{ 32, 33, 0, 32, 32 },
		{ 32, 20, 0, 32, 16 },
		{ 30, 20, 0, 30, 15 },
		{ 31, 30, 0, 31, 1 },
		{ 128, PLAN_AUTO, 0, 128, 32 },
		{ 16, 64, 96, 16, 48 },	/* all at once: 96 = 2 x 48 */
		{ 20, 64, 96, 16, 48 },
		{ 16, 6, 96, 16, 4 },
		{ 10, 100, 97, 1, 97 },	/* a prime has no lists */
		{ 100, 100, 97, 97, 97 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct plan plan = good_plan();

		plan.post_list = rows[i].list;
		plan.cq_mod = rows[i].mod;
		plan.iterations = rows[i].iterations;
		if (plan_post_list(&plan, 64) != rows[i].used ||
		    plan_cq_mod(&plan, 64) != rows[i].every)
			fail_msg("row %zu: lists of %u, every %u", i,
				 plan_post_list(&plan, 64),
				 plan_cq_mod(&plan, 64));
	}
}

/* Few large messages are on their way: lists are no longer than that. */
TEST(test_lists_of_large_messages)
{
	struct plan plan = good_plan();

	plan.tx_depth = PLAN_AUTO;
	plan.post_list = 64;
	assert_int_equal(plan_post_list(&plan, 64), 64);
	assert_int_equal(plan_post_list(&plan, 1 << 20), 32);
	assert_int_equal(plan_post_list(&plan, 1U << 31), 1);
	assert_int_equal(plan_cq_mod(&plan, 1 << 20), 1);
	assert_int_equal(plan_cq_mod(&plan, 65536), 16);
}

TEST(test_memory)
{
	struct plan plan = good_plan();

	plan.sizes = (struct sizes){ 2, { 100, 1 } };
	assert_int_equal(plan_largest(&plan), 100);
	assert_int_equal(plan_stride(&plan), 4096);
	plan.walk = 0;
	assert_int_equal(plan_stride(&plan), 128);
	plan.qps = 3;
	assert_int_equal(plan_regions(&plan), 1);
	assert_int_equal(plan_memory(&plan, true), 384);
	plan.metric = METRIC_LATENCY;
	assert_int_equal(plan_regions(&plan), 2);
	assert_int_equal(plan_memory(&plan, true), 768);
	plan.op = OP_READ;
	assert_int_equal(plan_regions(&plan), 1);
	plan.op = OP_SEND;
	plan.sizes = (struct sizes){ 1, { 0 } };
	assert_int_equal(plan_stride(&plan), 64);
	plan.sizes = (struct sizes){ 1, { 1U << 31 } };
	plan.qps = 1024;		/* beyond 32 bits */
	assert_int_equal(plan_memory(&plan, true), 2 * 1024 * (1ULL << 31));
}

/* A minute, more for each QP, and what slow pages take. */
TEST(test_time_to_make_it)
{
	struct plan plan = good_plan();

	plan.metric = METRIC_BANDWIDTH;
	plan.op = OP_WRITE;
	plan.walk = 0;
	plan.qps = 1;
	plan.sizes = (struct sizes){ 1, { 64 } };
	assert_int_equal(plan_work_limit(&plan), 60 * SECOND + SECOND / 10);
	plan.qps = 16384;
	assert_int_equal(plan_work_limit(&plan),
			 60 * SECOND + 16384 * (SECOND / 10));
	plan.qps = 32;
	plan.sizes = (struct sizes){ 1, { 1U << 31 } };
	assert_int_equal(plan_work_limit(&plan),
			 60 * SECOND + 32 * (SECOND / 10) + 2048 * SECOND);
}

TEST(test_who_posts_receives)
{
	for (int op = 0; op < OP_COUNT; op++)
		for (int metric = 0; metric < METRIC_COUNT; metric++) {
			struct plan plan = good_plan();

			plan.op = (enum op)op;
			plan.metric = (enum metric)metric;
			assert_int_equal(plan_posts_receives(&plan, false),
					 op_table[op].receives);
			assert_int_equal(plan_posts_receives(&plan, true),
					 op_table[op].receives &&
						 metric == METRIC_LATENCY);
		}
}

static void check_refused(const struct plan *plan, const char *message)
{
	struct error err = { 0 };

	assert_int_equal(plan_check(plan, &err), -EINVAL);
	assert_message(&err, message);
}

TEST(test_check_entries)
{
	struct plan plan = good_plan();
	struct error err = { 0 };

	plan.sge = 4;
	assert_int_equal(plan_check(&plan, &err), 0);
	plan.inject = INJECT_SEND_LKEY;
	check_refused(&plan, "--sge and --inject exclude each other");
	plan.inject = INJECT_NOTHING;
	set_op(&plan, OP_CMP_SWAP);
	check_refused(&plan, "--sge 4: an atomic has one entry, of 8 bytes");
	plan.sge = 1;
	assert_int_equal(plan_check(&plan, &err), 0);
}

TEST(test_check_fence)
{
	struct plan plan = good_plan();
	struct error err = { 0 };

	plan.fence = true;
	check_refused(&plan, "--fence: a fence waits for earlier reads and "
			     "atomics, and write tests have none");
	set_op(&plan, OP_READ);
	assert_int_equal(plan_check(&plan, &err), 0);
	plan.metric = METRIC_LATENCY;
	check_refused(&plan, "--fence: latency is measured one operation at a "
			     "time, with none before it to wait for");
	plan.rate = RATE_MESSAGES | 1000000000;
	plan.open_depth = 4;
	plan.timeout = 10 * SECOND;
	assert_int_equal(plan_check(&plan, &err), 0);
}

TEST(test_check_solicited)
{
	struct plan plan = good_plan();
	struct error err = { 0 };

	set_op(&plan, OP_SEND);
	plan.solicited = true;
	check_refused(&plan, "--solicited: only with --events, as a receiver "
			     "that polls does not sleep");
	plan.events = true;
	assert_int_equal(plan_check(&plan, &err), 0);
	plan.rx_depth = 8;
	plan.cq_mod = 9;
	check_refused(&plan, "--solicited: --cq-mod 9: must be at most "
			     "--rx-depth, which is 8: the receives are used "
			     "up before a message asks for an event");
	plan.cq_mod = PLAN_AUTO;
	assert_int_equal(plan_check(&plan, &err), 0);
	assert_int_equal(plan_cq_mod(&plan, 64), 4);
	set_op(&plan, OP_READ);
	check_refused(&plan, "--solicited: RDMA read takes no receives");
}

TEST(test_check)
{
	struct plan plan = good_plan();
	struct error err = { 0 };

	assert_int_equal(plan_check(&plan, &err), 0);
	plan.sizes.bytes[0] = 0;
	assert_int_equal(plan_check(&plan, &err), 0);
	plan.metric = METRIC_LATENCY;
	check_refused(&plan, "--size 0: write_lat waits for the last byte of "
			     "a message; --imm waits for a completion");
	set_op(&plan, OP_WRITE_IMM);
	assert_int_equal(plan_check(&plan, &err), 0);
	set_op(&plan, OP_SEND);
	assert_int_equal(plan_check(&plan, &err), 0);
	plan.qps = 2;
	check_refused(&plan,
		      "--qps 2: latency is measured on one queue pair");
	plan = good_plan();
	plan.cq_mod = 128;
	assert_int_equal(plan_check(&plan, &err), 0);
	plan.cq_mod = 129;
	check_refused(&plan, "--cq-mod 129: must be at most --tx-depth, which "
			     "is 128");
	plan = good_plan();
	plan.mtu = 1000;
	check_refused(&plan, "--mtu 1000: expected 256, 512, 1024, 2048 or "
			     "4096");
	plan = good_plan();
	plan.duration = 0;
	check_refused(&plan, "--duration 0: nothing would be measured");
	plan.iterations = 1;
	assert_int_equal(plan_check(&plan, &err), 0);
	plan.hold = 1000000000;
	check_refused(&plan, "--hold and --iterations exclude each other");
}

TEST(test_check_lists_and_threads)
{
	struct plan plan = good_plan();
	struct error err = { 0 };

	plan.post_list = 128;
	plan.qps = plan.threads = 64;
	assert_int_equal(plan_check(&plan, &err), 0);
	plan.post_list = 129;
	check_refused(&plan,
		      "--post-list 129: must be at most --tx-depth, which is "
		      "128");
	plan.post_list = 1;
	plan.qps = 63;
	check_refused(&plan, "--threads 64: must be at most --qps, which is "
			     "63");
	plan.metric = METRIC_LATENCY;
	plan.qps = 1;
	check_refused(&plan,
		      "--threads 64: latency is measured by one thread");
	plan.threads = 1;
	plan.post_list = 2;
	check_refused(&plan, "--post-list 2: latency is measured one message "
			     "at a time");
	plan.post_list = 1;
	assert_int_equal(plan_check(&plan, &err), 0);
}

TEST(test_whole_or_half)
{
	struct plan plan = good_plan();
	struct error err = { 0 };

	for (int op = 0; op < OP_COUNT; op++)
		for (int metric = 0; metric < METRIC_COUNT; metric++) {
			set_op(&plan, (enum op)op);
			plan.metric = (enum metric)metric;
			plan.round_trip = true;
			assert_true(result_latency_factor(&plan) == 1);
			assert_string_equal(result_latency_definition(&plan),
					    "round trip");
			if (plan_is_pingpong(&plan))
				assert_int_equal(plan_check(&plan, &err), 0);
			else
				check_refused(&plan, "--round-trip: only for "
					      "a ping-pong: send_lat or "
					      "write_lat");
			plan.round_trip = false;
			assert_true(result_latency_factor(&plan) ==
				    (plan_is_pingpong(&plan) ? 0.5 : 1));
			assert_string_equal(result_latency_definition(&plan),
					    plan_is_pingpong(&plan) ?
						    "half round trip" :
						    "round trip");
		}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_depth_and_moderation),
	cmocka_unit_test(test_automatic_depth),
	cmocka_unit_test(test_depth_for_the_link),
	cmocka_unit_test(test_depth_within_limits),
	cmocka_unit_test(test_defaults_of_perftest),
	cmocka_unit_test(test_automatic_moderation),
	cmocka_unit_test(test_lists),
	cmocka_unit_test(test_lists_by_example),
	cmocka_unit_test(test_lists_of_large_messages),
	cmocka_unit_test(test_memory),
	cmocka_unit_test(test_time_to_make_it),
	cmocka_unit_test(test_who_posts_receives),
	cmocka_unit_test(test_check_entries),
	cmocka_unit_test(test_check_fence),
	cmocka_unit_test(test_check_solicited),
	cmocka_unit_test(test_check),
	cmocka_unit_test(test_check_lists_and_threads),
	cmocka_unit_test(test_whole_or_half),
};

TEST_MAIN(tests, 30)
