/* The dialogue of --check: what both ends have is compared, nothing is made. */
#ifndef SESSION_CHECK_H
#define SESSION_CHECK_H

#include "session/dialogue.h"

/*
 * The client's part, once the server's port is known: every check into the
 * result's preflight, and whether the server would refuse the plan for reasons
 * of its own.  The session is over then.  Returns 0 or a negative errno, said
 * in the result's error; check_finish() makes one of both.
 */
int check_ask(struct session *s);

/* The server's part, after its ACCEPT.  Returns s->refusal when it would not
 * have served the plan, which the client is told. */
int check_answer(struct session *s);

/*
 * Make R, of a client's check that ended somehow, say so: a preflight with what
 * is known, a row of it for an error that no check found, and for an error
 * the first row that says that the test cannot run.
 */
void check_finish(struct result *r);

#endif
