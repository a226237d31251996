/* Asks the kernel for the way to an address: its routes by a socket that sends
 * nothing, its neighbours by /proc/net/arp. */
#include "config.h"
#include "host/route.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/ip.h"
#include "base/sysfs.h"

/* RoCE v2's. */
#define UDP_PORT 4791

int route_find(const union ibv_gid *gid)
{
	struct sockaddr_storage address;
	int fd, ret;

	ip_to_socket(gid->raw, UDP_PORT, &address);
	/* it needs the interface, too */
	if (IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)gid->raw))
		return 0;
	fd = socket(address.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return 0;
	ret = connect(fd, (struct sockaddr *)&address,
		      address.ss_family == AF_INET ?
			      sizeof(struct sockaddr_in) :
			      sizeof(struct sockaddr_in6)) ? errno : 0;
	close(fd);
	/* the last two: of a route that is a black hole, or prohibited */
	return ret == ENETUNREACH || ret == EHOSTUNREACH || ret == EINVAL ||
			       ret == EACCES ? ret : 0;
}

bool route_lacks_neighbour(const union ibv_gid *gid)
{
	char text[INET_ADDRSTRLEN + 1], line[160];
	unsigned int flags;

	if (!ip_is_ipv4(gid->raw))
		return false;
	inet_ntop(AF_INET, gid->raw + IPV4_AT, text, sizeof(text));
	/* no longer address begins so */
	strcat(text, " ");
	return sysfs_find(line, sizeof(line), text, "/proc/net/arp") &&
	       sscanf(line, "%*i %i", &flags) == 1 && !(flags & ATF_COM);
}
