/* CSV, read back as RFC 4180 says, and perftest's table, to the letter. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "json_checks.h"
#include "base/xalloc.h"
#include "report/report.h"
#include "report/stream.h"
#include "results.h"

#define CELLS 128

struct sheet {
	char *text;		/* cut into pieces */
	char *cell[4][CELLS];
	size_t columns[4];
	size_t rows;
};

/* The cell at TEXT, which is ended there; returns what follows it. */
static char *cut_cell(char *text, char **cell, char *end)
{
	char *to = text;
	bool quoted = *text == '"';

	*cell = text;
	text += quoted;
	while (quoted ? *text != '"' || text[1] == '"' :
			!strchr(",\r", *text)) {
		assert_int_not_equal(*text, '\0');
		text += quoted && *text == '"';
		*to++ = *text++;
	}
	text += quoted;
	*end = *text;
	*to = '\0';
	return text + 1;
}

static struct sheet read_sheet(struct result *r)
{
	struct sheet s = { .text = row_format_render(&csv_format, r) };
	char *next = s.text, end;

	assert_non_null(next);
	while (*next) {
		size_t *n = &s.columns[s.rows];

		do {
			assert_in_range(*n, 0, CELLS - 1);
			next = cut_cell(next, &s.cell[s.rows][(*n)++], &end);
		} while (end == ',');
		assert_int_equal(end, '\r');
		assert_int_equal(*next++, '\n');
		assert_int_equal(*n, s.columns[0]);
		s.rows++;
	}
	result_free(r);
	return s;
}

static const char *cell(const struct sheet *s, size_t row, const char *name)
{
	for (size_t i = 0; i < s->columns[0]; i++)
		if (!strcmp(s->cell[0][i], name))
			return s->cell[row][i];
	fail_msg("there is no column %s", name);
	return NULL;
}

static void check_cells(const struct sheet *s, size_t row,
			const char *const cells[][2], size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_string_equal(cell(s, row, cells[i][0]), cells[i][1]);
}

#define CHECK_CELLS(s, row, ...) \
	do { \
		const char *const cells[][2] = { __VA_ARGS__ }; \
\
		check_cells(s, row, cells, COUNT(cells)); \
	} while (0)

static const char columns[] =
	"started title test transport direction load client_hostname "
	"client_device server_hostname server_device size qps iterations "
	"seconds bandwidth_gbps bandwidth_mib_per_s bandwidth_mpps "
	"bandwidth_peak_gbps bandwidth_ci95_low_gbps "
	"bandwidth_ci95_high_gbps bandwidth_sent bandwidth_received "
	"bandwidth_lost bandwidth_error_percent "
	"bandwidth_peak_error_percent bandwidth_dry_percent "
	"client_to_server_gbps client_to_server_mpps "
	"server_to_client_gbps server_to_client_mpps latency_definition "
	"latency_samples latency_min_us latency_mean_us latency_stddev_us "
	"latency_p50_us latency_p90_us latency_p99_us latency_p99_9_us "
	"latency_p99_99_us latency_max_us latency_lost "
	"latency_requested_mpps latency_achieved_mpps latency_late "
	"latency_saturated batch_requests batch_per_second client_cpu_percent "
	"client_cpu_ns_per_message "
	"client_cpu_ns_per_gb client_host_cpu_percent server_cpu_percent "
	"server_cpu_ns_per_message server_cpu_ns_per_gb "
	"server_host_cpu_percent tx_depth cq_mod post_list post inline verified "
	"control_pattern control_most control_per_second "
	"control_pinned_gb_per_s control_part_1 control_part_1_p50_us "
	"control_part_2 control_part_2_p50_us control_part_3 "
	"control_part_3_p50_us control_part_4 control_part_4_p50_us "
	"control_part_5 control_part_5_p50_us control_part_6 "
	"control_part_6_p50_us control_part_7 control_part_7_p50_us "
	"control_part_8 control_part_8_p50_us control_part_9 "
	"control_part_9_p50_us "
	"control_cpu_ns control_user_ns control_system_ns control_waiting_ns "
	"control_firmware_commands control_limit "
	"failed error_code error outcome exit_status";

TEST(test_columns)
{
	struct result *const of[] = { result_bandwidth(),
				      result_latency(3000),
				      result_unconnected() };

	for (size_t i = 0; i < COUNT(of); i++) {
		struct sheet s = read_sheet(of[i]);
		char copy[sizeof(columns)], *rest = strcpy(copy, columns);

		for (size_t k = 0; k < s.columns[0]; k++)
			assert_string_equal(s.cell[0][k], strsep(&rest, " "));
		assert_null(rest);
		free(s.text);
	}
}

