/* perftest's command lines, and what becomes of each of its options. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>

#include "cli/perftest.h"
#include "cli/perftest_table.h"
#include "command_line.h"
#include "row_of.h"

TEST(test_names)
{
	static const char *const theirs[] = {
		"ib_send_bw", "ib_send_lat", "ib_write_bw", "ib_write_lat",
		"ib_read_bw", "ib_read_lat", "ib_atomic_bw",
		"/usr/bin/ib_atomic_lat", "./ib_write_bw",
	};
	static const char *const ours[] = {
		"verbsperf", "write_bw", "my_ib_write_bw", "ib_write_bw2",
		"ib_", "ib_write", "/ib_write_bw/verbsperf", "xib_write_bw",
	};
	enum metric metric;
	enum op op;

	for (size_t i = 0; i < COUNT(theirs); i++)
		assert_true(perftest_is_named(theirs[i], &op, &metric));
	for (size_t i = 0; i < COUNT(ours); i++)
		assert_false(perftest_is_named(ours[i], &op, &metric));
	assert_true(perftest_is_named("ib_read_lat", &op, &metric));
	assert_int_equal(op, OP_READ);
	assert_int_equal(metric, METRIC_LATENCY);
}

TEST(test_defaults)
{
	static const struct {
		const char *line;
		uint64_t iterations, size, tx_depth;
		bool ordering;
	} rows[] = {
		{ "ib_write_bw h", 5000, 65536, PLAN_AUTO, true },
		{ "ib_write_lat h", 1000, 2, 1, false },
		{ "ib_read_bw h", 1000, 65536, PLAN_AUTO, true },
		{ "ib_read_lat h", 1000, 2, 1, true },
		{ "ib_send_bw h", 1000, 65536, PLAN_AUTO, true },
		{ "ib_send_lat h", 1000, 2, 1, false },
		{ "ib_atomic_bw h", 1000, 8, PLAN_AUTO, true },
		{ "ib_atomic_lat h", 1000, 8, 1, true },
	};
	char copy[200];

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct options o;
		const struct plan *plan = &o.params.plan;

		taken(rows[i].line, copy, &o);
		assert_int_equal(o.command, COMMAND_CLIENT);
		assert_string_equal(o.server, "h");
		assert_int_equal(plan->iterations, rows[i].iterations);
		assert_int_equal(plan->sizes.n, 1);
		assert_int_equal(plan->sizes.bytes[0], rows[i].size);
		assert_int_equal(plan->tx_depth, rows[i].tx_depth);
		assert_int_equal(plan->relaxed_ordering, rows[i].ordering);
		assert_int_equal(plan->duration, 0);
		assert_int_equal(plan->warmup, 0);
		assert_int_equal(plan->retry_count, 7);
		assert_true(plan->perftest_defaults);
		assert_true(o.params.perftest && !o.params.timed);
		assert_int_equal(o.params.format, TABLE_PERFTEST);
		assert_null(o.params.perftest_json);
		assert_null(o.params.ignored_options);
	}
}

/* Options of one word each, what row of ours they set, and to what. */
static const struct {
	const char *words;
	const char *row;
	uint64_t value;
} values[] = {
	{ "-n 7", "iterations", 7 },
	{ "-W counters/port_xmit_data", "counters", COUNTERS_ALL },
	{ "--report-counters=hw_counters/a,b", "counters", COUNTERS_ALL },
	{ "-n 8", "counters", COUNTERS_NONE },
	{ "--iters=7", "iterations", 7 },
	{ "--it 7", "iterations", 7 },
	{ "-D 5", "duration", 5000000000 },
	{ "-D 5 -n 7", "iterations", 0 },
	{ "-n 7 -D 5", "duration", 5000000000 },
	{ "-D 5 -f 2", "warmup", 2000000000 },
	{ "--perform_warm_up", "warmup", 200000000 },
	{ "-i 2", "ib-port", 2 },
	{ "-x 3", "gid-index", 3 },
	{ "-p 5", "port", 5 },
	{ "-m 2048", "mtu", 2048 },
	{ "-S 3", "sl", 3 },
	{ "-T 96", "tclass", 96 },
	{ "--tclass=96", "tclass", 96 },
	{ "-L 9", "hop-limit", 9 },
	{ "-u 20", "qp-timeout", 20 },
	{ "--retry_count 3", "retry-count", 3 },
	{ "-c UC", "transport", TRANSPORT_UC },
	{ "-c XRC", "transport", TRANSPORT_XRC },
	{ "-c XRC --use-srq", "srq", 1 },
	{ "--connection=UC", "transport", TRANSPORT_UC },
	{ "-b", "bidirectional", true },
	{ "--reversed", "reversed", true },
	{ "--write_with_imm", "imm", true },
	{ "-I 64", "inline", 64 },
	{ "-q 4", "qps", 4 },
	{ "--qp=4", "qps", 4 },
	{ "-t 64", "tx-depth", 64 },
	{ "-r 64", "rx-depth", 64 },
	{ "-Q 8", "cq-mod", 8 },
	{ "-t 4 -Q 8", "cq-mod", 4 },
	{ "-t 4 -l 8", "tx-depth", 8 },
	{ "-n 100", "tx-depth", 100 },
	{ "-n 100 -t 16", "tx-depth", 16 },
	{ "-n 100 -t 300", "tx-depth", 100 },
	{ "-n 128", "tx-depth", PLAN_AUTO },
	{ "-l 8", "post-list", 8 },
	{ "-l 8", "cq-mod", 8 },
	{ "-l 8 -Q 16", "cq-mod", 16 },
	{ "-e", "events", true },
	{ "--mr_per_qp", "mr-per-qp", true },
	{ "--use_old_post_send", "post", POST_LEGACY },
	{ "--use_hugepages", "hugepages", true },
	{ "--odp", "odp", true },
	{ "--numa_node 1", "numa", 1 },
	{ "--disable_numa", "numa", PARAM_NONE },
	{ "--disable_pcie_relaxed", "relaxed-ordering", false },
	{ "--report_gbits", "report-gbits", true },
	{ "--report_g", "report-gbits", true },
	{ "--data_validation", "verify", true },
	{ "--rate_limit=2.5", "rate", 2500000000 },
	{ "--rate_limit 10 --rate_units g --rate_limit_type SW", "rate",
	  10000000000 },
	{ "--rate_limit 10 --rate_limit_type HW", "pacing", PACING_DEVICE },
	{ "--rate_limit_type SW --rate_limit 10", "pacing", PACING_LOOP },
	{ "--rate_limit_type HW", "pacing", PACING_LOOP },
	{ "-q 3 --rate_limit 10 --rate_limit_type=PP --burst_size 8", "rate",
	  30000000000 },
	{ "--rate_limit 10 --rate_limit_type=PP --burst_size 8", "burst", 1 },
	{ "--rate_units=M --rate_limit=1000", "rate", 8388608000 },
	{ "--rate_limit=5000 --rate_units=p", "rate",
	  RATE_MESSAGES | 5000000 },
	{ "--rate_limit 1 --burst_size 4", "burst", 4 },
	{ "--output=bandwidth", "format", TABLE_BANDWIDTH },
	{ "--output=message_rate", "format", TABLE_MESSAGE_RATE },
	{ "--run_infinitely", "duration", 604800000000000 },
	{ "--run_infinitely", "interval", 5000000000 },
	{ "--run_infinitely -D 2", "interval", 2000000000 },
	{ "--run_infinitely -D 7200", "interval", 3600000000000 },
	{ "--run_infinitely -D 1ms", "interval", 10000000 },
	{ "--cpu_util -D 1", "cpu", 1 },
	{ "--cpu_util", "cpu", 0 },
	{ "--run", "duration", 604800000000000 },
	{ "-D 205200", "duration", 205200000000000 },
	{ "-D 10s", "duration", 10000000000 },
	{ "-t 300 -t 200", "tx-depth", 200 },
	{ "-Q 200", "cq-mod", 128 },
	{ "--tclass=0x60", "tclass", 96 },
	{ "--tclass 0X60", "tclass", 96 },
	/* as strtol() reads them */
	{ "--tclass 0140", "tclass", 96 },
	{ "-n 010", "iterations", 8 },
	{ "-n 0x10", "iterations", 16 },
	{ "-q 04", "qps", 4 },
	{ "-t 0400", "tx-depth", 256 },
	{ "-m 02000", "mtu", 1024 },
	{ "-m 0x400", "mtu", 1024 },
	{ "-D 012", "duration", 10000000000 },
	{ "--retry_count 0x10", "retry-count", 7 },
	{ "--rate_limit 5 --burst_size=0x20", "burst", 32 },
	/* and a few that it does not */
	{ "-n 1M", "iterations", 1000000 },
	{ "-n 1e6", "iterations", 1000000 },
	{ "--retry_count=10", "retry-count", 7 },
	{ "--retry_count=7", "retry-count", 7 },
	{ "-m 9000", "mtu", PLAN_AUTO },
	{ "-m 1000", "mtu", PLAN_AUTO },
	{ "-m 256", "mtu", 256 },
	{ "-m 4096", "mtu", 4096 },
	{ "--rate_limit 5 --burst_size=2147483647", "burst", 128 },
	{ "--rate_limit 5 --burst_size=129 -t 256", "burst", 129 },
	{ "--rate_limit 5 --burst_size=0", "burst", 1 },
	{ "--burst_size=2147483647", "burst", 1 },
	{ "--recv_post_list=8", "recv-post-list", 1 },
	{ "--recv_post_list=8 --write_with_imm", "recv-post-list", 8 },
	{ "--write_with_imm --recv_post_list=8", "recv-post-list", 8 },
	{ "--rate_limit=10Gbps", "rate", 10000000000 },
	{ "-Fb", "bidirectional", true },
	{ "-zFq2", "qps", 2 },
	{ "-Fq 2", "qps", 2 },
	{ "-n100 -s64", "iterations", 100 },
	{ "-D 1 -H", "qps", 1 },
	{ "-O", "qps", 1 },
	{ "--dualport --report-per-port -D 5", "qps", 1 },
	{ "-6 --use-null-mr --use_data_direct -C", "qps", 1 },
	{ "--payload_file_path=x --inline_recv=8", "qps", 1 },
	{ "--use_cuda=0 --cuda_mem_type 0 --use_cuda_pcie_mapping", "qps", 1 },
	{ "--report-min-bw=1000", "qps", 1 },
	{ "-f 3600", "warmup", 3600000000000 },
	{ "-f 0", "warmup", 0 },
	/* in silence */
	{ "-F -N --cqe_poll=16 --no_lock --ipv6 --ipv6-addr -z", "qps", 1 },
	{ "--CPU-freq --noPeak --dont_xchg_versions", "qps", 1 },
	{ "--force-link=Ethernet --wait_destroy 3", "qps", 1 },
};

