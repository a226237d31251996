/*
 * One end and its port: read from the device, sent to the peer, printed in
 * every report.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "model/facts.h"
#include "traffic/op.h"

#define PORT_NAME_SIZE 64
/* Most GIDs sent to the peer; tables are larger but rarely full. */
#define PORT_GIDS_MAX 128
/* The highest unicast LID; higher ones are multicast. */
#define LID_MAX 0xbfffU
/* numa_node is unknown. */
#define PORT_NO_NODE UINT32_MAX
/* The transport is one that libibverbs does not know. */
#define PORT_TRANSPORT_UNKNOWN (IBV_TRANSPORT_UNSPECIFIED + 1)
/* An IPv6 address as text ("ffff:..."), with its final NUL. */
#define GID_TEXT_SIZE 46
/* A P_Key: 15 bits name the partition, one marks a full member. */
#define PORT_PKEY_PARTITION 0x7fffU
#define PORT_PKEY_FULL 0x8000U

/* What a GID is: the values of enum ibv_gid_type, which rdma-core has since
 * version 32.  On an iWARP port, whose own GID is a MAC address, an IP address
 * of its interface stands for one. */
enum gid_type {
	GID_TYPE_IB,
	GID_TYPE_ROCE_V1,
	GID_TYPE_ROCE_V2,
	GID_TYPE_IWARP,
};

struct gid {
	union ibv_gid raw;
	uint32_t index;
	uint8_t type;		/* enum gid_type */
	uint32_t ifindex;	/* of the network interface; not sent to
				 * peers */
};

/* Device capabilities that a plan can exceed. */
struct port_limits {
	uint64_t max_msg_sz;
	uint32_t max_qp;
	uint32_t max_qp_wr;
	uint32_t max_cqe;
	uint32_t max_qp_rd_atom;	/* most incoming reads outstanding per
					 * QP */
	uint32_t max_qp_init_rd_atom;	/* most outgoing reads outstanding per
					 * QP */
	uint32_t max_srq;
	uint32_t max_srq_wr;
	uint32_t max_mr;
	uint32_t max_sge;	/* scatter/gather entries of a work request; 0:
				 * not known, as the next two */
	uint32_t max_sge_rd;	/* of a read */
	uint32_t max_srq_sge;	/* of a shared receive */
	uint32_t odp[TRANSPORTS];	/* enum ibv_odp_transport_cap_bits */
	uint32_t max_mcast_grp;	/* multicast groups; 0: none */
	uint32_t max_mcast_qp_attach;	/* queue pairs in a group */
	bool xrc;		/* IBV_DEVICE_XRC */
	/* packet pacing; not sent to peers */
	bool pacing_known;
	uint32_t min_kbps, max_kbps;	/* of a QP */
	uint32_t paced_types;	/* bits 1 << enum ibv_qp_type */
};

struct port {
	char hostname[PORT_NAME_SIZE];
	char device[PORT_NAME_SIZE];
	char firmware[PORT_NAME_SIZE];
	uint8_t number;
	uint8_t state;		/* enum ibv_port_state */
	uint8_t link_layer;	/* IBV_LINK_LAYER_* */
	uint8_t active_mtu;	/* enum ibv_mtu */
	bool iwarp;		/* the device is an iWARP one, on Ethernet */
	uint8_t transport;	/* IBV_TRANSPORT_* above iWARP's: of usnic, or
				 * unspecified, as EFA's; or
				 * PORT_TRANSPORT_UNKNOWN; else 0 */
	bool grh_required;	/* IBV_QPF_GRH_REQUIRED */
	bool gid_forced;	/* -x: gids holds only that one */
	uint16_t lid;
	uint16_t pkey;		/* P_Key of the queue pairs; 0: not read */
	uint16_t n_pkeys;	/* P_Key table length; not sent to peers */
	uint32_t rate_mbps;
	uint32_t numa_node;	/* of the memory; threads may be elsewhere */
	struct port_limits limits;
	struct facts facts;	/* of its host, too */
	uint32_t n_gids;
	struct gid gids[PORT_GIDS_MAX];
};

