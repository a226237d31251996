#include "config.h"
#include "model/param.h"

#include <string.h>

#include "traffic/clock.h"

#define SECOND 1000000000ULL

/* A field with its kind; a field whose C type is not that kind's does not
 * compile. */
#define FIELD(kind, type, field) \
	kind, \
	offsetof(struct parameters, field) + \
		0 * sizeof(char[_Generic(((struct parameters *)NULL)->field, \
					 type: 1)])
#define FLAG(field) FIELD(PARAM_FLAG, bool, field)
#define NUMBER(field) FIELD(PARAM_NUMBER, uint32_t, field)
#define AUTO(field) FIELD(PARAM_AUTO_NUMBER, uint32_t, field)
#define COUNT(field) FIELD(PARAM_COUNT, uint64_t, field)
#define BYTES(field) FIELD(PARAM_BYTES, uint64_t, field)
#define TIME(field) FIELD(PARAM_TIME, uint64_t, field)
#define SIZES(field) FIELD(PARAM_SIZES, struct sizes, field)
#define STRING(field) FIELD(PARAM_STRING, const char *, field)
#define CHOICE(field) FIELD(PARAM_CHOICE, uint32_t, field)
#define PERCENTILES(field) \
	FIELD(PARAM_PERCENTILES, struct percentiles, field)
#define CPUS(field) FIELD(PARAM_CPUS, struct cpus, field)