TEST(test_values)
{
	char line[200], copy[200];

	for (size_t i = 0; i < COUNT(values); i++) {
		struct options o;
		uint64_t value;

		snprintf(line, sizeof(line), "ib_write_bw %s host",
			 values[i].words);
		taken(line, copy, &o);
		value = param_get(&o.params, row_of(values[i].row));
		if (value != values[i].value)
			fail_msg("%s: %s is %llu", line, values[i].row,
				 (unsigned long long)value);
	}
}

TEST(test_strings_lists_and_limits)
{
	char copy[200];
	struct options o;

	taken("ib_send_bw -d mlx5_0 --bind_source_ip 10.0.0.1 --pin_cores 2,4 "
	      "--flow_label=1,2 -a h", copy, &o);
	assert_string_equal(o.params.device, "mlx5_0");
	assert_string_equal(o.params.bind, "10.0.0.1");
	assert_int_equal(o.params.cpus.id[1], 4);
	assert_int_equal(o.params.plan.flow_labels.n, 2);
	assert_true(o.params.plan.all);
	/* only a number is hexadecimal */
	taken("ib_send_bw --bind_source_ip 0x10 h", copy, &o);
	assert_string_equal(o.params.bind, "0x10");
	taken("ib_send_bw -r 4 --recv_post_list 8 h", copy, &o);
	assert_int_equal(o.params.plan.rx_depth, 8);
	taken("ib_send_bw -r 16 --recv_post_list 8 h", copy, &o);
	assert_int_equal(o.params.plan.rx_depth, 16);
	taken("ib_send_bw --recv_post_list 8 h", copy, &o);
	assert_int_equal(o.params.plan.rx_depth, PLAN_AUTO);
	taken("ib_write_bw -w 1000 -y 1.5 h", copy, &o);
	assert_true(o.params.limits[LIMIT_MIN_GBPS].given);
	assert_true(o.params.limits[LIMIT_MIN_GBPS].value > 8.388 &&
		    o.params.limits[LIMIT_MIN_GBPS].value < 8.389);
	assert_true(o.params.limits[LIMIT_MIN_MPPS].value == 1.5);
	taken("ib_write_bw -w 90 --report_gbits h", copy, &o);
	assert_true(o.params.limits[LIMIT_MIN_GBPS].value == 90);
	taken("ib_write_bw --out_json h", copy, &o);
	assert_string_equal(o.params.perftest_json, "perftest_out.json");
	taken("ib_write_bw --out_json --out_json_file=x h", copy, &o);
	assert_string_equal(o.params.perftest_json, "x");
	/* without --out_json it means nothing */
	taken("ib_write_bw --out_json_file=x h", copy, &o);
	assert_null(o.params.perftest_json);
	taken("ib_read_lat -D 2 h --output=latency", copy, &o);
	assert_true(o.params.timed);
	assert_int_equal(o.params.format, TABLE_LATENCY);
	/* an atomic has 8 bytes */
	taken("ib_atomic_bw -s 64 -A CMP_AND_SWAP h", copy, &o);
	assert_int_equal(o.params.plan.sizes.bytes[0], 8);
	assert_int_equal(o.params.plan.op, OP_CMP_SWAP);
}

