/* Lines of JSON as they come, and readers that are slow, or gone. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

#include "json_checks.h"
#include "report/sink.h"
#include "report/stream.h"
#include "results.h"

#define LINE "0123456789012345678901234567890123456789012345678901234567890123"
#define MANY 4000	/* of those are more than a pipe holds */

static const struct observed part = {
	.size = 64, .interval = { 500000000, 250000000, 1000 },
	.from_client = true,
};

/* What is in the file of FD beyond *SEEN, which is the next line, whole. */
static json_t *next_line(int fd, off_t *seen)
{
	static char text[1 << 16];
	ssize_t n = pread(fd, text, sizeof(text) - 1, *seen);
	json_t *line;

	assert_true(n > 1);
	text[n] = '\0';
	assert_int_equal(text[n - 1], '\n');
	assert_ptr_equal(strchr(text, '\n'), text + n - 1);
	*seen += n;
	line = parsed(text);
	check_string(line, "schema", "verbsperf-lines/1");
	check_string(line, "started", "2023-11-14T22:13:20.123Z");
	check_string(line, "test.name", "send_bw");
	check_string(line, "client.hostname", "alpha");
	check_string(line, "server.device", "rxe0");
	check_number(line, "server.port", 1);
	return line;
}

/* Each is in the file when the call returns. */
TEST(test_lines_of_a_run)
{
	char path[] = "/tmp/verbsperf-test-XXXXXX";
	struct result *r = result_bandwidth();
	struct stream *s = stream_new(&lines_format, path);
	struct error err = { 0 };
	int fd = mkstemp(path);
	off_t seen = 0;
	json_t *line;

	r->n_rows = 0;
	stream_begin(s, r);
	line = next_line(fd, &seen);
	check_string(line, "type", "start");
	check_string(line, "server.gid", "::ffff:10.0.0.2");
	check_number(line, "parameters.qps", 2);
	json_decref(line);
	stream_interval(s, r, &part);
	line = next_line(fd, &seen);
	check_string(line, "type", "interval");
	check_string(line, "from", "client");
	check_string(line, "counted", "completed");
	check_number(line, "interval.start", 0.5);
	check_number(line, "interval.gbps", 0.002048);
	json_decref(line);
	/* no line if the user wants none */
	r->params.no_intervals = true;
	stream_interval(s, r, &part);
	r->n_rows = 1;
	stream_rows(s, r);
	line = next_line(fd, &seen);
	check_number(line, "result.size", 64);
	json_decref(line);
	r->n_rows = 2;
	stream_rows(s, r);
	line = next_line(fd, &seen);
	check_number(line, "result.size", 65536);
	check_number(line, "result.bandwidth.mib_per_s", 125000);
	json_decref(line);
	error_stage(&r->error, "traffic");
	fail(&r->error, -EIO, NULL, "gone");
	assert_int_equal(stream_end(s, r, &err), 0);
	line = next_line(fd, &seen);
	check_string(line, "error.message", "gone");
	json_decref(line);
	stream_free(s);
	result_free(r);
	unlink(path);
	close(fd);
}

