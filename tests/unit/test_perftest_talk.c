/* One ping-pong with perftest: however its bytes come, or do not come. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>

#include "base/time.h"
#include "base/xalloc.h"
#include "net/oob.h"
#include "perftest/talk.h"

static const size_t sizes[] = { MTU_SIZE, SIZE_SIZE, REPORT_SIZE, VERSION_SIZE,
				KEY_SIZE_LID, KEY_SIZE_GID };
static const uint8_t said[KEY_SIZE_GID] = { 1, 2, 3 };
static struct session session;
static struct connection conn;
static uint8_t heard[KEY_SIZE_GID];
static int peer;

/* A session with a connection to PEER, which may be silent for TIMEOUT ns. */
static void begin(bool client, uint64_t timeout)
{
	struct result *r = xcalloc(1, sizeof(*r));
	struct talk *talk = xcalloc(1, sizeof(*talk));
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	peer = fds[1];
	oob_adopt(fds[0], -1, client ? "server" : "client", &conn);
	strcpy(talk->name, "perftest 6.06");
	r->params.plan.timeout = r->params.idle_timeout = timeout;
	session = (struct session){
		.run = { .client = client, .conn = &conn, .result = r,
			 .plan = &r->params.plan },
		.talk = talk,
	};
	memset(heard, 0xee, sizeof(heard));
}

static void end(void)
{
	oob_close(&conn);
	if (peer >= 0)
		close(peer);
	free(session.run.result);
	free(session.talk);
}

static int ping_pong(size_t size)
{
	return talk_swap(&session, "key", 0, said, heard, size);
}

static void peer_says(size_t size)
{
	static const uint8_t bytes[KEY_SIZE_GID] = { 9, 8, 7 };

	assert_int_equal(send(peer, bytes, size, MSG_NOSIGNAL), size);
}

static void peer_leaves(void)
{
	close(peer);
	peer = -1;
}

static void assert_says(const char *words)
{
	const char *message = session.run.result->error.message;

	if (!strstr(message, words))
		fail_msg("no '%s' in: %s", words, message);
}

TEST(each_end_sends_one_whole_message)
{
	uint8_t got[KEY_SIZE_GID + 1];

	for (int client = 0; client < 2; client++)
		for (size_t i = 0; i < COUNT(sizes); i++) {
			begin(client, SECOND);
			peer_says(sizes[i]);
			assert_int_equal(ping_pong(sizes[i]), 0);
			assert_int_equal(heard[0], 9);
			assert_int_equal(recv(peer, got, sizeof(got), 0),
					 sizes[i]);
			assert_memory_equal(got, said, sizes[i]);
			end();
		}
}

/* What follows a message, perftest's "done", is not read with it. */
TEST(bytes_that_come_one_by_one_are_a_message)
{
	for (int i = 0; i < KEY_SIZE_GID; i++) {
		if (!i)
			begin(true, SECOND);
		peer_says(1);
	}
	peer_says(5);
	assert_int_equal(ping_pong(KEY_SIZE_GID), 0);
	assert_int_equal(recv(conn.fd, heard, sizeof(heard), 0), 5);
	end();
}

TEST(a_message_cut_at_any_byte_is_one_clear_line)
{
	char words[64];

	for (int client = 0; client < 2; client++)
		for (size_t i = 0; i < COUNT(sizes); i++)
			for (size_t cut = 0; cut < sizes[i]; cut++) {
				begin(client, SECOND);
				peer_says(cut);
				assert_int_equal(shutdown(peer, SHUT_WR), 0);
				assert_int_equal(ping_pong(sizes[i]), -ECONNRESET);
				snprintf(words, sizeof(words),
					 "had %zu of %zu bytes", cut, sizes[i]);
				assert_says(words);
				assert_says("(perftest 6.06) closed");
				end();
			}
}

static const struct key first = {
	.reads = 1,
	.qp = { .qpn = 0x11, .psn = 0x6d808b, .rkey = 0x309, .va = 1 << 20 },
};

static void peer_says_key(bool global, size_t size)
{
	uint8_t bytes[KEY_SIZE_GID];

	key_encode(&first, global, bytes);
	assert_int_equal(send(peer, bytes, size, MSG_NOSIGNAL), size);
}