// clang-format off
const struct param param_table[] = {
	{ 0, "device", 'd', "ib-dev", STRING(device), 0, 0, NULL,
	  "NAME", NULL, PARAM_ANY,
	  "RDMA device [the first with an active port]" },
	{ 0, "ib-port", 'i', NULL, AUTO(ib_port), 1, 255, "auto",
	  "N", NULL, PARAM_ANY,
	  "port of the device [the first active one]" },
	{ 0, "gid-index", 'x', NULL, AUTO(gid_index), 0, 255, "auto",
	  "N", NULL, PARAM_ANY,
	  "index of the source GID [chosen to fit the peer's]" },
	{ 0, "port", 'p', NULL, NUMBER(port), 0, 65535, "18515",
	  "N", NULL, PARAM_BOTH,
	  "TCP port; 0 on a server: any free one" },
	{ 0, "bind", 0, "bind_source_ip", STRING(bind), 0, 0, NULL,
	  "ADDRESS", NULL, PARAM_BOTH,
	  "local address for TCP" },
	{ 0, "wait", 0, NULL, TIME(wait), 0, 86400 * SECOND, NULL,
	  "SECONDS", "60", PARAM_CLIENT,
	  "keep trying until the server is up" },
	{ 0, "loopback", 0, NULL, FLAG(loopback), 0, 1, NULL,
	  NULL, NULL, PARAM_BOTH,
	  "be both ends, on this device" },
	{ 0, "once", 0, NULL, FLAG(once), 0, 1, NULL,
	  NULL, NULL, PARAM_SERVER,
	  "serve one client, then exit" },
	{ 0, "max-memory", 0, NULL, BYTES(max_memory), 1, UINT64_MAX, "4G",
	  "BYTES", NULL, PARAM_SERVER,
	  "most memory a client may have registered" },
	{ 1, "size", 's', NULL, SIZES(plan.sizes), 0, 1ULL << 31, NULL,
	  "BYTES", NULL, PARAM_CLIENT | PARAM_PLAN,
	  "message size: 64, 4K,1M, 2..8M [bw 64K, lat 2]" },
	{ 2, "iterations", 'n', "iters", COUNT(plan.iterations), 1,
	  1000000000000, NULL, "N", NULL, PARAM_CLIENT | PARAM_PLAN,
	  "measure exactly N messages per QP" },
	{ 3, "duration", 'D', NULL, TIME(plan.duration), 0,
	  86400 * SECOND, "1", "SECONDS", NULL, PARAM_CLIENT | PARAM_PLAN,
	  "measure for that long" },
	{ 4, "warmup", 0, NULL, TIME(plan.warmup), 0, 3600 * SECOND, "0.2",
	  "SECONDS", NULL, PARAM_CLIENT | PARAM_PLAN,
	  "traffic before the measurement" },
	{ 5, "timeout", 0, NULL, TIME(plan.timeout), SECOND, 3600 * SECOND,
	  "10", "SECONDS", NULL, PARAM_BOTH | PARAM_PLAN,
	  "give up after that long without progress" },
	{ 6, "qps", 'q', "qp", NUMBER(plan.qps), 1, 1024, "1",
	  "N", NULL, PARAM_CLIENT | PARAM_PLAN,
	  "queue pairs, for bandwidth" },
	{ 7, "tx-depth", 't', NULL, AUTO(plan.tx_depth), 1, 65536, "auto",
	  "N", NULL, PARAM_CLIENT | PARAM_PLAN,
	  "sends outstanding per QP [bw 128 or 32 MiB, lat 8]" },
	{ 8, "rx-depth", 'r', NULL, AUTO(plan.rx_depth), 1, 65536, "auto",
	  "N", NULL, PARAM_CLIENT | PARAM_PLAN,
	  "receives posted per QP [bw 512 or fewer, lat 16]" },
	{ 9, "cq-mod", 'Q', NULL, AUTO(plan.cq_mod), 1, 65536, "auto",
	  "N", NULL, PARAM_CLIENT | PARAM_PLAN,
	  "messages per send completion [100, at most 1 MiB]" },
	{ 10, "mtu", 'm', NULL, AUTO(plan.mtu), 256, 4096, "auto",
	  "BYTES", NULL, PARAM_CLIENT | PARAM_PLAN,
	  "path MTU [the smaller of both active ones]" },
	{ 11, "outstanding-reads", 'o', "outs",
	  AUTO(plan.outstanding_reads), 1, 255, "auto",
	  "N", NULL, PARAM_CLIENT | PARAM_PLAN,
	  "RDMA reads under way per QP [most possible]" },
	{ 12, "qp-timeout", 'u', NULL, NUMBER(plan.qp_timeout), 0, 31, "14",
	  "N", NULL, PARAM_CLIENT | PARAM_PLAN,
	  "acknowledge timeout, 4.096 us x 2^N; 0: none" },
	{ 13, "sl", 'S', NULL, NUMBER(plan.sl), 0, 15, "0",
	  "N", NULL, PARAM_CLIENT | PARAM_PLAN,
	  "service level" },
	{ 14, "walk", 0, NULL, BYTES(plan.walk), 0, 1ULL << 31, "4K",
	  "BYTES", NULL, PARAM_CLIENT | PARAM_PLAN,
	  "memory that messages step through, per QP" },
	{ 15, "post-list", 'l', "post_list", NUMBER(plan.post_list), 1, 1024,
	  "1", "N", NULL, PARAM_CLIENT | PARAM_PLAN,
	  "sends handed over at once" },
	{ 16, "post", 0, NULL, CHOICE(plan.post), 0, POST_METHODS - 1, "auto",
	  "auto|wr|legacy", NULL, PARAM_CLIENT | PARAM_PLAN,
	  "by ibv_wr_* where there is such, or ibv_post_send" },
	{ 17, "threads", 0, NULL, NUMBER(plan.threads), 1, CPUS_MAX, "1",
	  "N", NULL, PARAM_CLIENT | PARAM_PLAN,
	  "threads that share the QPs, each with its CQ" },
	{ 18, "round-trip", 0, NULL, FLAG(plan.round_trip), 0, 1, NULL,
	  NULL, NULL, PARAM_CLIENT | PARAM_PLAN,
	  "of a ping-pong report all, not half" },
	{ 0, "interval", 0, NULL, TIME(interval), SECOND / 100,
	  3600 * SECOND, NULL, "SECONDS", NULL, PARAM_CLIENT,
	  "show the rate that often, on stderr" },
	{ 0, "percentiles", 0, NULL, PERCENTILES(percentiles), 0, 0, NULL,
	  "LIST", NULL, PARAM_BOTH,
	  "these instead of 99% and 99.9%: 50,99.99" },
	{ 0, "histogram", 0, NULL, FLAG(histogram), 0, 1, NULL,
	  NULL, NULL, PARAM_BOTH,
	  "how latencies are distributed" },
	{ 0, "samples", 0, NULL, STRING(samples), 0, 0, NULL,
	  "FILE", NULL, PARAM_CLIENT,
	  "write every latency; .csv: as text" },
	{ 0, "cpus", 0, NULL, CPUS(cpus), 0, 0, NULL,
	  "LIST", NULL, PARAM_BOTH | PARAM_CALIBRATE,
	  "keep each thread on its CPU: 0,2,4-7" },
	{ 0, "clock", 0, NULL, CHOICE(clock), 0, CLOCK_RAW, "auto",
	  "auto|counter|monotonic_raw", NULL,
	  PARAM_BOTH | PARAM_CALIBRATE,
	  "auto: the CPU's counter where it is steady" },
	{ 0, "json", 0, NULL, STRING(json), 0, 0, NULL,
	  "FILE", "-", PARAM_BOTH | PARAM_CALIBRATE,
	  "write the result as JSON [to stdout]" },
	{ 0, "title", 0, NULL, STRING(title), 0, 0, NULL,
	  "TEXT", NULL, PARAM_BOTH | PARAM_CALIBRATE,
	  "a name for this run, in the JSON" },
};
// clang-format on

