/* The TCP channel: short transfers, deadlines, interrupting. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/time.h"
#include "net/frames.h"
#include "net/oob.h"
#include "net/seal.h"
#include "net/wait.h"

#define MS 1000000ULL

static void make_pair(struct connection *conn, int *fd)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	oob_adopt(fds[0], -1, "server", conn);
	*fd = fds[1];
}

struct writer {
	int fd;
	const uint8_t *bytes;
	size_t size;
	useconds_t pause;
	pthread_t thread;
};

static void *write_slowly(void *argument)
{
	struct writer *w = argument;

	for (size_t i = 0; i < w->size; i++) {
		if (send(w->fd, w->bytes + i, 1, MSG_NOSIGNAL) != 1)
			break;
		usleep(w->pause);
	}
	return NULL;
}

TEST(test_byte_by_byte)
{
	const struct error error = { .message = "because" };
	struct writer w = { .pause = 200 };
	struct frame sent, got;
	struct connection conn;
	struct error err = { 0 };

	make_pair(&conn, &w.fd);
	sent = encode_error(FRAME_ABORT, &error);
	w.bytes = sent.bytes;
	w.size = WIRE_HEADER_SIZE + sent.length;
	pthread_create(&w.thread, NULL, write_slowly, &w);
	assert_int_equal(oob_receive(&conn, "ABORT", time_after(5000 * MS),
				     &got, &err), 0);
	pthread_join(w.thread, NULL);
	assert_int_equal(got.type, FRAME_ABORT);
	assert_int_equal(got.length, sent.length);
	assert_memory_equal(got.bytes, sent.bytes, w.size);
	frame_free(&got);
	frame_free(&sent);
	close(w.fd);
	oob_close(&conn);
	oob_close(&conn);	/* twice is fine */
}

/* A byte now and then does not put the deadline off. */
TEST(test_the_deadline_is_for_the_whole_frame)
{
	static const uint8_t bytes[12] = { 'v', 'b', 's', 'p', 0, 1, 0, 7 };
	struct writer w = { .bytes = bytes, .size = 8, .pause = 50000 };
	struct connection conn;
	struct frame frame;
	struct error err = { 0 };
	uint64_t start = time_now();

	make_pair(&conn, &w.fd);
	pthread_create(&w.thread, NULL, write_slowly, &w);
	assert_int_equal(oob_receive(&conn, "START", start + 150 * MS, &frame,
				     &err), -ETIMEDOUT);
	assert_message(&err, "the server said nothing more in time: waited "
			     "for START");
	assert_true(time_now() - start >= 150 * MS);
	oob_close(&conn);
	pthread_join(w.thread, NULL);
	close(w.fd);
}

/* A peer without signs of life whose host is gone would else never be
 * missed. */
TEST(test_the_kernel_asks_for_the_host)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const int listener = socket(AF_INET, SOCK_STREAM, 0);
	const int client = socket(AF_INET, SOCK_STREAM, 0);
	struct connection conn = { .fd = client };
	socklen_t length = sizeof(at), size = sizeof(int);
	int on = 0, idle = 0, period = 0, count = 0;

	assert_int_equal(bind(listener, (struct sockaddr *)&at, length), 0);
	assert_int_equal(listen(listener, 1), 0);
	getsockname(listener, (struct sockaddr *)&at, &length);
	assert_int_equal(connect(client, (struct sockaddr *)&at, length), 0);
	oob_probe_host(&conn);
	getsockopt(client, SOL_SOCKET, SO_KEEPALIVE, &on, &size);
	getsockopt(client, IPPROTO_TCP, TCP_KEEPIDLE, &idle, &size);
	getsockopt(client, IPPROTO_TCP, TCP_KEEPINTVL, &period, &size);
	getsockopt(client, IPPROTO_TCP, TCP_KEEPCNT, &count, &size);
	assert_true(on);
	assert_int_equal(idle + period * count, 10);
	close(client);
	close(listener);
}

