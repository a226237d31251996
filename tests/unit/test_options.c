/* argv -> what to do: tables of lines and of what becomes of them. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>

#include "base/time.h"
#include "cli/suggest.h"
#include "command_line.h"

struct command_row {
	const char *line;
	enum command command;
	const char *server;	/* NULL: none */
	enum op op;
	enum metric metric;
	bool once;
};

#define BW METRIC_BANDWIDTH
#define LAT METRIC_LATENCY

// clang-format off
static const struct command_row commands[] = {
	{ "verbsperf --help", COMMAND_HELP, NULL, OP_SEND, BW, false },
	{ "verbsperf -h", COMMAND_HELP, NULL, OP_SEND, BW, false },
	{ "verbsperf -V", COMMAND_VERSION, NULL, OP_SEND, BW, false },
	{ "verbsperf write_bw --version", COMMAND_VERSION, NULL, OP_SEND, BW, false },
	{ "verbsperf devices", COMMAND_DEVICES, NULL, OP_SEND, BW, false },
	{ "verbsperf devices -d x -i 2", COMMAND_DEVICES, NULL, OP_SEND, BW, false },
	{ "verbsperf devices --topology --json", COMMAND_DEVICES, NULL, OP_SEND, BW, false },
	{ "verbsperf check", COMMAND_CHECK, NULL, OP_WRITE, BW, false },
	{ "verbsperf check -d x -s 1M -q 4 --hugepages --json", COMMAND_CHECK, NULL, OP_WRITE, BW, false },
	{ "verbsperf calibrate", COMMAND_CALIBRATE, NULL, OP_SEND, BW, false },
	{ "verbsperf calibrate --clock counter --cpus 0-3 --json --title t", COMMAND_CALIBRATE, NULL, OP_SEND, BW, false },
	{ "verbsperf serve", COMMAND_SERVE, NULL, OP_SEND, BW, false },
	{ "verbsperf serve --once", COMMAND_SERVE, NULL, OP_SEND, BW, true },
	{ "verbsperf write_bw", COMMAND_SERVE, NULL, OP_WRITE, BW, true },
	{ "verbsperf send_bw host", COMMAND_CLIENT, "host", OP_SEND, BW, false },
	{ "verbsperf send_lat host", COMMAND_CLIENT, "host", OP_SEND, LAT, false },
	{ "verbsperf write_bw host", COMMAND_CLIENT, "host", OP_WRITE, BW, false },
	{ "verbsperf write_lat host", COMMAND_CLIENT, "host", OP_WRITE, LAT, false },
	{ "verbsperf read_bw host", COMMAND_CLIENT, "host", OP_READ, BW, false },
	{ "verbsperf read_lat host", COMMAND_CLIENT, "host", OP_READ, LAT, false },
	{ "verbsperf atomic_bw host", COMMAND_CLIENT, "host", OP_FETCH_ADD, BW, false },
	{ "verbsperf atomic_lat host", COMMAND_CLIENT, "host", OP_FETCH_ADD, LAT, false },
	{ "verbsperf atomic_lat host -A CMP_AND_SWAP", COMMAND_CLIENT, "host", OP_CMP_SWAP, LAT, false },
	{ "verbsperf send_bw host --imm", COMMAND_CLIENT, "host", OP_SEND_IMM, BW, false },
	{ "verbsperf write_lat host --imm -s 0", COMMAND_CLIENT, "host", OP_WRITE_IMM, LAT, false },
	{ "ib_atomic_bw host", COMMAND_CLIENT, "host", OP_FETCH_ADD, BW, false },
	{ "verbsperf -s 4 read_lat -n 5 host -q 1", COMMAND_CLIENT, "host", OP_READ, LAT, false },
	{ "verbsperf read_lat ::1", COMMAND_CLIENT, "::1", OP_READ, LAT, false },
	{ "verbsperf write_lat --loopback", COMMAND_LOOPBACK, NULL, OP_WRITE, LAT, false },
	{ "/usr/bin/ib_write_bw host", COMMAND_CLIENT, "host", OP_WRITE, BW, false },
	{ "ib_read_lat", COMMAND_SERVE, NULL, OP_READ, LAT, true },
	{ "./x-send_bw send_bw --loopback", COMMAND_LOOPBACK, NULL, OP_SEND, BW, false },
	{ "/opt/write_bw/verbsperf devices", COMMAND_DEVICES, NULL, OP_SEND, BW, false },
};
// clang-format on

TEST(test_commands)
{
	char copy[200];

	for (size_t i = 0; i < COUNT(commands); i++) {
		const struct command_row *r = &commands[i];
		struct options o;

		taken(r->line, copy, &o);
		if (o.command != r->command)
			fail_msg("'%s' is command %d", r->line, o.command);
		if (r->server)
			assert_string_equal(o.server, r->server);
		else
			assert_null(o.server);
		assert_int_equal(o.params.plan.op, r->op);
		assert_int_equal(o.params.plan.metric, r->metric);
		assert_int_equal(o.params.once, r->once ? PARAM_FOREVER : 0);
	}
}

