/*
 * The proof that both ends have one key, without showing it, and the keys that
 * seal what follows (seal.h).  All are a MAC, under a key made from that of the
 * user, over 16 bytes that say what it is for and both HELLO frames as they
 * were sent, header and payload; a proof also covers the header of the stream
 * that is sent with it:
 *
 *	key = BLAKE2b-256(what is in the key file)
 *	proof of the client = BLAKE2b-256(key, "verbsperf client",
 *		client's HELLO, server's HELLO, client's stream header)
 *	proof of the server = BLAKE2b-256(key, "verbsperf server",
 *		client's HELLO, server's HELLO, server's stream header)
 *	key of what the client seals = BLAKE2b-256(key, "client to server",
 *		client's HELLO, server's HELLO)
 *	key of what the server seals = BLAKE2b-256(key, "server to client",
 *		client's HELLO, server's HELLO)
 *
 * Each HELLO has a nonce, so an old proof does not hold and no two connections
 * seal with the same key.  One's own proof is of the wrong role, one's own
 * sealed frame of the wrong direction.  Who changes a HELLO on its way changes
 * what must be proved.  (tests/unit/test_auth.c has an example in bytes.)  No
 * input or output here, and nothing is kept.
 */
#ifndef NET_AUTH_H
#define NET_AUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "net/frames.h"
#include "net/wire.h"

#define AUTH_KEY_SIZE 32

struct auth_key {
	uint8_t bytes[AUTH_KEY_SIZE];
};

/* Must come before all below, any number of times, from any thread.  Returns 0
 * or -EIO. */
int auth_init(struct error *err);

/* NONCE becomes random. */
void auth_choose_nonce(uint8_t nonce[HELLO_NONCE_SIZE]);

/* KEY from the SIZE bytes of SECRET, as they are in a key file. */
void auth_derive(const void *secret, size_t size, struct auth_key *key);

/* Overwrite SIZE bytes of DATA, which nobody will read. */
void auth_wipe(void *data, size_t size);

/*
 * May these two go on: both have a key or neither, and their nonces differ.
 * PEER is "client" or "server", whose HELLO is THEIRS.  Returns 0, or -EACCES
 * with what to do in ERR.
 */
int auth_check_hello(const struct hello *mine, const struct hello *theirs,
		     const char *peer, struct error *err);

/* What both ends know after HELLO. */
struct transcript {
	const struct auth_key *key;
	const struct frame *client_hello, *server_hello;
};

/* auth->proof of the client, or of the server, who sends auth->stream. */
void auth_prove(const struct transcript *transcript, bool client,
		struct auth *auth);

/* Is auth->proof what auth_prove() makes of the same?  Takes as long for
 * any. */
bool auth_holds(const struct transcript *transcript, bool client,
		const struct auth *auth);

/* KEY is for what the client sends, or the server; auth_wipe() it. */
void auth_seal_key(const struct transcript *transcript, bool client,
		   struct auth_key *key);

#endif
