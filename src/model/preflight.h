/*
 * What can be known before any queue pair is made: a plan and both ports, held
 * against each other by one table of checks.  The first of them that finds that
 * the test cannot work is the error of an ordinary run; --check shows them all,
 * with what each end has.  Pure: nothing here asks a device.
 */
#ifndef MODEL_PREFLIGHT_H
#define MODEL_PREFLIGHT_H

#include <stdint.h>

#include "base/error.h"
#include "model/gid.h"
#include "model/plan.h"
#include "model/port.h"

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

/*
 * Every check of PLAN, whose choices plan_choose() made, on both ports into
 * *PREFLIGHT.  SERVER may be NULL, for one that is not known: then only what
 * the client can know alone is judged.  TCP is as for path_choose().
 */
void preflight_run(const struct plan *plan, const struct port *client,
		   const struct port *server, const struct subnet *tcp,
		   struct preflight *preflight);

/*
 * The same checks up to the first that fails.  Returns 0 or its negative
 * errno, said in ERR.
 */
int preflight_judge(const struct plan *plan, const struct port *client,
		    const struct port *server, struct error *err);

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