TEST(test_bandwidth)
{
	struct result *r = result_bandwidth();
	struct sheet s;

	result_add_intervals(r);
	r->rows[1].total.checked = false;
	s = read_sheet(r);
	assert_int_equal(s.rows, 3);
	CHECK_CELLS(&s, 1, { "started", "2023-11-14T22:13:20.123Z" },
		    { "title", "" }, { "test", "send_bw" },
		    { "transport", "RC" }, { "direction", "uni" },
		    { "client_hostname", "alpha" },
		    { "server_device", "rxe0" }, { "size", "64" },
		    { "qps", "2" }, { "iterations", "1000000" },
		    { "bandwidth_gbps", "1.024" },
		    { "bandwidth_mpps", "2.0" },
		    { "bandwidth_peak_gbps", "1.1264" },
		    { "bandwidth_lost", "0" }, { "latency_p50_us", "" },
		    { "client_to_server_gbps", "" }, { "post", "wr" },
		    { "failed", "false" }, { "error", "" },
		    { "outcome", "ok" }, { "exit_status", "0" });
	CHECK_CELLS(&s, 2, { "size", "65536" }, { "cq_mod", "16" },
		    { "bandwidth_sent", "1200000" },
		    { "bandwidth_received", "" }, { "bandwidth_lost", "" });
	free(s.text);
}

TEST(test_latency)
{
	struct result *r = result_latency(100);
	struct sheet s;

	r->params.percentiles = (struct percentiles){ 2, { 995000, 750000 } };
	r->rows[0].percentiles[0] = NAN;
	r->rows[0].percentiles[1] = 1.3;
	s = read_sheet(r);
	assert_int_equal(s.rows, 2);
	CHECK_CELLS(&s, 1, { "test", "write_lat" }, { "size", "2" },
		    { "latency_definition", "half round trip" },
		    { "latency_samples", "100" }, { "latency_p99_us", "" },
		    { "latency_saturated", "" }, { "bandwidth_gbps", "" },
		    { "latency_percentiles_99.5_us", "" },
		    { "latency_percentiles_75_us", "1.3" });
	assert_close(atof(cell(&s, 1, "latency_mean_us")), 2.3, 0.01);
	assert_string_equal(s.cell[0][s.columns[0] - 1],
			    "latency_percentiles_75_us");
	free(s.text);
}

TEST(test_directions)
{
	struct result *r = result_bandwidth();
	struct sheet s;

	r->n_rows = 1;
	r->rows[0].n_directions = 2;
	r->rows[0].directions[0].from_client = true;
	r->rows[0].directions[0].bandwidth = summary_bandwidth(500, 1000, 1);
	r->rows[0].directions[1].bandwidth = summary_bandwidth(0, 1000, 0);
	s = read_sheet(r);
	CHECK_CELLS(&s, 1, { "client_to_server_gbps", "0.004" },
		    { "client_to_server_mpps", "0.0005" },
		    { "server_to_client_gbps", "" });
	free(s.text);
}

TEST(test_cpu)
{
	struct result *r = result_bandwidth();
	struct sheet s;

	result_add_cpu(r);
	s = read_sheet(r);
	CHECK_CELLS(&s, 1, { "client_cpu_percent", "100.0" },
		    { "client_cpu_ns_per_message", "500.0" },
		    { "client_cpu_ns_per_gb", "7812500000.0" },
		    { "client_host_cpu_percent", "31.5" },
		    { "server_cpu_percent", "0.05" },
		    { "server_host_cpu_percent", "" });
	CHECK_CELLS(&s, 2, { "server_cpu_percent", "" },
		    { "server_cpu_ns_per_message", "" });
	free(s.text);
}

TEST(test_text_that_must_be_quoted)
{
	static const char *const titles[] = {
		"a,b", "\"", "say \"x\", twice", "two\nlines", "\"\"",
		"plain", " space ", "\303\244",
	};

	for (size_t i = 0; i < COUNT(titles); i++) {
		struct result *r = result_bandwidth();
		struct sheet s;

		r->params.title = titles[i];
		s = read_sheet(r);
		assert_string_equal(cell(&s, 1, "title"), titles[i]);
		assert_string_equal(cell(&s, 2, "test"), "send_bw");
		free(s.text);
	}
}

/* Rows before the one that failed were written by then. */
TEST(test_failed_half_way)
{
	struct result *r = result_bandwidth();
	struct sheet s;

	r->rows[1].failed = true;
	r->rows[1].total.bandwidth = summary_bandwidth(0, 64, 0);
	fail(&r->error, -EIO, NULL, "gone, it is");
	s = read_sheet(r);
	assert_int_equal(s.rows, 3);
	CHECK_CELLS(&s, 1, { "failed", "false" }, { "error", "" });
	CHECK_CELLS(&s, 2, { "failed", "true" }, { "bandwidth_gbps", "" },
		    { "error", "gone, it is" }, { "error_code", "EIO" },
		    { "outcome", "failed" }, { "exit_status", "1" });
	free(s.text);
}

