/* Parses the text of parameters, and reports invalid text. */
#include "config.h"
#include "model/param.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/ip.h"

#define RANGE_SIZE (2 * NUMBER_TEXT_SIZE + sizeof(" to "))

/* Write a bound of ROW's range into TEXT, as a user would; returns TEXT. */
static const char *format_bound(const struct param *row, uint64_t bound,
				char text[NUMBER_TEXT_SIZE])
{
	const char *unit = param_unit(row);

	if (unit && !strcmp(unit, "s"))
		return units_format_time(bound, text);
	return unit && !strcmp(unit, "bytes") ?
		       units_format_size(bound, text) :
		       units_format_count(bound, text);
}

/* "1 to 16384"; "at least 1" when there is no upper bound. */
static const char *format_range(const struct param *row, char text[RANGE_SIZE])
{
	char least[NUMBER_TEXT_SIZE], most[NUMBER_TEXT_SIZE];

	format_bound(row, row->min, least);
	if (row->max == UINT64_MAX)
		snprintf(text, RANGE_SIZE, "at least %s", least);
	else
		snprintf(text, RANGE_SIZE, "%s to %s", least,
			 format_bound(row, row->max, most));
	return text;
}

/* "--qps 0: expected 1 to 16384", in the option's own unit. */
static int out_of_range(const struct param *row, const char *option,
			const char *text, struct error *err)
{
	char range[RANGE_SIZE];

	if (row->kind == PARAM_RATE)
		return fail(err, -EINVAL, NULL,
			    "%s %s: must be above 0, and at most 10^6 Gb/s or "
			    "Mpps", option, text);
	return fail(err, -EINVAL, NULL, "%s %s: expected %s", option, text,
		    format_range(row, range));
}

static int parse_group(const char *text, struct mcast *mcast)
{
	struct mcast m = { .wanted = true };

	if (strcmp(text, "auto") != 0) {
		m.given = true;
		if (ip_parse(text, m.gid.raw) || !gid_is_multicast(&m.gid))
			return -EINVAL;
	}
	*mcast = m;
	return 0;
}

/* Define parser_into(), to which any field is a plain address. */
#define PARSER(parser, type) \
	static int parser##_into(const char *text, void *field) \
	{ \
		return parser(text, (type *)field); \
	}
PARSER(units_parse_percentiles, struct percentiles)
PARSER(units_parse_cpus, struct cpus)
PARSER(units_parse_labels, struct labels)
PARSER(units_parse_batch, struct batch)
PARSER(parse_group, struct mcast)
PARSER(networks_parse, struct networks)
PARSER(counter_choice_parse, struct counter_choice)
PARSER(counter_limits_parse, struct counter_limits)
PARSER(memory_choice_parse, struct memory_choice)

/* Kinds of whole numbers, of which each has a range. */
#define RANGED(kind) \
	((kind) == PARAM_NUMBER || (kind) == PARAM_AUTO_NUMBER || \
	 (kind) == PARAM_COUNT || (kind) == PARAM_NODE)

static const struct {
	const char *name;
	const char *wanted;	/* what its text must be */
	/* parses a whole field; -E2BIG: too many items; NULL: the kind has a
	 * function of its own below */
	int (*parse)(const char *text, void *field);
	int most;
	const char *items;
} kinds[PARAM_KINDS] = {
	[PARAM_FLAG] = { .name = "flag", .wanted = "no value" },
	[PARAM_NUMBER] = { .name = "number", .wanted = "a number" },
	[PARAM_AUTO_NUMBER] = { .name = "auto",
		.wanted = "auto or a number" },
	[PARAM_COUNT] = { .name = "count",
		.wanted = "a number like 5000 or 1e6, optionally with k, M, G "
			  "or T" },
	[PARAM_BYTES] = { .name = "bytes",
		.wanted = "a number of bytes, optionally with K, M, G or T" },
	[PARAM_TIME] = { .name = "time", .wanted =
		"seconds like 3 or 0.5, or a time with ns, us, ms, s, m or h" },
	[PARAM_TIMED_FLAG] = { .name = "timed-flag",
		.wanted = "forever, or seconds like 3 or 0.5, or a time with "
			  "ms, s, m or h" },
	[PARAM_SIZES] = { .name = "sizes", .most = SIZES_MAX, .items = "sizes",
		.wanted = "a size like 64 or 4K, a list 64,4K or a range, "
			  "the smaller first, 2..8M" },
	[PARAM_STRING] = { .name = "string", .wanted = "a text" },
	[PARAM_CHOICE] = { .name = "choice" },
	[PARAM_PERCENTILES] = { "percentiles",
		"percentiles like 99.5 or 50,99.999: above 0, below 100, with "
		"at most four decimals",
		units_parse_percentiles_into, PERCENTILES_MAX, "percentiles" },
	[PARAM_CPUS] = { "cpus", "CPU numbers like 0 or 0,2,4-7, below 65536, or auto",
		units_parse_cpus_into, CPUS_MAX, "CPUs" },
	[PARAM_RATE] = { .name = "rate",
		.wanted = "a rate like 10 or 2.5Gb/s (bits), 1.25GB/s or "
			  "2GiB/s (bytes), or 1.2Mpps" },
	[PARAM_LABELS] = { "labels", "flow labels like 1,2,0xfffff",
		units_parse_labels_into, LABELS_MAX, "flow labels" },
	[PARAM_MCAST] = { .name = "group", .parse = parse_group_into,
		.wanted = "a multicast address like 239.255.1.2 or ff12::1, or "
			  "auto" },
	[PARAM_NODE] = { .name = "node",
		.wanted = "auto, none or a node number" },
	[PARAM_NETWORKS] = { "networks",
		"IP addresses and networks like 192.0.2.7, 10.0.0.0/8 or "
		"2001:db8::/32, with no bits set after the prefix",
		networks_parse_into, NETWORKS_MAX, "networks" },
	[PARAM_LIMIT] = { .name = "limit" },
	[PARAM_COUNTERS] = { .name = "counters",
		.parse = counter_choice_parse_into,
		.wanted = "interest, all, none or names of counters with "
			  "commas between them" },
	[PARAM_COUNTER_LIMITS] = { "counter-limits",
		"counters and numbers like link_downed=0,out_of_sequence=10",
		counter_limits_parse_into, COUNTER_LIMITS_MAX, "counters" },
	[PARAM_MEMORY] = { .name = "memory", .wanted = MEMORY_WORDS,
		.parse = memory_choice_parse_into },
	[PARAM_BATCH] = { "batch", "sizes from 1 to 2G and how many there "
		"are of each, 1 to 65536, like 4Kx64,64Kx8,1M",
		units_parse_batch_into, BATCH_PARTS_MAX, "sizes" },
};

