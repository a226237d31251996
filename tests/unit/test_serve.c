/*
 * The process of a server that takes clients, with processes of its own for
 * them: real ones, which do what the test, their client, tells them byte by
 * byte.
 */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "base/log.h"
#include "base/time.h"
#include "net/frames.h"
#include "net/oob.h"
#include "net/turn.h"
#include "net/wait.h"
#include "serve/children.h"
#include "serve/serve.h"

/* What a client's process is told; all but the last two answer with a byte. */
enum word {
	NOTHING = 'n',
	ASK = 'a',		/* ask for a turn */
	HEAR = 'h',		/* wait for a place: answers its 4 bytes */
	END = 'e',		/* give the turn back */
	REPORT = 'r',		/* be the only one that reports */
	HANG = 'z',		/* and hear no signal but SIGKILL */
	TRUST = 't',		/* that it was served */
	EXIT = 'x',		/* with the status that follows */
	CRASH = 'c',
};

/* Of a client's turn. */
#define LIMIT (3600 * SECOND)
/* More than what a process has to say goodbye. */
#define LATER (11 * SECOND)

/* How far the clock of all processes here is ahead, from the beginning on. */
#define AHEAD (1000 * SECOND)
static _Atomic uint64_t *ahead;

int clock_gettime(clockid_t id, struct timespec *ts)
{
	int ret = (int)syscall(SYS_clock_gettime, id, ts);

	if (ahead && id == CLOCK_MONOTONIC)
		ts->tv_sec += (time_t)(*ahead / SECOND);
	return ret;
}

/* The first so many calls of accept4(2) of a server fail, with this. */
static int accepts_to_fail, accept_errnum;

int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags)
{
	if (accepts_to_fail > 0) {
		accepts_to_fail--;
		errno = accept_errnum;
		return -1;
	}
	/* errno stays what it was */
	return (int)syscall(SYS_accept4, fd, address, length, flags);
}

/* How the server ends when it served no client that has a status. */
enum { NO_STATUS = 100, CANCELED, TIMED_OUT, FAILED };
/* How a client's process ends that was told to by a signal. */
#define INTERRUPTED 3

static pid_t server;
static uint32_t port;
static int log_fd;		/* what the server and its processes print */
static char logged[65536];
static size_t log_size;

static void answer(const struct connection *conn, const void *data,
		   size_t size)
{
	if (write(conn->fd, data, size) != (ssize_t)size)
		_exit(FAILED);
}

static void ask(const struct connection *conn)
{
	const struct {
		enum turn_message word;
		uint64_t limit;
	} message = { TURN_REQUEST, LIMIT };

	if (send(conn->turn_fd, &message, sizeof(message), 0) < 0)
		_exit(FAILED);
}

static void obey(struct connection *conn, uint8_t word)
{
	uint32_t place;
	uint8_t status = 0;

	switch (word) {
	case ASK:
		ask(conn);
		break;
	case HEAR:
		if (recv(conn->turn_fd, &place, sizeof(place), 0) !=
		    sizeof(place))
			_exit(FAILED);
		answer(conn, &place, sizeof(place));
		return;
	case END:
		turn_release(conn);
		break;
	case REPORT:
		serve_begin_report();
		break;
	case EXIT:
		_exit(read(conn->fd, &status, 1) == 1 ? status : FAILED);
	case HANG:
		answer(conn, &word, 1);
		for (;;)
			pause();
	case TRUST:
		log_trust();
		break;
	case NOTHING:
		break;
	default:
		raise(SIGKILL);
	}
	answer(conn, &word, 1);
}

static void be_process_of_client(struct connection *conn)
{
	struct error err = { 0 };
	uint8_t word;
	int ret;

	for (;;) {
		ret = oob_wait(conn->fd, POLLIN, &conn->cancel_fd, UINT64_MAX,
			       &err);
		if (ret)
			_exit(INTERRUPTED);
		if (read(conn->fd, &word, 1) != 1)
			_exit(0);
		obey(conn, word);
	}
}