TEST(test_silence_and_close)
{
	struct connection conn;
	struct frame frame;
	struct error err = { 0 };
	int fd;

	make_pair(&conn, &fd);
	assert_int_equal(oob_receive(&conn, "PLAN", time_after(20 * MS),
				     &frame, &err), -ETIMEDOUT);
	assert_message(&err, "the server said nothing in time: waited for "
			     "PLAN");
	error_clear(&err);
	assert_int_equal(write(fd, "vb", 2), 2);
	close(fd);
	assert_int_equal(oob_receive(&conn, "PLAN", time_after(1000 * MS),
				     &frame, &err), -ECONNRESET);
	assert_contains(err.message, "closed the connection inside a frame");
	error_clear(&err);
	assert_int_equal(oob_receive(&conn, "PLAN", time_after(1000 * MS),
				     &frame, &err), -ECONNRESET);
	assert_message(&err, "the server closed the connection inside a frame, "
			     "while this end waited for PLAN");
	assert_string_equal(err.advice, "look at the server's output");
	oob_close(&conn);
}

/* A deadline in the past still takes what has come. */
TEST(test_what_is_there_is_taken)
{
	struct connection conn, peer;
	struct frame frame, got;
	struct error err = { 0 };
	int fd;

	make_pair(&conn, &fd);
	oob_adopt(fd, -1, "client", &peer);
	frame = encode_start(77);
	assert_int_equal(oob_send(&peer, &frame, 0, &err), 0);
	frame_free(&frame);
	assert_int_equal(oob_receive(&conn, "START", 0, &got, &err), 0);
	frame_free(&got);
	oob_close(&conn);
	oob_close(&peer);
}

/* A byte at a time, and never a wait. */
TEST(test_taken_in_pieces)
{
	struct frame sent[2], got;
	struct connection conn;
	struct error err = { 0 };
	int fd;

	make_pair(&conn, &fd);
	sent[0] = encode_start(77);
	sent[1] = encode_empty(FRAME_BYE);
	for (int i = 0; i < 2; i++) {
		size_t size = WIRE_HEADER_SIZE + sent[i].length;

		for (size_t k = 0; k < size; k++) {
			assert_int_equal(oob_take(&conn, "x", &got, &err),
					 -EAGAIN);
			assert_int_equal(write(fd, sent[i].bytes + k, 1), 1);
		}
		assert_int_equal(oob_take(&conn, "x", &got, &err), 0);
		assert_int_equal(got.type, sent[i].type);
		assert_memory_equal(got.bytes, sent[i].bytes, size);
		frame_free(&got);
		frame_free(&sent[i]);
	}
	assert_false(error_is_set(&err));
	close(fd);
	oob_close(&conn);
}

/* What is left of a frame when the connection ends is released. */
TEST(test_half_a_frame_is_released)
{
	struct frame frame, got;
	struct connection conn;
	struct error err = { 0 };
	int fd;

	make_pair(&conn, &fd);
	frame = encode_start(77);
	assert_int_equal(write(fd, frame.bytes, WIRE_HEADER_SIZE + 3),
			 WIRE_HEADER_SIZE + 3);
	assert_int_equal(oob_take(&conn, "x", &got, &err), -EAGAIN);
	frame_free(&frame);
	oob_close(&conn);
	assert_null(conn.in.frame.bytes);
	close(fd);
}

/* Nothing is made of what follows a header that is wrong. */
TEST(test_nothing_after_nonsense)
{
	static const uint8_t zeros[64];
	struct connection conn;
	struct frame frame = { 0 };
	struct error err = { 0 };
	int fd;

	make_pair(&conn, &fd);
	assert_int_equal(write(fd, zeros, sizeof(zeros)), sizeof(zeros));
	for (int i = 0; i < 3; i++) {
		error_clear(&err);
		assert_int_equal(oob_receive(&conn, "x", time_after(MS),
					     &frame, &err), -EPROTO);
	}
	assert_message(&err, "the data from the server can no longer be "
			     "decoded");
	assert_null(frame.bytes);
	close(fd);
	oob_close(&conn);
}

/* Signs of life until one is refused; returns how many were taken. */
static int take_signs(struct connection *conn, int fd, int most,
		      struct error *err)
{
	struct frame sign, got;
	int n = 0, ret = 0;

