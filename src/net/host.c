/* The host that a user names, and the order to try its addresses in. */
#include "config.h"
#include "net/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/units.h"

static bool is_ipv6(const char *text)
{
	struct in6_addr address;

	return inet_pton(AF_INET6, text, &address) == 1;
}

/* Remove the brackets of "[...]"; false if TEXT has none. */
static bool strip_brackets(char *text)
{
	size_t length = strlen(text);

	if (length < 3 || text[0] != '[' || text[length - 1] != ']')
		return false;
	memmove(text, text + 1, length - 2);
	text[length - 2] = '\0';
	return true;
}

/* The port at the end of "host:18515", "[::1]:18515" and "fe80::1:18515", which
 * is no IPv6 address; HOST becomes the text before it. */
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
			    "%s %.40s...: is too long for a host name", what,
			    text);
	port = split_port(text, host);
	if (port) {
		snprintf(advice, sizeof(advice),
			 option ? "write %s %s --port %s" : "write %s[%s]:%s",
			 option ? option : "", host, port);
		return fail(err, -EINVAL, advice,
			    "%s %s: a port is not part of an address", what,
			    text);
	}
	snprintf(host, HOST_SIZE, "%s", text);
	strip_brackets(host);
	return 0;
}

/* Refuse what no host name has: a user before it, or something else than a port
 * behind it. */
static int check_name(const char *text, struct error *err)
{
	const char *at = strrchr(text, '@'), *colon = strrchr(text, ':');

	if (strstr(text, "://") || at)
		return fail(err, -EINVAL, "give only a host name or an IP "
			    "address", "server %s: %s is not part of it", text,
			    at ? "a user" : "a protocol");
	/* of IPv6 only what is behind the brackets is no address */
	if (!colon || (strchr(text, ':') != colon && colon[-1] != ']'))
		return 0;
	return fail(err, -EINVAL, NULL, "server %s: '%s' is no port: expected "
		    "1 to 65535", text, colon + 1);
}

int host_cut_port(char *text, uint32_t *port, struct error *err)
{
	char host[HOST_SIZE];
	const char *digits;
	uint64_t n;

	/* host_parse() says so */
	if (strlen(text) >= HOST_SIZE)
		return 0;
	digits = split_port(text, host);
	if (!digits)
		return check_name(text, err);
	/* without brackets it is not known where an IPv6 address ends */
	if (text[0] != '[' && strchr(host, ':'))
		return host_parse(text, NULL, host, err);
	if (units_parse_digits(digits, &n) || n < 1 || n > UINT16_MAX)
		return fail(err, -EINVAL, NULL,
			    "server %s: a port is 1 to 65535", text);
	text[digits - 1 - text] = '\0';
	*port = (uint32_t)n;
	return 0;
}

const struct addrinfo *host_of_family(const struct addrinfo *list, int family)
{
	while (list && list->ai_family != family)
		list = list->ai_next;
	return list;
}

static bool came_before(const struct addrinfo *list, const struct addrinfo *a)
{
	while (list != a && (list->ai_addrlen != a->ai_addrlen ||
			     memcmp(list->ai_addr, a->ai_addr, a->ai_addrlen)))
		list = list->ai_next;
	return list != a;
}

/* What host_order() takes addresses from. */
struct choice {
	const struct addrinfo *list;
	int family;			/* the only one; 0: any */
	const struct addrinfo *local;	/* its families only; NULL: any */
};

static bool is_wanted(const struct choice *from, const struct addrinfo *a)
{
	return (!from->family || a->ai_family == from->family) &&
	       (!from->local || host_of_family(from->local, a->ai_family)) &&
	       !came_before(from->list, a);
}

/* The first address from A on that is to be tried and is of FAMILY (SAME) or of
 * another family. */
static const struct addrinfo *next_of(const struct choice *from,
				      const struct addrinfo *a, int family,
				      bool same)
{
	while (a && ((a->ai_family == family) != same || !is_wanted(from, a)))
		a = a->ai_next;
	return a;
}

size_t host_order(const struct addrinfo *list, int family,
		  const struct addrinfo *local, const struct addrinfo **order)
{
	const struct choice from = { list, family, local };
	const int first_family = list->ai_family;
	/* next address of the other families, and of the family of the first */
	const struct addrinfo *next[2] = {
		next_of(&from, list, first_family, false),
		next_of(&from, list, first_family, true),
	};
	bool first = true;
	size_t n = 0;

	while (next[0] || next[1]) {
		if (!next[first])
			first = !first;
		order[n++] = next[first];
		next[first] = next_of(&from, next[first]->ai_next,
				      first_family, first);
		first = !first;
	}
	return n;
}