/* Every option, by its long name and its letter. */
static const struct {
	const char *option;
	const char *name;
	uint64_t value;
} values[] = {
	{ "--ib-port=2", "ib-port", 2 },
	{ "-i 2", "ib-port", 2 },
	{ "-x 3", "gid-index", 3 },
	{ "--gid-index 3", "gid-index", 3 },
	{ "-p 5", "port", 5 },
	{ "--port=5", "port", 5 },
	{ "--wait", "wait", 60000000000 },
	{ "--wait=5", "wait", 5000000000 },
	{ "--iterations 7", "iterations", 7 },
	{ "-n 7", "iterations", 7 },
	{ "-n7", "iterations", 7 },
	{ "-D 2.5", "duration", 2500000000 },
	{ "--duration=50ms", "duration", 50000000 },
	{ "--warmup 0", "warmup", 0 },
	{ "--timeout=2", "timeout", 2000000000 },
	{ "-q 3", "qps", 3 },
	{ "--qps 3", "qps", 3 },
	{ "-t 256", "tx-depth", 256 },
	{ "--tx-depth=256", "tx-depth", 256 },
	{ "-r 9", "rx-depth", 9 },
	{ "--rx-depth auto", "rx-depth", PLAN_AUTO },
	{ "-Q 4", "cq-mod", 4 },
	{ "--cq-mod=4", "cq-mod", 4 },
	{ "-m 2048", "mtu", 2048 },
	{ "--mtu 4096", "mtu", 4096 },
	{ "-o 1", "outstanding-reads", 1 },
	{ "--outstanding-reads=1", "outstanding-reads", 1 },
	{ "-u 20", "qp-timeout", 20 },
	{ "--qp-timeout=20", "qp-timeout", 20 },
	{ "-S 3", "sl", 3 },
	{ "--sl 3", "sl", 3 },
	{ "--walk=1M", "walk", 1 << 20 },
	{ "-l 8", "post-list", 8 },
	{ "--post-list=8", "post-list", 8 },
	{ "--post wr", "post", POST_WR },
	{ "--post=legacy", "post", POST_LEGACY },
	{ "-q 4 --threads=4", "threads", 4 },
	{ "--interval=0.5", "interval", 500000000 },
	{ "--clock=monotonic_raw", "clock", 2 },
	{ "--clock counter", "clock", 1 },
	/* the last one counts */
	{ "-q 3 -q 4", "qps", 4 },
	/* what is not ambiguous may be cut */
	{ "--iter 8", "iterations", 8 },
};

static const struct param *row_of(const char *name)
{
	for (size_t i = 0; i < param_count; i++)
		if (!strcmp(param_table[i].name, name))
			return &param_table[i];
	return NULL;
}

TEST(test_control)
{
	char copy[COMMAND_LINE_SIZE];
	struct options o;

	taken("verbsperf reg_mr", copy, &o);
	assert_int_equal(o.command, COMMAND_CONTROL);
	assert_int_equal(o.params.plan.control, CONTROL_REG_MR);
	assert_int_equal(o.params.plan.metric, METRIC_LATENCY);
	assert_int_equal(o.params.pattern, CONTROL_CHURN);
	assert_int_equal(o.params.plan.iterations, 0);
	assert_int_equal(o.params.plan.duration, 3 * SECOND);
	assert_int_equal(o.params.plan.sizes.n, 1);
	assert_int_equal(o.params.plan.sizes.bytes[0], 4096);
	taken("verbsperf reg_mr --pattern=hold --access=all -a", copy, &o);
	assert_int_equal(o.params.plan.iterations, CONTROL_HELD);
	assert_int_equal(o.params.plan.duration, 0);
	assert_int_equal(o.params.access, CONTROL_ALL_ACCESS);
	assert_int_equal(o.params.plan.sizes.n, 19);
	taken("verbsperf reg_mr --pattern=hold -D 2", copy, &o);
	assert_int_equal(o.params.plan.iterations, 0);
	assert_int_equal(o.params.plan.duration, 2 * SECOND);
}

TEST(test_every_number)
{
	char copy[200], line[200];

	for (size_t i = 0; i < COUNT(values); i++) {
		struct options o;

		strcpy(line, "verbsperf write_bw host ");
		strcat(line, values[i].option);
		taken(line, copy, &o);
		if (param_get(&o.params, row_of(values[i].name)) !=
		    values[i].value)
			fail_msg("%s was not taken", values[i].option);
	}
}

