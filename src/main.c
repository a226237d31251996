/*
 * Runs the program's steps in order and sets its exit status; no other file
 * ends the program.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/log.h"
#include "base/time.h"
#include "base/xalloc.h"
#include "cli/dump.h"
#include "cli/parse.h"
#include "cli/perftest.h"
#include "cli/usage.h"
#include "control/control.h"
#include "host/affinity.h"
#include "host/facts.h"
#include "host/numa.h"
#include "net/connect.h"
#include "net/key_file.h"
#include "net/signals.h"
#include "report/events.h"
#include "report/outputs.h"
#include "report/perftest.h"
#include "run/verification.h"
#include "serve/reap.h"
#include "serve/release.h"
#include "serve/serve.h"
#include "session/again.h"
#include "session/check.h"
#include "session/session.h"
#include "traffic/calibrate.h"
#include "verbs/device.h"
#include "watch/watch.h"

/* Relative difference between two rates, read 0.1 s apart, that is harmless. */
#define CLOCK_TOLERANCE 1e-3

enum {
	EXIT_MEASURED = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_LIMIT = 3,
	EXIT_WRONG_DATA = 4,
};

/* A clock that changes its rate makes every number of the run doubtful. */
static void warn_of_clock(const struct clock_description *clock)
{
	if (clock->deviation > CLOCK_TOLERANCE)
		log_warning("the clock %s changed its rate by %.2g%% during "
			    "the run; try --clock monotonic_raw",
			    clock->source, 100 * clock->deviation);
}

/* Log why nothing more was measured, each sentence once. */
static void log_failure(const struct result *result)
{
	const struct error *err = &result->error;
	const struct error *peer_err = &result->peer_error;

	if (result->preflight) {
		report_problems(result);
		return;
	}
	if (error_is_set(err))
		log_error(err);
	if (error_is_set(peer_err) && !err->from_peer &&
	    strcmp(err->message, peer_err->message) != 0)
		log_peer_error(result->at_server ? "client" : "server",
			       peer_err);
}

/* Report the measurements and any failure in every format the user asks for. */
static int report(const struct result *result)
{
	struct error err = { .stage = "report" };
	bool failed = error_is_set(&result->error), met;
	int ret, written;

	/* the reader may never take it: ^C ends that wait, too */
	signals_unblock(true);
	ret = outputs_write_table(result, &err);
	warn_of_clock(&result->clock);
	log_failure(result);
	report_counters(result);
	met = report_limits(result);
	written = outputs_write(result, &err);
	ret = ret ? ret : written;
	if (ret)
		log_error(&err);
	signals_unblock(false);
	if (!strcmp(result->error.code, VERIFICATION_CODE))
		return EXIT_WRONG_DATA;
	if (failed || ret)
		return EXIT_FAILED;
	return met ? EXIT_MEASURED : EXIT_LIMIT;
}

/* Without --once a server may serve several clients at once, so that their
 * reports share stdout. */
static struct result *new_result(const struct options *options, bool reports)
{
	const bool alone = options->command != COMMAND_SERVE ||
			   options->params.once;
	struct result *result = xcalloc(1, sizeof(*result));

	result->params = options->params;
	if (reports)
		result->observer = outputs_observe(&options->params, alone);
	clock_gettime(CLOCK_REALTIME, &result->started);
	return result;
}

static void free_result(struct result *result)
{
	outputs_release(result->observer);
	result_free(result);
}

static void name_host(struct port *port)
{
	gethostname(port->hostname, sizeof(port->hostname) - 1);
}

/* Describe this end, before any other is known. */
static int prepare(const struct options *options, struct device *device,
		   struct result *result)
{
	const struct parameters *params = &options->params;
	struct error *err = &result->error;
	int ret;

