/*
 * Whole sessions in which the device fails: every verb in turn, completions,
 * asynchronous events, silence; and the user's ^C.
 */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "base/time.h"
#include "fake_verbs.h"
#include "inject/faults.h"
#include "inject/inject.h"
#include "model/inject.h"
#include "net/wait.h"
#include "pair.h"
#include "verbs/explain.h"

#define MS 1000000ULL

#define MESSAGES 5	/* of each size: the first receive is posted anew */

static void check_sizes(struct pair *p)
{
	static const struct sizes sizes = { 2, { 64, 128 } };

	pair_plan(p)->iterations = MESSAGES;
	pair_plan(p)->rx_depth = MESSAGES - 1;
	pair_sizes(p, &sizes);
}

/* Each slow verb of both ends, once: how many there are.  What is said of it is
 * checked before it is released. */
static uint32_t fail_each_call(enum op op, enum metric metric)
{
	for (uint32_t nth = 1;; nth++) {
		char what[40];
		struct pair p;

		snprintf(what, sizeof(what), "call %u", nth);
		fake_verbs_reset();
		pair_open(&p, op, metric);
		check_sizes(&p);
		fake_verbs.fail_call = fake_verbs.calls + nth;
		fake_verbs.errnum = nth % 2 ? EINVAL : ENOMEM;
		pair_run(&p);
		/* a queue pair of a latency test does with less inline */
		if (metric == METRIC_BANDWIDTH &&
		    fake_verbs.calls >= fake_verbs.fail_call)
			pair_check_both_failed(&p, what);
		pair_close_clean(&p);
		if (fake_verbs.calls < fake_verbs.fail_call)
			return nth - 1;
	}
}

TEST(test_every_slow_verb_fails)
{
	for (int op = 0; op < OP_COUNT; op++) {
		/* both: PD, MR, 2 CQs, QP, INIT, RTR, RTS, its attributes */
		assert_int_equal(fail_each_call((enum op)op, METRIC_BANDWIDTH),
				 18);
		/* each of a ping-pong's ends has two MRs */
		assert_int_equal(fail_each_call((enum op)op, METRIC_LATENCY),
				 op_table[op].pingpong ? 20 : 18);
	}
}

static void fail_each_post(enum op op, enum metric metric)
{
	for (uint32_t nth = 1;; nth++) {
		struct pair p;

		fake_verbs_reset();
		pair_open(&p, op, metric);
		check_sizes(&p);
		fake_verbs.fail_post = nth;
		fake_verbs.errnum = ENOMEM;
		pair_run(&p);
		if (fake_verbs.posts >= nth) {
			/* the responder's last repost: all is over then */
			if (p.client.ret || p.server.ret)
				pair_check_failed(p.client.ret ? &p.client :
						  &p.server, "post");
			else
				fail_msg("post %u of %d was not missed", nth,
					 op);
		}
		pair_close_clean(&p);
		if (fake_verbs.posts < nth)
			return;
	}
}

TEST(test_every_post_fails)
{
	for (int op = 0; op < OP_COUNT; op++)
		for (int metric = 0; metric < METRIC_COUNT; metric++)
			fail_each_post((enum op)op, (enum metric)metric);
}

/* False when there were not so many. */
static bool fail_message(enum op op, enum metric metric, uint64_t nth)
{
	struct pair p;
	bool many;

	fake_verbs_reset();
	pair_open(&p, op, metric);
	check_sizes(&p);
	many = nth <= MESSAGES * pair_plan(&p)->sizes.n;
	fake_verbs.fail_message = nth;
	fake_verbs.status = IBV_WC_REM_OP_ERR;
	pair_run(&p);
	if (many) {
		pair_check_both_failed(&p, "message");
		assert_contains(p.client.result->error.code,
				"IBV_WC_REM_OP_ERR");
		assert_contains(p.server.result->error.code,
				"IBV_WC_REM_OP_ERR");
	}
	pair_close_clean(&p);
	return many;
}

TEST(test_every_message_fails)
{
	for (int op = 0; op < OP_COUNT; op++)
		for (int metric = 0; metric < METRIC_COUNT; metric++)
			for (uint64_t nth = 1;
			     fail_message((enum op)op, (enum metric)metric,
					  nth);)
				nth++;
}

/* Wait until so many messages went by, or for NS at most. */
static void await_traffic_for(uint64_t messages, uint64_t ns)
{
	const struct timespec nap = { .tv_nsec = 1000000 };
	const uint64_t until = time_after(ns);

	while (__atomic_load_n(&fake_verbs.messages, __ATOMIC_RELAXED) <
	       messages && time_until(until))
		nanosleep(&nap, NULL);
}

static void await_traffic(uint64_t messages)
{
	await_traffic_for(messages, patient(20) * SECOND);
}

