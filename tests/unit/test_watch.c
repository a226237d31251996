/* verbsperf watch: what happens to devices, and that all of it is seen. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <net/if.h>
#include <signal.h>

#include "base/time.h"
#include "fake_verbs.h"
#include "made_up_host.h"
#include "watch/devices.h"
#include "watch/event.h"

#define MOST 32

/* Keeps what it takes. */
struct recorder {
	struct watch_taker taker;
	struct watch_event events[MOST];
	size_t n;
	int flushes, fail_flush;	/* this one fails */
	int fd;
};

static void take(struct watch_taker *taker, const struct watch_event *event)
{
	struct recorder *r = (struct recorder *)taker;

	assert_true(r->n < MOST);
	r->events[r->n++] = *event;
}

static int flush(struct watch_taker *taker)
{
	struct recorder *r = (struct recorder *)taker;

	return ++r->flushes == r->fail_flush ? -EPIPE : 0;
}

static int fd_of(const struct watch_taker *taker)
{
	return ((const struct recorder *)taker)->fd;
}

static struct recorder new_recorder(void)
{
	return (struct recorder){ .taker = { take, flush, fd_of }, .fd = -1 };
}

/* The next event R took, which must be of KIND. */
static const struct watch_event *next(struct recorder *r, size_t *seen,
				      enum watch_kind kind)
{
	assert_true(*seen < r->n);
	assert_int_equal(r->events[*seen].kind, kind);
	return &r->events[(*seen)++];
}

static void check_change(struct recorder *r, size_t *seen, const char *device,
			 enum watch_change change)
{
	const struct watch_event *event = next(r, seen, WATCH_DEVICE);

	assert_string_equal(event->device, device);
	assert_int_equal(event->change, change);
	assert_int_equal(event->port, 0);
	assert_true(event->when.tv_sec > 1600000000);
}

static void check_status(const struct port_status *status,
			 enum port_status_field field, const char *wanted)
{
	assert_string_equal(status->text[field], wanted);
}

static int begin(void **state)
{
	fake_verbs_reset();
	return host_begin(state);
}

/* The port of fake0 as it is at first. */
static void watch_first(struct watched_devices *devices, struct recorder *r,
			size_t *seen)
{
	const struct watch_event *event;

	devices_refresh(devices);
	check_change(r, seen, "fake0", CHANGE_PRESENT);
	event = next(r, seen, WATCH_PORT);
	assert_true(event->first);
	assert_int_equal(event->port, 1);
	check_status(&event->now, PORT_STATUS_STATE, "ACTIVE");
	check_status(&event->now, PORT_STATUS_MTU, "1024");
	check_status(&event->now, PORT_STATUS_RATE, "100");
	check_status(&event->now, PORT_STATUS_LID, "");
	assert_int_equal(*seen, r->n);
}

TEST(test_port_that_changes)
{
	struct recorder r = new_recorder();
	struct watched_devices devices;
	const struct watch_event *event;
	size_t seen = 0;

	devices_init(&devices, NULL, PLAN_AUTO, &r.taker);
	watch_first(&devices, &r, &seen);
	devices_refresh(&devices);
	assert_int_equal(seen, r.n);
	fake_verbs.port.state = IBV_PORT_DOWN;
	fake_verbs.port.phys_state = 3;
	devices_refresh(&devices);
	event = next(&r, &seen, WATCH_PORT);
	assert_false(event->first);
	check_status(&event->before, PORT_STATUS_STATE, "ACTIVE");
	check_status(&event->now, PORT_STATUS_STATE, "DOWN");
	check_status(&event->before, PORT_STATUS_PHYSICAL, "");
	check_status(&event->now, PORT_STATUS_PHYSICAL, "Disabled");
	assert_int_equal(seen, r.n);
	devices_close(&devices);
	assert_int_equal(fake_verbs_alive(), 0);
}

TEST(test_infiniband_port)
{
	struct recorder r = new_recorder();
	struct watched_devices devices;
	size_t seen = 0;

	fake_verbs.port.link_layer = IBV_LINK_LAYER_INFINIBAND;
	fake_verbs.port.lid = 9;
	fake_verbs.port.sm_lid = 1;
	fake_verbs.port.phys_state = 200;
	fake_verbs.port.active_speed = 0;
	devices_init(&devices, NULL, PLAN_AUTO, &r.taker);
	devices_refresh(&devices);
	check_change(&r, &seen, "fake0", CHANGE_PRESENT);
	check_status(&r.events[1].now, PORT_STATUS_LID, "9");
	check_status(&r.events[1].now, PORT_STATUS_SM_LID, "1");
	check_status(&r.events[1].now, PORT_STATUS_PHYSICAL, "");
	check_status(&r.events[1].now, PORT_STATUS_RATE, "");
	devices_close(&devices);
}

