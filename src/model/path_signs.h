/* What this host shows of a path that carries nothing any more, and what that
 * says.  Pure: run/signs.c looks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct path_signs {
	bool ethernet;		/* RoCE: a network interface sends */
	uint8_t port_state;	/* enum ibv_port_state; 0: not known */
	uint32_t mtu;		/* of the path, in bytes; 0: not known */
	uint32_t mtu_now;	/* the port's active one; 0: not known */
	int route;		/* errno of a look for a route to the peer's GID;
				 * 0: there is one, or not known */
	bool no_neighbour;	/* the peer's address does not answer ARP */
	uint64_t refused;	/* packets that the kernel did not let out since
				 * the counters were first read */
	bool counted;		/* packets of a moment after the failure, during
				 * which requests are sent again: */
	uint64_t sent;		/* by the device */
	uint64_t out;		/* by its interface, with all others */
	uint64_t came;		/* to the device */
};

/* What is wrong with a path; those up to PATH_NEIGHBOUR are seen at this
 * host. */
enum path_fault {
	PATH_LINK,		/* the port is not active */
	PATH_ROUTE,		/* no route */
	PATH_MTU,		/* the interface's MTU was lowered */
	PATH_REFUSED,		/* the kernel lets nothing out */
	PATH_NEIGHBOUR,		/* nobody has the peer's address */
	PATH_SILENT,		/* packets leave, and none comes */
	PATH_LOSSY,		/* packets come and go */
	PATH_UNKNOWN,
	PATH_FAULTS,
};

/* The first of them, in this order of evidence, that SIGNS show. */
enum path_fault path_fault_of(const struct path_signs *signs);

/* True when FAULT is one of this host. */
bool path_fault_is_local(enum path_fault fault);
