/* Lists of IP networks, for access control. */
#ifndef BASE_NETWORKS_H
#define BASE_NETWORKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ip.h"

/* Maximum networks in a list. */
#define NETWORKS_MAX 64

struct network {
	struct ip_address address;
	uint32_t prefix;	/* bits that count; 96 to 128 for IPv4 */
};

struct networks {
	uint32_t n;
	struct network list[NETWORKS_MAX];
	const char *text;	/* as the user gave it; NULL: not given */
};

/*
 * Parse "10.0.0.0/8,192.0.2.7,2001:db8::/32": networks with prefix lengths, and
 * single addresses.  TEXT is kept by reference.  Returns 0, -EINVAL (not an
 * address, invalid length, bits set after the prefix), -E2BIG (more than
 * NETWORKS_MAX).
 */
int networks_parse(const char *text, struct networks *networks);

/* True when ADDRESS is in one of NETWORKS.  Only IPv4 networks contain IPv4
 * addresses: ::/0 does not. */
bool networks_contain(const struct networks *networks,
		      const struct ip_address *address);

/*
 * True when A and B may be the same host.  For IPv6, only the first 64 bits
 * count, because a host chooses the others freely.
 */
bool networks_same_host(const struct ip_address *a, const struct ip_address *b);

#endif
