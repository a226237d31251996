/*
 * Places the threads of this process on CPUs (--cpus), and its threads and its
 * memory near the device (--numa).  A placement chosen from outside (taskset,
 * numactl, a container's CPUs) stays as it is, unless --numa names a node.
 */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "model/param.h"
#include "verbs/device.h"

/* Check that this process may use each of PARAMS' CPUs.  Returns 0, or -EINVAL
 * with the CPUs it may use in ERR. */
int affinity_check(const struct parameters *params, struct error *err);

/* Pin the calling thread to CPU NUMBER of CPUS, which affinity_check() passed,
 * counting round from the end to the start.  Does nothing if CPUS is empty. */
void affinity_pin(const struct cpus *cpus, uint32_t number);

/*
 * For --loopback.  Two ends that poll on one CPU would each wait for the
 * other's time slice.  The client's loop stays on its current CPU, unless the
 * user chose CPUs or several threads ...
 */
void affinity_choose(struct parameters *params);

/* ... and the server's process moves to the other CPUs it may use.  CPUS holds
 * the client's CPUs and becomes empty. */
void affinity_keep_off(struct cpus *cpus);

/* The machine's nodes, and the placement chosen from outside. */
struct numa_host {
	uint32_t device_node;	/* PORT_NO_NODE: not known */
	char nodes[128];	/* online nodes: "0-1"; "": not known */
	cpu_set_t allowed;	/* CPUs this process may use */
	bool restricted;	/* allowed is not every CPU */
	bool policy;	/* memory has a policy already */
};

/* Read the nodes of this machine and of the RDMA device DEVICE.  What cannot be
 * found stays unknown. */
void numa_read(const char *device, struct numa_host *host);

/*
 * Choose the *NODE for memory and threads; ASKED is a node, PLAN_AUTO or
 * PARAM_NONE.  *NODE becomes PORT_NO_NODE if they are to stay where they are.
 * Returns 0, or -EINVAL with the existing nodes in ERR.
 */
int numa_choose(const struct numa_host *host, uint32_t asked, uint32_t *node,
		struct error *err);

/*
 * Place this process as --numa of PARAMS and DEVICE demand: memory touched from
 * now on and, unless PARAMS has --cpus, threads, within the CPUs they may use.
 * Call before allocating memory.  params->numa becomes a node or PARAM_NONE,
 * and DEVICE's port notes the node.  Returns 0, or a negative errno, set in
 * ERR, when a named node cannot be used.
 */
int numa_place(struct parameters *params, struct device *device,
	       struct error *err);

/* Warn if the kernel put some of the LENGTH bytes at BUFFER on other nodes
 * because NODE, which may be PORT_NO_NODE, had no room. */
void numa_check(uint32_t node, uint8_t *buffer, uint64_t length);

/*
 * For --loopback, before starting the server's process, which inherits the
 * placement: open the device PARAMS choose, numa_place(), and close it.
 * Reports no failure: each end meets it again.
 */
void numa_place_both(struct parameters *params);