/* Each row says what its own size ended with: the run may go on. */
TEST(test_limit_missed_at_one_size)
{
	struct result *r = result_bandwidth();
	struct sheet s;

	result_demand(r, LIMIT_MIN_GBPS, 2);
	s = read_sheet(r);
	CHECK_CELLS(&s, 1, { "outcome", "limit" }, { "exit_status", "3" });
	CHECK_CELLS(&s, 2, { "outcome", "ok" }, { "exit_status", "0" });
	free(s.text);
}

TEST(test_failed_between_two_sizes)
{
	struct result *r = result_bandwidth();
	struct sheet s;

	fail(&r->error, -EIO, NULL, "gone, it is");
	s = read_sheet(r);
	assert_int_equal(s.rows, 4);
	CHECK_CELLS(&s, 2, { "size", "65536" }, { "failed", "false" },
		    { "error", "" });
	CHECK_CELLS(&s, 3, { "test", "send_bw" }, { "size", "" },
		    { "failed", "true" }, { "error", "gone, it is" },
		    { "outcome", "failed" });
	free(s.text);
}

/* The line of R, whose title is TITLE, has WORD; nothing else has its quotes. */
static void check_word(const char *title, const char *word)
{
	struct result *r = result_bandwidth();
	char *text;

	r->params.title = title;
	r->n_rows = 1;
	text = row_format_render(&keyvalue_format, r);
	assert_non_null(strstr(text, word));
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	free(text);
	result_free(r);
}

/* What eval of a shell takes for a value, and for nothing else. */
TEST(test_values_for_a_shell)
{
	check_word(NULL, " title= test=send_bw ");
	check_word("plain-1.5/x", " title=plain-1.5/x ");
	check_word("a b", " title='a b' ");
	check_word("$(reboot)", " title='$(reboot)' ");
	check_word("it's `x`", " title='it'\\''s `x`' ");
	check_word("a\nb\x1b", " title='a b ' ");
	check_word("", " title= ");
	check_word("~", " title='~' ");
}

TEST(test_keys_and_values)
{
	struct result *r = result_latency(3000);
	char *text;

	r->params.percentiles = (struct percentiles){ 1, { 995000 } };
	r->rows[0].percentiles[0] = 1.3;
	text = row_format_render(&keyvalue_format, r);
	assert_non_null(strstr(text, " size=2 "));
	assert_non_null(strstr(text, " bandwidth_gbps= "));
	assert_non_null(strstr(text, " outcome=ok exit_status=0 "
				     "latency_percentiles_99_5_us=1.3\n"));
	free(text);
	result_free(r);
}

/* A shell that has no size still has the failure. */
TEST(test_keys_of_a_failure)
{
	struct result *r = result_unconnected();
	char *text;

	fail(&r->error, -EIO, NULL, "cannot connect: gone");
	text = row_format_render(&keyvalue_format, r);
	assert_non_null(strstr(text, " size= "));
	assert_non_null(strstr(text, " outcome=failed exit_status=1\n"));
	free(text);
	result_free(r);
}

/* Once for all sizes, however many. */
TEST(test_number_sent_is_unknown)
{
	static const char said[] = " the sender did not tell how many it sent: ";
	struct result *r = result_bandwidth();
	const char *at;
	char *text;

	r->params.plan.transport = TRANSPORT_UD;
	for (uint32_t i = 0; i < r->n_rows; i++)
		r->rows[i].total.sent_unknown = true;
	text = report_text(r);
	at = strstr(text, said);
	assert_non_null(at);
	assert_null(strstr(at + 1, said));
	assert_null(strstr(text, "lost 0"));
	free(text);
	result_free(r);
}

/* What is in the file of FD begins as ALL does, up to a piece that has LAST, and
 * ends with that piece. */
static void check_begins(int fd, const char *all, const char *last)
{
	static char text[1 << 14];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	assert_true(n >= 0);
	text[n] = '\0';
	assert_memory_equal(text, all, (size_t)n);
	assert_true(!last == !n);
	if (!last)
		return;
	assert_non_null(strstr(text, last));
	assert_int_equal(text[n - 1], '\n');
}

