/* READY, in which each end says what its queue pairs are set to. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "fake_verbs.h"
#include "net/frames.h"
#include "pair.h"
#include "same_effective.h"

/* 17 values of four bytes, 1 to 17 but for an MTU and one that is none. */
static const struct effective sample = {
	true, 1, 2, 3, 4, 5, 1024, 7, 6, 5, 10, EFFECTIVE_NONE, 12, 13, 14, 15,
	16, 17,
};

TEST(test_ready)
{
	static const uint32_t wanted[EFFECTIVE_VALUES] = {
		1, 2, 3, 4, 5, 1024, 7, 6, 5, 10, UINT32_MAX, 12, 13, 14, 15,
		16, 17,
	};
	struct effective got;
	struct error err = { 0 };
	struct frame frame;

	frame = encode_ready(&sample);
	assert_int_equal(frame.length, 68);
	assert_int_equal(frame.length, frame_limit(FRAME_READY));
	for (int i = 0; i < EFFECTIVE_VALUES; i++) {
		const uint8_t *b = frame.bytes + WIRE_HEADER_SIZE + 4 * i;

		assert_int_equal((uint32_t)b[0] << 24 | b[1] << 16 |
				 b[2] << 8 | b[3], wanted[i]);
	}
	assert_int_equal(decode_ready(&frame, &got, &err), 0);
	check_effective(&got, &sample);
	frame_free(&frame);
}

TEST(test_ready_out_of_range)
{
	static const struct {
		int value;
		uint32_t above;
		const char *text;
	} cases[] = {
		{ 0, 16, "sl 16: expected 0 to 15" },
		{ 1, 256, "traffic_class 256: expected 0 to 255" },
		{ 2, 0x100000, "flow_label 1048576: expected" },
		{ 3, 256, "hop_limit" }, { 4, 65536, "pkey_index" },
		{ 5, 4097, "path_mtu" }, { 6, 32, "timeout" },
		{ 7, 8, "retry_cnt" }, { 8, 8, "rnr_retry" },
		{ 9, 32, "min_rnr_timer" }, { 10, 256, "max_rd_atomic" },
		{ 11, 256, "max_dest_rd_atomic" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct effective got = { .known = false };
		struct error err = { 0 };
		struct frame frame;
		uint8_t *at;

		frame = encode_ready(&sample);
		at = frame.bytes + WIRE_HEADER_SIZE + 4 * cases[i].value;
		for (int b = 0; b < 4; b++)
			at[b] = (uint8_t)(cases[i].above >> (24 - 8 * b));
		assert_int_equal(decode_ready(&frame, &got, &err), -EPROTO);
		assert_contains(error_text(&err), cases[i].text);
		assert_false(got.known);
		frame_free(&frame);
	}
}

TEST(test_ready_of_another_length)
{
	for (uint32_t length = 0; length < 68; length++) {
		struct effective got = { .known = false };
		struct error err = { 0 };
		struct frame frame;

		frame = encode_ready(&sample);
		frame.length = length;
		assert_int_equal(decode_ready(&frame, &got, &err), -EPROTO);
		assert_false(got.known);
		frame_free(&frame);
	}
}

/* Whole sessions: each end has its own values and the peer's. */
TEST(test_both_ends_know_both)
{
	struct pair p;
	const struct result *mine, *theirs;

	fake_verbs_reset();
	pair_open(&p, OP_READ, METRIC_BANDWIDTH);
	pair_plan(&p)->outstanding_reads = 3;
	pair_plan(&p)->tclass = 96;
	pair_run(&p);
	mine = p.client.result;
	theirs = p.server.result;
	assert_int_equal(p.client.ret, 0);
	assert_int_equal(mine->client_qp.traffic_class, 96);
	assert_int_equal(mine->client_qp.max_rd_atomic, 3);
	assert_int_equal(mine->server_qp.max_dest_rd_atomic, 3);
	assert_true(mine->server_qp.known);
	check_effective(&mine->client_qp, &theirs->client_qp);
	check_effective(&mine->server_qp, &theirs->server_qp);
	pair_close(&p);
}

/* Whole sessions with devices that start and answer a different number. */
TEST(test_reads_are_within_the_limits_of_each_end)
{
	struct pair p;
	const struct result *r;
	struct port_limits *client, *server;

	fake_verbs_reset();
	pair_open(&p, OP_READ, METRIC_BANDWIDTH);
	pair_plan(&p)->bidirectional = true;
	client = &p.client.device.port.limits;
	server = &p.server.device.port.limits;
	client->max_qp_init_rd_atom = 16;
	client->max_qp_rd_atom = 4;
	server->max_qp_init_rd_atom = 8;
	server->max_qp_rd_atom = 12;
	pair_run(&p);
	r = p.client.result;
	assert_int_equal(p.client.ret, 0);
	assert_int_equal(r->client_qp.max_rd_atomic, 12);
	assert_int_equal(r->server_qp.max_dest_rd_atomic, 12);
	assert_int_equal(r->server_qp.max_rd_atomic, 4);
	assert_int_equal(r->client_qp.max_dest_rd_atomic, 4);
	check_effective(&r->client_qp, &p.server.result->client_qp);
	pair_close(&p);
}

TEST(test_partitions_that_differ)
{
	static const char text[] =
		"--pkey-index: P_Key 0xffff of the client's fake0 and 0x8001 "
		"of the server's fake0 are of different partitions";
	struct pair p;

	fake_verbs_reset();
	pair_open(&p, OP_WRITE, METRIC_BANDWIDTH);
	p.server.device.port.pkey = 0x8001;
	pair_run(&p);
	assert_int_equal(p.server.ret, -EINVAL);
	assert_message(&p.server.result->error, text);
	assert_contains(error_text(&p.client.result->error), text);
	assert_false(p.client.result->client_qp.known);
	assert_false(p.server.result->client_qp.known);
	pair_close(&p);
	assert_int_equal(fake_verbs_alive(), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_ready),
	cmocka_unit_test(test_ready_out_of_range),
	cmocka_unit_test(test_ready_of_another_length),
	cmocka_unit_test(test_both_ends_know_both),
	cmocka_unit_test(test_reads_are_within_the_limits_of_each_end),
	cmocka_unit_test(test_partitions_that_differ),
};

TEST_MAIN(tests, 30)
