/* Whose turn it is at a server, and what its clients are told. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "net/turn.h"
#include "serve/children.h"

#define MANY (WAITING_MAX + 3)
#define LIMIT 1000000000ULL	/* ns of a turn */

static struct children children;
static int fds[MANY];		/* the far ends of their sockets */
static struct child *list[MANY];

/* 10.0.0.I, of IPv4. */
static struct ip_address host_of(int i)
{
	struct ip_address host = { { [10] = 0xff, [11] = 0xff, [12] = 10 } };

	host.bytes[15] = (uint8_t)i;
	return host;
}

/* N processes, in name only, which have not asked yet. */
static void begin(int n)
{
	struct connection conn = { 0 };
	int pair[2];

	children = (struct children){ 0 };
	for (int i = 0; i < n; i++) {
		assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair),
				 0);
		snprintf(conn.address, sizeof(conn.address), "host %d", i);
		conn.host = host_of(i);
		children_add(&children, 1000000 + i, pair[0], &conn);
		fds[i] = pair[1];
	}
	for (struct child *c = children.all; c; c = c->next)
		list[c->pid - 1000000] = c;
	assert_int_equal(children.n_others, n);
}

static void end(int n)
{
	children_free(&children);
	for (int i = 0; i < n; i++)
		close(fds[i]);
	assert_int_equal(children_count(&children), 0);
}

/* The last of what the I-th process was sent. */
static uint32_t sent_place(int i)
{
	uint32_t place = PLACE_UNKNOWN;

	while (recv(fds[i], &place, sizeof(place), MSG_DONTWAIT) > 0)
		;
	return place;
}

static void ask(int i)
{
	children_enqueue(&children, list[i], LIMIT, false, false);
}

/* The same, for a client that gives no signs of life. */
static void ask_quietly(int i)
{
	children_enqueue(&children, list[i], LIMIT, true, false);
}

static struct child *go(uint32_t parallel)
{
	struct child *last = children_give_turns(&children, parallel);

	children_send_places(&children);
	return last;
}

TEST(test_one_after_another)
{
	begin(4);
	assert_null(go(1));
	ask(2);
	ask(0);
	ask(0);		/* twice is once */
	ask(3);
	assert_ptr_equal(go(1), list[2]);
	assert_int_equal(sent_place(2), PLACE_SERVED);
	assert_int_equal(sent_place(0), 1);
	assert_int_equal(sent_place(3), 2);
	assert_int_equal(sent_place(1), PLACE_UNKNOWN);
	assert_null(go(1));
	assert_int_equal(sent_place(0), PLACE_UNKNOWN);	/* nothing is new */
	children_remove(&children, list[0]);	/* has no more patience */
	assert_null(go(1));
	assert_int_equal(sent_place(3), 1);
	children_remove(&children, list[2]);
	assert_ptr_equal(go(1), list[3]);
	assert_int_equal(sent_place(3), PLACE_SERVED);
	assert_int_equal(children.n_served, 1);
	assert_int_equal(children.n_waiting, 0);
	end(4);
}

TEST(test_several_at_once)
{
	begin(5);
	for (int i = 0; i < 5; i++)
		ask(i);
	assert_ptr_equal(go(3), list[2]);
	assert_int_equal(sent_place(1), PLACE_SERVED);
	assert_int_equal(sent_place(3), 1);
	assert_int_equal(sent_place(4), 2);
	children_remove(&children, list[1]);
	assert_ptr_equal(go(3), list[3]);
	assert_int_equal(sent_place(4), 1);
	end(5);
}

TEST(test_too_many_and_too_late)
{
	begin(MANY);
	ask(0);
	go(1);
	for (int i = 1; i <= WAITING_MAX; i++)
		ask(i);
	assert_null(go(1));
	assert_int_equal(sent_place(WAITING_MAX), WAITING_MAX);
	ask(WAITING_MAX + 1);
	go(1);
	assert_int_equal(sent_place(WAITING_MAX + 1), PLACE_QUEUE_FULL);
	children_refuse_all(&children);
	go(1);
	for (int i = 1; i <= WAITING_MAX; i++)
		assert_int_equal(sent_place(i), PLACE_OVER);
	assert_int_equal(sent_place(0), PLACE_SERVED);
	children_enqueue(&children, list[MANY - 1], LIMIT, false, true);
	go(1);
	assert_int_equal(sent_place(MANY - 1), PLACE_OVER);
	assert_int_equal(children.n_others, MANY - 1);
	end(MANY);
}

