/* Signs of life of an end that is busy. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>

#include "base/time.h"
#include "net/frames.h"
#include "net/oob.h"
#include "net/wait.h"

#define MS 1000000ULL

static struct connection busy, peer;

static void begin(void)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	oob_adopt(fds[0], -1, "client", &busy);
	oob_adopt(fds[1], -1, "server", &peer);
}

static void end(void)
{
	oob_close(&busy);
	oob_close(&peer);
}

static int hear_sign(uint64_t deadline)
{
	struct error err = { 0 };
	struct frame frame;
	int ret = oob_receive(&peer, "x", deadline, &frame, &err);

	if (ret)
		return ret;
	assert_int_equal(frame.type, FRAME_ALIVE);
	frame_free(&frame);
	return 0;
}

TEST(test_period)
{
	assert_int_equal(alive_period(SECOND), SECOND / 8);
	assert_int_equal(alive_period(2 * SECOND), SECOND / 4);
	assert_int_equal(alive_period(60 * SECOND), SECOND / 4);
}

TEST(test_says_that_it_lives)
{
	uint64_t start = time_now();
	struct error err = { 0 };
	struct alive *alive;

	begin();
	assert_int_equal(alive_begin(&busy, 50 * MS, &alive, &err), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(hear_sign(time_after(10 * SECOND)), 0);
	assert_true(time_since(start) >= 150 * MS);
	assert_int_equal(alive_end(alive, &err), 0);
	while (!hear_sign(0))
		;
	assert_int_equal(hear_sign(time_after(200 * MS)), -ETIMEDOUT);
	assert_false(error_is_set(&err));
	end();
}

/* Work that is over soon needs no sign. */
TEST(test_says_nothing_at_once)
{
	struct error err = { 0 };
	struct alive *alive;

	begin();
	assert_int_equal(alive_begin(&busy, 10 * SECOND, &alive, &err), 0);
	assert_int_equal(alive_end(alive, &err), 0);
	assert_int_equal(hear_sign(0), -ETIMEDOUT);
	end();
}

/* A peer that is gone, or does not read, is for others to notice. */
TEST(test_nobody_listens)
{
	struct error err = { 0 };
	struct alive *alive;

	begin();
	oob_close(&peer);
	assert_int_equal(alive_begin(&busy, 10 * MS, &alive, &err), 0);
	usleep(100000);
	assert_int_equal(alive_end(alive, &err), 0);
	assert_false(error_is_set(&err));
	end();
}

TEST(test_interrupted)
{
	struct pollfd signals = { .events = POLLIN };
	struct error err = { .stage = "resources" };
	struct alive *alive;

	begin();
	busy.cancel_fd = signals.fd = signals_open();
	assert_int_equal(alive_begin(&busy, SECOND / 4, &alive, &err), 0);
	/* to the process: raise(3) would tell this thread alone */
	kill(getpid(), SIGINT);
	/* until the other thread has taken it */
	while (poll(&signals, 1, 0))
		usleep(1000);
	/* the clean-up may take its time, too */
	for (int i = 0; i < 2; i++)
		assert_int_equal(hear_sign(time_after(20 * SECOND)), 0);
	assert_int_equal(alive_end(alive, &err), -ECANCELED);
	assert_message(&err, "interrupted by SIGINT");
	assert_string_equal(err.stage, "resources");
	assert_int_equal(busy.cancel_fd, -1);
	end();
}

/* Writes to the pipe at ARGUMENT once it has heard three signs. */
static void *hear_three(void *argument)
{
	int *heard = argument;

	for (heard[2] = 0; heard[2] < 3; heard[2]++)
		if (hear_sign(time_after(20 * SECOND)))
			break;
	assert_int_equal(write(heard[1], "", 1), 1);
	return NULL;
}

/* A sign each period, until there is something to read. */
TEST(test_gives_signs_while_it_waits)
{
	struct signs signs = { .period = 20 * MS };
	const uint64_t start = time_now();
	struct error err = { 0 };
	pthread_t thread;
	/* of the pipe, and how many were heard */
	int fds[3];

	begin();
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(pthread_create(&thread, NULL, hear_three, fds), 0);
	assert_int_equal(alive_wait(&busy, fds[0], time_after(60 * SECOND),
				    &signs, &err), 0);
	pthread_join(thread, NULL);
	assert_int_equal(fds[2], 3);
	assert_true(time_since(start) >= 3 * signs.period);
	assert_false(error_is_set(&err));
	close(fds[0]);
	close(fds[1]);
	end();
}

/* No longer than until the deadline, and with no more signs than were due. */
TEST(test_waits_until_the_deadline)
{
	struct signs signs = { .period = 20 * MS };
	const uint64_t start = time_now(), deadline = time_after(70 * MS);
	struct error err = { 0 };
	uint64_t heard = 0;
	int fds[2];

	begin();
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(alive_wait(&busy, fds[0], deadline, &signs, &err),
			 -ETIMEDOUT);
	assert_int_equal(time_until(deadline), 0);
	while (!hear_sign(0))
		heard++;
	assert_true(heard <= time_since(start) / signs.period);
	assert_false(error_is_set(&err));
	close(fds[0]);
	close(fds[1]);
	end();
}

/* What can be read ends the wait at once. */
TEST(test_waits)
{
	struct signs signs = { .period = 10 * SECOND, .next = UINT64_MAX };
	struct error err = { 0 };
	int fds[2];

	begin();
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "", 1), 1);
	assert_int_equal(alive_wait(&busy, fds[0], time_after(10 * SECOND),
				    &signs, &err), 0);
	assert_int_equal(hear_sign(0), -ETIMEDOUT);
	/* a sign that is due does not wait for the deadline */
	signs.next = time_now();
	assert_int_equal(alive_wait(&busy, fds[0], time_after(10 * SECOND),
				    &signs, &err), 0);
	assert_int_equal(hear_sign(0), 0);
	assert_false(error_is_set(&err));
	close(fds[0]);
	close(fds[1]);
	end();
}

/* The first sign comes after a period. */
TEST(test_waits_for_the_peer)
{
	struct signs signs = { .period = 10 * SECOND };
	struct error err = { 0 };
	struct frame frame = encode_empty(FRAME_ALIVE);
	int fds[2];

	begin();
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(oob_send(&peer, &frame, time_after(SECOND), &err), 0);
	frame_free(&frame);
	assert_int_equal(alive_wait(&busy, fds[0], time_after(10 * SECOND),
				    &signs, &err), 0);
	assert_int_equal(hear_sign(0), -ETIMEDOUT);
	assert_true(time_until(signs.next) > SECOND);
	close(fds[0]);
	close(fds[1]);
	end();
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_period),
	cmocka_unit_test(test_says_that_it_lives),
	cmocka_unit_test(test_says_nothing_at_once),
	cmocka_unit_test(test_nobody_listens),
	cmocka_unit_test(test_interrupted),
	cmocka_unit_test(test_gives_signs_while_it_waits),
	cmocka_unit_test(test_waits_until_the_deadline),
	cmocka_unit_test(test_waits),
	cmocka_unit_test(test_waits_for_the_peer),
};

TEST_MAIN(tests, 30)
