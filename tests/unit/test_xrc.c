/* What is particular to XRC: its objects, what the ends tell each other of
 * them, and what fails.  That each operation moves its bytes is in
 * test_transports.c and test_verified_runs.c. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "fake_nic.h"
#include "fake_verbs.h"
#include "net/frames.h"
#include "pair.h"
#include "verbs/resources.h"

static const struct memory_choice anonymous;	/* of every end here */

static struct plan plan_of(enum op op, uint32_t qps, uint32_t threads)
{
	struct parameters params;

	param_defaults(&params);
	params.plan.transport = TRANSPORT_XRC;
	params.plan.op = op;
	params.plan.qps = qps;
	params.plan.threads = threads;
	params.plan.sizes = (struct sizes){ 1, { 64 } };
	params.plan.rx_depth = 16;
	params.plan.outstanding_reads = 1;
	return params.plan;
}

static void open_fake(struct device *device)
{
	struct parameters params;
	struct error err = { 0 };

	param_defaults(&params);
	fake_verbs_reset();
	assert_int_equal(device_open(&params, device, &err), 0);
	assert_true(device->port.limits.xrc);
	fake_verbs.calls = 0;
}

/* However many senders there are, a thread has one queue of receives, with
 * completions of its own; writes and reads need it, too. */
TEST(test_objects)
{
	for (enum op op = 0; op < OP_COUNT; op++) {
		struct plan plan = plan_of(op, 5, 2);
		struct path path = { .mtu = IBV_MTU_1024 };
		struct resources res;
		struct endpoint e;
		struct device device;
		struct error err = { 0 };

		open_fake(&device);
		assert_int_equal(resources_create(&device, &plan, false,
						  &anonymous, 0, &res, &err),
				 0);
		assert_int_equal(fake_verbs.xrcds, 1);
		assert_int_equal(fake_verbs.srqs, 2);
		assert_int_equal(fake_verbs.qps, 10);
		resources_describe(&res, &path, &e);
		assert_true(e.targets);
		for (uint32_t i = 0; i < 5; i++) {
			assert_int_not_equal(e.qps[i].qpn, e.qps[i].target);
			assert_int_equal(e.qps[i].target,
					 res.qps[i].target->qp_num);
			assert_int_equal(e.qps[i].srqn,
					 res.queues[i < 2 ? 0 : 1].srqn);
		}
		assert_int_not_equal(e.qps[0].srqn, e.qps[4].srqn);
		free(e.qps);
		resources_destroy(&res);
		device_close(&device);
		pair_check_clean();
	}
}

/* The peer may access memory by the queue pair that receives, and by no
 * other; stopped, both answer nothing. */
TEST(test_access_and_stop)
{
	struct plan plan = plan_of(OP_WRITE, 1, 1);
	struct resources res;
	struct device device;
	struct error err = { 0 };

	open_fake(&device);
	assert_int_equal(resources_create(&device, &plan, false, &anonymous, 0,
					  &res, &err), 0);
	assert_int_equal(((struct nic_qp *)res.qps[0].qp)->attr.qp_access_flags,
			 0);
	assert_int_equal(((struct nic_qp *)res.qps[0].target)->attr
				 .qp_access_flags, IBV_ACCESS_REMOTE_WRITE);
	resources_stop(&res);
	assert_int_equal(res.qps[0].qp->state, IBV_QPS_ERR);
	assert_int_equal(res.qps[0].target->state, IBV_QPS_ERR);
	resources_destroy(&res);
	device_close(&device);
}

/* Each call that creates something, or reads what it is. */
TEST(test_each_call_fails)
{
	static const char *const messages[] = {
		"fake0: cannot allocate a protection domain",
		"fake0: cannot register 4096 bytes",
		"fake0: cannot open an XRC domain: Input/output error",
		"fake0: cannot create a send completion queue",
		"fake0: cannot create a receive completion queue",
		"fake0: cannot create an XRC shared receive queue of 16",
		"fake0: cannot read the number of a shared receive queue",
		"fake0: cannot create a queue pair over XRC of",
		"cannot move QP 0x001000 to INIT",
		"fake0: cannot create a queue pair that receives over XRC",
		"cannot move QP 0x001001 to INIT",
	};
	struct plan plan = plan_of(OP_SEND, 1, 1);

	for (uint32_t nth = 0; nth <= COUNT(messages); nth++) {
		struct resources res = { 0 };
		struct device device;
		struct error err = { 0 };
		int ret;

		open_fake(&device);
		fake_verbs.fail_call = nth + 1;
		ret = resources_create(&device, &plan, false, &anonymous, 0,
				       &res, &err);
		assert_int_equal(ret, nth < COUNT(messages) ? -EIO : 0);
		if (ret)
			assert_contains(error_text(&err), messages[nth]);
		resources_destroy(&res);
		device_close(&device);
		pair_check_clean();
	}
}