/* Traffic for long enough, until something else ends it. */
static void start_traffic(struct pair *p, enum op op, enum metric metric)
{
	fake_verbs_reset();
	pair_open(p, op, metric);
	pair_plan(p)->iterations = 0;
	pair_plan(p)->duration = 60000 * MS;
	pair_start(p);
	await_traffic(50);
}

static void fatal_event(enum op op, enum metric metric, bool at_server,
			enum ibv_event_type type)
{
	struct pair p;

	start_traffic(&p, op, metric);
	fake_verbs_raise(at_server ? p.server.device.context :
				     p.client.device.context, type);
	pair_wait(&p);
	pair_check_both_failed(&p, "event");
	assert_contains(p.client.result->error.message,
			explain_event_of(type)->name);
	assert_contains(p.server.result->error.message,
			explain_event_of(type)->name);
	assert_string_equal(p.client.result->error.code,
			    explain_event_of(type)->name);
	assert_int_equal(p.client.result->error.from_peer, at_server);
	assert_string_equal(p.client.result->error.stage, "traffic");
	/* in the peer's own words, if it was the peer */
	assert_string_equal(p.client.result->peer_error.message, at_server ?
			    p.server.result->error.message : "");
	/* what was measured until then is kept, and marked */
	if (p.client.result->n_rows)
		assert_true(p.client.result->rows[0].failed);
	pair_close_clean(&p);
}

TEST(test_events_end_both)
{
	static const enum ibv_event_type types[] = {
		IBV_EVENT_QP_FATAL, IBV_EVENT_DEVICE_FATAL,
		IBV_EVENT_PORT_ERR, IBV_EVENT_QP_ACCESS_ERR,
	};

	for (int op = 0; op < OP_COUNT; op++)
		for (int metric = 0; metric < METRIC_COUNT; metric++)
			for (int at_server = 0; at_server < 2; at_server++)
				fatal_event((enum op)op, (enum metric)metric,
					    at_server,
					    types[(op + metric) % 4]);
}

static void open_inject(struct pair *p, enum inject inject)
{
	fake_verbs_reset();
	pair_open(p, OP_SEND, METRIC_BANDWIDTH);
	pair_plan(p)->inject = inject;
	pair_plan(p)->iterations = 5000;
	pair_plan(p)->rx_depth = 64;
	p->server.result->params.allow_inject = true;
}

/* The messages of which no completion tells do not count, and the event says
 * why. */
TEST(test_overrun_of_a_completion_queue)
{
	struct pair p;

	open_inject(&p, INJECT_CQ_OVERRUN);
	pair_run(&p);
	pair_check_both_failed(&p, "overrun");
	assert_int_not_equal(fake_verbs.overflows, 0);
	assert_contains(p.server.result->error.message,
			"IBV_EVENT_CQ_ERR: completion queue overrun");
	assert_true(p.client.result->error.from_peer);
	pair_close(&p);
	assert_int_equal(fake_verbs_alive(), 0);
}

/* Each queue pair gets into that state, whatever state it is in. */
TEST(test_states_that_are_provoked)
{
	static const enum ibv_qp_state states[] = { IBV_QPS_INIT, IBV_QPS_ERR,
						    IBV_QPS_RESET };
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { 1, 1, 1, 1, 0 },
	};
	struct flow_qp qps[2];
	struct run run;
	struct pair p;

	open_inject(&p, INJECT_NOTHING);
	run = (struct run){
		.device = &p.client.device,
		.plan = pair_plan(&p),
		.result = p.client.result,
		.res = { .qps = qps, .n_qps = COUNT(qps) },
	};
	run.res.pd = ibv_alloc_pd(run.device->context);
	attr.send_cq = attr.recv_cq =
		ibv_create_cq(run.device->context, 1, NULL, NULL, 0);
	for (size_t k = 0; k < COUNT(qps); k++)
		qps[k].qp = ibv_create_qp(run.res.pd, &attr);
	for (size_t i = 0; i < COUNT(states); i++) {
		assert_int_equal(inject_state(&run, states[i]), 0);
		for (size_t k = 0; k < COUNT(qps); k++)
			assert_int_equal(qps[k].qp->state, states[i]);
	}
	for (size_t k = 0; k < COUNT(qps); k++)
		ibv_destroy_qp(qps[k].qp);
	ibv_destroy_cq(attr.send_cq);
	ibv_dealloc_pd(run.res.pd);
	pair_close_clean(&p);
}

