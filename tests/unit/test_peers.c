/*
 * Bad peers: a relay spoils one frame of the dialogue, each in turn, in either
 * direction.  Both ends must end soon, with a sentence, and leave nothing.
 */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"
#include "fake_verbs.h"
#include "net/frames.h"
#include "pair.h"

#define STEPS 8			/* frames in either direction, at most */

/* Of a test in which the client sends. */
static const int n_steps[2] = { 8, 7 };
static const enum frame_type steps[2][STEPS] = {
	{ FRAME_HELLO, FRAME_PLAN, FRAME_ENDPOINT, FRAME_READY, FRAME_START,
	  FRAME_SENT, FRAME_DONE, FRAME_BYE },
	{ FRAME_HELLO, FRAME_ACCEPT, FRAME_ENDPOINT, FRAME_READY, FRAME_START,
	  FRAME_DONE, FRAME_BYE },
};

static void start(struct pair *p, enum op op, const struct relay *relay)
{
	pair_open(p, op, METRIC_BANDWIDTH);
	pair_hurry(p);
	p->relay = *relay;
	p->relayed = true;
	pair_start(p);
}

static const char *describe(const struct relay *r, char text[80])
{
	snprintf(text, 80, "spoil %d of %s to the %s (type %d)", r->spoil,
		 frame_name(steps[r->to_client][r->nth]),
		 r->to_client ? "client" : "server", r->type);
	return text;
}

/* The victim failed; so did its peer, unless it was done already. */
static void finish(struct pair *p, const char *fragment)
{
	const struct relay *r = &p->relay;
	struct end *victim = r->to_client ? &p->client : &p->server;
	struct end *other = r->to_client ? &p->server : &p->client;
	char text[80];

	pair_wait(p);
	describe(r, text);
	pair_check_failed(victim, text);
	assert_contains(error_text(&victim->result->error), fragment);
	if (!r->to_client || steps[1][r->nth] != FRAME_BYE)
		pair_check_failed(other, text);
	pair_close(p);
}

static void check_clean(void)
{
	assert_int_equal(fake_verbs_alive(), 0);
	assert_int_equal(fake_verbs.misuses, 0);
}

/* All steps in both directions, at the same time: most wait for a second. */
static void spoil_every_frame(enum spoil spoil, uint64_t most_ms,
			      const char *fragment)
{
	static struct pair pairs[2][STEPS];
	uint64_t start_ns = time_now();

	fake_verbs_reset();
	for (int to_client = 0; to_client < 2; to_client++)
		for (int nth = 0; nth < n_steps[to_client]; nth++) {
			struct relay relay = { .spoil = spoil,
					       .to_client = to_client,
					       .nth = nth };

			start(&pairs[to_client][nth], OP_WRITE, &relay);
		}
	for (int to_client = 0; to_client < 2; to_client++)
		for (int nth = 0; nth < n_steps[to_client]; nth++)
			finish(&pairs[to_client][nth], fragment);
	check_clean();
	assert_true(time_now() - start_ns < most_ms * 1000000);
}

TEST(test_closes)
{
	spoil_every_frame(SPOIL_CLOSE, 5000, "closed the connection");
}

TEST(test_says_nothing)
{
	spoil_every_frame(SPOIL_SILENCE, 10000, "said nothing");
}

TEST(test_half_a_frame)
{
	spoil_every_frame(SPOIL_HALF, 10000, "said nothing");
}

TEST(test_garbage)
{
	spoil_every_frame(SPOIL_GARBAGE, 5000, "is not verbsperf");
}

TEST(test_another_version)
{
	spoil_every_frame(SPOIL_VERSION, 5000, "speaks protocol 8");
}

TEST(test_huge_length)
{
	spoil_every_frame(SPOIL_LENGTH, 5000, "4294967295 bytes: at most");
}

static void wrong_type(bool to_client, int nth, enum frame_type type)
{
	struct relay relay = { .spoil = SPOIL_TYPE, .to_client = to_client,
			       .nth = nth, .type = type };
	char fragment[40];
	struct pair p;
	bool done = !to_client && steps[0][nth] == FRAME_DONE;
	bool told = type == FRAME_ABORT || type == FRAME_REFUSE;
	bool traffic = !to_client && steps[0][nth] == FRAME_SENT;

	/* while traffic runs, nothing can be refused any more */
	if (type == FRAME_REFUSE && traffic)
		told = false;
	snprintf(fragment, sizeof(fragment), "%s%s", told ? "" : " sent ",
		 told ? ": because" : frame_name(type));
	/* it is over once SENT is taken, which may be then or not yet */
	if (type == FRAME_REFUSE && done)
		strcpy(fragment, "the client");
	/* right there, but then both wait, and either loses patience first */
	if (type == FRAME_WAIT && to_client && steps[1][nth] == FRAME_ACCEPT)
		strcpy(fragment, "in time: waited for ");
	start(&p, OP_WRITE, &relay);
	finish(&p, fragment);
}

