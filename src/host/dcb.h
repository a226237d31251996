/* Data centre bridging of a network interface, as dcbnl of the kernel has it:
 * priority flow control, and what a packet's priority is made of.  The four
 * attributes that are wanted are read here, without a library for netlink. */
#ifndef HOST_DCB_H
#define HOST_DCB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DCB_DSCPS 64
#define DCB_REPLY_SIZE 16384

struct dcb {
	bool has_pfc;
	uint8_t pfc;		/* a bit for each priority */
	/* from the application table: any entry for a DSCP means that the
	 * device trusts DSCPs; one without an entry has priority 0 */
	bool has_table;
	bool trusts_dscp;
	uint8_t priority[DCB_DSCPS];
};

/* Ask the kernel about NETDEV.  REPLY has DCB_REPLY_SIZE bytes, aligned to 8.
 * Returns the number of bytes filled, or a negative errno. */
long dcb_query(const char *netdev, void *reply);

/* Read what is in SIZE bytes of REPLY; what is not there stays unknown. */
void dcb_read(const void *reply, size_t size, struct dcb *dcb);

#endif
