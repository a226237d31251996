/* The loops of a run, each in a thread of its own. */
#ifndef RUN_THREADS_H
#define RUN_THREADS_H

#include "session/session.h"

typedef int (*threads_loop)(struct session *s, struct flow *f);

/* Each of PARAMS' CPUs must be one this process may use.  Returns 0, or
 * -EINVAL with those that are in ERR. */
int threads_check_cpus(const struct parameters *params, struct error *err);

/* Keep the calling thread on the NUMBER-th of CPUS, which have been checked and
 * begin anew at the end; no CPUS, no change. */
void threads_pin(const struct cpus *cpus, uint32_t number);

/*
 * For --loopback: two ends that poll on one CPU would each wait for the other's
 * time slice.  The client's loop stays on the CPU it is on, unless the user
 * chose others or wants several ...
 */
void threads_choose_cpu(struct parameters *params);

/* ... and the server's process takes any others that it may use; CPUS, which
 * are the client's, become none. */
void threads_keep_off(struct cpus *cpus);

/*
 * Run LOOP on every flow of S: the first in this thread, the others in threads
 * that are started for it, each on its CPU if the user gave a list.  When one
 * fails the others are stopped.  Returns 0 or the negative errno of the first
 * flow that failed.
 */
int threads_run(struct session *s, threads_loop loop);

#endif
