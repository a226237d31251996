/* The lines of verbsperf watch, and a reader that is slow, or gone. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

#include "json_checks.h"
#include "report/events.h"

static char path[40];

static int make_path(void **state)
{
	int fd;

	(void)state;
	strcpy(path, "/tmp/verbsperf-test-XXXXXX");
	fd = mkstemp(path);
	return fd < 0 || close(fd);
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

static struct watch_taker *to_file(const char *device)
{
	struct parameters params;

	param_defaults(&params);
	params.json_lines = path;
	params.device = device;
	return events_new(&params);
}

static struct watch_event event_of(enum watch_kind kind)
{
	struct watch_event event = {
		.kind = kind,
		.when = { 1700000000, 123456789 },
		.device = "rxe0",
	};

	return event;
}

/* The lines that are in the file now, each parsed.  Returns how many. */
static size_t read_lines(json_t **lines, size_t most)
{
	char line[4096];
	FILE *file = fopen(path, "r");
	size_t n = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		assert_true(n < most);
		lines[n] = parsed(line);
		check_string(lines[n++], "schema", "verbsperf-events/1");
	}
	fclose(file);
	return n;
}

/* The only line between start and end that EVENT makes. */
static json_t *line_of(const struct watch_event *event)
{
	struct error err = { 0 };
	struct watch_taker *t;
	json_t *lines[3];

	assert_int_equal(truncate(path, 0), 0);
	t = to_file(NULL);
	t->take(t, event);
	assert_int_equal(events_end(t, &err), 0);
	events_free(t);
	assert_int_equal(read_lines(lines, 3), 3);
	json_decref(lines[0]);
	json_decref(lines[2]);
	check_string(lines[1], "time", "2023-11-14T22:13:20.123Z");
	check_string(lines[1], "device", "rxe0");
	check_number(lines[1], "number", 1);
	return lines[1];
}

TEST(test_first_and_last_line)
{
	struct watch_taker *t = to_file("mlx5_0");
	struct watch_event event = event_of(WATCH_ASYNC);
	struct error err = { 0 };
	json_t *lines[4];

	t->take(t, &event);
	t->take(t, &event);
	assert_int_equal(events_end(t, &err), 0);
	events_free(t);
	assert_int_equal(read_lines(lines, 4), 4);
	check_string(lines[0], "type", "start");
	check_string(lines[0], "watched", "mlx5_0");
	check_number(lines[2], "number", 2);
	check_string(lines[3], "type", "end");
	check_number(lines[3], "events", 2);
	check_number(lines[3], "lost", 0);
	for (size_t i = 0; i < 4; i++)
		json_decref(lines[i]);
}

TEST(test_line_of_a_device)
{
	struct watch_event event = event_of(WATCH_DEVICE);
	json_t *line;

	event.change = CHANGE_FAILED;
	fail(&event.error, -EIO, "try again", "broken");
	line = line_of(&event);
	check_string(line, "type", "device");
	check_null(line, "port");
	check_string(line, "change", "failed");
	check_string(line, "message", "broken");
	check_string(line, "advice", "try again");
	json_decref(line);
}

TEST(test_line_of_a_port)
{
	struct watch_event event = event_of(WATCH_PORT);
	json_t *line;

	event.port = 2;
	event.first = true;
	strcpy(event.now.text[PORT_STATUS_STATE], "ACTIVE");
	strcpy(event.now.text[PORT_STATUS_RATE], "2.5");
	strcpy(event.now.text[PORT_STATUS_MTU], "4096");
	line = line_of(&event);
	check_number(line, "port", 2);
	check_null(line, "before");
	check_string(line, "now.state", "ACTIVE");
	check_number(line, "now.rate_gbps", 2.5);
	check_number(line, "now.mtu", 4096);
	check_null(line, "now.lid");
	check_null(line, "now.link");
	assert_int_equal(json_array_size(at(line, "changed")), 0);
	json_decref(line);
	event.first = false;
	event.before = event.now;
	strcpy(event.now.text[PORT_STATUS_STATE], "DOWN");
	line = line_of(&event);
	check_string(line, "before.state", "ACTIVE");
	check_string(line, "changed.0", "state");
	assert_int_equal(json_array_size(at(line, "changed")), 1);
	json_decref(line);
}

TEST(test_line_of_a_gid)
{
	struct watch_event event = event_of(WATCH_GID);
	json_t *line;

	event.change = CHANGE_REMOVED;
	event.port = 1;
	event.gid = (struct gid){
		.raw = { .raw = { [10] = 0xff, [11] = 0xff, 10, 0, 0, 1 } },
		.index = 3,
		.type = GID_TYPE_ROCE_V2,
		.ifindex = 99999999,
	};
	line = line_of(&event);
	check_string(line, "change", "removed");
	check_number(line, "index", 3);
	check_string(line, "gid", "::ffff:10.0.0.1");
	check_string(line, "gid_type", "RoCE v2");
	check_null(line, "interface");
	json_decref(line);
}

