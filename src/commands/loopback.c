/* See loopback.h. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "commands/client.h"
#include "commands/loopback.h"
#include "commands/serve.h"
#include "commands/test.h"
#include "host/affinity.h"
#include "serve/reap.h"

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
