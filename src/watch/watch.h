/* The loop of 'verbsperf watch'. */
#ifndef WATCH_WATCH_H
#define WATCH_WATCH_H

#include "model/param.h"
#include "watch/event.h"

/*
 * Give TAKER what happens to the devices that PARAMS names, until CANCEL_FD is
 * readable, the time of PARAMS is over, or the reader of TAKER's output has
 * gone.  Returns 0, or a negative errno, set in ERR.
 */
int watch(const struct parameters *params, struct watch_taker *taker,
	  int cancel_fd, struct error *err);

#endif
