#include "config.h"
#include "base/ip.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

static const uint8_t ipv4[IPV4_AT] = { [10] = 0xff, [11] = 0xff };

bool ip_is_ipv4(const uint8_t bytes[IP_SIZE])
{
	return !memcmp(bytes, ipv4, sizeof(ipv4));
}

uint32_t ip_common_prefix(const uint8_t a[IP_SIZE], const uint8_t b[IP_SIZE])
{
	uint32_t bits = 0;

	for (int i = 0; i < IP_SIZE; i++) {
		uint8_t differ = a[i] ^ b[i];

		if (differ)
			return bits + (uint32_t)__builtin_clz(differ) - 24;
		bits += 8;
	}
	return bits;
}

int ip_parse(const char *text, uint8_t bytes[IP_SIZE])
{
	uint8_t raw[IP_SIZE];

	if (inet_pton(AF_INET6, text, raw) != 1) {
		memcpy(raw, ipv4, sizeof(ipv4));
		if (inet_pton(AF_INET, text, raw + IPV4_AT) != 1)
			return -EINVAL;
	}
	memcpy(bytes, raw, sizeof(raw));
	return 0;
}

bool ip_from_socket(const struct sockaddr *address, uint8_t bytes[IP_SIZE])
{
	const struct sockaddr_in6 *in6 = (const void *)address;
	const struct sockaddr_in *in = (const void *)address;

	memset(bytes, 0, IP_SIZE);
	if (!address)
		return false;
	if (address->sa_family == AF_INET6) {
		memcpy(bytes, &in6->sin6_addr, IP_SIZE);
		return true;
	}
	if (address->sa_family != AF_INET)
		return false;
	memcpy(bytes, ipv4, sizeof(ipv4));
	memcpy(bytes + IPV4_AT, &in->sin_addr, sizeof(in->sin_addr));
	return true;
}
