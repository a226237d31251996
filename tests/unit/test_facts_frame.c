/* The facts of both ends on the wire: there and back, and what is refused. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "every_fact.h"
#include "samples.h"

TEST(test_there_and_back)
{
	struct port port = sample_port(), got;
	struct plan plan = sample_plan(), ignored;
	struct error err = { 0 };
	struct frame frame;

	port.facts = every_fact();
	frame = encode_accept(&port);
	assert_int_equal(decode_accept(&frame, &got, &err), 0);
	assert_memory_equal(&got, &port, sizeof(port));
	frame_free(&frame);
	frame = encode_plan(&plan, &port);
	assert_int_equal(decode_plan(&frame, &ignored, &got, &err), 0);
	assert_memory_equal(&got, &port, sizeof(port));
	frame_free(&frame);
}

TEST(test_unknown_ones_do_not_travel)
{
	struct port port = sample_port(), got;
	struct error err = { 0 };
	struct frame frame, without;

	without = encode_accept(&port);
	facts_set_count(&port.facts, FACT_SMT, 0);
	frame = encode_accept(&port);
	/* the field, its list, and one fact in it */
	assert_int_equal(frame.length - without.length,
			 (3 + 2 + 5 + 4) + 2 + (3 + 2 + 3 + 4) + 8);
	assert_int_equal(decode_accept(&frame, &got, &err), 0);
	assert_true(facts_known(&got.facts, FACT_SMT));
	assert_false(facts_known(&got.facts, FACT_KERNEL));
	frame_free(&frame);
	frame_free(&without);
}

/* ACCEPT with one field of ID in its facts, of SIZE bytes at VALUE. */
static struct frame one_fact(uint16_t id, bool optional, const void *value,
			     size_t size)
{
	const struct port port = sample_port();
	struct field_list fields, facts;
	struct frame frame;
	struct cursor c;

	frame = encode_accept(&port);
	c = wire_open(&frame, NULL);
	c.at = frame.length - 2;	/* before the empty list */
	c.size = frame_limit(FRAME_ACCEPT);
	wire_begin_fields(&c, &fields);
	wire_begin_field(&c, &fields, 1, true, "facts");
	wire_begin_fields(&c, &facts);
	wire_begin_field(&c, &facts, id, optional, "fact");
	wire_put_raw(&c, value, size);
	wire_end_fields(&c, &facts);
	wire_end_fields(&c, &fields);
	frame = wire_end(&c);
	return frame;
}

static void check(uint16_t id, const void *value, size_t size,
		  const char *message)
{
	struct frame frame = one_fact(id, true, value, size);
	struct error err = { 0 };
	struct port got;

	assert_int_equal(decode_accept(&frame, &got, &err),
			 message ? -EPROTO : 0);
	if (message)
		assert_contains(error_text(&err), message);
	frame_free(&frame);
}

static void check_number(enum fact fact, uint64_t value, const char *message)
{
	uint8_t bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(value >> (56 - 8 * i));
	check(fact_table[fact].id, bytes, sizeof(bytes), message);
}

TEST(test_numbers_out_of_range)
{
	check_number(FACT_PCIE_WIDTH, 64, NULL);
	check_number(FACT_PCIE_WIDTH, 65, "the peer sent an ACCEPT with "
		     "pcie_width 65: expected 0 to 64");
	check_number(FACT_SMT, 1, NULL);
	check_number(FACT_SMT, 2, "smt 2: expected 0 to 1");
	check_number(FACT_MEMLOCK_BYTES, UINT64_MAX, NULL);
	check_number(FACT_LINK_DOWNED, UINT64_MAX, "link_downed");
	check_number(FACT_CPU_MHZ, 0x412e848000000000, NULL);	/* 1e6 */
	check_number(FACT_CPU_MHZ, 0x412e848100000000,
		     "cpu_mhz 1e+06: expected 0 to 1000000");
	check_number(FACT_CPU_MHZ, 0xbff0000000000000, "cpu_mhz -1");
	check_number(FACT_CPU_MHZ, 0x7ff8000000000000, "cpu_mhz nan");
	check_number(FACT_CPU_MHZ, 0x7ff0000000000000, "cpu_mhz inf");
}

