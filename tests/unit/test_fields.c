/* Each field of a frame out of its range is refused, by its name. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "base/time.h"
#include "model/inject.h"
#include "samples.h"

/* Offsets into the payloads of golden.h and golden_plan.h. */
struct field_row {
	enum frame_type type;
	size_t offset;
	unsigned int size;
	uint64_t value;
	const char *text;	/* NULL: is taken */
};

#define REAL_NAN 0x7ff8000000000000ULL
#define REAL_INFINITE 0x7ff0000000000000ULL
#define REAL_MINUS_1 0xbff0000000000000ULL

/* PLAN: the port, operation and metric, and the list of parameters. */
#define PORT_SIZE 114
#define GIDS (PORT_SIZE - 25)	/* and one of them */
#define LIST (PORT_SIZE + 2)
#define PARAMETERS 48
#define FIRST (LIST + 2)
/* In place of an offset: the value of parameter ID, or what is PLACE before
 * it. */
#define VALUE_OF(id) ((size_t)(id) << 16)
#define BEFORE(id, place) (VALUE_OF(id) + (place))
#define LENGTH 4
#define HEAD_OF(name) (3 + 2 + sizeof(name) - 1 + LENGTH)
/* A row of fields[]: number ID with VALUE. */
#define PLAN(id, value, text) { FRAME_PLAN, VALUE_OF(id), 8, value, text }
#define FLAG(id, name) \
	PLAN(id, 0, NULL), \
	PLAN(id, 2, name " 2: expected 0 to 1"), \
	PLAN(id, 1ULL << 63, name " 9223372036854775808: expected")