static void be_server(const struct parameters *params, int listener,
		      rlim_t descriptors)
{
	const struct rlimit limit = { descriptors, descriptors };
	struct error err = { 0 };
	struct connection conn;
	int status, ret;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	log_never_wait();
	if (descriptors)
		setrlimit(RLIMIT_NOFILE, &limit);
	ret = serve_clients(params, listener, signals_open(), &conn, &status,
			    &err);
	if (ret > 0)
		be_process_of_client(&conn);
	if (ret < 0)
		_exit(ret == -ECANCELED ? CANCELED :
		      ret == -ETIMEDOUT ? TIMED_OUT : FAILED);
	_exit(status < 0 ? NO_STATUS : status);
}

/* Start one with so many DESCRIPTORS; 0: as many as it likes. */
static void begin(const struct parameters *params, rlim_t descriptors)
{
	struct error err = { 0 };
	int listener, fds[2];

	port = 0;
	listener = oob_listen("127.0.0.1", &port, -1, &err);
	assert_true(listener >= 0);
	assert_int_equal(pipe(fds), 0);
	ahead = mmap(NULL, sizeof(*ahead), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(ahead, MAP_FAILED);
	*ahead = AHEAD;
	fflush(NULL);
	server = fork();
	assert_true(server >= 0);
	if (server == 0) {
		dup2(fds[1], STDERR_FILENO);
		close(fds[0]);
		close(fds[1]);
		be_server(params, listener, descriptors);
	}
	close(listener);
	close(fds[1]);
	log_fd = fds[0];
	fcntl(log_fd, F_SETFL, O_NONBLOCK);
	log_size = 0;
}

static void check_status(int wanted)
{
	int status;

	assert_int_equal(waitpid(server, &status, 0), server);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), wanted);
}

static void check_ends(int wanted)
{
	check_status(wanted);
	close(log_fd);
}

static void stop(int number, int wanted)
{
	kill(server, number);
	check_ends(wanted);
}

/* Everything that was printed until now. */
static const char *read_log(void)
{
	ssize_t n = read(log_fd, logged + log_size,
			 sizeof(logged) - log_size - 1);

	log_size += n > 0 ? (size_t)n : 0;
	logged[log_size] = '\0';
	return logged;
}

/* As stop(), and all that was printed is in the log. */
static void stop_and_read(int number, int wanted)
{
	kill(server, number);
	check_status(wanted);
	read_log();
	close(log_fd);
	log_fd = -1;
}

/* The server prints TEXT soon, or has done so. */
static void check_says(const char *text)
{
	uint64_t deadline = time_after(patient(10) * SECOND);

	while (!strstr(read_log(), text) && time_until(deadline))
		usleep(1000);
	assert_contains(logged, text);
}

static int try_join(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (!connect(fd, (struct sockaddr *)&in, sizeof(in)))
		return fd;
	close(fd);
	return -errno;
}

static int join(void)
{
	int fd = try_join();

	assert_true(fd >= 0);
	return fd;
}

/* The process of FD does as WORD says, and has done so. */
static void tell(int fd, uint8_t word)
{
	uint8_t same = 0;

	assert_int_equal(send(fd, &word, 1, MSG_NOSIGNAL), 1);
	assert_int_equal(recv(fd, &same, 1, 0), 1);
	assert_int_equal(same, word);
}

/* The next that the process of FD is told of its place. */
static uint32_t place(int fd)
{
	const uint8_t word = HEAR;
	uint32_t told;

	assert_int_equal(send(fd, &word, 1, MSG_NOSIGNAL), 1);
	assert_int_equal(recv(fd, &told, sizeof(told), MSG_WAITALL),
			 sizeof(told));
	return told;
}

/* A client that has come and asked, and the first place it is told. */
static int join_and_ask(uint32_t wanted)
{
	int fd = join();

	tell(fd, ASK);
	assert_int_equal(place(fd), wanted);
	return fd;
}

