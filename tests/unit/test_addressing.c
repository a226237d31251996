/* Addresses and service: P_Keys, address handles, Q_Keys, and what the queue
 * pairs say of them. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "fake_nic.h"
#include "fake_verbs.h"
#include "model/plan.h"
#include "verbs/resources.h"

static const struct memory_choice anonymous;	/* of every end here */

static void open_fake(uint32_t pkey_index, struct device *device)
{
	struct parameters params;
	struct error err = { 0 };

	param_defaults(&params);
	params.pkey_index = pkey_index;
	assert_int_equal(device_open(&params, device, &err), 0);
	fake_verbs.calls = 0;
}

static struct plan plan_of(enum transport transport, uint32_t qps)
{
	struct parameters params;

	param_defaults(&params);
	params.plan.transport = transport;
	params.plan.op = OP_SEND;
	params.plan.metric = METRIC_BANDWIDTH;
	params.plan.qps = qps;
	params.plan.sizes = (struct sizes){ 1, { 64 } };
	params.plan.rx_depth = 16;
	params.plan.outstanding_reads = 0;
	return params.plan;
}

TEST(test_traffic_class_and_labels)
{
	struct plan plan = plan_of(TRANSPORT_RC, 1);
	struct error err = { 0 };

	assert_int_equal(addressing_traffic_class(&plan), 0);
	assert_int_equal(addressing_flow_label(&plan, 7), 0);
	plan.dscp = 0;
	assert_int_equal(addressing_check(&plan, &err), 0);
	plan.dscp = 26;
	assert_int_equal(addressing_traffic_class(&plan), 104);
	plan.tclass = 3;
	assert_int_equal(addressing_check(&plan, &err), -EINVAL);
	assert_message(&err, "--tclass 3 and --dscp 26: both set the traffic "
			     "class, give only one of them");
	plan.dscp = PLAN_AUTO;
	assert_int_equal(addressing_traffic_class(&plan), 3);
	plan.flow_labels = (struct labels){ 3, { 10, 11, LABEL_MAX } };
	assert_int_equal(addressing_flow_label(&plan, 0), 10);
	assert_int_equal(addressing_flow_label(&plan, 2), LABEL_MAX);
	assert_int_equal(addressing_flow_label(&plan, 4), 11);
}

TEST(test_a_path_without_grh)
{
	static const char *const texts[] = {
		"--tclass: needs a GRH, and messages between LIDs have none",
		"--dscp", "--flow-label", "--hop-limit",
	};
	struct path path = { .global = false };

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct plan plan = plan_of(TRANSPORT_RC, 1);
		struct error err = { 0 };

		assert_int_equal(addressing_check_path(&plan, &path, &err), 0);
		plan.tclass = i == 0;
		plan.dscp = i == 1 ? 0 : PLAN_AUTO;
		plan.flow_labels.n = i == 2;
		plan.hop_limit = i == 3 ? 1 : plan.hop_limit;
		path.global = true;
		assert_int_equal(addressing_check_path(&plan, &path, &err), 0);
		path.global = false;
		assert_int_equal(addressing_check_path(&plan, &path, &err),
				 -EINVAL);
		assert_contains(err.message, texts[i]);
	}
}

TEST(test_pkeys_that_meet)
{
	static const struct {
		uint16_t client, server;
		const char *text;
	} cases[] = {
		{ 0xffff, 0xffff, NULL },
		{ 0xffff, 0x7fff, NULL },
		{ 0x0001, 0x8001, NULL },
		{ 0x7fff, 0x7fff,
		  "--pkey-index: P_Key 0x7fff of the client's a and 0x7fff "
		  "of the server's b are both of limited members, which "
		  "cannot reach each other" },
		{ 0xffff, 0x8001,
		  "--pkey-index: P_Key 0xffff of the client's a and 0x8001 "
		  "of the server's b are of different partitions" },
		{ 0x0001, 0x8002, "different partitions" },
		/* those were not read */
		{ 0, 0xffff, NULL },
		{ 0x7fff, 0, NULL },
		{ 0, 0, NULL },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct port client = { .device = "a", .pkey = cases[i].client };
		struct port server = { .device = "b", .pkey = cases[i].server };
		struct error err = { 0 };
		int ret = addressing_check_pkeys(&client, &server, &err);

		assert_int_equal(ret, cases[i].text ? -EINVAL : 0);
		if (ret)
			assert_contains(err.message, cases[i].text);
	}
}

