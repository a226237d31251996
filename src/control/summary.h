/* Turns what the engine's workers noted into a row of the result. */
#ifndef CONTROL_SUMMARY_H
#define CONTROL_SUMMARY_H

#include "control/worker.h"
#include "model/result.h"

/* Fill ROW and its control, which exists, from what E measured, also if it
 * failed.  NS_PER_TICK is the length of a tick of the clock. */
void control_summarise(const struct control_engine *e, double ns_per_tick,
		       struct result_row *row);

#endif