/* NS pass, after which the server looks what is due. */
static void pass(uint64_t ns)
{
	*ahead += ns;
	kill(server, SIGCHLD);
}

/* The process of FD is told WORD, and may not answer. */
static void say(int fd, uint8_t word)
{
	assert_int_equal(send(fd, &word, 1, MSG_NOSIGNAL), 1);
}

/* The process of FD has ended. */
static void check_gone(int fd)
{
	char byte;

	assert_true(recv(fd, &byte, 1, 0) <= 0);
	close(fd);
}

static void leave(int fd, uint8_t status)
{
	const uint8_t words[] = { EXIT, status };

	assert_int_equal(send(fd, words, 2, MSG_NOSIGNAL), 2);
	check_gone(fd);
}

TEST(test_one_at_a_time)
{
	const struct parameters params = { .parallel = 1 };
	int a, b, c;

	begin(&params, 0);
	a = join_and_ask(PLACE_SERVED);
	b = join_and_ask(1);
	c = join_and_ask(2);
	tell(a, END);		/* its report is no matter of the others */
	assert_int_equal(place(b), PLACE_SERVED);
	assert_int_equal(place(c), 1);
	leave(b, 0);
	assert_int_equal(place(c), PLACE_SERVED);
	leave(a, 0);
	/* all are told to go, and the server goes when they are gone */
	stop(SIGTERM, NO_STATUS);
	check_gone(c);
}

TEST(test_two_at_a_time)
{
	const struct parameters params = { .parallel = 2 };
	int a, b, c;

	begin(&params, 0);
	a = join_and_ask(PLACE_SERVED);
	b = join_and_ask(PLACE_SERVED);
	c = join_and_ask(1);
	close(a);
	assert_int_equal(place(c), PLACE_SERVED);
	leave(b, 0);
	leave(c, 0);
	stop(SIGINT, NO_STATUS);
}

/* Of so many looks at the server, those at which it sleeps. */
#define LOOKS 50

static int count_sleeping(void)
{
	char path[40], state;
	int n = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)server);
	for (int i = 0; i < LOOKS; i++) {
		FILE *file = fopen(path, "r");

		assert_non_null(file);
		assert_int_equal(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
		fclose(file);
		n += state == 'S';
		usleep(2000);
	}
	return n;
}

/* A server with nothing to do leaves the processors to who measures. */
TEST(test_idle)
{
	const struct parameters params = { .parallel = 1 };
	int a, b, c;

	begin(&params, 0);
	assert_true(count_sleeping() > LOOKS / 2);
	a = join_and_ask(PLACE_SERVED);
	b = join_and_ask(1);
	c = join();
	assert_true(count_sleeping() > LOOKS / 2);
	leave(b, 0);
	leave(c, 0);
	tell(a, END);
	assert_true(count_sleeping() > LOOKS / 2);
	leave(a, 0);
	stop(SIGTERM, NO_STATUS);
}

/* A process that crashes is said, and its turn is the next one's. */
TEST(test_crash)
{
	const struct parameters params = { .parallel = 1 };
	int a, b;

	begin(&params, 0);
	a = join_and_ask(PLACE_SERVED);
	b = join_and_ask(1);
	say(a, CRASH);
	check_gone(a);
	assert_int_equal(place(b), PLACE_SERVED);
	check_says("was ended by signal 9");
	leave(b, 0);
	stop(SIGTERM, NO_STATUS);
}

/* The first that asks is the one, and its status the server's. */
TEST(test_once)
{
	const struct parameters params = { .parallel = 2,
					   .once = PARAM_FOREVER };
	int a, b, c;

	begin(&params, 0);
	b = join();
	tell(b, NOTHING);	/* it is there, and does not listen itself */
	a = join_and_ask(PLACE_SERVED);
	c = try_join();
	assert_int_equal(c, -ECONNREFUSED);
	tell(b, ASK);
	assert_int_equal(place(b), PLACE_OVER);
	leave(a, 7);
	check_ends(7);
	check_gone(b);
}

/* perftest's server has its client with the first that greets, even if that
 * does not come to its turn. */
