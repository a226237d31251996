/* The commands that are one end of a test, or both. */
#include "config.h"
#include "commands/commands.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/time.h"
#include "host/affinity.h"
#include "net/auth.h"
#include "net/oob.h"
#include "net/wait.h"
#include "perftest/perftest.h"
#include "report/report.h"
#include "serve/serve.h"
#include "session/session.h"

static int connect_to(const struct options *options, uint64_t wait,
		      struct connection *conn, struct error *err)
{
	const struct parameters *params = &options->params;
	const struct destination to = {
		.host = options->server,
		.port = params->port,
		.family = param_family(params),
		.bind = params->bind,
		.in_turn = params->peer == PEER_PERFTEST,
	};
	int ret = 0;

	error_stage(err, "connect");
	if (options->command == COMMAND_CLIENT)
		ret = oob_connect(&to, params->plan.timeout, wait,
				  conn->cancel_fd, conn, err);
	conn->ways.family = to.family;
	/* not --wait: under perftest's names it is short for --wait_destroy,
	 * and takes the host as its value */
	if (ret == -ECONNREFUSED && params->perftest)
		strcpy(err->advice, "start the server there first, with the "
		       "same --port");
	return ret;
}

/* The dialogue of a client for each value of --peer. */
static const struct dialogue *const talks[PEERS] = {
	[PEER_VERBSPERF] = &session_client_dialogue,
	[PEER_PERFTEST] = &perftest_client_dialogue,
};

/* An iWARP queue pair is connected by rdma_cm or not at all. */
static int use_manager(struct plan *plan, const struct port *port,
		       struct error *err)
{
	if (!port->iwarp || plan->rdma_cm)
		return 0;
	if (!HAVE_RDMACM)
		return fail(err, -EOPNOTSUPP,
			    "install the headers of librdmacm and build again",
			    "%s is an iWARP device, which needs rdma_cm: this "
			    "verbsperf was built without librdmacm",
			    port->device);
	plan->rdma_cm = true;
	log_info("%s is an iWARP device: rdma_cm connects the queue pairs, as "
		 "with --rdma-cm", port->device);
	return 0;
}

static int run_test(const struct options *options, struct connection *conn,
		    struct device *device, struct result *result,
		    struct session **session)
{
	uint64_t give_up = time_after(options->params.wait);
	struct error *err = &result->error;
	int ret = test_prepare(options, device, result) ?:
		  use_manager(&result->params.plan, &device->port, err);
	struct parameters params = result->params;

	while (!ret) {
		ret = connect_to(options, time_until(give_up), conn, err) ?:
		      session_run(true, talks[params.peer], conn, device,
				  result, session);
		if (!ret || !retry_is_wanted(result, give_up))
			break;
		ret = retry_prepare(result, conn, session);
		result->params = params;
	}
	result_note_effective(result, &device->port);
	return ret;
}

/* Say ERR, why this client measures nothing, and tell its server, if there is
 * one, which would go on waiting.  Returns the exit status. */
static int refuse_to_begin(const struct options *options,
			   struct connection *conn, const struct error *err)
{
	struct result *result = test_begin(options, false);
	struct session *session = NULL;
	struct device device = { 0 };
	struct error ignored = { 0 };

	log_error(err);
	if (!connect_to(options, 0, conn, &ignored)) {
		result->error = *err;
		session_run(true, talks[options->params.peer], conn, &device,
			    result, &session);
	}
	oob_close(conn);
	session_free(session);
	test_free(result);
	return EXIT_FAILED;
}

int command_client(const struct options *options, struct connection *conn)
{
	struct error err = { .stage = "output" };
	struct session *session = NULL;
	struct device device = { 0 };
	struct result *result;
	int status;

	if (options->command == COMMAND_CLIENT &&
	    outputs_check(&options->params, &err))
		return refuse_to_begin(options, conn, &err);
	result = test_begin(options, true);
	run_test(options, conn, &device, result, &session);
	status = test_finish(result);
	oob_close(conn);
	session_free(session);
	device_close(&device);
	test_free(result);
	return status;
}

/* Log ERR, why the client of SESSION never got its turn.  Returns the exit
 * status. */