/* Each is of no effect in a latency test, or becomes what fits. */
TEST(test_latency_takes_options_of_bandwidth)
{
	char copy[200];
	struct options o;

	taken("ib_read_lat -w 100M -y 10G -Q 10 --recv_post_list=4 "
	      "--burst_size=2147483647 h", copy, &o);
	assert_false(o.params.limits[LIMIT_MIN_GBPS].given);
	assert_false(o.params.limits[LIMIT_MIN_MPPS].given);
	assert_int_equal(o.params.plan.cq_mod, 1);
	assert_int_equal(o.params.plan.recv_post_list, 1);
	taken("ib_read_lat -t 4 -Q 10 h", copy, &o);
	assert_int_equal(o.params.plan.cq_mod, 4);
	taken("ib_send_lat --recv_post_list 4 h", copy, &o);
	assert_int_equal(o.params.plan.recv_post_list, 1);
	/* nobody would answer a group */
	taken("ib_send_lat -g h", copy, &o);
	assert_int_equal(o.params.plan.transport, TRANSPORT_UD);
	assert_false(o.params.plan.mcast.wanted);
	taken("ib_send_lat -M ff12::1 h", copy, &o);
	assert_int_equal(o.params.plan.transport, TRANSPORT_UD);
	taken("ib_send_bw -g h", copy, &o);
	assert_true(o.params.plan.mcast.wanted);
}