/* The same, piece by piece, and each is written when it is there. */
TEST(test_rows_one_by_one)
{
	static const struct {
		const struct row_format *format;
		const char *head, *first, *second;
	} of[] = {
		{ &text_format, "#bytes", " 64 ", " 65536 " },
		{ &csv_format, NULL, ",64,", ",65536," },
		{ &perftest_format, " #bytes ", " 64 ", " 65536 " },
	};

	for (size_t i = 0; i < COUNT(of); i++) {
		char path[] = "/tmp/verbsperf-test-XXXXXX";
		struct result *r = result_bandwidth();
		char *all = row_format_render(of[i].format, r);
		struct stream *s = stream_new(of[i].format, path);
		struct error err = { 0 };
		int fd = mkstemp(path);

		r->n_rows = 0;
		stream_begin(s, r);
		check_begins(fd, all, of[i].head);
		r->n_rows = 1;
		stream_rows(s, r);
		check_begins(fd, all, of[i].first);
		r->n_rows = 2;
		stream_rows(s, r);
		check_begins(fd, all, of[i].second);
		assert_int_equal(stream_end(s, r, &err), 0);
		check_begins(fd, all, of[i].second);
		assert_int_equal(lseek(fd, 0, SEEK_END), strlen(all));
		stream_free(s);
		free(all);
		result_free(r);
		unlink(path);
		close(fd);
	}
}

static size_t allocations;

static void *count_allocation(size_t size)
{
	allocations++;
	return malloc(size);
}

/* Values that jansson makes for the last row of N. */
static size_t cost_of_last_row(uint32_t n)
{
	struct result *r = result_bandwidth();
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	r->n_rows = n;
	for (uint32_t i = 1; i < n; i++)
		r->rows[i].size = r->rows[0].size;
	json_set_alloc_funcs(count_allocation, free);
	allocations = 0;
	csv_format.row(out, r, &r->rows[n - 1]);
	json_set_alloc_funcs(malloc, free);
	fclose(out);
	free(text);
	result_free(r);
	return allocations;
}

/* Each row is written by itself, however many there are. */
TEST(test_cost_of_a_row)
{
	const size_t one = cost_of_last_row(1);

	assert_true(one > 0);
	assert_in_range(cost_of_last_row(20), one - one / 10, one + one / 10);
}

#define RULE \
	"-----------------------------------------------------------------" \
	"----------------------\n"
#define GID(last) \
	" GID: 00:00:00:00:00:00:00:00:00:00:255:255:10:00:00:0" last "\n"

static void check_perftest(struct result *r, const char *wanted)
{
	char *text = report_perftest(r);

	assert_string_equal(text, wanted);
	free(text);
	result_free(r);
}

#define SEND_HEAD(kind, depths) \
	RULE "                    Send " kind "BW Test\n" \
	" Dual-port       : OFF\t\tDevice         : rxe0\n" \
	" Number of qps   : 2\t\tTransport type : IB\n" \
	" Connection type : RC\t\tUsing SRQ      : OFF\n" \
	" PCIe relax order: OFF\n" \
	" ibv_wr* API     : ON\n" depths \
	" CQ Moderation   : 32\n" \
	" Mtu             : 1024[B]\n" \
	" Link type       : Ethernet\n" \
	" GID index       : 1\n" \
	" Max inline data : 0[B]\n" \
	" rdma_cm QPs\t : OFF\n" \
	" Data ex. method : Ethernet\n" RULE \
	" local address: LID 0000 QPN 0x0020 PSN 0xabcde\n" GID("1") \
	" local address: LID 0000 QPN 0x0021 PSN 0xabcdf\n" GID("1") \
	" remote address: LID 0000 QPN 0x0010 PSN 0xabcde\n" GID("2") \
	" remote address: LID 0000 QPN 0x0011 PSN 0xabcdf\n" GID("2") RULE

TEST(test_perftest_bandwidth)
{
	struct result *r = result_bandwidth();

	result_add_intervals(r);
	check_perftest(r, SEND_HEAD("", " TX depth        : 128\n")
		" #bytes     #iterations    BW peak[MB/sec]    "
		"BW average[MB/sec]   MsgRate[Mpps]\n"
		" 64         1000000          134.28             122.07 "
		"\t\t   2.000000\n"
		" 65536      1000000          137500.00            125000.00"
		"\t\t   2.000000\n" RULE);
}

#define GBITS_HEADINGS \
	" #bytes     #iterations    BW peak[Gb/sec]    " \
	"BW average[Gb/sec]   MsgRate[Mpps]\n"

/* What is too small for two decimals has six, in other columns.  The peak is
 * the sum of both directions': one has no best interval, but an average. */