	sign = encode_wait(3);
	while (n < most && !ret) {
		assert_int_equal(write(fd, sign.bytes, WIRE_HEADER_SIZE + 4),
				 WIRE_HEADER_SIZE + 4);
		ret = oob_receive(conn, "ACCEPT", time_after(1000 * MS), &got,
				  err);
		if (ret)
			break;
		assert_true(oob_is_sign_of_life(&got));
		frame_free(&got);
		n++;
	}
	frame_free(&sign);
	return n;
}

TEST(test_a_flood_of_signs_of_life)
{
	struct connection conn;
	struct error err = { 0 };
	int fd, n;

	make_pair(&conn, &fd);
	n = take_signs(&conn, fd, 100000, &err);
	assert_true(n >= 16 && n < 1000);
	assert_contains(err.message, "signs of life in");
	assert_contains(err.message, "at most 32 a second are allowed");
	close(fd);
	oob_close(&conn);
}

/* An end that was busy for a minute finds the signs of that minute, sent by a
 * clock that goes three times as fast; or of the time since a machine booted
 * that did so a moment ago. */
TEST(test_signs_of_life_that_waited)
{
	struct connection conn;
	struct error err = { 0 };
	uint64_t passed;
	int fd, n;

	make_pair(&conn, &fd);
	passed = conn.began_at < 60 * SECOND ? conn.began_at : 60 * SECOND;
	conn.began_at -= passed;
	n = 16 + 4 * 3 * (int)(passed / SECOND);
	assert_int_equal(take_signs(&conn, fd, n, &err), n);
	assert_false(error_is_set(&err));
	close(fd);
	oob_close(&conn);
}

static void *flood(void *argument)
{
	struct writer *w = argument;

	while (send(w->fd, w->bytes, w->size, MSG_NOSIGNAL) > 0)
		;
	return NULL;
}

/* A peer that never stops talking is not listened to for ever. */
TEST(test_a_flood_of_other_frames)
{
	struct writer w = { 0 };
	struct connection conn;
	struct frame frame;
	struct error err = { 0 };

	make_pair(&conn, &w.fd);
	frame = encode_start(1);
	w.bytes = frame.bytes;
	w.size = WIRE_HEADER_SIZE + frame.length;
	pthread_create(&w.thread, NULL, flood, &w);
	assert_int_equal(oob_await_error(&conn, time_after(100 * MS), &err),
			 0);
	assert_int_equal(oob_read_error(&conn, &err), 0);
	shutdown(conn.fd, SHUT_RDWR);
	pthread_join(w.thread, NULL);
	frame_free(&frame);
	close(w.fd);
	oob_close(&conn);
}

static void *read_slowly(void *argument)
{
	struct writer *w = argument;
	uint8_t byte[777];
	ssize_t n;

	while (w->size && (n = read(w->fd, byte, sizeof(byte))) > 0) {
		w->size -= (size_t)n;
		usleep(w->pause);
	}
	return NULL;
}

static void small_buffer(int fd)
{
	const int size = 4096;

	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
}

static void make_large(struct frame *frame)
{
	struct endpoint e = { .mtu = IBV_MTU_1024, .length = 1 << 20,
			      .stride = 64, .n = ENDPOINT_QPS_MAX };

	e.qps = calloc(e.n, sizeof(*e.qps));
	*frame = encode_endpoint(&e);
	free(e.qps);
}

TEST(test_short_writes)
{
	struct writer w = { .pause = 100 };
	struct connection conn;
	struct frame frame;
	struct error err = { 0 };

	make_pair(&conn, &w.fd);
	small_buffer(conn.fd);
	make_large(&frame);
	w.size = WIRE_HEADER_SIZE + frame.length;
	pthread_create(&w.thread, NULL, read_slowly, &w);
	assert_int_equal(oob_send(&conn, &frame, time_after(20000 * MS),
				  &err), 0);
	pthread_join(w.thread, NULL);
	assert_int_equal(w.size, 0);
	frame_free(&frame);
	close(w.fd);
	oob_close(&conn);
}

TEST(test_nobody_reads)
{
	struct connection conn;
	struct frame frame;
	struct error err = { 0 };
	int fd;

	make_pair(&conn, &fd);
	small_buffer(conn.fd);
	make_large(&frame);
	assert_int_equal(oob_send(&conn, &frame, time_after(50 * MS), &err),
			 -ETIMEDOUT);
	assert_message(&err, "lost the connection to the server while sending "
			     "ENDPOINT: Connection timed out");
	close(fd);
	error_clear(&err);
	assert_true(oob_send(&conn, &frame, time_after(50 * MS), &err) < 0);
	assert_contains(err.message, "lost the connection");
	frame_free(&frame);
	oob_close(&conn);
}

