/*
 * How a session begins, at either end: HELLO both ways and, when both have a
 * key, AUTH both ways; what an end sends after its AUTH is sealed.  The
 * client's go first.  However it ends, handshake_free() is called.
 */
#ifndef SESSION_HANDSHAKE_H
#define SESSION_HANDSHAKE_H

#include "session/dialogue.h"

/* Read the key, if this end has one, and choose a nonce. */
int handshake_begin(struct session *s);

/* Send this end's HELLO, or take the peer's. */
int handshake_send_hello(struct session *s);
int handshake_take_hello(struct session *s);

/* Both have a key or neither; else, or with the same nonce, an error. */
int handshake_check(struct session *s);

/*
 * Send this end's proof, after which all that it sends is sealed, or take the
 * peer's, which must hold, and after which only what the peer sealed is taken.
 * Nothing where there are no keys.
 */
int handshake_send_proof(struct session *s);
int handshake_take_proof(struct session *s);

/* Forget the key, and all else of it; NULL is fine. */
void handshake_free(struct session *s);

/* What the peer said in its HELLO, until handshake_free(). */
const struct hello *handshake_peer(const struct session *s);

#endif
