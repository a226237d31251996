#include "config.h"
#include "model/param.h"

#include <errno.h>
#include <string.h>

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
	{ 0, "json", 0, NULL, STRING(json), 0, 0, NULL,
	  "FILE", "-", PARAM_BOTH,
	  "write the result as JSON [to stdout]" },
	{ 0, "title", 0, NULL, STRING(title), 0, 0, NULL,
	  "TEXT", NULL, PARAM_BOTH,
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
	return row->kind != PARAM_STRING && row->kind != PARAM_SIZES;
}

uint64_t param_get(const struct parameters *params, const struct param *row)
{
	switch (row->kind) {
	case PARAM_FLAG:
		return *(const bool *)field(params, row);
	case PARAM_NUMBER:
	case PARAM_AUTO_NUMBER:
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

/* "--qps 0: allowed are 1 to 1024", in the unit the option is given in. */
static int out_of_range(const struct param *row, const char *option,
			const char *text, struct error *err)
{
	double scale = row->kind == PARAM_TIME ? 1e-9 : 1;
	const char *unit = row->kind == PARAM_TIME ? " seconds" : "";

	if (row->max == UINT64_MAX)
		return fail(err, -EINVAL, NULL, "%s %s: must be at least %llu",
			    option, text, (unsigned long long)row->min);
	return fail(err, -EINVAL, NULL, "%s %s: allowed are %.15g to %.15g%s",
		    option, text, (double)row->min * scale,
		    (double)row->max * scale, unit);
}

static int malformed(const struct param *row, const char *option,
		     const char *text, struct error *err)
{
	static const char *const wanted[] = {
		[PARAM_FLAG] = "no value",
		[PARAM_NUMBER] = "a number",
		[PARAM_AUTO_NUMBER] = "a number or auto",
		[PARAM_COUNT] = "a number",
		[PARAM_BYTES] = "bytes, with K, M or G if wanted",
		[PARAM_TIME] = "seconds, or a time with ms, s, m or h",
		[PARAM_SIZES] = ("a size like 64 or 4K, a list 64,4K or a "
				 "range 2..8M"),
		[PARAM_STRING] = "a text",
	};

	return fail(err, -EINVAL, NULL, "%s '%s': wanted is %s", option, text,
		    wanted[row->kind]);
}

static int parse_number(const struct param *row, const char *text,
			uint64_t *value)
{
	if (row->kind == PARAM_AUTO_NUMBER && !strcmp(text, "auto")) {
		*value = PLAN_AUTO;
		return 0;
	}
	if (row->kind == PARAM_BYTES)
		return units_parse_size(text, value);
	if (row->kind == PARAM_TIME)
		return units_parse_time(text, value);
	return units_parse_count(text, value);
}

static int parse_sizes(struct parameters *params, const struct param *row,
		       const char *option, const char *text, struct error *err)
{
	struct sizes sizes;
	int ret = units_parse_sizes(text, &sizes);

	if (ret == -E2BIG)
		return fail(err, -EINVAL, NULL, "%s '%s': more than %d sizes",
			    option, text, SIZES_MAX);
	if (ret)
		return malformed(row, option, text, err);
	for (uint32_t i = 0; i < sizes.n; i++)
		if (sizes.bytes[i] < row->min || sizes.bytes[i] > row->max)
			return out_of_range(row, option, text, err);
	memcpy(field_to_set(params, row), &sizes, sizeof(sizes));
	return 0;
}

int param_parse(struct parameters *params, const struct param *row,
		const char *option, const char *text, struct error *err)
{
	uint64_t value = 0;
	int ret;

	if (row->kind == PARAM_STRING) {
		memcpy(field_to_set(params, row), &text, sizeof(text));
		return 0;
	}
	if (row->kind == PARAM_SIZES)
		return parse_sizes(params, row, option, text, err);
	ret = parse_number(row, text, &value);
	if (ret == -EINVAL)
		return malformed(row, option, text, err);
	if (ret || (strcmp(text, "auto") &&
		    (value < row->min || value > row->max)))
		return out_of_range(row, option, text, err);
	param_set(params, row, value);
	return 0;
}

void param_defaults(struct parameters *params)
{
	struct error none = { 0 };

	memset(params, 0, sizeof(*params));
	for (size_t i = 0; i < param_count; i++)
		if (param_table[i].initial)
			param_parse(params, &param_table[i], "default",
				    param_table[i].initial, &none);
}
