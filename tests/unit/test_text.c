/* Tables for people, to the letter; the list of devices; writing them. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>

#include "report/report.h"
#include "results.h"

static void check_text(struct result *r, const char *wanted)
{
	char *text = report_text(r);

	assert_string_equal(text, wanted);
	free(text);
	result_free(r);
}

#define ROCE_HEAD \
	" client: alpha rxe0 port 1, Ethernet, GID 1 ::ffff:10.0.0.1 " \
	"(RoCE v2)\n" \
	" server: beta rxe0 port 1, Ethernet, GID 3 ::ffff:10.0.0.2 " \
	"(RoCE v2)\n"
#define BW_HEADINGS \
	" #bytes     #iterations BW average[Gb/s] BW average[MiB/s] " \
	"MsgRate[Mpps]\n"
#define CLOCK \
	"after 0.2 s of warm-up; clock tsc: resolution 0.5 ns, one read " \
	"9.25 ns\n"

TEST(test_bandwidth)
{
	check_text(result_bandwidth(),
		   " send_bw: RC, 2 QPs, MTU 1024, tx depth 128, "
		   "rx depth 512\n"
		   ROCE_HEAD BW_HEADINGS
		   " 64             1000000            1.024            "
		   "122.07      2.000000\n"
		   " 65536          1000000         1048.576         "
		   "125000.00      2.000000\n"
		   " bandwidth: messages completed, " CLOCK);
}

TEST(test_failed_half_way)
{
	struct result *r = result_bandwidth();

	r->rows[1].failed = true;
	r->rows[1].bandwidth = summary_bandwidth(0, 64, 0);
	r->rows[1].iterations = 0;
	fail(&r->error, -EIO, NULL, "gone");
	check_text(r, " send_bw: RC, 2 QPs, MTU 1024, tx depth 128, "
		      "rx depth 512\n"
		      ROCE_HEAD BW_HEADINGS
		      " 64             1000000            1.024            "
		      "122.07      2.000000\n"
		      " 65536                0                -               "
		      "  -             -  failed\n"
		      " bandwidth: messages completed, " CLOCK);
}

#define IB_HEAD \
	" write_lat: RC, 1 QP, MTU 1024, tx depth 8\n" \
	" client: alpha rxe0 port 1, InfiniBand, LID 17, GID 1 " \
	"::ffff:10.0.0.1 (IB)\n" \
	" server: beta rxe0 port 1, InfiniBand, LID 17, GID 3 " \
	"::ffff:10.0.0.2 (IB)\n" \
	" #bytes     #iterations  t_min[us]  t_max[us] t_typical[us]  " \
	"t_avg[us] t_stdev[us]    99%[us]  99.9%[us]\n"

TEST(test_latency)
{
	check_text(result_latency(3000), IB_HEAD
		   " 2                 3000       2.00       2.60          "
		   "2.00       2.30        0.30       2.60       2.60\n"
		   " latency: half round trip, " CLOCK);
}

TEST(test_no_samples_and_one)
{
	check_text(result_latency(0), IB_HEAD
		   " 2                    0          -          -          "
		   "   -          -           -          -          -\n"
		   " latency: half round trip, " CLOCK);
	check_text(result_latency(1), IB_HEAD
		   " 2                    1       2.00       2.00          "
		   "   -       2.00           -          -          -\n"
		   " latency: half round trip, " CLOCK);
}

TEST(test_nothing_measured)
{
	check_text(result_unconnected(), "");
}

static void set_gid(struct gid *gid, uint32_t index, uint8_t type,
		    uint8_t last)
{
	memset(gid, 0, sizeof(*gid));
	gid->raw.raw[10] = gid->raw.raw[11] = 0xff;
	gid->raw.raw[12] = 10;
	gid->raw.raw[15] = last;
	gid->index = index;
	gid->type = type;
}

/* Of TEXT, the line that FRAGMENT is in, without blanks at its end. */
static const char *line_with(const char *text, const char *fragment,
			     char line[200])
{
	const char *at = strstr(text, fragment);
	size_t length;

	if (!at)
		fail_msg("'%s' is not in '%s'", fragment, text);
	while (at > text && at[-1] != '\n')
		at--;
	length = strcspn(at, "\n");
	while (length && at[length - 1] == ' ')
		length--;
	assert_true(length < 200);
	memcpy(line, at, length);
	line[length] = '\0';
	return line;
}