TEST(test_every_wrong_type_at_every_step)
{
	static const enum frame_type types[] = {
		FRAME_HELLO, FRAME_REFUSE, FRAME_PLAN, FRAME_ACCEPT,
		FRAME_ENDPOINT, FRAME_READY, FRAME_START, FRAME_SENT,
		FRAME_DONE, FRAME_BYE, FRAME_ABORT, FRAME_WAIT,
		FRAME_AUTH, FRAME_REACHED, FRAME_AGAIN,
	};

	fake_verbs_reset();
	for (int to_client = 0; to_client < 2; to_client++)
		for (int nth = 0; nth < n_steps[to_client]; nth++)
			for (size_t t = 0; t < COUNT(types); t++)
				if (types[t] != steps[to_client][nth])
					wrong_type(to_client, nth, types[t]);
	check_clean();
}

struct edit {
	bool to_client;
	int nth;
	size_t offset;
	unsigned int size;
	uint64_t value;
	enum op op;
	const char *fragment;
};

#define TO_SERVER false
#define TO_CLIENT true

/* Offsets in ENDPOINT. */
enum { GID_INDEX = 19, GLOBAL = 27, MTU = 28, VA = 33, LENGTH = 41,
       STRIDE = 49, N = 57, QPN = 61, PSN = 65, RKEY = 69 };
/* And in DONE. */
#define QUEUE_CHECKS 64
#define CLOCK 85

static const struct edit edits[] = {
	{ TO_SERVER, 0, 0, 2, 0xffff, OP_WRITE, "malformed HELLO" },
	{ TO_CLIENT, 0, 0, 2, 0xffff, OP_WRITE, "malformed HELLO" },
	{ TO_SERVER, 1, 0, 2, 0xffff, OP_WRITE, "PLAN" },
	{ TO_CLIENT, 1, 0, 2, 0xffff, OP_WRITE, "ACCEPT" },
	{ TO_SERVER, 2, N, 4, 0, OP_WRITE, "number of QPs 0: expected" },
	{ TO_CLIENT, 2, N, 4, UINT32_MAX, OP_WRITE,
	  "number of QPs 4294967295: expected 1 to 16384" },
	{ TO_SERVER, 2, N, 4, 16384, OP_WRITE, "ENDPOINT" },
	{ TO_CLIENT, 2, N, 4, 2, OP_WRITE, "ENDPOINT" },
	{ TO_SERVER, 2, MTU, 1, 0, OP_WRITE, "MTU 0: expected 1 to 5" },
	{ TO_SERVER, 2, MTU, 1, IBV_MTU_4096, OP_WRITE, "MTU 4096 where" },
	{ TO_CLIENT, 2, MTU, 1, IBV_MTU_256, OP_WRITE, "MTU 256 where" },
	{ TO_SERVER, 2, STRIDE, 8, 0, OP_WRITE, "stride 0: expected" },
	{ TO_CLIENT, 2, STRIDE, 8, 1, OP_WRITE, "stride 1" },
	{ TO_CLIENT, 2, STRIDE, 8, UINT64_MAX, OP_WRITE, "stride" },
	{ TO_SERVER, 2, LENGTH, 8, 0, OP_WRITE, "length 0: expected" },
	{ TO_CLIENT, 2, VA, 8, UINT64_MAX, OP_WRITE, "length" },
	{ TO_SERVER, 2, QPN, 4, 0x1000000, OP_WRITE,
	  "QPN 16777216: expected 0 to 16777215" },
	{ TO_CLIENT, 2, PSN, 4, 0x1000000, OP_WRITE,
	  "PSN 16777216: expected 0 to 16777215" },
	{ TO_SERVER, 2, GID_INDEX, 4, 99, OP_WRITE,
	  "GID 1 here and 99 there, which were not offered" },
	{ TO_SERVER, 2, GLOBAL, 1, 0, OP_WRITE, "without GID on Ethernet" },
	{ TO_SERVER, 2, 0, 2, 7, OP_WRITE, "ENDPOINT with LID 7: expected" },
	{ TO_SERVER, 2, 2, 2, 7, OP_WRITE, "ENDPOINT with GID 7:" },
	{ TO_CLIENT, 2, GID_INDEX, 4, 99, OP_WRITE, "GID index 99: expected" },
	{ TO_CLIENT, 2, GLOBAL, 1, 0, OP_WRITE, "GRH 0: expected 1 to 1" },
	/* valid, but not the peer's: the traffic fails, with its reason */
	{ TO_CLIENT, 2, RKEY, 4, 1, OP_WRITE, "IBV_WC_REM_ACCESS_ERR" },
	{ TO_CLIENT, 2, RKEY, 4, 1, OP_READ, "IBV_WC_REM_ACCESS_ERR" },
	{ TO_CLIENT, 2, QPN, 4, 0x777777, OP_SEND, "IBV_WC_RETRY_EXC_ERR" },
	{ TO_SERVER, 4, 0, 8, 65, OP_WRITE, "size 65: expected 64 to 64" },
	{ TO_CLIENT, 4, 0, 8, 0, OP_WRITE, "size 0: expected 64 to 64" },
	{ TO_CLIENT, 5, 8, 8, 3, OP_SEND,
	  "the client sent 10 messages, the server received 3" },
	{ TO_SERVER, 5, 0, 4, 2, OP_SEND, "malformed SENT" },
	{ TO_SERVER, 5, 4, 8, UINT64_MAX, OP_SEND,
	  "messages 18446744073709551615" },
	{ TO_SERVER, 5, 4, 8, 11, OP_SEND,
	  "SENT with messages 11: expected 10 to 10" },
	{ TO_SERVER, 6, 0, 8, 11, OP_SEND,
	  "DONE with posted 11: expected 10 to 10" },
	{ TO_SERVER, 6, CLOCK, 2, 99, OP_WRITE, "DONE" },
};