static void check_rate(const char *gbps)
{
	struct recorder r = new_recorder();
	struct watched_devices devices;

	devices_init(&devices, NULL, PLAN_AUTO, &r.taker);
	devices_refresh(&devices);
	check_status(&r.events[1].now, PORT_STATUS_RATE, gbps);
	devices_close(&devices);
}

/* What the device says of the port comes before its lanes and their speed. */
TEST(test_rate)
{
	check_rate("100");
	/* XDR, which the field of 8 bits cannot say */
	fake_verbs.port.active_speed = 0;
	check_rate("");
#ifdef HAVE_STRUCT_IBV_PORT_ATTR_ACTIVE_SPEED_EX
	fake_verbs.port.active_speed_ex = 256;
	check_rate("800");
#endif
#ifdef HAVE_IBV_QUERY_PORT_SPEED
	fake_verbs.port_speed = 6000;
	check_rate("600");
	/* more than the field of the frame holds, or refused */
	fake_verbs.port_speed = UINT32_MAX / 100 + 1;
	check_rate("800");
	fake_verbs.port_speed = 6000;
	fake_verbs.no_port_speed = true;
	check_rate("800");
#endif
}

/* The interface stays known while no GID names it. */
TEST(test_link_behind_a_port)
{
	const char *ndev = "/sys/class/infiniband/fake0/ports/1/gid_attrs/"
			   "ndevs/0";
	struct recorder r = new_recorder();
	struct watched_devices devices;
	const struct watch_event *event;
	char path[SYSFS_PATH_SIZE];
	size_t seen = 0;

	host_file(ndev, "eth7\n");
	host_file("/sys/class/net/eth7/operstate", "up\n");
	host_file("/sys/class/net/eth7/mtu", "9000\n");
	host_file("/sys/class/net/eth7/carrier_down_count", "4\n");
	devices_init(&devices, NULL, PLAN_AUTO, &r.taker);
	devices_refresh(&devices);
	check_change(&r, &seen, "fake0", CHANGE_PRESENT);
	event = next(&r, &seen, WATCH_PORT);
	check_status(&event->now, PORT_STATUS_INTERFACE, "eth7");
	check_status(&event->now, PORT_STATUS_LINK, "up");
	check_status(&event->now, PORT_STATUS_LINK_MTU, "9000");
	check_status(&event->now, PORT_STATUS_LINK_DOWNS, "4");
	host_path(path, ndev);
	unlink(path);
	devices_refresh(&devices);
	assert_int_equal(seen, r.n);
	host_file("/sys/class/net/eth7/carrier_down_count", "5\n");
	devices_refresh(&devices);
	event = next(&r, &seen, WATCH_PORT);
	check_status(&event->now, PORT_STATUS_INTERFACE, "eth7");
	check_status(&event->now, PORT_STATUS_LINK_DOWNS, "5");
	devices_close(&devices);
}

TEST(test_gids_that_come_and_go)
{
	struct recorder r = new_recorder();
	struct watched_devices devices;
	const struct watch_event *event;
	size_t seen = 0;

	devices_init(&devices, NULL, PLAN_AUTO, &r.taker);
	watch_first(&devices, &r, &seen);
	fake_verbs.gids[1] = fake_verbs.gids[0];
	fake_verbs.gids[1].gid_index = 2;
	fake_verbs.gids[1].gid.raw[15] = 7;
	fake_verbs.n_gids = 2;
	devices_refresh(&devices);
	event = next(&r, &seen, WATCH_GID);
	assert_int_equal(event->change, CHANGE_ADDED);
	assert_int_equal(event->port, 1);
	assert_int_equal(event->gid.index, 2);
	assert_int_equal(event->gid.raw.raw[15], 7);
	fake_verbs.gids[0] = fake_verbs.gids[1];
	fake_verbs.n_gids = 1;
	devices_refresh(&devices);
	event = next(&r, &seen, WATCH_GID);
	assert_int_equal(event->change, CHANGE_REMOVED);
	assert_int_equal(event->gid.index, 1);
	assert_int_equal(seen, r.n);
	/* the same place, another type: one goes, one comes */
	fake_verbs.gids[0].gid_type = GID_TYPE_ROCE_V1;
	devices_refresh(&devices);
	assert_int_equal(next(&r, &seen, WATCH_GID)->change, CHANGE_REMOVED);
	assert_int_equal(next(&r, &seen, WATCH_GID)->change, CHANGE_ADDED);
	assert_int_equal(seen, r.n);
	devices_close(&devices);
}

