/* A result as gauges for Prometheus. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "results.h"

/* The value of the gauge NAME in TEXT whose labels have LABELS, the last of
 * them; NAN: there is none. */
static double gauge(const char *text, const char *name, const char *labels)
{
	const char *line = text;
	size_t length = strlen(name);

	for (; line; line = strchr(line, '\n')) {
		const char *end, *at;

		line += *line == '\n';
		if (strncmp(line, name, length) != 0 || line[length] != '{')
			continue;
		end = strchr(line, '\n');
		at = strstr(line, labels);
		if (at && at < end && !strncmp(at + strlen(labels), "} ", 2))
			return atof(at + strlen(labels) + 2);
	}
	return NAN;
}

static double outcome(const char *text, const char *verdict)
{
	char label[40];

	snprintf(label, sizeof(label), "verdict=\"%s\"", verdict);
	return gauge(text, "verbsperf_outcome", label);
}

TEST(test_bandwidth)
{
	struct result *r = result_bandwidth();
	char *text;

	result_demand(r, LIMIT_MIN_GBPS, 2);
	text = report_openmetrics(r);
	assert_close(gauge(text, "verbsperf_bandwidth_bytes_per_second",
			   "size=\"64\",metric=\"gbps\""), 128e6, 1);
	assert_close(gauge(text, "verbsperf_messages_per_second",
			   "size=\"64\",metric=\"mpps\""), 2e6, 1);
	assert_true(isnan(gauge(text, "verbsperf_bandwidth_bytes_per_second",
				"size=\"64\",metric=\"peak_gbps\"")));
	assert_true(gauge(text, "verbsperf_up", "qps=\"2\"") == 1);
	assert_true(outcome(text, "limit") == 1);
	assert_true(outcome(text, "ok") == 0);
	assert_true(gauge(text, "verbsperf_limit_verdict",
			  "size=\"64\",verdict=\"missed\"") == 1);
	assert_true(gauge(text, "verbsperf_limit_verdict",
			  "size=\"65536\",verdict=\"met\"") == 1);
	assert_close(gauge(text, "verbsperf_limit_worst",
			   "size=\"64\",limit=\"min-gbps\",unit=\"Gb/s\","
			   "counter=\"\",end=\"\""), 1.024, 1e-9);
	assert_null(strstr(text, "latency"));
	assert_string_equal(text + strlen(text) - strlen("# EOF\n"),
			    "# EOF\n");
	free(text);
	result_free(r);
}

TEST(test_latency)
{
	struct result *r = result_tail();
	char *text = report_openmetrics(r);

	assert_close(gauge(text, "verbsperf_latency_seconds",
			   "metric=\"p99_9\""), 8e-6, 1e-12);
	assert_close(gauge(text, "verbsperf_latency_seconds",
			   "metric=\"max\""), 12e-6, 1e-12);
	assert_null(strstr(text, "bandwidth"));
	assert_true(gauge(text, "verbsperf_limit_verdict",
			  "verdict=\"measured\"") == 1);
	free(text);
	result_free(r);
}

/* The last file says that there is nothing, instead of the one before. */
TEST(test_failed)
{
	struct result *r = result_unconnected();
	char *text;

	fail(&r->error, -EIO, NULL, "gone");
	text = report_openmetrics(r);
	assert_true(gauge(text, "verbsperf_up", "qps=\"1\"") == 0);
	assert_true(outcome(text, "failed") == 1);
	assert_null(strstr(text, "per_second"));
	free(text);
	r->ended_by = SIGTERM;
	text = report_openmetrics(r);
	assert_true(outcome(text, "interrupted") == 1);
	free(text);
	result_free(r);
}

/* What a peer may call itself. */
TEST(test_labels_are_quoted)
{
	struct result *r = result_bandwidth();
	char *text;

	strcpy(r->server.hostname, "a\"b\\c\nd\xff");
	text = report_openmetrics(r);
	assert_non_null(strstr(text, ",peer=\"a\\\"b\\\\c\\\\x0ad?\","));
	free(text);
	result_free(r);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_bandwidth),
	cmocka_unit_test(test_latency),
	cmocka_unit_test(test_failed),
	cmocka_unit_test(test_labels_are_quoted),
};

TEST_MAIN(tests, 10)
