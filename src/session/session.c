#include "config.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "net/turn.h"
#include "session/abort.h"
#include "session/callers.h"
#include "session/client.h"
#include "session/handshake.h"
#include "session/manager.h"
#include "session/server.h"

/* Samples that could not be written turn a good run into a failed one. */
static int close_samples(struct run *run, int ret)
{
	int written = recorder_close(run->recorder, &run->result->error);

	return ret ? ret : written;
}

/* Run STEPS up to a NULL or the first failure, and tell the peer of a failure
 * it does not know of. */
static int take_steps(struct session *s, session_step *const *steps)
{
	struct error *err = &s->run.result->error;
	int ret = 0;

	for (size_t i = 0; steps[i] && !ret && !s->over; i++)
		ret = steps[i](s);
	handshake_free(s);	/* also after an early failure */
	ret = close_samples(&s->run, ret);
	if (ret)
		fail(err, ret, NULL, "%s", strerror(-ret));
	if (ret)
		abort_swap(s);
	/* before the report, which may wait long for a reader */
	resources_stop(&s->run.res);
	return ret;
}

static struct session *new_session(bool client, struct connection *conn,
				   struct device *device,
				   struct result *result)
{
	struct session *s = xcalloc(1, sizeof(*s));

	s->place = s->best_place = TURN_UNKNOWN;
	run_begin(&s->run, client, conn, device, result);
	return s;
}

int session_client(struct connection *conn, struct device *device,
		   struct result *result, struct session **session)
{
	*session = new_session(true, conn, device, result);
	return take_steps(*session, client_steps);
}

int session_server(struct connection *conn, struct device *device,
		   struct result *result, struct session **session)
{
	*session = new_session(false, conn, device, result);
	return take_steps(*session, server_steps);
}

bool session_was_served(const struct session *s)
{
	return s->place == TURN_NOW;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	manager_free(s);
	if (HAVE_RDMACM)
		callers_free(s);
	run_free(&s->run);
	free(s);
}
