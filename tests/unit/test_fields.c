/* Each field of a frame out of its range is refused, by its name. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "samples.h"

/* Offsets into the payloads of golden.h. */
struct field {
	enum frame_type type;
	size_t offset;
	unsigned int size;
	uint64_t value;
	const char *text;	/* NULL: is taken */
};

#define SECOND 1000000000ULL
#define REAL_NAN 0x7ff8000000000000ULL
#define REAL_INFINITE 0x7ff0000000000000ULL
#define REAL_MINUS_1 0xbff0000000000000ULL

// clang-format off
static const struct field fields[] = {
	{ FRAME_PLAN, 22, 1, 0, "PLAN with active MTU 0: allowed are 1 to 5" },
	{ FRAME_PLAN, 22, 1, 6, "active MTU 6: allowed are 1 to 5" },
	{ FRAME_PLAN, 59, 2, 129, "number of GIDs 129: allowed are 0 to 128" },
	{ FRAME_PLAN, 59, 2, 0xffff, "number of GIDs 65535" },
	{ FRAME_PLAN, 82, 1, 3, "operation 3: allowed are 0 to 2" },
	{ FRAME_PLAN, 83, 1, 2, "metric 2: allowed are 0 to 1" },
	{ FRAME_PLAN, 84, 2, 16, "number of parameters 16: allowed are 17 to 17" },
	{ FRAME_PLAN, 84, 2, 18, "number of parameters 18" },
	{ FRAME_PLAN, 86, 2, 3, "parameter 3 where 2 (--iterations) is due" },
	{ FRAME_PLAN, 88, 8, 1000000000000, NULL },
	{ FRAME_PLAN, 88, 8, 1000000000001, "iterations 1000000000001" },
	{ FRAME_PLAN, 88, 8, 0, NULL },
	{ FRAME_PLAN, 98, 8, 86401 * SECOND, "duration 86401000000000" },
	{ FRAME_PLAN, 108, 8, 3601 * SECOND, "warmup 3601000000000" },
	{ FRAME_PLAN, 118, 8, 0, "timeout 0: allowed are 1000000000 to" },
	{ FRAME_PLAN, 118, 8, SECOND - 1, "timeout 999999999" },
	{ FRAME_PLAN, 128, 8, 0, "qps 0: allowed are 1 to 1024" },
	{ FRAME_PLAN, 128, 8, 1025, "qps 1025: allowed are 1 to 1024" },
	{ FRAME_PLAN, 128, 8, 0x100000001, "qps 4294967297" },
	{ FRAME_PLAN, 138, 8, 0, "tx-depth 0: allowed are 1 to 65536" },
	{ FRAME_PLAN, 138, 8, PLAN_AUTO, NULL },
	{ FRAME_PLAN, 138, 8, 65537, "tx-depth 65537" },
	{ FRAME_PLAN, 148, 8, 0, "rx-depth 0: allowed" },
	{ FRAME_PLAN, 148, 8, 65537, "rx-depth 65537" },
	{ FRAME_PLAN, 158, 8, 0, "cq-mod 0: allowed" },
	{ FRAME_PLAN, 158, 8, 7, NULL },
	{ FRAME_PLAN, 168, 8, 255, "mtu 255: allowed" },
	{ FRAME_PLAN, 168, 8, PLAN_AUTO, NULL },
	{ FRAME_PLAN, 178, 8, 256, "outstanding-reads 256" },
	{ FRAME_PLAN, 188, 8, 32, "qp-timeout 32: allowed are 0 to 31" },
	{ FRAME_PLAN, 198, 8, 16, "sl 16: allowed are 0 to 15" },
	{ FRAME_PLAN, 208, 8, (1ULL << 31) + 1, "walk 2147483649" },
	{ FRAME_PLAN, 218, 8, 0, "post-list 0: allowed are 1 to 1024" },
	{ FRAME_PLAN, 218, 8, 1025, "post-list 1025" },
	{ FRAME_PLAN, 228, 8, 0, NULL },
	{ FRAME_PLAN, 228, 8, 3, "post 3: allowed are 0 to 2" },
	{ FRAME_PLAN, 228, 8, 1ULL << 32, "post 4294967296: allowed" },
	{ FRAME_PLAN, 238, 8, 0, "threads 0: allowed are 1 to 64" },
	{ FRAME_PLAN, 238, 8, 65, "threads 65: allowed are 1 to 64" },
	{ FRAME_PLAN, 248, 8, 0, NULL },
	{ FRAME_PLAN, 248, 8, 2, "round-trip 2: allowed are 0 to 1" },
	{ FRAME_PLAN, 248, 8, 1ULL << 63, "round-trip 9223372036854775808" },
	{ FRAME_PLAN, 256, 2, 0, "number of sizes 0: allowed are 1 to 64" },
	{ FRAME_PLAN, 256, 2, 65, "number of sizes 65: allowed are 1 to 64" },
	{ FRAME_PLAN, 258, 8, (1ULL << 31) + 1, "size 2147483649" },
	{ FRAME_PLAN, 258, 8, 1ULL << 31, NULL },
	{ FRAME_ACCEPT, 0, 2, 64, "ACCEPT" },
	{ FRAME_ACCEPT, 22, 1, 9, "ACCEPT with active MTU 9" },
	{ FRAME_ENDPOINT, 28, 1, 0, "MTU 0: allowed are 1 to 5" },
	{ FRAME_ENDPOINT, 28, 1, 6, "MTU 6" },
	{ FRAME_ENDPOINT, 33, 8, UINT64_MAX, "length 8192: allowed are 1 to 0" },
	{ FRAME_ENDPOINT, 41, 8, 0, "length 0: allowed" },
	{ FRAME_ENDPOINT, 41, 8, 4097, "stride 4096: allowed are 1 to 2048" },
	{ FRAME_ENDPOINT, 49, 8, 0, "stride 0: allowed are 1 to 4096" },
	{ FRAME_ENDPOINT, 49, 8, 4097, "stride 4097: allowed are 1 to 4096" },
	{ FRAME_ENDPOINT, 57, 4, 0, "number of QPs 0: allowed are 1 to 16384" },
	{ FRAME_ENDPOINT, 57, 4, 16385, "number of QPs 16385" },
	{ FRAME_ENDPOINT, 57, 4, 1, "ENDPOINT with 8 bytes too many" },
	{ FRAME_ENDPOINT, 61, 4, 1 << 24, "QPN 16777216: allowed are 0 to 16777215" },
	{ FRAME_ENDPOINT, 65, 4, 1 << 24, "PSN 16777216: allowed are 0 to 16777215" },
	{ FRAME_DONE, 0, 8, 1ULL << 63, "posted 9223372036854775808" },
	{ FRAME_DONE, 8, 8, UINT64_MAX, "received 18446744073709551615" },
	{ FRAME_DONE, 16, 8, 111, "counted 111: allowed are 0 to 110" },
	{ FRAME_DONE, 24, 8, UINT64_MAX, "window 18446744073709551615" },
	{ FRAME_DONE, 32, 1, 3, "post method 3: allowed are 0 to 2" },
	{ FRAME_DONE, 33, 2, 16, "DONE" },
	{ FRAME_DONE, 38, 8, REAL_NAN, "clock resolution" },
	{ FRAME_DONE, 46, 8, REAL_INFINITE, "clock cost inf" },
	{ FRAME_DONE, 54, 8, REAL_NAN, NULL },
	{ FRAME_DONE, 54, 8, REAL_MINUS_1, "deviation -1" },
	{ FRAME_DONE, 70, 4, 65, "number of threads 65: allowed are 0 to 64" },
	{ FRAME_DONE, 70, 4, UINT32_MAX, "number of threads 4294967295" },
	{ FRAME_DONE, 122, 4, 11, "number of intervals 11: allowed are 0 to 10" },
	{ FRAME_DONE, 122, 4, UINT32_MAX, "number of intervals 4294967295" },
	{ FRAME_DONE, 150, 8, 1000002, "start of an interval 1000002" },
	{ FRAME_DONE, 134, 8, 0, "length of an interval 0" },
	{ FRAME_DONE, 158, 8, 500002, "length of an interval 500002" },
	{ FRAME_DONE, 166, 8, 51, "messages of an interval 51: allowed are 0 to 50" },
	{ FRAME_DONE, 166, 8, 49, "messages in no interval 1" },
	{ FRAME_DONE, 198, 8, 9001, "sum 9001: allowed are 3000 to 9000" },
	{ FRAME_DONE, 190, 8, 1ULL << 63, "maximum 9223372036854775808" },
	{ FRAME_DONE, 62, 8, REAL_MINUS_1, "tick -1: must be at least 0" },
	{ FRAME_DONE, 182, 8, 3001, "minimum 3001: allowed are 0 to 3000" },
	{ FRAME_DONE, 214, 8, REAL_NAN, "squares" },
	{ FRAME_DONE, 222, 4, 0, "number of bins 0" },
	{ FRAME_DONE, 222, 4, UINT32_MAX, "number of bins 4294967295" },
	{ FRAME_DONE, 174, 8, 4, "samples in no bin 1" },
	{ FRAME_DONE, 174, 8, 2, "count 1: allowed are 1 to 0" },
	{ FRAME_DONE, 226, 4, HISTOGRAM_BINS, "bin 35840: allowed are 1000 to 1000" },
	{ FRAME_DONE, 238, 4, 1000, "bin 1000: allowed are 1001 to 2524" },
	{ FRAME_DONE, 230, 8, 0, "count 0: allowed are 1 to 3" },
};
// clang-format on

