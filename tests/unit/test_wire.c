/* Headers, integers, strings: what is refused before it is believed. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "net/wire.h"

static void header_of(uint32_t magic, uint16_t protocol, uint16_t type,
		      uint32_t length, uint8_t header[WIRE_HEADER_SIZE])
{
	struct cursor c = { .bytes = header, .size = WIRE_HEADER_SIZE };

	wire_put(&c, 4, magic);
	wire_put(&c, 2, protocol);
	wire_put(&c, 2, type);
	wire_put(&c, 4, length);
	assert_false(c.failed);
}

static int read_header(uint32_t magic, uint16_t protocol, uint16_t type,
		       uint32_t length, struct frame *frame, struct error *err)
{
	uint8_t header[WIRE_HEADER_SIZE];

	memset(err, 0, sizeof(*err));
	header_of(magic, protocol, type, length, header);
	return wire_read_header(header, 0, "client", frame, err);
}

TEST(test_every_type_and_its_limit)
{
#define X(id, number, limit, content) { FRAME_##id, #id, limit },
	static const struct {
		enum frame_type type;
		const char *name;
		uint32_t most;
	} rows[] = { FRAME_LIST(X) };
#undef X
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct frame frame = { 0 };
		struct error err;

		assert_string_equal(frame_name(rows[i].type), rows[i].name);
		assert_int_equal(frame_limit(rows[i].type), rows[i].most);
		assert_int_equal(read_header(WIRE_MAGIC, WIRE_PROTOCOL,
					     rows[i].type, rows[i].most,
					     &frame, &err), 0);
		assert_int_equal(frame.type, rows[i].type);
		assert_int_equal(frame.length, rows[i].most);
		assert_int_equal(read_header(WIRE_MAGIC, WIRE_PROTOCOL,
					     rows[i].type, rows[i].most + 1,
					     &frame, &err), -EPROTO);
		assert_contains(error_text(&err), "bytes: at most");
		assert_int_equal(read_header(WIRE_MAGIC, WIRE_PROTOCOL,
					     rows[i].type, UINT32_MAX,
					     &frame, &err), -EPROTO);
	}
}

TEST(test_unknown_types)
{
	static const uint16_t types[] = { 0, 17, 99, 255, 256, 65535 };
	struct frame frame;
	struct error err;

	for (size_t i = 0; i < COUNT(types); i++) {
		assert_int_equal(read_header(WIRE_MAGIC, WIRE_PROTOCOL,
					     types[i], 0, &frame, &err),
				 -EPROTO);
		assert_contains(error_text(&err),
				"the client sent a frame of unknown type");
		assert_int_equal(frame_limit(types[i]), 0);
		assert_string_equal(frame_name(types[i]), "an unknown frame");
	}
}

TEST(test_every_bit_of_magic_and_protocol)
{
	for (int bit = 0; bit < 48; bit++) {
		uint8_t header[WIRE_HEADER_SIZE];
		struct error err = { 0 };
		struct frame frame;

		header_of(WIRE_MAGIC, WIRE_PROTOCOL, FRAME_READY, 0, header);
		assert_int_equal(wire_read_header(header, 0, "server", &frame,
						  &err), 0);
		header[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_int_equal(wire_read_header(header, 0, "server", &frame,
						  &err), -EPROTO);
		assert_contains(error_text(&err),
				bit < 32 ? "the server is not verbsperf"
					 : "the server speaks protocol");
	}
}

TEST(test_who_must_upgrade)
{
	struct frame frame;
	struct error err;

	read_header(WIRE_MAGIC, 3, FRAME_HELLO, 0, &frame, &err);
	assert_message(&err, "the client speaks protocol 3, this end speaks 7; "
			     "upgrade verbsperf on that end");
	read_header(WIRE_MAGIC, WIRE_PROTOCOL + 1, FRAME_HELLO, 0, &frame, &err);
	assert_message(&err, "the client speaks protocol 8, this end speaks 7; "
			     "upgrade verbsperf on this end");
	/* whatever type and length mean there */
	assert_int_equal(read_header(WIRE_MAGIC, WIRE_PROTOCOL + 1, 999, UINT32_MAX, &frame,
				     &err), -EPROTO);
	assert_contains(error_text(&err), "upgrade verbsperf on this end");
	read_header(0x474554, 1, FRAME_HELLO, 0, &frame, &err);
	assert_message(&err,
		       "the client is not verbsperf: it sent bytes 0x00474554");
}

TEST(test_who_else_speaks)
{
	static const struct {
		const char *bytes, *message, *advice;
	} rows[] = {
		{ "6.06\0\0\0\0\0\0\0", "it is perftest 6.06",
		  "use --peer perftest" },
		{ "5.80\0\0\0\0\0\0\0", "it is perftest 5.80",
		  "use --peer perftest" },
		{ "6,06\0\0\0\0\0\0\0", "it sent '6,06...'",
		  "check the port" },
		{ "SSH-2.0-Open", "it sent 'SSH-...'", "check the port" },
		{ "HTTP/1.1 400", "it sent 'HTTP...'", "check the port" },
		{ "6.0\x1b[2J====", "it sent bytes 0x362e301b",
		  "check the port" },
		{ "\xff\xff\xff\xff========", "it sent bytes 0xffffffff",
		  "check the port" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		uint8_t header[WIRE_HEADER_SIZE];
		struct error err = { 0 };
		struct frame frame;

		memcpy(header, rows[i].bytes, sizeof(header));
		assert_int_equal(wire_read_header(header, 0, "server", &frame,
						  &err), -EPROTO);
		assert_contains(err.message, rows[i].message);
		assert_string_equal(err.advice, rows[i].advice);
	}
}

TEST(test_integers_are_big_endian)
{
	static const uint8_t wanted[] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab,
					  0xcd, 0xef };
	uint8_t bytes[16] = { 0 };

	for (unsigned int n = 1; n <= 8; n++) {
		struct cursor c = { .bytes = bytes, .size = 16 };
		uint64_t value = 0x0123456789abcdefULL >> (8 * (8 - n));

		wire_put(&c, n, value);
		assert_memory_equal(bytes, wanted, n);
		assert_int_equal(c.at, n);
		c.at = 0;
		assert_int_equal(wire_get(&c, n), value);
	}
}

