/*
 * Over UC and UD nobody is sent messages who did not prove that it receives
 * where it says: what that takes, what it withstands, and whom it stops.
 */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"
#include "fake_verbs.h"
#include "net/frames.h"
#include "net/wait.h"
#include "pair.h"
#include "session/setup.h"

#define MESSAGES 200
/* The frame, from 0, of either end that proves where it is. */
#define PROOF 4

/* Which way the messages go. */
enum way { FORTH, BACK, BOTH, WAYS };

static const struct {
	enum op op;
	enum transport transport;
} rows[] = {
	{ OP_SEND, TRANSPORT_UC }, { OP_SEND, TRANSPORT_UD },
	{ OP_SEND_IMM, TRANSPORT_UD }, { OP_WRITE, TRANSPORT_UC },
	{ OP_WRITE_IMM, TRANSPORT_UC },
};

static struct plan *open_row(struct pair *p, size_t row, enum way way)
{
	struct plan *plan;

	fake_verbs_reset();
	pair_open(p, rows[row].op, METRIC_BANDWIDTH);
	plan = pair_plan(p);
	plan->transport = rows[row].transport;
	plan->reversed = way == BACK;
	plan->bidirectional = way == BOTH;
	plan->iterations = MESSAGES;
	/* where a receive is missing, a message is lost */
	plan->rx_depth = 1024;
	return plan;
}

#define FOR_EACH(row, way) \
	for (size_t row = 0; row < COUNT(rows); row++) \
		for (enum way way = 0; way < WAYS; way++)

/* Messages of a run to BOTH ends, or one, of which each needs N challenges. */
static uint64_t expected(enum way way, uint64_t n)
{
	return (way == BOTH ? 2 : 1) * (MESSAGES + n);
}

/* However many queue pairs, one packet to each end that is sent to. */
TEST(test_one_packet_is_enough)
{
	FOR_EACH(row, way)
		for (uint32_t qps = 1; qps < 20; qps += 6) {
			struct pair p;
			struct plan *plan = open_row(&p, row, way);

			plan->iterations /= qps;
			plan->qps = qps;
			plan->srq = op_table[plan->op].receives && qps > 10;
			pair_run_well(&p, "one packet");
			assert_int_equal(fake_verbs.messages,
					 (way == BOTH ? 2 : 1) *
					 (MESSAGES / qps * qps + 1));
			assert_int_equal(fake_verbs.dropped, 0);
			pair_close_clean(&p);
		}
}

TEST(test_reliable_messages_need_none)
{
	struct pair p;

	fake_verbs_reset();
	pair_open(&p, OP_SEND, METRIC_BANDWIDTH);
	pair_plan(&p)->reversed = true;
	pair_run_well(&p, "reliable");
	assert_int_equal(fake_verbs.messages, 10);
	pair_close_clean(&p);
}

/* Packets that are lost are asked for again, and spoil no count. */
TEST(test_lost_packets)
{
	FOR_EACH(row, way) {
		struct pair p;

		open_row(&p, row, way);
		fake_verbs.lose_first = way == BOTH ? 4 : 2;
		pair_run_well(&p, "lost packets");
		assert_int_equal(fake_verbs.messages, expected(way, 3));
		assert_int_equal(p.client.result->rows[0].total.sent,
				 (way == BOTH ? 2 : 1) * MESSAGES);
		if (p.client.result->rows[0].total.checked)
			assert_int_equal(p.client.result->rows[0].total.received,
					 p.client.result->rows[0].total.sent);
		pair_close_clean(&p);
	}
}