TEST(test_spoiled_fields)
{
	fake_verbs_reset();
	for (size_t i = 0; i < COUNT(edits); i++) {
		const struct edit *e = &edits[i];
		struct relay relay = { .spoil = SPOIL_BYTES,
				       .to_client = e->to_client,
				       .nth = e->nth, .offset = e->offset,
				       .size = e->size, .value = e->value };
		struct pair p;

		start(&p, e->op, &relay);
		finish(&p, e->fragment);
		check_clean();
	}
}

/* What cannot be, where no number depends on it, is left out and told. */
TEST(test_what_cannot_be_is_left_out)
{
	struct pair p;

	fake_verbs_reset();
	pair_open(&p, OP_WRITE, METRIC_BANDWIDTH);
	p.relay = (struct relay){ .spoil = SPOIL_BYTES, .nth = 6,
				  .offset = QUEUE_CHECKS, .size = 8,
				  .value = COUNT_MAX };
	p.relayed = true;
	pair_run(&p);
	assert_int_equal(p.client.ret, 0);
	assert_int_equal(p.server.ret, 0);
	assert_contains(error_text(&p.server.result->implausible),
			"checks of the send queue");
	pair_close(&p);
	check_clean();
}

/* It takes no place in the queue. */
TEST(test_a_plan_that_is_not_understood)
{
	struct session *session;
	struct frame frame;
	int fds[2], turn[2];
	char word;
	struct pair p;

	fake_verbs_reset();
	pair_open(&p, OP_WRITE, METRIC_BANDWIDTH);
	pair_hurry(&p);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, turn), 0);
	pair_valid_frame(FRAME_HELLO, &frame);
	pair_say(fds[0], &frame);
	pair_valid_frame(FRAME_PLAN, &frame);
	memset(frame.bytes + WIRE_HEADER_SIZE, 0xff, 2);
	pair_say(fds[0], &frame);
	oob_adopt(fds[1], -1, "client", &p.server.conn);
	p.server.conn.turn_fd = turn[0];
	assert_int_equal(pair_serve(&p, &session), -EPROTO);
	assert_contains(error_text(&p.server.result->error), "PLAN");
	assert_int_equal(recv(turn[1], &word, 1, MSG_DONTWAIT), -1);
	session_free(session);
	oob_close(&p.server.conn);
	close(fds[0]);
	close(turn[0]);
	close(turn[1]);
	pair_close(&p);
	check_clean();
}

