#include "config.h"
#include "base/networks.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "base/units.h"

/* Bits before the IPv4 address in an IPv6 address. */
#define IPV4_PREFIX 96

static const uint8_t ipv4[IPV4_PREFIX / 8] = { [10] = 0xff, [11] = 0xff };

static bool is_ipv4(const struct ip_address *address)
{
	return !memcmp(address->bytes, ipv4, sizeof(ipv4));
}

/* True when A and B have the same first PREFIX bits. */
static bool same_prefix(const struct ip_address *a, const struct ip_address *b,
			uint32_t prefix)
{
	uint32_t whole = prefix / 8;
	uint8_t mask = (uint8_t)(0xff00 >> prefix % 8);

	if (memcmp(a->bytes, b->bytes, whole) != 0)
		return false;
	return !mask || ((a->bytes[whole] ^ b->bytes[whole]) & mask) == 0;
}

/* True when ADDRESS is zero after its first PREFIX bits. */
static bool ends_with_prefix(const struct ip_address *address, uint32_t prefix)
{
	for (uint32_t i = prefix; i < 128; i++)
		if (address->bytes[i / 8] & (0x80 >> i % 8))
			return false;
	return true;
}

/* Parse an address; *FIXED is its leading bits that are the same for all of its
 * family, 96 for IPv4 and 0 for IPv6. */
static int parse_address(const char *text, struct ip_address *address,
			 uint32_t *fixed)
{
	*fixed = 0;
	if (inet_pton(AF_INET6, text, address->bytes) == 1)
		return 0;
	*fixed = IPV4_PREFIX;
	memcpy(address->bytes, ipv4, sizeof(ipv4));
	if (inet_pton(AF_INET, text, address->bytes + sizeof(ipv4)) == 1)
		return 0;
	return -EINVAL;
}

/* Parse one network; modifies TEXT. */
static int parse_network(char *text, struct network *network)
{
	char *slash = strchr(text, '/');
	struct network one;
	uint64_t length;
	uint32_t fixed;

	if (slash)
		*slash = '\0';
	if (parse_address(text, &one.address, &fixed))
		return -EINVAL;
	length = 128 - fixed;
	if (slash && units_parse_count(slash + 1, &length))
		return -EINVAL;
	if (length > 128 - fixed)
		return -EINVAL;
	one.prefix = fixed + (uint32_t)length;
	if (!ends_with_prefix(&one.address, one.prefix))
		return -EINVAL;
	*network = one;
	return 0;
}

int networks_parse(const char *text, struct networks *networks)
{
	struct networks n = { .text = text };
	const char *p = text;
	char one[INET6_ADDRSTRLEN + sizeof("/128")];

	for (;;) {
		size_t length = strcspn(p, ",");
		int ret;

		if (length >= sizeof(one))
			return -EINVAL;
		if (n.n == NETWORKS_MAX)
			return -E2BIG;
		memcpy(one, p, length);
		one[length] = '\0';
		ret = parse_network(one, &n.list[n.n++]);
		if (ret)
			return ret;
		if (!p[length])
			break;
		p += length + 1;
	}
	*networks = n;
	return 0;
}

bool networks_contain(const struct networks *networks,
		      const struct ip_address *address)
{
	uint32_t least = is_ipv4(address) ? IPV4_PREFIX : 0;

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
	return same_prefix(a, b, is_ipv4(a) || is_ipv4(b) ? 128 : 64);
}