TEST(test_line_of_an_asynchronous_event)
{
	struct watch_event event = event_of(WATCH_ASYNC);
	json_t *line;

	event.port = 1;
	event.async = IBV_EVENT_PORT_ERR;
	line = line_of(&event);
	check_string(line, "event", "IBV_EVENT_PORT_ERR");
	check_string(line, "message", "the port went down");
	assert_true(json_is_true(at(line, "fatal")));
	json_decref(line);
	event.async = IBV_EVENT_GID_CHANGE;
	line = line_of(&event);
	assert_true(json_is_false(at(line, "fatal")));
	check_null(line, "advice");
	json_decref(line);
}

/* What a watch writes to stdout as text; the standard output of this program
 * is PATH meanwhile. */
static void print(const struct watch_event *event, char *text, size_t size)
{
	int saved = dup(STDOUT_FILENO), fd = open(path, O_RDWR | O_TRUNC);
	struct error err = { 0 };
	struct parameters params;
	struct watch_taker *t;
	ssize_t n;

	param_defaults(&params);
	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	t = events_new(&params);
	t->take(t, event);
	assert_int_equal(events_end(t, &err), 0);
	events_free(t);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	n = pread(fd, text, size - 1, 0);
	close(fd);
	assert_true(n > 0);
	text[n] = '\0';
}

TEST(test_text)
{
	struct watch_event event = event_of(WATCH_DEVICE);
	char text[512];

	event.change = CHANGE_ADDED;
	print(&event, text, sizeof(text));
	assert_string_equal(text, "2023-11-14T22:13:20.123Z rxe0: added\n");
	event.change = CHANGE_FAILED;
	fail(&event.error, -EIO, "try again", "broken");
	print(&event, text, sizeof(text));
	assert_string_equal(text, "2023-11-14T22:13:20.123Z rxe0: failed: "
				  "broken -> try again\n");
	event = event_of(WATCH_PORT);
	event.port = 1;
	event.first = true;
	strcpy(event.now.text[PORT_STATUS_STATE], "ACTIVE");
	strcpy(event.now.text[PORT_STATUS_MTU], "1024");
	strcpy(event.now.text[PORT_STATUS_RATE], "2.5");
	print(&event, text, sizeof(text));
	assert_string_equal(text, "2023-11-14T22:13:20.123Z rxe0 port 1: "
				  "state ACTIVE, MTU 1024, rate 2.5 Gb/s\n");
	event.first = false;
	event.before = event.now;
	strcpy(event.now.text[PORT_STATUS_STATE], "DOWN");
	strcpy(event.now.text[PORT_STATUS_MTU], "");
	strcpy(event.now.text[PORT_STATUS_RATE], "10");
	print(&event, text, sizeof(text));
	assert_string_equal(text, "2023-11-14T22:13:20.123Z rxe0 port 1: "
				  "state ACTIVE -> DOWN, MTU 1024 -> none, "
				  "rate 2.5 Gb/s -> 10 Gb/s\n");
	event = event_of(WATCH_GID);
	event.port = 1;
	event.change = CHANGE_ADDED;
	event.gid.ifindex = 1;
	print(&event, text, sizeof(text));
	assert_string_equal(text, "2023-11-14T22:13:20.123Z rxe0 port 1: "
				  "GID 0 :: (IB) of lo added\n");
	event.gid.type = GID_TYPE_IWARP;
	event.gid.raw.raw[10] = event.gid.raw.raw[11] = 0xff;
	event.gid.raw.raw[12] = 10;
	print(&event, text, sizeof(text));
	assert_string_equal(text, "2023-11-14T22:13:20.123Z rxe0 port 1: "
				  "GID 0 10.0.0.0 (iWARP) of lo added\n");
	event = event_of(WATCH_ASYNC);
	event.async = IBV_EVENT_DEVICE_FATAL;
	print(&event, text, sizeof(text));
	assert_string_equal(text, "2023-11-14T22:13:20.123Z rxe0: "
				  "IBV_EVENT_DEVICE_FATAL: the device "
				  "failed\n");
}

