/* The monitor of a round whose peer goes, after whatever it said: perftest, which
 * says nothing while traffic runs, and verbsperf after its DONE. */
#include "config.h"
#include "test.h"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>

#include "base/time.h"
#include "run/monitor.h"

static struct ibv_device device = { .name = "fake0" };
static struct ibv_context context = { .device = &device };
static struct flow_progress told;
static struct flow_control control;
static struct clock_watch watch;
static struct connection conn;
static struct progress progress;
static struct meter meter;
static struct monitor monitor;
static struct clock ticks;
static struct plan plan;
static struct flow flow;
static int peer;

/* A server whose client does OP, and may be silent for TIMEOUT ns, and SENDING
 * ns long have its traffic. */
static void begin_with(enum op op, bool quiet, uint64_t timeout,
		       uint64_t sending)
{
	struct error err = { 0 };
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	peer = fds[1];
	oob_adopt(fds[0], -1, "client", &conn);
	context.async_fd = eventfd(0, EFD_CLOEXEC);
	clock_start(&ticks, CLOCK_AUTO);
	clock_watch_begin(&watch, &ticks);
	plan = (struct plan){
		.op = op, .metric = METRIC_BANDWIDTH, .quiet = quiet,
		.iterations = 60, .qps = 1, .timeout = 60 * SECOND,
	};
	control = (struct flow_control){ 0 };
	told = (struct flow_progress){ 0 };
	flow = (struct flow){ .progress = &told, .n_qps = 1 };
	progress = (struct progress){
		.control = &control, .flows = &flow, .n_flows = 1,
		.clock = &ticks,
	};
	progress_init(&progress);
	meter = (struct meter){ .device = device.name };
	monitor = (struct monitor){
		.conn = &conn, .context = &context, .clock = &ticks,
		.watch = &watch, .control = &control, .progress = &progress,
		.meter = &meter, .flows = &flow, .n_flows = 1,
		.began_at = time_now(),
		.peer = { .plan = &plan, .client = true },
		.awaits = true, .peer_timeout = timeout,
		.sent_timeout = SECOND, .traffic_until = time_after(sending),
	};
	assert_int_equal(monitor_start(&monitor, &err), 0);
}

static void begin(enum op op, uint64_t timeout, uint64_t sending)
{
	begin_with(op, true, timeout, sending);
}

/* Waits until the monitor gives up, which it must within SECONDS, for the
 * reason CODE.  Its thread slept meanwhile. */
static void gives_up(const char *code, double seconds)
{
	const uint64_t limit = time_after(
		(uint64_t)(patient(1) * seconds * (double)SECOND));
	const struct timespec pause = { .tv_nsec = 1000000 };
	struct timespec used;
	clockid_t clock;

	while (phase_of(atomic_load(&control.command)) != PHASE_ABORT) {
		assert_true(time_until(limit) > 0);
		nanosleep(&pause, NULL);
	}
	if (!pthread_getcpuclockid(monitor.thread, &clock) &&
	    !clock_gettime(clock, &used))
		assert_true(used.tv_sec == 0 && used.tv_nsec < 200000000);
	monitor_stop(&monitor);
	assert_string_equal(monitor.err.code, code);
}

static void end(void)
{
	progress_free(&progress);
	oob_close(&conn);
	close(context.async_fd);
	if (peer >= 0)
		close(peer);
}

static void leaves(void)
{
	close(peer);
	peer = -1;
}

static void says(const char *bytes)
{
	assert_int_equal(send(peer, bytes, strlen(bytes), 0), strlen(bytes));
}

/* However much it said before. */
TEST(a_client_that_leaves_during_traffic_is_noticed)
{
	static const struct {
		const char *words;
		bool half;
	} rows[] = { { "", false }, { "0", false }, { "0000:0001:", true } };

	for (size_t i = 0; i < COUNT(rows); i++) {
		begin(OP_SEND, 30 * SECOND, 30 * SECOND);
		says(rows[i].words);
		if (rows[i].half)
			assert_int_equal(shutdown(peer, SHUT_WR), 0);
		else
			leaves();
		gives_up("ECONNRESET", 10);
		end();
	}
}

/* It has sent everything, and this end takes what is still on its way. */
TEST(an_early_byte_is_kept_for_its_step)
{
	struct timespec pause = { .tv_nsec = 600000000 };
	char byte;

	begin(OP_SEND, 30 * SECOND, 30 * SECOND);
	assert_false(atomic_load(&control.peer_sent));
	says("0000");
	assert_int_equal(monitor_wait_peer(&monitor), 0);
	assert_true(atomic_load(&control.peer_sent));
	nanosleep(&pause, NULL);
	assert_int_not_equal(phase_of(atomic_load(&control.command)),
			     PHASE_ABORT);
	monitor_stop(&monitor);
	assert_string_equal(monitor.err.code, "");
	assert_int_equal(recv(conn.fd, &byte, 1, 0), 1);
	assert_int_equal(byte, '0');
	end();
}

TEST(messages_that_do_not_come_end_the_traffic)
{
	for (int early = 0; early < 2; early++) {
		begin(OP_SEND, SECOND / 2, 30 * SECOND);
		says(early ? "0" : "");
		gives_up("ETIMEDOUT", 10);
		assert_non_null(strstr(monitor.err.message, "nothing "
						"completed for 0.5 s"));
		end();
	}
}

/* Messages that come now and then do not hold it for ever. */
TEST(traffic_ends_with_its_time)
{
	static const enum op ops[] = { OP_SEND, OP_WRITE };

	for (size_t i = 0; i < COUNT(ops); i++) {
		begin(ops[i], 30 * SECOND, SECOND / 2);
		atomic_fetch_add(&told.messages, 1);
		gives_up("ETIMEDOUT", 10);
		assert_non_null(strstr(monitor.err.message,
				       "did not end its traffic"));
		end();
	}
}

/* It says nothing more after DONE, and this end may wait for its messages. */
TEST(a_verbsperf_that_leaves_after_its_done_is_noticed)
{
	struct connection client;
	struct error err = { 0 };
	struct sent sent = { .n = 1, .messages = { 60 } };
	struct frame frames[] = { encode_sent(&sent),
				  encode_empty(FRAME_DONE) };

	begin_with(OP_SEND, false, 30 * SECOND, 30 * SECOND);
	oob_adopt(peer, -1, "server", &client);
	for (size_t i = 0; i < COUNT(frames); i++) {
		assert_int_equal(oob_send(&client, &frames[i],
					  time_after(SECOND), &err), 0);
		frame_free(&frames[i]);
	}
	leaves();
	gives_up("ECONNRESET", 10);
	assert_true(monitor.have_done);
	frame_free(&monitor.done);
	end();
}

TEST_FILE()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_client_that_leaves_during_traffic_is_noticed),
		cmocka_unit_test(an_early_byte_is_kept_for_its_step),
		cmocka_unit_test(messages_that_do_not_come_end_the_traffic),
		cmocka_unit_test(traffic_ends_with_its_time),
		cmocka_unit_test(
			a_verbsperf_that_leaves_after_its_done_is_noticed),
	};

	alarm(patient(60));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
