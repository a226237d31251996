/* The path of a session at its server. */
#ifndef SESSION_ACCEPT_PATH_H
#define SESSION_ACCEPT_PATH_H

#include "session/dialogue.h"

/* The client chose the path among those this end offered: take that of its
 * ENDPOINT, PEER, into the result.  Returns 0, or a negative errno said in
 * ERR. */
int accept_path(struct session *s, const struct endpoint *peer,
		struct error *err);

/* The same in the test connect, whose ENDPOINT has one queue pair. */
int accept_path_of_one(struct session *s, const struct endpoint *peer,
		       struct error *err);

#endif
