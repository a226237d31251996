#include "config.h"
#include "net/subnet.h"

#include <ifaddrs.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "base/ip.h"

static uint32_t mask_bits(const struct sockaddr *mask)
{
	uint8_t bits[IP_SIZE];
	uint32_t n;
	int i;

	if (!ip_from_socket(mask, bits))
		return 128;
	n = mask->sa_family == AF_INET ? IPV4_PREFIX : 0;
	for (i = (int)n / 8; i < IP_SIZE; i++)
		n += (uint32_t)__builtin_popcount(bits[i]);
	return n;
}

void oob_subnet(const struct connection *conn, struct subnet *subnet)
{
	struct sockaddr_storage local = { 0 };
	socklen_t length = sizeof(local);
	uint8_t own[IP_SIZE], *mine = subnet->address.raw;
	struct ifaddrs *list, *i;

	memset(subnet, 0, sizeof(*subnet));
	if (getsockname(conn->fd, (struct sockaddr *)&local, &length) ||
	    !ip_from_socket((struct sockaddr *)&local, mine) ||
	    getifaddrs(&list))
		return;
	for (i = list; i && !subnet->known; i = i->ifa_next) {
		if (!ip_from_socket(i->ifa_addr, own) ||
		    memcmp(own, mine, sizeof(own)) != 0)
			continue;
		subnet->known = true;
		subnet->prefix = mask_bits(i->ifa_netmask);
	}
	freeifaddrs(list);
}
