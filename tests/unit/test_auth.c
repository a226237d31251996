/* The proof of a key, what it holds for and what it does not, and the keys of
 * the seal. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "net/auth.h"

#define FILE_NAME "test_auth.key"

static const char secret[] = "a secret of many bytes";

/* What both ends know after HELLO. */
struct exchange {
	struct auth_key key;
	struct hello hellos[2];
	struct frame frames[2];	/* of the server, of the client */
};

static void encode(struct exchange *x)
{
	for (int client = 0; client < 2; client++) {
		frame_free(&x->frames[client]);
		x->frames[client] = encode_hello(&x->hellos[client]);
	}
}

static void begin(struct exchange *x)
{
	struct error err = { 0 };

	*x = (struct exchange){
		.hellos = { { "0.1.0", "one", true, { 0 } },
			    { "0.1.0", "two", true, { 0 } } },
	};
	assert_int_equal(auth_init(&err), 0);
	auth_derive(secret, strlen(secret), &x->key);
	for (int client = 0; client < 2; client++)
		auth_choose_nonce(x->hellos[client].nonce);
	encode(x);
}

static void end(struct exchange *x)
{
	frame_free(&x->frames[0]);
	frame_free(&x->frames[1]);
}

static struct transcript transcript_of(const struct exchange *x)
{
	return (struct transcript){ &x->key, &x->frames[1], &x->frames[0] };
}

static struct auth prove(const struct exchange *x, bool client)
{
	const struct transcript t = transcript_of(x);
	struct auth auth = { .stream = { 0x24, 0x25 } };

	auth_prove(&t, client, &auth);
	return auth;
}

static bool holds(const struct exchange *x, bool client,
		  const struct auth *auth)
{
	const struct transcript t = transcript_of(x);

	return auth_holds(&t, client, auth);
}

static struct auth_key seal_key(const struct exchange *x, bool client)
{
	const struct transcript t = transcript_of(x);
	struct auth_key key;

	auth_seal_key(&t, client, &key);
	return key;
}

TEST(test_the_right_key)
{
	struct exchange x;

	begin(&x);
	for (int client = 0; client < 2; client++) {
		struct auth auth = prove(&x, client);

		assert_true(holds(&x, client, &auth));
	}
	end(&x);
}