TEST(test_strings_and_flags)
{
	char copy[200];
	struct options o;

	taken("verbsperf write_bw h -d dev --bind a --title t --json", copy,
	      &o);
	assert_string_equal(o.params.device, "dev");
	assert_string_equal(o.params.bind, "a");
	assert_string_equal(o.params.title, "t");
	assert_string_equal(o.params.json, "-");
	taken("verbsperf write_bw h --device=dev --bind a "
	      "--json=f.json", copy, &o);
	assert_string_equal(o.params.device, "dev");
	assert_string_equal(o.params.bind, "a");
	assert_string_equal(o.params.json, "f.json");
	taken("verbsperf write_lat h --percentiles 50,99.99 --cpus 3-4 "
	      "--samples=s.csv --histogram --round-trip", copy, &o);
	assert_int_equal(o.params.percentiles.n, 2);
	assert_int_equal(o.params.percentiles.per_million[1], 999900);
	assert_int_equal(o.params.cpus.n, 2);
	assert_int_equal(o.params.cpus.id[1], 4);
	assert_string_equal(o.params.samples, "s.csv");
	assert_true(o.params.histogram && o.params.plan.round_trip);
	taken("verbsperf serve --percentiles 99 --histogram --cpus 1 "
	      "--clock=counter", copy, &o);
	assert_true(o.params.histogram);
	/* more CPUs than threads: the first of them */
	taken("verbsperf write_bw h -q 2 --threads 2 --cpus 0-7", copy, &o);
	assert_int_equal(o.params.cpus.n, 8);
	taken("verbsperf serve --parallel 3 --max-qps 9 --max-duration 1m "
	      "--idle-timeout 2 --allow 10.0.0.0/8,::1 --ready-fd 7", copy,
	      &o);
	assert_int_equal(o.params.parallel, 3);
	assert_int_equal(o.params.max_qps, 9);
	assert_int_equal(o.params.max_duration, 60000000000);
	assert_int_equal(o.params.idle_timeout, 2000000000);
	assert_int_equal(o.params.allow.n, 2);
	assert_int_equal(o.params.ready_fd, 7);
	taken("verbsperf serve --max-memory 1M -p 0", copy, &o);
	assert_int_equal(o.params.max_memory, 1 << 20);
	assert_int_equal(o.params.port, 0);
}

TEST(test_what_is_not_given)
{
	char copy[200];
	struct options o;

	taken("verbsperf write_bw host", copy, &o);
	assert_int_equal(o.params.plan.sizes.n, 1);
	assert_int_equal(o.params.plan.sizes.bytes[0], 65536);
	assert_int_equal(o.params.plan.duration, 3000000000);
	taken("verbsperf write_lat host", copy, &o);
	assert_int_equal(o.params.plan.sizes.bytes[0], 2);
	taken("verbsperf write_lat host -s 2..8", copy, &o);
	assert_int_equal(o.params.plan.sizes.n, 3);
	/* a count takes the place of the time */
	taken("verbsperf write_lat host -n 5", copy, &o);
	assert_int_equal(o.params.plan.duration, 0);
	assert_string_equal(o.ignored, "");
}

/* Whoever types the same line at both ends is served, and told. */
/* Scripts give all tests the same options. */
TEST(test_without_effect)
{
	static const char *const lines[][2] = {
		{ "verbsperf write_bw -o 8 -r 100 h",
		  "--rx-depth, --outstanding-reads" },
		{ "verbsperf write_bw --imm -r 100 h", "" },
		{ "verbsperf send_bw -r 100 -t 9 h", "" },
		{ "verbsperf read_lat -Q 4 -o 8 h", "--cq-mod" },
		{ "verbsperf write_lat --walk 1M --poll completion -r 9 h",
		  "--walk" },
		{ "verbsperf write_bw --batch 4K --histogram h", "" },
	};

	char copy[200];
	struct options o;

	for (size_t i = 0; i < COUNT(lines); i++) {
		taken(lines[i][0], copy, &o);
		assert_string_equal(o.ignored, lines[i][1]);
	}
}

TEST(test_ignored_at_a_server)
{
	char copy[200];
	struct options o;

	taken("verbsperf write_bw -s 64 -n 5 -d dev", copy, &o);
	assert_int_equal(o.command, COMMAND_SERVE);
	assert_string_equal(o.ignored, "--size, --iterations");
	assert_string_equal(o.params.device, "dev");
	taken("verbsperf write_bw -d dev --timeout 5", copy, &o);
	assert_string_equal(o.ignored, "");
}

struct refused {
	const char *line;
	const char *message;
};

