/* A client's way to its server, for tests that need few of its choices. */
#pragma once

#include "net/oob.h"

static inline int try_connect(const char *host, uint32_t port, int family,
			      const char *bind, uint64_t timeout, uint64_t wait,
			      int cancel_fd, struct connection *conn,
			      struct error *err)
{
	return oob_connect(&(struct destination){
		.host = host,
		.port = port,
		.family = family,
		.bind = bind,
	}, timeout, wait, cancel_fd, conn, err);
}
