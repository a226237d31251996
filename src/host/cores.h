/* --cpus=auto: which CPUs the threads of an end get. */
#pragma once

#include <sched.h>
#include <stdbool.h>

#include "base/units.h"
#include "model/param.h"

/*
 * Choose the CPUs of PARAMS if they are automatic, one for each thread, of
 * those that this process may use.  Call when the process has been placed
 * (host/place.h), and when the number of threads is known.  CLIENT: this end is
 * the client.  A server of several clients at once pins nothing.
 */
void cores_choose(struct parameters *params, const char *device, bool client);

/*
 * Put N CPUs of ALLOWED, or all of them if they are fewer, into CPUS.  The NICs
 * of a node share its cores: from those of the RDMA device DEVICE on, the
 * client takes upward; the server does so from the last core downward.  A CPU
 * whose core has one in CPUS is taken only when there is no other, and so is,
 * if its core has none, one that the device's interrupts go to.
 */
void cores_pick(const cpu_set_t *allowed, const char *device, bool client,
		uint32_t n, struct cpus *cpus);
