/*
 * Runs an operation of the control path over and over, in one thread or in
 * several at once, and notes what each part took.  The stages of a row are:
 * set-up, warm-up, the measurement, undoing what was held, a look at the system
 * calls, release.
 */
#ifndef CONTROL_ENGINE_H
#define CONTROL_ENGINE_H

#include "control/worker.h"

/*
 * Run all stages.  Returns 0, or a negative errno said in ENGINE's err; what was
 * measured until then is there.  Call control_engine_free() in either case.
 */
int control_engine_run(struct control_engine *engine);

void control_engine_free(struct control_engine *engine);

#endif
