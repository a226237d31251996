/* Verified messages that were changed, moved, or came twice: all are found. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "traffic/pattern.h"
#include "verify_pair.h"

#define SIZE 200
#define N 5			/* messages, of which one is harmed */
#define HARMED 3

static uint64_t size_of(enum op op)
{
	return op_is_atomic(op) ? ATOMIC_SIZE : SIZE;
}

/* Who looks at what arrives. */
static struct pair_end *finder(struct pair *pair)
{
	return op_table[pair->op].fetches ? &pair->a : &pair->b;
}

/* N messages of OP, that arrived and nobody has looked at. */
static struct pair *arrive(enum op op, enum transport transport)
{
	struct pair *pair = pair_new(op, transport, size_of(op), 1);

	pair_post(pair, N);
	return pair;
}

static const struct verify_mismatch *found(struct pair *pair)
{
	const struct pair_end *end = finder(pair);

	assert_int_equal(pair_settle(pair), -EBADMSG);
	assert_string_equal(end->flow.failure.verb, "verify");
	assert_int_equal(end->flow.failure.errnum, EBADMSG);
	assert_int_equal(end->flow.failure.qp_index, PAIR_QP_INDEX);
	return &end->verifier.mismatch;
}

static void check_found(struct pair *pair, const char *what,
			uint64_t operation)
{
	const struct verify_mismatch *m = found(pair);

	assert_string_equal(m->what, what);
	assert_int_equal(m->operation, operation);
	assert_int_not_equal(m->expected, m->found);
}

static void check_flip(enum op op, enum transport transport, uint64_t at)
{
	struct pair *pair = arrive(op, transport);
	uint8_t *byte = pair_message(pair, HARMED) + at;
	const struct verify_mismatch *m;

	*byte ^= 0x40;
	m = found(pair);
	assert_string_equal(m->what, "data");
	assert_int_equal(m->operation, HARMED);
	assert_int_equal(m->offset, at);
	assert_int_equal(m->found, *byte);
	assert_int_equal(m->expected, *byte ^ 0x40);
}

TEST(test_flipped_bits_are_found)
{
	static const enum op ops[] = { OP_SEND, OP_SEND_IMM, OP_WRITE,
				       OP_WRITE_IMM, OP_READ };

	for (size_t i = 0; i < COUNT(ops); i++)
		for (uint64_t at = 0; at < SIZE; at++)
			check_flip(ops[i], TRANSPORT_RC, at);
}

TEST(test_flipped_bits_of_unreliable_messages_are_found)
{
	for (uint64_t at = 8; at < SIZE; at++) {
		check_flip(OP_SEND, TRANSPORT_UC, at);
		check_flip(OP_SEND, TRANSPORT_UD, at);
		check_flip(OP_SEND_IMM, TRANSPORT_UD, at);
		check_flip(OP_WRITE, TRANSPORT_UC, at);
		check_flip(OP_WRITE_IMM, TRANSPORT_UC, at);
	}
	/* which message it is, is said there: it looks like another */
	for (uint64_t at = 0; at < 8; at++) {
		struct pair *pair = arrive(OP_SEND, TRANSPORT_UD);

		pair_message(pair, HARMED)[at] ^= 0x40;
		found(pair);
	}
}

static void swap(uint8_t *a, uint8_t *b, uint64_t size)
{
	uint8_t c[PAIR_LARGEST];

	memcpy(c, a, size);
	memcpy(a, b, size);
	memcpy(b, c, size);
}

TEST(test_swapped_messages_are_found)
{
	static const enum op ops[] = { OP_SEND, OP_SEND_IMM, OP_WRITE,
				       OP_WRITE_IMM, OP_READ };

	for (size_t i = 0; i < COUNT(ops); i++) {
		struct pair *pair = arrive(ops[i], TRANSPORT_RC);

		swap(pair_message(pair, 1), pair_message(pair, 2), SIZE);
		check_found(pair, "data", 1);
	}
}

