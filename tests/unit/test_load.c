/* A load that was asked for: which plans may have a rate, what follows from it,
 * and what is said of what came of it. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>

#include "cli/options.h"
#include "model/plan.h"
#include "model/result.h"
#include "preflight/judge.h"
#include "report/parts.h"

#define WORDS 16

static int parse(const char *line, struct options *o, struct error *err)
{
	char copy[200], *argv[WORDS] = { NULL }, *rest = strcpy(copy, line);
	int argc = 0;

	while (rest && argc < WORDS - 1)
		argv[argc++] = strsep(&rest, " ");
	memset(err, 0, sizeof(*err));
	return options_parse(argc, argv, o, err);
}

/* The plan of LINE, a client's. */
static struct plan plan_of(const char *line)
{
	struct options o;
	struct error err;

	if (parse(line, &o, &err))
		fail_msg("'%s': %s", line, err.message);
	return o.params.plan;
}

TEST(test_refused)
{
	static const struct {
		const char *line;
		const char *message;
	} refused[] = {
		{ "verbsperf write_bw --burst 2 h",
		  "--burst: only with --rate" },
		{ "verbsperf read_lat --rate 1kpps --burst 2 h",
		  "--burst: only for bandwidth, as in read_bw with --rate" },
		{ "verbsperf read_lat --arrival fixed h",
		  "--arrival: only with --rate" },
		{ "verbsperf read_lat --depth 8 h",
		  "--depth: only with --rate" },
		{ "verbsperf read_bw --rate 1 --depth 8 h",
		  "--depth: only for latency, as in read_lat with --rate" },
		{ "verbsperf send_bw --rate 10 -s 64,0 h",
		  "--rate 10 Gb/s: messages of 0 bytes have no bits" },
		{ "verbsperf write_bw --rate 1kbps h",
		  "--rate 1e-06 Gb/s: less than 2 messages of 65536 bytes in "
		  "--timeout, which is 10 s" },
		{ "verbsperf read_lat --rate 1pps --arrival poisson h",
		  "--rate 1e-06 Mpps: less than 20 messages of 2 bytes in "
		  "--timeout, which is 10 s" },
		{ "verbsperf write_bw --rate 10pps --burst 100 -q 4 "
		  "--threads 2 h",
		  "--rate 1e-05 Mpps: less than 400 messages of 65536 bytes "
		  "in --timeout, which is 10 s" },
		{ "verbsperf write_bw --rate 10pps --cq-mod 100 -q 3 h",
		  "--rate 1e-05 Mpps: less than 600 messages of 65536 bytes "
		  "in --timeout, which is 10 s" },
		{ "verbsperf write_bw --rate 1 --burst 129 h",
		  "--burst 129: must be at most --tx-depth, which is 128" },
		{ "verbsperf write_bw --rate 1 --events h",
		  "--events and --rate exclude each other: a thread that "
		  "sleeps until a completion cannot keep a rate" },
		{ "verbsperf send_lat --rate 1kpps --gap 1us h",
		  "--gap and --rate exclude each other: an operation of an "
		  "open loop starts at its time" },
		{ "verbsperf send_bw --gap 1us h", "--gap: only for latency, as in send_lat" },
		{ "verbsperf send_lat --gap 0.6 h", "--gap 0.6: expected 1us to 500ms" },
		{ "verbsperf send_lat --rate 1kpps --verify h",
		  "--verify: not in an open loop" },
		{ "verbsperf atomic_lat --rate 1kpps h",
		  "--rate: atomic_lat has no open loop" },
		{ "verbsperf send_lat --rate 1kpps -c UC h",
		  "--rate: an open loop needs --transport RC, where no "
		  "operation is lost" },
	};

	for (size_t i = 0; i < COUNT(refused); i++) {
		struct options o;
		struct error err;

		assert_int_equal(parse(refused[i].line, &o, &err), -EINVAL);
		assert_message(&err, refused[i].message);
	}
}

TEST(test_allowed)
{
	struct plan plan;

	assert_false(plan_is_open(&(struct plan){
		.metric = METRIC_BANDWIDTH, .rate = 1 }));
	plan = plan_of("verbsperf send_bw --rate 1mpps -s 0 --burst 128 h");
	assert_false(plan_is_open(&plan));
	plan = plan_of("verbsperf read_lat --rate 1pps h");
	assert_true(plan_is_open(&plan));
	plan = plan_of("verbsperf write_lat --rate 2kpps --arrival poisson "
		       "--depth 1024 h");
	assert_true(plan_is_open(&plan));
	assert_int_equal(plan.arrival, ARRIVAL_POISSON);
}