static void refused_pkey(uint32_t index, int errnum, const char *text)
{
	struct parameters params;
	struct error err = { 0 };
	struct device device = { 0 };

	param_defaults(&params);
	params.pkey_index = index;
	assert_int_equal(device_open(&params, &device, &err), -errnum);
	assert_message(&err, text);
	assert_int_equal(fake_verbs_alive(), 0);
}

TEST(test_pkey_table)
{
	struct device device;

	fake_verbs_reset();
	refused_pkey(1, EINVAL, "--pkey-index 1: fake0 port 1 has a table of "
				"1 P_Key, from index 0");
	fake_verbs.port.pkey_tbl_len = 3;
	fake_verbs.pkeys[1] = 0x8123;
	refused_pkey(65535, EINVAL, "--pkey-index 65535: fake0 port 1 has a "
				    "table of 3 P_Keys, from index 0");
	refused_pkey(2, EINVAL,
		     "--pkey-index 2: that entry of fake0 port 1 is empty");
	fake_verbs.pkeys[2] = 0x8000;
	refused_pkey(2, EINVAL,
		     "--pkey-index 2: that entry of fake0 port 1 is empty");
	open_fake(1, &device);
	assert_int_equal(device.pkey_index, 1);
	assert_int_equal(device.port.pkey, 0x8123);
	device_close(&device);
}

static const struct path path = { .global = true, .mtu = IBV_MTU_1024,
				  .local = { .index = 1 } };

/* QPs of PLAN connected to themselves; 0, or how that failed. */
static int connect_to_self(const struct plan *plan,
			   const struct device *device, struct resources *res,
			   struct error *err)
{
	struct endpoint self;
	int ret = resources_create(device, plan, true, &anonymous, 0, res, err);

	if (ret)
		return ret;
	resources_describe(res, &path, &self);
	ret = resources_connect(res, &path, &self, err);
	if (!ret && plan->transport == TRANSPORT_UD)
		for (uint32_t i = 0; i < plan->qps; i++) {
			assert_int_equal(res->qps[i].remote_qpn,
					 self.qps[i].qpn);
			assert_int_equal(res->qps[i].remote_qkey, self.qkey);
		}
	free(self.qps);
	return ret;
}

static const struct nic_ah *handle_of(const struct resources *res, uint32_t i)
{
	return (const struct nic_ah *)res->qps[i].ah;
}

TEST(test_a_handle_for_each_label)
{
	static const struct {
		uint32_t qps, ahs;
		struct labels labels;
	} cases[] = {
		{ 5, 1, { 0, { 0 } } },
		{ 5, 2, { 2, { 7, 8 } } },
		{ 7, 2, { 3, { 7, 8, 7 } } },
		{ 2, 2, { 3, { 7, 8, 9 } } },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct plan plan = plan_of(TRANSPORT_UD, cases[i].qps);
		struct resources res;
		struct device device;
		struct error err = { 0 };

		fake_verbs_reset();
		open_fake(0, &device);
		plan.flow_labels = cases[i].labels;
		plan.sl = 5;
		assert_int_equal(connect_to_self(&plan, &device, &res, &err),
				 0);
		assert_int_equal(fake_verbs.ahs, cases[i].ahs);
		for (uint32_t q = 0; q < plan.qps; q++) {
			const struct nic_ah *a = handle_of(&res, q);

			assert_int_equal(a->attr.grh.flow_label,
					 addressing_flow_label(&plan, q));
			assert_int_equal(a->attr.sl, 5);
		}
		resources_destroy(&res);
		device_close(&device);
		assert_int_equal(fake_verbs_alive(), 0);
		assert_int_equal(fake_verbs.misuses, 0);
	}
}