TEST(test_message_that_overtook_is_found)
{
	struct pair *pair = arrive(OP_SEND, TRANSPORT_UD);

	swap(pair_message(pair, 1), pair_message(pair, 2), SIZE);
	check_found(pair, "order", 1);
	/* over UC nothing does, either */
	pair = arrive(OP_SEND, TRANSPORT_UC);
	swap(pair_message(pair, 1), pair_message(pair, 2), SIZE);
	check_found(pair, "order", 1);
}

TEST(test_repeated_message_is_found)
{
	static const enum op ops[] = { OP_SEND, OP_WRITE, OP_WRITE_IMM,
				       OP_READ };
	struct pair *pair;

	for (size_t i = 0; i < COUNT(ops); i++) {
		pair = arrive(ops[i], TRANSPORT_RC);
		memcpy(pair_message(pair, HARMED), pair_message(pair, 0),
		       SIZE);
		check_found(pair, "data", HARMED);
	}
	pair = arrive(OP_SEND, TRANSPORT_UD);
	memcpy(pair_message(pair, HARMED), pair_message(pair, HARMED - 1),
	       SIZE);
	check_found(pair, "order", HARMED - 1);
}

TEST(test_message_of_another_direction_is_found)
{
	struct pair *pair = arrive(OP_SEND, TRANSPORT_RC);
	const struct pattern own = { HARMED, PAIR_QP_INDEX, 2 };

	pattern_fill(pair_message(pair, HARMED), SIZE, &own);
	check_found(pair, "data", HARMED);
}

TEST(test_lost_message_of_a_reliable_transport_is_found)
{
	static const enum op ops[] = { OP_WRITE, OP_WRITE_IMM };
	struct pair *pair = arrive(OP_SEND, TRANSPORT_RC);

	pair_drop(&pair->b, HARMED);
	check_found(pair, "data", HARMED);
	for (size_t i = 0; i < COUNT(ops); i++) {
		pair = arrive(ops[i], TRANSPORT_RC);
		memset(pair_message(pair, HARMED), 0, SIZE);
		check_found(pair, "data", HARMED);
	}
}

/* A write that is said to be there, of which a part is not. */
TEST(test_torn_write_is_found)
{
	for (int t = TRANSPORT_RC; t <= TRANSPORT_UC; t++)
		for (uint64_t from = 0; from < SIZE; from += 50) {
			struct pair *pair = arrive(OP_WRITE_IMM,
						   (enum transport)t);

			memset(pair_message(pair, HARMED) + from, 0, 50);
			check_found(pair, "data", HARMED);
		}
}

/* What is there is another message's: that is no loss. */
static void check_old_half(enum op op, uint64_t from)
{
	struct pair *pair = arrive(op, TRANSPORT_UC);

	memcpy(pair_message(pair, HARMED) + from,
	       pair_message(pair, HARMED - 1) + from, SIZE / 2);
	check_found(pair, "data", HARMED);
}

TEST(test_half_of_an_old_write_is_found)
{
	for (uint64_t from = 0; from <= SIZE / 2; from += SIZE / 2) {
		check_old_half(OP_WRITE, from);
		check_old_half(OP_WRITE_IMM, from);
	}
}

TEST(test_wrong_values_of_atomics_are_found)
{
	for (uint64_t at = 0; at < ATOMIC_SIZE; at++) {
		struct pair *pair = arrive(OP_FETCH_ADD, TRANSPORT_RC);

		pair_message(pair, HARMED)[at] ^= 0x40;
		check_found(pair, "value returned", HARMED);
		pair = arrive(OP_CMP_SWAP, TRANSPORT_RC);
		pair_message(pair, HARMED)[at] ^= 0x40;
		check_found(pair, "value returned", HARMED);
	}
}

/* An addition that was not done, or done twice. */
TEST(test_counter_that_went_wrong_is_found)
{
	for (uint64_t by = 1; by <= UINT64_MAX / 2; by = by * 2 + 1) {
		struct pair *pair = arrive(OP_FETCH_ADD, TRANSPORT_RC);
		uint64_t *counter = (uint64_t *)(void *)pair->b.in;

		assert_int_equal(pair_settle(pair), 0);
		*counter += by;
		pair_post(pair, 1);
		check_found(pair, "value returned", N);
	}
}

