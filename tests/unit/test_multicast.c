/* Multicast groups: their addresses, and whole sessions that send to one. */
#include "config.h"
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <net/if.h>

#include "fake_verbs.h"
#include "good_plan.h"
#include "model/inject.h"
#include "net/frames.h"
#include "pair.h"
#include "samples.h"
#include "verbs/multicast.h"

static union ibv_gid gid_of(const char *text)
{
	union ibv_gid gid;

	assert_int_equal(inet_pton(AF_INET6, text, gid.raw), 1);
	return gid;
}

static struct plan multicast_plan(const char *group)
{
	struct plan plan = good_plan();

	set_op(&plan, OP_SEND);
	plan.transport = TRANSPORT_UD;
	plan.mcast.wanted = true;
	plan.mcast.given = group != NULL;
	if (group)
		plan.mcast.gid = gid_of(group);
	return plan;
}

/* Of the family of the path, and multicast; the user's own is kept. */
static void check_group(const char *local, uint32_t qkey, const char *wanted)
{
	const struct plan plan = multicast_plan(NULL);
	const struct path path = { .local = { .raw = gid_of(local) } };
	union ibv_gid group = multicast_group(&plan, &path, qkey);
	char text[GID_TEXT_SIZE];

	assert_string_equal(gid_format(&group, text), wanted);
	assert_true(gid_is_multicast(&group));
}

TEST(test_groups)
{
	const struct plan plan = multicast_plan("ff0e::4711");
	const struct path path = { .local = { .raw = gid_of("fe80::1") } };
	union ibv_gid group = multicast_group(&plan, &path, 1), wanted;

	check_group("::ffff:10.0.0.1", 0x7abc1234, "::ffff:239.255.18.52");
	check_group("fe80::1", 0x7abc1234, "ff12::7abc:1234");
	wanted = gid_of("ff0e::4711");
	assert_memory_equal(&group, &wanted, sizeof(group));
}

TEST(test_rules)
{
	struct plan plan = multicast_plan(NULL);
	struct error err = { 0 };

#define REFUSED(change, why) \
	do { \
		plan = multicast_plan(NULL); \
		err = (struct error){ 0 }; \
		change; \
		assert_int_equal(plan_check(&plan, &err), -EINVAL); \
		assert_contains(error_text(&err), "--mcast: " why); \
	} while (0)
	assert_int_equal(plan_check(&plan, &err), 0);
	REFUSED(plan.transport = TRANSPORT_RC, "only over UD");
	REFUSED(plan.metric = METRIC_LATENCY, "only for bandwidth");
	REFUSED(plan.reversed = true, "the client sends to the group");
	REFUSED(plan.bidirectional = true, "the client sends to the group");
	REFUSED(plan.qps = 2, "one queue pair");
	REFUSED((plan.receivers = 2, plan.srq = true), "--receivers and --srq");
	REFUSED((plan.receivers = 2, plan.inject = INJECT_NO_RECEIVE),
		"--receivers and --inject");
#undef REFUSED
	plan = multicast_plan(NULL);
	plan.receivers = 2;
	err = (struct error){ 0 };
	assert_int_equal(plan_check(&plan, &err), 0);
	assert_int_equal(plan_qps(&plan, true), 1);
	assert_int_equal(plan_qps(&plan, false), 2);
	assert_int_equal(plan_due(&plan, 5), 10);
	assert_true(plan_due(&plan, UINT64_MAX - 1) == UINT64_MAX);
	assert_int_equal(plan_lost(&plan, 5, 7), 3);
	/* others send to the group, too */
	assert_int_equal(plan_lost(&plan, 5, 11), 0);
	plan.mcast.wanted = false;
	assert_int_equal(plan_due(&plan, 5), 5);
	assert_int_equal(plan_check(&plan, &err), -EINVAL);
	assert_message(&err, "--receivers: only with --mcast");
}

/* Send the sample's plan with the group of PLAN; returns what decoding does. */
static int travel(const struct plan *plan, struct plan *got, struct error *err)
{
	const struct port port = sample_port();
	struct plan sent = sample_plan();
	struct port other;
	struct frame frame;
	int ret;

	sent.mcast = plan->mcast;
	frame = encode_plan(&sent, &port);
	ret = decode_plan(&frame, got, &other, err);
	frame_free(&frame);
	return ret;
}

TEST(test_group_travels)
{
	struct plan plan = multicast_plan("ff12::1"), got;
	struct error err = { 0 };

	assert_int_equal(travel(&plan, &got, &err), 0);
	assert_true(got.mcast.wanted && got.mcast.given);
	assert_memory_equal(&got.mcast.gid, &plan.mcast.gid, 16);
	plan = multicast_plan(NULL);
	assert_int_equal(travel(&plan, &got, &err), 0);
	assert_true(got.mcast.wanted && !got.mcast.given);
	/* a host's address would be flooded */
	plan = multicast_plan("::ffff:10.0.0.1");
	assert_int_equal(travel(&plan, &got, &err), -EPROTO);
	assert_contains(error_text(&err),
			"with group ::ffff:10.0.0.1, which is "
			"not a multicast address");
}

