#include "config.h"
#include "control/host.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_ipv6(const char *text)
{
	struct in6_addr address;

	return inet_pton(AF_INET6, text, &address) == 1;
}

/* "[...]" loses its brackets; false when it has none. */
static bool strip_brackets(char *text)
{
	size_t length = strlen(text);

	if (length < 3 || text[0] != '[' || text[length - 1] != ']')
		return false;
	memmove(text, text + 1, length - 2);
	text[length - 2] = '\0';
	return true;
}

/* The port at the end of "host:18515", "[::1]:18515" and, which no IPv6
 * address is, "fe80::1:18515"; HOST becomes what is before it. */
static const char *split_port(const char *text, char host[HOST_SIZE])
{
	const char *colon = strrchr(text, ':');

	if (!colon || colon == text || is_ipv6(text) || !colon[1] ||
	    colon[1 + strspn(colon + 1, "0123456789")])
		return NULL;
	snprintf(host, HOST_SIZE, "%.*s", (int)(colon - text), text);
	if (!strip_brackets(host) && strchr(host, ':') && !is_ipv6(host))
		return NULL;
	return colon + 1;
}

int host_parse(const char *text, const char *option, char host[HOST_SIZE],
	       struct error *err)
{
	const char *what = option ? option : "server";
	const char *port;
	char advice[HOST_SIZE + 40];

	if (strlen(text) >= HOST_SIZE)
		return fail(err, -EINVAL, "give a host name or an IP address",
			    "%s %.40s...: is too long for a host", what, text);
	port = split_port(text, host);
	if (port) {
		snprintf(advice, sizeof(advice), "write %s%s%s --port %s",
			 option ? option : "", option ? " " : "", host, port);
		return fail(err, -EINVAL, advice,
			    "%s %s: a port is not part of an address", what,
			    text);
	}
	snprintf(host, HOST_SIZE, "%s", text);
	strip_brackets(host);
	return 0;
}
