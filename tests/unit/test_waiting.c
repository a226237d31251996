/* A client's process that waits for its turn, what it tells the client, and
 * the end of that turn. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>

#include "base/time.h"
#include "base/xalloc.h"
#include "net/turn.h"
#include "net/wait.h"
#include "serve/serve.h"
#include "session/dialogue.h"

#define LIMIT (5 * SECOND)

static struct result result;
static struct connection conn, peer;	/* of the process, of the client */
static int parent;			/* the far end of its parent */
static struct session session;

static void begin(void)
{
	int fds[2], turn[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, turn), 0);
	oob_adopt(fds[0], -1, "client", &conn);
	oob_adopt(fds[1], -1, "server", &peer);
	conn.turn_fd = turn[0];
	parent = turn[1];
	memset(&result, 0, sizeof(result));
	result.params.plan.timeout = patient(10) * SECOND;
	result.params.idle_timeout = patient(10) * SECOND;
	memset(&session, 0, sizeof(session));
	session.run.conn = &conn;
	session.run.result = &result;
	session.run.plan = &result.params.plan;
	session.place = PLACE_UNKNOWN;
}

static void end(void)
{
	oob_close(&conn);
	oob_close(&peer);
	if (conn.turn_fd >= 0)
		close(conn.turn_fd);
	close(parent);
}

static void tell(uint32_t place)
{
	assert_int_equal(turn_send_place(parent, place), 0);
}

static void check_refused(int ret, const char *message)
{
	assert_int_equal(queue_wait(&session, LIMIT), ret);
	assert_message(&result.error, message);
	assert_string_equal(result.error.stage, "queue");
}

/* What the client hears next is a WAIT: the clients before it. */
static uint32_t hear_wait(void)
{
	struct error err = { 0 };
	struct frame frame;
	uint32_t before;

	assert_int_equal(oob_receive(&peer, "x", 0, &frame, &err), 0);
	assert_int_equal(frame.type, FRAME_WAIT);
	assert_int_equal(decode_wait(&frame, &before, &err), 0);
	frame_free(&frame);
	return before;
}

static void check_silence(void)
{
	struct error err = { 0 };
	struct frame frame;

	assert_int_equal(oob_take(&peer, "x", &frame, &err), -EAGAIN);
}

static void client_says(enum frame_type type)
{
	struct error err = { 0 };
	struct frame frame;

	frame = encode_empty(type);
	assert_int_equal(oob_send(&peer, &frame, time_after(SECOND), &err), 0);
	frame_free(&frame);
}

TEST(test_no_turns)
{
	begin();
	close(conn.turn_fd);
	conn.turn_fd = -1;
	assert_int_equal(queue_wait(&session, LIMIT), 0);
	assert_int_equal(session.place, PLACE_SERVED);
	turn_release(&conn);
	end();
}

TEST(test_turn_comes)
{
	uint64_t limit = 0;

	begin();
	tell(PLACE_SERVED);
	assert_int_equal(queue_wait(&session, LIMIT), 0);
	assert_int_equal(turn_receive_message(parent, &limit), TURN_REQUEST);
	assert_int_equal(limit, LIMIT);
	check_silence();
	assert_string_equal(result.error.stage, "queue");
	end();
}

/* A place is told at once, and not again when the turn comes. */
TEST(test_place_is_told)
{
	begin();
	tell(WAIT_MAX);
	tell(PLACE_SERVED);
	assert_int_equal(queue_wait(&session, LIMIT), 0);
	assert_int_equal(hear_wait(), WAIT_MAX);
	check_silence();
	end();
}

/* How many the client is told before there is no more. */
static uint32_t count_waits(void)
{
	struct error err = { 0 };
	struct frame frame;
	uint32_t n = 0;

	while (!oob_take(&peer, "x", &frame, &err)) {
		assert_int_equal(frame.type, FRAME_WAIT);
		frame_free(&frame);
		n++;
	}
	assert_false(error_is_set(&err));
	return n;
}

/* Many short runs before this client are not all told. */
TEST(test_places_that_change_fast)
{
	const uint32_t many = 64;

	begin();
	for (uint32_t place = many; place > 0; place--)
		tell(place);
	tell(PLACE_SERVED);
	assert_int_equal(queue_wait(&session, LIMIT), 0);
	assert_in_range(count_waits(), 1, many / 2);
	end();
}