/* The counts of N receivers of RECEIVED messages, after a byte of the last one
 * was changed by CHANGE; returns what decoding does. */
static int receivers_travel(uint64_t received, uint32_t n, uint8_t change,
			    struct done *got, struct error *err)
{
	uint64_t counts[] = { 70, 0, 64 };
	struct done done = {
		.received = received, .window_error = DONE_UNKNOWN,
		.interval_error = DONE_UNKNOWN, .ns_per_tick = 1,
		.clock = { "tsc", 1, 10, NAN, NAN, "tsc" }, .n_receivers = n,
		.receivers = counts,
	};
	struct frame frame;
	int ret;

	frame = encode_done(&done);
	frame.bytes[WIRE_HEADER_SIZE + frame.length - 1] ^= change;
	*got = (struct done){ .posted = 0 };
	ret = decode_done(&frame, got, err);
	frame_free(&frame);
	return ret;
}

TEST(test_receivers_travel)
{
	static const struct {
		uint64_t received;
		uint32_t n;
		uint8_t change;
		const char *why;
	} wrong[] = {
		{ 134, 3, 1, "messages of a receiver 65: expected 64 to 64" },
		{ 135, 3, 0, "messages of a receiver 64: expected 65 to 65" },
		{ 133, 3, 0, "messages of a receiver 64: expected 63 to 63" },
		{ 69, 3, 0, "messages of a receiver 70: expected 0 to 69" },
		{ 70, 1, 0, "number of receivers 1: expected 2 to 16384" },
	};
	struct error err = { 0 };
	struct done got;

	assert_int_equal(receivers_travel(134, 3, 0, &got, &err), 0);
	assert_int_equal(got.n_receivers, 3);
	assert_int_equal(got.receivers[2], 64);
	done_free(&got);
	for (size_t i = 0; i < COUNT(wrong); i++) {
		err = (struct error){ 0 };
		assert_int_equal(receivers_travel(wrong[i].received,
						  wrong[i].n, wrong[i].change,
						  &got, &err), 0);
		assert_contains(error_text(&got.implausible), wrong[i].why);
		assert_int_equal(got.n_receivers, 0);
		done_free(&got);
	}
}

static void open_pair(struct pair *p, const char *group)
{
	fake_verbs_reset();
	pair_open(p, OP_SEND, METRIC_BANDWIDTH);
	pair_plan(p)->transport = TRANSPORT_UD;
	pair_plan(p)->verify = true;
	pair_plan(p)->iterations = 70;
	pair_plan(p)->mcast = multicast_plan(group).mcast;
}

TEST(test_sessions)
{
	static const char *const groups[] = { NULL, "::ffff:239.1.2.3" };

	for (int i = 0; i < 4; i++) {
		const union ibv_gid *group;
		struct pair p;

		open_pair(&p, groups[i & 1]);
		fake_verbs.lose_every = i & 2 ? 7 : 0;
		pair_run_well(&p, "multicast");
		assert_int_equal(p.client.result->rows[0].total.sent, 70);
		assert_int_equal(p.client.result->rows[0].total.received,
				 70 - fake_verbs.lost);
		/* also the one that nobody gave */
		group = &p.client.result->group;
		assert_true(gid_is_multicast(group));
		assert_memory_equal(group, &p.server.result->group, 16);
		pair_close_clean(&p);
		assert_int_equal(fake_verbs.groups, 0);
	}
}

/* Each receiver gets all, but for what is lost on the way to it. */
TEST(test_receivers)
{
	for (uint32_t lose = 0; lose < 12; lose += 5) {
		const struct result_row *row;
		struct pair p;

		open_pair(&p, NULL);
		pair_plan(&p)->receivers = 3;
		fake_verbs.lose_copies = lose;
		pair_run_well(&p, "receivers");
		row = &p.client.result->rows[0];
		assert_int_equal(row->total.sent, 70);
		assert_int_equal(row->total.received, 210 - lose);
		assert_int_equal(row->n_receivers, 3);
		assert_int_equal(row->receivers[0], 70);
		assert_int_equal(row->receivers[1], 70 - (lose + 1) / 2);
		assert_int_equal(row->receivers[2], 70 - lose / 2);
		assert_memory_equal(row->receivers,
				    p.server.result->rows[0].receivers,
				    3 * sizeof(*row->receivers));
		pair_close_clean(&p);
		assert_int_equal(fake_verbs.groups, 0);
	}
}

/* What others send to the group is counted apart: before the test it proves
 * nothing, and in a verified run it is no wrong data. */
TEST(test_other_senders)
{
	for (uint32_t receivers = 1; receivers <= 3; receivers += 2) {
		const struct result_row *row;
		struct pair p;

		open_pair(&p, NULL);
		pair_plan(&p)->receivers = receivers;
		fake_verbs.others = 20;
		pair_run_well(&p, "other senders");
		row = &p.client.result->rows[0];
		assert_int_equal(row->total.sent, 70);
		/* the packet that shows the way finds one receive */
		assert_int_equal(row->total.received + fake_verbs.dropped,
				 70 * receivers + receivers - 1);
		assert_in_range(row->others, 1, 20 * receivers);
		assert_int_equal(row->others, p.server.result->rows[0].others);
		for (uint32_t i = 0; i < row->n_receivers; i++)
			assert_in_range(row->receivers[i], 1, 70);
		pair_close_clean(&p);
	}
}