TEST(test_once_as_perftest)
{
	const struct parameters params = { .parallel = 1,
					   .once = PARAM_FOREVER,
					   .perftest = true };
	int a, b;

	begin(&params, 0);
	a = join();
	leave(a, SERVE_NO_HELLO);
	check_gone(a);
	b = join();
	leave(b, 1);
	check_ends(1);
}

TEST(test_once_and_nobody_came)
{
	const struct parameters params = { .parallel = 1,
					   .once = PARAM_FOREVER };
	int a;

	begin(&params, 0);
	a = join();
	leave(a, 7);		/* did not ask */
	stop(SIGINT, CANCELED);
}

TEST(test_once_and_nobody_came_in_time)
{
	const struct parameters params = { .parallel = 1,
					   .once = SECOND / 10 };

	begin(&params, 0);
	check_ends(TIMED_OUT);
}

TEST(test_once_and_a_crash)
{
	const struct parameters params = { .parallel = 1,
					   .once = PARAM_FOREVER };
	int a;

	begin(&params, 0);
	a = join_and_ask(PLACE_SERVED);
	say(a, CRASH);
	check_gone(a);
	check_ends(NO_STATUS);
}

/* A turn that lasts longer than it may is another's, and its process killed. */
TEST(test_overdue)
{
	const struct parameters params = { .parallel = 1 };
	int a, b;

	begin(&params, 0);
	a = join_and_ask(PLACE_SERVED);
	tell(a, HANG);
	b = join_and_ask(1);
	pass(LIMIT);		/* its process may see that for itself */
	leave(join(), 0);
	assert_null(strstr(read_log(), "killed the process"));
	pass(LATER);
	assert_int_equal(place(b), PLACE_SERVED);
	check_gone(a);
	check_says("it did not end within 3600 s (--max-duration) and 10 s "
		   "more");
	assert_null(strstr(logged, "was ended by signal"));
	leave(b, 0);
	stop(SIGTERM, NO_STATUS);
}

TEST(test_once_and_overdue)
{
	const struct parameters params = { .parallel = 1,
					   .once = PARAM_FOREVER };
	int a, b;

	begin(&params, 0);
	b = join();
	a = join_and_ask(PLACE_SERVED);
	tell(a, HANG);
	tell(b, HANG);
	pass(LIMIT + LATER);
	check_ends(NO_STATUS);
	check_gone(a);
	check_gone(b);
}

/* Who does not go when it is told to is killed. */
TEST(test_no_goodbye)
{
	const struct parameters params = { .parallel = 1 };
	int a, b, c;

	begin(&params, 0);
	a = join_and_ask(PLACE_SERVED);
	b = join_and_ask(1);
	tell(a, HANG);
	kill(server, SIGTERM);
	check_gone(b);		/* it went */
	c = try_join();
	assert_int_equal(c, -ECONNREFUSED);
	pass(LATER);
	check_ends(NO_STATUS);
	check_gone(a);
}

/* Who is not allowed is told so, not who else is, and has no process. */
TEST(test_stranger)
{
	struct parameters params = { .parallel = 1 };
	struct connection conn;
	struct error err = { 0 }, why;
	struct frame frame;

	assert_int_equal(networks_parse("192.0.2.0/24", &params.allow), 0);
	begin(&params, 0);
	oob_adopt(join(), -1, "server", &conn);
	assert_int_equal(oob_receive(&conn, "x",
				     time_after(patient(10) * SECOND), &frame,
				     &err), 0);
	assert_int_equal(frame.type, FRAME_REFUSE);
	assert_int_equal(decode_error(&frame, &why, &err), 0);
	assert_contains(why.message, "this server accepts no clients from "
				     "127.0.0.1 port ");
	assert_string_equal(why.code, "EACCES");
	assert_null(strstr(why.advice, "192.0.2.0"));
	frame_free(&frame);
	check_gone(conn.fd);
	check_says("it accepts clients from 192.0.2.0/24");
	stop(SIGTERM, NO_STATUS);
}