TEST(test_refused)
{
	begin();
	tell(PLACE_QUEUE_FULL);
	check_refused(-EAGAIN,
		      "too many clients are already waiting for this server");
	assert_contains(result.error.advice, "--wait");
	end();
	begin();
	tell(PLACE_SHARE_FULL);
	check_refused(-EAGAIN, "too many clients from this address are already "
			       "waiting for this server");
	assert_contains(result.error.advice, "--wait");
	end();
	begin();
	tell(PLACE_OVER);
	check_refused(-EBUSY,
		      "this server serves one client, and another came first");
	check_silence();
	end();
}

TEST(test_server_is_gone)
{
	begin();
	shutdown(parent, SHUT_WR);
	check_refused(-EPIPE, "the server is gone");
	end();
	begin();
	shutdown(parent, SHUT_RDWR);
	check_refused(-EPIPE, "cannot ask for a turn: Broken pipe");
	end();
}

TEST(test_half_an_answer)
{
	const uint8_t byte = 0;

	begin();
	assert_int_equal(send(parent, &byte, 1, 0), 1);
	check_refused(-EPIPE, "the server is gone");
	end();
}

static void *serve_later(void *argument)
{
	(void)argument;
	usleep(400000);
	tell(PLACE_SERVED);
	return NULL;
}

TEST(test_client_left)
{
	const struct error why = { .code = "ECANCELED",
				   .message = "interrupted by SIGINT" };
	struct error err = { 0 };
	struct frame frame;

	begin();
	oob_close(&peer);
	check_refused(-ECONNRESET, "the client closed the connection while it "
				   "waited for its turn");
	end();
	begin();
	frame = encode_error(FRAME_ABORT, &why);
	assert_int_equal(oob_send(&peer, &frame, time_after(SECOND), &err), 0);
	frame_free(&frame);
	oob_close(&peer);
	assert_int_equal(queue_wait(&session, LIMIT), -ECONNABORTED);
	assert_message(&result.error, "the client: interrupted by SIGINT");
	end();
}

/* It says why, and leaves the connection open. */
TEST(test_client_gives_up)
{
	const struct error why = { .code = "ETIMEDOUT", .message = "too long" };
	struct error err = { 0 };
	struct frame frame;

	begin();
	frame = encode_error(FRAME_ABORT, &why);
	assert_int_equal(oob_send(&peer, &frame, time_after(SECOND), &err), 0);
	frame_free(&frame);
	assert_int_equal(queue_wait(&session, LIMIT), -ECONNABORTED);
	assert_message(&result.error, "the client: too long");
	assert_string_equal(result.error.code, "ETIMEDOUT");
	end();
}

TEST(test_client_says_what_is_not_due)
{
	begin();
	client_says(FRAME_ALIVE);
	client_says(FRAME_BYE);
	check_refused(-EPROTO,
		      "the client sent BYE while it waited for its turn");
	end();
	/* a turn that comes with it does not make up for it */
	begin();
	client_says(FRAME_BYE);
	tell(PLACE_SERVED);
	check_refused(-EPROTO,
		      "the client sent BYE while it waited for its turn");
	end();
	begin();
	assert_int_equal(write(peer.fd, "GET / HTTP/1.1\r\n", 16), 16);
	assert_int_equal(queue_wait(&session, LIMIT), -EPROTO);
	end();
}

/* One that gives no signs of life may wait for any time, is sent nothing, and
 * says nothing before it is answered. */
TEST(test_quiet_client)
{
	struct error err = { 0 };
	struct frame frame;
	pthread_t thread;

	begin();
	result.params.plan.quiet = true;
	result.params.plan.timeout = SECOND / 20;
	tell(1);
	pthread_create(&thread, NULL, serve_later, NULL);
	assert_int_equal(queue_wait(&session, LIMIT), 0);
	pthread_join(thread, NULL);
	assert_int_equal(oob_take(&peer, "x", &frame, &err), -EAGAIN);
	end();
	begin();
	result.params.plan.quiet = true;
	assert_int_equal(write(peer.fd, "0", 1), 1);
	check_refused(-EPROTO, "the client did not wait for its turn: it sent "
			       "more before it was answered");
	end();
	begin();
	result.params.plan.quiet = true;
	assert_int_equal(write(peer.fd, "0", 1), 1);
	oob_close(&peer);
	check_refused(-ECONNRESET, "the client closed the connection while it "
				   "waited for its turn");
	end();
}

TEST(test_client_is_silent)
{
	uint64_t start = time_now();

	begin();
	result.params.plan.timeout = 300000000;
	tell(1);
	check_refused(-ETIMEDOUT, "the client said nothing for 0.3 s while it "
				  "waited for its turn");
	assert_true(time_since(start) >= 300000000);
	end();
}

#define SIGNS 5

static uint64_t sign_period;

