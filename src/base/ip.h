/* IP addresses of both families as 16 bytes: IPv4 is ::ffff:a.b.c.d, as on an
 * IPv6 socket and in a GID; and lists of networks, for access control. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define IP_SIZE 16
/* Bits and bytes before the IPv4 address. */
#define IPV4_PREFIX 96
#define IPV4_AT (IPV4_PREFIX / 8)

struct ip_address {
	uint8_t bytes[IP_SIZE];
};

/* True when BYTES are an IPv4 address. */
bool ip_is_ipv4(const uint8_t bytes[IP_SIZE]);

/* Number of leading bits that A and B have in common. */
uint32_t ip_common_prefix(const uint8_t a[IP_SIZE], const uint8_t b[IP_SIZE]);

/* Parse an address of either family, which is not of a network.  Returns 0 or
 * -EINVAL. */
int ip_parse(const char *text, uint8_t bytes[IP_SIZE]);

/* Put ADDRESS into BYTES; zeros and false when it is NULL or neither IPv4 nor
 * IPv6. */
bool ip_from_socket(const struct sockaddr *address, uint8_t bytes[IP_SIZE]);

/* Write the address BYTES, of either family, with PORT into ADDRESS. */
void ip_to_socket(const uint8_t bytes[IP_SIZE], uint16_t port,
		  struct sockaddr_storage *address);

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