/* None arrives: both ends say where, and nothing else is sent there. */
TEST(test_nothing_arrives)
{
	static struct pair pairs[2];

	fake_verbs_reset();
	for (int i = 0; i < 2; i++) {
		pair_open(&pairs[i], OP_SEND, METRIC_BANDWIDTH);
		pair_plan(&pairs[i])->transport = TRANSPORT_UD;
		pair_plan(&pairs[i])->reversed = i;
		pair_plan(&pairs[i])->timeout = SECOND;
	}
	fake_verbs.black_hole = true;
	for (int i = 0; i < 2; i++)
		pair_start(&pairs[i]);
	for (int i = 0; i < 2; i++) {
		struct pair *p = &pairs[i];

		pair_wait(p);
		pair_check_both_failed(p, "black hole");
		assert_string_equal(p->client.result->error.stage, "reach");
		assert_string_equal(p->client.result->error.code,
				    "EHOSTUNREACH");
		assert_string_equal(p->client.result->error.message, i ?
			"none of 10 packets that the server sent to "
			"GID ::ffff:10.0.0.1 arrived" :
			"the server: none of 10 packets that the client sent "
			"to GID ::ffff:10.0.0.1 arrived");
		assert_contains(p->client.result->error.advice, "port 4791");
		assert_contains(p->server.result->error.advice, "port 4791");
		assert_int_equal(p->client.result->n_rows, 0);
		pair_close(p);
	}
	pair_check_clean();
	assert_int_equal(fake_verbs.messages, 2 * REACH_PACKETS);
}

/* The proof of either end is spoiled on its way. */
static void spoil_proof(enum way way, const struct relay *relay,
			const char *says)
{
	struct pair p;

	open_row(&p, 1, way);
	pair_hurry(&p);
	p.relayed = true;
	p.relay = *relay;
	p.relay.to_client = way == FORTH;
	p.relay.nth = PROOF;
	pair_run(&p);
	pair_check_failed(&p.client, says);
	pair_check_failed(&p.server, says);
	assert_contains(
		error_text(
			&(way == FORTH ? &p.client : &p.server)->result->error),
		says);
	/* no message but the challenge */
	assert_int_equal(fake_verbs.messages, 1);
	pair_close_clean(&p);
}

