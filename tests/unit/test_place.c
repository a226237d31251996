/* Lines that are never cut, in a pipe that has little room, or many writers. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include "report/sink.h"

#define ROUNDS 20000
#define PAGE 4096

static char text[8 << 20];

/* A pipe of PAGES, where neither end waits. */
static void open_pipe(int fds[2], int pages, struct place *place)
{
	assert_int_equal(pipe2(fds, O_NONBLOCK | O_CLOEXEC), 0);
	assert_true(fcntl(fds[1], F_SETPIPE_SZ, pages * PAGE) > 0);
	place_open(place, fds[1]);
}

static void close_pipe(const int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

/* N bytes of TEXT, of which the last ends a line. */
static const char *line_of(size_t n)
{
	memset(text, 'x', n);
	text[n - 1] = '\n';
	return text;
}

static size_t at_most(long n)
{
	return (size_t)(random() % n) + 1;
}

/* However a pipe was filled and read: small writes, and parts of pages, take
 * more of its room than their bytes. */
TEST(test_a_line_is_taken_all_or_not_at_all)
{
	static const long lengths[] = { 20, 3000, 5000, 30000 };
	unsigned int taken = 0, refused = 0;
	struct place place;
	int fds[2];

	open_pipe(fds, 16, &place);
	srandom(1);
	for (int i = 0; i < ROUNDS; i++) {
		size_t n = at_most(lengths[random() % 4]);
		ssize_t done = place_write(&place, line_of(n), n);

		assert_true(done == (ssize_t)n || done == 0);
		taken += done > 0;
		refused += done == 0;
		if (random() % 2)
			done = read(fds[0], text, at_most(12000));
	}
	assert_true(taken > ROUNDS / 4 && refused > ROUNDS / 10);
	close_pipe(fds);
}

/* So that a page of it may be free for long. */
TEST(test_an_empty_pipe_takes_all_that_it_holds)
{
	struct place place;
	int fds[2];

	open_pipe(fds, 4, &place);
	assert_int_equal(place_write(&place, line_of(4 * PAGE), 4 * PAGE),
			 4 * PAGE);
	assert_int_equal(place_write(&place, line_of(5000), 5000), 0);
	assert_int_equal(read(fds[0], text, sizeof(text)), 4 * PAGE);
	/* and more, if it may grow */
	assert_int_equal(place_write(&place, line_of(100000), 100000), 100000);
	close_pipe(fds);
}

/* Which any pipe with a page takes all or not at all. */
TEST(test_a_page_is_taken_beside_a_line)
{
	struct place place;
	int fds[2];

	open_pipe(fds, 2, &place);
	assert_int_equal(place_write(&place, line_of(10), 10), 10);
	assert_int_equal(place_write(&place, line_of(PAGE), PAGE), PAGE);
	close_pipe(fds);
}

/* A process that writes LENGTH bytes, in parts, and waits then for its end. */
static pid_t start_writer(struct place *place, size_t length, int say)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	while (place_write(place, line_of(length), length) <= 0)
		;
	_exit(write(say, "", 1) == 1 ? pause() : 1);
}

/* No pipe is as large as this line: others are kept out until it is complete,
 * or until its writer is gone. */
TEST(test_a_line_that_is_begun_keeps_others_out)
{
	int fds[2], told[2], status;
	struct place place;
	char byte;
	pid_t pid;

	assert_int_equal(pipe(told), 0);
	open_pipe(fds, 16, &place);
	pid = start_writer(&place, sizeof(text), told[1]);
	assert_int_equal(read(told[0], &byte, 1), 1);
	assert_int_equal(place_write(&place, line_of(10), 10), 0);
	assert_true(read(fds[0], text, sizeof(text)) > 0);
	assert_int_equal(place_write(&place, line_of(10), 10), 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(place_write(&place, line_of(10), 10), 10);
	close_pipe(fds);
	close_pipe(told);
}

TEST(test_a_line_in_parts_is_completed)
{
	size_t n = sizeof(text), sent = 0, came = 0;
	struct place place;
	int fds[2];

	open_pipe(fds, 16, &place);
	line_of(n);
	while (sent < n) {
		ssize_t done = place_write(&place, text + sent, n - sent);
		static char part[65536];

		assert_true(done >= 0);
		sent += (size_t)done;
		assert_int_equal(place.left, n - sent);
		done = read(fds[0], part, sizeof(part));
		came += done > 0 ? (size_t)done : 0;
	}
	assert_int_equal(came, n);
	assert_int_equal(place.left, 0);
	close_pipe(fds);
}

TEST(test_a_reader_that_is_gone)
{
	struct place place;
	int fds[2];

	open_pipe(fds, 16, &place);
	close(fds[0]);
	assert_int_equal(place_write(&place, line_of(10), 10), -EPIPE);
	close(fds[1]);
}

static int ignore_sigpipe(void **state)
{
	(void)state;
	return signal(SIGPIPE, SIG_IGN) == SIG_ERR;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_a_line_is_taken_all_or_not_at_all),
	cmocka_unit_test(test_an_empty_pipe_takes_all_that_it_holds),
	cmocka_unit_test(test_a_page_is_taken_beside_a_line),
	cmocka_unit_test(test_a_line_that_is_begun_keeps_others_out),
	cmocka_unit_test(test_a_line_in_parts_is_completed),
	cmocka_unit_test_setup(test_a_reader_that_is_gone, ignore_sigpipe),
};

TEST_MAIN(tests, 20)
