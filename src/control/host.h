/* What users call a host.  Pure. */
#ifndef CONTROL_HOST_H
#define CONTROL_HOST_H

#include "base/error.h"

#define HOST_SIZE 256

/*
 * A name or address as a user writes it, for getaddrinfo(3): "[::1]" is "::1".
 * OPTION is what it was given to, such as "--bind", or NULL for the server.
 * Returns 0, or -EINVAL with, in ERR, what to write: "host:18515" has a port,
 * for which there is --port.
 */
int host_parse(const char *text, const char *option, char host[HOST_SIZE],
	       struct error *err);

#endif