const char *param_kind_name(enum param_kind kind)
{
	return kinds[kind].name;
}

/* Report why TEXT could not be parsed: RET is -E2BIG or another errno. */
static int malformed(const struct param *row, const char *option,
		     const char *text, int ret, struct error *err)
{
	char range[RANGE_SIZE];

	if (ret == -E2BIG)
		return fail(err, -EINVAL, NULL, "%s '%s': more than %d %s",
			    option, text, kinds[row->kind].most,
			    kinds[row->kind].items);
	if (RANGED(row->kind))
		return fail(err, -EINVAL, NULL, "%s '%s': must be %s, %s",
			    option, text, kinds[row->kind].wanted,
			    format_range(row, range));
	return fail(err, -EINVAL, NULL, "%s '%s': must be %s", option, text,
		    kinds[row->kind].wanted);
}

/* Report TEXT, which is no word of ROW. */
static int no_choice(const struct param *row, const char *option,
		     const char *text, struct error *err)
{
	char words[320] = "";
	const char *word;
	int length;

	for (uint64_t i = 0; (word = param_word(row, i, &length)); i++)
		text_append(words, sizeof(words), "%s%.*s",
			    i ? ", " : "", length, word);
	return fail(err, -EINVAL, NULL, "%s '%s': expected %s%s", option, text,
		    words, strlen(words) < sizeof(words) - 1 ? "" : "...");
}

static int parse_choice(struct parameters *params, const struct param *row,
			const char *option, const char *text, struct error *err)
{
	const size_t size = strlen(text);
	const char *word;
	int length;

	for (uint64_t i = 0; (word = param_word(row, i, &length)); i++)
		if (size == (size_t)length && !strncasecmp(word, text, size)) {
			param_set(params, row, i);
			return 0;
		}
	return no_choice(row, option, text, err);
}

static int parse_number(const struct param *row, const char *text,
			uint64_t *value)
{
	const bool node = row->kind == PARAM_NODE;
	const char *unit = param_unit(row);

	if ((row->kind == PARAM_AUTO_NUMBER || node) && !strcmp(text, "auto")) {
		*value = PLAN_AUTO;
		return 0;
	}
	if (node && !strcmp(text, "none")) {
		*value = PARAM_NONE;
		return 0;
	}
	if (row->kind == PARAM_TIMED_FLAG && !strcmp(text, "forever")) {
		*value = PARAM_FOREVER;
		return 0;
	}
	if (row->kind == PARAM_RATE)
		return rate_parse(text, value);
	if (unit && !strcmp(unit, "s"))
		return units_parse_time(text, value);
	if (unit && !strcmp(unit, "bytes"))
		return units_parse_size(text, value);
	if (row->kind == PARAM_COUNT)
		return units_parse_count(text, value);
	return units_parse_number(text, value);
}

static int parse_sizes(struct parameters *params, const struct param *row,
		       const char *option, const char *text, struct error *err)
{
	struct sizes sizes;
	int ret = units_parse_sizes(text, &sizes);

	if (ret)
		return malformed(row, option, text, ret, err);
	for (uint32_t i = 0; i < sizes.n; i++)
		if (sizes.bytes[i] < row->min || sizes.bytes[i] > row->max)
			return out_of_range(row, option, text, err);
	memcpy(param_field(params, row), &sizes, sizeof(sizes));
	return 0;
}

