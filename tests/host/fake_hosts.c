/*
 * A name server and a network, to be preloaded: FAKE_HOST=name=ADDRESS,... is
 * what getaddrinfo(3) knows of that name, in that order, after FAKE_HOST_MS
 * milliseconds, and a connect(2) to the address FAKE_UNREACHABLE finds no route.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef int resolver(const char *, const char *, const struct addrinfo *,
		     struct addrinfo **);
typedef int connector(int, const struct sockaddr *, socklen_t);

static int resolve_each(char *addresses, const char *service,
			const struct addrinfo *hints, struct addrinfo **list)
{
	resolver *real = (resolver *)dlsym(RTLD_NEXT, "getaddrinfo");
	struct addrinfo **end = list;
	char *place = NULL;
	int ret = EAI_NONAME;

	for (char *a = strtok_r(addresses, ",", &place); a;
	     a = strtok_r(NULL, ",", &place)) {
		ret = real(a, service, hints, end);
		if (ret)
			break;
		while (*end)
			end = &(*end)->ai_next;
	}
	return ret;
}

int getaddrinfo(const char *node, const char *service,
		const struct addrinfo *hints, struct addrinfo **list)
{
	resolver *real = (resolver *)dlsym(RTLD_NEXT, "getaddrinfo");
	const char *known = getenv("FAKE_HOST");
	size_t length = node ? strlen(node) : 0;
	char *addresses;
	int ret;

	if (!known || !length || strncmp(known, node, length) ||
	    known[length] != '=' || hints->ai_flags & AI_NUMERICHOST)
		return real(node, service, hints, list);
	if (getenv("FAKE_HOST_MS"))
		usleep((useconds_t)atoi(getenv("FAKE_HOST_MS")) * 1000);
	addresses = strdup(known + length + 1);
	ret = resolve_each(addresses, service, hints, list);
	free(addresses);
	return ret;
}

int connect(int fd, const struct sockaddr *address, socklen_t length)
{
	connector *real = (connector *)dlsym(RTLD_NEXT, "connect");
	const char *unreachable = getenv("FAKE_UNREACHABLE");
	char host[NI_MAXHOST];

	if (unreachable &&
	    !getnameinfo(address, length, host, sizeof(host), NULL, 0,
			 NI_NUMERICHOST) &&
	    !strcmp(host, unreachable)) {
		errno = EHOSTUNREACH;
		return -1;
	}
	return real(fd, address, length);
}
