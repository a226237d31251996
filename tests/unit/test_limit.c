/* Limits that the user sets: when each is met. */
#include "config.h"
#include "test.h"

#include <math.h>

#include "base/xalloc.h"
#include "model/limit.h"
#include "results.h"

/* The first verdict of the limits of R, of which there must be N. */
static struct limit_verdict first(const struct result *r, uint32_t n)
{
	struct limit_verdict *list, one;

	assert_int_equal(limit_judge(r, &list), n);
	one = list[0];
	free(list);
	return one;
}

struct judged {
	enum limit_kind kind;
	double asked;
	double seen;
	bool met;
};

static void check(const struct judged *rows, size_t n,
		  struct result *(*make)(void), const char *unit)
{
	for (size_t i = 0; i < n; i++) {
		struct result *r = make();
		struct limit_verdict v;

		result_demand(r, rows[i].kind, rows[i].asked);
		v = first(r, 1);
		if (v.met != rows[i].met)
			fail_msg("%s of %g is %s met by %g", v.name,
				 rows[i].asked, v.met ? "" : "not", v.seen);
		assert_true(v.asked == rows[i].asked);
		assert_true(v.seen == rows[i].seen);
		assert_string_equal(v.reason, "");
		assert_true(v.reached);
		if (unit)
			assert_string_equal(v.unit, unit);
		result_free(r);
	}
}

TEST(test_bandwidth)
{
	static const struct judged rates[] = {
		{ LIMIT_MIN_GBPS, 2.4999, 2.5, true },
		{ LIMIT_MIN_GBPS, 2.5, 2.5, true },
		{ LIMIT_MIN_GBPS, 2.5001, 2.5, false },
	}, messages[] = {
		{ LIMIT_MIN_MPPS, 0.000001, 5, true },
		{ LIMIT_MIN_MPPS, 5, 5, true },
		{ LIMIT_MIN_MPPS, 5.5, 5, false },
	}, lost[] = {
		{ LIMIT_MAX_LOST, 100, 0.5, true },
		{ LIMIT_MAX_LOST, 0.5, 0.5, true },
		{ LIMIT_MAX_LOST, 0.499, 0.5, false },
		{ LIMIT_MAX_LOST, 0, 0.5, false },
	};

	check(rates, COUNT(rates), result_datagrams, "Gb/s");
	check(messages, COUNT(messages), result_datagrams, "Mpps");
	check(lost, COUNT(lost), result_datagrams, "%");
}

TEST(test_latency)
{
	static const struct judged rows[] = {
		{ LIMIT_MAX_MEAN, 2.2, 2.2, true },
		{ LIMIT_MAX_MEAN, 2.1, 2.2, false },
		{ LIMIT_MAX_P90, 2.25, 2.25, true },
		{ LIMIT_MAX_P90, 2.2, 2.25, false },
		{ LIMIT_MAX_P50, 2.1, 2, true },
		{ LIMIT_MAX_P50, 2, 2, true },
		{ LIMIT_MAX_P50, 1.9, 2, false },
		{ LIMIT_MAX_P99, 2.6, 2.5, true },
		{ LIMIT_MAX_P99, 2.5, 2.5, true },
		{ LIMIT_MAX_P99, 2.4, 2.5, false },
		{ LIMIT_MAX_P99_9, 9, 8, true },
		{ LIMIT_MAX_P99_9, 8, 8, true },
		{ LIMIT_MAX_P99_9, 7.5, 8, false },
		{ LIMIT_MAX_P99_99, 9, 9, true },
		{ LIMIT_MAX_P99_99, 8.9, 9, false },
		{ LIMIT_MAX_LATENCY, 12, 12, true },
		{ LIMIT_MAX_LATENCY, 11.9, 12, false },
	};

	check(rows, COUNT(rows), result_tail, "us");
}

/* Of the limit KIND, which nothing could miss, R cannot be judged. */
static void check_reason(struct result *r, enum limit_kind kind,
			 const char *reason)
{
	bool least = kind == LIMIT_MIN_GBPS || kind == LIMIT_MIN_MPPS;
	struct limit_verdict v;

	result_demand(r, kind, least ? 1e-6 :
		      kind == LIMIT_MAX_LOST ? 100 : 1e9);
	v = first(r, r->params.plan.sizes.n);
	assert_false(v.met);
	assert_true(isnan(v.seen));
	assert_string_equal(v.reason, reason);
	result_free(r);
}

