/*
 * Runs the program's steps in order and sets its exit status; no other file
 * ends the program.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/log.h"
#include "cli/options.h"
#include "cli/perftest.h"
#include "commands/commands.h"
#include "net/wait.h"
#include "report/report.h"
#include "serve/serve.h"

/* True when OPTIONS ask for nothing but a text on stdout. */
static bool only_prints(const struct options *options)
{
	/* whose file would be missing */
	if (options->params.json && strcmp(options->params.json, "-") != 0)
		return false;
	switch (options->command) {
	case COMMAND_NONE:
	case COMMAND_HELP:
	case COMMAND_VERSION:
	case COMMAND_DEVICES:
	case COMMAND_FAULTS:
	case COMMAND_CHECK:
	case COMMAND_CALIBRATE:
		return true;
	default:
		return options->dump;
	}
}

/* Check this before opening any descriptor, which could take the user's
 * number. */
static int check_ready_fd(const struct parameters *params, struct error *err)
{
	if (!params->ready_fd || descriptors_writable((int)params->ready_fd))
		return 0;
	return fail(err, -EBADF, NULL, "--ready-fd %u: is not open for writing",
		    params->ready_fd);
}

/* Run a command that goes on until it is done or interrupted. */
static int run_ends(struct options *options)
{
	struct error err = { .stage = "begin" };
	struct connection conn;
	int cancel_fd = signals_open();

	if (cancel_fd < 0)
		fail_errno(&err, cancel_fd, NULL, "cannot take signals");
	if (cancel_fd < 0)
		return test_not_begun(options, &err);
	if (options->command == COMMAND_SERVE)
		return command_serve(options, cancel_fd);
	if (options->command == COMMAND_CONTROL)
		return command_control(options, cancel_fd);
	if (options->command == COMMAND_LOOPBACK)
		return command_loopback(options, cancel_fd);
	oob_adopt(-1, cancel_fd, "server", &conn);
	return command_client(options, &conn);
}

static int run(struct options *options, const char *name)
{
	const bool perftest = options->params.perftest;
	struct error err = { .stage = "options" };

	if (options->dump)
		return command_print(options_dump(options));
	switch (options->command) {
	case COMMAND_NONE:
		command_print(options_usage(options));
		return EXIT_USAGE;
	case COMMAND_HELP:
		return command_print(perftest ?
				     perftest_usage(name) :
				     options_usage(options));
	case COMMAND_VERSION:
		return command_print(perftest ?
				     perftest_version(&options->params) :
				     options_version());
	case COMMAND_DEVICES:
		return command_devices(options);
	case COMMAND_FAULTS:
		return command_print(isatty(STDOUT_FILENO) ?
				     report_faults_short() : report_faults());
	default:
		break;
	}
	if (check_ready_fd(&options->params, &err)) {
		log_error(&err);
		return EXIT_USAGE;
	}
	/* a client tells its server */
	if (options->command != COMMAND_CLIENT &&
	    outputs_check(&options->params, &err)) {
		log_error(&err);
		return EXIT_FAILED;
	}
	if (options->command == COMMAND_CALIBRATE)
		return command_calibrate(options);
	if (options->command == COMMAND_CHECK)
		return command_check(options);
	return run_ends(options);
}

/* perftest's programs exit with 0 or 1, and with 1 after --help. */
static int exit_status(const char *name, const struct options *options,
		       int status)
{
	const bool shown = options->command == COMMAND_HELP ||
			   options->command == COMMAND_VERSION;

	if (status == SERVE_NO_HELLO || !perftest_is_named(name, NULL, NULL))
		return status;
	return status || shown ? EXIT_FAILED : EXIT_MEASURED;
}

/*
 * End with STATUS, or, if that says that NUMBER, a signal, ended what was to be
 * done, by that signal: only then does a shell end the loop in which it runs
 * this program, too.  All is written by now, and the peer knows.
 */
static int end(int status, int number)
{
	sigset_t set;

	if (!number || status != EXIT_FAILED)
		return status;
	sigemptyset(&set);
	sigaddset(&set, number);
	signal(number, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
	/* the kernel spares the first process of a container */
	return status;
}

int main(int argc, char **argv)
{
	struct error err = { 0 };
	struct options options = { 0 };
	void (*reader_gone)(int);
	int status;

	descriptors_hold();
	/* report a lost reader or a file size limit as an error, not by a
	 * signal */
	reader_gone = signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	if (options_parse(argc, argv, &options, &err)) {
		log_error(&err);
		return exit_status(argv[0], &options, EXIT_USAGE);
	}
	/* a reader like head(1) has all it wants, and nothing is lost */
	if (only_prints(&options))
		signal(SIGPIPE, reader_gone);
	if (options.params.verbose)
		log_set_level(LOG_DETAIL);
	/* perftest's names have no option for it */
	if (options.params.verbose || options.params.perftest)
		log_show_details();
	status = exit_status(argv[0], &options, run(&options, argv[0]));
	return end(status, signals_ended_by());
}
