/* The counters that an Ethernet driver has of its own, as 'ethtool -S' shows
 * them.  Reading them needs no privileges. */
#ifndef HOST_ETHTOOL_COUNTERS_H
#define HOST_ETHTOOL_COUNTERS_H

#include <stdint.h>

/* Length of a name with its final NUL, at most; the kernel's limit. */
#define ETHTOOL_NAME_SIZE 33

/* Is given the name of counter number INDEX, and INTO. */
typedef void ethtool_visitor(const char *name, uint32_t index, void *into);

/* Give the name of each counter of the interface NETDEV to VISIT, with INTO.
 * Returns how many there are; 0 also if they cannot be read. */
uint32_t ethtool_list(const char *netdev, ethtool_visitor *visit, void *into);

/* The values of the N counters of NETDEV, in the order of ethtool_list(), on
 * the heap; NULL if they cannot be read or are no longer N. */
uint64_t *ethtool_read(const char *netdev, uint32_t n);

#endif