TEST(test_too_few_samples)
{
	static const struct {
		enum limit_kind kind;
		uint64_t enough;
		const char *reason;
	} rows[] = {
		{ LIMIT_MAX_P50, 5, "4 of the 5 samples that it needs" },
		{ LIMIT_MAX_P99, 299,
		  "298 of the 299 samples that it needs" },
		{ LIMIT_MAX_P90, 29, "28 of the 29 samples that it needs" },
		{ LIMIT_MAX_P99_9, 2995,
		  "2994 of the 2995 samples that it needs" },
		{ LIMIT_MAX_P99_99, 29956,
		  "29955 of the 29956 samples that it needs" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct result *r = result_latency(rows[i].enough);

		result_demand(r, rows[i].kind, 1e9);
		assert_true(first(r, 1).met);
		result_free(r);
		check_reason(result_latency(rows[i].enough - 1), rows[i].kind,
			     rows[i].reason);
	}
}

TEST(test_not_measured)
{
	struct result *r;

	for (int kind = LIMIT_MIN_GBPS; kind <= LIMIT_MIN_MPPS; kind++) {
		r = result_datagrams();
		r->rows[0].total.bandwidth = summary_bandwidth(0, 64, 0);
		check_reason(r, (enum limit_kind)kind, "it was not measured");
	}
	r = result_datagrams();
	r->rows[0].total.sent_unknown = true;
	check_reason(r, LIMIT_MAX_LOST, "the number sent is not known");
	r = result_datagrams();
	r->rows[0].total.checked = false;
	check_reason(r, LIMIT_MAX_LOST, "the number received is not known");
	r = result_datagrams();
	r->rows[0].total.sent = r->rows[0].total.received = 0;
	check_reason(r, LIMIT_MAX_LOST, "nothing was sent");
}

/* However good what it had measured until then. */
TEST(test_failed_run)
{
	for (int kind = 0; kind < LIMITS; kind++) {
		bool late = kind >= LIMIT_MAX_P50 && kind <= LIMIT_MAX_P99_9;
		struct result *r = late ? result_tail() : result_datagrams();

		r->rows[0].failed = true;
		check_reason(r, (enum limit_kind)kind,
			     "the run failed before that size was done");
		r = late ? result_tail() : result_datagrams();
		r->n_rows = 0;
		check_reason(r, (enum limit_kind)kind,
			     "the run ended before that size");
	}
}

/* Of a ping-pong the pings without an answer, of those sent. */
TEST(test_pings_lost)
{
	struct result *r = result_latency(990);

	r->params.plan.transport = TRANSPORT_UD;
	r->rows[0].lost = 10;
	result_demand(r, LIMIT_MAX_LOST, 1);
	assert_true(first(r, 1).met);
	assert_true(first(r, 1).seen == 1);
	result_demand(r, LIMIT_MAX_LOST, 0.99);
	assert_false(first(r, 1).met);
	r->rows[0].lost = 0;
	result_demand(r, LIMIT_MAX_LOST, 0);
	assert_true(first(r, 1).met);
	result_free(r);
	check_reason(result_latency(0), LIMIT_MAX_LOST, "nothing was sent");
}

/* Limit by limit, each at every size; one that is missed is enough. */
TEST(test_several_sizes)
{
	struct result *r = result_bandwidth();	/* 1.024, 1048.576 Gb/s */
	struct limit_verdict *list;

	result_demand(r, LIMIT_MIN_GBPS, 1000);
	result_demand(r, LIMIT_MIN_MPPS, 2);
	assert_int_equal(limit_judge(r, &list), 4);
	assert_int_equal(limit_count_unmet(list, 4), 1);
	assert_string_equal(list[0].name, "min-gbps");
	assert_int_equal(list[0].size, 64);
	assert_int_equal(list[0].qps, 2);
	assert_false(list[0].met);
	assert_int_equal(list[1].size, 65536);
	assert_true(list[1].met);
	assert_string_equal(list[3].name, "min-mpps");
	assert_true(list[2].met && list[3].met);
	free(list);
	/* the first is done, the second fails */
	r->rows[1].failed = true;
	assert_int_equal(limit_judge(r, &list), 4);
	assert_true(!list[1].met && list[2].met && !list[3].met);
	free(list);
	/* or is not come to */
	r->n_rows = 1;
	assert_int_equal(limit_judge(r, &list), 4);
	assert_int_equal(limit_count_unmet(list, 4), 3);
	assert_true(list[2].reached && !list[3].reached);
	free(list);
	result_free(r);
}

/* At the end where it rose most. */
TEST(test_counters)
{
	enum { NONE = -2, UNKNOWN = -1 };
	static const struct {
		int64_t client, server;
		uint64_t most;
		bool met;
		double seen;	/* NAN: cannot be judged */
		const char *end, *reason;
	} rows[] = {
		{ 0, 0, 0, true, 0, "client", "" },
		{ 7, 3, 7, true, 7, "client", "" },
		{ 7, 3, 6, false, 7, "client", "" },
		{ 3, 7, 6, false, 7, "server", "" },
		{ NONE, 7, 7, true, 7, "server", "" },
		{ 7, NONE, 6, false, 7, "client", "" },
		{ NONE, NONE, 7, false, NAN, NULL,
		  "neither end has that counter" },
		{ UNKNOWN, 3, 7, false, NAN, NULL,
		  "by how much it rose is not known" },
		{ 7, UNKNOWN, 7, false, NAN, NULL,
		  "by how much it rose is not known" },
		/* whatever the other one is */
		{ UNKNOWN, 8, 7, false, 8, "server", "" },
		{ UNKNOWN, NONE, 7, false, NAN, NULL,
		  "by how much it rose is not known" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const int64_t values[] = { rows[i].server, rows[i].client };
		struct result *r = result_tail();
		struct counter counters[2];
		struct limit_verdict v;

		for (int client = 0; client < 2; client++) {
			counters[client] = (struct counter){
				"link_downed", values[client] >= 0,
				(uint64_t)(values[client] < 0 ? 0 :
					   values[client]),
			};
			r->rows[0].at[client].counters = (struct counters){
				1, values[client] != NONE, &counters[client],
			};
		}
		r->params.counter_limits = (struct counter_limits){
			1, { { "link_downed", rows[i].most } },
		};
		v = first(r, 1);
		assert_string_equal(v.name, "max-counter");
		assert_string_equal(v.counter, "link_downed");
		assert_string_equal(v.unit, "");
		if (v.met != rows[i].met || strcmp(v.reason, rows[i].reason) ||
		    (isnan(rows[i].seen) ? !isnan(v.seen) :
					   v.seen != rows[i].seen))
			fail_msg("row %zu gave %g '%s'", i, v.seen, v.reason);
		assert_true(!v.end == !rows[i].end);
		if (v.end)
			assert_string_equal(v.end, rows[i].end);
		for (int client = 0; client < 2; client++)
			r->rows[0].at[client].counters = (struct counters){ 0 };
		result_free(r);
	}
}

TEST(test_who_judges)
{
	struct result *r = result_datagrams();
	struct limit_verdict *list;

	assert_int_equal(limit_judge(r, &list), 0);
	free(list);
	result_demand(r, LIMIT_MIN_GBPS, 1000);
	r->at_server = true;
	assert_int_equal(limit_judge(r, &list), 0);
	free(list);
	r->at_server = false;
	r->params.plan.check = true;
	assert_int_equal(limit_judge(r, &list), 0);
	free(list);
	result_free(r);
}

/* What messages take of a port of 100 Gb/s. */
TEST(test_goodput)
{
	static const struct {
		enum op op;
		uint64_t size;
		enum transport transport;
		uint8_t gid_type;
		bool infiniband;
		bool ipv6;
		double wire;	/* bytes of a message, with an MTU of 1024 */
	} rows[] = {
		/* frame 38, IPv4 20, UDP 8, BTH and ICRC 16 */
		{ OP_SEND, 64, TRANSPORT_RC, GID_TYPE_ROCE_V2, false, false,
		  64 + 82 },
		{ OP_SEND, 1, TRANSPORT_RC, GID_TYPE_ROCE_V2, false, false,
		  4 + 82 },
		{ OP_SEND, 1025, TRANSPORT_RC, GID_TYPE_ROCE_V2, false,
		  false, 1028 + 2 * 82 },
		{ OP_SEND, 64, TRANSPORT_UD, GID_TYPE_ROCE_V2, false, false,
		  64 + 82 + 8 },
		{ OP_SEND, 64, TRANSPORT_XRC, GID_TYPE_ROCE_V2, false,
		  false, 64 + 82 + 4 },
		{ OP_SEND_IMM, 4096, TRANSPORT_RC, GID_TYPE_ROCE_V2, false,
		  false, 4096 + 4 * 82 + 4 },
		{ OP_WRITE, 4096, TRANSPORT_RC, GID_TYPE_ROCE_V2, false,
		  false, 4096 + 4 * 82 + 16 },
		{ OP_WRITE_IMM, 64, TRANSPORT_UC, GID_TYPE_ROCE_V2, false,
		  false, 64 + 82 + 16 + 4 },
		{ OP_READ, 1024, TRANSPORT_RC, GID_TYPE_ROCE_V2, false,
		  false, 1024 + 82 + 4 },
		{ OP_READ, 4096, TRANSPORT_RC, GID_TYPE_ROCE_V2, false,
		  false, 4096 + 4 * 82 + 2 * 4 },
		{ OP_CMP_SWAP, 8, TRANSPORT_RC, GID_TYPE_ROCE_V2, false,
		  false, 82 + 28 },
		{ OP_SEND, 64, TRANSPORT_RC, GID_TYPE_ROCE_V2, false, true,
		  64 + 102 },
		{ OP_SEND, 64, TRANSPORT_RC, GID_TYPE_ROCE_V1, false, false,
		  64 + 38 + 40 + 16 },
		/* LRH and VCRC 10, with and without a GRH */
		{ OP_SEND, 64, TRANSPORT_RC, GID_TYPE_IB, true, false,
		  64 + 10 + 40 + 16 },
		{ OP_WRITE, 64, TRANSPORT_RC, 0xff, true, false,
		  64 + 10 + 16 + 16 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct result *r = result_bandwidth();
		double size = (double)rows[i].size;

		r->params.plan.op = rows[i].op;
		r->params.plan.transport = rows[i].transport;
		r->client.rate_mbps = r->server.rate_mbps = 100000;
		r->path.mtu = IBV_MTU_1024;
		r->path.local.type = rows[i].gid_type;
		r->path.global = rows[i].gid_type != 0xff;
		if (rows[i].infiniband)
			r->client.link_layer = IBV_LINK_LAYER_INFINIBAND;
		if (rows[i].ipv6)
			r->path.local.raw.raw[0] = 0xfd;
		if (fabs(goodput_gbps(r, rows[i].size) -
			 100 * size / rows[i].wire) > 1e-9)
			fail_msg("row %zu: %.17g Gb/s", i,
				 goodput_gbps(r, rows[i].size));
		assert_true(isnan(goodput_gbps(r, 0)));
		r->has_path = false;
		assert_true(isnan(goodput_gbps(r, rows[i].size)));
		r->has_path = true;
		r->client.rate_mbps = r->server.rate_mbps = 0;
		assert_true(isnan(goodput_gbps(r, rows[i].size)));
		result_free(r);
	}
}

/* What a link's code takes of its rate, by the name of its speed. */
TEST(test_coding)
{
	static const struct {
		const char *lanes;
		uint32_t mbps;
		double left;
	} rows[] = {
		{ "4X SDR", 10000, 0.8 }, { "12X DDR", 60000, 0.8 },
		{ "4X QDR", 40000, 0.8 }, { "4X FDR10", 40000, 1 },
		{ "4X FDR", 56000, 0.974026 }, { "4X EDR", 100000, 1 },
		{ "2X HDR", 100000, 1 }, { "8X XDR", 1600000, 1 },
		{ "", 10000, 1 },
	};
	struct result *r = result_bandwidth();
	double all;

	r->client.link_layer = r->server.link_layer =
		IBV_LINK_LAYER_INFINIBAND;
	for (size_t i = 0; i < COUNT(rows); i++) {
		r->client.rate_mbps = r->server.rate_mbps = rows[i].mbps;
		r->server.facts = (struct facts){ 0 };
		all = goodput_gbps(r, 64);
		facts_set_text(&r->server.facts, FACT_LINK_LANES,
			       rows[i].lanes);
		assert_true(fabs(goodput_gbps(r, 64) / all - rows[i].left) <
			    1e-6);
	}
	facts_set_text(&r->server.facts, FACT_LINK_LANES, "4X QDR");
	r->client.link_layer = r->server.link_layer = IBV_LINK_LAYER_ETHERNET;
	all = goodput_gbps(r, 64);
	r->server.facts = (struct facts){ 0 };
	assert_true(goodput_gbps(r, 64) == all);
	result_free(r);
}

/* A percentage of 100 Gb/s less headers; of the sum of both directions. */
TEST(test_percentage)
{
	struct result *r = result_datagrams();	/* 2.5 Gb/s */
	struct limit_verdict v;
	double share;

	r->client.rate_mbps = r->server.rate_mbps = 100000;
	r->path.mtu = IBV_MTU_1024;
	share = goodput_gbps(r, 64) / 100;
	r->params.limits[LIMIT_MIN_GBPS] =
		(struct limit){ true, true, 2.5 / share - 0.01 };
	v = first(r, 1);
	assert_true(v.met && v.percent == 2.5 / share - 0.01);
	assert_true(fabs(v.asked - (2.5 - 0.01 * share)) < 1e-9);
	r->params.plan.bidirectional = true;
	v = first(r, 1);
	assert_true(!v.met && fabs(v.asked - (5 - 0.02 * share)) < 1e-9);
	r->client.rate_mbps = r->server.rate_mbps = 0;
	v = first(r, 1);
	assert_true(!v.met && isnan(v.seen) && isnan(v.asked));
	assert_string_equal(v.reason, "the port's rate is not known");
	/* the slower one, of those that are known */
	r->client.rate_mbps = 50000;
	assert_true(fabs(goodput_gbps(r, 64) - 50 * share) < 1e-9);
	r->server.rate_mbps = 100000;
	assert_true(fabs(goodput_gbps(r, 64) - 50 * share) < 1e-9);
	r->server.rate_mbps = 25000;
	assert_true(fabs(goodput_gbps(r, 64) - 25 * share) < 1e-9);
	result_free(r);
}

/* 45,000 and 55,000 messages in 0.025 s in turn, of 64 bytes and of 64 KiB. */
TEST(test_slowest_interval)
{
	struct result *r = result_bandwidth();
	struct limit_verdict v;

	result_demand(r, LIMIT_MIN_INTERVAL_GBPS, 0.92);
	v = first(r, 2);
	assert_true(!v.met && isnan(v.seen) && !v.interval);
	assert_string_equal(v.reason, "the run was too short for intervals; "
			    "-D 1 has some");
	result_add_intervals(r);
	v = first(r, 2);
	assert_true(v.met && fabs(v.seen - 0.9216) < 1e-9);
	r->rows[0].total.intervals[7].messages = 40000;
	v = first(r, 2);
	assert_true(!v.met && fabs(v.seen - 0.8192) < 1e-9);
	assert_int_equal(v.interval->start_ns, 175000000);
	/* a direction by itself */
	r->params.plan.bidirectional = true;
	r->rows[0].n_directions = 2;
	r->rows[0].directions[1].n_intervals = 1;
	r->rows[0].directions[1].intervals =
		xcalloc(1, sizeof(struct interval));
	r->rows[0].directions[1].intervals[0] =
		(struct interval){ 0, 25000000, 30000 };
	v = first(r, 2);
	assert_true(fabs(v.seen - 0.6144) < 1e-9);
	r->client.rate_mbps = r->server.rate_mbps = 100000;
	r->path.mtu = IBV_MTU_1024;
	r->params.limits[LIMIT_MIN_INTERVAL_GBPS] =
		(struct limit){ true, true, 50 };
	v = first(r, 2);
	assert_true(fabs(v.asked - goodput_gbps(r, 64) / 2) < 1e-9);
	result_free(r);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_bandwidth),
	cmocka_unit_test(test_latency),
	cmocka_unit_test(test_too_few_samples),
	cmocka_unit_test(test_not_measured),
	cmocka_unit_test(test_failed_run),
	cmocka_unit_test(test_pings_lost),
	cmocka_unit_test(test_several_sizes),
	cmocka_unit_test(test_counters),
	cmocka_unit_test(test_who_judges),
	cmocka_unit_test(test_goodput),
	cmocka_unit_test(test_coding),
	cmocka_unit_test(test_percentage),
	cmocka_unit_test(test_slowest_interval),
};

TEST_MAIN(tests, 10)
