/*
 * The beginning of a session, at either end: HELLO both ways and, when both
 * ends have a key, AUTH both ways.  An end seals everything it sends after its
 * AUTH.
 */
#pragma once

#include "session/dialogue.h"

/* Read the key, if this end has one, and exchange HELLOs. */
int handshake_greet(struct session *s);

/*
 * Fail unless both ends have a key, or neither, and their nonces differ; then
 * prove the keys, the client first: a server tells strangers nothing.  Frees
 * the handshake.
 */
int handshake_authenticate(struct session *s);

/* Forget the key and free the handshake; NULL is fine. */
void handshake_free(struct session *s);