static int parse_gbps(const char *text, double *value)
{
	return rate_parse_as(text, false, value);
}

static int parse_mpps(const char *text, double *value)
{
	return rate_parse_as(text, true, value);
}

/* Parse a number with a percent sign behind it. */
static int parse_share(const char *text, double *percent)
{
	const size_t length = decimal_length(text);

	if (!length || strcmp(text + length, "%") != 0)
		return -EINVAL;
	*percent = strtod(text, NULL);
	return 0;
}

static int parse_percentage(const char *text, double *percent)
{
	return units_parse_decimal(text, percent) ?
		       parse_share(text, percent) : 0;
}

/* In which units limits are. */
static const struct limit_unit {
	const char *name;
	int (*parse)(const char *text, double *value);
	const char *wanted;
	bool may_be_share;	/* only what a port carries is known */
} limit_units[] = {
	{ "Gb/s", parse_gbps, "a rate like 92.5, in Gb/s, or 900Mb/s or "
	  "11GB/s, or like 90%, of the port's rate", true },
	{ "Mpps", parse_mpps, "a message rate like 1.5, in Mpps, or 900kpps",
	  false },
	{ "us", units_parse_microseconds, "a time like 20 or 2.5, in us, or "
	  "with ns, us, ms, s, m or h", false },
	{ "%", parse_percentage, "a percentage like 0.1 or 0.1%", false },
};

static int parse_limit(struct parameters *params, const struct param *row,
		       const char *option, const char *text, struct error *err)
{
	struct limit *limit = param_field(params, row);
	const struct limit_unit *unit = limit_units;
	unsigned long long most = row->max;
	const char *sign = row->unit;
	bool percent = false;
	double value;

	while (strcmp(unit->name, row->unit) != 0)
		unit++;
	if (unit->parse(text, &value)) {
		percent = unit->may_be_share && !parse_share(text, &value);
		if (!percent)
			return fail(err, -EINVAL, NULL, "%s '%s': must be %s",
				    option, text, unit->wanted);
		most = 100;
		sign = "%";
	}
	if (value > (double)most)
		return fail(err, -EINVAL, NULL, "%s %s: must be at most "
			    "%llu%s%s", option, text, most,
			    *sign == '%' ? "" : " ", sign);
	if (row->min && value == 0)
		return fail(err, -EINVAL, NULL, "%s %s: must be above 0",
			    option, text);
	*limit = (struct limit){ true, percent, value };
	return 0;
}

/* JSON is UTF-8, so only such text can be reported in it. */
static bool is_utf8(const char *text)
{
	json_t *string = json_string(text);
	bool valid = string;

	json_decref(string);
	return valid;
}

static int parse_string(struct parameters *params, const struct param *row,
			const char *option, const char *text, struct error *err)
{
	const bool file = !strcmp(row->argument, "FILE");
	const bool free_text = !strcmp(row->argument, "TEXT");

	/* an empty test has an error of its own (cli/perftest.c) */
	if (!*text && !free_text && strcmp(row->argument, "TEST") != 0)
		return fail(err, -EINVAL, NULL, "%s '': expected a %s%s",
			    option, file ? "file" : row->argument,
			    row->implied ? "; alone it writes to stdout" : "");
	if (file && !row->implied && !strcmp(text, "-"))
		return fail(err, -EINVAL, "write ./- for a file of that name",
			    "%s -: expected a file, not stdin or stdout",
			    option);
	if (free_text && !is_utf8(text))
		return fail(err, -EINVAL, NULL,
			    "%s: not valid UTF-8, which JSON requires", option);
	memcpy(param_field(params, row), &text, sizeof(text));
	return 0;
}

static int parse_plain(struct parameters *params, const struct param *row,
		       const char *option, const char *text, struct error *err)
{
	uint64_t value = 0;
	int ret = parse_number(row, text, &value);
	bool digits;

	if (ret == -EINVAL)
		return malformed(row, option, text, ret, err);
	/* words such as auto stand for numbers outside the range */
	digits = text[0] >= '0' && text[0] <= '9';
	if (ret || (digits && row->kind != PARAM_RATE &&
		    (value < row->min || value > row->max)))
		return out_of_range(row, option, text, err);
	param_set(params, row, value);
	return 0;
}

int param_parse(struct parameters *params, const struct param *row,
		const char *option, const char *text, struct error *err)
{
	int ret;

	switch (row->kind) {
	case PARAM_STRING:
		return parse_string(params, row, option, text, err);
	case PARAM_SIZES:
		return parse_sizes(params, row, option, text, err);
	case PARAM_LIMIT:
		return parse_limit(params, row, option, text, err);
	case PARAM_CHOICE:
		return parse_choice(params, row, option, text, err);
	default:
		if (!kinds[row->kind].parse)
			return parse_plain(params, row, option, text, err);
	}
	ret = kinds[row->kind].parse(text, param_field(params, row));
	return ret ? malformed(row, option, text, ret, err) : 0;
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
