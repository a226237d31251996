/* See client.h. */
#include "config.h"

#include "base/time.h"
#include "commands/client.h"
#include "commands/test.h"
#include "net/connect.h"
#include "session/session.h"

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
	int ret = test_prepare(options, device, result);
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

int command_client(const struct options *options, struct connection *conn)
{
	struct result *result = test_begin(options, true);
	struct session *session = NULL;
	struct device device = { 0 };
	int status;

	run_test(options, conn, &device, result, &session);
	status = test_finish(result);
	oob_close(conn);
	session_free(session);
	device_close(&device);
	test_free(result);
	return status;
}