/* Result of looking for a port. */
struct found_port {
	struct error error;	/* why the port or its device is unusable */
	struct port port;	/* if ERROR is set, only the device and, if it
				 * could be opened, the number */
};

/* The path between the ends, as both agreed (model/gid.h). */
struct path {
	bool global;		/* has a GRH; always on Ethernet */
	struct gid local;	/* valid when global */
	struct gid remote;
	uint16_t dlid;
	uint8_t mtu;		/* enum ibv_mtu */
};

/* The link layer is Ethernet: that of RoCE, of iWARP, and of usnic. */
bool port_is_ethernet(const struct port *port);

/* True for the software device whose driver is rdma_rxe. */
bool port_is_soft_roce(const struct port *port);

/* A manager of the fabric gives such ports LIDs: InfiniBand, Omni-Path. */
bool port_has_lids(const struct port *port);

/* AWS EFA: UD goes by the port's one GID, each send is signaled. */
bool port_is_efa(const struct port *port);

/* librdmacm can connect its queue pairs. */
bool port_has_rdma_cm(const struct port *port);

/* What gives such ports their LIDs, "a subnet manager, such as opensm"; NULL:
 * they have none. */
const char *port_manager_name(const struct port *port);

/* "Ethernet", "InfiniBand" or "unspecified". */
const char *port_link_layer_name(const struct port *port);

/* The same, but for what is no RoCE and no InfiniBand "iWARP", "usnic",
 * "Omni-Path", "EFA", or "unspecified (efa)" where the driver is not known. */
const char *port_kind_name(const struct port *port);

/* True when A and B may be connected. */
bool port_kinds_fit(const struct port *a, const struct port *b);

/* Report in ERR that devices of PORT's kind have no WHAT.  Returns
 * -EOPNOTSUPP. */
int port_lacks(const struct port *port, const char *what, struct error *err);

/* Refuse TRANSPORT where devices of PORT's kind have no queue pairs of it.
 * Returns 0, or -EOPNOTSUPP with what they have in ERR. */
int port_check_transport(const struct port *port, enum transport transport,
			 struct error *err);

/* "ACTIVE", "DOWN", ... of an enum ibv_port_state. */
const char *port_state_word(uint8_t state);

/* The same of PORT's. */
const char *port_state_name(const struct port *port);

/* "IB", "RoCE v1", "RoCE v2", "iWARP"; "unknown" for any other. */
const char *gid_type_name(uint8_t type);

/* ::ffff:a.b.c.d */
bool gid_is_ipv4(const union ibv_gid *gid);

/* fe80::/10, and 169.254/16 as an IPv4-mapped GID. */
bool gid_is_link_local(const union ibv_gid *gid);

/* ff00::/8 and, as an IPv4-mapped GID, 224/4 and 255.255.255.255. */
bool gid_is_multicast(const union ibv_gid *gid);

/* Write GID in IPv6 notation into TEXT.  Returns TEXT. */
const char *gid_format(const union ibv_gid *gid, char text[GID_TEXT_SIZE]);

/* The same for people: the address that stands for a GID on an iWARP port is in
 * the notation of its family.  Returns what to show of TEXT. */
const char *gid_show(const struct gid *gid, char text[GID_TEXT_SIZE]);

/* Mb/s of a link of WIDTH and SPEED, each a bit as ibv_query_port(3) has them;
 * 0: unknown. */
uint32_t port_rate(uint8_t width, uint32_t speed);

/* Bytes of an enum ibv_mtu, or 0 if it is invalid. */
uint32_t mtu_bytes(uint8_t mtu);

/* The enum ibv_mtu of BYTES, or 0 if there is none. */
uint8_t mtu_from_bytes(uint32_t bytes);