TEST(test_what_the_head_says)
{
	static const struct {
		const char *line, *says;
	} rows[] = {
		{ "verbsperf write_bw h", "" },
		{ "verbsperf write_bw --rate 10 h", ", rate 10 Gb/s" },
		{ "verbsperf write_bw --rate 10 --burst 8 h",
		  ", rate 10 Gb/s in bursts of 8" },
		{ "verbsperf write_bw --rate 10 --pacing device h",
		  ", rate 10 Gb/s, kept by the device" },
		{ "verbsperf read_lat --rate 1 h",
		  ", rate 1 Gb/s fixed, 64 outstanding" },
		{ "verbsperf read_lat --rate 1 --arrival poisson h",
		  ", rate 1 Gb/s poisson, 64 outstanding" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct plan plan = plan_of(rows[i].line);
		char text[80] = "";
		FILE *out = fmemopen(text, sizeof(text), "w");

		load_print_plan(out, &plan);
		fclose(out);
		assert_string_equal(text, rows[i].says);
	}
}

/* Queues and memory hold all that may be outstanding. */
TEST(test_room_for_an_open_loop)
{
	struct plan plan = plan_of("verbsperf write_lat --rate 2kpps h");

	assert_int_equal(plan_send_queue(&plan), 128);
	assert_int_equal(plan_depth(&plan, 1 << 23), 128);
	assert_int_equal(plan_slots(&plan), 64);
	assert_int_equal(plan_slot_step(&plan), 64);
	assert_int_equal(plan_stride(&plan), 4096);
	assert_int_equal(plan_memory(&plan, true), 8192);
	plan = plan_of("verbsperf write_lat --rate 2kpps -s 100 --depth 100 "
		       "-t 5 h");
	assert_int_equal(plan_send_queue(&plan), 200);
	assert_int_equal(plan_stride(&plan), 12800);
	plan = plan_of("verbsperf read_lat --rate 2kpps h");
	assert_int_equal(plan_send_queue(&plan), 64);
	assert_int_equal(plan_slots(&plan), 1);
	plan = plan_of("verbsperf send_lat --rate 2kpps -t 500 h");
	assert_int_equal(plan_send_queue(&plan), 500);
	assert_int_equal(plan_slots(&plan), 1);
}

TEST(test_receives_of_an_open_loop)
{
	struct port port = {
		.state = IBV_PORT_ACTIVE,
		.link_layer = IBV_LINK_LAYER_ETHERNET,
		.active_mtu = IBV_MTU_1024,
		.n_gids = 1,
		.gids = { { .type = GID_TYPE_ROCE_V2 } },
		.pkey = 0xffff,
		.limits = {
			.max_msg_sz = 1 << 20, .max_qp = 10, .max_qp_wr = 1000,
			.max_cqe = 10000, .max_qp_rd_atom = 16,
			.max_qp_init_rd_atom = 16,
		},
	};
	struct plan plan = plan_of("verbsperf send_lat --rate 2kpps -r 7 h");
	struct error err = { 0 };

	assert_int_equal(plan_fit(&plan, &port, &port, &err), 0);
	assert_int_equal(plan.rx_depth, 65);
	plan = plan_of("verbsperf send_lat --rate 2kpps --depth 600 h");
	assert_int_equal(plan_fit(&plan, &port, &port, &err), -EINVAL);
	assert_contains(err.message, "--depth: 1200 is above what the client");
}

/* A completion every 10 ms, or nothing seems to come. */
TEST(test_moderation_of_slow_traffic)
{
	static const struct {
		const char *rate;
		uint32_t every;
	} rows[] = {
		{ "1pps", 1 }, { "1000pps", 5 }, { "10kpps", 32 },
		{ "1mpps", 32 }, { "0.001gbps", 9 },
	};
	char line[200];

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct plan plan;

		snprintf(line, sizeof(line), "verbsperf write_bw -q 2 -s 64 "
			 "--rate %s h", rows[i].rate);
		plan = plan_of(line);
		assert_int_equal(plan_cq_mod(&plan, 64), rows[i].every);
	}
}

TEST(test_saturated)
{
	struct plan open = plan_of("verbsperf read_lat --rate 1mpps h");
	struct plan paced = plan_of("verbsperf read_bw --rate 1gbps -s 125 h");
	struct plan free = plan_of("verbsperf read_bw h");
	struct load load = load_summarise(&open, 2, 985, 0.001, 600);

	assert_close(load.requested_mpps, 1, 1e-9);
	assert_close(load.achieved_mpps, 0.985, 1e-9);
	assert_true(load.saturated);
	assert_int_equal(load.late, 600);
	assert_false(load_summarise(&open, 2, 985, 0.001, 400).saturated);
	assert_false(load_summarise(&open, 2, 995, 0.001, 995).saturated);
	assert_true(load_summarise(&paced, 125, 980, 0.001, 0).saturated);
	assert_false(load_summarise(&paced, 125, 995, 0.001, 0).saturated);
	load = load_summarise(&free, 125, 5, 0.001, 0);
	assert_true(isnan(load.requested_mpps));
	assert_false(load.saturated);
	assert_false(load_summarise(&open, 2, 0, 0, 0).saturated);
}

static void check_text(const struct plan *plan, uint64_t n, uint64_t late,
		       const char *wanted)
{
	struct result_row row = {
		.size = 125,
		.total.iterations = n,
		.load = load_summarise(plan, 125, n, 0.001, late),
	};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	load_print(out, plan, &row);
	fclose(out);
	assert_string_equal(text, wanted);
	free(text);
}

TEST(test_what_is_said)
{
	struct plan open = plan_of("verbsperf read_lat --rate 1mpps h");
	struct plan paced = plan_of("verbsperf read_bw --rate 1gbps -s 125 h");
	struct plan free = plan_of("verbsperf read_bw h");

	check_text(&open, 1000, 3, "   open loop: 1 Mpps requested, 1 "
		   "achieved, 3 of 1000 operations began late\n");
	check_text(&open, 500, 400, "   open loop: 1 Mpps requested, 0.5 "
		   "achieved, 400 of 500 operations began late\n   saturated: "
		   "64 outstanding operations (--depth) are too few for the "
		   "rate requested; the longer the run, the longer the latency\n");
	check_text(&paced, 1000, 0, "");
	check_text(&paced, 500, 0, "   the rate asked for was not reached: "
		   "50.0% of 1 Gb/s\n");
	check_text(&free, 500, 0, "");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_refused),
	cmocka_unit_test(test_allowed),
	cmocka_unit_test(test_what_the_head_says),
	cmocka_unit_test(test_room_for_an_open_loop),
	cmocka_unit_test(test_receives_of_an_open_loop),
	cmocka_unit_test(test_moderation_of_slow_traffic),
	cmocka_unit_test(test_saturated),
	cmocka_unit_test(test_what_is_said),
};

TEST_MAIN(tests, 30)