	name_host(&result->client);
	error_stage(err, "key");
	ret = key_file_check(params->key_file, err);
	error_stage(err, "device");
	if (!ret)
		ret = affinity_check(params, err);
	if (!ret)
		ret = device_open(params, device, err);
	if (!ret)
		ret = numa_place(&result->params, device, err);
	if (ret)
		return ret;
	facts_read(&device->port, &params->cpus);
	result->client = device->port;
	return 0;
}

static int connect_to(const struct options *options, uint64_t wait,
		      struct connection *conn, struct error *err)
{
	const struct parameters *params = &options->params;

	error_stage(err, "connect");
	if (options->command != COMMAND_CLIENT)
		return 0;
	return oob_connect(options->server, params->port, params->bind,
			   params->plan.timeout, wait, conn->cancel_fd, conn,
			   err);
}

static int run_test(const struct options *options, struct connection *conn,
		    struct device *device, struct result *result,
		    struct session **session)
{
	uint64_t give_up = time_after(options->params.wait);
	struct error *err = &result->error;
	int ret = prepare(options, device, result);
	struct parameters params = result->params;

	while (!ret) {
		ret = connect_to(options, time_until(give_up), conn, err);
		if (!ret)
			ret = session_client(conn, device, result, session);
		if (!ret || !again_is_wanted(result, give_up))
			break;
		ret = again_prepare(result, conn, session);
		result->params = params;
	}
	result_note_effective(result, &device->port);
	return ret;
}

static int report_test(struct result *result)
{
	if (result->params.plan.check)
		check_finish(result);
	return report(result);
}

/* Report a test that could not even begin; a server has none to report. */
static int not_begun(const struct options *options, const struct error *err)
{
	struct result *result;
	int status;

	if (options->command == COMMAND_SERVE) {
		log_error(err);
		return EXIT_FAILED;
	}
	result = new_result(options, true);
	name_host(&result->client);
	result->error = *err;
	status = report_test(result);
	free_result(result);
	return status;
}

/* Run a test; with both ends here, CONN is connected already. */
static int client(const struct options *options, struct connection *conn)
{
	struct result *result = new_result(options, true);
	struct session *session = NULL;
	struct device device = { 0 };
	int status;

	run_test(options, conn, &device, result, &session);
	status = report_test(result);
	oob_close(conn);
	session_free(session);
	device_close(&device);
	free_result(result);
	return status;
}

/* Serve one client.  REPORTS is false at the server of --loopback. */
static int serve_client(const struct options *options,
			struct connection *conn, bool reports)
{
	struct result *result = new_result(options, reports);
	struct device device = { 0 };
	struct session *session;
	struct release release;
	int status = EXIT_FAILED;
	bool served;

	if (!session_server(conn, &device, result, &session))
		status = EXIT_MEASURED;
	served = session_was_served(session);
	result_note_effective(result, &device.port);
	release_begin(&release, conn, session, &device);
	if (reports && served) {
		log_wait();
		serve_begin_report();
		status = report(result);
	} else if (reports) {
		log_error(&result->error);
	}
	release_end(&release);
	free_result(result);
	return status;
}

/* The server of --loopback: a process of its own, as on a second host. */
static int loopback_server(struct options *options, int fd, int cancel_fd)
{
	struct connection conn;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	log_set_level(LOG_QUIET);
	affinity_keep_off(&options->params.cpus);
	/* trust the user's own client */
	options->params.idle_timeout = UINT64_MAX;
	options->params.allow_inject = true;
	oob_adopt(fd, cancel_fd, "client", &conn);
	return serve_client(options, &conn, false);
}

/* Start the server's process, with a socket pair FDS.  Returns its PID, 0 in
 * the process itself, or a negative errno. */
static pid_t start_server(int fds[2], struct error *err)
{
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return fail(err, -errno, NULL, "cannot make a socket pair: %s",
			    strerror(errno));
	child = fork();
	if (child >= 0)
		return child;
	child = fail(err, -errno, NULL, "cannot start a process for the "
		     "server: %s", strerror(errno));
	close(fds[0]);
	close(fds[1]);
	return child;
}

