/*
 * What two builds must agree on, beside the number that says whether they do.
 */
#include "config.h"
#include "test.h"

#include <sodium.h>

#include "model/param.h"
#include "row_of.h"
#include "samples.h"

#define DIGEST_BYTES 16
#define DIGEST_TEXT (2 * DIGEST_BYTES + 1)

/*
 * For each protocol number a digest of what its builds speak, with the
 * parameters up to number LAST.  Rows are frozen.  A new parameter needs a row
 * with the same protocol and its own number, and a new word of a choice one in
 * grown[]; any other change needs another WIRE_PROTOCOL and a row of that.
 */
static const struct {
	unsigned int protocol;
	uint16_t last;
	const char *digest;
} protocols[] = {
	{ 5, 48, "9977de27da55e6733cefbc3e0ed7ea1b" },
	{ 6, 48, "364c8d5b7db4d407dc048b7bd7c32f3f" },
	{ 6, 49, "966c5f538fdc11fcede6229da7d2a1e3" },
	{ 6, 50, "555aa15c11e70b13bb318260f2a143b6" },
	{ 6, 51, "809c43a12b880a8b23c12a2a055d7fe3" },
	{ 6, 52, "a074ad56c2c4ac34b54ba874fc6deae7" },
	{ 6, 53, "ae3631d0828c7278f6cb851639e57bf9" },
	{ 6, 54, "16426aa5d41d1af8b31ad69f387d3deb" },
	{ 6, 56, "f009791952347ef795c033b99bc065db" },
	{ 6, 57, "3eabbdb0cbed69a69bbf11c4b47de779" },
	{ 6, 58, "16db9831ef615356e50d17b295a9099f" },
	{ 7, 58, "e23c29299d08ae0564511ea2e3e255c5" },
	{ 7, 59, "6042cacd2736d46764b220a332c41c75" },
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
#define X(name, type, limit, ...) \
	add_text(h, #name); \
	add_number(h, type); \
	add_number(h, limit);
	FRAME_LIST(X)
#undef X
	for (size_t i = 0; i < n_samples; i++)
		crypto_generichash_update(h, samples[i].bytes,
					  samples[i].size);
}

/* Words that choices have got since, at their end: an end that does not know
 * one refuses its number. */
static const char *const grown[][2] = {
	{ "transport", "|XRC" },
	{ "inject", "|cq-overrun|cq-resize" },
};

/* The words that the choice ROW has always had. */
static void add_words(crypto_generichash_state *h, const struct param *row)
{
	size_t length = strlen(row->argument);
	char text[4096];

	assert_true(length < sizeof(text));
	strcpy(text, row->argument);
	for (size_t i = 0; i < COUNT(grown); i++) {
		const char *since = grown[i][1];

		if (strcmp(row->name, grown[i][0]) != 0)
			continue;
		assert_true(strlen(since) < length);
		assert_string_equal(text + length - strlen(since), since);
		text[length - strlen(since)] = '\0';
	}
	add_text(h, text);
}

/* The parameters of PLAN up to number LAST, their defaults, and what small
 * numbers stand for. */
static void add_plan(crypto_generichash_state *h, uint16_t last)
{
	struct parameters defaults;

	param_defaults(&defaults);
	for (size_t i = 0; i < param_count; i++) {
		const struct param *row = &param_table[i];

		if (!(row->who & PARAM_PLAN) || row->id > last)
			continue;
		add_number(h, row->id);
		add_text(h, row->name);
		add_number(h, row->who & PARAM_OPTIONAL ? 1 : 0);
		if (param_is_number(row))
			add_number(h, param_get(&defaults, row));
		if (row->kind == PARAM_CHOICE)
			add_words(h, row);
	}
	/* those of the first row: a later one changes nothing for them */
	for (int op = 0; op <= OP_CMP_SWAP; op++)
		add_text(h, op_table[op].name);
}

static void digest_of_this_build(uint16_t last, char text[DIGEST_TEXT])
{
	uint8_t digest[DIGEST_BYTES];
	crypto_generichash_state h;

	assert_true(sodium_init() >= 0);
	crypto_generichash_init(&h, NULL, 0, sizeof(digest));
	add_frames(&h);
	add_plan(&h, last);
	crypto_generichash_final(&h, digest, sizeof(digest));
	sodium_bin2hex(text, DIGEST_TEXT, digest, sizeof(digest));
}

TEST(test_bytes_and_number_change_together)
{
	char digest[DIGEST_TEXT];
	size_t rows = 0;

	for (size_t i = 0; i < COUNT(protocols); i++) {
		if (protocols[i].protocol != WIRE_PROTOCOL)
			continue;
		rows++;
		digest_of_this_build(protocols[i].last, digest);
		if (strcmp(protocols[i].digest, digest) != 0)
			fail_msg("what goes over the wire has changed, and "
				 "WIRE_PROTOCOL in net/wire.h is still %u: "
				 "raise it, and give the new number a row in "
				 "protocols[] (the digest is now %s)",
				 WIRE_PROTOCOL, digest);
	}
	if (!rows)
		fail_msg("protocol %u is new: give it a row in protocols[]",
			 WIRE_PROTOCOL);
}

/* The latest row knows every parameter. */
TEST(test_every_parameter_has_a_row)
{
	char digest[DIGEST_TEXT];
	uint16_t last = 0;

	for (size_t i = 0; i < param_count; i++)
		if (param_table[i].id > last)
			last = param_table[i].id;
	if (protocols[COUNT(protocols) - 1].last == last)
		return;
	digest_of_this_build(last, digest);
	fail_msg("parameter %u is new: add { %u, %u, \"%s\" } to protocols[]",
		 last, WIRE_PROTOCOL, last, digest);
}

/* Numbers only go up, and each row says something else. */
TEST(test_no_row_twice)
{
	for (size_t i = 1; i < COUNT(protocols); i++) {
		assert_true(protocols[i].protocol > protocols[i - 1].protocol ||
			    (protocols[i].protocol ==
				     protocols[i - 1].protocol &&
			     protocols[i].last > protocols[i - 1].last));
		assert_string_not_equal(protocols[i].digest,
					protocols[i - 1].digest);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_bytes_and_number_change_together),
	cmocka_unit_test(test_every_parameter_has_a_row),
	cmocka_unit_test(test_no_row_twice),
};

TEST_MAIN(tests, 10)