// clang-format off
static const struct field_row fields[] = {
	{ FRAME_HELLO, 13, 1, 0, NULL },
	{ FRAME_HELLO, 13, 1, 2, "HELLO with key 2: expected 0 to 1" },
	{ FRAME_PLAN, 22, 1, 0, "PLAN with active MTU 0: expected 1 to 5" },
	{ FRAME_PLAN, 22, 1, 6, "active MTU 6: expected 1 to 5" },
	{ FRAME_PLAN, GIDS, 2, 129, "number of GIDs 129: expected 0 to 128" },
	{ FRAME_PLAN, GIDS, 2, 0xffff, "number of GIDs 65535" },
	{ FRAME_PLAN, PORT_SIZE, 1, OP_COUNT, "PLAN with operation" },
	{ FRAME_PLAN, PORT_SIZE, 1, 255, "operation 255: expected 0 to" },
	{ FRAME_PLAN, PORT_SIZE + 1, 1, 3, "metric 3: expected 0 to 2" },
	{ FRAME_PLAN, PORT_SIZE - 2, 2, 1, "PLAN" },
	{ FRAME_PLAN, LIST, 2, PARAMETERS - 1, "PLAN with 34 bytes too many" },
	{ FRAME_PLAN, LIST, 2, PARAMETERS + 1, "malformed PLAN" },
	{ FRAME_PLAN, LIST, 2, 0xffff, "malformed PLAN" },
	{ FRAME_PLAN, LIST, 2, PARAMETERS, NULL },
	{ FRAME_PLAN, BEFORE(2, HEAD_OF("iterations")), 2, 1, "PLAN with field 1 (iterations) after field 1: the numbers must ascend" },
	{ FRAME_PLAN, BEFORE(36, HEAD_OF("hop-limit")), 2, 35, "field 35 (hop-limit) after field 35" },
	{ FRAME_PLAN, FIRST, 2, 0, "PLAN with field 0 (size) after field 0" },
	{ FRAME_PLAN, FIRST + 2, 1, 1, NULL },
	{ FRAME_PLAN, FIRST + 2, 1, 2, "flags of a field 2: expected 0 to 1" },
	{ FRAME_PLAN, BEFORE(48, HEAD_OF("perftest-defaults")), 2, 0x1000, "the client asks for --perftest-defaults, which this version does not know" },
	{ FRAME_PLAN, BEFORE(48, HEAD_OF("perftest-defaults")), 2, 0xffff, "asks for --perftest-defaults" },
	{ FRAME_PLAN, BEFORE(48, HEAD_OF("perftest-defaults")), 3, 0x100001, NULL },
	{ FRAME_PLAN, BEFORE(2, LENGTH), 4, 7, "PLAN with a value of 7 bytes for iterations, which is too short" },
	{ FRAME_PLAN, BEFORE(2, LENGTH), 4, 9, "PLAN with a value of 9 bytes for iterations, which is too long" },
	{ FRAME_PLAN, BEFORE(1, LENGTH), 4, 0, "number of sizes 0: expected 1 to 64" },
	{ FRAME_PLAN, BEFORE(1, LENGTH), 4, 65 * 8, "number of sizes 65: expected 1 to 64" },
	{ FRAME_PLAN, BEFORE(1, LENGTH), 4, 17, "with a value of 17 bytes for size, which is too long" },
	{ FRAME_PLAN, BEFORE(35, LENGTH), 4, 65 * 4, "number of flow labels 65: expected 0 to 64" },
	{ FRAME_PLAN, BEFORE(35, LENGTH), 4, 7, "with a value of 7 bytes for flow-label, which is too long" },
	{ FRAME_PLAN, BEFORE(48, LENGTH), 4, 7, "PLAN with a value of 7 bytes for perftest-defaults, which is too short" },
	{ FRAME_PLAN, BEFORE(48, LENGTH), 4, 9, "malformed PLAN" },
	{ FRAME_PLAN, BEFORE(48, LENGTH), 4, UINT32_MAX, "malformed PLAN" },
	PLAN(2, 1000000000000, NULL),
	PLAN(2, 1000000000001, "iterations 1000000000001"),
	PLAN(2, 0, NULL),
	PLAN(3, 604801 * SECOND, "duration 604801000000000"),
	PLAN(4, 3601 * SECOND, "warmup 3601000000000"),
	PLAN(5, 0, "timeout 0: expected 1000000000 to"),
	PLAN(5, SECOND - 1, "timeout 999999999"),
	PLAN(6, 0, "qps 0: expected 1 to 16384"),
	PLAN(6, 16385, "qps 16385: expected 1 to 16384"),
	PLAN(6, 0x100000001, "qps 4294967297"),
	PLAN(7, 0, "tx-depth 0: expected 1 to 65536"),
	PLAN(7, PLAN_AUTO, NULL),
	PLAN(7, 65537, "tx-depth 65537"),
	PLAN(8, 0, "rx-depth 0: expected"),
	PLAN(8, 65537, "rx-depth 65537"),
	PLAN(9, 0, "cq-mod 0: expected"),
	PLAN(9, 7, NULL),
	PLAN(10, 255, "mtu 255: expected"),
	PLAN(10, PLAN_AUTO, NULL),
	PLAN(11, 256, "outstanding-reads 256"),
	PLAN(12, PLAN_AUTO, NULL),
	PLAN(12, 32, "qp-timeout 32: expected 0 to 31"),
	PLAN(13, 16, "sl 16: expected 0 to 15"),
	PLAN(14, (1ULL << 31) + 1, "walk 2147483649"),
	PLAN(15, 0, "post-list 0: expected 1 to 1024"),
	PLAN(15, 1025, "post-list 1025"),
	PLAN(16, 0, NULL),
	PLAN(16, POST_METHODS, "PLAN with post "),
	PLAN(16, 1ULL << 32, "post 4294967296: expected"),
	PLAN(17, 0, "threads 0: expected 1 to 64"),
	PLAN(17, 65, "threads 65: expected 1 to 64"),
	FLAG(18, "round-trip"),
	PLAN(19, TRANSPORT_RC, NULL),
	PLAN(19, TRANSPORT_XRC, NULL),
	PLAN(19, TRANSPORTS, "PLAN with transport "),
	PLAN(19, 1ULL << 32, "transport 4294967296: expected"),
	FLAG(20, "bidirectional"),
	FLAG(21, "reversed"),
	FLAG(22, "imm"),
	PLAN(23, ATOMIC_FETCH_AND_ADD, NULL),
	PLAN(23, ATOMIC_TYPES, "PLAN with atomic-type "),
	PLAN(23, 1ULL << 32, "atomic-type 4294967296: expected"),
	FLAG(24, "all"),
	PLAN(25, 0, NULL),
	PLAN(25, 65536, NULL),
	PLAN(25, PLAN_AUTO, NULL),
	PLAN(25, 65537, "inline 65537: expected 0 to 65536"),
	PLAN(25, 0x100000000, "inline 4294967296: expected"),
	PLAN(26, 0, "recv-post-list 0: expected 1 to 1024"),
	PLAN(26, 1024, NULL),
	PLAN(26, 1025, "recv-post-list 1025"),
	FLAG(27, "srq"),
	FLAG(28, "events"),
	PLAN(29, 0, NULL),
	PLAN(29, 1, NULL),
	PLAN(29, RATE_MAX, NULL),
	PLAN(29, RATE_MESSAGES | RATE_MAX, NULL),
	PLAN(29, RATE_MAX + 1, "PLAN with rate 1000000000000001"),
	PLAN(29, RATE_MESSAGES, "PLAN with rate 9223372036854775808"),
	PLAN(29, RATE_MESSAGES | (RATE_MAX + 1), "PLAN with rate 922437"),
	PLAN(29, UINT64_MAX, "PLAN with rate 18446744073709551615"),
	PLAN(30, 0, "burst 0: expected 1 to 65536"),
	PLAN(30, 65536, NULL),
	PLAN(30, 65537, "burst 65537"),
	PLAN(31, ARRIVAL_FIXED, NULL),
	PLAN(31, ARRIVALS, "PLAN with arrival "),
	PLAN(32, 0, "depth 0: expected 1 to 1024"),
	PLAN(32, 1024, NULL),
	PLAN(32, 1025, "depth 1025"),
	PLAN(33, 255, NULL),
	PLAN(33, 256, "tclass 256: expected 0 to 255"),
	PLAN(34, 0, NULL),
	PLAN(34, 63, NULL),
	PLAN(34, PLAN_AUTO, NULL),
	PLAN(34, 64, "dscp 64: expected 0 to 63"),
	PLAN(36, 0, "hop-limit 0: expected 1 to 255"),
	PLAN(36, 255, NULL),
	PLAN(36, 256, "hop-limit 256"),
	PLAN(37, 0, NULL),
	PLAN(37, 7, NULL),
	PLAN(37, 8, "retry-count 8: expected 0 to 7"),
	PLAN(38, 0, NULL),
	PLAN(38, 7, NULL),
	PLAN(38, 8, "rnr-retry 8: expected 0 to 7"),
	PLAN(39, 0, NULL),
	PLAN(39, 31, NULL),
	PLAN(39, 32, "min-rnr-timer 32: expected 0 to 31"),
	FLAG(40, "hugepages"),
	FLAG(41, "mr-per-qp"),
	FLAG(42, "relaxed-ordering"),
	FLAG(43, "odp"),
	FLAG(44, "verify"),
	PLAN(45, 0, NULL),
	PLAN(45, SECOND / 100 - 1, "interval 9999999: expected 10000000 to"),
	PLAN(45, 3601 * SECOND, "interval 3601000000000"),
	FLAG(46, "check"),
	PLAN(47, 0, NULL),
	PLAN(47, INJECT_COUNT - 1, NULL),
	PLAN(47, INJECT_COUNT, "inject"),
	{ FRAME_PLAN, VALUE_OF(1), 8, (1ULL << 31) + 1, "size 2147483649" },
	{ FRAME_PLAN, VALUE_OF(1), 8, 1ULL << 31, NULL },
	{ FRAME_PLAN, BEFORE(2, HEAD_OF("iterations") + 8), 8, (1ULL << 31) + 1, "size 2147483649" },
	{ FRAME_PLAN, BEFORE(36, HEAD_OF("hop-limit") + 4), 4, 1 << 20, "flow label 1048576" },
	{ FRAME_PLAN, VALUE_OF(35), 4, 0xfffff, NULL },
	{ FRAME_PLAN, VALUE_OF(35), 4, 1 << 20, "flow label 1048576: expected 0 to 1048575" },
	{ FRAME_PLAN, VALUE_OF(35), 4, UINT32_MAX, "flow label 4294967295" },
	{ FRAME_ACCEPT, 0, 2, 64, "ACCEPT" },
	{ FRAME_ACCEPT, 22, 1, 9, "ACCEPT with active MTU 9" },
	{ FRAME_ACCEPT, 112, 2, 1, "malformed ACCEPT" },
	{ FRAME_ENDPOINT, 28, 1, 0, "MTU 0: expected 1 to 5" },
	{ FRAME_ENDPOINT, 28, 1, 6, "MTU 6" },
	{ FRAME_ENDPOINT, 33, 8, UINT64_MAX, "length 8192: expected 1 to 0" },
	{ FRAME_ENDPOINT, 41, 8, 0, "length 0: expected" },
	{ FRAME_ENDPOINT, 41, 8, 4097, "stride 4096: expected 1 to 2048" },
	{ FRAME_ENDPOINT, 49, 8, 0, "stride 0: expected 1 to 4096" },
	{ FRAME_ENDPOINT, 49, 8, 4097, "stride 4097: expected 1 to 4096" },
	{ FRAME_ENDPOINT, 57, 4, 0, "number of QPs 0: expected 1 to 16384" },
	{ FRAME_ENDPOINT, 57, 4, 16385, "number of QPs 16385" },
	{ FRAME_ENDPOINT, 57, 4, 1, "malformed ENDPOINT" },
	{ FRAME_ENDPOINT, 61, 4, 1 << 24, "QPN 16777216: expected 0 to 16777215" },
	{ FRAME_ENDPOINT, 65, 4, 1 << 24, "PSN 16777216: expected 0 to 16777215" },
	{ FRAME_ENDPOINT, 69, 4, UINT32_MAX, NULL },
	{ FRAME_ENDPOINT, 73, 4, 1 << 24, "QPN 16777216" },
	{ FRAME_ENDPOINT, 85, 2, 1, "malformed ENDPOINT" },
	{ FRAME_READY, 0, 4, 16, "READY with sl 16: expected 0 to 15" },
	{ FRAME_READY, 0, 4, UINT32_MAX, NULL },
	{ FRAME_READY, 20, 4, 4097, "path_mtu 4097: expected 0 to 4096" },
	{ FRAME_READY, 40, 4, 255, NULL },
	{ FRAME_READY, 40, 4, 256, "max_rd_atomic 256: expected 0 to 255" },
	{ FRAME_WAIT, 0, 4, 0, "WAIT with clients 0: expected 1 to 65535" },
	{ FRAME_WAIT, 0, 4, 65535, NULL },
	{ FRAME_WAIT, 0, 4, 65536, "clients 65536" },
	{ FRAME_SENT, 0, 4, 0, "SENT with number of threads 0: expected 1 to 64" },
	{ FRAME_SENT, 0, 4, 65, "number of threads 65: expected 1 to 64" },
	{ FRAME_SENT, 0, 4, UINT32_MAX, "number of threads 4294967295" },
	{ FRAME_SENT, 0, 4, 1, "SENT with 8 bytes too many" },
	{ FRAME_SENT, 0, 4, 3, "malformed SENT" },
	{ FRAME_SENT, 4, 8, COUNT_MAX, NULL },
	{ FRAME_SENT, 12, 8, COUNT_MAX + 1, "messages 1152921504606846977" },
	{ FRAME_DONE, 0, 8, 1ULL << 63, "posted 9223372036854775808" },
	{ FRAME_DONE, 8, 8, UINT64_MAX, "received 18446744073709551615" },
	{ FRAME_DONE, 24, 8, UINT64_MAX, "window 18446744073709551615" },
	{ FRAME_DONE, 32, 8, COUNT_MAX, NULL },
	{ FRAME_DONE, 32, 8, COUNT_MAX + 1, "lost 1152921504606846977" },
	{ FRAME_DONE, 40, 8, COUNT_MAX, NULL },
	{ FRAME_DONE, 40, 8, COUNT_MAX + 1, "late 1152921504606846977" },
	/* what is left out later if it cannot be */
	{ FRAME_DONE, 48, 8, UINT64_MAX, NULL },
	{ FRAME_DONE, 56, 8, UINT64_MAX, NULL },
	{ FRAME_DONE, 64, 8, UINT64_MAX, NULL },
	{ FRAME_DONE, 72, 8, UINT64_MAX, NULL },
	{ FRAME_DONE, 80, 1, 255, NULL },
	{ FRAME_DONE, 81, 4, UINT32_MAX, NULL },
	{ FRAME_DONE, 90, 8, REAL_NAN, NULL },
	{ FRAME_DONE, 98, 8, REAL_INFINITE, NULL },
	{ FRAME_DONE, 106, 8, REAL_MINUS_1, NULL },
	{ FRAME_DONE, 114, 8, REAL_MINUS_1, NULL },
	{ FRAME_DONE, 186, 8, 0, NULL },
	{ FRAME_DONE, 202, 8, UINT64_MAX, NULL },
	{ FRAME_DONE, 85, 2, 16, "DONE" },
	{ FRAME_DONE, 122, 4, 65, "number of threads 65: expected 0 to 64" },
	{ FRAME_DONE, 122, 4, UINT32_MAX, "number of threads 4294967295" },
	{ FRAME_DONE, 174, 4, 14, "number of intervals 14: expected 0 to 13" },
	{ FRAME_DONE, 174, 4, UINT32_MAX, "number of intervals 4294967295" },
	{ FRAME_DONE, 250, 8, 9001, "sum 9001: expected 3000 to 9000" },
	{ FRAME_DONE, 242, 8, 1ULL << 63, "maximum 9223372036854775808" },
	{ FRAME_DONE, 234, 8, 3001, "minimum 3001: expected 0 to 3000" },
	{ FRAME_DONE, 266, 8, REAL_NAN, "squares nan" },
	{ FRAME_DONE, 258, 8, 3001, "origin 3001: expected 1000 to 3000" },
	{ FRAME_DONE, 266, 8, REAL_INFINITE, "squares inf" },
	{ FRAME_DONE, 266, 8, 0x4150000000000000ULL, "squares 4.1943e+06: expected" },
	{ FRAME_DONE, 274, 4, 0, "number of bins 0" },
	{ FRAME_DONE, 274, 4, UINT32_MAX, "number of bins 4294967295" },
	{ FRAME_DONE, 226, 8, 4, "samples in no bin 1" },
	{ FRAME_DONE, 226, 8, 2, "count 1: expected 1 to 0" },
	{ FRAME_DONE, 278, 4, HISTOGRAM_BINS, "bin 35840: expected 1000 to 1000" },
	{ FRAME_DONE, 290, 4, 1000, "bin 1000: expected 1001 to 2524" },
	{ FRAME_DONE, 282, 8, 0, "count 0: expected 1 to 3" },
	{ FRAME_DONE, 314, 2, 1, "malformed DONE" },
};
// clang-format on

