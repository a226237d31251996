/* Results as runs leave them, for the reports. */
#pragma once

#include "model/result.h"
#include "report/stream.h"

/* The table, and perftest's, on the heap. */
static inline char *report_text(const struct result *r)
{
	return row_format_render(&text_format, r);
}

static inline char *report_perftest(const struct result *r)
{
	return row_format_render(&perftest_format, r);
}

/* On the heap, result_free() it: a run of two sizes at the client, over RoCE.
 */
struct result *result_bandwidth(void);
/* A ping-pong over InfiniBand with a GRH, N samples of 2.0 and 2.6 us. */
struct result *result_latency(uint64_t n);
/* One size of datagrams: 2.5 Gb/s, 5 Mpps; of 1,000 that were sent 5 were lost.
 */
struct result *result_datagrams(void);
/* A ping-pong whose median is 2 us, 99% 2.5 and 99.9% 8. */
struct result *result_tail(void);
/* R's user demands VALUE of KIND. */
void result_demand(struct result *r, enum limit_kind kind, double value);
/* What is measured beyond averages, onto each row of R. */
void result_add_intervals(struct result *r);
void result_add_threads(struct result *r);
void result_add_cpu(struct result *r);	/* with --cpu */
/* As far as a client comes that cannot connect. */
struct result *result_unconnected(void);