static int loopback(struct options *options, int cancel_fd)
{
	struct error err = { .stage = "connect" };
	struct connection conn;
	int fds[2], status;
	pid_t child;

	numa_place_both(&options->params);
	affinity_choose(&options->params);
	child = start_server(fds, &err);
	if (child < 0)
		return not_begun(options, &err);
	close(fds[!child ? 0 : 1]);
	if (child == 0)
		return loopback_server(options, fds[1], cancel_fd);
	oob_adopt(fds[0], cancel_fd, "server", &conn);
	status = client(options, &conn);
	reap(child, cancel_fd);
	return status;
}

static int print(char *text)
{
	struct error err = { 0 };

	if (!report_print("-", text, &err))
		return EXIT_MEASURED;
	log_error(&err);
	return EXIT_FAILED;
}

/* Returns in the parent, at the end, and in the child of each client. */
static int serve(struct options *options, int cancel_fd)
{
	struct parameters *params = &options->params;
	struct error err = { 0 };
	struct connection conn;
	struct port port;
	int listener, status, ret;

	log_never_wait();
	if (options->ignored[0])
		log_warning("%s: the client decides that; ignored here",
			    options->ignored);
	listener = key_file_check(params->key_file, &err) ? -1 :
		   serve_open(params, cancel_fd, &port, &err);
	if (listener >= 0 && params->format == TABLE_PERFTEST &&
	    params->perftest)
		print(strdup(perftest_waiting));
	ret = listener < 0 ? listener :
			     serve_clients(params, listener, cancel_fd, &conn,
					   &status, &err);
	if (ret > 0)
		return serve_client(options, &conn, true);
	if (ret < 0)
		log_error(&err);
	if (ret < 0 || (status < 0 && params->once))
		return EXIT_FAILED;
	return status < 0 ? EXIT_MEASURED : status;
}

static bool any_usable(const struct found_port *found, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!error_is_set(&found[i].error))
			return true;
	return false;
}

static int devices(const struct options *options)
{
	struct error err = { 0 };
	struct found_port *found;
	size_t n;
	int ret = device_scan(&options->params, &found, &n, &err);

	if (!ret)
		ret = report_print("-", report_devices(found, n), &err);
	if (!ret && !any_usable(found, n))
		ret = fail(&err, -ENODEV, NULL,
			   "none of the RDMA devices can be used");
	if (ret)
		log_error(&err);
	free(found);
	return ret ? EXIT_FAILED : EXIT_MEASURED;
}

/* Print what happens to devices, until the user or the reader ends it. */
static int watch_devices(const struct options *options, int cancel_fd)
{
	struct watch_taker *taker = events_new(&options->params);
	struct error err = { .stage = "watch" };
	int ret = watch(&options->params, taker, cancel_fd, &err), written;

	/* the reader may never take the rest: ^C ends that wait, too */
	signals_unblock(true);
	written = events_end(taker, &err);
	events_free(taker);
	if (ret || written)
		log_error(&err);
	return ret || written ? EXIT_FAILED : EXIT_MEASURED;
}

/* Examine this end alone. */
static int check(const struct options *options)
{
	struct result *result = new_result(options, true);
	struct device device = { 0 };
	int status;

	result->alone = true;
	if (!prepare(options, &device, result))
		check_alone(result);
	else
		facts_read(&result->client, &options->params.cpus);
	result_note_effective(result, &device.port);
	status = report_test(result);
	device_close(&device);
	free_result(result);
	return status;
}

/* Run a test of the control path, which needs no other end. */
static int control(const struct options *options, int cancel_fd)
{
	struct result *result = new_result(options, true);
	struct call_counter *counter = call_counter_open();
	struct device device = { 0 };
	int status;

	result->alone = true;
	if (!prepare(options, &device, result))
		control_run(&device, counter, cancel_fd, NULL, result);
	result_note_effective(result, &device.port);
	status = report_test(result);
	device_close(&device);
	call_counter_close(counter);
	free_result(result);
	return status;
}

