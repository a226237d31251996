/* IP addresses of both families as 16 bytes: IPv4 is ::ffff:a.b.c.d, as on an
 * IPv6 socket and in a GID. */
#ifndef BASE_IP_H
#define BASE_IP_H

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

#endif