/* Of the proof, of the stream's header that it covers, and of the key. */
TEST(test_every_bit_counts)
{
	struct exchange x;
	struct auth auth;
	uint8_t *bytes = (uint8_t *)&auth;

	_Static_assert(sizeof(auth) == AUTH_PROOF_SIZE + AUTH_STREAM_SIZE,
		       "nothing but bytes that count");
	begin(&x);
	auth = prove(&x, true);
	for (size_t bit = 0; bit < 8 * sizeof(auth); bit++) {
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_false(holds(&x, true, &auth));
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	for (size_t bit = 0; bit < 8 * AUTH_KEY_SIZE; bit++) {
		x.key.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_false(holds(&x, true, &auth));
		x.key.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	assert_true(holds(&x, true, &auth));
	end(&x);
}

TEST(test_a_reflected_proof)
{
	struct exchange x;

	begin(&x);
	for (int client = 0; client < 2; client++) {
		struct auth auth = prove(&x, client);

		assert_false(holds(&x, !client, &auth));
	}
	end(&x);
}

/* The proof is recorded; next time the other end has another nonce. */
TEST(test_a_replayed_proof)
{
	struct exchange x;

	for (int client = 0; client < 2; client++) {
		struct auth auth;

		begin(&x);
		auth = prove(&x, client);
		auth_choose_nonce(x.hellos[!client].nonce);
		encode(&x);
		assert_false(holds(&x, client, &auth));
		end(&x);
	}
}

/* Call CHECK with FIRST, which was made of X, and with each byte of either
 * HELLO changed. */
static void change_each_byte(struct exchange *x, const void *first,
			     void (*check)(const struct exchange *x,
					   const void *first))
{
	for (int client = 0; client < 2; client++) {
		struct frame *frame = &x->frames[client];

		for (size_t i = 0; i < WIRE_HEADER_SIZE + frame->length; i++) {
			frame->bytes[i] ^= 1;
			check(x, first);
			frame->bytes[i] ^= 1;
		}
	}
}

static void check_does_not_hold(const struct exchange *x, const void *auth)
{
	assert_false(holds(x, true, auth));
}

/* Who stands between both changes any byte of either HELLO, or swaps them. */
TEST(test_a_hello_changed_on_its_way)
{
	struct exchange x;
	struct transcript swapped;
	struct auth auth;

	begin(&x);
	auth = prove(&x, true);
	change_each_byte(&x, &auth, check_does_not_hold);
	assert_true(holds(&x, true, &auth));
	swapped = (struct transcript){ &x.key, &x.frames[0], &x.frames[1] };
	assert_false(auth_holds(&swapped, true, &auth));
	end(&x);
}

/* A length moved from one frame to the other is no way, either. */
TEST(test_hellos_of_other_lengths)
{
	struct exchange x;
	struct auth auth;

	begin(&x);
	auth = prove(&x, true);
	strcpy(x.hellos[0].hostname, "on");
	strcpy(x.hellos[1].hostname, "etwo");
	encode(&x);
	assert_false(holds(&x, true, &auth));
	end(&x);
}

static void check_differ(const struct auth_key *a, const struct auth_key *b)
{
	assert_memory_not_equal(a->bytes, b->bytes, AUTH_KEY_SIZE);
}

/* Neither direction's key is the other's, nor a proof, nor the user's. */
TEST(test_keys_of_the_seal_differ)
{
	struct auth_key keys[2], again;
	struct exchange x;

	begin(&x);
	for (int client = 0; client < 2; client++) {
		keys[client] = seal_key(&x, client);
		again = seal_key(&x, client);
		assert_memory_equal(&keys[client], &again, sizeof(again));
		check_differ(&keys[client], &x.key);
		for (int of = 0; of < 2; of++) {
			struct auth auth = prove(&x, of);

			assert_memory_not_equal(keys[client].bytes, auth.proof,
						AUTH_KEY_SIZE);
		}
	}
	check_differ(&keys[0], &keys[1]);
	end(&x);
}

static void check_another_key(const struct exchange *x, const void *first)
{
	struct auth_key key = seal_key(x, true);

	check_differ(&key, first);
}

/* A byte of either HELLO, their order, or another key: all make others. */
TEST(test_keys_of_the_seal_are_of_one_connection)
{
	struct auth_key first, other;
	struct transcript swapped;
	struct exchange x;

	begin(&x);
	first = seal_key(&x, true);
	change_each_byte(&x, &first, check_another_key);
	swapped = (struct transcript){ &x.key, &x.frames[0], &x.frames[1] };
	auth_seal_key(&swapped, true, &other);
	check_differ(&first, &other);
	x.key.bytes[31] ^= 0x80;
	check_another_key(&x, &first);
	end(&x);
}

/*
 * As another program would compute it, from the comment in auth.h: the key
 * file has "a secret of many bytes"; HELLOs are of version 0.1.0, have a key
 * and come from client "two" with the nonce c1 c1 ..., from server "one" with
 * 5e 5e ...; both streams' headers are 24 24 ...
 */
TEST(test_what_is_written_down)
{
	static const uint8_t proofs[2][AUTH_PROOF_SIZE] = { {
		0xfd, 0x37, 0xe5, 0x07, 0x19, 0xeb, 0xe1, 0x46, 0x7d, 0x70,
		0xf1, 0x2f, 0x00, 0x9e, 0x5e, 0x06, 0x8d, 0xb8, 0x18, 0x93,
		0xaf, 0x21, 0x1e, 0xcd, 0x70, 0xd5, 0xbd, 0xb4, 0xcc, 0x81,
		0x73, 0x53,
	}, {
		0x01, 0x0c, 0xc3, 0x31, 0xe5, 0x57, 0xc3, 0x2c, 0xff, 0xf7,
		0xd6, 0x52, 0xe2, 0x69, 0xbd, 0xc4, 0x25, 0x53, 0x92, 0x2b,
		0xf3, 0x55, 0x29, 0x80, 0xfa, 0x2e, 0xb0, 0xae, 0x23, 0xdb,
		0x17, 0x45,
	} };
	static const uint8_t keys[2][AUTH_KEY_SIZE] = { {
		0x3b, 0x59, 0xe0, 0x1f, 0xeb, 0xc4, 0x8a, 0x44, 0x55, 0x66,
		0x4d, 0xfa, 0x83, 0x32, 0xda, 0xfd, 0x38, 0x37, 0x82, 0x57,
		0xf3, 0xb1, 0xcf, 0xe1, 0x75, 0xc7, 0xe2, 0x57, 0xf0, 0x31,
		0x97, 0x2e,
	}, {
		0x4b, 0x27, 0x4d, 0x2e, 0xc8, 0x70, 0x42, 0xc2, 0xb4, 0xba,
		0x90, 0x6f, 0xaa, 0x0c, 0xbb, 0xb2, 0xf0, 0xcb, 0xa0, 0x45,
		0x62, 0x0a, 0x4e, 0xa1, 0x61, 0x9e, 0xf9, 0xf1, 0x5d, 0x28,
		0x37, 0xa0,
	} };
	struct exchange x;

	begin(&x);
	memset(x.hellos[0].nonce, 0x5e, HELLO_NONCE_SIZE);
	memset(x.hellos[1].nonce, 0xc1, HELLO_NONCE_SIZE);
	encode(&x);
	for (int client = 0; client < 2; client++) {
		const struct transcript t = transcript_of(&x);
		struct auth_key key = seal_key(&x, client);
		struct auth auth;

		memset(auth.stream, 0x24, sizeof(auth.stream));
		auth_prove(&t, client, &auth);
		assert_memory_equal(auth.proof, proofs[client],
				    AUTH_PROOF_SIZE);
		assert_memory_equal(key.bytes, keys[client], AUTH_KEY_SIZE);
	}
	end(&x);
}

TEST(test_nonces_differ)
{
	uint8_t nonces[64][HELLO_NONCE_SIZE];

	for (size_t i = 0; i < COUNT(nonces); i++) {
		auth_choose_nonce(nonces[i]);
		for (size_t k = 0; k < i; k++)
			assert_memory_not_equal(nonces[i], nonces[k],
						HELLO_NONCE_SIZE);
	}
}

static void check_hellos(bool mine, bool theirs, const char *peer,
			 const char *message, const char *advice)
{
	struct hello a = { .has_key = mine, .nonce = { 1 } };
	struct hello b = { .has_key = theirs, .nonce = { 2 } };
	struct error err = { 0 };

	assert_int_equal(auth_check_hello(&a, &b, peer, &err),
			 message ? -EACCES : 0);
	if (!message)
		return;
	assert_message(&err, message);
	assert_contains(err.advice, advice);
}

TEST(test_one_end_without_a_key)
{
	check_hellos(false, false, "client", NULL, NULL);
	check_hellos(true, true, "server", NULL, NULL);
	check_hellos(true, false, "client",
		     "this server requires a key, the client has none",
		     "--key-file");
	check_hellos(false, true, "client",
		     "the client requires a key, this server has none",
		     "start the server with the same --key-file");
	check_hellos(true, false, "server",
		     "this client requires a key, the server has none",
		     "leave --key-file out");
	check_hellos(false, true, "server",
		     "the server requires a key, this client has none",
		     "--key-file");
}

TEST(test_a_reflected_hello)
{
	struct hello hello = { "0.1.0", "one", true, { 7 } };
	struct error err = { 0 };

	for (int key = 0; key < 2; key++) {
		hello.has_key = key;
		error_clear(&err);
		assert_int_equal(auth_check_hello(&hello, &hello, "server",
						  &err), -EACCES);
		assert_message(&err,
			       "the server sent the nonce of this end back");
	}
}

static void write_file(const void *data, size_t size, mode_t mode)
{
	int fd = open(FILE_NAME, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		      0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void check_key(const void *data, size_t size, const void *wanted,
		      size_t wanted_size)
{
	struct auth_key key = { { 0 } }, expected;
	struct error err = { 0 };

	write_file(data, size, 0600);
	assert_int_equal(key_file_read(FILE_NAME, &key, &err), 0);
	auth_derive(wanted, wanted_size, &expected);
	assert_memory_equal(&key, &expected, sizeof(key));
	assert_int_equal(key_file_check(FILE_NAME, &err), 0);
}

static void check_refused(const char *path, int ret, const char *fragment)
{
	struct auth_key key = { { 0 } }, zero = { { 0 } };
	struct error err = { 0 };

	assert_int_equal(key_file_read(path, &key, &err), ret);
	assert_contains(err.message, fragment);
	assert_memory_equal(&key, &zero, sizeof(key));
	error_clear(&err);
	assert_int_equal(key_file_check(path, &err), ret);
}

TEST(test_key_files)
{
	char text[KEY_FILE_MOST + 2];

	memset(text, 'k', sizeof(text));
	check_key(text, KEY_FILE_LEAST, text, KEY_FILE_LEAST);
	check_key(text, KEY_FILE_MOST, text, KEY_FILE_MOST);
	text[KEY_FILE_MOST] = '\n';
	check_key(text, KEY_FILE_MOST + 1, text, KEY_FILE_MOST);
	/* one newline, and any other byte */
	memset(text, 0, sizeof(text));
	text[20] = text[21] = '\n';
	check_key(text, 22, text, 21);
	unlink(FILE_NAME);
}

TEST(test_keys_that_are_too_short_or_too_long)
{
	char text[KEY_FILE_MOST + 2];

	memset(text, 'k', sizeof(text));
	text[15] = '\n';
	write_file(text, 16, 0600);
	check_refused(FILE_NAME, -EINVAL,
		      "a key has 16 to 4096 bytes, this one has 15");
	write_file(text, 0, 0600);
	check_refused(FILE_NAME, -EINVAL, "this one has 0");
	write_file(text, KEY_FILE_MOST + 1, 0600);
	check_refused(FILE_NAME, -EINVAL, "this one has over 4096");
	text[KEY_FILE_MOST + 1] = '\n';
	write_file(text, KEY_FILE_MOST + 2, 0600);
	check_refused(FILE_NAME, -EINVAL, "this one has over 4096");
	unlink(FILE_NAME);
}

TEST(test_files_that_cannot_be_keys)
{
	struct error err = { 0 };

	assert_int_equal(key_file_check(NULL, &err), 0);
	check_refused("no/such.key", -ENOENT,
		      "--key-file no/such.key: No such file or directory");
	check_refused("/", -EINVAL, "--key-file /: is not a regular file");
	check_refused("/dev/zero", -EINVAL, "is not a regular file");
	assert_int_equal(mkfifo(FILE_NAME, 0600), 0);
	check_refused(FILE_NAME, -EINVAL, "is not a regular file");
	unlink(FILE_NAME);
}

TEST(test_who_may_read_a_key_file)
{
	static const mode_t bad[] = { 0604, 0602, 0601, 0644, 0666 };
	static const mode_t writable[] = { 0620, 0660, 0420, 0470 };
	static const mode_t good[] = { 0600, 0400, 0440, 0640 };
	struct auth_key key;
	struct error err = { 0 };

	for (size_t i = 0; i < COUNT(bad); i++) {
		write_file(secret, sizeof(secret), bad[i]);
		check_refused(FILE_NAME, -EPERM, "is open to everybody");
	}
	for (size_t i = 0; i < COUNT(writable); i++) {
		write_file(secret, sizeof(secret), writable[i]);
		check_refused(FILE_NAME, -EPERM, "its group can write it");
	}
	for (size_t i = 0; i < COUNT(good); i++) {
		unlink(FILE_NAME);
		write_file(secret, sizeof(secret), good[i]);
		assert_int_equal(key_file_read(FILE_NAME, &key, &err), 0);
	}
	unlink(FILE_NAME);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_the_right_key),
	cmocka_unit_test(test_every_bit_counts),
	cmocka_unit_test(test_a_reflected_proof),
	cmocka_unit_test(test_a_replayed_proof),
	cmocka_unit_test(test_a_hello_changed_on_its_way),
	cmocka_unit_test(test_hellos_of_other_lengths),
	cmocka_unit_test(test_keys_of_the_seal_differ),
	cmocka_unit_test(test_keys_of_the_seal_are_of_one_connection),
	cmocka_unit_test(test_what_is_written_down),
	cmocka_unit_test(test_nonces_differ),
	cmocka_unit_test(test_one_end_without_a_key),
	cmocka_unit_test(test_a_reflected_hello),
	cmocka_unit_test(test_key_files),
	cmocka_unit_test(test_keys_that_are_too_short_or_too_long),
	cmocka_unit_test(test_files_that_cannot_be_keys),
	cmocka_unit_test(test_who_may_read_a_key_file),
};

TEST_MAIN(tests, 30)