TEST(test_what_was_counted)
{
	static const struct {
		enum transport transport;
		bool received;
		const char *word;
	} cases[] = {
		{ TRANSPORT_RC, false, "completed" },
		{ TRANSPORT_RC, true, "received" },
		{ TRANSPORT_UD, false, "sent" },
		{ TRANSPORT_UD, true, "received" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char path[] = "/tmp/verbsperf-test-XXXXXX";
		struct result *r = result_bandwidth();
		struct stream *s = stream_new(&lines_format, path);
		struct observed one = part;
		int fd = mkstemp(path);
		off_t seen = 0;
		json_t *line;

		r->params.plan.transport = cases[i].transport;
		one.received = cases[i].received;
		one.from_client = !cases[i].received;
		stream_interval(s, r, &one);
		line = next_line(fd, &seen);
		check_string(line, "counted", cases[i].word);
		check_string(line, "from", one.from_client ? "client" :
							     "server");
		json_decref(line);
		stream_free(s);
		result_free(r);
		unlink(path);
		close(fd);
	}
}

/* A FIFO in a folder of its own. */
struct pipe_path {
	char folder[40];
	char path[50];
};

static struct pipe_path make_fifo(void)
{
	struct pipe_path p = { .folder = "/tmp/verbsperf-test-XXXXXX" };

	assert_non_null(mkdtemp(p.folder));
	snprintf(p.path, sizeof(p.path), "%s/fifo", p.folder);
	assert_int_equal(mkfifo(p.path, 0600), 0);
	return p;
}

static void remove_fifo(const struct pipe_path *p)
{
	unlink(p->path);
	rmdir(p->folder);
}

static void put_line(struct sink *s, unsigned int i)
{
	char text[80];
	int n = snprintf(text, sizeof(text), "%06u%s\n", i, LINE);

	sink_put(s, text, (size_t)n);
}

/* How many lines there are at the descriptor that ARGUMENT points to, in their
 * order and whole, takes its place. */
static void *read_all(void *argument)
{
	FILE *in = fdopen(*(int *)argument, "r");
	char text[80], wanted[80];
	int n = 0;

	do {
		snprintf(wanted, sizeof(wanted), "%06d%s\n", n++, LINE);
	} while (fgets(text, sizeof(text), in) && !strcmp(text, wanted));
	fclose(in);
	*(int *)argument = n - 1;
	return NULL;
}

/* Nobody waits for it, and it gets all of it in the end. */
TEST(test_reader_that_comes_late_and_is_slow)
{
	struct pipe_path p = make_fifo();
	struct error err = { 0 };
	struct sink s;
	pthread_t thread;
	int fd;

	sink_init(&s, p.path);
	put_line(&s, 0);
	assert_int_equal(s.fd, -1);
	fd = open(p.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	fcntl(fd, F_SETFL, 0);
	for (unsigned int i = 1; i < MANY; i++)
		put_line(&s, i);
	assert_true(s.end - s.start > 0);
	assert_int_equal(s.errnum, 0);
	assert_int_equal(pthread_create(&thread, NULL, read_all, &fd), 0);
	assert_int_equal(sink_finish(&s, &err), 0);
	sink_free(&s);
	pthread_join(thread, NULL);
	assert_int_equal(fd, MANY);
	remove_fifo(&p);
}

TEST(test_reader_that_goes_away)
{
	struct pipe_path p = make_fifo();
	int fd = open(p.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct error err = { 0 };
	struct sink s;

	sink_init(&s, p.path);
	put_line(&s, 0);
	close(fd);
	put_line(&s, 1);
	put_line(&s, 2);
	assert_int_equal(sink_finish(&s, &err), -EPIPE);
	assert_contains(err.message, "/fifo: Broken pipe");
	sink_free(&s);
	remove_fifo(&p);
}

/* What is kept for it has an end. */
TEST(test_reader_that_does_not_read)
{
	struct pipe_path p = make_fifo();
	int fd = open(p.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct error err = { 0 };
	struct sink s;

	sink_init(&s, p.path);
	for (unsigned int i = 0; i < 70000; i++)
		put_line(&s, i);
	assert_int_equal(sink_finish(&s, &err), -ENOBUFS);
	assert_contains(err.message, "its reader is over 4 MB behind");
	sink_free(&s);
	close(fd);
	remove_fifo(&p);
}

TEST(test_files_that_cannot_be_written)
{
	static const struct {
		const char *path;
		const char *message;
		int ret;
	} cases[] = {
		{ "/dev/full", "cannot write /dev/full: No space left on "
		  "device", -ENOSPC },
		{ "/nowhere/at/all", "cannot write /nowhere/at/all: No such "
		  "file or directory", -ENOENT },
		{ "/", "cannot write /: Is a directory", -EISDIR },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct error err = { 0 };
		struct sink s;

		sink_init(&s, cases[i].path);
		put_line(&s, 0);
		put_line(&s, 1);
		assert_int_equal(sink_finish(&s, &err), cases[i].ret);
		assert_message(&err, cases[i].message);
		sink_free(&s);
	}
}

/* Two writers of one file, as the children of a server are. */
TEST(test_lines_of_two_do_not_mix)
{
	char path[] = "/tmp/verbsperf-test-XXXXXX";
	int fd = mkstemp(path);
	struct error err = { 0 };
	struct sink a, b;

	sink_init(&a, path);
	sink_init(&b, path);
	for (unsigned int i = 0; i < 100; i += 2) {
		put_line(&a, i);
		put_line(&b, i + 1);
	}
	assert_int_equal(sink_finish(&a, &err), 0);
	assert_int_equal(sink_finish(&b, &err), 0);
	sink_free(&a);
	sink_free(&b);
	read_all(&fd);
	assert_int_equal(fd, 100);
	unlink(path);
}

static int ignore_sigpipe(void **state)
{
	(void)state;
	return signal(SIGPIPE, SIG_IGN) == SIG_ERR;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup(test_lines_of_a_run, ignore_sigpipe),
	cmocka_unit_test(test_what_was_counted),
	cmocka_unit_test(test_reader_that_comes_late_and_is_slow),
	cmocka_unit_test(test_reader_that_goes_away),
	cmocka_unit_test(test_reader_that_does_not_read),
	cmocka_unit_test(test_files_that_cannot_be_written),
	cmocka_unit_test(test_lines_of_two_do_not_mix),
};

TEST_MAIN(tests, 20)
