/* Lists of fields: what a reader knows, skips, and refuses by name. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>

#include "net/wire.h"
#include "samples.h"

#define SIZE 256
#define NAME_63 \
	"a23456789b23456789c23456789d23456789e23456789f23456789g23456789"

/* What the reader of these tests knows: 2, of four bytes, and 5, of none. */
struct known {
	uint64_t two;
	unsigned int reads;
	bool refuse;
};

static bool read_known(struct field *field, void *into)
{
	struct known *k = into;

	if (field->id != 2 && field->id != 5)
		return false;
	k->reads++;
	if (field->id == 2)
		k->two = wire_get(&field->value, 4);
	if (k->refuse)
		wire_expect(&field->value, field->name, 9, 0, 1);
	return true;
}

static void put_field(struct cursor *c, uint16_t id, uint8_t flags,
		      const char *name, uint32_t length, uint64_t value)
{
	wire_put(c, 2, id);
	wire_put(c, 1, flags);
	wire_put_string(c, name);
	wire_put(c, 4, length);
	if (length <= 8)
		wire_put(c, length, value);
}

/* Read what was put into C, whole, as the payload of a DONE. */
static int get(struct cursor *c, struct known *k, struct error *err)
{
	struct frame frame = { .type = FRAME_DONE,
			       .length = (uint32_t)c->at };
	/* of just that size: whoever reads past it is caught */
	uint8_t *bytes = calloc(1, c->at + !c->at);
	struct cursor in = { .bytes = bytes, .size = c->at, .frame = &frame,
			     .err = err };
	int ret;

	assert_false(c->failed);
	memcpy(bytes, c->bytes, c->at);
	memset(err, 0, sizeof(*err));
	wire_get_fields(&in, k ? read_known : NULL, k);
	ret = wire_close(&in);
	assert_true(error_is_set(err) == (ret != 0));
	free(bytes);
	return ret;
}

#define CURSOR() { .bytes = (uint8_t[SIZE]){ 0 }, .size = SIZE }

TEST(test_the_bytes_of_a_list)
{
	static const uint8_t wanted[] = {
		0, 3,
		0, 2, 0, 0, 3, 't', 'w', 'o', 0, 0, 0, 4, 0, 0, 0x12, 0x34,
		0, 5, 1, 0, 4, 'f', 'i', 'v', 'e', 0, 0, 0, 0,
		1, 0, 1, 0, 1, 'x', 0, 0, 0, 1, 7,
	};
	struct cursor c = CURSOR();
	struct field_list list;
	struct known k = { 0 };
	struct error err;

	wire_begin_fields(&c, &list);
	wire_begin_field(&c, &list, 2, false, "two");
	wire_put(&c, 4, 0x1234);
	wire_begin_field(&c, &list, 5, true, "five");
	wire_begin_field(&c, &list, 256, true, "x");
	wire_put(&c, 1, 7);
	wire_end_fields(&c, &list);
	assert_int_equal(c.at, sizeof(wanted));
	assert_memory_equal(c.bytes, wanted, sizeof(wanted));
	assert_int_equal(get(&c, &k, &err), 0);
	assert_int_equal(k.two, 0x1234);
	assert_int_equal(k.reads, 2);
}

/* At every size: nothing is written behind the end, and the cursor fails. */
TEST(test_a_list_that_does_not_fit)
{
	for (size_t room = 0; room < 40; room++) {
		uint8_t bytes[64];
		struct cursor c = { .bytes = bytes, .size = room };
		struct field_list list;

		memset(bytes, 0xaa, sizeof(bytes));
		wire_begin_fields(&c, &list);
		wire_begin_field(&c, &list, 2, false, "two");
		wire_put(&c, 8, 1);
		wire_begin_field(&c, &list, 5, false, "five");
		wire_end_fields(&c, &list);
		assert_true(c.failed == (room < 2 + 12 + 8 + 13));
		for (size_t i = room; i < sizeof(bytes); i++)
			assert_int_equal(bytes[i], 0xaa);
	}
}

TEST(test_no_fields)
{
	struct cursor c = CURSOR();
	struct field_list list;
	struct known k = { 0 };
	struct error err;

	wire_begin_fields(&c, &list);
	wire_end_fields(&c, &list);
	assert_int_equal(c.at, 2);
	assert_int_equal(get(&c, &k, &err), 0);
	assert_int_equal(get(&c, NULL, &err), 0);
	assert_int_equal(k.reads, 0);
	c.at = 0;
	assert_int_equal(get(&c, NULL, &err), -EPROTO);
	assert_message(&err, "the peer sent a malformed DONE of 0 bytes");
	c.at = 1;
	assert_int_equal(get(&c, NULL, &err), -EPROTO);
}

