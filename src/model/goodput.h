/* What of a link's rate is left for messages. */
#pragma once

#include <stdint.h>

#include "model/result.h"

/*
 * Gb/s of messages of SIZE bytes that the slower port of R, of those whose rate
 * is known, carries in one direction: its rate without the headers of packets
 * of the path's MTU (InfiniBand Architecture Specification, volume 1, chapter
 * 9.2 and annex A17), and without acknowledgements.  NAN: no rate is known, no
 * path, or it is iWARP.
 *
 * InfiniBand's rates up to QDR, 2.5, 5 and 10 Gb/s a lane, and FDR's 14 are
 * what is signalled: the code, 8b/10b and 64b/66b (of 14.0625 Gb/s), leaves 2,
 * 4, 8 and 13.64.  FDR10, EDR and faster are named by what is left of 10.3125,
 * 25.78125 ... Gb/s, and so are Ethernet's rates.
 */
double goodput_gbps(const struct result *r, uint64_t size);