/* Every queue pair of the peer, and nothing behind them. */
TEST(test_keys_that_are_spoiled)
{
	struct endpoint_qp qps[3] = { { .rkey = 1 }, { .rkey = 2 },
				      { .rkey = 3 } };
	const struct plan plan = { .inject = INJECT_EMPTY_WRITE_RKEY };
	struct run run = {
		.client = true,
		.plan = &plan,
		.peer = { .n = 2, .qps = qps },
	};

	assert_int_equal(inject_at(&run, INJECT_AT_CONNECTED), 0);
	assert_int_equal(qps[0].rkey, 1);
	assert_int_equal(inject_at(&run, INJECT_AT_ENDPOINT), 0);
	assert_int_not_equal(qps[0].rkey, 1);
	assert_int_not_equal(qps[1].rkey, 2);
	assert_int_equal(qps[2].rkey, 3);
}

/* With completions in it, and while others come: all of them are taken. */
TEST(test_resized_completion_queue)
{
	struct pair p;

	open_inject(&p, INJECT_CQ_RESIZE);
	pair_run(&p);
	assert_int_equal(p.client.ret, 0);
	assert_int_equal(p.server.ret, 0);
	assert_int_equal(p.client.result->rows[0].total.received,
			 5000);
	assert_true(fake_verbs.resizes > 10);
	pair_close_clean(&p);
}

/* Some devices cannot. */
TEST(test_completion_queues_that_keep_their_size)
{
	static const enum inject cases[] = { INJECT_CQ_OVERRUN,
					     INJECT_CQ_RESIZE };

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct pair p;

		open_inject(&p, cases[i]);
		fake_verbs.no_resize = true;
		pair_run(&p);
		pair_check_both_failed(&p, "no resize");
		assert_contains(p.server.result->error.message,
				"ibv_resize_cq: Operation not supported");
		assert_string_equal(p.server.result->error.code,
				    "EOPNOTSUPP");
		pair_close_clean(&p);
	}
}

TEST(test_harmless_events)
{
	struct pair p;

	fake_verbs_reset();
	pair_open(&p, OP_WRITE, METRIC_BANDWIDTH);
	pair_plan(&p)->iterations = 0;
	pair_plan(&p)->duration = 60 * MS;
	fake_verbs_raise(p.server.device.context, IBV_EVENT_COMM_EST);
	fake_verbs_raise(p.client.device.context, IBV_EVENT_GID_CHANGE);
	pair_run(&p);
	assert_int_equal(p.client.ret, 0);
	assert_int_equal(p.server.ret, 0);
	pair_close_clean(&p);
}

/* Nothing arrives any more: the watchdog says so after --timeout. */
TEST(test_black_hole)
{
	static const enum metric metrics[OP_COUNT] = {
		METRIC_BANDWIDTH, METRIC_LATENCY, METRIC_BANDWIDTH,
		METRIC_BANDWIDTH, METRIC_LATENCY, METRIC_BANDWIDTH,
		METRIC_LATENCY,
	};
	static struct pair pairs[OP_COUNT];
	struct plan *batches;

	fake_verbs_reset();
	fake_verbs.black_hole = true;
	for (int op = 0; op < OP_COUNT; op++) {
		pair_open(&pairs[op], (enum op)op, metrics[op]);
		pair_plan(&pairs[op])->timeout = 2000 * MS;
	}
	batches = pair_plan(&pairs[OP_READ]);
	batches->batch = (struct batch){ 1, { { 2, 64 } } };
	batches->sizes = (struct sizes){ 1, { 128 } };
	for (int op = 0; op < OP_COUNT; op++)
		pair_start(&pairs[op]);
	for (int op = 0; op < OP_COUNT; op++) {
		const char *what = op == OP_READ ?
			"no batch completed for 2 s" :
			"nothing completed for 2 s";
		struct pair *p = &pairs[op];

		pair_wait(p);
		pair_check_both_failed(p, "black hole");
		assert_contains(p->client.result->error.message, what);
		assert_contains(p->server.result->error.message, what);
		if (op != OP_READ) {
			assert_contains(p->client.result->error.message,
					"to GID 1 ");
			assert_contains(p->client.result->error.advice,
					"firewall");
		}
		assert_int_equal(p->client.result->n_rows, 0);
		pair_close(p);
	}
	pair_check_clean();
}

static void leave_some(enum op op, bool both, bool verify, bool more)
{
	static const struct sizes two = { 2, { 64, 128 } };
	const bool kept = !verify && !more;
	struct result_row *row;
	struct pair p;

	fake_verbs_reset();
	pair_open(&p, op, METRIC_BANDWIDTH);
	pair_plan(&p)->iterations = 0;
	pair_plan(&p)->duration = 700 * MS;
	/* what goes by before the hole is measured, however busy the machine */
	pair_plan(&p)->warmup = 0;
	pair_plan(&p)->timeout = 1700 * MS;
	pair_plan(&p)->bidirectional = both;
	pair_plan(&p)->verify = verify;
	if (more)
		pair_sizes(&p, &two);
	pair_start(&p);
	/* many times the receives, so that both ends have sent by then; but
	 * with sanitizers that may take longer than the run */
	await_traffic(500);
	await_traffic_for(5000, 300 * MS);
	__atomic_store_n(&fake_verbs.black_hole, true, __ATOMIC_RELAXED);
	pair_wait(&p);
	row = p.client.result->rows;
	if (kept && (p.client.ret || p.server.ret))
		fail_msg("%d: %s", op, p.client.result->error.message);
	if (!kept)
		pair_check_both_failed(&p, "all is needed");
	assert_int_equal(row->failed, !kept);
	assert_true(row->total.iterations > 0);
	assert_true(!kept || row->total.left > 0);
	pair_close(&p);
	assert_int_equal(fake_verbs_alive(), 0);
}

