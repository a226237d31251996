/* What a verified message is filled with. */
#include "config.h"
#include "test.h"

#include "traffic/pattern.h"

#define LARGEST 65537
#define GUARD 16
#define BLANK 0xee

static uint8_t buffer[GUARD + LARGEST + GUARD];

static const struct pattern sample = {
	.sequence = 0x0123456789abcdef,
	.qp = 0x00fedcba,
	.direction = 2,
};

static uint8_t *fill(uint64_t size, const struct pattern *p)
{
	memset(buffer, BLANK, sizeof(buffer));
	pattern_fill(buffer + GUARD, size, p);
	return buffer + GUARD;
}

static void check_guards(uint64_t size)
{
	for (uint64_t i = 0; i < GUARD; i++) {
		assert_int_equal(buffer[i], BLANK);
		assert_int_equal(buffer[GUARD + size + i], BLANK);
	}
}

static void check_size(uint64_t size)
{
	struct pattern_difference d = { 77, 7, 7 };
	const uint8_t *message = fill(size, &sample);

	assert_true(pattern_check(message, size, &sample, &d));
	assert_true(pattern_check_partial(message, size, &sample, &d));
	assert_int_equal(d.offset, 77);
	check_guards(size);
}

TEST(test_every_size)
{
	static const uint64_t large[] = { 255, 256, 257, 1000, 4096, 4099,
					  65535, LARGEST };

	for (uint64_t size = 0; size <= 70; size++)
		check_size(size);
	for (size_t i = 0; i < COUNT(large); i++)
		check_size(large[i]);
}

static void check_flip(uint8_t *message, uint64_t size, uint64_t at, int bit)
{
	const uint8_t was = message[at];
	struct pattern_difference d;

	message[at] ^= (uint8_t)(1 << bit);
	assert_false(pattern_check(message, size, &sample, &d));
	assert_int_equal(d.offset, at);
	assert_int_equal(d.expected, was);
	assert_int_equal(d.found, was ^ 1 << bit);
	message[at] = was;
}

TEST(test_every_flipped_bit_is_found)
{
	for (uint64_t size = 1; size <= 70; size++) {
		uint8_t *message = fill(size, &sample);

		for (uint64_t at = 0; at < size; at++)
			for (int bit = 0; bit < 8; bit++)
				check_flip(message, size, at, bit);
	}
}

TEST(test_flips_in_large_messages_are_found)
{
	uint8_t *message = fill(LARGEST, &sample);

	for (uint64_t at = 0; at < LARGEST; at += 997)
		check_flip(message, LARGEST, at, (int)(at % 8));
	check_flip(message, LARGEST, LARGEST - 1, 7);
}

TEST(test_first_difference_is_told)
{
	uint8_t *message = fill(64, &sample);
	struct pattern_difference d;

	message[60] ^= 1;
	message[41] ^= 1;
	message[50] ^= 1;
	assert_false(pattern_check(message, 64, &sample, &d));
	assert_int_equal(d.offset, 41);
}

/* Any other message differs, soon and in most bytes. */
static void check_other(struct pattern other)
{
	uint8_t ours[256], theirs[256];
	struct pattern_difference d;
	int same = 0;

	pattern_fill(ours, sizeof(ours), &sample);
	pattern_fill(theirs, sizeof(theirs), &other);
	assert_false(pattern_check(theirs, sizeof(theirs), &sample, &d));
	assert_true(d.offset <= 8);
	for (size_t i = 8; i < sizeof(ours); i++)
		same += ours[i] == theirs[i];
	assert_true(same < 16);
}

TEST(test_other_messages_differ)
{
	for (int bit = 0; bit < 64; bit++) {
		struct pattern other = sample;

		other.sequence ^= 1ULL << bit;
		check_other(other);
		other = sample;
		other.qp ^= 1U << bit % 32;
		check_other(other);
	}
	check_other((struct pattern){ sample.sequence, sample.qp, 1 });
	check_other((struct pattern){ sample.sequence + 1, sample.qp, 2 });
}

/* Bytes moved within a message are not where they belong. */
TEST(test_shifted_message_differs)
{
	struct pattern_difference d;

	for (uint64_t by = 1; by <= 64; by++) {
		uint8_t *message = fill(256, &sample);

		memmove(message + 8 + by, message + 8, 256 - 8 - by);
		assert_false(pattern_check(message, 256, &sample, &d));
	}
}

TEST(test_begins_with_the_sequence_number)
{
	static const uint8_t expected[] = { 0xef, 0xcd, 0xab, 0x89, 0x67, 0x45,
					    0x23, 0x01 };

	for (uint64_t size = 0; size <= 12; size++)
		assert_memory_equal(fill(size, &sample), expected,
				    size < 8 ? size : 8);
}

