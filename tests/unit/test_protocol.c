/*
 * What two builds must agree on, beside the number that says whether they do.
 */
#include "config.h"
#include "test.h"

#include <sodium.h>

#include "model/param.h"
#include "samples.h"

#define DIGEST_BYTES 16
#define DIGEST_TEXT (2 * DIGEST_BYTES + 1)

/*
 * For each protocol number a digest of what its builds speak.  Rows are frozen:
 * a change needs another WIRE_PROTOCOL and a row of its own.  Only row 5 may
 * still get another digest, until the changes that share the number have landed.
 */
static const struct {
	unsigned int protocol;
	const char *digest;
} protocols[] = {
	{ 5, "9977de27da55e6733cefbc3e0ed7ea1b" },
};

static void add_text(crypto_generichash_state *h, const char *text)
{
	crypto_generichash_update(h, (const uint8_t *)text, strlen(text) + 1);
}

static void add_number(crypto_generichash_state *h, uint64_t n)
{
	uint8_t raw[8];

	for (int i = 0; i < 8; i++)
		raw[i] = (uint8_t)(n >> (8 * i));
	crypto_generichash_update(h, raw, sizeof(raw));
}

/* Numbers, names and limits of the frames, and the bytes of one of each. */
static void add_frames(crypto_generichash_state *h)
{
#define X(name, type, limit) \
	add_text(h, #name); \
	add_number(h, type); \
	add_number(h, limit);
	FRAME_LIST(X)
#undef X
	for (size_t i = 0; i < n_samples; i++)
		crypto_generichash_update(h, samples[i].bytes,
					  samples[i].size);
}

/* The parameters of PLAN, and what its small numbers stand for. */
static void add_plan(crypto_generichash_state *h)
{
	for (size_t i = 0; i < param_count; i++) {
		const struct param *row = &param_table[i];

		if (!(row->who & PARAM_PLAN))
			continue;
		add_number(h, row->id);
		add_number(h, row->kind);
		add_text(h, row->name);
		if (row->kind == PARAM_CHOICE)
			add_text(h, row->argument);
	}
	for (int op = 0; op < OP_COUNT; op++)
		add_text(h, op_table[op].name);
}

static void digest_of_this_build(char text[DIGEST_TEXT])
{
	uint8_t digest[DIGEST_BYTES];
	crypto_generichash_state h;

	assert_true(sodium_init() >= 0);
	crypto_generichash_init(&h, NULL, 0, sizeof(digest));
	add_frames(&h);
	add_plan(&h);
	crypto_generichash_final(&h, digest, sizeof(digest));
	sodium_bin2hex(text, DIGEST_TEXT, digest, sizeof(digest));
}

TEST(test_bytes_and_number_change_together)
{
	char digest[DIGEST_TEXT];

	digest_of_this_build(digest);
	for (size_t i = 0; i < COUNT(protocols); i++) {
		if (protocols[i].protocol != WIRE_PROTOCOL)
			continue;
		if (!strcmp(protocols[i].digest, digest))
			return;
		fail_msg("what goes over the wire has changed, and "
			 "WIRE_PROTOCOL in net/wire.h is still %u: raise "
			 "it, and give the new number a row in protocols[] "
			 "(the digest is now %s)", WIRE_PROTOCOL, digest);
	}
	fail_msg("protocol %u is new: add { %u, \"%s\" } to protocols[]",
		 WIRE_PROTOCOL, WIRE_PROTOCOL, digest);
}

/* Numbers only go up, and each says something else. */
TEST(test_no_number_twice)
{
	for (size_t i = 1; i < COUNT(protocols); i++) {
		assert_true(protocols[i].protocol > protocols[i - 1].protocol);
		assert_string_not_equal(protocols[i].digest,
					protocols[i - 1].digest);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_bytes_and_number_change_together),
	cmocka_unit_test(test_no_number_twice),
};

TEST_MAIN(tests, 10)
