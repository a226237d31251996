/* The first steps of both ends: HELLO, and AUTH where there is a key. */
#include "config.h"
#include "session/handshake.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "net/auth.h"
#include "net/frames.h"
#include "net/seal.h"

struct handshake {
	struct auth_key key;
	struct hello mine, theirs;
	struct frame sent, got;		/* both HELLOs; no bytes: not yet */
	bool welcome;		/* the peer has proved the key, or needs none */
};

/* A server does not tell its client the path of its key file. */
static int read_key(struct session *s, struct auth_key *key)
{
	const char *path = s->run.result->params.key_file;
	struct error mine = { 0 };
	int ret;

	if (s->run.client)
		return key_file_read(path, key, session_error(s));
	ret = key_file_read(path, key, &mine);
	if (!ret)
		return 0;
	log_error(&mine);
	return fail(session_error(s), ret, NULL,
		    "this server cannot read its key");
}

/* Read the key, if this end has one, and choose a nonce. */
static int begin(struct session *s)
{
	struct handshake *h = xcalloc(1, sizeof(*h));
	int ret = auth_init(session_error(s));

	s->handshake = h;
	h->mine = (struct hello){ .version = PACKAGE_VERSION };
	gethostname(h->mine.hostname, sizeof(h->mine.hostname) - 1);
	if (ret)
		return ret;
	auth_choose_nonce(h->mine.nonce);
	h->mine.has_key = s->run.result->params.key_file != NULL;
	return h->mine.has_key ? read_key(s, &h->key) : 0;
}

static int send_hello(struct session *s)
{
	struct handshake *h = s->handshake;

	/* encoded twice, because session_send() frees its frame */
	h->sent = encode_hello(&h->mine);
	return session_send(s, encode_hello(&h->mine));
}

static int take_hello(struct session *s)
{
	struct handshake *h = s->handshake;
	struct error *err = session_error(s);
	int ret = session_expect(s, FRAME_HELLO, &h->got);

	if (ret == -ETIMEDOUT && s->run.client)
		snprintf(err->advice, sizeof(err->advice), "check that what "
			 "listens on TCP port %u there is 'verbsperf serve', "
			 "and not stopped; --timeout waits longer",
			 s->run.result->params.port);
	return ret ?: decode_hello(&h->got, &h->theirs, err);
}

int handshake_greet(struct session *s)
{
	session_stage(s, "hello");
	return begin(s) ?: session_swap(s, send_hello, take_hello);
}

static const struct frame *hello_of(const struct session *s, bool client)
{
	const struct handshake *h = s->handshake;

	return s->run.client == client ? &h->sent : &h->got;
}

static struct transcript transcript_of(const struct session *s)
{
	return (struct transcript){
		.key = &s->handshake->key,
		.client_hello = hello_of(s, true),
		.server_hello = hello_of(s, false),
	};
}

/* Send this end's proof, and seal everything sent afterwards; nothing without
 * keys. */
static int send_proof(struct session *s)
{
	const struct transcript transcript = transcript_of(s);
	struct auth_key key;
	struct auth auth;
	struct seal *seal;
	int ret;

	if (!s->handshake->mine.has_key)
		return 0;
	auth_seal_key(&transcript, s->run.client, &key);
	seal = seal_outgoing(&key, auth.stream);
	sodium_memzero(&key, sizeof(key));
	auth_prove(&transcript, s->run.client, &auth);
	ret = session_send(s, encode_auth(&auth));
	s->run.conn->seal_out = seal;
	return ret;
}

/* Receive the peer's proof, which must hold, and accept only sealed frames
 * afterwards. */
static int receive_proof(struct session *s)
{
	const struct transcript transcript = transcript_of(s);
	struct error *err = session_error(s);
	struct auth_key key;
	struct auth auth;
	struct frame frame = { 0 };
	int ret;

	ret = session_expect(s, FRAME_AUTH, &frame) ?:
	      decode_auth(&frame, &auth, err);
	frame_free(&frame);
	if (ret)
		return ret;
	if (!auth_holds(&transcript, !s->run.client, &auth))
		return fail(err, -EACCES,
			    "give --key-file the same key on both ends",
			    "the keys of client and server differ");
	auth_seal_key(&transcript, !s->run.client, &key);
	s->run.conn->seal_in = seal_incoming(&key, auth.stream);
	sodium_memzero(&key, sizeof(key));
	return 0;
}

static int take_proof(struct session *s)
{
	int ret = s->handshake->mine.has_key ? receive_proof(s) : 0;

	s->handshake->welcome = !ret;
	return ret;
}

/* Log each client, whether it is served or not. */
static void log_client(const struct handshake *h)
{
	const char *key = h->theirs.has_key ? ", and has proved the key" :
					      ", without a key";

	log_info("this is %s, with verbsperf %s%s", h->theirs.hostname,
		 h->theirs.version, h->welcome ? key : "");
}

int handshake_authenticate(struct session *s)
{
	struct handshake *h = s->handshake;
	int ret;

	session_stage(s, "key");
	ret = auth_check_hello(&h->mine, &h->theirs, s->run.conn->peer,
			       session_error(s)) ?:
	      session_swap(s, send_proof, take_proof);
	if (!s->run.client)
		log_client(h);
	handshake_free(s);
	return ret;
}

void handshake_free(struct session *s)
{
	struct handshake *h = s->handshake;

	if (!h)
		return;
	frame_free(&h->sent);
	frame_free(&h->got);
	sodium_memzero(h, sizeof(*h));
	free(h);
	s->handshake = NULL;
}
