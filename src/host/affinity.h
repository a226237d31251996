/* Chooses the CPUs on which this process's threads run. */
#ifndef HOST_AFFINITY_H
#define HOST_AFFINITY_H

#include "base/error.h"
#include "model/param.h"

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

#endif
