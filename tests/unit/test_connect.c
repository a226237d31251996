/* Finding and reaching the other end over TCP. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/time.h"
#include "net/address.h"
#include "net/frames.h"
#include "net/oob.h"
#include "net/wait.h"
#include "try_connect.h"

#define MS 1000000ULL

/* Where the tests that run beside these have no servers: one of theirs took the
 * port once that had just been free. */
#define QUIET "127.75.76.77"

static uint32_t free_port(void)
{
	struct error err = { 0 };
	uint32_t port = 0;
	int fd = oob_listen(QUIET, &port, -1, &err);

	assert_true(fd >= 0);
	close(fd);
	return port;
}

TEST(test_refused)
{
	uint32_t port = free_port();
	struct connection conn = { .fd = -1 };
	struct error err = { 0 };
	char text[100];

	assert_int_equal(try_connect(QUIET, port, 0, NULL, 1000 * MS, 0, -1,
				     &conn, &err), -ECONNREFUSED);
	snprintf(text, sizeof(text),
		 "cannot connect to " QUIET " port %u: Connection refused",
		 port);
	assert_message(&err, text);
	assert_contains(err.advice, "--wait");
	assert_int_equal(conn.fd, -1);
}

/* No name server is asked for that: a part of it is too long. */
#define NO_HOST \
	"no-such-host-0123456789-0123456789-0123456789-0123456789-0123456789"

TEST(test_no_such_host)
{
	struct connection conn = { .fd = -1 };
	struct error err = { 0 };

	assert_int_equal(try_connect(NO_HOST, 1, 0, NULL, 9000 * MS, 0, -1,
				     &conn, &err), -EHOSTUNREACH);
	assert_contains(err.message, "cannot find the address of '"
				     NO_HOST "'");
	error_clear(&err);
	/* a --bind that is known does not make up for it */
	assert_int_equal(try_connect(NO_HOST, 1, 0, "127.0.0.1", 9000 * MS, 0,
				     -1, &conn, &err), -EHOSTUNREACH);
	assert_contains(err.message, "cannot find the address of '"
				     NO_HOST "'");
	error_clear(&err);
	/* nor the other way round */
	assert_int_equal(try_connect("127.0.0.1", 1, 0, NO_HOST, 9000 * MS, 0,
				     -1, &conn, &err), -EHOSTUNREACH);
	assert_contains(err.message, "cannot find the address of "
				     "--bind '" NO_HOST "'");
	error_clear(&err);
	assert_int_equal(try_connect("fe80::1%none9", 1, 0, NULL, 9000 * MS, 0,
				     -1, &conn, &err), -EHOSTUNREACH);
	assert_contains(err.message, "there is no interface 'none9'");
	error_clear(&err);
	/* no host has such a name, whatever a name server says */
	assert_int_equal(try_connect("::1:18515", 1, 0, NULL, MS, 0, -1,
				     &conn, &err), -EINVAL);
	assert_contains(err.message, "a port is not part of an address");
	error_clear(&err);
	assert_int_equal(try_connect("127.0.0.1", 1, 0, "192.0.2.77", MS, 0, -1,
				     &conn, &err), -EADDRNOTAVAIL);
	assert_contains(err.message, "--bind 192.0.2.77: ");
}

TEST(test_wait_is_over)
{
	uint32_t port = free_port();
	struct connection conn = { .fd = -1 };
	struct error err = { 0 };
	uint64_t start = time_now(), took;

	assert_int_equal(try_connect(QUIET, port, 0, NULL, 1000 * MS,
				     350 * MS, -1, &conn, &err),
			 -ECONNREFUSED);
	took = time_now() - start;
	assert_true(took >= 200 * MS && took < 5000 * MS);
}

struct late {
	uint32_t port;
	int listener;
	struct connection conn;
	struct error err;
	int ret;
	pthread_t thread;
};

static void *serve_late(void *argument)
{
	struct late *l = argument;

	usleep(300000);
	l->listener = oob_listen(QUIET, &l->port, -1, &l->err);
	do {
		l->ret = oob_accept(l->listener, &l->conn);
		usleep(1000);
	} while (l->ret == -EAGAIN);
	return NULL;
}

TEST(test_wait_for_a_late_server)
{
	const uint32_t port = free_port();
	struct late late = { .port = port };
	struct connection conn = { .fd = -1 };
	struct error err = { 0 };
	struct frame frame, got;

	pthread_create(&late.thread, NULL, serve_late, &late);
	assert_int_equal(try_connect(QUIET, port, 0, "127.0.0.1",
				     1000 * MS, 10000 * MS, -1, &conn, &err),
			 0);
	pthread_join(late.thread, NULL);
	assert_int_equal(late.ret, 0);
	assert_string_equal(late.conn.peer, "client");
	assert_contains(late.conn.address, "127.0.0.1 port ");
	assert_memory_equal(late.conn.host.bytes + 10, "\xff\xff\x7f\0\0\1",
			    6);
	assert_contains(conn.address, QUIET " port ");
	frame = encode_start(5);
	assert_int_equal(oob_send(&conn, &frame, time_after(MS), &err), 0);
	assert_int_equal(oob_receive(&late.conn, "x", time_after(1000 * MS),
				     &got, &err), 0);
	frame_free(&frame);
	frame_free(&got);
	assert_int_equal(conn.ways.n, 1);
	assert_true(gid_is_ipv4(&conn.ways.list[0].address));
	assert_int_equal(conn.ways.list[0].address.raw[12], 127);
	assert_int_equal(conn.ways.list[0].prefix, 96 + 8);
	oob_close(&conn);
	oob_close(&late.conn);
	close(late.listener);
}

TEST(test_no_subnet_without_ip)
{
	struct subnet subnet;
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	assert_false(oob_subnet(fds[0], &subnet));
	close(fds[1]);
	close(fds[0]);
}

