/* Computes the most data that a link can carry at a message size, after all
 * headers. */
#include "config.h"
#include "model/limit.h"

#include <math.h>
#include <string.h>

#include "traffic/op.h"

/* Bytes of a packet beside its payload: preamble, header, check sequence and
 * gap of a frame; LRH and VCRC; and, on both, the headers of the transport. */
#define ETHERNET_BYTES (8 + 14 + 4 + 12)
#define LINK_BYTES (8 + 2)
#define BTH_BYTES (12 + 4)	/* with the ICRC */
#define GRH_BYTES 40		/* as an IPv6 header */
#define IPV4_BYTES 20
#define UDP_BYTES 8
#define DETH_BYTES 8
#define XRCETH_BYTES 4
/* Of a message, in one of its packets, or in its first and its last. */
#define RETH_BYTES 16
#define AETH_BYTES 4
#define IMMDT_BYTES 4
#define ATOMICETH_BYTES 28

static uint32_t network_bytes(const struct path *path)
{
	if (!path->global)
		return 0;
	if (path->local.type != GID_TYPE_ROCE_V2)
		return GRH_BYTES;
	return UDP_BYTES + (gid_is_ipv4(&path->local.raw) ? IPV4_BYTES :
							    GRH_BYTES);
}

static uint32_t packet_bytes(const struct result *r)
{
	static const uint32_t transports[TRANSPORTS] = {
		[TRANSPORT_UD] = DETH_BYTES, [TRANSPORT_XRC] = XRCETH_BYTES,
	};

	return (port_is_ethernet(&r->client) ? ETHERNET_BYTES : LINK_BYTES) +
	       network_bytes(&r->path) + BTH_BYTES +
	       transports[r->params.plan.transport];
}

static uint64_t message_bytes(enum op op, uint64_t packets)
{
	const struct op_info *info = &op_table[op];
	uint32_t imm = info->imm ? IMMDT_BYTES : 0;

	/* the request has the values, and no payload */
	if (op_is_atomic(op))
		return ATOMICETH_BYTES - ATOMIC_SIZE;
	if (info->fetches)
		return packets > 1 ? 2 * AETH_BYTES : AETH_BYTES;
	return imm + (info->access & IBV_ACCESS_REMOTE_WRITE ? RETH_BYTES : 0);
}

/* The part of a PORT's rate that is not code, by the name of its speed ("4X
 * QDR"). */
static double uncoded(const struct port *port)
{
	const char *speed = strchr(facts_text(&port->facts, FACT_LINK_LANES),
				   ' ');

	if (port_is_ethernet(port) || !speed)
		return 1;
	if (!strcmp(speed, " SDR") || !strcmp(speed, " DDR") ||
	    !strcmp(speed, " QDR"))
		return 8 / 10.0;
	return strcmp(speed, " FDR") ? 1 : 14.0625 / 14 * 64 / 66;
}

/* Of a perftest's port the rate is not known. */
static double slower_mbps(const struct result *r)
{
	const double a = r->client.rate_mbps * uncoded(&r->client);
	const double b = r->server.rate_mbps * uncoded(&r->server);

	return a == 0 || (b > 0 && b < a) ? b : a;
}

double goodput_gbps(const struct result *r, uint64_t size)
{
	const double mbps = slower_mbps(r);
	uint64_t mtu = mtu_bytes(r->path.mtu), packets, wire;

	/* TCP chooses the packets of iWARP; those of EFA are not public */
	if (!r->has_path || r->client.iwarp || r->client.transport || !mtu ||
	    !size || mbps == 0)
		return NAN;
	packets = (size + mtu - 1) / mtu;
	/* the payload is a multiple of 4 bytes */
	wire = (size + 3) / 4 * 4 + packets * packet_bytes(r) +
	       message_bytes(r->params.plan.op, packets);
	return mbps / 1e3 * (double)size / (double)wire;
}