TEST(test_addresses_of_iwarp)
{
	struct recorder r = new_recorder();
	struct watched_devices devices;
	const struct watch_event *event;
	size_t seen = 0;

	fake_verbs.iwarp = true;
	memset(&fake_verbs.gids[0].gid, 0xee, 6);
	devices_init(&devices, NULL, PLAN_AUTO, &r.taker);
	watch_first(&devices, &r, &seen);
	/* now it has the MAC address of that interface */
	memset(&fake_verbs.gids[0].gid, 0, 6);
	devices_refresh(&devices);
	event = next(&r, &seen, WATCH_GID);
	assert_int_equal(event->change, CHANGE_ADDED);
	assert_int_equal(event->gid.type, GID_TYPE_IWARP);
	assert_int_equal(event->gid.ifindex, if_nametoindex("lo"));
	devices_close(&devices);
}

TEST(test_devices_that_come_and_go)
{
	struct recorder r = new_recorder();
	struct watched_devices devices;
	size_t seen = 0;

	devices_init(&devices, NULL, PLAN_AUTO, &r.taker);
	watch_first(&devices, &r, &seen);
	fake_verbs.n_devices = 2;
	devices_refresh(&devices);
	check_change(&r, &seen, "fake1", CHANGE_ADDED);
	assert_true(next(&r, &seen, WATCH_PORT)->first);
	devices_refresh(&devices);
	assert_int_equal(seen, r.n);
	fake_verbs.n_devices = 0;
	devices_refresh(&devices);
	check_change(&r, &seen, "fake0", CHANGE_REMOVED);
	check_change(&r, &seen, "fake1", CHANGE_REMOVED);
	assert_int_equal(fake_verbs_alive(), 0);
	fake_verbs.n_devices = 1;
	devices_refresh(&devices);
	check_change(&r, &seen, "fake0", CHANGE_ADDED);
	assert_true(next(&r, &seen, WATCH_PORT)->first);
	assert_int_equal(seen, r.n);
	devices_close(&devices);
	assert_int_equal(fake_verbs_alive(), 0);
}

/* Between two refreshes a device was deleted and another got its name. */
TEST(test_device_that_was_replaced)
{
	struct recorder r = new_recorder();
	struct watched_devices devices;
	char path[SYSFS_PATH_SIZE], other[SYSFS_PATH_SIZE];
	size_t seen = 0;

	host_file("/sys/class/infiniband/fake0", "");
	host_file("/sys/class/infiniband/x", "");
	devices_init(&devices, NULL, PLAN_AUTO, &r.taker);
	watch_first(&devices, &r, &seen);
	host_path(path, "/sys/class/infiniband/fake0");
	host_path(other, "/sys/class/infiniband/x");
	assert_int_equal(rename(other, path), 0);
	devices_refresh(&devices);
	check_change(&r, &seen, "fake0", CHANGE_REMOVED);
	check_change(&r, &seen, "fake0", CHANGE_ADDED);
	assert_true(next(&r, &seen, WATCH_PORT)->first);
	assert_int_equal(fake_verbs.contexts, 1);
	devices_close(&devices);
}

/* While its driver waits for its users it is still listed. */
TEST(test_device_that_is_being_removed)
{
	struct recorder r = new_recorder();
	struct watched_devices devices;
	char path[SYSFS_PATH_SIZE];
	size_t seen = 0;

	host_file("/uverbs900", "");
	host_path(path, "/uverbs900");
	fake_verbs.dev_path = path;
	devices_init(&devices, NULL, PLAN_AUTO, &r.taker);
	watch_first(&devices, &r, &seen);
	unlink(path);
	devices_refresh(&devices);
	check_change(&r, &seen, "fake0", CHANGE_REMOVED);
	assert_int_equal(fake_verbs_alive(), 0);
	devices_refresh(&devices);
	assert_int_equal(seen, r.n);
	fake_verbs.n_devices = 0;
	devices_refresh(&devices);
	assert_int_equal(seen, r.n);
	fake_verbs.n_devices = 1;
	devices_refresh(&devices);
	check_change(&r, &seen, "fake0", CHANGE_ADDED);
	devices_close(&devices);
}