// clang-format off
static const struct refused refused[] = {
	{ "verbsperf -n 5", "nothing to do: expected a test, serve, devices, check or calibrate" },
	{ "verbsperf xyz", "'xyz' is neither a test nor a command; expected send_bw send_lat write_bw write_lat read_bw read_lat atomic_bw atomic_lat reg_mr create_qp create_cq create_ah qp_setup post_poll mw_bind connect serve devices check calibrate faults" },
	{ "verbsperf Write_bw host", "'Write_bw' is not a test" },
	{ "verbsperf write_bw a b",
	  "unexpected argument 'b': write_bw takes one server, and has 'a'" },
	{ "verbsperf serve a", "unexpected argument 'a': serve takes options only" },
	{ "verbsperf devices a", "unexpected argument 'a': devices takes options only" },
	{ "verbsperf reg_mr a", "unexpected argument 'a': reg_mr takes options only" },
	{ "verbsperf reg_mr --mw=type1", "--mw: not for reg_mr" },
	{ "verbsperf mw_bind --access=all", "--access: not for mw_bind" },
	{ "verbsperf mw_bind --size=64", "--size: not for mw_bind" },
	{ "verbsperf mw_bind --mw=1", "--mw '1': expected type1, type2, type2-send" },
	{ "verbsperf reg_mr --qps=2", "--qps: not for reg_mr" },
	{ "verbsperf reg_mr --loopback", "--loopback: not for reg_mr" },
	{ "verbsperf reg_mr --pattern=keep", "--pattern 'keep': expected churn, hold" },
	{ "verbsperf write_bw --batch=4Gx1 a",
	  "--batch '4Gx1': must be sizes from 1 to 2G and how many there are of "
	  "each, 1 to 65536, like 4Kx64,64Kx8,1M" },
	{ "verbsperf reg_mr -s 0", "--size 0: reg_mr needs 1 byte at least" },
	{ "verbsperf connect a --threads 2", "--threads 2: connect runs in one thread" },
	{ "verbsperf reg_mr -a -s 4K", "--all and --size exclude each other" },
	{ "verbsperf reg_mr -n 5 -D 5", "--iterations and --duration exclude each other" },
	{ "verbsperf reg_mr -D 0", "--duration 0: must be above 0" },
	{ "verbsperf reg_mr --pattern=hold -n 10000001", "--iterations 10000001: --pattern hold makes 10000000 objects at most" },
	{ "verbsperf reg_mr --threads 2 --cpus 0", "--cpus: 1 CPU for --threads 2: each thread needs one" },
	{ "verbsperf write_bw --pattern=hold host", "--pattern: only for a test of the control path, such as reg_mr" },
	{ "verbsperf write_bw --pattern=hold", "--pattern: only for a test of the control path, such as reg_mr" },
	{ "verbsperf serve --access=all", "--access: only for a test of the control path, such as reg_mr" },
	{ "verbsperf check a", "unexpected argument 'a': check takes options only" },
	{ "verbsperf check -n 5", "--iterations: not for check" },
	{ "verbsperf calibrate a", "unexpected argument 'a': calibrate takes options only" },
	{ "verbsperf calibrate -d x", "--device: not for calibrate" },
	{ "verbsperf calibrate -n 5", "--iterations: not for calibrate" },
	{ "verbsperf calibrate --histogram", "--histogram: not for calibrate" },
	{ "verbsperf devices --cpus 1", "--cpus: not for devices" },
	{ "verbsperf devices --clock counter", "--clock: not for devices" },
	{ "verbsperf serve --loopback", "--loopback: not for serve, which runs one end only" },
	{ "verbsperf serve --threads 2", "--threads: the client decides that, not the server" },
	{ "verbsperf serve --samples x", "--samples: the client decides that, not the server" },
	{ "verbsperf serve --interval 1", "--interval: the client decides that, not the server" },
	{ "verbsperf write_lat a --interval 1", "--interval: only for bandwidth, as in write_bw" },
	{ "verbsperf read_bw a --histogram", "--histogram: only for latency, as in read_lat or with --batch" },
	{ "verbsperf read_bw a --percentiles 50", "--percentiles: only for latency, as in read_lat or with --batch" },
	{ "verbsperf send_bw --loopback --samples x", "--samples: only for latency, as in send_lat" },
	{ "verbsperf read_lat a --round-trip", "--round-trip: only for a ping-pong: send_lat or write_lat" },
	{ "verbsperf write_bw a --round-trip", "--round-trip: only for a ping-pong: send_lat or write_lat" },
	{ "verbsperf write_bw a --threads 2", "--threads 2: must be at most --qps, which is 1" },
	{ "verbsperf write_lat a --threads 2", "--threads 2: latency is measured by one thread" },
	{ "verbsperf write_lat a -l 2", "--post-list 2: latency is measured one message at a time" },
	{ "verbsperf write_bw a -l 9 -t 8", "--post-list 9: must be at most --tx-depth, which is 8" },
	{ "verbsperf write_bw a -q 4 --threads 4 --cpus 0-2", "--cpus: 3 CPUs for --threads 4: each thread needs one" },
	{ "verbsperf read_lat a --samples x --json=x", "--samples and --json both write to x" },
	{ "verbsperf read_lat a --csv --json", "--json and --csv both write to stdout" },
	{ "verbsperf serve --json-lines --csv=-", "--json-lines and --csv both write to stdout" },
	{ "verbsperf write_bw --json=y --json-lines=y", "--json and --json-lines both write to y" },
	{ "verbsperf calibrate --csv", "--csv: not for calibrate" },
	{ "verbsperf write_bw a --format csv", "--format 'csv': expected text, perftest, bandwidth, message-rate, latency, keyvalue" },
	{ "verbsperf write_bw a --cpus 0,", "--cpus '0,': must be CPU numbers like 0 or 0,2,4-7, below 65536, or auto" },
	{ "verbsperf write_bw a --clock tsc", "--clock 'tsc': expected auto, counter, monotonic_raw" },
	{ "verbsperf write_bw a --round-trip=1", "--round-trip takes no value" },
	{ "ib_write_bw a b", "unexpected argument 'b'" },
	{ "verbsperf write_bw a --loopback", "--loopback and the server 'a' exclude each other" },
	{ "verbsperf write_bw a -n 5 -D 1", "--iterations and --duration exclude each other" },
	{ "verbsperf write_lat a --imm --poll data", "--poll data: with --imm a completion announces the write" },
	{ "verbsperf send_lat a --poll completion", "--poll: only for write_lat" },
	{ "verbsperf write_bw a --poll completion", "--poll: only for write_lat" },
	{ "verbsperf write_bw a -D 0", "--duration 0: nothing would be measured" },
	{ "verbsperf write_bw a -p 0", "--port 0: only for a server" },
	{ "verbsperf write_bw a:1 -p 2", "--port 2 and port 1 of server a differ" },
	{ "verbsperf write_bw a:65536", "server a:65536: a port is 1 to 65535" },
	{ "verbsperf write_bw a -q", "-q needs a value: N" },
	{ "verbsperf write_bw a --qps", "--qps needs a value: N" },
	{ "verbsperf write_bw a --loopback=1", "--loopback takes no value" },
	{ "verbsperf write_bw a -q x", "-q 'x': must be a number, 1 to 16384" },
	{ "verbsperf write_bw a --qps x", "--qps 'x': must be a number, 1 to 16384" },
	{ "verbsperf write_bw a -q 0", "-q 0: expected 1 to 16384" },
	{ "verbsperf write_bw a -q 16385", "-q 16385: expected 1 to 16384" },
	{ "verbsperf write_bw a --wait=x", "--wait 'x': must be seconds like 3 or 0.5, or a time with ns, us, ms, s, m or h" },
	{ "verbsperf write_bw a -Z", "unknown option '-Z'" },
	{ "verbsperf write_bw a --nope", "unknown option '--nope'" },
	{ "verbsperf write_bw a --d=1", "option '--d' is ambiguous" },
	{ "verbsperf write_bw a --vers --nope", "unknown option '--nope'" },
	{ "verbsperf --help=write_bw", "--help takes no value" },
	{ "verbsperf --version=1", "--version takes no value" },
	{ "verbsperf --dump-options=json", "--dump-options takes no value" },
	{ "verbsperf write_bw a --time 3", "unknown option '--time'" },
	{ "verbsperf write_bw a --time", "unknown option '--time'" },
	{ "verbsperf write_bw a --json=", "--json '': expected a file; alone it writes to stdout" },
	{ "verbsperf write_lat a --samples=", "--samples '': expected a file" },
	{ "verbsperf write_bw a --device=", "--device '': expected a NAME" },
	{ "verbsperf write_bw a --title --time -q 0", "-q 0: expected 1 to 16384" },
	{ "verbsperf write_bw a --inject x", "--inject 'x': expected none, no-receive, no-receive-srq, no-receive-ever, slow-receiver, late-receives, no-receive-imm, short-receive, receive-lkey, receive-address, receive-dereg, receive-read-only, send-lkey, write-lkey, read-lkey, quiet-lkey, read-rkey, write-rkey, write-past-end, write-before, read-past-end, read-before, write-both-keys..." },
	{ "verbsperf write_bw a --once", "--once: only for a server" },
	{ "verbsperf write_bw a --max-memory 1", "--max-memory: only for a server" },
	{ "verbsperf write_bw a --parallel 2", "--parallel: only for a server" },
	{ "verbsperf write_bw a --allow ::1", "--allow: only for a server" },
	{ "verbsperf serve --once --parallel 2", "--parallel 2: only for 'verbsperf serve' without --once" },
	{ "verbsperf write_bw --parallel 2", "--parallel 2: only for 'verbsperf serve' without --once" },
	{ "verbsperf serve --allow 10.0.0.1/8", "--allow '10.0.0.1/8': must be IP addresses and networks like 192.0.2.7, 10.0.0.0/8 or 2001:db8::/32, with no bits set after the prefix" },
	{ "verbsperf serve -n 5", "--iterations: the client decides that, not the server" },
	{ "verbsperf serve --wait", "--wait: the client decides that, not the server" },
	{ "verbsperf devices -n 5", "--iterations: not for devices" },
	{ "verbsperf write_lat a -s 0", "--size 0: write_lat waits for the last byte of a message; --imm waits for a completion" },
	{ "verbsperf write_lat a -q 2", "--qps 2: latency is measured on one queue pair" },
	{ "verbsperf read_bw a --imm", "--imm: only send and write have immediate data" },
	{ "verbsperf atomic_bw a -s 16", "--size 16: an atomic has 8 bytes" },
	{ "verbsperf write_bw a -c XRC -q 8193", "--qps 8193: at most 8192 over XRC, which has two queue pairs at each end for each of them" },
	{ "verbsperf send_bw a -c XRC --rdma-cm", "--rdma-cm: librdmacm connects RC and UD, not XRC" },
	{ "verbsperf read_lat a -c UC", "--transport UC: read is possible over RC and XRC only" },
	{ "verbsperf write_bw a -c UD", "--transport UD: write is possible over RC, UC and XRC only" },
	{ "verbsperf write_bw a -t 4 -Q 5", "--cq-mod 5: must be at most --tx-depth, which is 4" },
	{ "verbsperf write_bw a -m 1000", "--mtu 1000: expected 256, 512, 1024, 2048 or 4096" },
};
// clang-format on

