/* The steps that both ends of perftest's dialogue have, once it is known who is
 * there. */
#pragma once

#include "session/dialogue.h"

/* agree.c: swap what both ends must know of each other, and complete the plan
 * for a peer that says no more of itself.  A server has read its port. */
int perftest_agree(struct session *s);

/* agree.c: choose this end's GID, on the open device. */
int perftest_choose_gid(struct session *s);

/* agree.c: whether the ends tell each other the settings of the test: a server
 * then does what the client was given. */
bool perftest_has_settings(const struct session *s);

/* measure.c: a server's client has said all of its test, and sends its first
 * key when it is ready: wait for that. */
int perftest_await_ready(struct session *s);

/* measure.c: make the queue pairs and connect them; measure every size, and say
 * good-bye. */
int perftest_connect(struct session *s);
int perftest_measure(struct session *s);

/* What a dialogue of frames does by frames. */
int perftest_start(struct session *s, uint64_t size);
int perftest_swap(struct session *s, struct done *mine, struct done *theirs);