TEST(test_perftest_both_directions)
{
	struct result *r = result_bandwidth();
	struct result_direction *d = r->rows[0].directions;

	r->params.gbits = r->params.plan.bidirectional = true;
	r->params.plan.post_list = 4;
	r->params.perftest_both = true;
	r->rows[0].n_directions = 2;
	d[0].iterations = 600000;
	d[0].bandwidth = summary_bandwidth(600000, 2, 0.5);
	d[0].bandwidth.peak_gbps = 0.05;
	d[1].iterations = 400000;
	d[1].bandwidth = summary_bandwidth(400000, 2, 0.5);
	r->rows[0].total.bandwidth = summary_bandwidth(1000000, 2, 0.5);
	r->rows[1].failed = true;
	check_perftest(r, SEND_HEAD("Bidirectional Post List ",
				    " TX depth        : 128\n"
				    " Post List       : 4\n"
				    " RX depth        : 512\n")
		GBITS_HEADINGS
		" 64         600000           0.062800            0.032000"
		"            2.000000\n" RULE "\n Local results: \n" RULE
		GBITS_HEADINGS
		" 64         600000           0.050000            0.019200"
		"            1.200000\n" RULE "\n Remote results: \n" RULE
		GBITS_HEADINGS
		" 64         400000           0.012800            0.012800"
		"            0.800000\n" RULE);
}

/* What WHERE of perftest's JSON of R, which is freed, has: its KEYS. */
static json_t *perftest_json(struct result *r, const char *info,
			     const char *results)
{
	char *text = report_perftest_json(r);
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	assert_non_null(root);
	check_keys(root, "test_info", info);
	check_keys(root, "results", results);
	free(text);
	result_free(r);
	return root;
}

#define INFO "test Dual_port Device Number_of_qps Transport_type " \
	"Connection_type Using_SRQ PCIe_relax_order ibv_wr_API Mtu " \
	"Link_type GID_index Max_inline_data rdma_cm_QPs Use_ROCm_memory " \
	"Data_ex_method"

/* A fork's column: the worst interval, or else the average, and of both
 * directions the sum. */
TEST(test_perftest_least)
{
	struct result *r = result_bandwidth();
	json_t *root;
	char *text;

	r->params.gbits = r->params.perftest_min_bw = true;
	r->rows[0].total.bandwidth.least_gbps = 0.25;
	r->rows[1].n_directions = 2;
	r->rows[1].directions[0].bandwidth = summary_bandwidth(1e9, 1, 1);
	r->rows[1].directions[1].bandwidth = summary_bandwidth(1e9, 1, 1);
	r->rows[1].directions[1].bandwidth.least_gbps = 7;
	text = report_perftest(r);
	assert_contains(text, "MsgRate[Mpps]        BW min[Gb/sec]\n");
	assert_contains(text, "\t\t  0.25   \n 65536 ");
	assert_contains(text, "\t\t  15.00  \n---");
	free(text);
	r->params.gbits = false;
	text = report_perftest(r);
	assert_contains(text, "MsgRate[Mpps]        BW min[MB/sec]\n");
	free(text);
	root = perftest_json(r, INFO " TX_depth CQ_Moderation",
			     "MsgSize n_iterations BW_peak BW_average MsgRate "
			     "BW_min");
	json_decref(root);
}

/* Only a run without an end needs to be ended when nobody reads its rows. */
TEST(test_rows_that_nobody_reads)
{
	struct result *r = result_bandwidth();
	const struct observed part = { .size = 64, .interval = { 0, 1, 1 } };
	struct stream *s;
	char path[32];
	int fds[2];

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(fds), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", fds[1]);
	s = stream_new(&perftest_format, path);
	r->params.plan.duration = PLAN_LONGEST;
	r->params.plan.interval = 1;
	assert_true(stream_interval(s, r, &part));
	close(fds[0]);
	assert_false(stream_interval(s, r, &part));
	r->params.plan.duration = 1;
	assert_true(stream_interval(s, r, &part));
	stream_free(s);
	close(fds[1]);
	result_free(r);
}

/* Rows of a run without an end: each an interval, which has no better part. */
TEST(test_perftest_intervals)
{
	char path[] = "/tmp/verbsperf-test-XXXXXX", text[200];
	struct result *r = result_bandwidth();
	struct stream *s = stream_new(&perftest_format, path);
	const struct observed part = {
		.size = 64,
		.interval = { 0, 1000000000, 2000000 },
	};
	int fd = mkstemp(path);
	ssize_t n;

	/* not of one that ends by itself */
	stream_interval(s, r, &part);
	r->params.plan.duration = PLAN_LONGEST;
	r->params.plan.interval = 2000000002;
	/* interrupted in its first half */
	stream_interval(s, r, &part);
	r->params.plan.interval = 2000000000;
	stream_interval(s, r, &part);
	n = read(fd, text, sizeof(text) - 1);
	assert_true(n > 0);
	text[n] = '\0';
	assert_string_equal(text, " 64         2000000          122.07"
			    "             122.07 \t\t   2.000000\n");
	stream_free(s);
	result_free(r);
	unlink(path);
	close(fd);
}

/* With -b a row has both directions: of sends what arrived meanwhile, of other
 * operations as many as this end's. */