/* A FIFO instead of the file. */
static int open_fifo(void)
{
	int fd;

	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	fd = open(path, O_RDONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	return fd;
}

/* Everything that is in the pipe FD, as one text. */
static size_t read_all(int fd, char *text, size_t size)
{
	size_t used = 0;
	ssize_t n;

	while ((n = read(fd, text + used, size - 1 - used)) > 0)
		used += (size_t)n;
	text[used] = '\0';
	return used;
}

#define MANY 3000

/* Each number is there once, or counted by a line of its own. */
TEST(test_reader_that_is_slow)
{
	static char text[4 << 20];
	struct watch_event event = event_of(WATCH_ASYNC);
	struct error err = { 0 };
	int fd = open_fifo();
	struct watch_taker *t = to_file(NULL);
	json_int_t expected = 1, lost = 0;
	size_t used;

	events_keep(t, 64 << 10);
	for (int i = 0; i < MANY; i++)
		t->take(t, &event);
	assert_int_equal(t->flush(t), 1);
	used = read_all(fd, text, sizeof(text));
	while (t->flush(t))
		used += read_all(fd, text + used, sizeof(text) - used);
	t->take(t, &event);
	used += read_all(fd, text + used, sizeof(text) - used);
	assert_int_equal(events_end(t, &err), 0);
	events_free(t);
	read_all(fd, text + used, sizeof(text) - used);
	close(fd);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		json_t *root = json_loads(line, 0, NULL);
		const json_t *number = json_object_get(root, "number");
		const json_t *count = json_object_get(root, "count");

		assert_non_null(root);
		if (count) {
			lost += json_integer_value(count);
			expected += json_integer_value(count);
		}
		if (number)
			assert_int_equal(json_integer_value(number),
					 expected++);
		if (!strcmp(json_string_value(json_object_get(root, "type")),
			    "end")) {
			check_number(root, "events", MANY + 1);
			check_number(root, "lost", (double)lost);
		}
		json_decref(root);
	}
	assert_int_equal(expected, MANY + 2);
	assert_true(lost > 0 && lost < MANY);
}

/* In the end, too, a line says how many are missing. */
TEST(test_lost_at_the_end)
{
	struct watch_event event = event_of(WATCH_ASYNC);
	struct watch_taker *t = to_file(NULL);
	struct error err = { 0 };
	json_t *lines[4];

	unlink(path);		/* a new file is made, but not by this one */
	assert_int_equal(mkfifo(path, 0600), 0);
	events_free(t);
	t = to_file(NULL);	/* nobody reads it yet */
	events_keep(t, 1);
	t->take(t, &event);
	t->take(t, &event);
	assert_int_equal(t->fd(t), -1);
	unlink(path);
	assert_int_equal(events_end(t, &err), 0);
	events_free(t);
	assert_int_equal(read_lines(lines, 4), 3);
	check_string(lines[1], "type", "lost");
	check_number(lines[1], "count", 2);
	check_number(lines[2], "lost", 2);
	for (size_t i = 0; i < 3; i++)
		json_decref(lines[i]);
}

/* That is how 'verbsperf watch | grep -m 1' ends. */
TEST(test_reader_that_has_gone)
{
	struct watch_event event = event_of(WATCH_ASYNC);
	struct error err = { 0 };
	int fd = open_fifo();
	struct watch_taker *t = to_file(NULL);

	signal(SIGPIPE, SIG_IGN);
	assert_true(t->fd(t) >= 0);
	assert_int_equal(t->flush(t), 0);
	close(fd);
	t->take(t, &event);
	assert_int_equal(t->flush(t), -EPIPE);
	assert_int_equal(events_end(t, &err), 0);
	events_free(t);
}

TEST(test_file_that_is_full)
{
	struct watch_event event = event_of(WATCH_ASYNC);
	struct error err = { 0 };
	struct parameters params;
	struct watch_taker *t;

	param_defaults(&params);
	params.json_lines = "/dev/full";
	t = events_new(&params);
	t->take(t, &event);
	assert_int_equal(t->flush(t), -ENOSPC);
	assert_int_equal(events_end(t, &err), -ENOSPC);
	assert_contains(err.message, "cannot write /dev/full: No space left");
	events_free(t);
}

TEST_FILE()
{
#define EACH(test) cmocka_unit_test_setup_teardown(test, make_path, remove_path)
	const struct CMUnitTest tests[] = {
		EACH(test_first_and_last_line),
		EACH(test_line_of_a_device),
		EACH(test_line_of_a_port),
		EACH(test_line_of_a_gid),
		EACH(test_line_of_an_asynchronous_event),
		EACH(test_text),
		EACH(test_reader_that_is_slow),
		EACH(test_lost_at_the_end),
		EACH(test_reader_that_has_gone),
		EACH(test_file_that_is_full),
	};

	alarm(patient(30));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