TEST(test_one_device_and_one_port)
{
	struct recorder r = new_recorder();
	struct watched_devices devices;
	size_t seen = 0;

	fake_verbs.n_devices = 2;
	fake_verbs.attr.phys_port_cnt = 2;
	devices_init(&devices, "fake1", 2, &r.taker);
	devices_refresh(&devices);
	check_change(&r, &seen, "fake1", CHANGE_PRESENT);
	assert_int_equal(next(&r, &seen, WATCH_PORT)->port, 2);
	fake_verbs.n_gids = 0;		/* that was of port 1 */
	devices_refresh(&devices);
	assert_int_equal(seen, r.n);
	devices_close(&devices);
	seen = r.n = 0;
	devices_init(&devices, "fake1", 3, &r.taker);
	devices_refresh(&devices);
	check_change(&r, &seen, "fake1", CHANGE_PRESENT);
	check_change(&r, &seen, "fake1", CHANGE_FAILED);
	assert_message(&r.events[1].error, "--ib-port 3: fake1 has ports 1 to "
					   "2");
	assert_int_equal(fake_verbs_alive(), 0);
	devices_close(&devices);
}

/* The reason is said once, and that it is over. */
TEST(test_device_that_does_not_open)
{
	struct recorder r = new_recorder();
	struct watched_devices devices;
	size_t seen = 0;

	fake_verbs.no_open = "fake0";
	devices_init(&devices, NULL, PLAN_AUTO, &r.taker);
	devices_refresh(&devices);
	devices_refresh(&devices);
	check_change(&r, &seen, "fake0", CHANGE_PRESENT);
	check_change(&r, &seen, "fake0", CHANGE_FAILED);
	assert_contains(r.events[1].error.message, "fake0: cannot open");
	assert_int_equal(seen, r.n);
	fake_verbs.no_open = NULL;
	devices_refresh(&devices);
	check_change(&r, &seen, "fake0", CHANGE_USABLE);
	assert_true(next(&r, &seen, WATCH_PORT)->first);
	devices_close(&devices);
	assert_int_equal(fake_verbs_alive(), 0);
}

/* Each slow verb fails once: nothing leaks, and the next refresh is right. */
TEST(test_each_verb_fails)
{
	for (uint32_t i = 1; i <= 5; i++) {
		struct recorder r = new_recorder();
		struct watched_devices devices;

		fake_verbs.calls = 0;
		fake_verbs.fail_call = i;
		devices_init(&devices, NULL, PLAN_AUTO, &r.taker);
		devices_refresh(&devices);
		devices_refresh(&devices);
		assert_int_equal(fake_verbs.contexts, 1);
		assert_int_equal(r.events[r.n - 1].kind, WATCH_PORT);
		check_status(&r.events[r.n - 1].now, PORT_STATUS_STATE,
			     "ACTIVE");
		devices_close(&devices);
		assert_int_equal(fake_verbs_alive(), 0);
	}
}

TEST(test_asynchronous_events)
{
	struct recorder r = new_recorder();
	struct watched_devices devices;
	const struct watch_event *event;
	size_t seen = 0;

	devices_init(&devices, NULL, PLAN_AUTO, &r.taker);
	watch_first(&devices, &r, &seen);
	fake_verbs_raise(devices.list[0].context, IBV_EVENT_PORT_ERR);
	fake_verbs_raise(devices.list[0].context, IBV_EVENT_DEVICE_FATAL);
	devices_take_events(&devices, &devices.list[0]);
	event = next(&r, &seen, WATCH_ASYNC);
	assert_int_equal(event->async, IBV_EVENT_PORT_ERR);
	assert_int_equal(event->port, 1);
	event = next(&r, &seen, WATCH_ASYNC);
	assert_int_equal(event->async, IBV_EVENT_DEVICE_FATAL);
	assert_int_equal(event->port, 0);
	assert_int_equal(seen, r.n);
	devices_close(&devices);
}