/* A valid ENDPOINT of one queue pair where two were agreed. */
TEST(test_too_few_queue_pairs)
{
	fake_verbs_reset();
	for (int to_client = 0; to_client < 2; to_client++) {
		struct relay relay = { .spoil = SPOIL_TYPE,
				       .to_client = to_client, .nth = 2,
				       .type = FRAME_ENDPOINT };
		struct pair p;

		pair_open(&p, OP_WRITE, METRIC_BANDWIDTH);
		pair_plan(&p)->qps = 2;
		p.relay = relay;
		p.relayed = true;
		pair_start(&p);
		finish(&p, "sent an ENDPOINT of 1 QPs, stride 64 and MTU "
			   "1024 where 2, 4096 and 1024 were agreed");
	}
	check_clean();
}

/* All that a client says up to a DONE, while the server has to send for long;
 * then it is gone.  Its queue pair is nowhere, which takes long to tell. */
static void say_done_early(const struct pair *p, const struct plan *plan, int fd)
{
	struct frame frame;

	pair_say_until_ready(fd, plan, &p->client.device.port);
	frame = encode_start(plan->sizes.bytes[0]);
	pair_say(fd, &frame);
	pair_valid_frame(FRAME_DONE, &frame);
	pair_say(fd, &frame);
	shutdown(fd, SHUT_WR);
}

/* DONE answers SENT: one that comes before would hide that the client left. */
TEST(test_done_before_all_is_sent)
{
	struct session *session;
	struct pair p;
	int fds[2];

	fake_verbs_reset();
	pair_open(&p, OP_WRITE, METRIC_BANDWIDTH);
	pair_plan(&p)->reversed = true;
	pair_plan(&p)->iterations = 0;
	pair_plan(&p)->duration = 3600000000000;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	say_done_early(&p, pair_plan(&p), fds[0]);
	oob_adopt(fds[1], -1, "client", &p.server.conn);
	assert_int_equal(pair_serve(&p, &session), -ECANCELED);
	assert_string_equal(p.server.result->error.code, "EPROTO");
	assert_string_equal(error_text(&p.server.result->error),
			    "the client sent DONE while traffic ran");
	session_free(session);
	oob_close(&p.server.conn);
	close(fds[0]);
	pair_close(&p);
	check_clean();
}

/* Each end fails by itself: each tells the other, and reports both. */
TEST(test_both_fail)
{
	struct pair p;
	const struct result *client, *server;

	fake_verbs_reset();
	pair_open(&p, OP_WRITE, METRIC_BANDWIDTH);
	pair_plan(&p)->iterations = 0;
	pair_plan(&p)->duration = 60000000000;
	fake_verbs_raise(p.server.device.context, IBV_EVENT_QP_ACCESS_ERR);
	fake_verbs_raise(p.client.device.context, IBV_EVENT_QP_FATAL);
	pair_run(&p);
	client = p.client.result;
	server = p.server.result;
	assert_false(client->error.from_peer);
	assert_false(server->error.from_peer);
	assert_string_equal(client->error.code, "IBV_EVENT_QP_FATAL");
	assert_string_equal(server->error.code, "IBV_EVENT_QP_ACCESS_ERR");
	assert_string_equal(client->peer_error.code, server->error.code);
	assert_string_equal(server->peer_error.code, client->error.code);
	assert_string_equal(client->peer_error.message, server->error.message);
	assert_string_equal(server->peer_error.message, client->error.message);
	assert_string_equal(server->peer_error.stage, "traffic");
	pair_close(&p);
	check_clean();
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_closes),
	cmocka_unit_test(test_says_nothing),
	cmocka_unit_test(test_half_a_frame),
	cmocka_unit_test(test_garbage),
	cmocka_unit_test(test_another_version),
	cmocka_unit_test(test_huge_length),
	cmocka_unit_test(test_every_wrong_type_at_every_step),
	cmocka_unit_test(test_spoiled_fields),
	cmocka_unit_test(test_what_cannot_be_is_left_out),
	cmocka_unit_test(test_a_plan_that_is_not_understood),
	cmocka_unit_test(test_too_few_queue_pairs),
	cmocka_unit_test(test_done_before_all_is_sent),
	cmocka_unit_test(test_both_fail),
};

TEST_MAIN(tests, 60)