/* Signs of life, and then the turn. */
static void *live(void *argument)
{
	(void)argument;
	for (int i = 0; i < SIGNS; i++) {
		usleep((useconds_t)(sign_period / 1000));
		client_says(FRAME_ALIVE);
	}
	tell(PLACE_SERVED);
	return NULL;
}

/* It may wait for longer than it may be silent, and is told its place more than
 * once, as a sign of life. */
TEST(test_client_waits_long)
{
	uint64_t patience = patient(1) * SECOND;
	pthread_t thread;

	begin();
	sign_period = patience * 3 / 10;
	result.params.plan.timeout = patience;
	tell(2);
	pthread_create(&thread, NULL, live, NULL);
	assert_int_equal(queue_wait(&session, LIMIT), 0);
	pthread_join(thread, NULL);
	assert_true(count_waits() >= 3);
	end();
}

TEST(test_interrupted)
{
	begin();
	conn.cancel_fd = signals_open();
	kill(getpid(), SIGTERM);
	check_refused(-ECANCELED, "interrupted by SIGTERM");
	assert_int_equal(conn.cancel_fd, -1);
	end();
}

static void server_sends(struct frame *frame)
{
	struct error err = { 0 };

	assert_int_equal(oob_send(&peer, frame, time_after(SECOND), &err), 0);
	frame_free(frame);
}

/* FRAME, which is freed, at a client that waits for ACCEPT, which comes then:
 * it answers, unless it is refused. */
static void check_hear(struct frame *frame, int ret, uint32_t place)
{
	struct error err = { 0 };
	struct frame answer, accept;

	session.run.client = true;
	server_sends(frame);
	if (!ret) {
		accept = encode_empty(FRAME_ACCEPT);
		server_sends(&accept);
	}
	assert_int_equal(session_expect(&session, FRAME_ACCEPT, &accept), ret);
	assert_int_equal(session.place, place);
	if (ret) {
		check_silence();
		return;
	}
	frame_free(&accept);
	assert_int_equal(oob_receive(&peer, "x", 0, &answer, &err), 0);
	assert_int_equal(answer.type, FRAME_ALIVE);
	frame_free(&answer);
}

TEST(test_client_hears_its_place)
{
	struct frame frame;

	begin();
	for (int i = 0; i < 2; i++) {
		frame = encode_wait(7);
		check_hear(&frame, 0, 7);
	}
	frame = encode_wait(6);
	check_hear(&frame, 0, 6);
	frame = encode_wait(0);
	check_hear(&frame, -EPROTO, 6);
	error_clear(&result.error);
	frame = encode_wait(WAIT_MAX + 1);
	check_hear(&frame, -EPROTO, 6);
	error_clear(&result.error);
	frame = encode_empty(FRAME_WAIT);
	check_hear(&frame, -EPROTO, 6);
	end();
}

/* The turn is given back once, and the client's connection ends. */
TEST(test_release)
{
	struct session *own = xcalloc(1, sizeof(*own));
	struct device device = { 0 };
	struct release release;
	uint64_t limit;
	char byte;

	begin();
	release_begin(&release, &conn, own, &device);
	release_end(&release);
	assert_int_equal(conn.fd, -1);
	assert_int_equal(conn.turn_fd, -1);
	assert_int_equal(turn_receive_message(parent, &limit), TURN_RELEASE);
	assert_int_equal(turn_receive_message(parent, &limit), -ECONNRESET);
	assert_int_equal(read(peer.fd, &byte, 1), 0);
	turn_release(&conn);
	end();
}

/* Its parent knows that a process is gone, also when that left what it was told
 * unread. */
TEST(test_process_is_gone)
{
	uint64_t limit;

	begin();
	tell(1);
	close(conn.turn_fd);
	conn.turn_fd = -1;
	assert_int_equal(turn_receive_message(parent, &limit), -ECONNRESET);
	end();
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_no_turns),
	cmocka_unit_test(test_turn_comes),
	cmocka_unit_test(test_place_is_told),
	cmocka_unit_test(test_places_that_change_fast),
	cmocka_unit_test(test_refused),
	cmocka_unit_test(test_server_is_gone),
	cmocka_unit_test(test_half_an_answer),
	cmocka_unit_test(test_client_left),
	cmocka_unit_test(test_client_gives_up),
	cmocka_unit_test(test_client_says_what_is_not_due),
	cmocka_unit_test(test_quiet_client),
	cmocka_unit_test(test_client_is_silent),
	cmocka_unit_test(test_client_waits_long),
	cmocka_unit_test(test_interrupted),
	cmocka_unit_test(test_client_hears_its_place),
	cmocka_unit_test(test_process_is_gone),
	cmocka_unit_test(test_release),
};

TEST_MAIN(tests, 30)
