/*
 * What the exit status of a run means, as a number and as a word: the one place
 * that decides how a run ended.
 */
#pragma once

#include "model/result.h"

enum exit_status {
	EXIT_MEASURED = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_LIMIT = 3,
	EXIT_WRONG_DATA = 4,
};

/* How R ended: EXIT_WRONG_DATA before EXIT_FAILED before EXIT_LIMIT.  Limits
 * are judged only at the end that has them (model/limit.h). */
enum exit_status exit_status_of_run(const struct result *r);

/* The same of ROW alone, a row of R, which may still go on. */
enum exit_status exit_status_of_row(const struct result *r,
				    const struct result_row *row);

/* What a shell has for STATUS: 128 and the number of the signal that ended R,
 * or STATUS itself. */
int exit_status_in_shell(const struct result *r, enum exit_status status);

/* The word for STATUS of R: "ok", "failed", "usage", "limit", "data", or
 * "interrupted", when a signal ended R at this end. */
const char *exit_status_word(const struct result *r, enum exit_status status);

/* True when the user ended R, which has no other end: that is no failure. */
bool exit_status_is_stop(const struct result *r);