/* What is said of a word behind an option whose value is joined by '='. */
static const struct refused apart[] = {
	{ "verbsperf write_lat --wait 10 host", "write --wait=10" },
	{ "verbsperf write_lat host --wait 10", "write --wait=10" },
	{ "verbsperf --wait 10 write_lat host", "write --wait=10" },
	{ "verbsperf write_lat --wait 10", "write --wait=10" },
	{ "verbsperf write_lat --wait 1.5m", "write --wait=1.5m" },
	{ "verbsperf write_lat --wait 10 -n 5", "write --wait=10" },
	{ "verbsperf write_lat --json out host", "write --json=out" },
	{ "verbsperf write_lat host --json out", "write --json=out" },
	{ "verbsperf write_lat --json out.json", "write --json=out.json" },
	{ "verbsperf write_lat --csv ./x", "write --csv=./x" },
	{ "verbsperf write_lat --json-lines -", "write --json-lines=-" },
	{ "verbsperf write_lat --loopback --csv out", "write --csv=out" },
	{ "verbsperf serve --json out", "write --json=out" },
	{ "verbsperf calibrate --json out", "write --json=out" },
	{ "verbsperf --json out calibrate", "write --json=out" },
};

TEST(test_values_that_stand_apart)
{
	char copy[200], option[32];

	for (size_t i = 0; i < COUNT(apart); i++) {
		const char *name = strstr(apart[i].message, "--");
		struct options o;
		struct error err;

		assert_int_equal(parse(apart[i].line, copy, &o, &err),
				 -EINVAL);
		assert_string_equal(err.advice, apart[i].message);
		snprintf(option, sizeof(option), "%.*s ",
			 (int)strcspn(name, "="), name);
		assert_ptr_equal(strstr(err.message, option), err.message);
	}
}