/* Flushed, and no completion says why: the port does, or the event that comes
 * later. */
TEST(test_flushed_without_a_cause)
{
	const struct timespec later = { .tv_nsec = 100 * MS };

	for (int event = 0; event < 2; event++) {
		struct pair p;

		start_traffic(&p, OP_WRITE, METRIC_BANDWIDTH);
		if (!event)
			fake_verbs.port.state = IBV_PORT_DOWN;
		fake_verbs.status = IBV_WC_WR_FLUSH_ERR;
		__atomic_store_n(&fake_verbs.fail_message,
				 fake_verbs.messages + 5000, __ATOMIC_RELEASE);
		if (event) {
			await_traffic(fake_verbs.fail_message);
			nanosleep(&later, NULL);
			fake_verbs_raise(p.client.device.context,
					 IBV_EVENT_PORT_ERR);
		}
		pair_wait(&p);
		pair_check_both_failed(&p, "flush");
		assert_contains(p.client.result->error.message, event ?
				"IBV_EVENT_PORT_ERR" : "is DOWN");
		pair_close_clean(&p);
	}
}

/* What was measured is kept when the rest is never acknowledged: the sender
 * waits about as long as it measured, but not in a test that needs the rest. */
TEST(test_what_is_not_acknowledged)
{
	leave_some(OP_WRITE, false, false, false);
	leave_some(OP_SEND, true, false, false);
	leave_some(OP_WRITE, false, false, true);
	leave_some(OP_SEND, false, true, false);
}

/* A server minds silence by its own clock, not by what the client asks for. */
TEST(test_patience_of_the_server)
{
	struct pair p = { 0 };

	fake_verbs_reset();
	pair_open(&p, OP_WRITE, METRIC_BANDWIDTH);
	p.relayed = true;
	p.relay.spoil = SPOIL_SILENCE;
	p.relay.nth = 4;		/* START */
	pair_plan(&p)->timeout = 3600000 * MS;
	p.server.result->params.idle_timeout = 300 * MS;
	pair_run(&p);
	pair_check_both_failed(&p, "silence");
	assert_contains(p.server.result->error.message,
			"the client said nothing in time: waited for START");
	pair_close_clean(&p);
}

static void interrupt(int at)
{
	int fd = signals_open(), fds[2] = { -1, -1 };
	struct pair p;

	fds[at] = fd;
	fake_verbs_reset();
	pair_open(&p, OP_WRITE, METRIC_BANDWIDTH);
	pair_plan(&p)->iterations = 0;
	pair_plan(&p)->duration = 60000 * MS;
	p.client.cancel_fd = fds[0];
	p.server.cancel_fd = fds[1];
	pair_start(&p);
	usleep(50000);
	kill(getpid(), SIGINT);
	pair_wait(&p);
	pair_check_both_failed(&p, "interrupt");
	assert_contains(p.client.result->error.message,
			"interrupted by SIGINT");
	assert_contains(p.server.result->error.message,
			"interrupted by SIGINT");
	assert_int_equal(at ? p.server.ret : p.client.ret, -ECANCELED);
	pair_close(&p);
	close(fd);
	pair_check_clean();
}

TEST(test_interrupted_at_either_end)
{
	interrupt(0);
	interrupt(1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_every_slow_verb_fails),
	cmocka_unit_test(test_every_post_fails),
	cmocka_unit_test(test_every_message_fails),
	cmocka_unit_test(test_events_end_both),
	cmocka_unit_test(test_overrun_of_a_completion_queue),
	cmocka_unit_test(test_states_that_are_provoked),
	cmocka_unit_test(test_keys_that_are_spoiled),
	cmocka_unit_test(test_resized_completion_queue),
	cmocka_unit_test(test_completion_queues_that_keep_their_size),
	cmocka_unit_test(test_harmless_events),
	cmocka_unit_test(test_black_hole),
	cmocka_unit_test(test_flushed_without_a_cause),
	cmocka_unit_test(test_what_is_not_acknowledged),
	cmocka_unit_test(test_patience_of_the_server),
	cmocka_unit_test(test_interrupted_at_either_end),
};

TEST_MAIN(tests, 120)
