/* What a server refuses when it has seen the plan, and what both ends say. */
#include "config.h"
#include "test.h"

#include "fake_verbs.h"
#include "model/inject.h"
#include "pair.h"
#include "session/quota.h"

#define MS 1000000ULL

/* What the server allows is said at both ends; by which limit, WHAT tells. */
static void over_a_limit(struct pair *p, const char *what)
{
	pair_run(p);
	pair_check_both_failed(p, what);
	assert_contains(p->server.result->error.message, what);
	assert_contains(p->client.result->error.message, what);
	assert_string_equal(p->client.result->error.stage, "plan");
	assert_contains(p->client.result->error.advice, "start the server");
	pair_close_clean(p);
}

TEST(test_limits_of_the_server)
{
	struct pair p;

	fake_verbs_reset();
	pair_open(&p, OP_WRITE, METRIC_BANDWIDTH);
	p.server.result->params.max_qps = 3;
	pair_plan(&p)->qps = 4;
	over_a_limit(&p, "--qps 4: this server allows 3 (--max-qps)");
	pair_open(&p, OP_WRITE, METRIC_BANDWIDTH);
	p.server.result->params.max_duration = 10000 * MS;
	pair_plan(&p)->sizes = (struct sizes){ 3, { 1, 2, 4 } };
	pair_plan(&p)->iterations = 0;
	pair_plan(&p)->duration = 3000 * MS;
	pair_plan(&p)->warmup = 500 * MS;
	over_a_limit(&p, "the test takes 10.5 s, by --duration, --warmup "
			 "and --hold for each --size: this server allows 10 s "
			 "(--max-duration)");
	pair_open(&p, OP_WRITE, METRIC_BANDWIDTH);
	pair_plan(&p)->inject = INJECT_WRITE_RKEY;
	over_a_limit(&p, "--inject write-rkey: this server does not let "
			 "clients provoke faults");
}

TEST(test_how_long_a_turn_may_last)
{
	struct parameters params = { .max_duration = 0 };

	params.plan.iterations = 1000;
	params.plan.sizes.n = 1;
	assert_int_equal(quota_duration(&params), 600000 * MS);
	params.plan.sizes.n = 3;
	params.plan.duration = 2000 * MS;
	params.plan.warmup = 500 * MS;
	assert_int_equal(quota_duration(&params), 630000 * MS);
	params.plan.hold = 100 * MS;
	assert_int_equal(quota_duration(&params), 631200 * MS);
	params.max_duration = 1000 * MS;
	assert_int_equal(quota_duration(&params), 1000 * MS);
}

TEST(test_the_server_refuses)
{
	struct pair p;

	fake_verbs_reset();
	pair_open(&p, OP_WRITE, METRIC_BANDWIDTH);
	p.server.result->params.max_memory = 4095;
	pair_run(&p);
	pair_check_both_failed(&p, "memory");
	assert_string_equal(p.client.result->error.message,
			    "the server: the test needs 37824 bytes of memory, "
			    "4096 for messages and 33728 for queue pairs and "
			    "their queues: this server allows 4095 "
			    "(--max-memory)");
	assert_contains(p.client.result->error.advice, "a smaller --tx-depth");
	assert_string_equal(p.client.result->error.code, "ENOMEM");
	assert_string_equal(p.client.result->error.stage, "plan");
	assert_true(p.client.result->error.from_peer);
	assert_false(p.client.result->connected);
	pair_close_clean(&p);
}

/* The server's link went down since it was started. */
TEST(test_the_servers_port_is_down)
{
	struct pair p;

	fake_verbs_reset();
	pair_open(&p, OP_READ, METRIC_LATENCY);
	p.server.device.port.state = IBV_PORT_DOWN;
	pair_run(&p);
	pair_check_both_failed(&p, "port down");
	assert_string_equal(p.client.result->error.message,
			    "the server: port 1 of the server's fake0 is "
			    "DOWN");
	assert_string_equal(p.client.result->error.code, "ENETDOWN");
	pair_close_clean(&p);
}

TEST(test_the_limits_of_the_device)
{
	struct pair p;

	fake_verbs_reset();
	fake_verbs.attr.max_qp = 3;
	pair_open(&p, OP_WRITE, METRIC_BANDWIDTH);
	pair_plan(&p)->qps = 4;
	pair_run(&p);
	pair_check_both_failed(&p, "limit");
	assert_contains(p.server.result->error.message,
			"--qps: 4 is above what the client's fake0 allows");
	pair_close_clean(&p);
}

/* As Soft-RoCE has. */
TEST(test_a_device_without_xrc)
{
	struct pair p;

	fake_verbs_reset();
	fake_verbs.attr.device_cap_flags = 0;
	pair_open(&p, OP_SEND, METRIC_BANDWIDTH);
	pair_plan(&p)->transport = TRANSPORT_XRC;
	pair_run(&p);
	pair_check_both_failed(&p, "no XRC");
	assert_contains(p.server.result->error.message,
			"--transport XRC: the client's fake0 has no XRC");
	pair_close_clean(&p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_limits_of_the_server),
	cmocka_unit_test(test_how_long_a_turn_may_last),
	cmocka_unit_test(test_the_server_refuses),
	cmocka_unit_test(test_the_servers_port_is_down),
	cmocka_unit_test(test_the_limits_of_the_device),
	cmocka_unit_test(test_a_device_without_xrc),
};

TEST_MAIN(tests, 60)