/* The same words, where they are what they seem to be. */
TEST(test_servers_behind_an_option)
{
	static const char *const lines[] = {
		"verbsperf write_lat --json 10",
		"verbsperf write_lat 10 --wait",
		"verbsperf write_lat --csv 10 --wait=3",
		"verbsperf write_lat --wait -n 5 10",
	};

	for (size_t i = 0; i < COUNT(lines); i++) {
		char copy[200];
		struct options o;

		taken(lines[i], copy, &o);
		assert_string_equal(o.server, "10");
	}
}

/* What is advised instead of a name that there is not. */
static const struct refused suggested[] = {
	{ "--szie=64", "did you mean --size?" },
	{ "--siez", "did you mean --size?" },
	{ "--sizes", "did you mean --size?" },
	{ "--tx_depth=4", "did you mean --tx-depth?" },
	{ "--itres", "did you mean --iterations?" },
	{ "--iteration5", "did you mean --iterations?" },
	{ "--use_hugepage5", "did you mean --hugepages?" },
	{ "--hlep", "did you mean --help?" },
	{ "--jsno=x", "did you mean --json?" },
	{ "--precentile=50", "did you mean --percentiles?" },
	{ "--injekt", "see --help" },
	{ "--zzz", "see --help" },
	{ "--an-option-longer-than-any-that-there-is-or-will-ever-be-anywhere",
	  "see --help" },
	{ "--margin=2", "perftest's --margin is --warmup here" },
	{ "--run_infinitely",
	  "perftest's --run_infinitely is --duration here" },
	{ "--iters=5", "perftest's --iters is --iterations here" },
	{ "--use_old_post_send",
	  "perftest's --use_old_post_send is --post legacy here" },
	{ "--iterss=5", "did you mean --iterations?" },
	{ "--cqe_poll=3",
	  "leave it out: perftest's --cqe_poll has no effect here" },
	{ "-F", "leave it out: perftest's --CPU-freq has no effect here" },
	{ "-f", "perftest's --margin is --warmup here" },
	{ "-X", "perftest's --vector is --vector here" },
	{ "--use-null-mr",
	  "leave perftest's --use-null-mr out: messages are read from memory and written to it" },
	{ "-Z",
	  "leave perftest's --server out: raw Ethernet: use perftest's "
	  "raw_ethernet_bw" },
	{ "-3", "see --help" },
	{ "--m=1", "see --help" },
	{ "--d=1", "write one of --device, --duration, --depth, --dscp, --dump-options" },
	{ "-c 10.0.0.1", "name the server as the last word: verbsperf TEST "
	  "SERVER" },
	{ "-s", "-s is the message size; 'verbsperf serve' is a server" },
	{ "-s 64XB", "" },
	{ "-s node1", "-s is the message size; 'verbsperf serve' is a server" },
	{ "-s -p", "-s is the message size; 'verbsperf serve' is a server" },
	{ "-m 9000", "-m is the MTU of a path: 256, 512, 1024, 2048 or 4096; "
	  "that of an interface is larger, and the message size is -s" },
	{ "-n x", "-n is a number of messages; the time is -D" },
	{ "-n 10s", "-n is a number of messages; the time is -D" },
	/* habits of iperf3, qperf and netperf */
	{ "-b 10G", "-b sends in both directions; a rate is --rate" },
	{ "-b 900Mbit/s", "-b sends in both directions; a rate is --rate" },
	{ "-R", "iperf's -R is --reversed here, perftest's is --rdma-cm" },
	{ "-O 2", "iperf's -O is --warmup here; one port is measured: run a "
	  "test for each" },
	{ "-w 256K", "iperf's -w, the window, is -t here, perftest's is "
	  "--min-gbps" },
	{ "-H node1", "name the server as the last word: verbsperf TEST "
	  "SERVER; perftest's -H is --samples" },
	{ "-1", "use 'verbsperf serve --once'" },
	{ "-l 64K", "-l is how many sends a call posts; the message size is "
	  "-s, the time -D" },
	{ "-u node1", "-u is the ACK timeout; datagrams are -c UD" },
	{ "-A 0,1", "-A is for atomic_bw and atomic_lat; CPUs are --cpus" },
	{ "-S 0x68", "-S is the service level; the traffic class is --tclass" },
	{ "--format json", "other forms are --json, --json-lines and --csv" },
	{ "--max-gbps 100",
	  "there is no upper limit for bandwidth; use --min-gbps" },
	{ "--len 64", "use --size" },
	{ "--time 1", "use --duration" },
	{ "--count=100", "use --iterations" },
	{ "-P 4", "several streams are --qps here" },
	{ "-t 30s", "-t is how many sends are outstanding; the time is -D" },
	{ "--max-p9", "write one of --max-p90, --max-p99, --max-p99.9, "
	  "--max-p99.99" },
};

