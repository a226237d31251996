/*
 * The beginning of a session, at either end: HELLO both ways and, when both
 * ends have a key, AUTH both ways.  An end seals everything it sends after its
 * AUTH.  The client sends first.  Call handshake_free() however the handshake
 * ends.
 */
#pragma once

#include "session/dialogue.h"

/* Read the key, if this end has one, and choose a nonce. */
int handshake_begin(struct session *s);

/* Send this end's HELLO, or receive the peer's. */
int handshake_send_hello(struct session *s);
int handshake_take_hello(struct session *s);

/* Fail unless both ends have a key, or neither, and their nonces differ. */
int handshake_check(struct session *s);

/*
 * Send this end's proof and seal everything sent afterwards, or receive the
 * peer's, which must hold, and accept only sealed frames afterwards.  Do
 * nothing without keys.
 */
int handshake_send_proof(struct session *s);
int handshake_take_proof(struct session *s);

/* Forget the key and free the handshake; NULL is fine. */
void handshake_free(struct session *s);

/* The peer's HELLO, valid until handshake_free(). */
const struct hello *handshake_peer(const struct session *s);