/* A message of another sender comes before the one that shows the way. */
TEST(test_other_sender_before_the_test)
{
	struct pair p;

	open_pair(&p, NULL);
	fake_verbs.stray = true;
	pair_run_well(&p, "an early sender");
	assert_int_equal(p.client.result->rows[0].total.received, 70);
	pair_close_clean(&p);
}

/* One size after the other, each with its own counts. */
TEST(test_receivers_of_several_sizes)
{
	struct pair p;

	open_pair(&p, NULL);
	pair_plan(&p)->receivers = 2;
	pair_plan(&p)->verify = false;
	pair_plan(&p)->recv_post_list = 4;
	pair_sizes(&p, &(struct sizes){ 3, { 8, 64, 512 } });
	pair_run_well(&p, "sizes");
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 2; k++)
			assert_int_equal(
				p.client.result->rows[i].receivers[k], 70);
	pair_close_clean(&p);
}

/* What a receiver misses went to the group, not to its own address. */
TEST(test_group_is_not_reached)
{
	struct pair p;

	open_pair(&p, "::ffff:239.1.2.3");
	fake_verbs.black_hole = true;
	pair_run(&p);
	pair_check_both_failed(&p, "black hole");
	assert_contains(error_text(&p.server.result->error),
			"sent to GID ::ffff:239.1.2.3 arrived");
	assert_contains(p.server.result->error.advice, "querier");
	pair_close_clean(&p);
	assert_int_equal(fake_verbs.groups, 0);
}

TEST(test_more_receivers_than_the_server_allows)
{
	struct pair p;

	open_pair(&p, NULL);
	pair_plan(&p)->receivers = 3;
	p.server.result->params.max_qps = 2;
	pair_run(&p);
	assert_contains(error_text(&p.client.result->error),
			"--receivers 3: this server allows 2 (--max-qps)");
	assert_contains(p.client.result->error.advice, "--receivers");
	pair_close_clean(&p);
}

/* The server on the interface of that index; its GID is of RoCE v2 or not. */
static void run_on(uint32_t interface, uint8_t type, const char *why)
{
	struct pair p;

	open_pair(&p, NULL);
	p.server.device.port.gids[0].ifindex = interface;
	p.client.device.port.gids[0].type = type;
	p.server.device.port.gids[0].type = type;
	if (!why) {
		pair_run_well(&p, "an interface");
	} else {
		pair_run(&p);
		assert_contains(error_text(&p.server.result->error), why);
	}
	pair_close(&p);
	assert_int_equal(fake_verbs_alive(), 0);
	assert_int_equal(fake_verbs.groups, 0);
}

/* The kernel lets packets of IP through to members only. */
TEST(test_interfaces)
{
	const uint32_t nowhere = 0x7ffffff0;

	run_on(if_nametoindex("lo"), GID_TYPE_ROCE_V2, NULL);
	run_on(0, GID_TYPE_ROCE_V2, NULL);
	run_on(nowhere, GID_TYPE_ROCE_V2,
	       "cannot join the multicast group ::ffff:239.255.");
	/* of RoCE v1 there is no IP */
	run_on(nowhere, GID_TYPE_ROCE_V1, NULL);
}

/* MEMBERS: more than the server's device takes; 0: no such lack. */
static void check_refused(const char *group, uint32_t members,
			  const char *why)
{
	struct pair p;

	open_pair(&p, group);
	p.server.device.port.limits.max_mcast_qp_attach = members - 1;
	if (members)
		pair_plan(&p)->receivers = members;
	else if (!group)
		p.server.device.port.limits.max_mcast_grp = 0;
	pair_run(&p);
	assert_true(p.client.ret && p.server.ret);
	assert_contains(error_text(&p.client.result->error), why);
	pair_close(&p);
	assert_int_equal(fake_verbs_alive(), 0);
}

TEST(test_refusals)
{
	check_refused(NULL, 0, "--mcast: 1 multicast group is above what the "
			       "server's ");
	check_refused(NULL, 3, "--receivers: 3 is above what the server's ");
	check_refused("ff12::1", 0, "--mcast ff12::1: the path goes by IPv4 "
				 "addresses");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_groups),
	cmocka_unit_test(test_rules),
	cmocka_unit_test(test_group_travels),
	cmocka_unit_test(test_sessions),
	cmocka_unit_test(test_receivers),
	cmocka_unit_test(test_other_senders),
	cmocka_unit_test(test_other_sender_before_the_test),
	cmocka_unit_test(test_receivers_travel),
	cmocka_unit_test(test_receivers_of_several_sizes),
	cmocka_unit_test(test_group_is_not_reached),
	cmocka_unit_test(test_more_receivers_than_the_server_allows),
	cmocka_unit_test(test_interfaces),
	cmocka_unit_test(test_refusals),
};

TEST_MAIN(tests, 30)
