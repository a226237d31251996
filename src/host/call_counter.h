/*
 * Counts the system calls of a thread.  A process of its own traces the thread
 * by ptrace(2) meanwhile, as strace(1) does, so that no special rights are
 * needed and every call is seen; the thread is slower then, so nothing else
 * should be measured at the same time.
 *
 * Counts also the commands that a driver gives to the firmware of its device,
 * as far as the driver counts them: mlx5 in debugfs, which usually only root
 * can read.  They are those of all processes.
 */
#pragma once

#include "model/control.h"

struct call_counter;

/* Start the process, before there are other threads and anything that a fork
 * would copy.  NULL if that is not possible.  call_counter_close() it. */
struct call_counter *call_counter_open(void);

/* End the process; NULL is fine. */
void call_counter_close(struct call_counter *counter);

/* Count the calls of this thread from now on, except readings of a clock, which
 * are calls only on some machines.  Returns 0, or a negative errno with the
 * reason in REASON. */
int call_counter_begin(struct call_counter *counter, char reason[120]);

void call_counter_end(struct call_counter *counter);

/* Put the calls that were counted into calls and named of CALLS. */
void call_counter_read(const struct call_counter *counter,
		       struct control_calls *calls);

struct firmware_counts;

/* Read the counts of the RDMA device NAME; NULL: there are none.  free(3)
 * them. */
struct firmware_counts *firmware_read(const char *name);

/* Put the commands from BEFORE to AFTER, either of which may be NULL, into
 * calls, ns and named of CALLS.  False if they are not known, with why in its
 * reason. */
bool firmware_between(const struct firmware_counts *before,
		      const struct firmware_counts *after,
		      struct control_calls *calls);
