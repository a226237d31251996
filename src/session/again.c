#include "config.h"
#include "session/again.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/time.h"
#include "net/wait.h"

#define PAUSE SECOND

bool again_is_wanted(const struct result *r, uint64_t give_up)
{
	return r->error.from_peer && !r->connected &&
	       !strcmp(r->error.code, "EAGAIN") && time_until(give_up) > PAUSE;
}

int again_prepare(struct result *r, struct connection *conn,
		  struct session **session)
{
	uint64_t deadline = time_after(PAUSE);
	int ret;

	log_info("%s; trying again in a second", r->error.message);
	oob_close(conn);
	session_free(*session);
	*session = NULL;
	error_clear(&r->error);
	error_clear(&r->peer_error);
	do {
		ret = oob_wait(-1, 0, &conn->cancel_fd, deadline, &r->error);
	} while (ret == 1);
	return ret == -ETIMEDOUT ? 0 : ret;
}