/* A process that does not read gets its place later, and only the last one. */
TEST(test_deaf)
{
	const int small = 1;
	uint32_t place;
	int n = 0;

	begin(1);
	setsockopt(list[0]->fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	do {
		list[0]->place = (uint32_t)++n;
		children_send_places(&children);
	} while (!child_has_unsent_place(list[0]) && n < 10000);
	assert_true(child_has_unsent_place(list[0]));
	list[0]->place = 12345;
	for (int i = 1; i < n; i++) {
		assert_int_equal(recv(fds[0], &place, sizeof(place), 0), 4);
		assert_int_equal(place, i);
	}
	children_send_places(&children);
	assert_false(child_has_unsent_place(list[0]));
	assert_int_equal(sent_place(0), 12345);
	end(1);
}

static void say(int i, enum turn_message what, uint64_t limit)
{
	const struct {
		enum turn_message word;
		uint64_t limit;
	} message = { what, limit };

	assert_int_equal(send(fds[i], &message, sizeof(message), 0),
			 sizeof(message));
}

TEST(test_messages)
{
	uint64_t limit;
	uint32_t place;

	begin(2);
	assert_int_equal(turn_receive_place(fds[0], &place), -EAGAIN);
	assert_int_equal(turn_send_place(list[0]->fd, 3), 0);
	assert_int_equal(turn_receive_place(fds[0], &place), 0);
	assert_int_equal(place, 3);
	assert_int_equal(turn_receive_message(-1, &limit), -EBADF);
	assert_int_equal(turn_receive_message(list[0]->fd, &limit),
			 TURN_NO_MESSAGE);
	say(0, TURN_REQUEST, 12345678901);
	say(0, TURN_RELEASE, 0);
	assert_int_equal(turn_receive_message(list[0]->fd, &limit),
			 TURN_REQUEST);
	assert_int_equal(limit, 12345678901);
	assert_int_equal(turn_receive_message(list[0]->fd, &limit),
			 TURN_RELEASE);
	assert_int_equal(turn_receive_message(list[0]->fd, &limit),
			 TURN_NO_MESSAGE);
	close(fds[0]);
	/* as the last call that failed left it */
	errno = EAGAIN;
	assert_true(turn_receive_message(list[0]->fd, &limit) < 0);
	assert_int_equal(turn_send_place(list[0]->fd, 1), -EPIPE);
	fds[0] = -1;
	list[0]->place = 7;	/* nobody is left to be told */
	children_send_places(&children);
	assert_false(child_has_unsent_place(list[0]));
	end(2);
}

/* A process that would stay for ever. */
static pid_t start(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		/* whatever becomes of the test */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	return pid;
}

static void check_killed(pid_t pid, int number)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), number);
}

/* One host does not take the places of the others. */
TEST(test_share_of_one_host)
{
	const int last = WAITING_SHARE + 1;

	begin(last + 2);
	for (int i = 0; i <= last; i++)
		list[i]->host = host_of(1);
	list[last + 1]->host = host_of(2);
	for (int i = 0; i <= last + 1; i++)
		ask(i);
	go(0);
	assert_int_equal(sent_place(WAITING_SHARE - 1), WAITING_SHARE);
	assert_int_equal(sent_place(WAITING_SHARE), PLACE_SHARE_FULL);
	assert_int_equal(sent_place(last), PLACE_SHARE_FULL);
	assert_int_equal(sent_place(last + 1), WAITING_SHARE + 1);
	end(last + 2);
}

/* Of one host's quiet clients as many have a place as are served at once:
 * others come between them, also from the same host. */
TEST(test_quiet_clients_of_one_host)
{
	begin(6);
	for (int i = 0; i < 4; i++) {
		list[i]->host = host_of(1);
		ask_quietly(i);
	}
	list[5]->host = host_of(1);
	assert_ptr_equal(go(1), list[0]);
	assert_int_equal(children.n_held, 3);
	ask(5);
	ask_quietly(4);
	assert_null(go(1));
	assert_int_equal(sent_place(5), 1);
	assert_int_equal(sent_place(4), 2);
	assert_int_equal(sent_place(1), PLACE_UNKNOWN);
	/* its turn is over: the next one is behind the others */
	assert_true(children_release_turn(&children, list[0]));
	assert_ptr_equal(go(1), list[5]);
	assert_int_equal(sent_place(1), 2);
	assert_int_equal(sent_place(2), PLACE_UNKNOWN);
	/* has no more patience */
	children_remove(&children, list[1]);
	assert_null(go(1));
	assert_int_equal(sent_place(2), 2);
	children_remove(&children, list[3]);
	assert_int_equal(children.n_held, 0);
	end(6);
}

TEST(test_quiet_clients_at_once)
{
	begin(4);
	for (int i = 0; i < 4; i++) {
		list[i]->host = host_of(1);
		ask_quietly(i);
	}
	assert_ptr_equal(go(3), list[2]);
	assert_int_equal(children.n_held, 1);
	children_remove(&children, list[1]);
	assert_ptr_equal(go(3), list[3]);
	assert_int_equal(children.n_held, 0);
	end(4);
}

