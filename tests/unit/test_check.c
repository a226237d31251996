/* --check: whole dialogues, and what is said of them. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "fake_verbs.h"
#include "json_checks.h"
#include "pair.h"
#include "report/parts.h"
#include "report/report.h"
#include "results.h"
#include "session/check.h"

static void open_check(struct pair *p)
{
	fake_verbs_reset();
	pair_open(p, OP_WRITE, METRIC_BANDWIDTH);
	pair_plan(p)->check = true;
}

/* Both ends, and that neither made anything: CALLS of slow verbs. */
static void run(struct pair *p)
{
	uint32_t calls = fake_verbs.calls;

	pair_run(p);
	check_finish(p->client.result);
	assert_int_equal(fake_verbs.calls, calls);
	assert_int_equal(fake_verbs.cqs_made, 0);
	assert_int_equal(fake_verbs.messages, 0);
}

/* Release all, but what opening a device made. */
static void end(struct pair *p)
{
	pair_close(p);
	assert_int_equal(fake_verbs_alive(), 0);
	assert_int_equal(fake_verbs.misuses, 0);
}

static void check_text(const struct pair *p, const char *part)
{
	char *text = report_text(p->client.result);

	assert_non_null(text);
	assert_contains(text, part);
	free(text);
}

static json_t *json_of(const struct pair *p)
{
	char *text = report_json(p->client.result);
	json_t *root = parsed(text);

	assert_non_null(root);
	free(text);
	return root;
}

/* Who can run says so in its table, who cannot on stderr. */
static void check_verdict(struct pair *p, const char *wanted)
{
	char text[PREFLIGHT_VERDICT_SIZE], *table;

	assert_string_equal(
		preflight_verdict(p->client.result->preflight, text), wanted);
	table = report_text(p->client.result);
	assert_true(!strstr(table, "this test ca") == !!p->client.ret);
	free(table);
}

/* Is there a row with this check and verdict? */
static bool has_row(json_t *root, const char *check, const char *verdict)
{
	json_t *row;
	size_t i;

	json_array_foreach(at(root, "preflight"), i, row) {
		if (!strcmp(json_string_value(at(row, "check")), check) &&
		    !strcmp(json_string_value(at(row, "verdict")), verdict))
			return true;
	}
	return false;
}

TEST(test_well)
{
	struct pair p;
	json_t *root;

	open_check(&p);
	run(&p);
	assert_int_equal(p.client.ret, 0);
	assert_int_equal(p.server.ret, 0);
	assert_false(error_is_set(&p.client.result->error));
	assert_false(error_is_set(&p.server.result->error));
	assert_true(p.client.result->connected);
	assert_int_equal(p.client.result->n_rows, 0);
	assert_null(p.server.result->preflight);
	check_text(&p, "check");
	check_text(&p, "\nthis test can run\n");
	check_verdict(&p, "this test can run");
	check_text(&p, "  active MTU");
	root = json_of(&p);
	check_null(root, "error");
	check_string(root, "preflight.0.check", "host");
	check_null(root, "preflight.0.needed");
	assert_true(has_row(root, "state", "ok"));
	assert_false(has_row(root, "state", "error"));
	check_string(root, "server.device", "fake0");
	assert_true(json_is_true(at(root, "parameters.check")));
	assert_int_equal(json_array_size(at(root, "results")), 0);
	json_decref(root);
	end(&p);
}