TEST(test_suggestions)
{
	char line[200], copy[200];

	for (size_t i = 0; i < COUNT(suggested); i++) {
		struct options o;
		struct error err;

		snprintf(line, sizeof(line), "verbsperf write_lat host %s",
			 suggested[i].line);
		assert_int_equal(parse(line, copy, &o, &err), -EINVAL);
		assert_string_equal(err.advice, suggested[i].message);
	}
}

TEST(test_suggested_commands)
{
	static const struct refused rows[] = {
		{ "verbsperf wirte_bw host", "did you mean write_bw?" },
		{ "verbsperf server", "'verbsperf serve' is a server" },
		{ "verbsperf Serve", "did you mean serve?" },
		{ "verbsperf WRITE_BW host", "did you mean write_bw?" },
		{ "verbsperf list", "'verbsperf devices' lists devices and "
		  "their GIDs" },
		{ "verbsperf host write_bw", "write the test first" },
		{ "verbsperf check host", "'verbsperf write_bw --check host' "
		  "compares both ends" },
		{ "verbsperf serve write_bw", "the client names the test" },
		{ "verbsperf write_lat -q 4 host", "use write_bw" },
		{ "verbsperf device", "did you mean devices?" },
		{ "verbsperf node1", "see --help" },
		{ "verbsperf rc_bw", "use send_bw" },
		{ "verbsperf ud_lat", "use send_lat -c UD" },
		{ "verbsperf TCP_RR", "RDMA has send_lat; TCP is not "
		  "measured" },
		{ "verbsperf ib_write_bw", "did you mean write_bw?" },
		{ "verbsperf -c node1 write_bw", "name the server as the last "
		  "word: verbsperf TEST SERVER" },
		{ "verbsperf write_bw -b 4 node1", "-b sends in both "
		  "directions; a rate is --rate" },
		{ "verbsperf write_bw -b --loopback 10G", "" },
		{ "verbsperf wr", "did you mean write_bw, write_lat?" },
		{ "verbsperf bw", "did you mean send_bw, write_bw, read_bw, "
		  "atomic_bw?" },
		{ "verbsperf b", "see --help" },
		{ "verbsperf serve node1", "'verbsperf TEST node1' measures "
		  "against that server; --bind is the address to serve at" },
		{ "verbsperf write_bw -s 64 4K host",
		  "write sizes as one word: -s 64,4K" },
		{ "verbsperf write_bw 4K host", "see --help" },
		{ "verbsperf write_bw -s 64 a b", "see --help" },
		{ "verbsperf write_bw node1:0", "" },
		{ "verbsperf write_bw node1:1 -p 2", "give one of them" },
		{ "verbsperf write_bw host --topology",
		  "give it to 'verbsperf devices'" },
		{ "verbsperf write_bw --topology",
		  "give it to 'verbsperf devices'" },
		{ "verbsperf serve --topology",
		  "give it to 'verbsperf devices'" },
		{ "verbsperf serve --imm", "give it to the client" },
		{ "verbsperf reg_mr --qps=2", "" },
		{ "verbsperf devices --rate=1gbps", "" },
	};
	char copy[200];

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct options o;
		struct error err;

		assert_int_equal(parse(rows[i].line, copy, &o, &err), -EINVAL);
		assert_string_equal(err.advice, rows[i].message);
	}
}

/* -t where it may be meant as a time, as in iperf3, and a number without its
 * unit; all run. */
TEST(test_hints)
{
	static const struct {
		const char *line;
		const char *hint;	/* NULL: none */
	} rows[] = {
		{ "verbsperf write_bw --format bandwidth node1", "in MiB/s" },
		{ "verbsperf write_bw --format bandwidth --report-gbits node1",
		  NULL },
		{ "verbsperf write_bw --format message-rate node1", NULL },
		{ "ib_write_bw --output=bandwidth node1", NULL },
		{ "verbsperf write_bw -t 10 node1", "outstanding; -D " },
		{ "verbsperf write_bw -t 60 -i 1 node1", "outstanding; -D " },
		{ "verbsperf read_lat -t 30 --loopback", "outstanding; -D " },
		{ "verbsperf write_bw -t 16 node1", NULL },
		{ "verbsperf write_bw -t 1 node1", NULL },
		{ "verbsperf write_bw --tx-depth 10 node1", NULL },
		{ "verbsperf write_bw -t 10 -D 3 node1", NULL },
		{ "verbsperf write_bw -t 10 -n 5 node1", NULL },
		{ "verbsperf write_bw node1", NULL },
		{ "verbsperf write_bw -b node1", NULL },
		{ "ib_write_bw -t 10 node1", NULL },
	};
	char copy[200];

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct options o;

		taken(rows[i].line, copy, &o);
		if (rows[i].hint)
			assert_contains(o.hint, rows[i].hint);
		else
			assert_string_equal(o.hint, "");
	}
}