/* How often TEXT is in the log. */
static uint32_t count_in_log(const char *text)
{
	uint32_t n = 0;

	for (const char *at = read_log(); (at = strstr(at, text)); at++)
		n++;
	return n;
}

/* How many lines the log says are left out. */
static uint32_t left_out(void)
{
	static const char and[] = "verbsperf: and ";
	uint32_t n = 0;

	for (const char *at = read_log(); (at = strstr(at, and)); at++)
		n += (uint32_t)atoi(at + strlen(and));
	return n;
}

/* N clients come, one after the other, and are refused. */
static void come_and_go(uint32_t n)
{
	char why[1024];

	while (n--) {
		int fd = join();

		while (recv(fd, why, sizeof(why), 0) > 0)
			;
		close(fd);
	}
}

/* Strangers that come and come do not fill the log: of their lines a hundred
 * are printed at once, then one each second, and how many were left out is told
 * before the next line, and at the end. */
TEST(test_strangers_and_the_log)
{
	struct parameters params = { .parallel = 1 };

	assert_int_equal(networks_parse("192.0.2.0/24", &params.allow), 0);
	log_set_level(LOG_DETAIL);
	begin(&params, 0);
	log_set_level(LOG_INFO);
	come_and_go(120);
	/* two lines each; a slow machine may have had some seconds for more */
	assert_in_range(count_in_log("\nverbsperf: ") + 1, 100, 130);
	pass(3600 * SECOND);
	come_and_go(1);
	check_says("more lines of clients that were not served\nverbsperf: "
		   "client at ");
	/* an hour is no more than a hundred lines */
	come_and_go(80);
	stop_and_read(SIGTERM, NO_STATUS);
	assert_in_range(count_in_log("client at "), 100, 130);
	assert_int_equal(count_in_log("client at ") +
			 count_in_log("accepts no clients") + left_out(),
			 2 * (120 + 1 + 80));
}

/* Those that are served are no strangers. */
TEST(test_many_clients_that_are_served)
{
	struct parameters params = { .parallel = 1 };

	log_set_level(LOG_DETAIL);
	begin(&params, 0);
	log_set_level(LOG_INFO);
	for (int i = 0; i < 130; i++) {
		int fd = join();

		tell(fd, TRUST);
		leave(fd, 0);
	}
	stop_and_read(SIGTERM, NO_STATUS);
	assert_int_equal(count_in_log("client at "), 130);
	assert_int_equal(left_out(), 0);
}

TEST(test_allowed)
{
	struct parameters params = { .parallel = 1 };
	int a;

	assert_int_equal(networks_parse("192.0.2.0/24,127.0.0.0/8",
					&params.allow), 0);
	begin(&params, 0);
	a = join_and_ask(PLACE_SERVED);
	leave(a, 0);
	stop(SIGTERM, NO_STATUS);
}

