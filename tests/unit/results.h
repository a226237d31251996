/* Results as runs leave them, for the reports. */
#ifndef TESTS_UNIT_RESULTS_H
#define TESTS_UNIT_RESULTS_H

#include "model/result.h"

/* On the heap, result_free() it: a run of two sizes at the client, over RoCE.
 */
struct result *result_bandwidth(void);
/* A ping-pong over InfiniBand with a GRH, N samples of 2.0 and 2.6 us. */
struct result *result_latency(uint64_t n);
/* What is measured beyond averages, onto each row of R. */
void result_add_intervals(struct result *r);
void result_add_threads(struct result *r);
/* As far as a client comes that cannot connect. */
struct result *result_unconnected(void);

#endif