TEST(test_limits_are_the_number_at_the_beginning)
{
	char copy[200];
	struct options o;

	taken("ib_write_bw --report_gbits -w 100M -y 10G h", copy, &o);
	assert_true(o.params.limits[LIMIT_MIN_GBPS].value == 100);
	assert_true(o.params.limits[LIMIT_MIN_MPPS].value == 10);
	/* none */
	taken("ib_write_bw -w 0 -y 0 h", copy, &o);
	assert_false(o.params.limits[LIMIT_MIN_GBPS].given);
	assert_false(o.params.limits[LIMIT_MIN_MPPS].given);
}

TEST(test_all_sizes_win)
{
	char copy[200];
	struct options o;

	taken("ib_write_bw -a -s 64 h", copy, &o);
	assert_true(o.params.plan.all && o.params.plan.sizes.n > 10);
	taken("ib_write_bw -s 64 -a h", copy, &o);
	assert_true(o.params.plan.all && o.params.plan.sizes.n > 10);
	taken("ib_write_bw -s 010K h", copy, &o);
	assert_int_equal(o.params.plan.sizes.bytes[0], 8192);
	taken("ib_write_bw -s 64 -s 0x80 h", copy, &o);
	assert_int_equal(o.params.plan.sizes.n, 1);
	assert_int_equal(o.params.plan.sizes.bytes[0], 128);
}

TEST(test_the_host_between_options)
{
	char copy[200];
	struct options o;

	taken("ib_write_bw -d x host -q 2", copy, &o);
	assert_int_equal(o.command, COMMAND_CLIENT);
	assert_string_equal(o.server, "host");
	assert_int_equal(o.params.plan.qps, 2);
	taken("ib_write_bw host -Fab", copy, &o);
	assert_string_equal(o.server, "host");
	assert_true(o.params.plan.all && o.params.plan.bidirectional);
}

/* What getopt_long() makes of a name's beginning with the options of 6.06 or of
 * 6.29; NULL: nothing. */
