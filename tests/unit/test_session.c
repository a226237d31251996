/* Whole sessions, both ends in this process: what succeeds, and how fast. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "base/log.h"
#include "base/time.h"
#include "fake_verbs.h"
#include "model/plan.h"
#include "pair.h"

#define MS 1000000ULL

static uint64_t now_ns(void)
{
	return time_now();
}

static void run(struct pair *p, const char *what)
{
	pair_run_well(p, what);
	pair_close_clean(p);
}

TEST(test_every_test_counts_exactly)
{
	static const uint64_t counts[] = { 1, 5, 300 };

	for (int op = 0; op < OP_COUNT; op++)
		for (int metric = 0; metric < METRIC_COUNT; metric++)
			for (size_t i = 0; i < COUNT(counts); i++) {
				struct pair p;

				fake_verbs_reset();
				pair_open(&p, (enum op)op,
					  (enum metric)metric);
				pair_plan(&p)->iterations = counts[i];
				run(&p, traffic_names[op][metric]);
				assert_int_equal(fake_verbs.messages,
						 op_table[op].pingpong &&
							 metric ?
							 2 * counts[i] :
							 counts[i]);
			}
}

TEST(test_several_sizes)
{
	static const struct sizes sizes = { 5, { 1, 64, 4097, 2, 65536 } };

	for (int op = 0; op < OP_COUNT; op++)
		for (int metric = 0; metric < METRIC_COUNT; metric++) {
			struct pair p;

			fake_verbs_reset();
			pair_open(&p, (enum op)op, (enum metric)metric);
			pair_sizes(&p, &sizes);
			pair_plan(&p)->iterations = 130;
			pair_plan(&p)->tx_depth = 16;
			run(&p, traffic_names[op][metric]);
		}
}

TEST(test_zero_bytes)
{
	static const struct sizes sizes = { 2, { 0, 1 } };

	for (int op = 0; op < OP_COUNT; op++)
		for (int metric = 0; metric < METRIC_COUNT; metric++) {
			struct pair p;

			/* which waits for the last byte */
			if (op == OP_WRITE && metric == METRIC_LATENCY)
				continue;
			fake_verbs_reset();
			pair_open(&p, (enum op)op, (enum metric)metric);
			pair_sizes(&p, &sizes);
			run(&p, "0 bytes");
		}
}

TEST(test_several_queue_pairs)
{
	static const uint32_t depths[] = { 1, 7, 128 };

	for (int op = 0; op < OP_COUNT; op++)
		for (size_t d = 0; d < COUNT(depths); d++) {
			struct pair p;

			fake_verbs_reset();
			pair_open(&p, (enum op)op, METRIC_BANDWIDTH);
			pair_plan(&p)->qps = 9;
			pair_plan(&p)->iterations = 100;
			pair_plan(&p)->tx_depth = depths[d];
			pair_plan(&p)->rx_depth = 3;
			run(&p, "several queue pairs");
			assert_int_equal(fake_verbs.messages, 900);
		}
}

/* What both ends write to stderr in a run with --mtu MTU. */
static void read_stderr(uint32_t mtu, char text[200])
{
	FILE *file = tmpfile();
	int saved = dup(2);
	size_t n;
	struct pair p;

	assert_non_null(file);
	assert_true(saved >= 0);
	fake_verbs_reset();
	pair_open(&p, OP_WRITE, METRIC_BANDWIDTH);
	pair_plan(&p)->mtu = mtu;
	log_set_level(LOG_INFO);
	assert_int_equal(dup2(fileno(file), 2), 2);
	pair_run(&p);
	dup2(saved, 2);
	log_set_level(LOG_ERROR);
	close(saved);
	assert_int_equal(p.client.ret, 0);
	pair_close_clean(&p);
	rewind(file);
	n = fread(text, 1, 199, file);
	text[n] = '\0';
	fclose(file);
}

/* Only one that was asked for and is less now. */
TEST(test_a_reduced_mtu_is_told)
{
	char text[200];

	read_stderr(PLAN_AUTO, text);
	assert_null(strstr(text, "--mtu"));
	read_stderr(1024, text);
	assert_null(strstr(text, "--mtu"));
}

TEST(test_shallow_queues_in_latency)
{
	for (uint32_t depth = 1; depth <= 4; depth++)
		for (int op = 0; op < OP_COUNT; op++) {
			struct pair p;

			fake_verbs_reset();
			pair_open(&p, (enum op)op, METRIC_LATENCY);
			/* the count of a message is a byte */
			pair_plan(&p)->iterations = 300;
			pair_plan(&p)->tx_depth = depth;
			pair_plan(&p)->rx_depth = 1;	/* becomes 2 */
			run(&p, "latency with shallow queues");
		}
}

static double run_by_duration(enum op op, enum metric metric)
{
	const struct result_row *row;
	struct pair p;
	double seconds;

	fake_verbs_reset();
	pair_open(&p, op, metric);
	pair_plan(&p)->iterations = 0;
	pair_plan(&p)->duration = 40 * MS;
	pair_plan(&p)->warmup = 10 * MS;
	pair_run_well(&p, "by duration");
	row = &p.client.result->rows[0];
	seconds = row->total.seconds;
	assert_true(row->total.sent > row->total.iterations);
	pair_close_clean(&p);
	return seconds;
}

