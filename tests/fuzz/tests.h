/* The tests that a client of the fuzzers runs, and that seeds are made of. */
#pragma once

#include "cli/options.h"

/* Read the command line INDEX, from 0, as the program does; false: there are
 * not so many. */
bool tests_get(unsigned int index, struct options *options);
