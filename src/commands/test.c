/* What every command that measures begins and ends with: the device, the
 * outputs, the report, the exit status. */
#include "config.h"
#include "commands/commands.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "host/affinity.h"
#include "host/cores.h"
#include "host/facts.h"
#include "host/place.h"
#include "net/auth.h"
#include "net/wait.h"
#include "report/parts.h"
#include "report/report.h"
#include "run/run.h"
#include "session/check.h"

/* Without --once a server may serve several clients at once, so that their
 * reports share stdout. */
struct result *test_begin(const struct options *options, bool reports)
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

void test_free(struct result *result)
{
	outputs_release(result->observer);
	result_free(result);
}

static void name_host(struct port *port)
{
	gethostname(port->hostname, sizeof(port->hostname) - 1);
}

/* Warn of an --interval too long for a peak; a script that wants a row every
 * second may do without one. */
static void warn_of_interval(const struct parameters *params)
{
	const struct plan *plan = &params->plan;

	if (params->perftest || plan->control || !plan->duration ||
	    plan->interval <= plan->duration / INTERVALS_LEAST)
		return;
	log_warning("--interval %g: there will be no peak and no +-95%%, which "
		    "need %d intervals", (double)plan->interval / 1e9,
		    INTERVALS_LEAST);
}

int test_prepare(const struct options *options, struct device *device,
		 struct result *result)
{
	const struct parameters *params = &options->params;
	struct error *err = &result->error;
	int ret;

	warn_of_interval(params);
	if (options->ignored[0])
		log_warning("no effect in this test: %s", options->ignored);
	if (options->hint[0])
		log_info("%s", options->hint);
	name_host(&result->client);
	error_stage(err, "key");
	ret = key_file_check(params->key_file, err);
	error_stage(err, "device");
	ret = ret ?:
	      affinity_check(params, err) ?:
	      device_open(params, device, err) ?:
	      place_end(&result->params, device, err);
	if (ret)
		return ret;
	cores_choose(&result->params, device->port.device, true);
	facts_read(&device->port, &result->params);
	result->client = device->port;
	return 0;
}

/* A caveat goes to the log where the table has only numbers. */
static void log_caveat(const struct result *result)
{
	const struct parameters *params = &result->params;
	const bool says = !error_is_set(&result->error) &&
			  (params->perftest ||
			   params->format == TABLE_PERFTEST ||
			   params->format == TABLE_KEYVALUE);
	char *text = says ? caveats_first(result) : NULL;

	if (text)
		log_info("%s", text);
	free(text);
}

/* Log why nothing more was measured, each sentence once. */
static void log_failure(const struct result *result)
{
	const struct error *err = &result->error;
	const struct error *peer_err = &result->peer_error;

	if (exit_status_is_stop(result))
		return;
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

int test_report(struct result *result)
{
	struct error err = { .stage = "report" };
	enum exit_status status;
	int ret, written;

	result->ended_by = signals_ended_by();
	status = exit_status_of_run(result);
	/* the reader may never take the report: ^C ends that wait, too */
	signals_unblock(true);
	ret = outputs_write_table(result, &err);
	log_caveat(result);
	log_failure(result);
	report_counters(result);
	report_limits(result);
	written = outputs_write(result, &err);
	ret = ret ?: written;
	if (ret)
		log_error(&err);
	signals_unblock(false);
	return ret && status != EXIT_WRONG_DATA ? EXIT_FAILED : status;
}

int test_finish(struct result *result)
{
	if (result->params.plan.check)
		check_finish(result);
	return test_report(result);
}

int test_not_begun(const struct options *options, const struct error *err)
{
	struct result *result;
	int status;

	if (options->command == COMMAND_SERVE) {
		log_error(err);
		return EXIT_FAILED;
	}
	result = test_begin(options, true);
	name_host(&result->client);
	result->error = *err;
	status = test_finish(result);
	test_free(result);
	return status;
}