TEST(test_perftest_intervals_of_both)
{
	static const struct {
		enum op op;
		bool both;
		const char *row;
	} rows[] = {
		{ OP_SEND, false, " 65536      2000             125.00"
		  "             125.00 \t\t   0.002000\n" },
		{ OP_SEND, true, " 65536      3000             187.50"
		  "             187.50 \t\t   0.003000\n" },
		{ OP_WRITE_IMM, true, " 65536      3000             187.50"
		  "             187.50 \t\t   0.003000\n" },
		{ OP_WRITE, true, " 65536      2000             250.00"
		  "             250.00 \t\t   0.004000\n" },
		{ OP_READ, false, " 65536      2000             125.00"
		  "             125.00 \t\t   0.002000\n" },
	};
	const struct observed part = {
		.size = 65536,
		.interval = { 0, 1000000000, 2000 },
		.arrivals = 1000,
	};
	struct result *r = result_bandwidth();

	r->params.plan.duration = PLAN_LONGEST;
	r->params.plan.interval = 1000000000;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char *text = NULL;
		FILE *out = xmemstream(&text);

		r->params.plan.op = rows[i].op;
		r->params.plan.bidirectional = rows[i].both;
		perftest_format.interval(out, r, &part);
		fclose(out);
		assert_string_equal(text, rows[i].row);
		free(text);
	}
	result_free(r);
}

/* What the head and the units of each release are, 0 that of our default: in
 * perftest's source at its tags. */
TEST(test_perftest_of_releases)
{
	static const struct {
		const char *line;
		uint32_t from, to;
	} rows[] = {
		{ "BW peak[MB/sec]    BW average[MB/sec]   Msg", 0, 620 },
		{ "BW peak[MiB/sec]    BW average[MiB/sec]   Msg", 621, 629 },
		{ "125000.00\t\t   2.000000", 0, 620 },
		{ "125000.00\t\t     2.000000", 621, 629 },
		{ " PCIe relax order: OFF\n", 0, 622 },
		{ "order: OFF\t\tLock-free      : OFF\n", 623, 629 },
		{ " ibv_wr* API     : ON\n", 0, 623 },
		{ "API     : ON\t\tUsing DDP      : OFF\n", 624, 626 },
		{ "API     : ON\t\tUsing Enhanced Reorder      : OFF\n", 627,
		  629 },
		{ " : 32\n Mtu ", 0, 624 },
		{ " : 32\n CQE Poll Batch  : 16\n Mtu ", 625, 626 },
		{ " : 32\n CQE Poll Batch  : Dynamic\n Mtu ", 627, 629 },
		{ " : Ethernet\n NUMA node       : 1\n---", 629, 629 },
	};
	struct result *r = result_bandwidth();

	r->client.numa_node = 1;
	for (uint32_t version = 606; version <= 629; version++) {
		char *text;

		r->params.perftest_version = version == 606 ? 0 : version;
		text = report_perftest(r);
		for (size_t i = 0; i < COUNT(rows); i++)
			if (!strstr(text, rows[i].line) ==
			    (version >= rows[i].from && version <= rows[i].to))
				fail_msg("%u: '%s'\n%s", version, rows[i].line,
					 text);
		free(text);
	}
	result_free(r);
}

/* It names how many completions a poll takes where perftest does. */
TEST(test_perftest_polls)
{
	struct result *r = result_bandwidth();
	char *text;

	r->params.perftest_version = 629;
	r->params.plan.iterations = 2999;
	text = report_perftest(r);
	assert_non_null(strstr(text, " CQE Poll Batch  : 16\n"));
	free(text);
	result_free(r);
	r = result_latency(1000);
	r->params.perftest_version = 629;
	text = report_perftest(r);
	assert_null(strstr(text, "CQE Poll"));
	free(text);
	result_free(r);
}

TEST(test_perftest_reads)
{
	struct result *r = result_bandwidth();
	char *text;

	r->params.plan.op = OP_READ;
	r->params.plan.outstanding_reads = 16;
	text = report_perftest(r);
	assert_non_null(strstr(text, " remote address: LID 0000 QPN 0x0011 "
			       "PSN 0xabcdf OUT 0x10 RKey 0x000317 "
			       "VAddr 0x007f0000000100\n"));
	free(text);
	r->params.plan.op = OP_FETCH_ADD;
	text = report_perftest(r);
	assert_null(strstr(text, "RKey"));
	free(text);
	result_free(r);
}

/* Of this end, above all else. */
TEST(test_perftest_gpu)
{
	static const char wanted[] =
		"allocated 0x2000 bytes of GPU buffer at 0x7f0000001000\n---";
	struct result *r = result_bandwidth();
	char *text;

	r->params.memory.kind = MEMORY_HIP;
	text = report_perftest(r);
	assert_memory_equal(text, wanted, sizeof(wanted) - 1);
	free(text);
	result_free(r);
}

