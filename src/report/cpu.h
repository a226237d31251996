/* What both ends' CPUs did, in the reports. */
#ifndef REPORT_CPU_H
#define REPORT_CPU_H

#include <jansson.h>
#include <stdio.h>

#include "model/result.h"

/* "cpu" of an object of "results". */
json_t *cpu_json(const struct result_row *row);

/* Write a line for each end below ROW in OUT; PER_GB: also the time per GB,
 * which says nothing about messages of a few bytes whose latency is measured.
 */
void cpu_print(FILE *out, const struct result_row *row, bool per_gb);

/* Write to OUT how to read these lines. */
void cpu_print_definition(FILE *out);

/* In percent, how busy all CPUs of the client's or the server's machine were;
 * NAN: not known. */
double cpu_host_percent(const struct result_row *row, bool client);

#endif
