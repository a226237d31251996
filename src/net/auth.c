#include "config.h"
#include "net/auth.h"

#include <errno.h>
#include <sodium.h>
#include <string.h>

#define PURPOSE_SIZE 16
#define DERIVED_SIZE 32

_Static_assert(AUTH_PROOF_SIZE == DERIVED_SIZE && AUTH_KEY_SIZE == DERIVED_SIZE,
	       "what derive() makes");

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
			    is_server ? "start the server with the same key, "
					"or leave --key-file out here" :
					"give --key-file to the client, too",
			    "this %s requires a key, the %s has none",
			    end, peer);
	return fail(err, -EACCES,
		    is_server ? "give the same key here with --key-file" :
				"start the server with the same --key-file",
		    "the %s requires a key, this %s has none", peer, end);
}

int auth_check_hello(const struct hello *mine, const struct hello *theirs,
		     const char *peer, struct error *err)
{
	if (mine->has_key != theirs->has_key)
		return refuse_unequal(mine, peer, err);
	if (sodium_memcmp(mine->nonce, theirs->nonce, HELLO_NONCE_SIZE))
		return 0;
	return fail(err, -EACCES, NULL,
		    "the %s sent the nonce of this end back", peer);
}

static void add_frame(crypto_generichash_state *state,
		      const struct frame *frame)
{
	crypto_generichash_update(state, frame->bytes,
				  WIRE_HEADER_SIZE + frame->length);
}

/* 32 bytes for PURPOSE (16 bytes); MORE is a stream's header, or NULL. */
static void derive(const struct transcript *t, const char *purpose,
		   const uint8_t *more, uint8_t *out)
{
	crypto_generichash_state state;

	crypto_generichash_init(&state, t->key->bytes, sizeof(t->key->bytes),
				DERIVED_SIZE);
	crypto_generichash_update(&state, (const uint8_t *)purpose,
				  PURPOSE_SIZE);
	add_frame(&state, t->client_hello);
	add_frame(&state, t->server_hello);
	if (more)
		crypto_generichash_update(&state, more, AUTH_STREAM_SIZE);
	crypto_generichash_final(&state, out, DERIVED_SIZE);
	sodium_memzero(&state, sizeof(state));
}

void auth_prove(const struct transcript *transcript, bool client,
		struct auth *auth)
{
	derive(transcript, client ? "verbsperf client" : "verbsperf server",
	       auth->stream, auth->proof);
}

bool auth_holds(const struct transcript *transcript, bool client,
		const struct auth *auth)
{
	struct auth wanted = *auth;
	bool holds;

	auth_prove(transcript, client, &wanted);
	holds = !sodium_memcmp(wanted.proof, auth->proof,
			       sizeof(wanted.proof));
	sodium_memzero(&wanted, sizeof(wanted));
	return holds;
}

void auth_seal_key(const struct transcript *transcript, bool client,
		   struct auth_key *key)
{
	derive(transcript, client ? "client to server" : "server to client",
	       NULL, key->bytes);
}
