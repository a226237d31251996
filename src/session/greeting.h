/*
 * How a session begins, at either end: HELLO both ways and, when both have a
 * key, AUTH both ways; what an end sends after its AUTH is sealed.  The
 * client's go first.  However it ends, greeting_free() is called.
 */
#ifndef SESSION_GREETING_H
#define SESSION_GREETING_H

#include "session/session.h"

/* Read the key, if this end has one, and choose a nonce. */
int greeting_begin(struct session *s);

/* Send this end's HELLO, or take the peer's. */
int greeting_send_hello(struct session *s);
int greeting_take_hello(struct session *s);

/* Both have a key or neither; else, or with the same nonce, an error. */
int greeting_check(struct session *s);

/*
 * Send this end's proof, after which all that it sends is sealed, or take the
 * peer's, which must hold, and after which only what the peer sealed is taken.
 * Nothing where there are no keys.
 */
int greeting_send_proof(struct session *s);
int greeting_take_proof(struct session *s);

/* Forget the key, and all else of it; NULL is fine. */
void greeting_free(struct session *s);

/* What the peer said in its HELLO, until greeting_free(). */
const struct hello *greeting_peer(const struct session *s);

#endif
