/* Names and compares ports, GIDs, link layers, rates and MTUs. */
#include "config.h"
#include "model/port.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include "base/ip.h"

/* What a port is, by its transport, its link layer and its driver. */
enum port_kind {
	KIND_INFINIBAND,
	KIND_ETHERNET,
	KIND_IWARP,
	KIND_USNIC,
	KIND_OMNI_PATH,
	KIND_EFA,
	KIND_UNSPECIFIED,
};

#define ALL_TRANSPORTS ((1U << TRANSPORTS) - 1)

/* What is true of all ports of a kind. */
static const struct kind_info {
	const char *name;
	const char *one;	/* of their devices, with its article */
	uint32_t transports;	/* a set of what is benchmarked here */
	bool rdma_cm;		/* librdmacm connects their queue pairs */
	const char *manager;	/* gives them LIDs; NULL: they have none */
	const char *instead;	/* of a transport they lack; NULL: nothing */
} kinds[] = {
	[KIND_INFINIBAND] = { "InfiniBand", "an InfiniBand device",
			      ALL_TRANSPORTS, true,
			      "a subnet manager, such as opensm", NULL },
	[KIND_ETHERNET] = { "Ethernet", "a RoCE device", ALL_TRANSPORTS, true,
			    NULL, NULL },
	[KIND_IWARP] = { "iWARP", "an iWARP device", ON_RC, true, NULL, NULL },
	[KIND_USNIC] = { "usnic", "a usnic device", ON_UD, false, NULL,
			 "usnic has only UD: send_bw or send_lat with -c UD" },
	/* its fabric manager is a subnet manager of another name */
	[KIND_OMNI_PATH] = { "Omni-Path", "an Omni-Path device",
			     ALL_TRANSPORTS, true,
			     "a fabric manager, such as opafm", NULL },
	[KIND_EFA] = { "EFA", "an EFA device", ON_UD, false, NULL,
		       "of EFA's transports verbsperf has only UD: send_bw or "
		       "send_lat with -c UD" },
	[KIND_UNSPECIFIED] = { "unspecified",
			       "a device of an unspecified transport",
			       ALL_TRANSPORTS, false, NULL, NULL },
};

static bool driver_is(const struct port *port, const char *prefix)
{
	return !strncmp(facts_text(&port->facts, FACT_DRIVER), prefix,
			strlen(prefix));
}

/* Ends before version 0.2 do not say their transport. */
static bool is_unspecified(const struct port *port)
{
	return port->transport &&
	       port->link_layer == IBV_LINK_LAYER_UNSPECIFIED;
}

/* Of all drivers in the kernel only EFA's has the unspecified transport. */
static enum port_kind kind_of(const struct port *port)
{
	if (port->iwarp)
		return KIND_IWARP;
	if (port->transport == IBV_TRANSPORT_USNIC ||
	    port->transport == IBV_TRANSPORT_USNIC_UDP)
		return KIND_USNIC;
	if (port->link_layer == IBV_LINK_LAYER_ETHERNET)
		return KIND_ETHERNET;
	if (!is_unspecified(port))
		return driver_is(port, "hfi") ? KIND_OMNI_PATH :
						KIND_INFINIBAND;
	if (driver_is(port, "efa") ||
	    (port->transport == IBV_TRANSPORT_UNSPECIFIED &&
	     !facts_known(&port->facts, FACT_DRIVER)))
		return KIND_EFA;
	return KIND_UNSPECIFIED;
}

bool port_is_ethernet(const struct port *port)
{
	return port->link_layer == IBV_LINK_LAYER_ETHERNET;
}

bool port_has_lids(const struct port *port)
{
	return kinds[kind_of(port)].manager;
}

bool port_is_efa(const struct port *port)
{
	return kind_of(port) == KIND_EFA;
}

bool port_has_rdma_cm(const struct port *port)
{
	return kinds[kind_of(port)].rdma_cm;
}

const char *port_manager_name(const struct port *port)
{
	return kinds[kind_of(port)].manager;
}

const char *port_link_layer_name(const struct port *port)
{
	if (port_is_ethernet(port))
		return "Ethernet";
	return is_unspecified(port) ? "unspecified" : "InfiniBand";
}

const char *port_kind_name(const struct port *port)
{
	if (port_is_efa(port) && !facts_known(&port->facts, FACT_DRIVER))
		return "unspecified (efa)";
	return kinds[kind_of(port)].name;
}

/* The driver is not known of each peer, and tells nothing else apart. */
bool port_kinds_fit(const struct port *a, const struct port *b)
{
	return port_is_ethernet(a) == port_is_ethernet(b) &&
	       a->iwarp == b->iwarp && a->transport == b->transport;
}

int port_lacks(const struct port *port, const char *what, struct error *err)
{
	return fail(err, -EOPNOTSUPP, NULL, "%s is %s, which has no %s",
		    port->device, kinds[kind_of(port)].one, what);
}

int port_check_transport(const struct port *port, enum transport transport,
			 struct error *err)
{
	const struct kind_info *kind = &kinds[kind_of(port)];

	if (kind->transports >> transport & 1)
		return 0;
	return fail(err, -EOPNOTSUPP, kind->instead, "%s is %s, which has no "
		    "%s", port->device, kind->one,
		    transport_table[transport].name);
}

bool port_is_soft_roce(const struct port *port)
{
	return !strcmp(facts_text(&port->facts, FACT_DRIVER), "rdma_rxe");
}

const char *port_state_word(uint8_t state)
{
	static const char *const names[] = {
		[IBV_PORT_NOP] = "NOP",	  [IBV_PORT_DOWN] = "DOWN",
		[IBV_PORT_INIT] = "INIT", [IBV_PORT_ARMED] = "ARMED",
		[IBV_PORT_ACTIVE] = "ACTIVE",
		[IBV_PORT_ACTIVE_DEFER] = "ACTIVE_DEFER",
	};

	return state < sizeof(names) / sizeof(*names) ? names[state] :
						       "unknown";
}

const char *port_state_name(const struct port *port)
{
	return port_state_word(port->state);
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
