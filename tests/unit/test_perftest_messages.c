/* What perftest's ends say, against the bytes of recorded runs, and the order
 * in which they say it. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "perftest/message.h"
#include "perftest/schedule.h"

static struct version version;
static struct key key;
static struct report report;

static int decode_version(const char *text, size_t size)
{
	uint8_t bytes[VERSION_SIZE] = { 0 };

	memcpy(bytes, text, size);
	return version_decode(bytes, &version);
}

TEST(versions)
{
	static const struct {
		const char *text;
		uint32_t number;
	} known[] = {
		{ "6.06", 606 }, { "6.29", 629 }, { "5.6", 560 },
		{ "5.80", 580 }, { "5.92", 592 }, { "10.01", 1001 },
	};

	for (size_t i = 0; i < COUNT(known); i++) {
		assert_int_equal(decode_version(known[i].text,
						strlen(known[i].text)), 0);
		assert_int_equal(version.number, known[i].number);
		assert_string_equal(version.text, known[i].text);
		assert_false(version.is_verbsperf);
	}
}

TEST(no_versions)
{
	static const char *const none[] = {
		"", ".", "6", "6.", ".06", "6.0a", "a6.06", "-6.06", " 6.06",
		"6 .06", "6. 6", "6.-6", "6.+6", "+6.06", "6..6", "vbsp",
		"123.45", "6.060", "6.06x", "GET / HTTP/1.1",
		"6.06............",
	};

	version.number = 7;
	for (size_t i = 0; i < COUNT(none); i++) {
		if (!decode_version(none[i], strlen(none[i])))
			fail_msg("'%s' is a version", none[i]);
		assert_int_equal(version.number, 7);
	}
}

/* perftest reads a number and skips the rest. */
TEST(a_verbsperf_says_so_in_the_padding)
{
	uint8_t bytes[VERSION_SIZE];

	version_encode(VERSION_SAID, bytes);
	assert_memory_equal(bytes, "6.06\0verbsperf\0", VERSION_SIZE);
	assert_int_equal(version_decode(bytes, &version), 0);
	assert_true(version.is_verbsperf);
	bytes[13] ^= 1;
	assert_int_equal(version_decode(bytes, &version), 0);
	assert_false(version.is_verbsperf);
	bytes[15] = 1;
	assert_int_equal(version_decode(bytes, &version), -EPROTO);
	version_encode(VERSION_TOLD, bytes);
	assert_memory_equal(bytes, "6.28\0verbsperf\0", VERSION_SIZE);
}

TEST(sizes)
{
	static const uint32_t wrong[] = { 0, 3, 4095, SIZE_MOST * 2,
					  0x80000000 };
	uint8_t bytes[SIZE_SIZE];
	uint32_t value;

	size_encode(4096, bytes);
	assert_memory_equal(bytes, "\0\0\x10\0", 4);
	for (uint32_t size = 1; size <= SIZE_MOST; size *= 2) {
		size_encode(size, bytes);
		assert_int_equal(size_decode(bytes, &value), 0);
		assert_int_equal(value, size);
	}
	for (size_t i = 0; i < COUNT(wrong); i++) {
		size_encode(wrong[i], bytes);
		assert_int_equal(size_decode(bytes, &value), -EPROTO);
	}
}

TEST(mtus)
{
	uint8_t bytes[MTU_SIZE], mtu;

	mtu_encode(IBV_MTU_1024, bytes);
	assert_memory_equal(bytes, "3", 2);
	for (int first = 0; first < 256; first++) {
		const uint8_t said[MTU_SIZE] = { (uint8_t)first };
		const bool is = first >= '1' && first <= '5';

		assert_int_equal(mtu_decode(said, &mtu), is ? 0 : -EPROTO);
		if (is)
			assert_int_equal(mtu, first - '0');
	}
	assert_int_equal(mtu_decode((const uint8_t *)"33", &mtu), -EPROTO);
}

#define WITH_GID \
	"0000:0001:000011:6d808b:00000309:00005566e1e51000:00:00:00:00:00:00:" \
	"00:00:00:00:ff:ff:0a:09:00:01:00000000:"
#define WITHOUT_GID "000a:0010:00abcd:6d808b:00000309:00005566e1e51000:00000000"

