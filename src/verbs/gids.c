/* Reads the GIDs of a port, and the addresses that stand for them on iWARP. */
#include "config.h"
#include "verbs/gids.h"

#include <errno.h>
#include <ifaddrs.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/ip.h"
#include "base/xalloc.h"

#ifdef HAVE__IBV_QUERY_GID_TABLE
static ssize_t read_table(struct ibv_context *context, uint8_t number,
			  struct gid gids[GIDS_MAX])
{
	struct ibv_gid_entry *table = xcalloc(GIDS_MAX, sizeof(*table));
	ssize_t n = ibv_query_gid_table(context, table, GIDS_MAX, 0);
	ssize_t mine = 0;

	for (ssize_t i = 0; i < n; i++)
		if (table[i].port_num == number)
			gids[mine++] = (struct gid){
				.raw = table[i].gid,
				.index = table[i].gid_index,
				.type = (uint8_t)table[i].gid_type,
				.ifindex = table[i].ndev_ifindex,
			};
	free(table);
	return n < 0 ? n : mine;
}
#else
static ssize_t read_table(struct ibv_context *context, uint8_t number,
			  struct gid gids[GIDS_MAX])
{
	return gid_files_read(ibv_get_device_name(context->device), number,
			      gids);
}
#endif

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

/*
 * Put the IP addresses of the interfaces whose MAC address begins *GID, which
 * is the only GID of an iWARP port, into ADDRESSES, with an index each; at most
 * MOST, and no link-local ones, which rdma_cm would need the interface for.
 * Several interfaces of one MAC address are those of VLANs.  Returns how many,
 * or a negative errno.  GID may be in ADDRESSES.
 */
static ssize_t iwarp_addresses(const union ibv_gid *gid, struct gid *addresses,
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

ssize_t gids_read(struct ibv_context *context, uint8_t number,
		  struct gid gids[GIDS_MAX])
{
	ssize_t n = read_table(context, number, gids);

	if (n > 0 && context->device->transport_type == IBV_TRANSPORT_IWARP)
		n = iwarp_addresses(&gids[0].raw, gids, GIDS_MAX);
	return n;
}
