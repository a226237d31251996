/* The settings of a test (message.h) as parameters.  An end of perftest from
 * 6.28 on compares them with its own.  Pure. */
#ifndef PERFTEST_SETTINGS_H
#define PERFTEST_SETTINGS_H

#include "model/param.h"
#include "perftest/message.h"

/* Those of the test in PARAMS.  MTU, in bytes, is the largest of all sizes over
 * UD. */
void settings_of(const struct parameters *params, uint64_t mtu,
		 struct settings *settings);

/* Make PARAMS those of SETTINGS, which a client sent.  Returns the name of a
 * setting that is not possible here; NULL: all are. */
const char *settings_take(const struct settings *settings,
			  struct parameters *params);

#endif