/* Of this end's host. */
TEST(test_perftest_cpu)
{
	struct result *r = result_bandwidth();

	result_add_cpu(r);
	r->rows[1].at[1].cpu.host_ns = r->rows[1].at[1].cpu.host_busy_ns =
		CPU_UNKNOWN;
	check_perftest(r, SEND_HEAD("", " TX depth        : 128\n")
		" #bytes     #iterations    BW peak[MB/sec]    "
		"BW average[MB/sec]   MsgRate[Mpps]    CPU_Util[%]\n"
		" 64         1000000          122.07             122.07 "
		"\t\t   2.000000\t    31.50\n"
		" 65536      1000000          125000.00            125000.00"
		"\t\t   2.000000\t    0.00\n" RULE);
}

#define LAT_HEAD \
	RULE "                    RDMA_Write Latency Test\n" \
	" Dual-port       : OFF\t\tDevice         : rxe0\n" \
	" Number of qps   : 1\t\tTransport type : IB\n" \
	" Connection type : RC\t\tUsing SRQ      : OFF\n" \
	" PCIe relax order: OFF\n" \
	" ibv_wr* API     : OFF\n" \
	" TX depth        : 8\n" \
	" Mtu             : 1024[B]\n" \
	" Link type       : IB\n" \
	" GID index       : 1\n" \
	" Max inline data : 0[B]\n" \
	" rdma_cm QPs\t : OFF\n" \
	" Data ex. method : Ethernet\n" RULE \
	" local address: LID 0x11 QPN 0x0020 PSN 0xabcde" \
	" RKey 0x000318 VAddr 0x007f0000001000\n" GID("1") \
	" remote address: LID 0x11 QPN 0x0010 PSN 0xabcde" \
	" RKey 0x000317 VAddr 0x007f0000000000\n" GID("2") RULE

TEST(test_perftest_latency)
{
	check_perftest(result_latency(1000), LAT_HEAD
		" #bytes #iterations    t_min[usec]    t_max[usec]  "
		"t_typical[usec]    t_avg[usec]    t_stdev[usec]   "
		"99% percentile[usec]   99.9% percentile[usec] \n"
		" 2       1000          2.00           2.60         2.00     "
		"\t       2.30        \t0.30   \t\t2.60    \t\t2.60   \n" RULE);
}

TEST(test_perftest_latency_by_time)
{
	struct result *r = result_latency(1000);

	r->params.timed = true;
	check_perftest(r, LAT_HEAD
		" #bytes        #iterations       t_avg[usec]    "
		"tps average\n"
		" 2             1000            2.30           434782.61\n"
		RULE);
}

TEST(test_perftest_json)
{
	struct result *r = result_bandwidth();
	json_t *root;

	result_add_intervals(r);
	root = perftest_json(r, INFO " TX_depth CQ_Moderation",
			     "MsgSize n_iterations BW_peak BW_average MsgRate");
	check_string(root, "test_info.test", "Send_BW_Test");
	check_string(root, "test_info.Using_SRQ", "OFF");
	/* of the last size, in MiB/s */
	check_number(root, "results.MsgSize", 65536);
	check_number(root, "results.BW_average", 125000);
	json_decref(root);
	r = result_bandwidth();
	r->params.plan.post_list = 4;
	r->params.plan.recv_post_list = 2;
	r->at_server = true;
	r->params.gbits = true;
	root = perftest_json(r, INFO " CQ_Moderation RX_depth Post_List "
			     "Recv_Post_List",
			     "MsgSize n_iterations BW_peak BW_average MsgRate");
	/* the average: there are no intervals */
	check_number(root, "results.BW_peak", 1048.576);
	json_decref(root);
	r = result_bandwidth();
	r->params.format = TABLE_BANDWIDTH;
	json_decref(perftest_json(r, INFO " TX_depth CQ_Moderation",
				  "bw_avg"));
	r = result_bandwidth();
	r->params.format = TABLE_MESSAGE_RATE;
	json_decref(perftest_json(r, INFO " TX_depth CQ_Moderation",
				  "msgRate_avg"));
}

/* Which GPU's memory has the messages. */
TEST(test_perftest_json_of_a_gpu)
{
	struct result *r = result_bandwidth();
	json_t *root;

	r->params.memory = (struct memory_choice){ .kind = MEMORY_CUDA,
						   .gpu = 3 };
	root = perftest_json(r, INFO " TX_depth CQ_Moderation cuda_device",
			     "MsgSize n_iterations BW_peak BW_average MsgRate");
	check_number(root, "test_info.cuda_device", 3);
	check_string(root, "test_info.Use_ROCm_memory", "OFF");
	json_decref(root);
	r = result_bandwidth();
	r->params.memory.kind = MEMORY_HIP;
	root = perftest_json(r, INFO " TX_depth CQ_Moderation",
			     "MsgSize n_iterations BW_peak BW_average MsgRate");
	check_string(root, "test_info.Use_ROCm_memory", "ON");
	json_decref(root);
}

