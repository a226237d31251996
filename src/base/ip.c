/* Parses, compares and converts IP addresses of both families as 16 bytes, and
 * lists of networks. */
#include "config.h"
#include "base/ip.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "base/units.h"

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

void ip_to_socket(const uint8_t bytes[IP_SIZE], uint16_t port,
		  struct sockaddr_storage *address)
{
	struct sockaddr_in6 *in6 = (void *)address;
	struct sockaddr_in *in = (void *)address;

	memset(address, 0, sizeof(*address));
	if (ip_is_ipv4(bytes)) {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		memcpy(&in->sin_addr, bytes + IPV4_AT, sizeof(in->sin_addr));
	} else {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(port);
		memcpy(&in6->sin6_addr, bytes, IP_SIZE);
	}
}

/* True when A and B have the same first PREFIX bits. */
static bool same_prefix(const struct ip_address *a, const struct ip_address *b,
			uint32_t prefix)
{
	return ip_common_prefix(a->bytes, b->bytes) >= prefix;
}

/* Parse one network; modifies TEXT. */
static int parse_network(char *text, struct network *network)
{
	/* leading bits that are the same for all addresses written so */
	const uint32_t fixed = strchr(text, ':') ? 0 : IPV4_PREFIX;
	char *slash = strchr(text, '/');
	uint64_t length = 128 - fixed;
	struct network one;

	if (slash)
		*slash = '\0';
	if (ip_parse(text, one.address.bytes))
		return -EINVAL;
	if (slash && units_parse_digits(slash + 1, &length))
		return -EINVAL;
	if (length > 128 - fixed)
		return -EINVAL;
	one.prefix = fixed + (uint32_t)length;
	for (uint32_t i = one.prefix; i < 128; i++)
		if (one.address.bytes[i / 8] & (0x80 >> i % 8))
			return -EINVAL;
	*network = one;
	return 0;
}

/* A list_reader; INTO is a struct networks. */
static int read_network(const char **text, void *into)
{
	char one[INET6_ADDRSTRLEN + sizeof("/128")];
	size_t length = strcspn(*text, ",");
	struct networks *networks = into;

	if (length >= sizeof(one))
		return -EINVAL;
	if (networks->n == NETWORKS_MAX)
		return -E2BIG;
	memcpy(one, *text, length);
	one[length] = '\0';
	*text += length;
	return parse_network(one, &networks->list[networks->n++]);
}

int networks_parse(const char *text, struct networks *networks)
{
	struct networks list = { .text = text };
	int ret = list_read(text, read_network, &list);

	if (!ret)
		*networks = list;
	return ret;
}

bool networks_contain(const struct networks *networks,
		      const struct ip_address *address)
{
	uint32_t least = ip_is_ipv4(address->bytes) ? IPV4_PREFIX : 0;

	for (uint32_t i = 0; i < networks->n; i++) {
		const struct network *n = &networks->list[i];

		if (n->prefix >= least &&
		    same_prefix(&n->address, address, n->prefix))
			return true;
	}
	return false;
}

bool networks_same_host(const struct ip_address *a, const struct ip_address *b)
{
	return same_prefix(a, b, ip_is_ipv4(a->bytes) || ip_is_ipv4(b->bytes) ?
					 128 : 64);
}
