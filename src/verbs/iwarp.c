#include "config.h"
#include "verbs/iwarp.h"

#include <errno.h>
#include <ifaddrs.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdbool.h>
#include <string.h>

#include "base/ip.h"

#define MAC_SIZE 6

/* True when LINK tells of an interface with the address MAC. */
static bool has_mac(const struct ifaddrs *link, const uint8_t mac[MAC_SIZE])
{
	const struct sockaddr_ll *ll = (const void *)link->ifa_addr;

	return ll && ll->sll_family == AF_PACKET &&
	       ll->sll_halen == MAC_SIZE &&
	       !memcmp(ll->sll_addr, mac, MAC_SIZE);
}

/* Put ONE, an address of an interface, into GID, if it is one to use. */
static bool take(const struct ifaddrs *one, size_t index, struct gid *gid)
{
	*gid = (struct gid){
		.index = (uint32_t)index,
		.type = GID_TYPE_IWARP,
		.ifindex = if_nametoindex(one->ifa_name),
	};
	return ip_from_socket(one->ifa_addr, gid->raw.raw) &&
	       !gid_is_link_local(&gid->raw);
}

ssize_t iwarp_addresses(const union ibv_gid *gid, struct gid *addresses,
			size_t most)
{
	struct ifaddrs *all, *link, *one;
	uint8_t mac[MAC_SIZE];
	size_t n = 0;

	memcpy(mac, gid->raw, sizeof(mac));
	if (getifaddrs(&all))
		return -errno;
	for (link = all; link; link = link->ifa_next)
		for (one = has_mac(link, mac) ? all : NULL; one && n < most;
		     one = one->ifa_next)
			n += !strcmp(one->ifa_name, link->ifa_name) &&
			     take(one, n, &addresses[n]);
	freeifaddrs(all);
	return (ssize_t)n;
}
