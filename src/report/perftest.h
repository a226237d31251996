/* What perftest's table and its JSON have in common. */
#ifndef REPORT_PERFTEST_H
#define REPORT_PERFTEST_H

#include <stdio.h>

#include "model/result.h"

#define PERFTEST_TITLE_SIZE 80

/* Write the title of R's test, "RDMA_Write Bidirectional BW Test".  Returns
 * TITLE. */
const char *perftest_title(const struct result *r,
			   char title[PERFTEST_TITLE_SIZE]);

/* The messages of ROW that this end's line has. */
uint64_t perftest_iterations(const struct result *r,
			     const struct result_row *row);

/* GBPS in the unit of the table, Gb/s or MiB/s. */
double perftest_rate(const struct result *r, double gbps);

/* Print every sample of ROW, numbered, one a line (-H, -U).  None that cannot be
 * read, which a warning says. */
void perftest_print_samples(FILE *out, const struct result *r,
			    const struct result_row *row);

/* The lines that a server prints before it has a client. */
extern const char perftest_waiting[];

#endif