/* Both queue pairs, to RTR and to RTS; then each is asked for what it has. */
TEST(test_each_step_fails)
{
	struct plan plan = plan_of(OP_READ, 1, 1);
	struct path path = { .global = true, .mtu = IBV_MTU_1024 };
	struct effective e;

	for (uint32_t nth = 1; nth <= 7; nth++) {
		struct endpoint self;
		struct resources res;
		struct device device;
		struct error err = { 0 };
		int ret;

		open_fake(&device);
		assert_int_equal(resources_create(&device, &plan, true,
						  &anonymous, 0, &res, &err),
				 0);
		resources_describe(&res, &path, &self);
		fake_verbs.fail_call = fake_verbs.calls + nth;
		ret = resources_connect(&res, &path, &self, &err);
		assert_int_equal(ret, nth <= 4 ? -EIO : 0);
		if (!ret)
			ret = resources_query(&res, &path, &e, &err);
		assert_int_equal(ret, nth <= 6 ? -EIO : 0);
		if (ret)
			assert_contains(
				error_text(&err),
				nth <= 4 ? "cannot move QP 0x00100"
					 : "cannot query the attributes");
		free(self.qps);
		resources_destroy(&res);
		device_close(&device);
		pair_check_clean();
	}
	assert_int_equal(e.max_rd_atomic, 1);
	assert_int_equal(e.max_dest_rd_atomic, 0);
	assert_int_equal(e.min_rnr_timer, plan.min_rnr_timer);
}

static void open_pair(struct pair *p, enum transport transport)
{
	fake_verbs_reset();
	pair_open(p, OP_SEND, METRIC_BANDWIDTH);
	pair_plan(p)->transport = transport;
	pair_plan(p)->qps = 1;
}

static void finish(struct pair *p, const char *fragment)
{
	const struct end *first;

	pair_wait(p);
	pair_check_both_failed(p, fragment);
	first = p->client.result->error.from_peer ? &p->server : &p->client;
	assert_contains(error_text(&first->result->error), fragment);
	pair_close_clean(p);
}

/* A valid ENDPOINT of another transport. */
TEST(test_endpoint_without_targets)
{
	for (int to_client = 0; to_client < 2; to_client++) {
		struct pair p;

		open_pair(&p, TRANSPORT_XRC);
		p.relay = (struct relay){ .spoil = SPOIL_TYPE,
					  .to_client = to_client, .nth = 2,
					  .type = FRAME_ENDPOINT };
		p.relayed = true;
		pair_start(&p);
		finish(&p, "sent an ENDPOINT without queue pairs of XRC");
	}
}

/* And one of XRC where that was not agreed. */
TEST(test_endpoint_with_targets)
{
	struct endpoint_qp qp = { .qpn = 1, .target = 2 };
	struct session *session;
	struct endpoint e = {
		.gid_type = GID_TYPE_ROCE_V2, .gid_index = 1,
		.peer_gid_index = 1, .global = 1, .mtu = IBV_MTU_1024,
		.length = 1 << 20, .stride = 1 << 20, .n = 1, .qps = &qp,
		.targets = true,
	};
	struct frame frame;
	struct pair p;
	int fds[2];

	open_pair(&p, TRANSPORT_RC);
	e.gid = p.client.device.port.gids[0].raw;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	pair_valid_frame(FRAME_HELLO, &frame);
	pair_say(fds[0], &frame);
	frame = encode_plan(pair_plan(&p), &p.client.device.port);
	pair_say(fds[0], &frame);
	frame = encode_endpoint(&e);
	pair_say(fds[0], &frame);
	oob_adopt(fds[1], -1, "client", &p.server.conn);
	assert_int_equal(pair_serve(&p, &session), -EPROTO);
	assert_string_equal(error_text(&p.server.result->error),
			    "the client sent an ENDPOINT with queue pairs of "
			    "XRC");
	session_free(session);
	oob_close(&p.server.conn);
	close(fds[0]);
	pair_close(&p);
}