TEST(test_unknown_and_optional_is_skipped)
{
	/* before, between and behind those that are known */
	static const uint16_t ids[][3] = {
		{ 1, 2, 5 }, { 2, 3, 5 }, { 2, 5, 6 }, { 2, 5, 65535 },
	};

	for (size_t i = 0; i < COUNT(ids); i++) {
		struct cursor c = CURSOR();
		struct known k = { 0 };
		struct error err;

		wire_put(&c, 2, 3);
		for (size_t n = 0; n < 3; n++) {
			uint16_t id = ids[i][n];

			put_field(&c, id, id != 2 && id != 5, NAME_63,
				  id == 2 ? 4 : id == 5 ? 0 : 7, 0x4711);
		}
		assert_int_equal(get(&c, &k, &err), 0);
		assert_int_equal(k.two, 0x4711);
		assert_int_equal(k.reads, 2);
	}
}

TEST(test_unknown_is_refused_by_name)
{
	struct cursor c = CURSOR();
	struct known k = { 0 };
	struct error err;

	wire_put(&c, 2, 2);
	put_field(&c, 2, 0, "two", 4, 1);
	put_field(&c, 3, 0, "counters", 8, 1);
	assert_int_equal(get(&c, &k, &err), -EPROTO);
	assert_message(&err, "the other end's result has counters, which this "
			     "version does not know");
	assert_string_equal(err.advice, "upgrade verbsperf on the end that "
					"does not know it");
	assert_int_equal(k.two, 1);
	/* a reader that knows nothing refuses the first */
	assert_int_equal(get(&c, NULL, &err), -EPROTO);
	assert_contains(error_text(&err), "result has two, which");
}