TEST(test_devices)
{
	struct result *r = result_bandwidth();
	struct port ports[2] = { r->client, r->client };
	char line[200], *text;

	set_gid(&ports[0].gids[0], 0, IBV_GID_TYPE_ROCE_V1, 1);
	set_gid(&ports[0].gids[1], 1, IBV_GID_TYPE_ROCE_V2, 1);
	ports[0].n_gids = 2;
	ports[1].number = 2;
	ports[1].state = IBV_PORT_DOWN;
	set_gid(&ports[1].gids[0], 7, IBV_GID_TYPE_ROCE_V2, 9);
	text = report_devices(ports, 2);
	assert_string_equal(line_with(text, "port 1:", line),
			    "rxe0 port 1: ACTIVE, Ethernet 100 Gb/s, MTU "
			    "1024, firmware 1.2.3");
	assert_string_equal(line_with(text, "RoCE v1", line),
			    "        0  RoCE v1  ::ffff:10.0.0.1");
	assert_string_equal(line_with(text, "* ", line),
			    "  *     1  RoCE v2  ::ffff:10.0.0.1");
	assert_string_equal(line_with(text, "port 2:", line),
			    "rxe0 port 2: DOWN, Ethernet 100 Gb/s, MTU 1024, "
			    "firmware 1.2.3");
	assert_string_equal(line_with(text, "10.0.0.9", line),
			    "        7  RoCE v2  ::ffff:10.0.0.9");
	assert_contains(text, "  no GID would be chosen: the port is DOWN\n");
	assert_contains(text, "* the GID chosen unless the peer's needs "
			      "another (-x overrides)\n");
	free(text);
	result_free(r);
}

TEST(test_devices_without_gid_and_infiniband)
{
	struct result *r = result_latency(1);
	struct port port = r->client;
	char line[200], *text;

	port.n_gids = 0;
	text = report_devices(&port, 1);
	assert_string_equal(line_with(text, "InfiniBand", line),
			    "rxe0 port 1: ACTIVE, InfiniBand 100 Gb/s, MTU "
			    "1024, LID 17, firmware 1.2.3");
	assert_contains(text, "  the LID would be used, with a GID across "
			      "subnets\n");
	free(text);
	port.link_layer = IBV_LINK_LAYER_ETHERNET;
	text = report_devices(&port, 1);
	assert_contains(text, "  no GID would be chosen: there is none; give "
			      "the interface an address\n");
	free(text);
	text = report_devices(&port, 0);
	assert_non_null(text);
	free(text);
	result_free(r);
}

TEST(test_output_errors)
{
	struct error err = { 0 };

	assert_int_equal(report_write("/dev/full", "text\n", &err), -ENOSPC);
	assert_message(&err, "cannot write /dev/full: No space left on device");
	assert_string_equal(err.code, "ENOSPC");
	error_clear(&err);
	assert_int_equal(report_write("/nowhere/at/all", "x", &err), -ENOENT);
	assert_message(&err, "cannot write /nowhere/at/all: No such file or "
			     "directory");
	error_clear(&err);
	assert_int_equal(report_write("/", "x", &err), -EISDIR);
}

TEST(test_output_to_a_file)
{
	char path[] = "/tmp/verbsperf-test-XXXXXX", text[20] = "";
	struct error err = { 0 };
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "something longer\n", 17), 17);
	assert_int_equal(report_write(path, "short\n", &err), 0);
	assert_int_equal(pread(fd, text, sizeof(text), 0), 6);
	assert_string_equal(text, "short\n");
	unlink(path);
	close(fd);
}

/* stdout that is full: the reader must not take half a table for a whole. */
TEST(test_full_stdout)
{
	struct error err = { 0 };
	int saved = dup(1), ret;

	assert_true(saved >= 0);
	fflush(stdout);
	assert_non_null(freopen("/dev/full", "w", stdout));
	ret = report_write("-", "text\n", &err);
	clearerr(stdout);
	dup2(saved, 1);
	close(saved);
	assert_int_equal(ret, -ENOSPC);
	assert_contains(err.message, "cannot write to stdout: No space");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_bandwidth),
	cmocka_unit_test(test_failed_half_way),
	cmocka_unit_test(test_latency),
	cmocka_unit_test(test_no_samples_and_one),
	cmocka_unit_test(test_nothing_measured),
	cmocka_unit_test(test_devices),
	cmocka_unit_test(test_devices_without_gid_and_infiniband),
	cmocka_unit_test(test_output_errors),
	cmocka_unit_test(test_output_to_a_file),
	cmocka_unit_test(test_full_stdout),
};

TEST_MAIN(tests, 10)