static const struct key with_gid = {
	.reads = 1,
	.qp = { .qpn = 0x11, .psn = 0x6d808b, .rkey = 0x309,
		.va = 0x5566e1e51000 },
	.gid.raw = { [10] = 0xff, 0xff, 0x0a, 0x09, 0x00, 0x01 },
};

TEST(keys)
{
	static const struct key lid = {
		.lid = 10, .reads = 16,
		.qp = { .qpn = 0xabcd, .psn = 0x6d808b, .rkey = 0x309,
			.va = 0x5566e1e51000 },
	};
	uint8_t bytes[KEY_SIZE_GID];

	assert_int_equal(sizeof(WITH_GID), KEY_SIZE_GID);
	assert_int_equal(sizeof(WITHOUT_GID), KEY_SIZE_LID);
	key_encode(&with_gid, true, bytes);
	assert_memory_equal(bytes, WITH_GID, KEY_SIZE_GID);
	assert_true(key_is_global(bytes));
	assert_int_equal(key_decode(bytes, true, &key), 0);
	assert_memory_equal(&key, &with_gid, sizeof(key));
	key_encode(&lid, false, bytes);
	assert_memory_equal(bytes, WITHOUT_GID, KEY_SIZE_LID);
	assert_false(key_is_global(bytes));
	assert_int_equal(key_decode(bytes, false, &key), 0);
	assert_memory_equal(&key, &lid, sizeof(key));
}

/* Any byte that is another one than its place allows. */
static void check_every_byte(const char *text, bool global)
{
	uint8_t bytes[KEY_SIZE_GID];

	for (size_t i = 0; i < key_size(global); i++)
		for (int byte = 0; byte < 256; byte++) {
			const bool fine = text[i] == ':' || !text[i] ?
				byte == text[i] :
				byte && strchr("0123456789abcdefABCDEF", byte);

			memcpy(bytes, text, key_size(global));
			bytes[i] = (uint8_t)byte;
			assert_int_equal(key_decode(bytes, global, &key),
					 fine ? 0 : -EPROTO);
		}
}

TEST(a_wrong_byte_of_a_key_is_refused)
{
	check_every_byte(WITH_GID, true);
	check_every_byte(WITHOUT_GID, false);
}

/* The report of ib_write_bw -q 2 -n 20. */
TEST(reports)
{
	static const uint8_t recorded[REPORT_VALUES][REPORT_SIZE] = {
		{ 0, 0, 0, 0, 0, 0, 0x04, 0 },
		{ 0, 0, 0, 0, 0, 0, 0, 0x28 },
		{ 0x40, 0x04, 0x8a, 0xcd, 0x65, 0x5d, 0x85, 0xe4 },
		{ 0x3f, 0xf4, 0xa7, 0xb7, 0x9f, 0x9b, 0xd1, 0xd3 },
		{ 0x3f, 0x55, 0xa8, 0x92, 0xcc, 0x8d, 0xb2, 0x41 },
	};
	uint8_t bytes[REPORT_SIZE];

	for (int i = 0; i < REPORT_VALUES; i++)
		assert_int_equal(report_decode(recorded[i], i, &report), 0);
	assert_int_equal(report.size, 1024);
	assert_int_equal(report.iterations, 40);
	assert_close(report.peak, 2.56777, 1e-5);
	assert_close(report.average, 1.29095, 1e-5);
	assert_close(report.mpps, 0.00132193, 1e-5);
	for (int i = 0; i < REPORT_VALUES; i++) {
		report_encode(&report, i, bytes);
		assert_memory_equal(bytes, recorded[i], REPORT_SIZE);
	}
}

/* A fork's sixth value, which is told from a key by its bytes. */
TEST(sixth_values)
{
	static const uint8_t values[][REPORT_SIZE] = {
		{ 0x40 }, { 0 }, { 0x7f, 0xf8 }, { 0xbf, 0xf0 },
		{ '0', '0', '0', '0', '0', '0', '0', '0' },
		{ '0', '0', '0', 'g', ':', '0', '0', '0' },
	};

	for (size_t i = 0; i < COUNT(values); i++) {
		assert_false(key_begins(values[i]));
		report.least = 7;
		assert_int_equal(report_decode(values[i], REPORT_VALUES,
					       &report), 0);
		assert_true(i == 0 ? report.least == 2 :
				     report.least >= 0 && report.least < 1);
	}
	assert_true(key_begins((const uint8_t *)"0000:001"));
	assert_true(key_begins((const uint8_t *)"c0fF:0010"));
}