/* What FD has to be read, in bytes. */
static size_t drain(int fd)
{
	uint8_t bytes[4096];
	size_t size = 0;
	ssize_t n;

	while ((n = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0)
		size += (size_t)n;
	return size;
}

static void send_when_full(struct connection *conn, const struct frame *frame)
{
	struct error err = { 0 };

	assert_int_equal(oob_send(conn, frame, time_after(20 * MS), &err),
			 -ETIMEDOUT);
}

/* The peer could take what comes for the rest of the frame. */
TEST(test_nothing_is_sent_after_a_part)
{
	struct connection conn;
	struct frame frame, small;
	struct error err = { 0 };
	int fd;

	make_pair(&conn, &fd);
	small_buffer(conn.fd);
	make_large(&frame);
	small = encode_empty(FRAME_BYE);
	send_when_full(&conn, &frame);
	assert_true(drain(fd) > 0);
	assert_int_equal(oob_send(&conn, &small, time_after(20 * MS), &err),
			 -EPIPE);
	assert_message(&err, "lost the connection to the server while "
			     "sending: Broken pipe");
	assert_int_equal(drain(fd), 0);
	frame_free(&frame);
	frame_free(&small);
	close(fd);
	oob_close(&conn);
}

TEST(test_what_did_not_fit_is_not_sent)
{
	struct connection conn;
	struct error err = { 0 };
	struct frame frame;
	struct cursor c = wire_begin(FRAME_START);
	int fd;

	make_pair(&conn, &fd);
	wire_put(&c, 8, 1);
	wire_put(&c, 1, 1);
	frame = wire_end(&c);
	assert_int_equal(oob_send(&conn, &frame, time_after(SECOND), &err),
			 -EMSGSIZE);
	assert_message(&err, "START does not fit into 8 bytes");
	assert_int_equal(drain(fd), 0);
	frame_free(&frame);
	close(fd);
	oob_close(&conn);
}

/* A frame of which nothing was sent: the next one can be, unless both are
 * sealed, where the peer would miss it. */
TEST(test_what_can_be_sent_after_nothing)
{
	const struct auth_key key = { { 1 } };
	uint8_t stream[AUTH_STREAM_SIZE], byte = 0;
	struct error err = { 0 };
	struct frame small;

	small = encode_empty(FRAME_BYE);
	assert_int_equal(auth_init(&err), 0);
	for (int sealed = 0; sealed < 2; sealed++) {
		struct connection conn;
		int fd;

		make_pair(&conn, &fd);
		if (sealed)
			conn.seal_out = seal_outgoing(&key, stream);
		while (send(conn.fd, &byte, 1, MSG_DONTWAIT) == 1)
			;
		send_when_full(&conn, &small);
		assert_true(drain(fd) > 0);
		assert_int_equal(oob_send(&conn, &small, time_after(20 * MS),
					  &err), sealed ? -EPIPE : 0);
		assert_int_equal(drain(fd), sealed ? 0 : WIRE_HEADER_SIZE);
		close(fd);
		oob_close(&conn);
	}
	frame_free(&small);
}

/* The user's ^C, blocked and read from a descriptor, ends every wait. */
static void interrupt(int what)
{
	int cancel = signals_open(), fd, ret;
	struct connection conn;
	struct frame frame;
	struct error err = { 0 };
	uint32_t port = 0;

	assert_true(cancel >= 0);
	make_pair(&conn, &fd);
	conn.cancel_fd = cancel;
	raise(what ? SIGTERM : SIGINT);
	if (what == 0) {
		ret = oob_receive(&conn, "x", time_after(9000 * MS), &frame,
				  &err);
		assert_int_equal(conn.cancel_fd, -1);	/* only once */
	} else {
		int listener = oob_listen("127.0.0.1", &port, -1, &err);

		ret = oob_wait(listener, POLLIN, &conn.cancel_fd,
			       time_after(9000 * MS), &err);
		close(listener);
	}
	assert_int_equal(ret, -ECANCELED);
	assert_message(&err, what ? "interrupted by SIGTERM" :
				    "interrupted by SIGINT");
	close(cancel);
	close(fd);
	oob_close(&conn);
}

TEST(test_interrupted)
{
	interrupt(0);
	interrupt(1);
}

/* ^C ends a wait in which there is always something to be read. */
TEST(test_interrupted_while_bytes_come)
{
	int cancel = signals_open(), fd;
	struct connection conn;
	struct frame frame, got;
	struct error err = { 0 };

	make_pair(&conn, &fd);
	conn.cancel_fd = cancel;
	frame = encode_start(1);
	assert_true(write(fd, frame.bytes, WIRE_HEADER_SIZE + 8) > 0);
	frame_free(&frame);
	raise(SIGINT);
	assert_int_equal(oob_receive(&conn, "x", time_after(9000 * MS), &got,
				     &err), -ECANCELED);
	close(cancel);
	close(fd);
	oob_close(&conn);
}

/* A peer that says TYPE, if any, and is gone when it is spoken to. */
static int speak_to_the_gone(enum frame_type type, struct error *err)
{
	const struct error why = {
		.stage = "traffic",
		.code = "EBADMSG",
		.message = "wrong",
	};
	struct connection conn;
	struct frame frame;
	int fd, ret;

	make_pair(&conn, &fd);
	frame = encode_empty(FRAME_ALIVE);
	assert_int_equal(send(fd, frame.bytes, WIRE_HEADER_SIZE, 0),
			 WIRE_HEADER_SIZE);
	frame_free(&frame);
	if (type == FRAME_ABORT)
		frame = encode_error(type, &why);
	else
		frame = encode_empty(type);
	assert_int_equal(send(fd, frame.bytes, WIRE_HEADER_SIZE + frame.length,
			      0), WIRE_HEADER_SIZE + frame.length);
	close(fd);
	ret = oob_send_or_explain(&conn, &frame, time_after(1000 * MS), err);
	frame_free(&frame);
	oob_close(&conn);
	return ret;
}

TEST(test_last_words_are_heard)
{
	struct error err = { .stage = "finish" };

	assert_int_equal(speak_to_the_gone(FRAME_ABORT, &err), -ECONNABORTED);
	assert_message(&err, "the server: wrong");
	assert_string_equal(err.code, "EBADMSG");
	assert_string_equal(err.stage, "traffic");
	assert_true(err.from_peer);
}

TEST(test_who_left_without_a_word_is_lost)
{
	struct error err = { .stage = "finish" };

	assert_int_equal(speak_to_the_gone(FRAME_BYE, &err), -EPIPE);
	assert_message(&err, "lost the connection to the server while "
			     "sending BYE: Broken pipe");
	assert_string_equal(err.stage, "finish");
	assert_false(err.from_peer);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_last_words_are_heard),
	cmocka_unit_test(test_who_left_without_a_word_is_lost),
	cmocka_unit_test(test_byte_by_byte),
	cmocka_unit_test(test_the_deadline_is_for_the_whole_frame),
	cmocka_unit_test(test_the_kernel_asks_for_the_host),
	cmocka_unit_test(test_silence_and_close),
	cmocka_unit_test(test_what_is_there_is_taken),
	cmocka_unit_test(test_taken_in_pieces),
	cmocka_unit_test(test_half_a_frame_is_released),
	cmocka_unit_test(test_nothing_after_nonsense),
	cmocka_unit_test(test_a_flood_of_signs_of_life),
	cmocka_unit_test(test_signs_of_life_that_waited),
	cmocka_unit_test(test_a_flood_of_other_frames),
	cmocka_unit_test(test_short_writes),
	cmocka_unit_test(test_nobody_reads),
	cmocka_unit_test(test_nothing_is_sent_after_a_part),
	cmocka_unit_test(test_what_did_not_fit_is_not_sent),
	cmocka_unit_test(test_what_can_be_sent_after_nothing),
	cmocka_unit_test(test_interrupted),
	cmocka_unit_test(test_interrupted_while_bytes_come),
};

TEST_MAIN(tests, 60)
