/* What of a link's rate is left for messages. */
#ifndef MODEL_GOODPUT_H
#define MODEL_GOODPUT_H

#include <stdint.h>

#include "model/result.h"

/*
 * Gb/s of messages of SIZE bytes that the slower port of R, of those whose rate
 * is known, carries in one direction: its rate without the headers of packets
 * of the path's MTU (InfiniBand Architecture Specification, volume 1, chapter
 * 9.2 and annex A17), and without acknowledgements.  NAN: no rate is known, no
 * path, or it is iWARP.
 */
double goodput_gbps(const struct result *r, uint64_t size);

#endif
