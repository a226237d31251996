/* Multicast groups: their addresses, and whole sessions that send to one. */
#include "config.h"
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>

#include "fake_verbs.h"
#include "good_plan.h"
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
		assert_contains(err.message, "--mcast: " why); \
	} while (0)
	assert_int_equal(plan_check(&plan, &err), 0);
	REFUSED(plan.transport = TRANSPORT_RC, "only over UD");
	REFUSED(plan.metric = METRIC_LATENCY, "only for bandwidth");
	REFUSED(plan.reversed = true, "the client sends to the group");
	REFUSED(plan.bidirectional = true, "the client sends to the group");
	REFUSED(plan.qps = 2, "one queue pair");
	REFUSED(plan.rdma_cm = true, "not with --rdma-cm");
#undef REFUSED
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
	encode_plan(&frame, &sent, &port);
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
	assert_contains(err.message, "with group ::ffff:10.0.0.1, which is "
				     "not a multicast address");
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
		struct pair p;

		open_pair(&p, groups[i & 1]);
		fake_verbs.lose_every = i & 2 ? 7 : 0;
		pair_run_well(&p, "multicast");
		assert_int_equal(p.client.result->rows[0].sent, 70);
		assert_int_equal(p.client.result->rows[0].received,
				 70 - fake_verbs.lost);
		pair_close(&p);
		pair_check_clean();
		assert_int_equal(fake_verbs.groups, 0);
	}
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
		pair_start(&p);
		pair_wait(&p);
		assert_contains(p.server.result->error.message, why);
	}
	pair_close(&p);
	assert_int_equal(fake_verbs_alive(), 0);
	assert_int_equal(fake_verbs.groups, 0);
}

/* The kernel lets packets of IP through to members only. */
TEST(test_interfaces)
{
	const uint32_t nowhere = 0x7ffffff0;

	run_on(if_nametoindex("lo"), IBV_GID_TYPE_ROCE_V2, NULL);
	run_on(0, IBV_GID_TYPE_ROCE_V2, NULL);
	run_on(nowhere, IBV_GID_TYPE_ROCE_V2,
	       "cannot join the multicast group ::ffff:239.255.");
	/* of RoCE v1 there is no IP */
	run_on(nowhere, IBV_GID_TYPE_ROCE_V1, NULL);
}

static void check_refused(const char *group, const char *why)
{
	struct pair p;

	open_pair(&p, group);
	if (!group)
		p.server.device.port.limits.max_mcast_grp = 0;
	pair_start(&p);
	pair_wait(&p);
	assert_true(p.client.ret && p.server.ret);
	assert_contains(p.client.result->error.message, why);
	pair_close(&p);
	assert_int_equal(fake_verbs_alive(), 0);
}

TEST(test_refusals)
{
	check_refused(NULL, "--mcast: 1 multicast group is above what the "
			    "server's ");
	check_refused("ff12::1", "--mcast ff12::1: the path goes by IPv4 "
				 "addresses");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_groups),
	cmocka_unit_test(test_rules),
	cmocka_unit_test(test_group_travels),
	cmocka_unit_test(test_sessions),
	cmocka_unit_test(test_interfaces),
	cmocka_unit_test(test_refusals),
};

TEST_MAIN(tests, 30)
