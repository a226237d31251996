/* Every verbs object that a test makes is counted in what it needs: whole runs
 * of each test, and what was alive at once on the fake NIC. */
#include "config.h"
#include "test.h"

#include <stdio.h>

#include "fake_rdmacm.h"
#include "fake_verbs.h"
#include "good_plan.h"
#include "model/inject.h"
#include "pair_connect.h"
#include "model/need.h"

/* What both ends of P counted before they made anything. */
static struct need_count counted(struct pair *p)
{
	const struct plan *plan = pair_plan(p);
	struct need_count client, server;

	need_count(plan, true, &p->client.device.port, &client);
	need_count(plan, false, &p->server.device.port, &server);
#define X(member, bytes) client.member += server.member;
	NEED_LIST(X)
#undef X
	return client;
}

static void check_kind(const char *what, const char *kind, uint64_t counted,
		       uint64_t made, uint64_t spare)
{
	if (made > counted || counted > made + spare)
		fail_msg("%s: %llu %s were counted, %llu were made", what,
			 (unsigned long long)counted, kind,
			 (unsigned long long)made);
}

/* P has run.  All that was alive at once was counted, and no more than SPARE of
 * a kind besides. */
static void check_made(struct pair *p, const char *what, uint64_t spare)
{
	const struct need_count c = counted(p);

#define CHECK(member, made) \
	check_kind(what, #member, c.member, fake_verbs.most.made, spare)
	check_kind(what, "domains", c.domains,
		   fake_verbs.most.pds + fake_verbs.most.xrcds, spare);
	CHECK(regions, mrs);
	CHECK(queue_pairs, qps);
	CHECK(completion_queues, cqs);
	CHECK(shared_queues, srqs);
	CHECK(windows, mws);
	CHECK(addresses, ahs);
	CHECK(memberships, groups);
#undef CHECK
	check_kind(what, "channels", c.channels,
		   fake_verbs.most.channels +
			   (HAVE_RDMACM && pair_plan(p)->rdma_cm ? 2 : 0),
		   spare);
	if (HAVE_RDMACM)
		check_kind(what, "ids", c.ids, fake_rdmacm.most_ids, spare);
}

static void open_pair(struct pair *p, enum op op, enum metric metric)
{
	fake_verbs_reset();
	if (HAVE_RDMACM)
		fake_rdmacm_reset();
	pair_open(p, op, metric);
}

static void check_test(enum op op, enum metric metric,
		       enum transport transport)
{
	char what[80];
	struct pair p;

	open_pair(&p, op, metric);
	pair_plan(&p)->transport = transport;
	if (metric == METRIC_BANDWIDTH)
		pair_plan(&p)->qps = 5;
	snprintf(what, sizeof(what), "%s over %s", test_name_of(pair_plan(&p)),
		 transport_table[transport].name);
	pair_run_briefly(&p, what);
	check_made(&p, what, 0);
	pair_close_clean(&p);
}

/* CHECK each test over each transport that it has. */
static void check_all(void (*check)(enum op op, enum metric metric,
				    enum transport transport))
{
	for (int op = 0; op < OP_COUNT; op++)
		for (int metric = 0; metric < METRIC_COUNT; metric++)
			for (int t = 0; t < TRANSPORTS; t++)
				if (op_table[op].transports & 1U << t)
					check((enum op)op, (enum metric)metric,
					      (enum transport)t);
}

TEST(test_every_test_over_every_transport)
{
	check_all(check_test);
}

static void set_threads(struct plan *plan)
{
	plan->threads = 3;
}

static void set_events(struct plan *plan)
{
	plan->threads = 2;
	plan->events = true;
}

static void set_srq(struct plan *plan)
{
	plan->threads = 2;
	plan->srq = true;
}

static void set_regions(struct plan *plan)
{
	plan->mr_per_qp = true;
	plan->bidirectional = true;
}

static void set_verify(struct plan *plan)
{
	plan->verify = true;
}

static void set_xrc(struct plan *plan)
{
	plan->transport = TRANSPORT_XRC;
	plan->threads = 2;
}

static void set_labels(struct plan *plan)
{
	plan->transport = TRANSPORT_UD;
	plan->flow_labels = (struct labels){ 3, { 1, 2, 3 } };
}

static void set_group(struct plan *plan)
{
	plan->transport = TRANSPORT_UD;
	plan->qps = 1;
	plan->mcast.wanted = true;
	plan->receivers = 3;
}

/* What makes other objects than those of a plain test. */
TEST(test_options)
{
	static const struct {
		const char *name;
		enum op op;
		void (*set)(struct plan *plan);
	} rows[] = {
		{ "threads", OP_SEND, set_threads },
		{ "events", OP_SEND, set_events },
		{ "srq", OP_SEND, set_srq },
		{ "srq, of writes", OP_WRITE_IMM, set_srq },
		{ "mr-per-qp", OP_WRITE, set_regions },
		{ "verify", OP_WRITE, set_verify },
		{ "XRC", OP_SEND, set_xrc },
		{ "XRC, of reads", OP_READ, set_xrc },
		{ "flow labels", OP_SEND, set_labels },
		{ "multicast", OP_SEND, set_group },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct pair p;

		open_pair(&p, rows[i].op, METRIC_BANDWIDTH);
		pair_plan(&p)->qps = 7;
		rows[i].set(pair_plan(&p));
		pair_run_briefly(&p, rows[i].name);
		check_made(&p, rows[i].name, 0);
		pair_close_clean(&p);
	}
}

/* Completion queues that cannot hold what all queue pairs complete are more
 * than one. */
TEST(test_small_completion_queues)
{
	struct pair p;

	fake_verbs_reset();
	fake_verbs.attr.max_cqe = 300;
	pair_open(&p, OP_SEND, METRIC_BANDWIDTH);
	pair_plan(&p)->qps = 9;
	pair_plan(&p)->tx_depth = pair_plan(&p)->rx_depth = 128;
	pair_run_briefly(&p, "small completion queues");
	assert_true(fake_verbs.most.cqs > 4);
	check_made(&p, "small completion queues", 0);
	pair_close_clean(&p);
}

/* What inject/inject_objects.c makes: a domain, a region before the one that it
 * replaces is gone, and a memory window. */
TEST(test_faults)
{
	struct plan plan = good_plan();
	const struct port port = good_port();
	struct need_count with, without;

	need_count(&plan, false, &port, &without);
	plan.inject = INJECT_MW_INVALID;
	need_count(&plan, false, &port, &with);
	assert_int_equal(with.domains, without.domains + 1);
	assert_int_equal(with.regions, without.regions + 1);
	assert_int_equal(with.windows, 1);
}

/* On iWARP the words that stand for notices are a region of each receive queue,
 * and what peers say of their receives is another one. */
TEST(test_iwarp)
{
	struct plan plan = good_plan();
	struct port port = good_port();
	struct need_count count;

	port.iwarp = true;
	plan.qps = 5;
	plan.rx_depth = 16;
	set_op(&plan, OP_SEND);
	need_count(&plan, false, &port, &count);
	assert_int_equal(count.regions, 2);
	set_op(&plan, OP_WRITE);
	plan.verify = true;
	need_count(&plan, false, &port, &count);
	assert_int_equal(count.regions, 1 + 5);
}

static void check_connect(bool rdma_cm, uint64_t n)
{
	struct need_count c;
	struct pair p;

	connect_open(&p, CONTROL_HOLD, n);
	pair_plan(&p)->rdma_cm = rdma_cm;
	pair_run(&p);
	assert_int_equal(p.client.ret, 0);
	c = counted(&p);
	/* they are those of one connection, and of n - 1 others */
	check_kind("connect", "queue pairs", c.queue_pairs + 2 * (n - 1),
		   fake_verbs.most.qps, 0);
	check_kind("connect", "domains", c.domains, fake_verbs.most.pds, 0);
	check_kind("connect", "completion queues", c.completion_queues,
		   fake_verbs.most.cqs, 0);
	if (HAVE_RDMACM)
		check_kind("connect", "ids", c.ids + 2 * (n - 1) * rdma_cm,
			   fake_rdmacm.most_ids, 1);
	assert_int_equal(fake_verbs.most.mrs + fake_verbs.most.ahs +
			 fake_verbs.most.srqs, 0);
	pair_close_clean(&p);
}

TEST(test_connections)
{
	check_connect(false, 20);
	if (HAVE_RDMACM)
		check_connect(true, 20);
}

/* A server's limit on memory ends the making of more, as its limit on queue
 * pairs does. */
TEST(test_memory_of_connections)
{
	const struct control_row *c;
	struct plan *plan;
	struct pair p;

	for (int rdma_cm = 0; rdma_cm <= HAVE_RDMACM; rdma_cm++) {
		plan = connect_open(&p, CONTROL_HOLD, 100);
		plan->rdma_cm = rdma_cm;
		p.server.result->params.max_memory =
			need_of_connections(plan, 31) - 1;
		c = connect_run_well(&p);
		assert_int_equal(c->most, 30);
		assert_contains(c->limit.message, "31 connections");
		assert_contains(c->limit.message, "--max-memory");
		assert_null(strchr(c->limit.message, '\n'));
		assert_string_equal(c->limit.code, "ENOMEM");
		pair_close_clean(&p);
	}
}

/* It is refused before it begins if not even one is allowed. */
TEST(test_no_memory_for_one_connection)
{
	struct plan *plan;
	struct pair p;

	plan = connect_open(&p, CONTROL_CHURN, 10);
	p.server.result->params.max_memory = need_of_connections(plan, 1) - 1;
	pair_run(&p);
	pair_check_both_failed(&p, "one connection");
	assert_string_equal(p.client.result->error.code, "ENOMEM");
	assert_string_equal(p.client.result->error.stage, "plan");
	assert_int_equal(fake_verbs.most.qps, 0);
	pair_close_clean(&p);
}

static void check_refused(enum op op, enum metric metric,
			  enum transport transport)
{
	const struct error *err;
	struct need need;
	struct pair p;

	open_pair(&p, op, metric);
	pair_plan(&p)->transport = transport;
	/* what it needs is known once it is fitted */
	p.server.result->params.max_memory = 1;
	pair_run(&p);
	err = &p.client.result->error;
	assert_string_equal(err->code, "ENOMEM");
	assert_contains(err->message, "--max-memory");
	assert_null(strchr(err->message, '\n'));
	assert_int_equal(fake_verbs.most.qps + fake_verbs.most.mrs, 0);
	need_of(&p.server.result->params.plan, false, &p.server.device.port,
		&need);
	pair_close_clean(&p);
	for (int spare = 0; spare < 2; spare++) {
		open_pair(&p, op, metric);
		pair_plan(&p)->transport = transport;
		p.server.result->params.max_memory =
			need.messages + need.objects + (uint64_t)spare - 1;
		pair_run(&p);
		assert_int_equal(!strcmp(p.client.result->error.code,
					 "ENOMEM"), !spare);
		pair_close_clean(&p);
	}
}

/* Each test is refused at one byte less than it needs. */
TEST(test_every_test_is_refused)
{
	check_all(check_refused);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_every_test_over_every_transport),
	cmocka_unit_test(test_options),
	cmocka_unit_test(test_small_completion_queues),
	cmocka_unit_test(test_faults),
	cmocka_unit_test(test_iwarp),
	cmocka_unit_test(test_connections),
	cmocka_unit_test(test_memory_of_connections),
	cmocka_unit_test(test_no_memory_for_one_connection),
	cmocka_unit_test(test_every_test_is_refused),
};

TEST_MAIN(tests, 120)