TEST(test_part_of_a_message)
{
	struct pattern_difference d;

	for (uint64_t from = 0; from < 64; from++)
		for (uint64_t to = from; to <= 64; to++) {
			uint8_t *message = fill(64, &sample);

			memset(message + from, 0, to - from);
			assert_true(pattern_check_partial(message, 64, &sample,
							  &d));
		}
}

TEST(test_what_is_no_part_of_it)
{
	const struct pattern before = { sample.sequence - 16, sample.qp, 2 };
	uint8_t *message = fill(64, &sample), old[64];
	struct pattern_difference d;

	pattern_fill(old, sizeof(old), &before);
	memset(message, 0, 32);
	memcpy(message + 16, old + 16, 8);
	assert_false(pattern_check_partial(message, 64, &sample, &d));
	assert_in_range(d.offset, 16, 23);
	assert_int_equal(d.found, old[d.offset]);
}

TEST(test_nearest)
{
	static const struct {
		uint64_t low;
		unsigned int bits;
		uint64_t next, nearest;
	} cases[] = {
		/* no bits say nothing, all of them say it all */
		{ 0, 0, 42, 42 }, { 7, 64, 42, 7 }, { 0, 64, 42, 0 },
		{ UINT64_MAX, 64, 42, UINT64_MAX },
		/* few: the first from NEXT on */
		{ 5, 8, 5, 5 }, { 6, 8, 5, 6 }, { 4, 8, 5, 260 },
		{ 0, 8, 255, 256 }, { 255, 8, 256, 511 },
		{ 0xff, 8, 0x1234ff, 0x1234ff },
		{ 0, 16, 65535, 65536 }, { 9, 16, 10, 65545 },
		{ 4, 30, 5, (1ULL << 30) + 4 },
		/* many: the nearest */
		{ 5, 32, 5, 5 }, { 9, 32, 5, 9 },
		{ 4, 32, 1ULL << 32 | 5, 1ULL << 32 | 4 },
		{ 0xffffffff, 32, 1ULL << 32, 0xffffffff },
		{ 0, 32, 0xffffffff, 1ULL << 32 },
		{ 3, 31, 0x7ffffffe, 0x80000003 },
		{ 0x7ffffffe, 31, 0x80000003, 0x7ffffffe },
		{ 3, 56, (1ULL << 56) - 1, (1ULL << 56) + 3 },
		/* but not before the first of all */
		{ 0xffffffff, 32, 3, 0xffffffff },
		{ 0x7fffffff, 31, 0, 0x7fffffff },
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(pattern_nearest(cases[i].low, cases[i].bits,
						 cases[i].next),
				 cases[i].nearest);
}

/* The SIZE bytes of a message say which it is, after GAP were lost. */
static void check_sequence(uint64_t size, uint64_t number, uint64_t gap)
{
	const struct pattern p = { number, 1, 1 };

	assert_int_equal(pattern_sequence(fill(size, &p), size, number - gap),
			 number);
}

TEST(test_short_messages_say_which_they_are)
{
	/* up to what their bytes can count */
	static const uint64_t gaps[] = { 0, 1, 255, 65535, 1 << 20 };

	for (uint64_t size = 1; size <= 12; size++)
		for (uint64_t n = 1 << 20; n < (1 << 20) + 1000; n++)
			for (size_t g = 0; g < COUNT(gaps); g++)
				if (size > 2 || gaps[g] < 1ULL << 8 * size)
					check_sequence(size, n, gaps[g]);
}

TEST(test_message_of_nothing_is_the_one_due)
{
	assert_int_equal(pattern_sequence(buffer, 0, 1234), 1234);
}

TEST(test_long_messages_say_it_all)
{
	const struct pattern p = { 3, 1, 1 };

	assert_int_equal(pattern_sequence(fill(8, &p), 8, 1ULL << 40), 3);
	assert_int_equal(pattern_sequence(fill(99, &sample), 99, 0),
			 sample.sequence);
}

TEST_FILE()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_size),
		cmocka_unit_test(test_every_flipped_bit_is_found),
		cmocka_unit_test(test_flips_in_large_messages_are_found),
		cmocka_unit_test(test_first_difference_is_told),
		cmocka_unit_test(test_other_messages_differ),
		cmocka_unit_test(test_shifted_message_differs),
		cmocka_unit_test(test_begins_with_the_sequence_number),
		cmocka_unit_test(test_part_of_a_message),
		cmocka_unit_test(test_what_is_no_part_of_it),
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_short_messages_say_which_they_are),
		cmocka_unit_test(test_message_of_nothing_is_the_one_due),
		cmocka_unit_test(test_long_messages_say_it_all),
	};

	alarm(patient(60));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
