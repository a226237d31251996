/*
 * Memory and threads near the device: --numa.  What a user chose from outside
 * (taskset, numactl, a container's CPUs) is left as it is, unless --numa names
 * a node.
 */
#ifndef HOST_NUMA_H
#define HOST_NUMA_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "model/param.h"
#include "verbs/device.h"

/* What there is, and what was chosen from outside. */
struct numa_host {
	uint32_t device_node;	/* PORT_NO_NODE: not known */
	char nodes[128];	/* that are online: "0-1"; "": not known */
	cpu_set_t allowed;	/* where this process may run */
	bool restricted;	/* which is not everywhere */
	bool policy;	/* its memory has a policy already */
};

/*
 * Look at this machine, of which SYSFS is the folder of sysfs ("/sys"), and at
 * the RDMA device DEVICE.  What cannot be found out is left unknown.
 */
void numa_look(const char *sysfs, const char *device, struct numa_host *host);

/*
 * The node for memory and threads when ASKED says N, PLAN_AUTO or PARAM_NONE,
 * into *NODE; PORT_NO_NODE: leave them where they are.  Returns 0, or -EINVAL
 * with what nodes there are in ERR.
 */
int numa_choose(const struct numa_host *host, uint32_t asked, uint32_t *node,
		struct error *err);

/*
 * Put this process where --numa of PARAMS and DEVICE want it: memory that is
 * touched from now on, and, unless there are --cpus, threads, which stay
 * within what they may use.  To be called before memory is made.  What came
 * of it is in params->numa, which is a node or PARAM_NONE then, and in the
 * port of DEVICE.  Returns 0, or a negative errno said in ERR when a node was
 * named that cannot be had.
 */
int numa_place(struct parameters *params, struct device *device,
	       struct error *err);

/* Warn when NODE, which may be PORT_NO_NODE, had no room for all of the LENGTH
 * bytes at BUFFER: the kernel took other nodes then. */
void numa_check(uint32_t node, uint8_t *buffer, uint64_t length);

/*
 * For --loopback, before the server's process is started, so that it inherits
 * the place: open the device that PARAMS want, numa_place(), and close it.
 * Failures are not said: each end meets them again.
 */
void numa_place_both(struct parameters *params);

#endif
