/* Proves the possession of a key to the peer, and derives the keys that seal
 * later frames. */
#include "config.h"
#include "net/auth.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
	holds = !sodium_memcmp(wanted.proof, auth->proof, sizeof(wanted.proof));
	sodium_memzero(&wanted, sizeof(wanted));
	return holds;
}

void auth_seal_key(const struct transcript *transcript, bool client,
		   struct auth_key *key)
{
	derive(transcript, client ? "client to server" : "server to client",
	       NULL, key->bytes);
}

/* Anyone who can read or change the key can use the server: only the owner may
 * write it, and only the owner and the group may read it. */
static int check_access(const char *path, const struct stat *stat,
			struct error *err)
{
	unsigned int mode = stat->st_mode & 0777;

	if (stat->st_uid != geteuid() && stat->st_uid != 0)
		return fail(err, -EPERM, "use a key of your own, or of root",
			    "--key-file %s: belongs to another user (%u)",
			    path, (unsigned int)stat->st_uid);
	if (mode & S_IRWXO)
		return fail(err, -EPERM,
			    "chmod 600 it, or make a new key if others may "
			    "have read it",
			    "--key-file %s: is open to everybody on this host "
			    "(mode %03o)", path, mode);
	if (mode & S_IWGRP)
		return fail(err, -EPERM, "chmod g-w it",
			    "--key-file %s: its group can write it (mode "
			    "%03o)", path, mode);
	return 0;
}

static int check_file(const char *path, int fd, struct error *err)
{
	struct stat stat;

	if (fstat(fd, &stat))
		return fail_errno(err, errno, NULL, "--key-file %s", path);
	if (!S_ISREG(stat.st_mode))
		return fail(err, -EINVAL, NULL,
			    "--key-file %s: is not a regular file", path);
	return check_access(path, &stat, err);
}

/* Read the whole file, or as much of it as fits. */
static ssize_t read_all(int fd, char *text, size_t size)
{
	size_t got = 0;

	while (got < size) {
		ssize_t n = read(fd, text + got, size - got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

static int take(const char *path, const char *text, size_t size,
		struct auth_key *key, struct error *err)
{
	if (size && text[size - 1] == '\n')
		size--;
	if (size >= KEY_FILE_LEAST && size <= KEY_FILE_MOST) {
		auth_derive(text, size, key);
		return 0;
	}
	return fail(err, -EINVAL,
		    "make one: (umask 077; head -c 32 /dev/urandom | base64 > "
		    "FILE)",
		    "--key-file %s: a key has %d to %d bytes, this one has "
		    "%s%zu", path, KEY_FILE_LEAST, KEY_FILE_MOST,
		    size > KEY_FILE_MOST ? "over " : "",
		    size > KEY_FILE_MOST ? (size_t)KEY_FILE_MOST : size);
}

int key_file_read(const char *path, struct auth_key *key, struct error *err)
{
	/* one byte more than the longest key and a newline */
	char text[KEY_FILE_MOST + 2];
	/* non-blocking, because a FIFO would wait for a writer */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int ret;
	ssize_t got;

	if (fd < 0)
		return fail_errno(err, errno, NULL, "--key-file %s", path);
	ret = check_file(path, fd, err);
	if (!ret) {
		got = read_all(fd, text, sizeof(text));
		ret = got < 0 ? fail(err, (int)got, NULL, "--key-file %s: %s",
				     path, strerror((int)-got)) :
				take(path, text, (size_t)got, key, err);
		sodium_memzero(text, sizeof(text));
	}
	close(fd);
	return ret;
}

int key_file_check(const char *path, struct error *err)
{
	struct auth_key key;
	int ret = path ? auth_init(err) : 0;

	if (ret || !path)
		return ret;
	ret = key_file_read(path, &key, err);
	sodium_memzero(&key, sizeof(key));
	return ret;
}