TEST(test_perftest_json_of_latency)
{
	static const char *const keys[] = {
		"MsgSize", "n_iterations", "t_min", "t_max", "t_typical",
		"t_avg", "t_stdev", "percentile_99", "percentile_99.9",
	};
	struct result *r = result_latency(1000);
	char *text = report_perftest_json(r);
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	check_string(root, "test_info.test", "RDMA_Write_Latency_Test");
	assert_int_equal(json_object_size(at(root, "results")), COUNT(keys));
	for (size_t i = 0; i < COUNT(keys); i++)
		assert_true(json_is_number(json_object_get(at(root, "results"),
							   keys[i])));
	json_decref(root);
	free(text);
	result_free(r);
	r = result_latency(1000);
	r->params.timed = true;
	json_decref(perftest_json(r, INFO " TX_depth",
				  "MsgSize n_iterations t_avg tps_average"));
	r = result_latency(1000);
	r->params.format = TABLE_LATENCY;
	root = perftest_json(r, INFO " TX_depth", "avg_lat");
	check_number(root, "results.avg_lat", 2.3);
	json_decref(root);
}

TEST(test_perftest_json_of_nothing)
{
	struct result *r = result_unconnected();
	char *text = report_perftest_json(r);
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	result_free(r);
	check_null(root, "results");
	assert_true(json_is_string(at(root, "error")));
	json_decref(root);
	free(text);
}

/* One number for each size. */
TEST(test_one_number)
{
	static const struct {
		enum table_format format;
		bool gbits;
		const char *expected;
	} rows[] = {
		{ TABLE_BANDWIDTH, false, "122.070312\n125000.000000\n" },
		{ TABLE_BANDWIDTH, true, "1.024000\n1048.576000\n" },
		{ TABLE_MESSAGE_RATE, false, "2.000000\n2.000000\n" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct result *r = result_bandwidth();
		char *text;

		r->params.gbits = rows[i].gbits;
		r->params.format = rows[i].format;
		text = row_format_render(&number_format, r);
		assert_string_equal(text, rows[i].expected);
		free(text);
		r->rows[0].failed = true;
		r->rows[1].total.bandwidth.gbps = NAN;
		r->rows[1].total.bandwidth.mib_per_s = NAN;
		r->rows[1].total.bandwidth.mpps = NAN;
		text = row_format_render(&number_format, r);
		assert_string_equal(text, "-\n");
		free(text);
		result_free(r);
	}
}

TEST(test_perftest_of_nothing)
{
	check_perftest(result_unconnected(), "");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_columns),
	cmocka_unit_test(test_bandwidth),
	cmocka_unit_test(test_latency),
	cmocka_unit_test(test_directions),
	cmocka_unit_test(test_cpu),
	cmocka_unit_test(test_text_that_must_be_quoted),
	cmocka_unit_test(test_failed_half_way),
	cmocka_unit_test(test_limit_missed_at_one_size),
	cmocka_unit_test(test_values_for_a_shell),
	cmocka_unit_test(test_keys_and_values),
	cmocka_unit_test(test_keys_of_a_failure),
	cmocka_unit_test(test_failed_between_two_sizes),
	cmocka_unit_test(test_number_sent_is_unknown),
	cmocka_unit_test(test_rows_one_by_one),
	cmocka_unit_test(test_cost_of_a_row),
	cmocka_unit_test(test_perftest_bandwidth),
	cmocka_unit_test(test_perftest_both_directions),
	cmocka_unit_test(test_perftest_least),
	cmocka_unit_test(test_rows_that_nobody_reads),
	cmocka_unit_test(test_perftest_intervals),
	cmocka_unit_test(test_perftest_intervals_of_both),
	cmocka_unit_test(test_perftest_of_releases),
	cmocka_unit_test(test_perftest_polls),
	cmocka_unit_test(test_perftest_reads),
	cmocka_unit_test(test_perftest_gpu),
	cmocka_unit_test(test_perftest_cpu),
	cmocka_unit_test(test_perftest_latency),
	cmocka_unit_test(test_perftest_latency_by_time),
	cmocka_unit_test(test_perftest_json),
	cmocka_unit_test(test_perftest_json_of_a_gpu),
	cmocka_unit_test(test_perftest_json_of_latency),
	cmocka_unit_test(test_perftest_json_of_nothing),
	cmocka_unit_test(test_one_number),
	cmocka_unit_test(test_perftest_of_nothing),
};

TEST_MAIN(tests, 10)