TEST(test_the_port_is_taken)
{
	struct error err = { 0 };
	uint32_t port = 0, again;
	int fd = oob_listen(NULL, &port, -1, &err);

	assert_true(fd >= 0);
	assert_true(port > 0);
	again = port;
	assert_int_equal(oob_listen(NULL, &again, -1, &err), -EADDRINUSE);
	assert_contains(err.message, "Address already in use");
	assert_contains(err.advice, "another server is already running");
	close(fd);
	error_clear(&err);
	port = 0;
	assert_true(oob_listen("192.0.2.77", &port, -1, &err) < 0);
	assert_contains(err.message, "cannot listen on 192.0.2.77");
}

/* Linux would bind to them. */
TEST(test_bind_to_what_reaches_many)
{
	static const char *const hosts[] = { "224.0.0.1", "255.255.255.255" };

	for (size_t i = 0; i < COUNT(hosts); i++) {
		struct error err = { 0 };
		uint32_t port = 0;

		assert_int_equal(oob_listen(hosts[i], &port, -1, &err),
				 -EADDRNOTAVAIL);
		assert_contains(err.advice, "an address of this machine");
	}
}

/* As nohup(1) does; otherwise it ends what waits. */
TEST(test_hangups_that_are_ignored)
{
	for (int ignored = 0; ignored < 2; ignored++) {
		sigset_t blocked;
		int fd;

		signal(SIGHUP, ignored ? SIG_IGN : SIG_DFL);
		fd = signals_open();
		pthread_sigmask(SIG_BLOCK, NULL, &blocked);
		assert_int_equal(sigismember(&blocked, SIGHUP), !ignored);
		assert_true(sigismember(&blocked, SIGTERM));
		signals_unblock(true);
		close(fd);
	}
	signal(SIGHUP, SIG_DFL);
}

static void *interrupt_soon(void *argument)
{
	(void)argument;
	usleep(150000);
	kill(getpid(), SIGINT);
	return NULL;
}

TEST(test_interrupted_while_it_waits_for_a_server)
{
	int cancel = signals_open();
	struct connection conn = { .fd = -1 };
	uint32_t port = free_port();
	struct error err = { 0 };
	pthread_t thread;

	pthread_create(&thread, NULL, interrupt_soon, NULL);
	assert_int_equal(try_connect(QUIET, port, 0, NULL, 9000 * MS,
				     9000 * MS, cancel, &conn, &err),
			 -ECANCELED);
	assert_message(&err, "interrupted by SIGINT");
	assert_int_equal(conn.fd, -1);
	pthread_join(thread, NULL);
	close(cancel);
}

/* Take NUMBER, which another process sends. */
static void be_sent(int number)
{
	int cancel = signals_open();
	pid_t child = fork();
	struct error err = { 0 };

	assert_true(child >= 0);
	if (!child)
		_exit(kill(getppid(), number));
	assert_int_equal(oob_wait(-1, 0, &cancel, time_after(9000 * MS), &err),
			 -ECANCELED);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

/* timeout(1) and others send their signal twice at once; who sends it later
 * does not want to wait. */
TEST(test_later_signals)
{
	const pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		be_sent(SIGTERM);
		kill(getpid(), SIGTERM);
		kill(getpid(), SIGINT);
		usleep(600000);
		kill(getpid(), SIGINT);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGINT);
}

/* A program is to end by the signal that ended its work, unless it serves a
 * client: that ends with its work. */
TEST(test_which_signal_ended_it)
{
	be_sent(SIGTERM);
	assert_int_equal(signals_ended_by(), SIGTERM);
	be_sent(SIGHUP);
	assert_int_equal(signals_ended_by(), SIGHUP);
	signals_in_child();
	assert_int_equal(signals_ended_by(), 0);
}

/* Those of this host's networks, if it has such, and no others. */
TEST(test_broadcast_addresses)
{
	struct ip_address address = { { [10] = 0xff, [11] = 0xff, 127, 0, 0,
					1 } };
	struct ifaddrs *list;

	assert_false(address_is_broadcast(&address));
	assert_int_equal(getifaddrs(&list), 0);
	for (struct ifaddrs *i = list; i; i = i->ifa_next) {
		const struct sockaddr_in *own = (const void *)i->ifa_addr,
			*mask = (const void *)i->ifa_netmask;
		uint32_t all;

		if (!own || own->sin_family != AF_INET ||
		    !(i->ifa_flags & IFF_BROADCAST))
			continue;
		memcpy(address.bytes + 12, &own->sin_addr, 4);
		assert_false(address_is_broadcast(&address));
		all = own->sin_addr.s_addr | ~mask->sin_addr.s_addr;
		memcpy(address.bytes + 12, &all, 4);
		/* a network of one or two hosts has none */
		assert_int_equal(address_is_broadcast(&address),
				 ntohl(~mask->sin_addr.s_addr) > 1);
	}
	freeifaddrs(list);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_broadcast_addresses),
	cmocka_unit_test(test_refused),
	cmocka_unit_test(test_no_such_host),
	cmocka_unit_test(test_wait_is_over),
	cmocka_unit_test(test_wait_for_a_late_server),
	cmocka_unit_test(test_no_subnet_without_ip),
	cmocka_unit_test(test_the_port_is_taken),
	cmocka_unit_test(test_bind_to_what_reaches_many),
	cmocka_unit_test(test_hangups_that_are_ignored),
	cmocka_unit_test(test_interrupted_while_it_waits_for_a_server),
	/* the last: what it is from then on stays */
	cmocka_unit_test(test_later_signals),
	cmocka_unit_test(test_which_signal_ended_it),
};

TEST_MAIN(tests, 60)