/* Measure the program's own overhead, without device, server or network. */
static int run_calibration(const struct options *options)
{
	const struct parameters *params = &options->params;
	struct error err = { .stage = "calibrate" };
	struct calibration c;
	int ret = affinity_check(params, &err);

	if (!ret) {
		affinity_pin(&params->cpus, 0);
		ret = calibrate((enum clock_choice)params->clock, &c);
		if (ret)
			fail(&err, ret, NULL, "the null provider failed: %s",
			     strerror(-ret));
		else
			ret = outputs_write_calibration(params, &c,
							&err);
		calibration_free(&c);
	}
	if (ret)
		log_error(&err);
	return ret ? EXIT_FAILED : EXIT_MEASURED;
}

/* Check this before opening any descriptor, which could take the user's
 * number. */
static int check_ready_fd(const struct parameters *params, struct error *err)
{
	if (!params->ready_fd || descriptors_writable((int)params->ready_fd))
		return 0;
	return fail(err, -EBADF, NULL,
		    "--ready-fd %u: is not open for writing",
		    params->ready_fd);
}

/* Run commands that measure, and can be interrupted. */
static int run_ends(struct options *options)
{
	struct error err = { .stage = "begin" };
	struct connection conn;
	int cancel_fd = signals_open();

	if (cancel_fd < 0)
		fail(&err, cancel_fd, NULL, "cannot take signals: %s",
		     strerror(-cancel_fd));
	if (cancel_fd < 0)
		return not_begun(options, &err);
	if (options->command == COMMAND_SERVE)
		return serve(options, cancel_fd);
	if (options->command == COMMAND_WATCH)
		return watch_devices(options, cancel_fd);
	if (options->command == COMMAND_CONTROL)
		return control(options, cancel_fd);
	if (options->command == COMMAND_LOOPBACK)
		return loopback(options, cancel_fd);
	oob_adopt(-1, cancel_fd, "server", &conn);
	return client(options, &conn);
}

static int run(struct options *options, const char *name)
{
	const bool perftest = options->params.perftest;
	struct error err = { .stage = "options" };

	if (options->dump)
		return print(options_dump(options));
	switch (options->command) {
	case COMMAND_HELP:
		return print(perftest ? perftest_usage(name) :
					options_usage());
	case COMMAND_VERSION:
		return print(perftest ? perftest_version() :
					options_version());
	case COMMAND_DEVICES:
		return devices(options);
	case COMMAND_FAULTS:
		return print(report_faults());
	default:
		break;
	}
	if (check_ready_fd(&options->params, &err)) {
		log_error(&err);
		return EXIT_USAGE;
	}
	if (outputs_check(&options->params, &err)) {
		log_error(&err);
		return EXIT_FAILED;
	}
	if (options->command == COMMAND_CALIBRATE)
		return run_calibration(options);
	if (options->command == COMMAND_CHECK)
		return check(options);
	return run_ends(options);
}

/* perftest's programs say only whether all went well, and --help did not. */
static int exit_status(const char *name, const struct options *options,
		       int status)
{
	const bool shown = options->command == COMMAND_HELP ||
			   options->command == COMMAND_VERSION;
	enum metric metric;
	enum op op;

	if (!perftest_is_named(name, &op, &metric))
		return status;
	return status || shown ? EXIT_FAILED : EXIT_MEASURED;
}

int main(int argc, char **argv)
{
	struct error err = { 0 };
	struct options options = { 0 };

	descriptors_hold();
	/* report a lost reader or a file size limit as an error, not by a
	 * signal */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	if (options_parse(argc, argv, &options, &err)) {
		log_error(&err);
		return exit_status(argv[0], &options, EXIT_USAGE);
	}
	return exit_status(argv[0], &options, run(&options, argv[0]));
}
