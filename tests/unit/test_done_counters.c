/* Counters in DONE: there and back, and each value that is refused. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "net/frames.h"
#include "samples.h"

static const struct frame done_frame = { .type = FRAME_DONE };

/* Both readings of a field of BYTES. */
static int get(const uint8_t *bytes, size_t size, struct counters *counters,
	       bool *complete, struct error *err)
{
	struct cursor c = { .bytes = (uint8_t *)bytes, .size = size,
			    .frame = &done_frame, .err = err };

	*counters = (struct counters){ 0 };
	*err = (struct error){ 0 };
	done_code_counters(&c, counters);
	*complete = !c.failed && c.at == c.size;
	return c.ret;
}

static struct counter list[] = {
	{ "link_downed", true, 3 },
	{ "netdev.rx_errors", false, 0 },
	{ "rx_drops", true, COUNTER_RISE_MAX },
};

TEST(test_there_and_back)
{
	struct done done = sample_done(), got = { 0 };
	struct error err = { 0 };
	struct frame frame;

	done.own.counters = (struct counters){ 1234567890123, 3, list };
	frame = encode_done(&done);
	got.latency = histogram_new();
	assert_int_equal(decode_done(&frame, &got, &err), 0);
	assert_int_equal(got.own.counters.ns, 1234567890123);
	assert_int_equal(got.own.counters.n, 3);
	for (int i = 0; i < 3; i++) {
		assert_string_equal(got.own.counters.list[i].name,
				    list[i].name);
		assert_int_equal(got.own.counters.list[i].known, list[i].known);
		assert_int_equal(got.own.counters.list[i].value, list[i].value);
	}
	frame_free(&frame);
	done_free(&got);
	assert_int_equal(got.own.counters.n, 0);
	/* without any there is no field */
	done.own.counters.n = 0;
	frame = encode_done(&done);
	assert_int_equal(decode_done(&frame, &got, &err), 0);
	assert_int_equal(got.own.counters.n, 0);
	frame_free(&frame);
	done_free(&got);
	free(got.latency);
	free(done.latency);
}

/* The field, as it is on the wire. */
static size_t put(uint8_t *bytes, size_t size, const struct counters *counters)
{
	struct cursor c = { .bytes = bytes, .size = size };

	done_code_counters(&c, (struct counters *)counters);
	assert_false(c.failed);
	return c.at;
}

TEST(test_refused)
{
	/* offsets into the field of list[] */
	static const struct {
		size_t offset;
		unsigned int size;
		uint64_t value;
		const char *text;	/* NULL: is taken */
	} rows[] = {
		{ 0, 8, 1ULL << 60, NULL },
		{ 0, 8, (1ULL << 60) + 1, "time of the counters 1152921504" },
		{ 8, 2, 0, "number of counters 0: expected 1 to 4096" },
		{ 8, 2, 4097, "number of counters 4097" },
		{ 8, 2, 0xffff, "number of counters 65535" },
		{ 12, 1, 'z', "counter 'netdev.rx_errors' after 'zink_down" },
		{ 12, 1, ',', "a DONE with counter ',ink_downed' after ''" },
		/* not ASCII */
		{ 12, 1, 0xe4, NULL },
		{ 23, 1, 2, "known counter 2: expected 0 to 1" },
		{ 23, 1, 0, "counter 3: expected 0 to 0" },
		{ 24, 8, 1ULL << 60, NULL },
		{ 24, 8, (1ULL << 60) + 1, "counter 1152921504606846977" },
		{ 24, 8, UINT64_MAX, "counter 18446744073709551615" },
		{ 50, 1, 1, NULL },
		{ 51, 8, 1, "counter 1: expected 0 to 0" },
	};
	const struct counters counters = { 99, 3, list };
	uint8_t bytes[200];

	for (size_t i = 0; i < COUNT(rows); i++) {
		const size_t size = put(bytes, sizeof(bytes), &counters);
		struct counters got;
		struct error err;
		bool complete;
		int ret;

		for (unsigned int k = 0; k < rows[i].size; k++)
			bytes[rows[i].offset + k] = (uint8_t)(
				rows[i].value >> (8 * (rows[i].size - 1 - k)));
		ret = get(bytes, size, &got, &complete, &err);
		counters_free(&got);
		if (ret != (rows[i].text ? -EPROTO : 0))
			fail_msg("row %zu gave %d '%s'", i, ret, err.message);
		if (rows[i].text)
			assert_contains(error_text(&err), rows[i].text);
	}
}

