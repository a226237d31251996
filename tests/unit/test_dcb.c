/* What the kernel answers about data centre bridging, and what it may not. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>

#include "host/facts.h"
#include "host/netdev.h"

static _Alignas(8) uint8_t message[1024];
static size_t used;

static void begin(uint16_t type)
{
	memset(message, 0, sizeof(message));
	used = NLMSG_SPACE(sizeof(struct dcbmsg));
	((struct nlmsghdr *)message)->nlmsg_type = type;
}

static size_t put(uint16_t type, const void *data, size_t size)
{
	struct rtattr *attribute = (struct rtattr *)(message + used);
	size_t at = used;

	attribute->rta_type = type;
	attribute->rta_len = (uint16_t)RTA_LENGTH(size);
	if (data)
		memcpy(RTA_DATA(attribute), data, size);
	used += RTA_SPACE(size);
	return at;
}

/* What was put since AT, an attribute, is inside it. */
static void enclose(size_t at)
{
	((struct rtattr *)(message + at))->rta_len = (uint16_t)(used - at);
}

static void end(void)
{
	((struct nlmsghdr *)message)->nlmsg_len = (uint32_t)used;
}

static void put_app(uint8_t selector, uint16_t protocol, uint8_t priority)
{
	const struct dcb_app app = { selector, priority, protocol };

	put(DCB_ATTR_IEEE_APP, &app, sizeof(app));
}

static void make_reply(bool dscp)
{
	const struct ieee_pfc pfc = { .pfc_cap = 8, .pfc_en = 0x28 };
	size_t ieee, table;

	begin(RTM_GETDCB);
	put(DCB_ATTR_IFNAME, "eth0", 5);
	ieee = put(DCB_ATTR_IEEE | NLA_F_NESTED, NULL, 0);
	put(DCB_ATTR_IEEE_PFC, &pfc, sizeof(pfc));
	table = put(DCB_ATTR_IEEE_APP_TABLE, NULL, 0);
	put_app(IEEE_8021QAZ_APP_SEL_ETHERTYPE, 0x8915, 3);
	if (dscp) {
		put_app(IEEE_8021QAZ_APP_SEL_DSCP, 26, 3);
		put_app(IEEE_8021QAZ_APP_SEL_DSCP, 48, 6);
		put_app(IEEE_8021QAZ_APP_SEL_DSCP, 64, 1);
		put_app(IEEE_8021QAZ_APP_SEL_DSCP, 1, 8);
	}
	enclose(table);
	enclose(ieee);
	end();
}

long dcb_query(const char *netdev, void *reply)
{
	if (strcmp(netdev, "eth0") != 0)
		return -EOPNOTSUPP;
	memcpy(reply, message, used);
	return (long)used;
}

TEST(test_reply)
{
	struct dcb dcb;

	make_reply(true);
	dcb_read(message, used, &dcb);
	assert_true(dcb.has_pfc && dcb.trusts_dscp);
	assert_int_equal(dcb.pfc, 0x28);
	assert_int_equal(dcb.priority[26], 3);
	assert_int_equal(dcb.priority[48], 6);
	assert_int_equal(dcb.priority[1], 0);
	make_reply(false);
	dcb_read(message, used, &dcb);
	assert_false(dcb.trusts_dscp);
}

TEST(test_no_reply)
{
	struct dcb dcb;

	make_reply(true);
	((struct nlmsghdr *)message)->nlmsg_type = NLMSG_ERROR;
	dcb_read(message, used, &dcb);
	assert_false(dcb.has_pfc || dcb.trusts_dscp);
	dcb_read(message, 3, &dcb);
	assert_false(dcb.has_pfc || dcb.trusts_dscp);
	begin(RTM_GETDCB);
	put(DCB_ATTR_IFNAME, "eth0", 5);
	end();
	dcb_read(message, used, &dcb);
	assert_false(dcb.has_pfc || dcb.trusts_dscp);
}

/* Cut anywhere, and with other bytes anywhere: nothing outside is read. */
TEST(test_damaged_replies)
{
	uint64_t seed = 7;
	struct dcb dcb;

	make_reply(true);
	for (size_t n = 0; n < used; n++) {
		uint8_t *copy = malloc(n + 1);

		memcpy(copy, message, n);
		dcb_read(copy, n, &dcb);
		assert_false(dcb.has_pfc);
		free(copy);
	}
	for (int turn = 0; turn < 20000; turn++) {
		uint8_t *copy = malloc(used);

		memcpy(copy, message, used);
		for (int i = 0; i < 3; i++)
			copy[next_random(&seed) % used] =
				(uint8_t)next_random(&seed);
		dcb_read(copy, used, &dcb);
		free(copy);
	}
}

TEST(test_facts)
{
	struct facts facts = { 0 };

	make_reply(true);
	facts_of_dcb("lo", &facts);
	assert_false(facts_any(&facts));
	facts_of_dcb("eth0", &facts);
	assert_string_equal(facts_text(&facts, FACT_PFC), "3, 5");
	assert_string_equal(facts_text(&facts, FACT_PRIORITY_TRUST), "dscp");
	assert_string_equal(facts_text(&facts, FACT_DSCP_PRIORITIES),
			    "0000000000000000000000000030000000000000"
			    "000000006000000000000000");
	make_reply(false);
	memset(&facts, 0, sizeof(facts));
	facts_of_dcb("eth0", &facts);
	assert_string_equal(facts_text(&facts, FACT_PRIORITY_TRUST), "pcp");
	assert_string_equal(facts_text(&facts, FACT_DSCP_PRIORITIES), "");
	begin(RTM_GETDCB);
	end();
	memset(&facts, 0, sizeof(facts));
	facts_of_dcb("eth0", &facts);
	assert_false(facts_any(&facts));
}

TEST_FILE()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reply),
		cmocka_unit_test(test_no_reply),
		cmocka_unit_test(test_damaged_replies),
		cmocka_unit_test(test_facts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