TEST(test_reals)
{
	static const double values[] = { 0, 1, -0.25, 1e-300, 1e300, INFINITY };
	const struct frame frame = { .type = FRAME_DONE };
	uint8_t bytes[8];

	for (size_t i = 0; i < COUNT(values); i++) {
		struct cursor out = { .bytes = bytes, .size = 8 };
		struct cursor in = { .bytes = bytes, .size = 8,
				     .frame = &frame };
		double value = values[i];

		wire_real(&out, &value);
		value = 2;
		wire_real(&in, &value);
		assert_true(value == values[i]);
	}
}

TEST(test_past_the_end)
{
	uint8_t bytes[4] = { 1, 2, 3, 4 }, raw[8];
	struct error err = { 0 };
	struct frame frame = { .type = FRAME_START, .length = 4 };
	struct cursor c = { .bytes = bytes, .size = 4, .frame = &frame,
			    .err = &err };

	assert_int_equal(wire_get(&c, 8), 0);
	assert_true(c.failed);
	/* and nothing more comes out, not even what would fit */
	assert_int_equal(wire_get(&c, 1), 0);
	memset(raw, 0xaa, sizeof(raw));
	wire_get_raw(&c, raw, 2);
	assert_int_equal(raw[0] | raw[1], 0);
	assert_int_equal(wire_close(&c), -EPROTO);
	assert_message(&err, "the peer sent a malformed START of 4 bytes");
	c = (struct cursor){ .bytes = bytes, .size = 4 };
	wire_put(&c, 8, 1);
	assert_true(c.failed);
	assert_int_equal(bytes[0], 1);
	error_clear(&err);
	c = (struct cursor){ .bytes = bytes, .size = 4, .at = 1,
			     .frame = &frame, .err = &err };
	assert_int_equal(wire_close(&c), -EPROTO);
	assert_message(&err, "the peer sent a START with 3 bytes too many");
}

TEST(test_an_article_before_a_vowel)
{
	struct frame frame = { .type = FRAME_ABORT, .length = 1 };
	uint8_t byte = 0;
	struct error err = { 0 };
	struct cursor c = { .bytes = &byte, .size = 1, .frame = &frame,
			    .err = &err };

	assert_int_equal(wire_close(&c), -EPROTO);
	assert_message(&err, "the peer sent an ABORT with 1 bytes too many");
	error_clear(&err);
	assert_int_equal(wire_check(FRAME_ENDPOINT, "mtu", 7, 1, 5, &err),
			 -EPROTO);
	assert_message(&err, "the peer sent an ENDPOINT with mtu 7: expected 1 "
			     "to 5");
}

TEST(test_strings)
{
	uint8_t bytes[64];
	char text[8];
	struct cursor c = { .bytes = bytes, .size = 64 };

	wire_put_string(&c, "");
	wire_put_string(&c, "1234567");
	wire_put_string(&c, "12345678");
	c.at = 0;
	wire_get_string(&c, text, sizeof(text));
	assert_string_equal(text, "");
	wire_get_string(&c, text, sizeof(text));
	assert_string_equal(text, "1234567");
	assert_false(c.failed);
	wire_get_string(&c, text, sizeof(text));	/* no room for the 0 */
	assert_true(c.failed);
	assert_string_equal(text, "");
}

/* What a terminal would obey arrives as question marks. */
TEST(test_hostile_strings)
{
	for (int byte = 0; byte < 256; byte++) {
		uint8_t bytes[5] = { 0, 3, 'a', (uint8_t)byte, 'b' };
		struct cursor c = { .bytes = bytes, .size = 5 };
		char text[8];

		wire_get_string(&c, text, sizeof(text));
		assert_int_equal(strlen(text), 3);
		assert_int_equal(text[1], byte >= ' ' && byte <= '~' ? byte :
								      '?');
	}
}

TEST(test_lengths_of_strings)
{
	static const uint8_t lengths[][2] = { { 0, 4 }, { 0, 100 },
					      { 0xff, 0xff } };

	for (size_t i = 0; i < COUNT(lengths); i++) {
		uint8_t bytes[5] = { lengths[i][0], lengths[i][1], 'a', 'b',
				     'c' };
		struct cursor c = { .bytes = bytes, .size = 5 };
		char text[70000] = "x";

		wire_get_string(&c, text, sizeof(text));
		assert_true(c.failed);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_every_type_and_its_limit),
	cmocka_unit_test(test_unknown_types),
	cmocka_unit_test(test_every_bit_of_magic_and_protocol),
	cmocka_unit_test(test_who_must_upgrade),
	cmocka_unit_test(test_who_else_speaks),
	cmocka_unit_test(test_integers_are_big_endian),
	cmocka_unit_test(test_reals),
	cmocka_unit_test(test_past_the_end),
	cmocka_unit_test(test_an_article_before_a_vowel),
	cmocka_unit_test(test_strings),
	cmocka_unit_test(test_hostile_strings),
	cmocka_unit_test(test_lengths_of_strings),
};

TEST_MAIN(tests, 10)
