#include "config.h"
#include "control/auth.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>

#define ROLE_SIZE 16

int auth_init(struct error *err)
{
	if (sodium_init() >= 0)
		return 0;
	return fail(err, -EIO, NULL, "libsodium cannot be used here");
}

void auth_choose_nonce(uint8_t nonce[HELLO_NONCE_SIZE])
{
	randombytes_buf(nonce, HELLO_NONCE_SIZE);
}

void auth_derive(const void *secret, size_t size, struct auth_key *key)
{
	crypto_generichash(key->bytes, sizeof(key->bytes), secret, size, NULL,
			   0);
}

void auth_wipe(void *data, size_t size)
{
	sodium_memzero(data, size);
}

static int refuse_unequal(const struct hello *mine, const char *peer,
			  struct error *err)
{
	bool is_server = !strcmp(peer, "server");
	const char *end = is_server ? "client" : "server";

	if (mine->has_key)
		return fail(err, -EACCES,
			    is_server ? "start the server with the same key, or "
					"leave --key-file out here" :
					"give --key-file to the client, too",
			    "this %s wants a key, the %s has none", end, peer);
	return fail(err, -EACCES,
		    is_server ? "give the same key here with --key-file" :
				"start the server with the same --key-file",
		    "the %s wants a key, this %s has none", peer, end);
}

int auth_check_hello(const struct hello *mine, const struct hello *theirs,
		     const char *peer, struct error *err)
{
	if (mine->has_key != theirs->has_key)
		return refuse_unequal(mine, peer, err);
	if (sodium_memcmp(mine->nonce, theirs->nonce, HELLO_NONCE_SIZE))
		return 0;
	return fail(err, -EACCES, NULL,
		    "the %s sent this end's own nonce back", peer);
}

static void add_frame(crypto_generichash_state *state,
		      const struct frame *frame)
{
	crypto_generichash_update(state, frame->bytes,
				  WIRE_HEADER_SIZE + frame->length);
}

void auth_prove(const struct auth_key *key, bool client,
		const struct frame *client_hello,
		const struct frame *server_hello,
		uint8_t proof[AUTH_PROOF_SIZE])
{
	const char *role = client ? "verbsperf client" : "verbsperf server";
	crypto_generichash_state state;

	crypto_generichash_init(&state, key->bytes, sizeof(key->bytes),
				AUTH_PROOF_SIZE);
	crypto_generichash_update(&state, (const uint8_t *)role, ROLE_SIZE);
	add_frame(&state, client_hello);
	add_frame(&state, server_hello);
	crypto_generichash_final(&state, proof, AUTH_PROOF_SIZE);
	sodium_memzero(&state, sizeof(state));
}

bool auth_holds(const struct auth_key *key, bool client,
		const struct frame *client_hello,
		const struct frame *server_hello,
		const uint8_t proof[AUTH_PROOF_SIZE])
{
	uint8_t wanted[AUTH_PROOF_SIZE];
	bool holds;

	auth_prove(key, client, client_hello, server_hello, wanted);
	holds = !sodium_memcmp(wanted, proof, sizeof(wanted));
	sodium_memzero(wanted, sizeof(wanted));
	return holds;
}
