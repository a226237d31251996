/* Lists of IP networks: who may come. */
#ifndef BASE_NETWORKS_H
#define BASE_NETWORKS_H

#include <stdbool.h>
#include <stdint.h>

/* As many networks as a list can have. */
#define NETWORKS_MAX 64

/* An IP address: of IPv6, or of IPv4 as ::ffff:a.b.c.d. */
struct ip_address {
	uint8_t bytes[16];
};

struct network {
	struct ip_address address;
	uint32_t prefix;	/* bits of it that count: of IPv4 96 to 128 */
};

struct networks {
	uint32_t n;
	struct network list[NETWORKS_MAX];
	const char *text;	/* as it was given; NULL: none was */
};

/*
 * "10.0.0.0/8,192.0.2.7,2001:db8::/32": networks with the length of their
 * prefix, and single addresses.  TEXT is kept by reference.  Returns 0,
 * -EINVAL (not an address, no such length, bits set after the prefix),
 * -E2BIG (more than NETWORKS_MAX).
 */
int networks_parse(const char *text, struct networks *networks);

/* True when ADDRESS is in one of NETWORKS.  One of IPv4 is only in those of
 * IPv4: ::/0 does not have it. */
bool networks_contain(const struct networks *networks,
		      const struct ip_address *address);

/*
 * Are A and B one host, as far as their addresses tell?  Of IPv6 the first 64
 * bits do: a host chooses the others as it likes.
 */
bool networks_same_host(const struct ip_address *a, const struct ip_address *b);

#endif