/* A name twice, and one that is too long. */
TEST(test_names_refused)
{
	struct counter twice[] = { { "a", true, 1 }, { "a", true, 2 } };
	struct counter empty[] = { { "", true, 1 } };
	struct counters counters = { 1, 2, twice }, got;
	uint8_t bytes[200];
	struct error err;
	bool complete;
	size_t size = put(bytes, sizeof(bytes), &counters);

	assert_int_equal(get(bytes, size, &got, &complete, &err), -EPROTO);
	assert_contains(error_text(&err), "counter 'a' after 'a'");
	counters_free(&got);
	counters = (struct counters){ 1, 1, empty };
	size = put(bytes, sizeof(bytes), &counters);
	assert_int_equal(get(bytes, size, &got, &complete, &err), -EPROTO);
	assert_contains(error_text(&err), "counter '' after ''");
	counters_free(&got);
	memset(bytes, 'x', sizeof(bytes));
	memset(bytes, 0, 12);
	bytes[9] = 1;
	bytes[11] = COUNTER_NAME_SIZE - 1;
	assert_int_equal(get(bytes, 12 + COUNTER_NAME_SIZE - 1 + 9, &got,
			     &complete, &err), -EPROTO);
	assert_contains(error_text(&err), "known counter 120");
	counters_free(&got);
	bytes[11] = COUNTER_NAME_SIZE;
	assert_int_equal(get(bytes, sizeof(bytes), &got, &complete, &err), 0);
	assert_false(complete);
	counters_free(&got);
}

TEST(test_cut_off)
{
	const struct counters counters = { 99, 3, list };
	uint8_t bytes[200];
	const size_t size = put(bytes, sizeof(bytes), &counters);
	struct counters got;
	struct error err;
	bool complete;

	for (size_t i = 0; i < size; i++) {
		assert_int_equal(get(bytes, i, &got, &complete, &err), 0);
		assert_false(complete);
		counters_free(&got);
	}
	assert_int_equal(get(bytes, size, &got, &complete, &err), 0);
	assert_true(complete);
	counters_free(&got);
}

/* As many as there can be, beside the largest histogram. */
TEST(test_the_largest)
{
	struct done done = sample_done(), got = { 0 };
	struct counter *many = calloc(COUNTERS_MAX, sizeof(*many));
	struct error err = { 0 };
	struct frame frame;

	for (int i = 0; i < COUNTERS_MAX; i++) {
		memset(many[i].name, 'x', COUNTER_NAME_SIZE - 1);
		many[i].name[0] = (char)('0' + i / 256);
		many[i].name[1] = (char)('0' + i / 16 % 16);
		many[i].name[2] = (char)('0' + i % 16);
		many[i].known = true;
		many[i].value = COUNTER_RISE_MAX;
	}
	for (uint32_t i = 0; i < HISTOGRAM_BINS; i++)
		histogram_record(done.latency, histogram_bin_low(i));
	done.own.counters = (struct counters){ 1, COUNTERS_MAX, many };
	frame = encode_done(&done);
	assert_true(frame.length <= frame_limit(FRAME_DONE));
	got.latency = histogram_new();
	if (decode_done(&frame, &got, &err))
		fail_msg("%s", err.message);
	assert_int_equal(got.own.counters.n, COUNTERS_MAX);
	assert_string_equal(got.own.counters.list[COUNTERS_MAX - 1].name,
			    many[COUNTERS_MAX - 1].name);
	frame_free(&frame);
	done_free(&got);
	free(got.latency);
	free(done.latency);
	free(many);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_there_and_back),
	cmocka_unit_test(test_refused),
	cmocka_unit_test(test_names_refused),
	cmocka_unit_test(test_cut_off),
	cmocka_unit_test(test_the_largest),
};

TEST_MAIN(tests, 20)