TEST(impossible_rates_are_refused)
{
	static const uint8_t wrong[][REPORT_SIZE] = {
		{ 0x7f, 0xf0 }, { 0x7f, 0xf8 }, { 0xff, 0xf0 }, { 0xbf, 0xf0 },
	};

	for (size_t i = 0; i < COUNT(wrong); i++)
		for (int value = 2; value < REPORT_VALUES; value++) {
			report.iterations = 1;
			assert_int_equal(report_decode(wrong[i], value,
						       &report), -EPROTO);
			/* nothing was measured in the time there was */
			report.iterations = 0;
			assert_int_equal(report_decode(wrong[i], value,
						       &report), 0);
		}
}

/* What ib_send_bw -a -n 10 of 6.29 says. */
static const uint8_t told[SETTINGS_SIZE] = {
	[3] = 1, [15] = 1, [27] = 1, [37] = 0x80, [47] = 10, [55] = 1,
	[59] = 5, [80] = '0', '.', '0', '.', '0', [224] = 128,
};

TEST(settings_of_a_test)
{
	static struct parameters params;
	uint8_t bytes[SETTINGS_SIZE], plain[SETTINGS_SIZE];
	/* perftest sends it in its host's byte order */
	const uint32_t reads = 128;
	struct settings theirs, mine;

	param_defaults(&params);
	settings_decode(told, 629, &theirs);
	assert_null(settings_take(&theirs, &params));
	assert_int_equal(params.plan.op, OP_SEND);
	assert_int_equal(params.plan.sizes.n, 23);
	assert_int_equal(params.plan.iterations, 10);
	settings_of(&params, 4096, &mine);
	assert_null(settings_difference(&mine, &theirs));
	settings_encode(&mine, reads, bytes);
	memcpy(plain, told, sizeof(plain));
	memset(plain + 80, 0, 5);
	memcpy(plain + 224, &reads, sizeof(reads));
	assert_memory_equal(bytes, plain, sizeof(bytes));
	/* a datagram is no longer than a packet */
	params.plan.transport = TRANSPORT_UD;
	settings_of(&params, 1024, &mine);
	assert_int_equal(mine.size, 1024);
}

/* Whatever is asked for, what is taken is that, or the difference is named. */
TEST(each_test_has_its_settings)
{
	static struct parameters params;
	struct settings mine, again;

	for (int i = 0; i < VERBS * 2 * 3 * 3 * 2; i++) {
		const uint64_t method = (uint64_t)i / 36 % 3;
		const bool timed = method == 2 || i / 108;

		if (i % VERBS == VERB_SEND_IMM)
			continue;
		mine = (struct settings){
			.verb = (uint64_t)i % VERBS,
			.tst = (uint64_t)i / VERBS % 2,
			.connection_type = (uint64_t)i / 12 % 3,
			.test_method = method,
			.atomic_type = i % VERBS == VERB_ATOMIC && i & 8,
			.test_type = timed,
			.size = method == 1 ? 8U << 20 : 4096,
			.iters = timed ? 0 : 77,
			.num_of_qps = 3,
			.duration = timed ? 9 : 5,
		};
		param_defaults(&params);
		assert_null(settings_take(&mine, &params));
		settings_of(&params, mine.size, &again);
		assert_null(settings_difference(&mine, &again));
		assert_int_equal(params.timed, timed);
	}
}

/* Its place has what was in the memory of 6.28. */
TEST(data_validation_is_of_later_versions)
{
	uint8_t bytes[SETTINGS_SIZE] = { [79] = 1 };
	struct settings settings;

	settings_decode(bytes, 629, &settings);
	assert_int_equal(settings.data_validation, 1);
	settings_decode(bytes, 628, &settings);
	assert_int_equal(settings.data_validation, 0);
}

/* The messages with keys, of recorded runs with N queue pairs. */
static int keys_of(const char *letters, int n)
{
	int keys = 0;

	for (; *letters; letters++)
		keys += *letters == STEP_KEYS ? n : *letters == STEP_KEY;
	return keys;
}

