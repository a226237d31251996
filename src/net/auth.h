/*
 * Proves that both ends have the same key without revealing it, and derives the
 * keys that seal later frames (seal.h).  Each proof and each derived key is a
 * MAC, under a key made from the user's, over 16 bytes that name its purpose
 * and both HELLO frames as sent, header and payload.  A proof also covers the
 * stream header sent with it:
 *
 *	key = BLAKE2b-256(contents of the key file)
 *	proof of the client = BLAKE2b-256(key, "verbsperf client",
 *		client's HELLO, server's HELLO, client's stream header)
 *	proof of the server = BLAKE2b-256(key, "verbsperf server",
 *		client's HELLO, server's HELLO, server's stream header)
 *	key for what the client seals = BLAKE2b-256(key, "client to server",
 *		client's HELLO, server's HELLO)
 *	key for what the server seals = BLAKE2b-256(key, "server to client",
 *		client's HELLO, server's HELLO)
 *
 * Each HELLO has a nonce, so an old proof does not hold and no two connections
 * seal with the same key.  Sending an end its own proof back fails, because the
 * role is wrong, and so does its own sealed frame, because the direction is.
 * Changing a HELLO on its way changes what must be proved.
 * (tests/unit/test_auth.c has an example in bytes.)  Reads the file that
 * --key-file names, does no other input or output, and keeps nothing.
 */
#pragma once

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

/* Call before all functions below; any number of times, from any thread.
 * Returns 0 or -EIO. */
int auth_init(struct error *err);

/* Fill NONCE with random bytes. */
void auth_choose_nonce(uint8_t nonce[HELLO_NONCE_SIZE]);

/* Derive KEY from SECRET, the SIZE bytes of a key file. */
void auth_derive(const void *secret, size_t size, struct auth_key *key);

/*
 * Do both ends have a key, or neither, and do their nonces differ?  PEER is
 * "client" or "server" and sent THEIRS.  Returns 0, or -EACCES with advice in
 * ERR.
 */
int auth_check_hello(const struct hello *mine, const struct hello *theirs,
		     const char *peer, struct error *err);

/* What both ends know after HELLO. */
struct transcript {
	const struct auth_key *key;
	const struct frame *client_hello, *server_hello;
};

/* Compute auth->proof of the client, or of the server, for auth->stream. */
void auth_prove(const struct transcript *transcript, bool client,
		struct auth *auth);

/* Does auth->proof match the proof auth_prove() computes?  Constant time. */
bool auth_holds(const struct transcript *transcript, bool client,
		const struct auth *auth);

/* KEY becomes the key for what the client, or the server, sends;
 * sodium_memzero() it. */
void auth_seal_key(const struct transcript *transcript, bool client,
		   struct auth_key *key);

/* Bytes of the key in the file, without a final newline. */
#define KEY_FILE_LEAST 16
#define KEY_FILE_MOST 4096

/*
 * Read KEY from PATH, a regular file of 16 to 4,096 bytes plus an optional
 * final newline.  This user or root must own the file, only the owner may write
 * it, and only the owner and the group may read it: a key everybody on a host
 * can read proves nothing, while several users can share one through a group.
 * Call auth_init() first and sodium_memzero() KEY after use.  Returns 0, or
 * a negative errno with the reason in ERR.
 */
int key_file_read(const char *path, struct auth_key *key, struct error *err);

/* Call auth_init() and read PATH only to report errors; NULL is fine. */
int key_file_check(const char *path, struct error *err);
