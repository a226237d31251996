/* Names and compares ports, GIDs, link layers, rates and MTUs. */
#include "config.h"
#include "model/port.h"

#include <arpa/inet.h>
#include <errno.h>

#include "base/ip.h"

bool port_is_ethernet(const struct port *port)
{
	return port->link_layer == IBV_LINK_LAYER_ETHERNET;
}

const char *port_link_layer_name(const struct port *port)
{
	return port_is_ethernet(port) ? "Ethernet" : "InfiniBand";
}

const char *port_kind_name(const struct port *port)
{
	return port->iwarp ? "iWARP" : port_link_layer_name(port);
}

bool port_kinds_fit(const struct port *a, const struct port *b)
{
	return port_is_ethernet(a) == port_is_ethernet(b) &&
	       a->iwarp == b->iwarp;
}

int port_lacks(const struct port *port, const char *what, struct error *err)
{
	return fail(err, -EOPNOTSUPP, NULL,
		    "%s is an iWARP device, which has no %s", port->device,
		    what);
}

const char *port_state_name(const struct port *port)
{
	static const char *const names[] = {
		[IBV_PORT_NOP] = "NOP",	  [IBV_PORT_DOWN] = "DOWN",
		[IBV_PORT_INIT] = "INIT", [IBV_PORT_ARMED] = "ARMED",
		[IBV_PORT_ACTIVE] = "ACTIVE",
		[IBV_PORT_ACTIVE_DEFER] = "ACTIVE_DEFER",
	};

	return port->state < sizeof(names) / sizeof(*names) ?
		       names[port->state] :
		       "unknown";
}

const char *gid_type_name(uint8_t type)
{
	static const char *const names[] = {
		[GID_TYPE_IB] = "IB",
		[GID_TYPE_ROCE_V1] = "RoCE v1",
		[GID_TYPE_ROCE_V2] = "RoCE v2",
		[GID_TYPE_IWARP] = "iWARP",
	};

	return type < sizeof(names) / sizeof(*names) ? names[type] : "unknown";
}

bool gid_is_ipv4(const union ibv_gid *gid)
{
	return ip_is_ipv4(gid->raw);
}

bool gid_is_link_local(const union ibv_gid *gid)
{
	const uint8_t *raw = gid->raw;

	if (gid_is_ipv4(gid))
		return raw[12] == 169 && raw[13] == 254;
	return raw[0] == 0xfe && (raw[1] & 0xc0) == 0x80;
}

bool gid_is_multicast(const union ibv_gid *gid)
{
	const uint8_t *raw = gid->raw;

	return gid_is_ipv4(gid) ? raw[12] >= 224 : raw[0] == 0xff;
}

const char *gid_format(const union ibv_gid *gid, char text[GID_TEXT_SIZE])
{
	if (!inet_ntop(AF_INET6, gid->raw, text, GID_TEXT_SIZE))
		text[0] = '\0';
	return text;
}

const char *gid_show(const struct gid *gid, char text[GID_TEXT_SIZE])
{
	static const char mapped[] = "::ffff:";
	const bool short_form = gid->type == GID_TYPE_IWARP &&
				gid_is_ipv4(&gid->raw);

	return gid_format(&gid->raw, text) +
	       (short_form ? sizeof(mapped) - 1 : 0);
}

uint32_t port_rate(uint8_t width, uint32_t speed)
{
	static const uint32_t lanes[] = { 1, 4, 8, 12, 2 };
	/* SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR, XDR */
	static const uint32_t mbps[] = { 2500, 5000, 10000, 10000, 14000,
					 25000, 50000, 100000, 200000 };

	for (size_t i = 0; i < sizeof(lanes) / sizeof(*lanes); i++)
		for (size_t k = 0; k < sizeof(mbps) / sizeof(*mbps); k++)
			if (width == 1U << i && speed == 1U << k)
				return lanes[i] * mbps[k];
	return 0;
}

uint32_t mtu_bytes(uint8_t mtu)
{
	if (mtu < IBV_MTU_256 || mtu > IBV_MTU_4096)
		return 0;
	return 128U << mtu;
}

uint8_t mtu_from_bytes(uint32_t bytes)
{
	for (uint8_t mtu = IBV_MTU_256; mtu <= IBV_MTU_4096; mtu++)
		if (mtu_bytes(mtu) == bytes)
			return mtu;
	return 0;
}
