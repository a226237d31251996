/*
 * A rate that the device keeps instead of the loop: as the static rate of an
 * InfiniBand path, or by packet pacing of an Ethernet port.  Pure.
 */
#ifndef MODEL_PACING_H
#define MODEL_PACING_H

#include <stdint.h>

#include "model/plan.h"

/* The share of PLAN's rate that each queue pair has, in kb/s. */
uint64_t pacing_share(const struct plan *plan);

/* The static rate (enum ibv_rate) of that share; 0 when there is none. */
uint8_t pacing_static_rate(const struct plan *plan);

/* "2.5, 5, 10 ...": the static rates of InfiniBand in Gb/s, for messages. */
extern const char pacing_static_rates[];

#endif