TEST(test_every_number_has_a_limit)
{
	for (int i = 0; i < FACTS; i++)
		if (fact_table[i].kind == FACT_COUNT ||
		    fact_table[i].kind == FACT_FLAG)
			check_number((enum fact)i, fact_table[i].most + 1,
				     fact_table[i].key);
}

TEST(test_values_of_other_lengths)
{
	static const uint8_t eight[9] = { 0 };
	uint8_t text[2 + FACT_TEXT_SIZE] = { 0, FACT_TEXT_SIZE };
	const uint16_t kernel = fact_table[FACT_KERNEL].id;
	const uint16_t smt = fact_table[FACT_SMT].id;

	check(smt, eight, 7, "a value of 7 bytes for fact, which is too short");
	check(smt, eight, 9, "a value of 9 bytes for fact, which is too long");
	memset(text + 2, 'x', FACT_TEXT_SIZE);
	check(kernel, text, sizeof(text), "bytes for fact, which is too short");
	text[1] = FACT_TEXT_SIZE - 1;
	check(kernel, text, sizeof(text) - 1, NULL);
	check(kernel, text, sizeof(text), "bytes for fact, which is too long");
	check(kernel, text, 1, "which is too short");
}

TEST(test_facts_of_a_later_version)
{
	struct frame frame = one_fact(60000, true, "x", 1);
	struct error err = { 0 };
	struct port got;

	assert_int_equal(decode_accept(&frame, &got, &err), 0);
	assert_false(facts_any(&got.facts));
	frame_free(&frame);
	frame = one_fact(60000, false, "x", 1);
	assert_int_equal(decode_accept(&frame, &got, &err), -EPROTO);
	assert_contains(error_text(&err), "port has fact, which this version "
					  "does not know");
	frame_free(&frame);
}

TEST(test_texts_of_a_peer)
{
	static const uint8_t text[] = { 0, 4, 'a', 0x1b, ']', 'b' };
	struct frame frame = one_fact(fact_table[FACT_KERNEL].id, true, text,
				      sizeof(text));
	struct error err = { 0 };
	struct port got;

	assert_int_equal(decode_accept(&frame, &got, &err), 0);
	assert_string_equal(facts_text(&got.facts, FACT_KERNEL), "a?]b");
	frame_free(&frame);
}

/* They stand in commands that a user is told to run. */
TEST(test_names_of_a_peer)
{
	static const enum fact names[] = { FACT_NETDEV, FACT_PCIE_ADDRESS,
					   FACT_PCIE_SLOWEST };
	static const uint8_t text[] = { 0, 16, 'E', '9', '.', '_', ':', '@',
					'-', 'z', ';', ' ', '$', '(', '/', '`',
					'a', '|' };

	for (size_t i = 0; i < COUNT(names); i++) {
		struct frame frame = one_fact(fact_table[names[i]].id, true,
					      text, sizeof(text));
		struct error err = { 0 };
		struct port got;

		assert_int_equal(decode_accept(&frame, &got, &err), 0);
		assert_string_equal(facts_text(&got.facts, names[i]),
				    "E9._:@-z______a_");
		frame_free(&frame);
	}
}

TEST(test_every_truncation)
{
	struct port port = sample_port(), got;
	struct frame frame;

	port.facts = every_fact();
	frame = encode_accept(&port);
	for (uint32_t n = frame.length - 1; n; n--) {
		struct frame cut = sample_frame(FRAME_ACCEPT, frame.bytes,
						WIRE_HEADER_SIZE + n);
		struct error err = { 0 };

		assert_int_equal(decode_accept(&cut, &got, &err), -EPROTO);
		frame_free(&cut);
	}
	frame_free(&frame);
}

TEST_FILE()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_unknown_ones_do_not_travel),
		cmocka_unit_test(test_numbers_out_of_range),
		cmocka_unit_test(test_every_number_has_a_limit),
		cmocka_unit_test(test_values_of_other_lengths),
		cmocka_unit_test(test_facts_of_a_later_version),
		cmocka_unit_test(test_texts_of_a_peer),
		cmocka_unit_test(test_names_of_a_peer),
		cmocka_unit_test(test_every_truncation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
