/* A client whose server is full: whether it comes again, and with what. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/time.h"
#include "base/xalloc.h"
#include "net/wait.h"
#include "session/dialogue.h"
#include "session/session.h"

/* What a run is over with when the server is full. */
static struct result full(void)
{
	struct result r = { 0 };

	fail(&r.error, -EAGAIN, "try again later", "the server: too many");
	r.error.from_peer = true;
	return r;
}

TEST(test_wanted)
{
	struct result r = full();

	assert_true(retry_is_wanted(&r, time_after(60 * SECOND)));
	/* not when the time is over before the next run can begin */
	assert_false(retry_is_wanted(&r, 0));
	assert_false(retry_is_wanted(&r, time_after(SECOND / 2)));
}

/* Only of a server that did not begin, and only for that reason. */
TEST(test_not_wanted)
{
	const uint64_t later = time_after(60 * SECOND);
	struct result r = full();

	r.connected = true;
	assert_false(retry_is_wanted(&r, later));
	r = full();
	r.error.from_peer = false;
	assert_false(retry_is_wanted(&r, later));
	r = full();
	snprintf(r.error.code, sizeof(r.error.code), "EBUSY");
	assert_false(retry_is_wanted(&r, later));
	r = (struct result){ 0 };
	assert_false(retry_is_wanted(&r, later));
}

static void begin(struct connection *conn, int *peer, struct result *r,
		  struct session **session)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	oob_adopt(fds[0], -1, "server", conn);
	*peer = fds[1];
	*r = full();
	r->peer_error = r->error;
	*session = xcalloc(1, sizeof(**session));
}

TEST(test_all_is_forgotten)
{
	struct connection conn;
	struct session *session;
	struct result r;
	uint64_t start = time_now();
	char byte;
	int peer;

	begin(&conn, &peer, &r, &session);
	assert_int_equal(retry_prepare(&r, &conn, &session), 0);
	assert_true(time_since(start) >= SECOND);
	assert_int_equal(read(peer, &byte, 1), 0);
	assert_int_equal(conn.fd, -1);
	assert_null(session);
	assert_false(error_is_set(&r.error));
	assert_false(error_is_set(&r.peer_error));
	close(peer);
}

TEST(test_interrupted)
{
	struct connection conn;
	struct session *session;
	struct result r;
	int peer;

	begin(&conn, &peer, &r, &session);
	conn.cancel_fd = signals_open();
	kill(getpid(), SIGINT);
	assert_int_equal(retry_prepare(&r, &conn, &session), -ECANCELED);
	assert_message(&r.error, "interrupted by SIGINT");
	assert_false(r.error.from_peer);
	assert_int_equal(conn.cancel_fd, -1);
	close(peer);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_wanted),
	cmocka_unit_test(test_not_wanted),
	cmocka_unit_test(test_all_is_forgotten),
	cmocka_unit_test(test_interrupted),
};

TEST_MAIN(tests, 20)
