/* A client that waits for its turn: for as long as others before it leave. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <sys/socket.h>
#include <time.h>

#include "base/log.h"
#include "base/time.h"
#include "fake_verbs.h"
#include "net/turn.h"
#include "session/dialogue.h"

#define SIGNS 200
/* Each reading takes that long: 200 signs of life last much longer than an
 * hour. */
#define READING (10 * SECOND)

static uint64_t readings;

int clock_gettime(clockid_t id, struct timespec *ts)
{
	uint64_t now = ++readings * READING;

	(void)id;
	ts->tv_sec = (time_t)(now / SECOND);
	ts->tv_nsec = 0;
	return 0;
}

static void send_frame(int fd, struct frame *frame)
{
	assert_true(send(fd, frame->bytes, WIRE_HEADER_SIZE + frame->length,
			 0) > 0);
	frame_free(frame);
}

/* Places of a queue, and the turn at its end. */
static void tell(int fd, uint32_t (*place)(uint32_t i))
{
	const struct port port = { .number = 1 };
	struct frame frame;

	for (uint32_t i = 0; i < SIGNS; i++) {
		frame = encode_wait(place(i));
		send_frame(fd, &frame);
	}
	frame = encode_accept(&port);
	send_frame(fd, &frame);
}

/* What becomes of a client that is told these places. */
static int wait_for_turn(uint32_t (*place)(uint32_t i), struct error *err)
{
	struct session s = { .place = PLACE_UNKNOWN,
			     .best_place = PLACE_UNKNOWN };
	struct result result = { .params.plan.timeout = 3600 * SECOND };
	struct connection conn;
	struct frame frame;
	int fds[2], ret;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	s.run = (struct run){ .client = true, .conn = &conn,
			      .result = &result,
			      .plan = &result.params.plan };
	tell(fds[1], place);
	oob_adopt(fds[0], -1, "server", &conn);
	ret = session_expect(&s, FRAME_ACCEPT, &frame);
	if (!ret)
		frame_free(&frame);
	*err = result.error;
	oob_close(&conn);
	close(fds[1]);
	return ret;
}

static uint32_t falls(uint32_t i)
{
	return SIGNS - i;
}

static uint32_t stays(uint32_t i)
{
	(void)i;
	return 1;
}

static uint32_t goes_up_and_down(uint32_t i)
{
	return 2 - i % 2;
}

TEST(test_a_long_queue_that_moves)
{
	struct error err;

	assert_int_equal(wait_for_turn(falls, &err), 0);
}

TEST(test_a_queue_that_does_not_move)
{
	struct error err;

	assert_int_equal(wait_for_turn(stays, &err), -ETIMEDOUT);
	assert_message(&err, "the server is alive but did not send ACCEPT "
			     "within 3600 s");
}

/* Nobody who left comes back to the place before. */
TEST(test_a_queue_that_goes_up_and_down)
{
	struct error err;

	assert_int_equal(wait_for_turn(goes_up_and_down, &err), -ETIMEDOUT);
	assert_message(&err, "the server is alive but did not send ACCEPT "
			     "within 3600 s");
}

TEST_FILE()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_long_queue_that_moves),
		cmocka_unit_test(test_a_queue_that_does_not_move),
		cmocka_unit_test(test_a_queue_that_goes_up_and_down),
	};

	log_set_level(LOG_QUIET);
	alarm(patient(60));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