/* Both say the same first problem, and the client all of them. */
TEST(test_problems)
{
	struct pair p;
	json_t *root;

	open_check(&p);
	pair_plan(&p)->mtu = 4096;
	p.server.device.port.limits.max_qp = 0;
	run(&p);
	assert_true(p.client.ret < 0);
	assert_int_equal(p.server.ret, -EINVAL);
	assert_contains(p.client.result->error.message, "--mtu: 4096 is above");
	assert_contains(p.client.result->error.message, "client's fake0");
	assert_contains(p.server.result->error.message, "--mtu: 4096 is above");
	check_text(&p, "\nX active MTU ");
	check_text(&p, "\nX max_qp ");
	check_text(&p, "\nX max_qp: --qps: 1 is above what the server's fake0 "
		   "allows (max_qp 0)\n  -> use --qps 0 or less");
	check_verdict(&p, "this test cannot run: 2 problems");
	root = json_of(&p);
	assert_true(has_row(root, "active MTU", "error"));
	assert_true(has_row(root, "max_qp", "error"));
	check_string(root, "error.message",
		     p.client.result->error.message);
	check_string(root, "error.stage", "plan");
	json_decref(root);
	end(&p);
}

TEST(test_warnings)
{
	struct pair p;

	open_check(&p);
	p.server.device.port.active_mtu = IBV_MTU_512;
	p.server.device.port.rate_mbps = p.client.device.port.rate_mbps + 1000;
	run(&p);
	assert_int_equal(p.client.ret, 0);
	assert_int_equal(p.server.ret, 0);
	check_text(&p, "\n! active MTU");
	check_text(&p, "\nthis test can run, ");
	end(&p);
}

/* A limit that only the server knows of is in the answer to BYE. */
TEST(test_limit_of_the_server)
{
	struct pair p;
	json_t *root;

	open_check(&p);
	p.server.result->params.max_memory = 1000;
	run(&p);
	assert_int_equal(p.server.ret, -ENOMEM);
	assert_contains(p.client.result->error.message,
			"the server: the test needs ");
	check_text(&p, "\nX plan: the server: the test needs ");
	check_text(&p, "(--max-memory)");
	check_verdict(&p, "this test cannot run: 1 problem");
	root = json_of(&p);
	assert_true(has_row(root, "plan", "error"));
	assert_true(has_row(root, "max_qp", "ok"));
	json_decref(root);
	end(&p);
}

TEST(test_ports_that_are_down)
{
	struct pair p;

	open_check(&p);
	p.server.device.port.state = IBV_PORT_DOWN;
	run(&p);
	assert_int_equal(p.server.ret, -ENETDOWN);
	assert_message(&p.client.result->error,
		       "port 1 of the server's fake0 is DOWN");
	check_text(&p, "\nX state ");
	end(&p);
}

/* The dialogue that breaks anywhere is a problem with a name. */
TEST(test_broken_dialogue)
{
	for (int to_client = 0; to_client < 2; to_client++)
		for (int nth = 0; nth < 3; nth++) {
			struct pair p;

			open_check(&p);
			p.relayed = true;
			p.relay.spoil = SPOIL_CLOSE;
			p.relay.to_client = to_client;
			p.relay.nth = nth;
			run(&p);
			assert_true(p.client.ret < 0);
			assert_true(error_is_set(&p.client.result->error));
			check_verdict(&p, "this test cannot run: 1 problem");
			/* what it knows of itself is shown in any case */
			check_text(&p, "  max_qp");
			end(&p);
		}
}

/* Before there is a server, or a device. */
TEST(test_nothing_but_an_error)
{
	struct result *r = calloc(1, sizeof(*r));
	char *text;

	param_defaults(&r->params);
	r->params.plan.check = true;
	error_stage(&r->error, "device");
	fail(&r->error, -ENODEV, "buy one", "there is no device");
	check_finish(r);
	assert_int_equal(r->preflight->n, 1);
	text = report_text(r);
	assert_contains(text, "\nX device: there is no device\n  -> buy one\n");
	assert_null(strstr(text, "can run"));
	free(text);
	result_free(r);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_well),
	cmocka_unit_test(test_problems),
	cmocka_unit_test(test_warnings),
	cmocka_unit_test(test_limit_of_the_server),
	cmocka_unit_test(test_ports_that_are_down),
	cmocka_unit_test(test_broken_dialogue),
	cmocka_unit_test(test_nothing_but_an_error),
};

TEST_MAIN(tests, 60)