/* A server reads it before the client's turn, and answers it then. */
TEST(the_first_key_waits_for_its_answer)
{
	uint8_t bytes[KEY_SIZE_GID], answer[KEY_SIZE_GID];

	for (int global = 0; global < 2; global++) {
		const size_t size = key_size(global);

		begin(false, SECOND);
		peer_says_key(global, size);
		assert_int_equal(talk_await_key(&session, 0), 0);
		assert_int_equal(talk_of(&session)->first_key_size, size);
		assert_int_equal(recv(peer, answer, size, MSG_DONTWAIT), -1);
		assert_int_equal(ping_pong(size), 0);
		key_encode(&first, global, bytes);
		assert_memory_equal(heard, bytes, size);
		assert_int_equal(recv(peer, answer, size, 0), size);
		/* once */
		peer_says(size);
		assert_int_equal(ping_pong(size), 0);
		assert_int_equal(heard[0], 9);
		end();
	}
}

TEST(no_first_key_is_no_turn)
{
	for (int global = 0; global < 2; global++)
		for (size_t cut = 0; cut < key_size(global); cut += 7) {
			begin(false, SECOND);
			peer_says_key(global, cut);
			assert_int_equal(shutdown(peer, SHUT_WR), 0);
			assert_int_equal(talk_await_key(&session, 0),
					 -ECONNRESET);
			assert_says("(perftest 6.06) closed");
			end();
		}
	begin(false, SECOND);
	peer_says(KEY_SIZE_GID);
	assert_int_equal(talk_await_key(&session, 0), -EPROTO);
	assert_says("cannot be read");
	end();
	begin(false, SECOND / 100);
	assert_int_equal(talk_await_key(&session, SECOND / 100), -ETIMEDOUT);
	end();
}

/* During its turn, in which others wait. */
TEST(an_answer_may_have_less_time_than_the_timeout)
{
	const uint64_t before = time_now();

	begin(false, 3600 * SECOND);
	talk_of(&session)->most = SECOND / 100;
	assert_int_equal(ping_pong(KEY_SIZE_GID), -ETIMEDOUT);
	assert_true(time_since(before) < patient(10) * SECOND);
	end();
}

TEST(silence_at_any_byte_ends_in_time)
{
	for (size_t cut = 0; cut < KEY_SIZE_GID; cut += 9) {
		begin(true, SECOND / 100);
		peer_says(cut);
		assert_int_equal(ping_pong(KEY_SIZE_GID), -ETIMEDOUT);
		assert_says(cut ? "said nothing more in time" :
				     "said nothing in time");
		end();
	}
}

TEST(a_peer_that_has_left_is_one_clear_line)
{
	begin(true, SECOND);
	peer_leaves();
	assert_true(ping_pong(KEY_SIZE_GID) < 0);
	assert_says("(perftest 6.06)");
	end();
}

/* A connection that fails otherwise than by the peer's leaving. */
TEST(what_fails_is_named)
{
	begin(false, SECOND);
	close(conn.fd);
	conn.fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_true(ping_pong(KEY_SIZE_GID) < 0);
	assert_says("while receiving its key");
	end();
}

/* perftest before 6.17 says one thing more; one that stays silent is left. */
TEST(the_end_waits_until_the_peer_has_closed)
{
	const uint64_t before = time_now();

	begin(true, SECOND);
	peer_says(5);
	peer_leaves();
	talk_end(&session);
	assert_true(time_since(before) < SECOND / 2);
	end();
}

/* Faster than it is read. */
static void *flood(void *end)
{
	static const uint8_t much[1 << 20];

	while (send(*(int *)end, much, sizeof(much), MSG_NOSIGNAL) > 0)
		;
	return NULL;
}

TEST(a_peer_that_says_more_and_more_does_not_hold_the_end)
{
	pthread_t thread;

	begin(true, SECOND);
	assert_int_equal(pthread_create(&thread, NULL, flood, &peer), 0);
	talk_end(&session);
	shutdown(conn.fd, SHUT_RD);
	pthread_join(thread, NULL);
	end();
}

TEST_FILE()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_end_sends_one_whole_message),
		cmocka_unit_test(bytes_that_come_one_by_one_are_a_message),
		cmocka_unit_test(a_message_cut_at_any_byte_is_one_clear_line),
		cmocka_unit_test(the_first_key_waits_for_its_answer),
		cmocka_unit_test(no_first_key_is_no_turn),
		cmocka_unit_test(
			an_answer_may_have_less_time_than_the_timeout),
		cmocka_unit_test(silence_at_any_byte_ends_in_time),
		cmocka_unit_test(a_peer_that_has_left_is_one_clear_line),
		cmocka_unit_test(what_fails_is_named),
		cmocka_unit_test(the_end_waits_until_the_peer_has_closed),
		cmocka_unit_test(
			a_peer_that_says_more_and_more_does_not_hold_the_end),
	};

	alarm(patient(30));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
