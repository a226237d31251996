/* The parts of host/facts.h; private to this folder.  Each adds to FACTS. */
#ifndef HOST_FACTS_OF_H
#define HOST_FACTS_OF_H

#include "model/facts.h"
#include "model/param.h"
#include "model/port.h"

/* Kernel, distribution, rdma-core, container, virtual machine, memory. */
void facts_of_system(struct facts *facts);

/* The processors, of which the threads use CPUS, or all allowed ones. */
void facts_of_cpus(const struct cpus *cpus, struct facts *facts);

/* The PCIe device of the RDMA device of PORT, or else of FACT_NETDEV. */
void facts_of_pci(const struct port *port, struct facts *facts);

/* The network interface behind PORT. */
void facts_of_netdev(const struct port *port, struct facts *facts);

/* What dcbnl says of NETDEV: PFC, trust, priorities. */
void facts_of_dcb(const char *netdev, struct facts *facts);

#endif
