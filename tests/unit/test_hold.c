/* --hold: the window opens when the client is told to, at both ends. */
#include "config.h"
#include "test.h"

#include <unistd.h>

#include "fake_verbs.h"
#include "made_up_host.h"
#include "model/plan.h"
#include "pair.h"

#define MS 1000000ULL

/* What the client reads: TEXT, and then the end if it is ENDED, else nothing.
 * Returns the other end of the pipe, or -1. */
static int standard_input(const char *text, bool ended)
{
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], text, strlen(text)), strlen(text));
	assert_int_equal(dup2(fds[0], STDIN_FILENO), STDIN_FILENO);
	close(fds[0]);
	if (!ended)
		return fds[1];
	close(fds[1]);
	return -1;
}

static void open_held(struct pair *p, enum op op, enum metric metric,
		      uint64_t hold)
{
	struct plan *plan;

	fake_verbs_reset();
	pair_open(p, op, metric);
	plan = pair_plan(p);
	plan->iterations = 0;
	plan->duration = 30 * MS;
	plan->warmup = 5 * MS;
	plan->hold = hold;
}

static void close_held(struct pair *p, int fd)
{
	pair_close_clean(p);
	if (fd >= 0)
		close(fd);
}

static void check_opened(const struct result *r)
{
	assert_true(r->rows[0].opened.tv_sec > r->started.tv_sec - 60);
}

TEST(test_every_test_waits_for_a_line)
{
	for (int op = 0; op < OP_COUNT; op++)
		for (int metric = 0; metric < METRIC_COUNT; metric++) {
			int fd = standard_input("go\n", false);
			struct pair p;

			open_held(&p, (enum op)op, (enum metric)metric,
				  5000 * MS);
			pair_run_well(&p, traffic_names[op][metric]);
			check_opened(p.client.result);
			check_opened(p.server.result);
			close_held(&p, fd);
		}
}

/* The end that sends is the server, or both are. */
TEST(test_the_server_waits)
{
	for (int both = 0; both < 2; both++) {
		int fd = standard_input("\n", false);
		struct pair p;

		open_held(&p, OP_SEND, METRIC_BANDWIDTH, 5000 * MS);
		pair_plan(&p)->bidirectional = both;
		pair_plan(&p)->reversed = !both;
		pair_run_well(&p, both ? "bidirectional" : "reversed");
		check_opened(p.server.result);
		close_held(&p, fd);
	}
}

TEST(test_a_line_for_each_size)
{
	static const struct sizes sizes = { 2, { 64, 4096 } };
	int fd = standard_input("a\nb\n", false);
	struct pair p;

	open_held(&p, OP_WRITE, METRIC_BANDWIDTH, 5000 * MS);
	pair_sizes(&p, &sizes);
	pair_run_well(&p, "two sizes");
	close_held(&p, fd);
}

/* They are read when the window opens, with --hold or after the warm-up, or
 * before the first message. */
TEST(test_counters_of_the_window)
{
	static const char name[] = "symbol_error";

	host_begin(NULL);
	host_file("/sys/class/infiniband/fake0/ports/1/counters/symbol_error",
		  "7\n");
	for (int way = 0; way < 3; way++) {
		int fd = standard_input("go\n", false);
		struct pair p;

		open_held(&p, OP_WRITE, METRIC_BANDWIDTH, 0);
		pair_plan(&p)->hold = way == 0 ? 5000 * MS : 0;
		pair_plan(&p)->warmup = way == 1 ? 5 * MS : 0;
		pair_run_well(&p, "counters");
		for (int client = 0; client < 2; client++) {
			const struct counter *c = counters_find(
				&p.client.result->rows[0].at[client].counters,
				name);

			assert_non_null(c);
			assert_true(c->known);
			assert_int_equal(c->value, 0);
		}
		close_held(&p, fd);
	}
	host_end(NULL);
}

static void check_refused(const char *text, bool ended, uint64_t hold,
			  const char *sentence)
{
	int fd = standard_input(text, ended);
	struct pair p;

	open_held(&p, OP_WRITE, METRIC_BANDWIDTH, hold);
	pair_run(&p);
	pair_check_both_failed(&p, sentence);
	assert_message(&p.client.result->error, sentence);
	close_held(&p, fd);
}

TEST(test_no_line)
{
	check_refused("", false, 50 * MS,
		      "nobody opened the window in 0.05 s (--hold)");
	check_refused("no end of the line", false, 50 * MS,
		      "nobody opened the window in 0.05 s (--hold)");
	check_refused("", true, 5000 * MS,
		      "standard input ended before a line opened the window "
		      "(--hold)");
}

static void check_spoiled(uint64_t hold, struct relay relay)
{
	int fd = standard_input("\n", false);
	struct pair p;

	open_held(&p, OP_WRITE, METRIC_BANDWIDTH, hold);
	p.relayed = true;
	p.relay = relay;
	pair_run(&p);
	assert_int_not_equal(p.server.ret, 0);
	close_held(&p, fd);
}

/* The server takes nothing else, and nothing that was not agreed. */
TEST(test_the_server_is_told_something_else)
{
	check_spoiled(5000 * MS, (struct relay){ .spoil = SPOIL_BYTES,
						 .nth = 5, .size = 8,
						 .value = 1 });
	check_spoiled(5000 * MS, (struct relay){ .spoil = SPOIL_TYPE,
						 .nth = 5,
						 .type = FRAME_READY });
	/* instead of SENT, while the traffic runs */
	check_spoiled(0, (struct relay){ .spoil = SPOIL_TYPE, .nth = 5,
					 .type = FRAME_START });
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_every_test_waits_for_a_line),
	cmocka_unit_test(test_the_server_waits),
	cmocka_unit_test(test_a_line_for_each_size),
	cmocka_unit_test(test_counters_of_the_window),
	cmocka_unit_test(test_no_line),
	cmocka_unit_test(test_the_server_is_told_something_else),
};

TEST_MAIN(tests, 30)