TEST(test_events_of_another_port)
{
	struct recorder r = new_recorder();
	struct watched_devices devices;
	size_t seen;

	fake_verbs.attr.phys_port_cnt = 2;
	devices_init(&devices, NULL, 2, &r.taker);
	devices_refresh(&devices);
	seen = r.n;
	fake_verbs_raise(devices.list[0].context, IBV_EVENT_PORT_ERR);
	fake_verbs_raise(devices.list[0].context, IBV_EVENT_DEVICE_FATAL);
	devices_take_events(&devices, &devices.list[0]);
	assert_int_equal(next(&r, &seen, WATCH_ASYNC)->async,
			 IBV_EVENT_DEVICE_FATAL);
	assert_int_equal(seen, r.n);
	devices_close(&devices);
}

/* A descriptor that fails would be ready for ever. */
TEST(test_events_that_cannot_be_read)
{
	struct recorder r = new_recorder();
	struct watched_devices devices;
	size_t seen = 0;
	int fd;

	devices_init(&devices, NULL, PLAN_AUTO, &r.taker);
	watch_first(&devices, &r, &seen);
	fd = devices.list[0].context->async_fd;
	devices.list[0].context->async_fd = -1;
	devices_take_events(&devices, &devices.list[0]);
	check_change(&r, &seen, "fake0", CHANGE_FAILED);
	assert_message(&r.events[2].error,
		       "fake0: cannot read its events: Bad file descriptor");
	assert_null(devices.list[0].context);
	devices_refresh(&devices);
	check_change(&r, &seen, "fake0", CHANGE_USABLE);
	devices_close(&devices);
	close(fd);
}

static struct parameters for_ns(uint64_t ns)
{
	struct parameters params;

	param_defaults(&params);
	params.timed = ns > 0;
	params.plan.duration = ns;
	return params;
}

TEST(test_loop_ends_in_time)
{
	struct parameters params = for_ns(SECOND / 10);
	struct recorder r = new_recorder();
	struct error err = { 0 };
	uint64_t began = time_now();

	assert_int_equal(watch(&params, &r.taker, -1, &err), 0);
	assert_true(time_since(began) >= SECOND / 10);
	assert_int_equal(r.n, 2);
	assert_int_equal(fake_verbs_alive(), 0);
}

/* A second refresh comes after a second, without a message of the kernel. */
TEST(test_loop_looks_again)
{
	struct parameters params = for_ns(SECOND + SECOND / 2);
	struct recorder r = new_recorder();
	struct error err = { 0 };

	fake_verbs.fail_call = 1;	/* of listing devices */
	assert_int_equal(watch(&params, &r.taker, -1, &err), 0);
	assert_int_equal(r.n, 2);
	assert_int_equal(r.events[0].change, CHANGE_ADDED);
}

TEST(test_loop_ends_with_the_reader)
{
	struct parameters params = for_ns(0);
	struct recorder r = new_recorder();
	struct error err = { 0 };
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	r.fd = fds[1];
	assert_int_equal(watch(&params, &r.taker, -1, &err), 0);
	r = new_recorder();
	r.fail_flush = 1;
	assert_int_equal(watch(&params, &r.taker, -1, &err), 0);
	close(fds[1]);
	assert_false(error_is_set(&err));
}

TEST_FILE()
{
#define EACH(test) cmocka_unit_test_setup_teardown(test, begin, host_end)
	const struct CMUnitTest tests[] = {
		EACH(test_port_that_changes),
		EACH(test_infiniband_port),
		EACH(test_rate),
		EACH(test_link_behind_a_port),
		EACH(test_gids_that_come_and_go),
		EACH(test_addresses_of_iwarp),
		EACH(test_devices_that_come_and_go),
		EACH(test_device_that_was_replaced),
		EACH(test_device_that_is_being_removed),
		EACH(test_one_device_and_one_port),
		EACH(test_device_that_does_not_open),
		EACH(test_each_verb_fails),
		EACH(test_asynchronous_events),
		EACH(test_events_of_another_port),
		EACH(test_events_that_cannot_be_read),
		EACH(test_loop_ends_in_time),
		EACH(test_loop_looks_again),
		EACH(test_loop_ends_with_the_reader),
	};

	alarm(patient(30));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