TEST(test_beginnings_of_names)
{
	static const struct {
		const char *start, *name;
	} rows[] = {
		{ "report_gbit", "report_gbits" }, { "run", "run_infinitely" },
		{ "bidir", "bidirectional" }, { "cpu", "cpu_util" },
		{ "no", "noPeak" }, { "no_l", "no_lock" },
		{ "report-m", "report-min-bw" },
		{ "no_d", "no_ddp" }, { "no_", NULL },
		{ "inline", "inline_size" }, { "inline_r", "inline_recv" },
		{ "disable", "disable_pcie_relaxed" },
		{ "data_enc_keys", "data_enc_keys_number" },
		{ "send", "send_with_imm" }, { "write", "write_with_imm" },
		{ "use_h", "use_hugepages" }, { "use_hl", "use_hl" },
		{ "use-s", "use-srq" }, { "use-", "use-srq" },
		{ "use_cuda", "use_cuda" }, { "use_cuda_b", "use_cuda_bus_id" },
		{ "comm", "comm_rdma_cm" }, { "com_", "com_rdma_cm" },
		{ "report-h", "report-histogrm" }, { "iter", "iters" },
		{ "report-histogra", "report-histogram" },
		{ "rate_limit", "rate_limit" }, { "output", "output" },
		{ "out", NULL }, { "report", NULL }, { "use", NULL },
		{ "co", NULL }, { "rate", NULL }, { "ib", NULL },
		{ "report-gbits", NULL }, { "", NULL }, { "x", NULL },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct perftest_option *o = perftest_match(rows[i].start);

		if (!rows[i].name != !o ||
		    (o && strcmp(o->name, rows[i].name) != 0))
			fail_msg("--%s: %s", rows[i].start,
				 o ? o->name : "none");
	}
}

static void check_memory(const char *words, const char *wanted)
{
	char line[200], copy[200], text[100];
	struct options o;

	snprintf(line, sizeof(line), "ib_write_bw %s", words);
	taken(line, copy, &o);
	assert_string_equal(memory_choice_format(&o.params.memory, text,
						 sizeof(text)), wanted);
}

TEST(test_memory)
{
	check_memory("h", "anonymous");
	check_memory("--use_cuda=1 h", "cuda:1");
	check_memory("--use_cuda 0 --use_cuda_dmabuf", "cuda:0");
	check_memory("--use_rocm=3 --use_rocm_dmabuf h", "hip:3");
	check_memory("--use_cuda_bus_id=0000:19:00.0", "cuda:0000:19:00.0");
	check_memory("--use_cuda_bus_id 19:00.0 --use_cuda_dmabuf "
		     "--use_data_direct h", "cuda:19:00.0");
	check_memory("--use_hugepages --use_cuda=0 h", "cuda:0");
	check_memory("--use_cuda_bus_id=1:2.3 --use_hugepages h", "cuda:1:2.3");
	check_memory("--mmap /dev/shm/x", "file:/dev/shm/x");
	check_memory("--mmap-offset 4096 --mmap=/x h", "file:/x,offset=4096");
	check_memory("--mmap=/x --mmap-offset 8192 h", "file:/x,offset=8192");
	check_memory("--mmap-offset 8192 h", "anonymous");
}

TEST(test_samples)
{
	char copy[200];
	struct options o;

	taken("ib_write_lat -H h", copy, &o);
	assert_int_equal(o.params.perftest_samples, PERFTEST_SORTED);
	assert_null(o.params.samples);
	taken("ib_read_lat -H -U h", copy, &o);
	assert_int_equal(o.params.perftest_samples, PERFTEST_UNSORTED);
	taken("ib_read_lat -U -H h", copy, &o);
	assert_int_equal(o.params.perftest_samples, PERFTEST_UNSORTED);
	taken("ib_read_lat --report-histogram h", copy, &o);
	assert_int_equal(o.params.perftest_samples, PERFTEST_SORTED);
	taken("ib_read_lat --latency_gap 20 h", copy, &o);
	assert_int_equal(o.params.plan.gap, 20000);
	taken("ib_read_lat --latency_gap 0x20 h", copy, &o);
	assert_int_equal(o.params.plan.gap, 32000);
	taken("ib_read_lat --latency_gap 0 h", copy, &o);
	assert_int_equal(o.params.plan.gap, 0);
	taken("ib_send_lat h", copy, &o);
	assert_int_equal(o.params.perftest_samples, PERFTEST_NO_SAMPLES);
	/* by time there are none, as with perftest */
	taken("ib_send_lat -H -D 5 h", copy, &o);
	assert_int_equal(o.params.perftest_samples, PERFTEST_NO_SAMPLES);
}