static const struct sample *find_sample(enum frame_type type)
{
	for (size_t i = 0; i < n_samples; i++)
		if (samples[i].type == type)
			return &samples[i];
	return NULL;
}

static uint64_t number_at(const uint8_t *bytes, unsigned int size)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < size; i++)
		value = value << 8 | bytes[i];
	return value;
}

/* Where the value of parameter ID begins in PAYLOAD, a PLAN. */
static size_t value_of(const uint8_t *payload, uint64_t id)
{
	size_t at = FIRST;

	for (;;) {
		uint64_t this_id = number_at(payload + at, 2);

		at += 3 + 2 + number_at(payload + at + 3, 2) + LENGTH;
		if (this_id == id)
			return at;
		at += number_at(payload + at - LENGTH, LENGTH);
	}
}

static size_t offset_of(const struct field_row *f, const uint8_t *payload)
{
	if (f->offset < VALUE_OF(1))
		return f->offset;
	return value_of(payload, f->offset >> 16) - (f->offset & 0xffff);
}

TEST(test_fields)
{
	for (size_t i = 0; i < COUNT(fields); i++) {
		const struct field_row *f = &fields[i];
		const struct sample *s = find_sample(f->type);
		struct frame frame = sample_frame(s->type, s->bytes, s->size);
		struct error err = { 0 };
		uint8_t *payload = frame.bytes + WIRE_HEADER_SIZE, *at;
		int ret;

		at = payload + offset_of(f, payload);
		for (unsigned int k = 0; k < f->size; k++)
			at[k] = (uint8_t)(f->value >> (8 * (f->size - 1 - k)));
		ret = sample_decode(&frame, &err);
		frame_free(&frame);
		if (ret != (f->text ? -EPROTO : 0))
			fail_msg("row %zu (%s) gave %d '%s'", i,
				 f->text ? f->text : "is taken", ret,
				 err.message);
		if (f->text)
			assert_contains(error_text(&err), f->text);
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