/* One of some attempts, for on a machine that is shared it may begin late. */
TEST(test_by_duration_with_warmup)
{
	for (int op = 0; op < OP_COUNT; op++)
		for (int metric = 0; metric < METRIC_COUNT; metric++) {
			double seconds = 0;

			for (int i = 0; i < 20 && seconds < 0.03; i++)
				seconds = run_by_duration((enum op)op,
							  (enum metric)metric);
			if (seconds < 0.03 || seconds > 5)
				fail_msg("%s measured for %g s",
					 traffic_names[op][metric], seconds);
		}
}

static uint64_t timed_run(void)
{
	struct pair p;
	uint64_t start, took;

	fake_verbs_reset();
	start = now_ns();
	pair_open(&p, OP_WRITE, METRIC_BANDWIDTH);
	pair_plan(&p)->iterations = 0;
	pair_plan(&p)->duration = 50 * MS;
	pair_plan(&p)->warmup = 10 * MS;
	run(&p, "overhead");
	took = now_ns() - start;
	print_message("-D 50ms --warmup 10ms took %.1f ms, %.1f beyond "
		      "measuring and warm-up\n", (double)took / 1e6,
		      (double)took / 1e6 - 60);
	return took;
}

/* Dialogue, threads and clock cost little of the user's time; the best of
 * some attempts, because machines are shared. */
TEST(test_overhead_of_a_run)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 10 && best >= 260 * MS; i++) {
		uint64_t took = timed_run();

		if (took < best)
			best = took;
	}
	assert_true(best < 260 * MS);
}

TEST(test_infiniband)
{
	for (int grh = 0; grh < 2; grh++) {
		struct pair p;

		fake_verbs_reset();
		fake_verbs.port.link_layer = IBV_LINK_LAYER_INFINIBAND;
		fake_verbs.port.lid = 17;
		fake_verbs.port.flags = grh ? IBV_QPF_GRH_REQUIRED : 0;
		pair_open(&p, OP_SEND, METRIC_LATENCY);
		pair_run(&p);
		assert_int_equal(p.client.ret | p.server.ret, 0);
		assert_int_equal(p.client.result->path.global, grh);
		assert_int_equal(p.server.result->path.global, grh);
		assert_int_equal(p.client.result->path.dlid, 17);
		assert_int_equal(p.server.result->path.dlid, 17);
		pair_close_clean(&p);
	}
}

/* On one host the messages of both ends must fit; they are not filled before. */
TEST(test_messages_that_do_not_fit)
{
	for (int fits = 0; fits < 2; fits++) {
		struct pair p;
		uint64_t bytes;

		fake_verbs_reset();
		pair_open(&p, OP_WRITE, METRIC_BANDWIDTH);
		bytes = plan_memory(pair_plan(&p), true) +
			plan_memory(pair_plan(&p), false);
		facts_set_count(&p.client.device.port.facts,
				FACT_MEMORY_AVAILABLE, bytes - !fits);
		if (fits)
			run(&p, "just enough memory");
		else
			pair_run_fails(&p, "too little memory",
				       "bytes of memory");
	}
}

/* Through the relay nothing changes, as long as nothing is spoiled. */
TEST(test_through_the_relay)
{
	struct pair p;

	fake_verbs_reset();
	pair_open(&p, OP_WRITE, METRIC_LATENCY);
	p.relayed = true;
	run(&p, "relayed");
	assert_int_equal(p.relay.seen[0], 8);	/* with SENT */
	assert_int_equal(p.relay.seen[1], 7);
}

/* What the server's own command line said of the test, and is not so. */
TEST(test_options_that_the_client_overrules)
{
	struct ignored_options options;
	char text[200] = "";
	int stderr_was = dup(STDERR_FILENO), fds[2];
	struct pair p;

	fake_verbs_reset();
	pair_open(&p, OP_SEND, METRIC_BANDWIDTH);
	options.plan = *pair_plan(&p);
	options.plan.qps = 7;
	for (size_t i = 0; i < param_count; i++)
		options.given[i] = true;
	p.server.result->params.ignored_options = &options;
	assert_int_equal(pipe(fds), 0);
	dup2(fds[1], STDERR_FILENO);
	close(fds[1]);
	pair_run(&p);
	dup2(stderr_was, STDERR_FILENO);
	close(stderr_was);
	assert_true(read(fds[0], text, sizeof(text) - 1) >= 0);
	close(fds[0]);
	assert_contains(text, "the client chose other values: --qps\n");
	assert_int_equal(p.server.ret, 0);
	pair_close_clean(&p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_every_test_counts_exactly),
	cmocka_unit_test(test_several_sizes),
	cmocka_unit_test(test_options_that_the_client_overrules),
	cmocka_unit_test(test_zero_bytes),
	cmocka_unit_test(test_several_queue_pairs),
	cmocka_unit_test(test_a_reduced_mtu_is_told),
	cmocka_unit_test(test_shallow_queues_in_latency),
	cmocka_unit_test(test_by_duration_with_warmup),
	cmocka_unit_test(test_overhead_of_a_run),
	cmocka_unit_test(test_infiniband),
	cmocka_unit_test(test_messages_that_do_not_fit),
	cmocka_unit_test(test_through_the_relay),
};

TEST_MAIN(tests, 60)
