/*
 * The proof that both ends have one key, without showing it.  Each HELLO has a
 * nonce; a proof is a MAC, under a key made from that of the user, over who
 * proves and both HELLO frames as they were sent:
 *
 *	BLAKE2b-256(key, "verbsperf client" or "verbsperf server",
 *		    client's HELLO, server's HELLO)
 *	key = BLAKE2b-256(what is in the key file)
 *
 * An old proof is of old nonces, one's own proof is of the wrong role, and who
 * changes a HELLO on its way changes what must be proved.  No input or output
 * here, and nothing is kept.
 */
#ifndef CONTROL_AUTH_H
#define CONTROL_AUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "control/frames.h"
#include "control/wire.h"

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

/* The PROOF of the client, or of the server, for the HELLOs of both. */
void auth_prove(const struct auth_key *key, bool client,
		const struct frame *client_hello,
		const struct frame *server_hello,
		uint8_t proof[AUTH_PROOF_SIZE]);

/* Is PROOF what auth_prove() makes of the same?  Takes as long for any. */
bool auth_holds(const struct auth_key *key, bool client,
		const struct frame *client_hello,
		const struct frame *server_hello,
		const uint8_t proof[AUTH_PROOF_SIZE]);

#endif