TEST(test_wrong_proof)
{
	static const struct {
		struct relay relay;
		const char *says;
	} cases[] = {
		{ { .spoil = SPOIL_BYTES, .size = 8 }, "did not return the "
		  "challenge sent to GID ::ffff:10.0.0.1: it does not receive "
		  "at the address that it gave" },
		{ { .spoil = SPOIL_SILENCE }, "said nothing in time: waited "
		  "for REACHED" },
		{ { .spoil = SPOIL_HALF }, "said nothing more in time: waited "
		  "for REACHED" },
		{ { .spoil = SPOIL_CLOSE }, "closed the connection" },
		{ { .spoil = SPOIL_TYPE, .type = FRAME_START },
		  "sent START where REACHED was expected" },
		{ { .spoil = SPOIL_TYPE, .type = FRAME_SENT },
		  "sent SENT where REACHED was expected" },
		{ { .spoil = SPOIL_TYPE, .type = FRAME_ABORT }, ": because" },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		for (enum way way = FORTH; way <= BACK; way++)
			spoil_proof(way, &cases[i].relay, cases[i].says);
}

/* What a client that names another host's GID can make the server send there:
 * it says FRAMES of TYPE, and goes on as if it had proved it. */
static uint64_t sent_to_another(size_t row, enum way way, enum frame_type type,
				int frames, const char *says)
{
	struct session *session;
	struct frame frame;
	struct pair p;
	struct plan *plan = open_row(&p, row, way);
	int fds[2];

	plan->iterations = 0;
	plan->duration = SECOND;
	pair_hurry(&p);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	pair_say_until_ready(fds[0], plan, &p.client.device.port);
	for (int i = 0; i < frames; i++) {
		pair_valid_frame(type, &frame);
		pair_say(fds[0], &frame);
	}
	frame = encode_start(plan->sizes.bytes[0]);
	pair_say(fds[0], &frame);
	oob_adopt(fds[1], -1, "client", &p.server.conn);
	assert_true(pair_serve(&p, &session) < 0);
	assert_contains(error_text(&p.server.result->error), says);
	session_free(session);
	oob_close(&p.server.conn);
	close(fds[0]);
	pair_close_clean(&p);
	return fake_verbs.messages;
}

TEST(test_who_names_another_host)
{
	for (size_t row = 0; row < COUNT(rows); row++) {
		assert_int_equal(sent_to_another(
			row, BACK, FRAME_REACHED, 1,
			"the client did not return the challenge sent to GID "
			"::ffff:10.0.0.1"), 1);
		assert_int_equal(sent_to_another(
			row, BACK, FRAME_ALIVE, 3,
			"the client sent START where REACHED was expected"), 1);
		assert_int_equal(sent_to_another(
			row, BACK, FRAME_AGAIN, 100,
			"the client asked for more than 10 packets at GID "
			"::ffff:10.0.0.1, and returned none"), REACH_PACKETS);
		assert_int_equal(sent_to_another(
			row, BOTH, FRAME_AGAIN, 100,
			"the client asked for more than 10 packets"),
			REACH_PACKETS);
	}
}

/* No single host's. */
static const struct {
	uint8_t gid[16];
	const char *words;
} no_hosts[] = {
	{ { 0xff, 0x0e, [15] = 1 }, "multicast" },
	{ { 0xff, 0x02, [15] = 1 }, "multicast" },
	{ { [10] = 0xff, [11] = 0xff, 224, 0, 0, 1 }, "multicast" },
	{ { [10] = 0xff, [11] = 0xff, 239, 1, 2, 3 }, "multicast" },
	{ { [10] = 0xff, [11] = 0xff, 255, 255, 255, 255 }, "broadcast" },
	{ { [10] = 0xff, [11] = 0xff, 0, 0, 0, 0 }, "no host's" },
	{ { 0 }, "no host's" },
};

/* Open ROW for an end that has the GID I of no_hosts, which the other one has a
 * GID of the same family for. */
static struct plan *open_no_host(struct pair *p, size_t row, size_t i,
				 bool client)
{
	struct plan *plan = open_row(p, row, BACK);
	struct end *bad = client ? &p->client : &p->server;
	struct end *good = client ? &p->server : &p->client;

	if (!gid_is_ipv4((const union ibv_gid *)no_hosts[i].gid))
		good->device.port.gids[0].raw.raw[0] = 0x20;
	memcpy(bad->device.port.gids[0].raw.raw, no_hosts[i].gid, 16);
	return plan;
}

static void check_no_host(const struct result *r, const char *peer, size_t i)
{
	char words[60];

	snprintf(words, sizeof(words), "the %s gave GID ", peer);
	assert_contains(error_text(&r->error), words);
	assert_contains(error_text(&r->error), "as its address, which is");
	assert_contains(error_text(&r->error), no_hosts[i].words);
	assert_int_equal(fake_verbs.messages, 0);
}

static void check_client_at(enum transport transport, size_t row, size_t i)
{
	struct session *session;
	struct pair p;
	struct plan *plan = open_no_host(&p, row, i, true);
	int fds[2];

	plan->transport = transport;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	pair_say_until_ready(fds[0], plan, &p.client.device.port);
	oob_adopt(fds[1], -1, "client", &p.server.conn);
	assert_int_equal(pair_serve(&p, &session), -EPROTO);
	check_no_host(p.server.result, "client", i);
	session_free(session);
	oob_close(&p.server.conn);
	close(fds[0]);
	pair_close_clean(&p);
}

/* Who listens to a group's address could prove it, and all would be sent; over
 * RC they would be sent the answers. */
TEST(test_a_client_that_names_no_single_host)
{
	for (size_t i = 0; i < COUNT(no_hosts); i++) {
		check_client_at(TRANSPORT_RC, 0, i);
		check_client_at(TRANSPORT_UC, 0, i);
		check_client_at(TRANSPORT_UD, 1, i);
	}
}

TEST(test_a_server_that_names_no_single_host)
{
	for (size_t i = 0; i < COUNT(no_hosts); i++)
		for (int t = TRANSPORT_RC; t <= TRANSPORT_UD; t++) {
			struct pair p;
			struct plan *plan = open_no_host(&p, 1, i, false);

			plan->transport = (enum transport)t;
			pair_run(&p);
			assert_int_equal(p.client.ret, -EPROTO);
			check_no_host(p.client.result, "server", i);
			pair_close_clean(&p);
		}
}

/* LIDs of groups follow those of ports. */
TEST(test_the_last_lid)
{
	for (unsigned int lid = LID_MAX; lid <= LID_MAX + 1; lid++) {
		struct pair p;

		fake_verbs_reset();
		fake_verbs.port.link_layer = IBV_LINK_LAYER_INFINIBAND;
		fake_verbs.port.lid = (uint16_t)lid;
		pair_open(&p, OP_SEND, METRIC_BANDWIDTH);
		pair_plan(&p)->transport = TRANSPORT_UD;
		if (lid > LID_MAX) {
			pair_run_fails(&p, "a group's LID", "as its address, "
				       "which is a multicast");
			continue;
		}
		pair_run_well(&p, "the last LID");
		pair_close_clean(&p);
	}
}

/* A packet that somebody else sent proves nothing. */
TEST(test_stray_packet)
{
	struct pair p;

	open_row(&p, 1, FORTH);
	fake_verbs.stray = true;
	pair_run(&p);
	pair_check_both_failed(&p, "stray");
	assert_contains(error_text(&p.client.result->error),
			"the server did not return the challenge sent to GID");
	pair_close_clean(&p);
}

/* The challenge fails where it is sent: at each end that does. */
TEST(test_completion_with_an_error)
{
	for (enum way way = FORTH; way <= BACK; way++) {
		struct pair p;

		open_row(&p, 1, way);
		fake_verbs.fail_message = 1;
		fake_verbs.status = IBV_WC_LOC_PROT_ERR;
		pair_run(&p);
		pair_check_both_failed(&p, "completion");
		assert_contains(p.client.result->error.code,
				"IBV_WC_LOC_PROT_ERR");
		assert_contains(error_text(&p.server.result->error),
				"fake0: a challenge to or from the peer "
				"completed with IBV_WC_LOC_PROT_ERR");
		pair_close_clean(&p);
	}
}

/* The receive of the challenge, and its send. */
TEST(test_each_post_fails)
{
	static const char *const verbs[] = { "ibv_post_recv", "ibv_post_send" };

	for (uint32_t nth = 1; nth <= COUNT(verbs); nth++) {
		struct pair p;

		open_row(&p, 1, FORTH);
		fake_verbs.fail_post = nth;
		fake_verbs.errnum = ENOMEM;
		pair_run(&p);
		pair_check_both_failed(&p, verbs[nth - 1]);
		assert_contains(error_text(&p.client.result->error),
				verbs[nth - 1]);
		assert_contains(error_text(&p.client.result->error),
				"fake0: cannot exchange a challenge with the "
				"peer: ");
		pair_close_clean(&p);
	}
}

TEST(test_interrupted)
{
	for (int at = 0; at < 2; at++) {
		int fd = signals_open();
		struct pair p;

		open_row(&p, 1, FORTH);
		fake_verbs.black_hole = true;
		*(at ? &p.server.cancel_fd : &p.client.cancel_fd) = fd;
		pair_start(&p);
		usleep(150000);
		kill(getpid(), SIGINT);
		pair_wait(&p);
		pair_check_both_failed(&p, "interrupt");
		assert_contains(error_text(&p.client.result->error),
				"interrupted by SIGINT");
		pair_close(&p);
		close(fd);
		pair_check_clean();
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_one_packet_is_enough),
	cmocka_unit_test(test_reliable_messages_need_none),
	cmocka_unit_test(test_lost_packets),
	cmocka_unit_test(test_nothing_arrives),
	cmocka_unit_test(test_wrong_proof),
	cmocka_unit_test(test_who_names_another_host),
	cmocka_unit_test(test_a_client_that_names_no_single_host),
	cmocka_unit_test(test_a_server_that_names_no_single_host),
	cmocka_unit_test(test_the_last_lid),
	cmocka_unit_test(test_stray_packet),
	cmocka_unit_test(test_completion_with_an_error),
	cmocka_unit_test(test_each_post_fails),
	cmocka_unit_test(test_interrupted),
};

TEST_MAIN(tests, 120)