TEST(test_names)
{
	static const struct {
		const char *name, *text;
	} rows[] = {
		{ "\x1b[31mred\n", "result has ?[31mred?, which this" },
		{ NAME_63, "result has " NAME_63 ", which" },
		{ NAME_63 "h", "malformed DONE" },
		{ "", "malformed DONE" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct cursor c = CURSOR();
		struct known k = { 0 };
		struct error err;

		wire_put(&c, 2, 1);
		put_field(&c, 1, 0, rows[i].name, 8, 1);
		assert_int_equal(get(&c, &k, &err), -EPROTO);
		assert_contains(error_text(&err), rows[i].text);
	}
}

TEST(test_flags)
{
	for (unsigned int flags = 0; flags < 256; flags++) {
		struct cursor c = CURSOR();
		struct known k = { 0 };
		struct error err;
		char text[80];

		wire_put(&c, 2, 1);
		put_field(&c, 5, (uint8_t)flags, "five", 0, 0);
		assert_int_equal(get(&c, &k, &err), flags < 2 ? 0 : -EPROTO);
		assert_int_equal(k.reads, flags < 2);
		snprintf(text, sizeof(text), "DONE with flags of a field %u: "
			 "expected 0 to 1", flags);
		if (flags >= 2)
			assert_contains(error_text(&err), text);
	}
}

TEST(test_numbers_ascend)
{
	static const struct {
		uint16_t first, second;
		const char *text;	/* NULL: is taken */
	} rows[] = {
		{ 2, 5, NULL },
		{ 2, 3, NULL },
		{ 2, 2, "DONE with field 2 (b) after field 2: the numbers" },
		{ 5, 2, "DONE with field 2 (b) after field 5: the numbers" },
		{ 1, 1, "DONE with field 1 (b) after field 1: the numbers" },
		{ 0, 1, "DONE with field 0 (a) after field 0: the numbers" },
		{ 65535, 0, "DONE with field 0 (b) after field 65535" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct cursor c = CURSOR();
		struct known k = { 0 };
		struct error err;

		wire_put(&c, 2, 2);
		put_field(&c, rows[i].first, 1, "a",
			  rows[i].first == 2 ? 4 : 0, 1);
		put_field(&c, rows[i].second, 1, "b",
			  rows[i].second == 2 ? 4 : 0, 1);
		assert_int_equal(get(&c, &k, &err),
				 rows[i].text ? -EPROTO : 0);
		if (rows[i].text)
			assert_contains(error_text(&err), rows[i].text);
	}
}

TEST(test_lengths)
{
	static const struct {
		uint16_t id;
		uint32_t length, present;
		const char *text;
	} rows[] = {
		{ 2, 4, 4, NULL },
		{ 2, 3, 3, "with a value of 3 bytes for x, which is too short" },
		{ 2, 0, 0, "with a value of 0 bytes for x, which is too short" },
		{ 2, 5, 5, "with a value of 5 bytes for x, which is too long" },
		{ 5, 0, 0, NULL },
		{ 5, 1, 1, "with a value of 1 bytes for x, which is too long" },
		{ 9, 0, 0, NULL },
		{ 9, 8, 8, NULL },
		{ 9, 8, 7, "malformed DONE" },
		{ 9, UINT32_MAX, 8, "malformed DONE" },
		{ 9, 0, 3, "with 3 bytes too many" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct cursor c = CURSOR();
		struct known k = { 0 };
		struct error err;

		wire_put(&c, 2, 1);
		put_field(&c, rows[i].id, 1, "x", 0, 0);
		c.at -= 4;
		wire_put(&c, 4, rows[i].length);
		wire_put(&c, rows[i].present, 7);
		assert_int_equal(get(&c, &k, &err),
				 rows[i].text ? -EPROTO : 0);
		if (rows[i].text)
			assert_contains(error_text(&err), rows[i].text);
	}
}

TEST(test_the_number_of_fields)
{
	static const struct {
		uint16_t n;
		const char *text;
	} rows[] = {
		{ 0, "with 27 bytes too many" },
		{ 1, "with 13 bytes too many" },
		{ 2, NULL },
		{ 3, "malformed DONE of 29 bytes" },
		{ 65535, "malformed DONE" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct cursor c = CURSOR();
		struct known k = { 0 };
		struct error err;

		wire_put(&c, 2, rows[i].n);
		put_field(&c, 2, 0, "x", 4, 1);
		put_field(&c, 5, 0, "four", 0, 0);
		assert_int_equal(get(&c, &k, &err),
				 rows[i].text ? -EPROTO : 0);
		if (rows[i].text)
			assert_contains(error_text(&err), rows[i].text);
	}
}

/* The reason is the reader's own. */
TEST(test_a_reader_refuses)
{
	struct cursor c = CURSOR();
	struct known k = { .refuse = true };
	struct error err;

	wire_put(&c, 2, 2);
	put_field(&c, 2, 1, "two", 4, 1);
	put_field(&c, 5, 1, "five", 0, 0);
	assert_int_equal(get(&c, &k, &err), -EPROTO);
	assert_message(&err, "the peer sent a DONE with two 9: expected 0 "
			     "to 1");
	assert_int_equal(k.reads, 1);
}

/* Put two fields in place of the empty list at the end of a frame. */
static struct frame with_fields(const struct sample *s, uint8_t flags)
{
	const size_t kept = s->size - 2;
	uint8_t *bytes = calloc(1, kept + SIZE);
	struct cursor c = { .bytes = bytes, .size = kept + SIZE,
			    .at = kept };
	struct frame frame;

	memcpy(bytes, s->bytes, kept);
	wire_put(&c, 2, 2);
	put_field(&c, 900, 1, "kernel", 3, 1);
	put_field(&c, 1000, flags, "counters", 8, 1);
	frame = sample_frame(s->type, bytes, c.at);
	free(bytes);
	return frame;
}

/* The frames that end with fields. */
TEST(test_frames_of_later_versions)
{
	unsigned int frames = 0;

	for (size_t i = 0; i < n_samples; i++) {
		const struct sample *s = &samples[i];
		struct error err = { 0 };
		struct frame frame;

		if (s->type != FRAME_ACCEPT && s->type != FRAME_ENDPOINT &&
		    s->type != FRAME_DONE)
			continue;
		frames++;
		frame = with_fields(s, 1);
		assert_int_equal(sample_decode(&frame, &err), 0);
		frame_free(&frame);
		frame = with_fields(s, 0);
		assert_int_equal(sample_decode(&frame, &err), -EPROTO);
		assert_contains(err.message, "has counters, which this version "
					     "does not know");
		assert_contains(err.message, frame_content(s->type));
		frame_free(&frame);
	}
	assert_int_equal(frames, 4);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_the_bytes_of_a_list),
	cmocka_unit_test(test_a_list_that_does_not_fit),
	cmocka_unit_test(test_no_fields),
	cmocka_unit_test(test_unknown_and_optional_is_skipped),
	cmocka_unit_test(test_unknown_is_refused_by_name),
	cmocka_unit_test(test_names),
	cmocka_unit_test(test_flags),
	cmocka_unit_test(test_numbers_ascend),
	cmocka_unit_test(test_lengths),
	cmocka_unit_test(test_the_number_of_fields),
	cmocka_unit_test(test_a_reader_refuses),
	cmocka_unit_test(test_frames_of_later_versions),
};

TEST_MAIN(tests, 10)
