/* The network interfaces behind the ports of RDMA devices. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/port.h"

/* IFNAMSIZ of the kernel, with the final NUL. */
#define NETDEV_NAME_SIZE 16

/* The interface that has the GID at INDEX of port PORT of DEVICE.  False, with
 * NAME "", if none has, as on InfiniBand. */
bool netdev_of_gid(const char *device, uint32_t port, uint32_t index,
		   char name[NETDEV_NAME_SIZE]);

/* The interface of GID, which is one of PORT's, or NULL: the first.  Returns as
 * netdev_of_gid(). */
bool netdev_of_port(const struct port *port, const struct gid *gid,
		    char name[NETDEV_NAME_SIZE]);

/* Replace NAME, of a VLAN or the like, by the interface below it, and so on
 * down.  It stays what it is if there are several below it, as below a bond. */
void netdev_go_down(char name[NETDEV_NAME_SIZE]);

/* Give REQUEST, a struct of <linux/ethtool.h> that begins with its command, to
 * NETDEV, which fills it in.  Returns 0 or a negative errno. */
int ethtool_query(const char *netdev, void *request);

#define DCB_DSCPS 64
#define DCB_REPLY_SIZE 16384

struct dcb {
	bool has_pfc;
	uint8_t pfc;		/* a bit for each priority */
	/* from the application table: any entry for a DSCP means that the
	 * device trusts DSCPs; one without an entry has priority 0 */
	bool trusts_dscp;
	uint8_t priority[DCB_DSCPS];
};

/* Ask the kernel about NETDEV.  REPLY has DCB_REPLY_SIZE bytes, aligned to 8.
 * Returns the number of bytes filled, or a negative errno. */
long dcb_query(const char *netdev, void *reply);

/* Read what is in SIZE bytes of REPLY; what is not there stays unknown. */
void dcb_read(const void *reply, size_t size, struct dcb *dcb);