static int report_unserved(const struct session *session,
			   const struct error *err)
{
	if (session_has_client(session))
		log_error(err);
	else
		log_detail("%s", err->message);
	return strcmp(err->stage, "hello") || err->from_peer ? EXIT_FAILED :
								SERVE_NO_HELLO;
}

/* Serve the client at CONN, close CONN, and report, if REPORTS, which is false
 * at the server of --loopback.  Returns the exit status. */
static int serve_client(const struct options *options,
			struct connection *conn, bool reports)
{
	struct result *result = test_begin(options, reports);
	struct device device = { 0 };
	struct session *session;
	struct release release;
	int status = EXIT_FAILED;
	bool served;

	if (!session_run(false, &perftest_server_dialogue, conn, &device,
			 result, &session)) {
		status = EXIT_MEASURED;
		log_trust();
	}
	served = session_was_served(session);
	result_note_effective(result, &device.port);
	release_begin(&release, conn, session, &device);
	if (reports && served) {
		log_wait();
		serve_begin_report();
		status = test_report(result);
	} else if (reports) {
		status = report_unserved(session, &result->error);
	}
	release_end(&release);
	test_free(result);
	return status;
}

int command_serve(struct options *options, int cancel_fd)
{
	struct parameters *params = &options->params;
	struct error err = { 0 };
	struct connection conn;
	struct port port;
	int listener, status, ret;

	log_set_name("verbsperf server");
	log_never_wait();
	if (options->ignored[0])
		log_warning("%s: the client decides that; ignored here",
			    options->ignored);
	listener = key_file_check(params->key_file, &err) ? -1 :
		   serve_open(params, cancel_fd, &port, &err);
	if (listener >= 0 && params->format == TABLE_PERFTEST &&
	    params->perftest) {
		/* the reader may never take the report */
		signals_unblock(true);
		command_print(strdup(perftest_waiting));
		signals_unblock(false);
	}
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

/* Time for the child to release its objects and for the kernel to end it. */
#define END_TIMEOUT (10 * SECOND)
/* Interval between checks: as a rule the child ends at once. */
#define PERIOD (SECOND / 1000)

/* True when CHILD ends within END_TIMEOUT, and before the user interrupts. */
static bool ends_in_time(pid_t child, int *cancel_fd)
{
	uint64_t deadline = time_after(END_TIMEOUT);
	struct error ignored = { 0 };
	int ret = 0;

	while (ret != -ECANCELED && time_until(deadline)) {
		pid_t pid = waitpid(child, NULL, WNOHANG);

		if (pid == child || (pid < 0 && errno != EINTR))
			return true;
		ret = oob_wait(-1, 0, cancel_fd, time_after(PERIOD), &ignored);
	}
	return false;
}

/*
 * Wait for the end of CHILD, the server of --loopback.  Kill it if it takes
 * more than 10 s, or at once when the user interrupts (CANCEL_FD, from
 * signals_open()).  If the kernel keeps it even then, leave it behind.
 */
static void reap(pid_t child, int cancel_fd)
{
	if (ends_in_time(child, &cancel_fd))
		return;
	log_warning("the server's process %d does not end: killing it",
		    (int)child);
	kill(child, SIGKILL);
	if (!ends_in_time(child, &cancel_fd))
		log_warning("the server's process %d was killed but does not "
			    "end: the kernel keeps it", (int)child);
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
		return fail_errno(err, errno, NULL,
				  "cannot make a socket pair");
	child = fork();
	if (child >= 0)
		return child;
	child = fail_errno(err, errno, NULL,
			   "cannot start a process for the server");
	close(fds[0]);
	close(fds[1]);
	return child;
}

int command_loopback(struct options *options, int cancel_fd)
{
	struct error err = { .stage = "connect" };
	struct connection conn;
	int fds[2], status;
	pid_t child;

	numa_place_both(&options->params);
	affinity_choose(&options->params);
	child = start_server(fds, &err);
	if (child < 0)
		return test_not_begun(options, &err);
	close(fds[!child ? 0 : 1]);
	if (child == 0)
		return loopback_server(options, fds[1], cancel_fd);
	oob_adopt(fds[0], cancel_fd, "server", &conn);
	status = command_client(options, &conn);
	reap(child, cancel_fd);
	return status;
}
