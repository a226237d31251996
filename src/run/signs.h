/* Looks at this host for what a path that carries nothing shows. */
#pragma once

#include "model/path_signs.h"
#include "run/run.h"

/*
 * Fill SIGNS with what this host shows of RUN's path now.  With MOMENT, also
 * count packets for a quarter of a second, in which requests that are not
 * acknowledged are sent again.  What cannot be read is not known.
 */
void signs_look(const struct run *run, bool moment, struct path_signs *signs);