/* A server takes the same line, and remembers what it says. */
TEST(test_a_server)
{
	char copy[200];
	struct options o;

	taken("ib_write_bw -s 4096 -q 4 -F --report_gbits -p 7", copy, &o);
	assert_int_equal(o.command, COMMAND_SERVE);
	assert_true(o.params.once);
	assert_int_equal(o.params.port, 7);
	assert_int_equal(o.ignored[0], 0);
	assert_non_null(o.params.ignored_options);
	assert_int_equal(o.params.ignored_options->plan.sizes.bytes[0], 4096);
	assert_int_equal(o.params.ignored_options->plan.qps, 4);
	assert_true(
		o.params.ignored_options->given[row_of("qps") - param_table]);
	assert_true(
		o.params.ignored_options->given[row_of("size") - param_table]);
	assert_false(
		o.params.ignored_options->given[row_of("mtu") - param_table]);
	assert_false(o.params.ignored_options
			     ->given[row_of("iterations") - param_table]);
}

static void check_options(const char *text, const char *transports)
{
	assert_contains(text, "-n, --iters=N");
	for (size_t i = 0; i < perftest_option_count; i++) {
		const struct perftest_option *a = &perftest_options[i];
		const char *argument = a->letter == 'c' ? transports :
							  a->argument;
		char name[64];

		snprintf(name, sizeof(name), " --%s%s%s ", a->name,
			 argument ? "=" : "", argument ? argument : "");
		assert_int_equal(!!strstr(text, name),
				 a->class != PERFTEST_OTHER_TOOL);
	}
}

/* Each program names each option that it takes: scripts probe for them. */
TEST(test_help_has_every_option)
{
	static const char *const names[][2] = {
		{ "ib_send_bw", "<RC/UC/UD/XRC>" },
		{ "ib_send_lat", "<RC/UC/UD/XRC>" },
		{ "ib_write_bw", "<RC/UC/XRC>" },
		{ "ib_write_lat", "<RC/UC/XRC>" },
		{ "ib_read_bw", "<RC/XRC>" }, { "ib_read_lat", "<RC/XRC>" },
		{ "ib_atomic_bw", "<RC/XRC>" }, { "ib_atomic_lat", "<RC/XRC>" },
	};

	for (size_t i = 0; i < COUNT(names); i++) {
		char path[64], line[64];
		char *text;

		snprintf(path, sizeof(path), "/usr/bin/%s", names[i][0]);
		snprintf(line, sizeof(line), "  %s [options] HOST",
			 names[i][0]);
		text = perftest_usage(path);
		assert_contains(text, line);
		check_options(text, names[i][1]);
		free(text);
	}
}

TEST(test_help_and_version)
{
	char copy[200], *text;
	struct options o;

	taken("ib_write_bw --help", copy, &o);
	assert_int_equal(o.command, COMMAND_HELP);
	taken("ib_write_bw -V host", copy, &o);
	assert_int_equal(o.command, COMMAND_VERSION);
	text = perftest_version(&o.params);
	assert_ptr_equal(strstr(text, "Version: 6.06\n"), text);
	free(text);
}

/* Named in the environment, for perftest's table under any name. */
TEST(test_version_of_the_table)
{
	static const struct {
		const char *text;
		uint32_t number;	/* 0: refused */
	} rows[] = {
		{ "6.24", 624 }, { "6.06", 606 }, { "6.29", 629 }, { "", 606 },
		{ "6.2", 620 }, { "6.05", 0 }, { "6.30", 0 }, { "7.1", 0 },
		{ "24.04", 0 }, { "6", 0 }, { "6.24 ", 0 }, { "new", 0 },
		{ "6.0000000000000024", 0 },
	};
	char copy[200];

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct options o;
		struct error err = { 0 };

		setenv("VERBSPERF_PERFTEST", rows[i].text, 1);
		assert_int_equal(!parse("ib_write_bw h", copy, &o, &err),
				 rows[i].number != 0);
		if (rows[i].number)
			assert_int_equal(o.params.perftest_version,
					 rows[i].number);
		else
			assert_contains(err.message, "VERBSPERF_PERFTEST=");
		assert_int_equal(!parse("verbsperf write_bw "
					"--format=perftest h", copy, &o, &err),
				 rows[i].number != 0);
		/* it means nothing there */
		assert_int_equal(parse("verbsperf write_bw h", copy, &o, &err),
				 0);
	}
	unsetenv("VERBSPERF_PERFTEST");
}

