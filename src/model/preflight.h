/* The findings before any queue pair is created, one row per check
 * (preflight/judge.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define PREFLIGHT_CELL 128

enum verdict { VERDICT_OK, VERDICT_WARNING, VERDICT_ERROR };

/* One check.  A cell is "" when there is nothing to show. */
struct preflight_row {
	char check[32];
	char client[PREFLIGHT_CELL];
	char server[PREFLIGHT_CELL];
	char needed[PREFLIGHT_CELL]; /* what the plan needs */
	enum verdict verdict;
	const char *cost;  /* of what is found, in a sentence; NULL: none */
	struct error error; /* unless VERDICT_OK: problem and advice */
};

/* All zero: no rows. */
struct preflight {
	bool alone;		/* of this end only: "verbsperf check" */
	uint32_t n;
	struct preflight_row *rows; /* on the heap; preflight_free() */
};

/* Free the rows of PREFLIGHT. */
void preflight_free(struct preflight *preflight);

/* Append a row with LABEL and verdict "ok".  It is valid until the next one is
 * appended. */
struct preflight_row *preflight_row(struct preflight *preflight,
				    const char *label);

/* Append ERR as a failed row: something found by other means, such as a refusal
 * by the server. */
void preflight_add(struct preflight *preflight, const struct error *err);

/* Number of rows with VERDICT. */
uint32_t preflight_count(const struct preflight *preflight,
			 enum verdict verdict);

/* The first row with an error, or NULL. */
const struct preflight_row *preflight_first(const struct preflight *preflight);

/* "ok", "warning" and "error". */
extern const char *const verdict_names[];
