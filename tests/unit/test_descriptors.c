/* Descriptors that were inherited. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "base/descriptors.h"

TEST(test_what_can_be_written)
{
	static const struct {
		int flags;
		bool writable;
	} rows[] = {
		{ O_RDONLY, false }, { O_WRONLY, true }, { O_RDWR, true },
		{ O_PATH, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		int fd = open("/dev/null", rows[i].flags);

		assert_int_equal(descriptors_writable(fd), rows[i].writable);
		close(fd);
		assert_false(descriptors_writable(fd));
	}
}

TEST(test_how_many_are_left)
{
	struct rlimit before, few;
	int next = dup(0);

	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = (rlim_t)next + 2;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_true(descriptors_left(2));
	assert_false(descriptors_left(3));
	/* all were closed again */
	assert_true(descriptors_left(2));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_true(descriptors_left(16));
}

/* Other processes that have the pipe go on to wait for it. */
TEST(test_reopened_not_to_wait)
{
	char page[4096] = { 0 };
	int fds[2], again, n = 0;

	assert_int_equal(pipe(fds), 0);
	again = descriptors_reopen(fds[1]);
	assert_int_not_equal(again, fds[1]);
	assert_false(fcntl(fds[1], F_GETFL) & O_NONBLOCK);
	while (n < 100 && descriptors_write(again, page, sizeof(page)) > 0)
		n++;
	assert_in_range(n, 1, 99);
	assert_int_equal(descriptors_write(again, page, sizeof(page)), 0);
	/* what cannot be written */
	assert_int_equal(descriptors_reopen(fds[0]), fds[0]);
	close(fds[0]);
	assert_int_equal(descriptors_write(again, page, 1), -EPIPE);
	close(fds[1]);
	close(again);
}

TEST(test_sockets)
{
	char page[4096] = { 0 };
	int fds[2], n = 0;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_int_equal(descriptors_reopen(fds[1]), fds[1]);
	while (n < 10000 && descriptors_write(fds[1], page, sizeof(page)) > 0)
		n++;
	assert_in_range(n, 1, 9999);
	close(fds[0]);
	assert_int_equal(descriptors_write(fds[1], page, 1), -EPIPE);
	close(fds[1]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_what_can_be_written),
	cmocka_unit_test(test_how_many_are_left),
	cmocka_unit_test(test_reopened_not_to_wait),
	cmocka_unit_test(test_sockets),
};

TEST_FILE()
{
	alarm(patient(10));
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