/* A message to receives that are not there is refused, and so is one for memory
 * of another protection domain than theirs. */
static void check_refused(enum op op, bool other_domain,
			  enum ibv_wc_status status)
{
	struct plan plan = plan_of(op, 1, 1);
	struct path path = { .global = true, .mtu = IBV_MTU_1024 };
	struct ibv_send_wr *bad, wr = {
		.opcode = op_table[op].opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.num_sge = 1,
	};
	struct resources res, other;
	struct endpoint self;
	struct device device;
	struct error err = { 0 };
	struct ibv_wc wc;
	struct ibv_sge sge;

	open_fake(&device);
	resources_create(&device, &plan, false, &anonymous, 0, &res, &err);
	resources_create(&device, &plan, false, &anonymous, 0, &other, &err);
	resources_describe(&res, &path, &self);
	assert_int_equal(resources_connect(&res, &path, &self, &err), 0);
	sge = (struct ibv_sge){ res.qps[0].local, 8, res.qps[0].lkey };
	wr.sg_list = &sge;
	wr.qp_type.xrc.remote_srqn = other_domain ? self.qps[0].srqn :
						    other.queues[0].srqn;
	wr.wr.rdma.remote_addr = other.qps[0].local;
	wr.wr.rdma.rkey = other.memory.mrs[0]->rkey;
	assert_int_equal(ibv_post_send(res.qps[0].qp, &wr, &bad), 0);
	assert_int_equal(ibv_poll_cq(res.queues[0].cqs[0].send, 1, &wc), 1);
	assert_int_equal(wc.status, status);
	free(self.qps);
	resources_destroy(&res);
	resources_destroy(&other);
	device_close(&device);
	pair_check_clean();
}

TEST(test_refused_by_the_responder)
{
	check_refused(OP_SEND, false, IBV_WC_REM_INV_REQ_ERR);
	check_refused(OP_WRITE, false, IBV_WC_REM_INV_REQ_ERR);
	check_refused(OP_WRITE, true, IBV_WC_REM_ACCESS_ERR);
}

/* A device may say that it has XRC, and which memory it pages over it. */
TEST(test_port_there_and_back)
{
	struct port port = { .active_mtu = IBV_MTU_1024 }, got;
	struct error err = { 0 };
	struct frame frame;

	for (int xrc = 0; xrc < 2; xrc++) {
		port.limits.xrc = xrc;
		port.limits.odp[TRANSPORT_XRC] = 0x2b;
		frame = encode_accept(&port);
		assert_int_equal(decode_accept(&frame, &got, &err), 0);
		assert_int_equal(got.limits.xrc, xrc);
		assert_int_equal(got.limits.odp[TRANSPORT_XRC],
				 xrc ? 0x2b : 0);
		frame_free(&frame);
	}
}

TEST(test_paging_is_read_from_the_device)
{
	struct parameters params;
	struct device device;
	struct error err = { 0 };

	param_defaults(&params);
	fake_verbs_reset();
	fake_verbs.extended = true;
	fake_verbs.odp = (struct ibv_odp_caps){
		.general_caps = IBV_ODP_SUPPORT,
		.per_transport_caps = { 1, 2, 3 },
	};
	fake_verbs.xrc_odp = 4;
	assert_int_equal(device_open(&params, &device, &err), 0);
	assert_int_equal(device.port.limits.odp[TRANSPORT_RC], 1);
	assert_int_equal(device.port.limits.odp[TRANSPORT_UC], 2);
	assert_int_equal(device.port.limits.odp[TRANSPORT_UD], 3);
	assert_int_equal(device.port.limits.odp[TRANSPORT_XRC], 4);
	device_close(&device);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_objects),
	cmocka_unit_test(test_access_and_stop),
	cmocka_unit_test(test_each_call_fails),
	cmocka_unit_test(test_each_step_fails),
	cmocka_unit_test(test_endpoint_without_targets),
	cmocka_unit_test(test_endpoint_with_targets),
	cmocka_unit_test(test_refused_by_the_responder),
	cmocka_unit_test(test_port_there_and_back),
	cmocka_unit_test(test_paging_is_read_from_the_device),
};

TEST_MAIN(tests, 20)