static const struct {
	const char *line;
	const char *message;
} refused[] = {
	{ "ib_write_bw a b", "unexpected argument 'b'" },
	{ "ib_write_bw --zzz a", "unknown or ambiguous option '--zzz'" },
	{ "ib_write_bw --use a", "unknown or ambiguous option '--use'" },
	{ "ib_write_bw -3 a", "unknown option '-3'" },
	{ "ib_write_bw -n", "-n needs a value: N" },
	{ "ib_write_bw --iters", "--iters needs a value: N" },
	{ "ib_write_bw --all=1 a", "--all takes no value" },
	{ "ib_write_bw -n 0 a", "-n 0: " },
	{ "ib_write_bw -q x a", "-q 'x': " },
	{ "ib_write_bw -c DC a", "-c 'DC': expected RC, UC, UD, XRC" },
	{ "ib_write_bw -R -c UC a", "--rdma-cm: librdmacm connects RC and UD" },
	{ "ib_write_bw --use_musa=0 a", "--use_musa: verbsperf has no memory of accelerators but that of CUDA and HIP" },
	{ "ib_write_bw --cuda_mem_type=1 a", "--cuda_mem_type '1': expected 0, what cuMemAlloc" },
	{ "ib_write_bw --use_cuda_bus_id=19:0 a", "--use_cuda_bus_id '19:0': expected the number of a GPU, or its PCI address" },
	{ "ib_write_bw -Fz3 a", "unknown option '-3'" },
	{ "ib_write_bw -Fn", "-n needs a value: N" },
	{ "ib_write_bw --burst_size=x --rate_limit 1 a", "--burst_size 'x': expected a number of messages" },
	{ "ib_write_bw --tclass=0x6g a", "--tclass '0x6g': " },
	{ "ib_write_bw --retry_count=x a", "--retry_count 'x': " },
	{ "ib_write_bw -m x a", "-m 'x': " },
	{ "ib_write_bw -s 4XB a", "-s '4XB': must be a size" },
	{ "ib_read_lat --rate_limit=5 a", "--rate_limit: only for bandwidth" },
	{ "ib_write_bw -w M a", "-w 'M': expected a number" },
	{ "ib_write_bw --use_cuda=x a", "--use_cuda 'x': expected the number of a GPU" },
	{ "ib_write_bw --use_cuda= a", "--use_cuda '': expected the number of a GPU" },
	{ "ib_write_bw --use_rocm=-1 a", "--use_rocm '-1': expected the number of a GPU" },
	{ "ib_write_bw --mmap= a", "--mmap '': expected a file" },
	{ "ib_write_bw --mmap /x --mmap-offset=y a", "--mmap-offset 'y': expected a number of bytes" },
	{ "ib_write_bw --use_hugepages --mmap=/x a", "--hugepages and --memory exclude each other" },
	{ "ib_write_bw -B 1:2 a", "-B: raw Ethernet" },
	{ "ib_write_bw --aes_xts a", "--aes_xts: encryption" },
	{ "ib_write_bw -d mlx5_1 --use_ooo a",
	  "--use_ooo: verbsperf does not use this feature of some devices" },
	{ "ib_write_bw --rate_limit 5 --rate_units p --rate_limit_type HW a",
	  "--pacing device: a device counts bits: give --rate in Gb/s" },
	{ "ib_read_bw --rate_limit 5 --rate_limit_type HW a",
	  "--pacing device: the other end sends the data of reads and "
	  "atomics" },
	{ "ib_write_bw --latency_gap 10 a", "--latency_gap: only for latency" },
	{ "ib_read_lat --latency_gap 1ms a",
	  "--latency_gap '1ms': expected microseconds" },
	{ "ib_read_lat --latency_gap 600000 a", "--latency_gap 600000us: " },
	{ "ib_write_bw --rate_limit_type X a",
	  "--rate_limit_type 'X': expected HW, SW or PP" },
	{ "ib_write_bw --rate_units k a",
	  "--rate_units 'k': expected M (MiB/s)" },
	{ "ib_write_bw --rate_limit x a",
	  "--rate_limit 'x': expected a number" },
	{ "ib_write_bw --rate_limit -1 a",
	  "--rate_limit '-1': expected a number" },
	{ "ib_write_bw -w inf a", "-w 'inf': expected a number" },
	{ "ib_write_bw -w -1 a", "-w '-1': expected a number" },
	{ "ib_write_bw --rate_limit 0 a",
	  "--rate_limit '0': expected a number above 0" },
	{ "ib_write_bw --output=latency a", "--output latency: only for lat" },
	{ "ib_read_lat --output=bandwidth a",
	  "--output bandwidth: only for bandwidth" },
	{ "ib_read_lat --output=x a", "--output 'x': expected bandwidth" },
	{ "ib_write_bw -H a", "--samples: only for latency" },
	{ "ib_write_bw -f 3601 a", "-f 3601: " },
	{ "ib_write_bw -f 1e30 a", "-f 1e30: expected 0 to 1h" },
	{ "ib_write_bw -f -1 a", "-f '-1': " },
	{ "ib_write_bw -D 0 a", "--duration 0: nothing would be measured" },
	{ "ib_write_bw -D 1e99 a", "-D 1e99: " },
	{ "ib_write_bw -n 99999999999999 a", "-n 99999999999999: " },
	{ "ib_write_bw -s 5G a", "-s 5G: " },
	{ "ib_write_bw --rate_limit 1e30 a", "--rate_limit " },
	{ "ib_write_bw -w 1e30 a", "--limit_bw " },
	{ "ib_write_bw -p 0 a", "--port 0: only for a server" },
	{ "ib_write_bw -p 65536 a", "-p 65536: " },
	{ "ib_write_lat --run_infinitely a",
	  "--run_infinitely: only for bandwidth" },
	{ "ib_write_lat -q 2 a", "--qps 2: latency is measured on one" },
	{ "ib_write_bw -c UD", "--transport UD: write is possible over" },
};