/* A word behind a flag that may be a host's name. */
TEST(test_servers_behind_a_flag)
{
	char copy[200];
	struct options o;

	taken("verbsperf write_bw -b 10g", copy, &o);
	assert_string_equal(o.server, "10g");
	taken("verbsperf write_bw -b 10.0.0.1", copy, &o);
	assert_string_equal(o.server, "10.0.0.1");
}

TEST(test_port_behind_the_server)
{
	static const struct {
		const char *line, *server;
		uint32_t port;
	} rows[] = {
		{ "verbsperf write_bw node1:5", "node1", 5 },
		{ "verbsperf write_bw [::1]:5 -p 5", "[::1]", 5 },
		{ "verbsperf connect node1:5", "node1", 5 },
		{ "verbsperf write_bw node1", "node1", 18515 },
		{ "ib_write_bw node1:5", "node1", 5 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char copy[200];
		struct options o;

		taken(rows[i].line, copy, &o);
		assert_string_equal(o.server, rows[i].server);
		assert_int_equal(o.params.port, rows[i].port);
	}
}

/* As much as a finger does wrong counts as one. */
TEST(test_distance)
{
	static const struct {
		const char *a, *b;
		uint32_t distance;
	} rows[] = {
		{ "", "", 0 }, { "", "abc", 3 }, { "abc", "", 3 },
		{ "size", "size", 0 }, { "szie", "size", 1 },
		{ "siz", "size", 1 }, { "siize", "size", 1 },
		{ "sise", "size", 1 }, { "ezis", "size", 3 },
		{ "ca", "abc", 3 }, { "kitten", "sitting", 3 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(suggest_distance(rows[i].a, rows[i].b),
				 rows[i].distance);
		assert_int_equal(suggest_distance(rows[i].b, rows[i].a),
				 rows[i].distance);
	}
}

TEST(test_refused)
{
	char copy[200];

	for (size_t i = 0; i < COUNT(refused); i++) {
		struct options o, untouched;
		struct error err;

		memset(&untouched, 0x5a, sizeof(untouched));
		assert_int_equal(parse(refused[i].line, copy, &o, &err),
				 -EINVAL);
		if (strcmp(err.message, refused[i].message) != 0)
			fail_msg("'%s' said '%s'", refused[i].line,
				 err.message);
		assert_string_equal(err.stage, "options");
		assert_string_equal(err.code, "EINVAL");
		assert_memory_equal(&o, &untouched, sizeof(o));
	}
}

/* The tables above are many calls in one process; here the same ones in
 * another order, to see that none leaves anything behind. */
TEST(test_repeated_calls)
{
	char copy[200];
	struct options a, b;
	struct error err;

	taken("verbsperf write_bw host -q 3", copy, &a);
	parse("verbsperf write_bw host -q", copy, &b, &err);
	parse("verbsperf -Zq", copy, &b, &err);
	taken("verbsperf serve", copy, &b);
	assert_int_equal(b.params.plan.qps, 1);
	taken("verbsperf write_bw host -q 3", copy, &b);
	b.server = a.server;
	assert_memory_equal(&a, &b, sizeof(a));
}

/* A name may be longer than the table of distances, which is on the stack. */
TEST(test_distance_of_the_longest_names)
{
	char longest[64], longer[65];

	memset(longest, 'a', 63);
	longest[63] = '\0';
	memset(longer, 'a', 64);
	longer[64] = '\0';
	assert_int_equal(suggest_distance(longest, longest), 0);
	assert_int_equal(suggest_distance(longest, "a"), 62);
	assert_int_equal(suggest_distance("a", longest), 62);
	assert_true(suggest_distance(longer, "a") == UINT32_MAX);
	assert_true(suggest_distance("a", longer) == UINT32_MAX);
	assert_true(suggest_distance(longer, longest) == UINT32_MAX);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_commands),
	cmocka_unit_test(test_control),
	cmocka_unit_test(test_every_number),
	cmocka_unit_test(test_strings_and_flags),
	cmocka_unit_test(test_what_is_not_given),
	cmocka_unit_test(test_without_effect),
	cmocka_unit_test(test_ignored_at_a_server),
	cmocka_unit_test(test_values_that_stand_apart),
	cmocka_unit_test(test_servers_behind_an_option),
	cmocka_unit_test(test_suggestions),
	cmocka_unit_test(test_suggested_commands),
	cmocka_unit_test(test_hints),
	cmocka_unit_test(test_servers_behind_a_flag),
	cmocka_unit_test(test_port_behind_the_server),
	cmocka_unit_test(test_distance),
	cmocka_unit_test(test_distance_of_the_longest_names),
	cmocka_unit_test(test_refused),
	cmocka_unit_test(test_repeated_calls),
};

TEST_MAIN(tests, 10)
