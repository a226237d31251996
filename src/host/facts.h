/*
 * Reads the facts of this host and of a port: from /sys, /proc and the network
 * interface, all without special rights.  What cannot be read stays unknown,
 * without an error.
 */
#pragma once

#include "model/param.h"
#include "model/port.h"

/*
 * Read into port->facts what is true now of this host, of PORT, whose other
 * fields are known, and of the CPUs and the memory that PARAMS choose; without
 * --cpus, threads run wherever this process may.  Call when the process has
 * been placed (host/place.h), and when it does not fork any more.
 */
void facts_read(struct port *port, const struct parameters *params);

/* The parts of facts_read() in files of their own.  Each adds to FACTS. */

/* The operating system, memory, and the processors, of which the threads use
 * CPUS, or all allowed ones. */
void facts_of_host(const struct cpus *cpus, struct facts *facts);

/* The network interface behind PORT. */
void facts_of_netdev(const struct port *port, struct facts *facts);

/* The data centre bridging of NETDEV: PFC, trust, priorities. */
void facts_of_dcb(const char *netdev, struct facts *facts);

/* The GPU that CHOICE names, and the one to use with the RDMA device DEVICE. */
void facts_of_gpus(const char *device, const struct memory_choice *choice,
		   struct facts *facts);