TEST(test_refused)
{
	char copy[200];

	for (size_t i = 0; i < COUNT(refused); i++) {
		struct options o;
		struct error err;

		if (parse(refused[i].line, copy, &o, &err) != -EINVAL)
			fail_msg("'%s' was taken", refused[i].line);
		if (strncmp(err.message, refused[i].message,
			    strlen(refused[i].message)) != 0)
			fail_msg("'%s': %s", refused[i].line, err.message);
	}
}

TEST(test_what_is_meant)
{
	struct options o;
	struct error err;
	char copy[200];

	parse("ib_write_bw --itres=4 h", copy, &o, &err);
	assert_string_equal(err.advice, "did you mean --iters?");
}

/* No two options share a name or a letter; what becomes of each is said. */
TEST(test_the_table_itself)
{
	for (size_t i = 0; i < perftest_option_count; i++) {
		const struct perftest_option *a = &perftest_options[i];

		assert_true(a->class == PERFTEST_SAME || a->note);
		/* scripts take such words for a run that did not go well */
		assert_false(a->note && (strcasestr(a->note, "error") ||
					 strcasestr(a->note, "fail")));
		assert_true(a->ours || a->note);
		assert_false(a->ours && !row_of(a->ours));
		assert_false(a->class != PERFTEST_SAME && a->ours);
		for (size_t k = 0; k < i; k++) {
			const struct perftest_option *b = &perftest_options[k];

			assert_string_not_equal(a->name, b->name);
			assert_true(!a->letter || a->letter != b->letter);
		}
		assert_ptr_equal(perftest_find(a->name), a);
		if (a->letter)
			assert_ptr_equal(perftest_find_letter(a->letter), a);
	}
}

/* None is unknown: what is refused is refused by name. */
TEST(test_every_option)
{
	char line[200], copy[200];

	for (size_t i = 0; i < perftest_option_count; i++) {
		const struct perftest_option *a = &perftest_options[i];
		struct options o;
		struct error err;
		int ret;

		snprintf(line, sizeof(line), "ib_write_bw --%s%s host",
			 a->name, a->argument ? "=1" : "");
		ret = parse(line, copy, &o, &err);
		if (a->class == PERFTEST_NOTHING || a->class == PERFTEST_SAID)
			assert_int_equal(ret, 0);
		if (a->class == PERFTEST_OTHER_TOOL)
			assert_int_equal(ret, -EINVAL);
		if (ret && !strstr(err.message, "--"))
			fail_msg("'%s': %s", line, err.message);
		assert_false(ret && strstr(err.message, "unknown"));
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_names),
	cmocka_unit_test(test_defaults),
	cmocka_unit_test(test_values),
	cmocka_unit_test(test_strings_lists_and_limits),
	cmocka_unit_test(test_latency_takes_options_of_bandwidth),
	cmocka_unit_test(test_limits_are_the_number_at_the_beginning),
	cmocka_unit_test(test_all_sizes_win),
	cmocka_unit_test(test_the_host_between_options),
	cmocka_unit_test(test_beginnings_of_names),
	cmocka_unit_test(test_memory),
	cmocka_unit_test(test_samples),
	cmocka_unit_test(test_a_server),
	cmocka_unit_test(test_help_has_every_option),
	cmocka_unit_test(test_help_and_version),
	cmocka_unit_test(test_version_of_the_table),
	cmocka_unit_test(test_refused),
	cmocka_unit_test(test_what_is_meant),
	cmocka_unit_test(test_the_table_itself),
	cmocka_unit_test(test_every_option),
};

TEST_MAIN(tests, 10)