static const struct sample *find_sample(enum frame_type type)
{
	for (size_t i = 0; i < n_samples; i++)
		if (samples[i].type == type)
			return &samples[i];
	return NULL;
}

TEST(test_fields)
{
	for (size_t i = 0; i < COUNT(fields); i++) {
		const struct field *f = &fields[i];
		const struct sample *s = find_sample(f->type);
		struct frame frame = sample_frame(s->type, s->bytes, s->size);
		struct error err = { 0 };
		int ret;

		for (unsigned int k = 0; k < f->size; k++)
			frame.bytes[WIRE_HEADER_SIZE + f->offset + k] =
				(uint8_t)(f->value >> (8 * (f->size - 1 - k)));
		ret = sample_decode(&frame, &err);
		frame_free(&frame);
		if (ret != (f->text ? -EPROTO : 0))
			fail_msg("row %zu (%s) gave %d '%s'", i,
				 f->text ? f->text : "is taken", ret,
				 err.message);
		if (f->text)
			assert_contains(err.message, f->text);
	}
}

/* Nothing is decoded into the caller's when it is refused. */
TEST(test_output_only_on_success)
{
	const struct sample *s = find_sample(FRAME_ENDPOINT);
	struct frame frame = sample_frame(s->type, s->bytes, s->size);
	struct endpoint untouched, endpoint;
	struct error err = { 0 };

	memset(&endpoint, 0x5a, sizeof(endpoint));
	untouched = endpoint;
	frame.length--;
	assert_int_equal(decode_endpoint(&frame, &endpoint, &err), -EPROTO);
	assert_memory_equal(&endpoint, &untouched, sizeof(endpoint));
	frame_free(&frame);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_fields),
	cmocka_unit_test(test_output_only_on_success),
};

TEST_MAIN(tests, 10)
