/* The parts of which the reports of a run are made: what is written above, in
 * and below the table, and values of the JSON. */
#pragma once

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "model/counters.h"
#include "model/result.h"

/* head.c: what both ends agreed on. */

/* Print it, above the table of R. */
void head_print(FILE *out, const struct result *r);

/* Print only the lines that name the ends: the client, and the server if there
 * is one. */
void head_print_ends(FILE *out, const struct result *r);

/* Bytes the sender may send inline. */
uint32_t head_inline_size(const struct result *r);

/* caveats.c: what makes the numbers doubtful, and what to do. */

/* What makes the numbers of R most doubtful: a sentence on the heap, without a
 * line end; NULL: nothing. */
char *caveats_first(const struct result *r);

/* Write the same to OUT as a line, and how many more there are; with --verbose
 * a line for each of them.  Nothing if all is well. */
void caveats_print(FILE *out, const struct result *r);

/* chart.c: a histogram as a few lines of text. */

/*
 * Write N bins (ascending, 1 or more) as at most 20 lines: a range in
 * microseconds, the number of its samples, a bar.  No range is narrower than
 * STEP_NS, the resolution of the samples, or a nanosecond.  A few bins that lie
 * further apart get a line each.  Many bins are merged into ranges of equal
 * width; if the top twentieth of all samples spreads much wider than the rest,
 * it gets ranges of its own below, each wider than the one before by the same
 * factor.  No sample is left out, and a range with samples always has a mark.
 */
void chart_print(FILE *out, const struct histogram_bin *bins, uint32_t n,
		 double step_ns);

/* Write the histogram of each row of R that has one. */
void charts_print(FILE *out, const struct result *r, double step_ns);

/* control.c: a test of the control path. */

/* "control" of an object of "results": null for a test of traffic. */
json_t *control_json(const struct parameters *params,
		     const struct result_row *row);

/* counters.c: what the counters of both ends' ports did (model/counters.h). */

/* The counters of ROW that --counters chose, and those that indicate trouble or
 * congestion and rose; null with --counters=none. */
json_t *counters_json(const struct parameters *params,
		      const struct result_row *row);

/* The same of a size of R that failed before anything of it was measured, and
 * that size; null if there is none, or no counter could be read. */
json_t *counters_unmeasured_json(const struct result *r);

/* True when both ends of R use one port, and so read the same counters. */
bool counters_are_shared(const struct result *r);

/* The number of counters of KIND that rose in R.  Writes a sentence about the
 * first to OUT, unless that is NULL.  0 if counters_print() prints them all. */
uint32_t counters_risen(const struct result *r, enum counter_kind kind,
			FILE *out);

/* Write to OUT, below the table of R, if --counters or --verbose was given, a
 * line for each counter that indicates trouble or congestion and rose, and the
 * counters that --counters asks for by name or as all. */
void counters_print(FILE *out, const struct result *r);

/* Write the counters of this end that perftest's options ask for by name. */
void counters_print_perftest(FILE *out, const struct result *r,
			     const struct result_row *row);

/* cpu.c: what both ends' CPUs did. */

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

/* limit.c: whether a result meets the user's limits. */

/* Write to OUT, below the table of R, a line with the limits and how many
 * results missed them.  Nothing without a limit or a row. */
void limit_print(FILE *out, const struct result *r);

/* A list with one object per limit and size; null without a limit. */
json_t *limit_json(const struct result *r);

/* load.c: the requested rate. */

/* Add the rate to the line of OUT with what was agreed on; nothing without
 * --rate. */
void load_print_plan(FILE *out, const struct plan *plan);

/*
 * Write below ROW in OUT, for an open loop, the requested and the achieved
 * rate; for another test, whether it missed the rate.  Nothing without --rate.
 */
void load_print(FILE *out, const struct plan *plan,
		const struct result_row *row);

/* facts.c: what is known of FACTS, group by group. */
void facts_print(FILE *out, const struct facts *facts);

/* preflight.c: what --check found. */

#define PREFLIGHT_VERDICT_SIZE 96

/* Put "this test cannot run: 2 problems, 1 warning" into TEXT; returns TEXT. */
const char *preflight_verdict(const struct preflight *preflight,
			      char text[PREFLIGHT_VERDICT_SIZE]);

/* Print both ends of R side by side, then the problems and, if the test can
 * run, the verdict; otherwise report_problems() prints the verdict. */
void preflight_text(FILE *out, const struct result *r);

/* PREFLIGHT as an array; null when it is NULL. */
json_t *preflight_json(const struct preflight *preflight);
