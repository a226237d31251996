/* The proof of a key: what it holds for, and what it does not. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "control/auth.h"
#include "control/key_file.h"

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
		encode_hello(&x->frames[client], &x->hellos[client]);
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

static void prove(const struct exchange *x, bool client,
		  uint8_t proof[AUTH_PROOF_SIZE])
{
	auth_prove(&x->key, client, &x->frames[1], &x->frames[0], proof);
}

static bool holds(const struct exchange *x, bool client,
		  const uint8_t proof[AUTH_PROOF_SIZE])
{
	return auth_holds(&x->key, client, &x->frames[1], &x->frames[0],
			  proof);
}

TEST(test_the_right_key)
{
	uint8_t proof[AUTH_PROOF_SIZE];
	struct exchange x;

	begin(&x);
	for (int client = 0; client < 2; client++) {
		prove(&x, client, proof);
		assert_true(holds(&x, client, proof));
	}
	end(&x);
}

TEST(test_every_bit_counts)
{
	uint8_t proof[AUTH_PROOF_SIZE];
	struct exchange x;

	begin(&x);
	prove(&x, true, proof);
	for (size_t bit = 0; bit < 8 * sizeof(proof); bit++) {
		proof[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_false(holds(&x, true, proof));
		proof[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	for (size_t bit = 0; bit < 8 * AUTH_KEY_SIZE; bit++) {
		x.key.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_false(holds(&x, true, proof));
		x.key.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	assert_true(holds(&x, true, proof));
	end(&x);
}

TEST(test_a_reflected_proof)
{
	uint8_t proof[AUTH_PROOF_SIZE];
	struct exchange x;

	begin(&x);
	for (int client = 0; client < 2; client++) {
		prove(&x, client, proof);
		assert_false(holds(&x, !client, proof));
	}
	end(&x);
}

/* The proof is recorded; next time the other end has another nonce. */
TEST(test_a_replayed_proof)
{
	uint8_t proof[AUTH_PROOF_SIZE];
	struct exchange x;

	for (int client = 0; client < 2; client++) {
		begin(&x);
		prove(&x, client, proof);
		auth_choose_nonce(x.hellos[!client].nonce);
		encode(&x);
		assert_false(holds(&x, client, proof));
		end(&x);
	}
}

/* Who stands between both changes any byte of either HELLO, or swaps them. */
TEST(test_a_hello_changed_on_its_way)
{
	uint8_t proof[AUTH_PROOF_SIZE];
	struct exchange x;

	begin(&x);
	prove(&x, true, proof);
	for (int client = 0; client < 2; client++) {
		struct frame *frame = &x.frames[client];

		for (size_t i = 0; i < WIRE_HEADER_SIZE + frame->length; i++) {
			frame->bytes[i] ^= 1;
			assert_false(holds(&x, true, proof));
			frame->bytes[i] ^= 1;
		}
	}
	assert_true(holds(&x, true, proof));
	assert_false(auth_holds(&x.key, true, &x.frames[0], &x.frames[1],
				proof));
	end(&x);
}

/* A length moved from one frame to the other is no way, either. */
TEST(test_hellos_of_other_lengths)
{
	uint8_t proof[AUTH_PROOF_SIZE];
	struct exchange x;

	begin(&x);
	prove(&x, true, proof);
	strcpy(x.hellos[0].hostname, "on");
	strcpy(x.hellos[1].hostname, "etwo");
	encode(&x);
	assert_false(holds(&x, true, proof));
	end(&x);
}

/* As another program would compute it, from the comment in auth.h. */
TEST(test_proof_that_is_written_down)
{
	static const uint8_t wanted[AUTH_PROOF_SIZE] = {
		0x63, 0xc2, 0x04, 0x2d, 0xf6, 0xa3, 0xb7, 0x68, 0x88, 0x51,
		0xfa, 0x9d, 0x15, 0x7e, 0x69, 0xf4, 0x42, 0xaa, 0x9d, 0x32,
		0x1c, 0xc0, 0x9b, 0xd1, 0x83, 0x32, 0xef, 0x6f, 0xe8, 0x80,
		0x35, 0x8a,
	};
	struct exchange x;
	uint8_t proof[AUTH_PROOF_SIZE];

	begin(&x);
	memset(x.hellos[0].nonce, 0x5e, HELLO_NONCE_SIZE);
	memset(x.hellos[1].nonce, 0xc1, HELLO_NONCE_SIZE);
	encode(&x);
	prove(&x, true, proof);
	assert_memory_equal(proof, wanted, sizeof(wanted));
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
		     "this server wants a key, the client has none",
		     "--key-file");
	check_hellos(false, true, "client",
		     "the client wants a key, this server has none",
		     "start the server with the same --key-file");
	check_hellos(true, false, "server",
		     "this client wants a key, the server has none",
		     "leave --key-file out");
	check_hellos(false, true, "server",
		     "the server wants a key, this client has none",
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
			       "the server sent this end's own nonce back");
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
	static const mode_t good[] = { 0600, 0400, 0440, 0660 };
	struct auth_key key;
	struct error err = { 0 };

	for (size_t i = 0; i < COUNT(bad); i++) {
		write_file(secret, sizeof(secret), bad[i]);
		check_refused(FILE_NAME, -EPERM, "is open to everybody");
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
	cmocka_unit_test(test_proof_that_is_written_down),
	cmocka_unit_test(test_nonces_differ),
	cmocka_unit_test(test_one_end_without_a_key),
	cmocka_unit_test(test_a_reflected_hello),
	cmocka_unit_test(test_key_files),
	cmocka_unit_test(test_keys_that_are_too_short_or_too_long),
	cmocka_unit_test(test_files_that_cannot_be_keys),
	cmocka_unit_test(test_who_may_read_a_key_file),
};

TEST_MAIN(tests, 30)
