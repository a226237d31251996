/* What perftest's table and its JSON have in common. */
#ifndef REPORT_PERFTEST_H
#define REPORT_PERFTEST_H

#include "model/result.h"

#define PERFTEST_TITLE_SIZE 80

/* Write the title of R's test, "RDMA_Write Bidirectional BW Test".  Returns
 * TITLE. */
const char *perftest_title(const struct result *r,
			   char title[PERFTEST_TITLE_SIZE]);

/* The messages of ROW that this end's line has. */
uint64_t perftest_iterations(const struct result *r,
			     const struct result_row *row);

/* A line of the table's head, and a member of the JSON's test_info. */
struct perftest_field {
	bool applies;
	const char *label;	/* with all that stands before the value */
	const char *key;
	const char *value;	/* NULL: it is the number */
	uint64_t number;
	const char *after;	/* what follows it in the table */
};

#define PERFTEST_FIELDS 20

struct perftest_fields {
	struct perftest_field list[PERFTEST_FIELDS];
};

/* What the head of R's table says of the test.  Its texts are R's. */
struct perftest_fields perftest_fields(const struct result *r);

/* VALUE, or 0 if it was not measured: perftest prints a number everywhere. */
double perftest_number(double value);

/* GBPS in the unit of the table, Gb/s or MiB/s. */
double perftest_rate(const struct result *r, double gbps);

/* The best interval of ROW, or else its average, in the unit of the table; of
 * two directions their sum. */
double perftest_peak(const struct result *r, const struct result_row *row);

/* The lines that a server prints before it has a client. */
extern const char perftest_waiting[];

#endif
