/* On which CPUs the threads of this process run. */
#ifndef HOST_AFFINITY_H
#define HOST_AFFINITY_H

#include "base/error.h"
#include "model/param.h"

/* Each of PARAMS' CPUs must be one this process may use.  Returns 0, or
 * -EINVAL with those that are in ERR. */
int affinity_check(const struct parameters *params, struct error *err);

/* Keep the calling thread on the NUMBER-th of CPUS, which have been checked and
 * begin anew at the end; no CPUS, no change. */
void affinity_pin(const struct cpus *cpus, uint32_t number);

/*
 * For --loopback: two ends that poll on one CPU would each wait for the other's
 * time slice.  The client's loop stays on the CPU it is on, unless the user
 * chose others or wants several ...
 */
void affinity_choose(struct parameters *params);

/* ... and the server's process takes any others that it may use; CPUS, which
 * are the client's, become none. */
void affinity_keep_off(struct cpus *cpus);

#endif
