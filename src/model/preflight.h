/* What was found before any queue pair was made: a row for each check
 * (preflight/judge.h). */
#ifndef MODEL_PREFLIGHT_H
#define MODEL_PREFLIGHT_H

#include <stdint.h>

#include "base/error.h"

#define PREFLIGHT_ROWS 40
#define PREFLIGHT_CELL 128

enum verdict { VERDICT_OK, VERDICT_WARNING, VERDICT_ERROR };

/* One check.  A cell is "" when there is nothing to show. */
struct preflight_row {
	char check[32];
	char client[PREFLIGHT_CELL];
	char server[PREFLIGHT_CELL];
	char needed[PREFLIGHT_CELL]; /* by the plan */
	enum verdict verdict;
	struct error error; /* unless VERDICT_OK: what, and what to do */
};

struct preflight {
	uint32_t n;
	struct preflight_row rows[PREFLIGHT_ROWS];
};

/* A new row, "ok", of the check LABEL; the last one when there is no room. */
struct preflight_row *preflight_row(struct preflight *preflight,
				    const char *label);

/* Add what was found by other means, such as a refusal of the server: ERR, as
 * a row that failed. */
void preflight_add(struct preflight *preflight, const struct error *err);

/* How many rows have VERDICT. */
uint32_t preflight_count(const struct preflight *preflight,
			 enum verdict verdict);

/* The first row that says that the test cannot work, or NULL. */
const struct preflight_row *preflight_first(const struct preflight *preflight);

/* "ok", "warning" or "error". */
const char *verdict_name(enum verdict verdict);

#endif
