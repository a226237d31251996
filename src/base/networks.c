#include "config.h"
#include "base/networks.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "base/units.h"

/* True when A and B have the same first PREFIX bits. */
static bool same_prefix(const struct ip_address *a, const struct ip_address *b,
			uint32_t prefix)
{
	return ip_common_prefix(a->bytes, b->bytes) >= prefix;
}

/* True when ADDRESS is zero after its first PREFIX bits. */
static bool ends_with_prefix(const struct ip_address *address, uint32_t prefix)
{
	for (uint32_t i = prefix; i < 128; i++)
		if (address->bytes[i / 8] & (0x80 >> i % 8))
			return false;
	return true;
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