/* Has the process of FD answered? */
static bool has_answered(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

/* Reports of two processes do not mix. */
TEST(test_reports)
{
	const struct parameters params = { .parallel = 2 };
	uint8_t same = 0;
	int a, b;

	begin(&params, 0);
	a = join_and_ask(PLACE_SERVED);
	b = join_and_ask(PLACE_SERVED);
	tell(a, REPORT);
	say(b, REPORT);
	assert_false(has_answered(b, 200));
	leave(a, 0);
	assert_int_equal(recv(b, &same, 1, 0), 1);
	assert_int_equal(same, REPORT);
	leave(b, 0);
	stop(SIGTERM, NO_STATUS);
}

/* A connection that goes away before it is accepted keeps no other one out, and
 * is no lack of anything. */
TEST(test_connections_that_were_aborted)
{
	static const int errnums[] = { EINTR, ECONNABORTED, EPROTO };
	const struct parameters params = { .parallel = 1 };

	for (size_t i = 0; i < COUNT(errnums); i++) {
		int a, b;

		accepts_to_fail = 2;
		accept_errnum = errnums[i];
		begin(&params, 0);
		accepts_to_fail = 0;
		a = join_and_ask(PLACE_SERVED);
		b = join_and_ask(1);
		leave(b, 0);
		leave(a, 0);
		assert_null(strstr(read_log(), "cannot accept"));
		stop(SIGTERM, NO_STATUS);
	}
}

/* Another failure is said, and the next client is accepted after a pause. */
TEST(test_accepting_that_fails)
{
	const struct parameters params = { .parallel = 1 };
	int a;

	accepts_to_fail = 1;
	accept_errnum = ENOBUFS;
	begin(&params, 0);
	accepts_to_fail = 0;
	a = join();
	check_says("cannot accept a client now: No buffer space available");
	pass(2 * SECOND);
	tell(a, NOTHING);
	leave(a, 0);
	stop(SIGTERM, NO_STATUS);
}

/* Those who say nothing do not keep others out for long. */
TEST(test_crowd_of_strangers)
{
	const struct parameters params = { .parallel = 1 };
	int silent[NEW_MAX], waiting, last, gone = 0;

	begin(&params, 0);
	for (int i = 0; i < NEW_MAX; i++)
		silent[i] = join();
	for (int i = 0; i < NEW_MAX; i++)
		tell(silent[i], NOTHING);
	/* they have just come, until time passes: there is no room */
	*ahead -= AHEAD;
	waiting = join();
	say(waiting, NOTHING);
	assert_true(count_sleeping() > LOOKS / 2);
	assert_false(has_answered(waiting, 0));	/* it has no process */
	pass(AHEAD);
	last = join_and_ask(PLACE_SERVED);
	close(waiting);
	check_says("which sent nothing, to make room for others");
	assert_null(strstr(logged, "was ended by signal"));
	check_gone(silent[0]);	/* who came first */
	for (int i = 1; i < NEW_MAX; i++) {
		gone += has_answered(silent[i], 0);
		close(silent[i]);
	}
	/* of the others hardly any went with it */
	assert_true(gone < NEW_MAX / 4);
	leave(last, 0);
	stop(SIGTERM, NO_STATUS);
}

/* Descriptors beyond those a server has in any case: of five clients. */
#define FEW 5

/* Where descriptors are missing a client waits until there are some. */
TEST(test_shortage)
{
	const struct parameters params = { .parallel = 1 };
	int first = dup(0), silent[3 * FEW], last;

	close(first);
	begin(&params, (rlim_t)first + 8 + FEW);
	for (int i = 0; i < 3 * FEW; i++)
		silent[i] = join();
	last = join_and_ask(PLACE_SERVED);
	check_says("cannot accept a client now: Too many open files");
	check_says("which sent nothing, to make room for others");
	for (int i = 0; i < 3 * FEW; i++)
		close(silent[i]);
	leave(last, 0);
	stop(SIGTERM, NO_STATUS);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_one_at_a_time),
	cmocka_unit_test(test_two_at_a_time),
	cmocka_unit_test(test_idle),
	cmocka_unit_test(test_crash),
	cmocka_unit_test(test_once),
	cmocka_unit_test(test_once_as_perftest),
	cmocka_unit_test(test_once_and_nobody_came),
	cmocka_unit_test(test_once_and_nobody_came_in_time),
	cmocka_unit_test(test_once_and_a_crash),
	cmocka_unit_test(test_overdue),
	cmocka_unit_test(test_once_and_overdue),
	cmocka_unit_test(test_no_goodbye),
	cmocka_unit_test(test_stranger),
	cmocka_unit_test(test_strangers_and_the_log),
	cmocka_unit_test(test_many_clients_that_are_served),
	cmocka_unit_test(test_allowed),
	cmocka_unit_test(test_reports),
	cmocka_unit_test(test_connections_that_were_aborted),
	cmocka_unit_test(test_accepting_that_fails),
	cmocka_unit_test(test_crowd_of_strangers),
	cmocka_unit_test(test_shortage),
};

TEST_MAIN(tests, 60)
