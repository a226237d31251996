/* The dialogue of --check: compares both ends and makes no verbs objects. */
#pragma once

#include "session/dialogue.h"

/*
 * The client's part, once it knows the server's port: put every check into the
 * result's preflight, and learn whether the server would refuse the plan for
 * reasons of its own.  The session is over then.  Returns 0 or a negative
 * errno, set in the result's error; check_finish() merges the two.
 */
int check_ask(struct session *s);

/*
 * Complete R, the result of a client's check that succeeded or failed: make a
 * preflight of what is known, add a row for an error that no check found, and
 * make R's error the first row that says the test cannot run.
 */
void check_finish(struct result *r);