/* Each verb of UD fails in turn: said, and nothing left. */
TEST(test_each_call_of_ud)
{
	struct plan plan = plan_of(TRANSPORT_UD, 2);
	int ret = -1;

	plan.flow_labels = (struct labels){ 2, { 1, 2 } };
	for (uint32_t nth = 1; ret; nth++) {
		struct resources res = { 0 };
		struct device device;
		struct error err = { 0 };

		fake_verbs_reset();
		open_fake(0, &device);
		fake_verbs.fail_call = nth;
		ret = connect_to_self(&plan, &device, &res, &err);
		assert_int_equal(error_is_set(&err), ret != 0);
		/* of what is connected: RTR, RTS and AH of each QP */
		if (nth == 12)
			assert_contains(err.message, "fake0 port 1: cannot "
				"make an address handle towards ::: ");
		resources_destroy(&res);
		device_close(&device);
		assert_int_equal(fake_verbs_alive(), 0);
		assert_int_equal(fake_verbs.misuses, 0);
		if (!ret)
			assert_int_equal(nth, 16);
	}
}

TEST(test_qkeys)
{
	uint32_t seen = 0;

	for (int i = 0; i < 20; i++) {
		struct plan plan = plan_of(i < 10 ? TRANSPORT_UD :
						    TRANSPORT_UC, 2);
		struct resources res;
		struct device device;
		struct error err = { 0 };
		const struct nic_qp *qp;

		fake_verbs_reset();
		open_fake(0, &device);
		assert_int_equal(connect_to_self(&plan, &device, &res, &err),
				 0);
		assert_true(res.qkey <= ENDPOINT_QKEY_MAX);
		seen |= res.qkey;
		qp = (const struct nic_qp *)res.qps[1].qp;
		assert_int_equal(qp->attr.qkey, res.qkey);
		if (i >= 10)
			assert_int_equal(res.qkey, 0);
		resources_destroy(&res);
		device_close(&device);
	}
	/* a bit is 0 in all ten once in 1024 times: hardly 6 of the 31 */
	assert_true(__builtin_popcount(seen) > 25);
}

/* Only an mlx5's no, of which the library asks on x86, means anything. */
static void check_order(const struct resources *res, struct device *device)
{
#if defined(HAVE_IBV_QUERY_QP_DATA_IN_ORDER) && defined(__x86_64__)
	const bool can = true;
#else
	const bool can = false;
#endif

	assert_false(resources_may_reorder(res));
	facts_set_text(&device->port.facts, FACT_DRIVER, "mlx5_core");
	assert_true(resources_may_reorder(res) == can);
	fake_verbs.in_order = true;
	assert_false(resources_may_reorder(res));
}

TEST(test_effective_of_each_transport)
{
	for (int t = 0; t < TRANSPORTS; t++) {
		struct plan plan = plan_of((enum transport)t, 2);
		struct effective e = { .known = false };
		struct resources res;
		struct device device;
		struct error err = { 0 };

		fake_verbs_reset();
		fake_verbs.port.pkey_tbl_len = 2;
		fake_verbs.pkeys[1] = 0x8001;
		open_fake(1, &device);
		plan.dscp = 10;
		plan.flow_labels = (struct labels){ 2, { 99, 1 } };
		assert_int_equal(connect_to_self(&plan, &device, &res, &err),
				 0);
		fake_verbs.fail_call = fake_verbs.calls + 1;
		assert_int_equal(resources_query(&res, &path, &e, &err), -EIO);
		assert_contains(err.message, "cannot query the attributes of "
					     "QP 0x00100");
		assert_false(e.known);
		assert_int_equal(resources_query(&res, &path, &e, &err), 0);
		assert_true(e.known);
		assert_int_equal(e.pkey_index, 1);
		assert_int_equal(e.max_send_wr, plan_send_queue(&plan));
		assert_int_equal(e.flow_label, t == TRANSPORT_UD ?
						       EFFECTIVE_NONE : 99);
		assert_int_equal(e.traffic_class, t == TRANSPORT_UD ?
						       EFFECTIVE_NONE : 40);
		assert_int_equal(e.rnr_retry, transport_table[t].reliable ?
						      7 : EFFECTIVE_NONE);
		check_order(&res, &device);
		resources_destroy(&res);
		device_close(&device);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_traffic_class_and_labels),
	cmocka_unit_test(test_a_path_without_grh),
	cmocka_unit_test(test_pkeys_that_meet),
	cmocka_unit_test(test_pkey_table),
	cmocka_unit_test(test_a_handle_for_each_label),
	cmocka_unit_test(test_each_call_of_ud),
	cmocka_unit_test(test_qkeys),
	cmocka_unit_test(test_effective_of_each_transport),
};

TEST_MAIN(tests, 30)