const size_t param_count = sizeof(param_table) / sizeof(*param_table);

static const void *field(const struct parameters *params,
			 const struct param *row)
{
	return (const char *)params + row->offset;
}

static void *field_to_set(struct parameters *params, const struct param *row)
{
	return (char *)params + row->offset;
}

bool param_is_number(const struct param *row)
{
	switch (row->kind) {
	case PARAM_SIZES:
	case PARAM_STRING:
	case PARAM_PERCENTILES:
	case PARAM_CPUS:
		return false;
	default:
		return true;
	}
}

uint64_t param_get(const struct parameters *params, const struct param *row)
{
	switch (row->kind) {
	case PARAM_FLAG:
		return *(const bool *)field(params, row);
	case PARAM_NUMBER:
	case PARAM_AUTO_NUMBER:
	case PARAM_CHOICE:
		return *(const uint32_t *)field(params, row);
	default:
		return *(const uint64_t *)field(params, row);
	}
}

void param_set(struct parameters *params, const struct param *row,
	       uint64_t value)
{
	switch (row->kind) {
	case PARAM_FLAG:
		*(bool *)field_to_set(params, row) = value;
		break;
	case PARAM_NUMBER:
	case PARAM_AUTO_NUMBER:
	case PARAM_CHOICE:
		*(uint32_t *)field_to_set(params, row) = (uint32_t)value;
		break;
	default:
		*(uint64_t *)field_to_set(params, row) = value;
	}
}

const char *param_get_string(const struct parameters *params,
			     const struct param *row)
{
	return *(const char *const *)field(params, row);
}

bool param_in_range(const struct param *row, uint64_t value)
{
	if (row->kind == PARAM_AUTO_NUMBER && value == PLAN_AUTO)
		return true;
	if (value == 0 && !row->initial)
		return true;
	return value >= row->min && value <= row->max;
}

const char *param_word(const struct param *row, uint64_t index, int *length)
{
	const char *word = row->argument;

	for (; index && word; index--) {
		word = strchr(word, '|');
		word += word != NULL;
	}
	if (word)
		*length = (int)strcspn(word, "|");
	return word;
}
