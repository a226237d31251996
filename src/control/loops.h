/* What a worker of the engine does in each stage; each returns 0 or a negative
 * errno, said in the thread's error. */
#ifndef CONTROL_LOOPS_H
#define CONTROL_LOOPS_H

#include "control/worker.h"

/* Set the operation up, and allocate what the samples go to. */
int control_prepare(struct control_worker *w);

/* Make and undo objects until the stage is over. */
int control_warm_up(struct control_worker *w);

/* The measurement, by the pattern that the user chose. */
int control_measure(struct control_worker *w);

/* Undo the objects that are held, the last one first. */
int control_undo_held(struct control_worker *w);

/* The first worker counts the system calls of a few more operations. */
int control_count_calls(struct control_worker *w);

/* Undo what control_prepare() set up. */
int control_release(struct control_worker *w);

/* Free what the samples are in; harmless before control_prepare(). */
void control_free_samples(struct control_worker *w);

#endif