TEST(test_wrong_sum_of_counters_is_found)
{
	static const enum op ops[] = { OP_FETCH_ADD, OP_CMP_SWAP };

	for (size_t i = 0; i < COUNT(ops); i++) {
		struct pair *pair = arrive(ops[i], TRANSPORT_RC);
		const struct verify_mismatch *m = &pair->b.verifier.mismatch;

		assert_int_equal(pair_settle(pair), 0);
		pair->b.flow.expected = N;
		pair->b.in[0]++;
		assert_int_equal(verify_counters(&pair->b.flow), -EBADMSG);
		assert_string_equal(m->what, "sum of the counters");
		assert_int_equal(m->expected, N);
		assert_int_equal(m->found, N + 1);
	}
}

/* A completion that came before the data it stands for. */
TEST(test_stale_read_is_found)
{
	struct pair *pair = arrive(OP_READ, TRANSPORT_RC);

	memset(pair_message(pair, HARMED) + 64, 0xa5, SIZE - 64);
	check_found(pair, "data", HARMED);
}

/* The result of the read before in that place is not taken for this one's. */
TEST(test_read_that_brought_nothing_is_found)
{
	struct pair *pair = pair_new(OP_READ, TRANSPORT_RC, SIZE, 1);

	pair_post(pair, PAIR_DEPTH);
	assert_int_equal(pair_settle(pair), 0);
	pair->a.brings_nothing = true;
	pair_post(pair, 1);
	check_found(pair, "data", PAIR_DEPTH);
}

TEST(test_wrong_length_is_found)
{
	struct pair *pair = arrive(OP_SEND, TRANSPORT_UD);

	pair->b.came.wc[HARMED].byte_len -= GRH_SIZE;
	check_found(pair, "length", HARMED);
}

TEST(test_wrong_immediate_data_is_found)
{
	struct pair *pair = arrive(OP_SEND_IMM, TRANSPORT_RC);

	pair->b.came.wc[HARMED].imm_data ^= htobe32(1U << 31);
	check_found(pair, "immediate data", HARMED);
}

TEST(test_fence_of_messages_that_were_not_sent_is_found)
{
	struct pair *pair = pair_new(OP_WRITE, TRANSPORT_RC, SIZE, 1);

	pair_post(pair, 1);
	pair->b.came.wc[0].imm_data = htobe32(PAIR_DEPTH + 1);
	check_found(pair, "number of messages", 0);
}

/* The first that was wrong is told of, not what came of it. */
TEST(test_first_mismatch_is_kept)
{
	struct pair *pair = arrive(OP_SEND, TRANSPORT_RC);

	pair_message(pair, 1)[7] ^= 1;
	pair_message(pair, 2)[9] ^= 1;
	check_found(pair, "data", 1);
	assert_int_equal(pair_take(&pair->b), -EBADMSG);
	assert_int_equal(pair->b.verifier.mismatch.offset, 7);
}

TEST_FILE()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flipped_bits_are_found),
		cmocka_unit_test(
			test_flipped_bits_of_unreliable_messages_are_found),
		cmocka_unit_test(test_swapped_messages_are_found),
		cmocka_unit_test(test_message_that_overtook_is_found),
		cmocka_unit_test(test_repeated_message_is_found),
		cmocka_unit_test(test_message_of_another_direction_is_found),
		cmocka_unit_test(
			test_lost_message_of_a_reliable_transport_is_found),
		cmocka_unit_test(test_torn_write_is_found),
		cmocka_unit_test(test_half_of_an_old_write_is_found),
		cmocka_unit_test(test_wrong_values_of_atomics_are_found),
		cmocka_unit_test(test_counter_that_went_wrong_is_found),
		cmocka_unit_test(test_wrong_sum_of_counters_is_found),
		cmocka_unit_test(test_stale_read_is_found),
		cmocka_unit_test(test_read_that_brought_nothing_is_found),
		cmocka_unit_test(test_wrong_length_is_found),
		cmocka_unit_test(test_wrong_immediate_data_is_found),
		cmocka_unit_test(
			test_fence_of_messages_that_were_not_sent_is_found),
		cmocka_unit_test(test_first_mismatch_is_kept),
	};

	alarm(patient(60));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