TEST(test_held_clients_have_a_share_and_an_end)
{
	const int last = WAITING_SHARE;

	begin(last + 2);
	for (int i = 0; i <= last; i++) {
		list[i]->host = host_of(1);
		ask_quietly(i);
	}
	go(0);
	assert_int_equal(sent_place(last), PLACE_SHARE_FULL);
	assert_int_equal(children.n_held, WAITING_SHARE);
	children_refuse_all(&children);
	children_send_places(&children);
	for (int i = 0; i < last; i++)
		assert_int_equal(sent_place(i), PLACE_OVER);
	assert_int_equal(children.n_held, 0);
	end(last + 2);
}

/* Each turn has a limit of its own. */
TEST(test_which_turn_is_due)
{
	begin(3);
	children_enqueue(&children, list[0], 3 * LIMIT, false, false);
	children_enqueue(&children, list[1], LIMIT, false, false);
	children_enqueue(&children, list[2], 2 * LIMIT, false, false);
	assert_int_equal(children_first_deadline(&children, 0), UINT64_MAX);
	go(3);
	assert_int_equal(children_first_deadline(&children, 7),
			 list[1]->served_at + LIMIT + 7);
	assert_null(children_kill_overdue(&children, 0));
	list[2]->pid = start();
	list[2]->limit = 0;
	assert_null(children_kill_overdue(&children, LIMIT));
	assert_ptr_equal(children_kill_overdue(&children, 0), list[2]);
	check_killed(list[2]->pid, SIGKILL);
	assert_int_equal(children.n_served, 2);
	end(3);
}

/* A report may wait for its reader, a turn may not. */
TEST(test_turn_ends_before_the_report)
{
	begin(3);
	ask(0);
	ask(1);
	assert_ptr_equal(go(1), list[0]);
	assert_true(children_release_turn(&children, list[0]));
	assert_int_equal(list[0]->fd, -1);
	assert_int_equal(children.n_reporting, 1);
	assert_ptr_equal(go(1), list[1]);
	assert_int_equal(sent_place(1), PLACE_SERVED);
	/* who has no turn has none to give back */
	assert_true(children_release_turn(&children, list[2]));
	assert_int_equal(children.n_reporting, 1);
	assert_int_equal(children_count(&children), 3);
	/* what it reports does not count as its turn */
	assert_int_equal(children_first_deadline(&children, 1),
			 list[1]->served_at + LIMIT + 1);
	end(3);
}

TEST(test_room_for_others)
{
	const uint64_t hour = 3600000000000;

	begin(3);
	for (int i = 0; i < 3; i++)
		list[i]->pid = start();
	ask(0);
	assert_null(children_drop_oldest(&children, hour));
	assert_ptr_equal(children_drop_oldest(&children, 0), list[1]);
	check_killed(list[1]->pid, SIGKILL);
	/* one at a time */
	assert_null(children_drop_oldest(&children, 0));
	children_remove(&children, list[1]);
	assert_int_equal(children.n_others, 1);
	assert_ptr_equal(children_drop_oldest(&children, 0), list[2]);
	check_killed(list[2]->pid, SIGKILL);
	children_remove(&children, list[2]);
	/* a client that waits is not dropped */
	assert_null(children_drop_oldest(&children, 0));
	children_signal(&children, SIGTERM);
	check_killed(list[0]->pid, SIGTERM);
	end(3);
}

TEST(test_room_comes_from_the_busiest_host)
{
	begin(3);
	for (int i = 0; i < 3; i++)
		list[i]->pid = start();
	list[2]->host = list[1]->host;
	assert_ptr_equal(children_drop_oldest(&children, 0), list[1]);
	children_signal(&children, SIGKILL);
	for (int i = 0; i < 3; i++)
		check_killed(list[i]->pid, SIGKILL);
	end(3);
}

TEST(test_too_many_reports)
{
	begin(2);
	list[1]->pid = start();
	for (int i = 0; i < 2; i++)
		ask(i);
	go(2);
	children.n_reporting = REPORTING_MAX - 1;
	assert_true(children_release_turn(&children, list[0]));
	assert_false(children_release_turn(&children, list[1]));
	check_killed(list[1]->pid, SIGKILL);
	assert_int_equal(children.n_reporting, REPORTING_MAX);
	assert_int_equal(children.n_others, 1);
	children.n_reporting = 1;
	end(2);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_one_after_another),
	cmocka_unit_test(test_several_at_once),
	cmocka_unit_test(test_too_many_and_too_late),
	cmocka_unit_test(test_deaf),
	cmocka_unit_test(test_messages),
	cmocka_unit_test(test_room_for_others),
	cmocka_unit_test(test_share_of_one_host),
	cmocka_unit_test(test_room_comes_from_the_busiest_host),
	cmocka_unit_test(test_quiet_clients_of_one_host),
	cmocka_unit_test(test_quiet_clients_at_once),
	cmocka_unit_test(test_held_clients_have_a_share_and_an_end),
	cmocka_unit_test(test_which_turn_is_due),
	cmocka_unit_test(test_turn_ends_before_the_report),
	cmocka_unit_test(test_too_many_reports),
};

TEST_MAIN(tests, 20)
