/* The parts of host/facts.h; private to this folder.  Each adds to FACTS. */
#ifndef HOST_FACTS_OF_H
#define HOST_FACTS_OF_H

#include <stddef.h>

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

/* For names of one kind, such as governors: append WORD to LIST of SIZE bytes,
 * after a comma, unless it is there. */
void facts_add_word(char *list, size_t size, const char *word);

#endif
