/* See serve.h. */
#include "config.h"

#include <string.h>

#include "base/log.h"
#include "cli/perftest.h"
#include "commands/print.h"
#include "commands/serve.h"
#include "commands/status.h"
#include "commands/test.h"
#include "net/auth.h"
#include "net/wait.h"
#include "report/perftest.h"
#include "serve/release.h"
#include "serve/serve.h"
#include "session/session.h"

int serve_client(const struct options *options, struct connection *conn,
		 bool reports)
{
	struct result *result = test_begin(options, reports);
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
		status = test_report(result);
	} else if (reports) {
		log_error(&result->error);
		if (!strcmp(result->error.stage, "hello"))
			status = SERVE_NOBODY;
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

	log_never_wait();
	if (options->ignored[0])
		log_warning("%s: the client decides that; ignored here",
			    options->ignored);
	listener = key_file_check(params->key_file, &err) ? -1 :
		   serve_open(params, cancel_fd, &port, &err);
	if (listener >= 0 && params->format == TABLE_PERFTEST &&
	    params->perftest) {
		/* the reader may never take it */
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