TEST(schedules)
{
	static const struct {
		enum op op;
		enum metric metric;
		bool both;
		int n, connect, begin, end, end_all, close;
		bool server_begins;
	} recorded[] = {
		{ OP_WRITE, METRIC_BANDWIDTH, false, 2, 5, 0, 0, 0, 2, false },
		{ OP_WRITE, METRIC_BANDWIDTH, true, 1, 3, 1, 0, 1, 1, false },
		{ OP_READ, METRIC_BANDWIDTH, false, 1, 3, 0, 0, 0, 2, false },
		{ OP_READ, METRIC_BANDWIDTH, true, 1, 3, 1, 0, 1, 1, false },
		{ OP_FETCH_ADD, METRIC_BANDWIDTH, false, 1, 3, 0, 0, 0, 2,
		  false },
		{ OP_SEND, METRIC_BANDWIDTH, false, 1, 3, 1, 0, 1, 1, false },
		{ OP_SEND, METRIC_BANDWIDTH, true, 2, 5, 1, 0, 1, 1, false },
		{ OP_WRITE_IMM, METRIC_BANDWIDTH, false, 1, 3, 1, 0, 1, 1,
		  false },
		{ OP_WRITE, METRIC_LATENCY, false, 1, 4, 0, 0, 0, 0, true },
		{ OP_WRITE_IMM, METRIC_LATENCY, false, 1, 4, 1, 0, 0, 0, true },
		{ OP_READ, METRIC_LATENCY, false, 1, 4, 0, 0, 0, 1, false },
		{ OP_CMP_SWAP, METRIC_LATENCY, false, 1, 4, 0, 0, 0, 1, false },
		{ OP_SEND, METRIC_LATENCY, false, 1, 3, 1, 0, 0, 1, false },
	};

	for (size_t i = 0; i < COUNT(recorded); i++) {
		const int n = recorded[i].n;
		const struct plan plan = {
			.op = recorded[i].op,
			.metric = recorded[i].metric,
			.bidirectional = recorded[i].both,
		};
		const struct schedule *s = schedule_of(&plan);

		assert_int_equal(keys_of(s->connect, n), recorded[i].connect);
		assert_int_equal(keys_of(s->begin, n), recorded[i].begin);
		assert_int_equal(keys_of(s->end, n), recorded[i].end);
		assert_int_equal(keys_of(s->end_all, n), recorded[i].end_all);
		assert_int_equal(keys_of(s->close, n), recorded[i].close);
		assert_int_equal(schedule_server_begins(&plan),
				 recorded[i].server_begins);
		/* the queue pairs are connected once, after all first keys */
		assert_non_null(strstr(s->connect, "NC"));
		assert_null(strchr(strchr(s->connect, STEP_CONNECT) + 1,
				   STEP_CONNECT));
	}
}

/* Who measures alone reports: the client that writes or reads, and both ends
 * where both send. */
TEST(who_reports)
{
	for (enum op op = 0; op < OP_COUNT; op++) {
		const struct plan one = { .op = op };
		const struct plan both = { .op = op, .bidirectional = true };
		const bool tells = op_table[op].access &&
				   !op_table[op].receives;

		assert_int_equal(strchr(schedule_of(&one)->close,
					STEP_REPORT) != NULL, tells);
		assert_non_null(strchr(schedule_of(&both)->end,
				       tells ? STEP_REPORT :
					       STEP_COUNT_REPORT));
	}
}

TEST_FILE()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions),
		cmocka_unit_test(no_versions),
		cmocka_unit_test(a_verbsperf_says_so_in_the_padding),
		cmocka_unit_test(sizes),
		cmocka_unit_test(mtus),
		cmocka_unit_test(keys),
		cmocka_unit_test(a_wrong_byte_of_a_key_is_refused),
		cmocka_unit_test(reports),
		cmocka_unit_test(sixth_values),
	cmocka_unit_test(impossible_rates_are_refused),
		cmocka_unit_test(settings_of_a_test),
		cmocka_unit_test(each_test_has_its_settings),
		cmocka_unit_test(data_validation_is_of_later_versions),
		cmocka_unit_test(schedules),
		cmocka_unit_test(who_reports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
