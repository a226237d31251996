/* Parses the text of parameters, and reports invalid text. */
#include "config.h"
#include "model/param.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/ip.h"

/* "--qps 0: expected 1 to 1024", in the option's own unit. */
static int out_of_range(const struct param *row, const char *option,
			const char *text, struct error *err)
{
	double scale = row->kind == PARAM_TIME ? 1e-9 : 1;
	const char *unit = row->kind == PARAM_TIME ? " seconds" : "";

	if (row->kind == PARAM_RATE)
		return fail(err, -EINVAL, NULL,
			    "%s %s: must be above 0, and at most 10^6 Gb/s or "
			    "Mpps", option, text);
	if (row->max == UINT64_MAX)
		return fail(err, -EINVAL, NULL, "%s %s: must be at least %llu",
			    option, text, (unsigned long long)row->min);
	return fail(err, -EINVAL, NULL, "%s %s: expected %.15g to %.15g%s",
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
		[PARAM_BYTES] = "a number of bytes, optionally with K, M or G",
		[PARAM_TIME] = "seconds like 3 or 0.5, or a time with ms, s, m or h",
		[PARAM_SIZES] = ("a size like 64 or 4K, a list 64,4K or a "
				 "range 2..8M"),
		[PARAM_STRING] = "a text",
		[PARAM_PERCENTILES] =
			("percentiles like 99.5 or 50,99.999: above 0, below "
			 "100, with at most four decimals"),
		[PARAM_CPUS] = ("CPU numbers like 0 or 0,2,4-7, below 65536"),
		[PARAM_RATE] = ("a rate like 10 or 2.5Gb/s (bits), 1.25GB/s or "
				"2GiB/s (bytes), or 1.2Mpps"),
		[PARAM_LABELS] = "flow labels like 1,2,0xfffff",
		[PARAM_MCAST] = ("a multicast address like 239.255.1.2 or "
				 "ff12::1, or auto"),
		[PARAM_NODE] = "a node number, auto or none",
		[PARAM_NETWORKS] =
			("IP addresses and networks like 192.0.2.7, "
			 "10.0.0.0/8 or 2001:db8::/32, with no bits set after "
			 "the prefix"),
		[PARAM_COUNTERS] = ("interest, all, none or names of counters "
				    "with commas between them"),
		[PARAM_COUNTER_LIMITS] = ("counters and numbers like "
					  "link_downed=0,out_of_sequence=10"),
		[PARAM_MEMORY] = MEMORY_WORDS,
	};

	return fail(err, -EINVAL, NULL, "%s '%s': must be %s", option, text,
		    wanted[row->kind]);
}

static int parse_choice(const struct param *row, const char *option,
			const char *text, uint64_t *index, struct error *err)
{
	char words[80] = "";
	const char *word;
	size_t used = 0;
	int length;

	for (uint64_t i = 0; (word = param_word(row, i, &length)); i++) {
		if (strlen(text) == (size_t)length &&
		    !strncasecmp(word, text, (size_t)length)) {
			*index = i;
			return 0;
		}
		snprintf(words + used, sizeof(words) - used, "%s%.*s",
			 used ? ", " : "", length, word);
		used = strlen(words);
	}
	return fail(err, -EINVAL, NULL, "%s '%s': expected %s", option,
		    text, words);
}

static int parse_number(const struct param *row, const char *text,
			uint64_t *value)
{
	bool node = row->kind == PARAM_NODE;

	if ((row->kind == PARAM_AUTO_NUMBER || node) &&
	    !strcmp(text, "auto")) {
		*value = PLAN_AUTO;
		return 0;
	}
	if (node && !strcmp(text, "none")) {
		*value = PARAM_NONE;
		return 0;
	}
	if (row->kind == PARAM_RATE)
		return rate_parse(text, value);
	if (row->kind == PARAM_BYTES)
		return units_parse_size(text, value);
	if (row->kind == PARAM_TIME)
		return units_parse_time(text, value);
	return units_parse_count(text, value);
}

static void *field(struct parameters *params, const struct param *row)
{
	return (char *)params + row->offset;
}

/* Report why a list could not be parsed into its field; RET 0 means it was. */
static int refuse_list(const struct param *row, const char *option,
		       const char *text, int ret, int most, const char *what,
		       struct error *err)
{
	if (ret == -E2BIG)
		return fail(err, -EINVAL, NULL, "%s '%s': more than %d %s",
			    option, text, most, what);
	return ret ? malformed(row, option, text, err) : 0;
}

static int parse_sizes(struct parameters *params, const struct param *row,
		       const char *option, const char *text, struct error *err)
{
	struct sizes sizes;
	int ret = units_parse_sizes(text, &sizes);

	if (ret)
		return refuse_list(row, option, text, ret, SIZES_MAX, "sizes",
				   err);
	for (uint32_t i = 0; i < sizes.n; i++)
		if (sizes.bytes[i] < row->min || sizes.bytes[i] > row->max)
			return out_of_range(row, option, text, err);
	memcpy(field(params, row), &sizes, sizeof(sizes));
	return 0;
}

static int parse_limit(struct parameters *params, const struct param *row,
		       const char *option, const char *text, struct error *err)
{
	struct limit *limit = field(params, row);
	double value;

	if (units_parse_decimal(text, &value))
		return fail(err, -EINVAL, NULL, "%s '%s': must be a number "
			    "like 20 or 2.5, in %s", option, text,
			    param_unit(row));
	if (value > (double)row->max)
		return fail(err, -EINVAL, NULL, "%s %s: must be at most %llu",
			    option, text, (unsigned long long)row->max);
	if (row->min && value == 0)
		return fail(err, -EINVAL, NULL, "%s %s: must be above 0",
			    option, text);
	limit->given = true;
	limit->value = value;
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
	bool file = !strcmp(row->argument, "FILE");

	if (file && !row->implied && !strcmp(text, "-"))
		return fail(err, -EINVAL, "write ./- for a file of that name",
			    "%s -: expected a file, not stdin or stdout",
			    option);
	if (!strcmp(row->argument, "TEXT") && !is_utf8(text))
		return fail(err, -EINVAL, NULL,
			    "%s: not valid UTF-8, which JSON requires", option);
	memcpy(field(params, row), &text, sizeof(text));
	return 0;
}

static int parse_plain(struct parameters *params, const struct param *row,
		       const char *option, const char *text, struct error *err)
{
	uint64_t value = 0;
	int ret = parse_number(row, text, &value);
	bool digits;

	if (ret == -EINVAL)
		return malformed(row, option, text, err);
	/* words such as auto stand for numbers outside the range */
	digits = text[0] >= '0' && text[0] <= '9';
	if (ret || (digits && row->kind != PARAM_RATE &&
		    (value < row->min || value > row->max)))
		return out_of_range(row, option, text, err);
	param_set(params, row, value);
	return 0;
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

int param_parse(struct parameters *params, const struct param *row,
		const char *option, const char *text, struct error *err)
{
	uint64_t value = 0;
	int ret;

	switch (row->kind) {
	case PARAM_STRING:
		return parse_string(params, row, option, text, err);
	case PARAM_SIZES:
		return parse_sizes(params, row, option, text, err);
	case PARAM_PERCENTILES:
		ret = units_parse_percentiles(text, field(params, row));
		return refuse_list(row, option, text, ret, PERCENTILES_MAX,
				   "percentiles", err);
	case PARAM_CPUS:
		ret = units_parse_cpus(text, field(params, row));
		return refuse_list(row, option, text, ret, CPUS_MAX, "CPUs",
				   err);
	case PARAM_LABELS:
		ret = units_parse_labels(text, field(params, row));
		return refuse_list(row, option, text, ret, LABELS_MAX,
				   "flow labels", err);
	case PARAM_MCAST:
		ret = parse_group(text, field(params, row));
		return ret ? malformed(row, option, text, err) : 0;
	case PARAM_NETWORKS:
		ret = networks_parse(text, field(params, row));
		return refuse_list(row, option, text, ret, NETWORKS_MAX,
				   "networks", err);
	case PARAM_MEMORY:
		ret = memory_choice_parse(text, field(params, row));
		return ret ? malformed(row, option, text, err) : 0;
	case PARAM_LIMIT:
		return parse_limit(params, row, option, text, err);
	case PARAM_COUNTER_LIMITS:
		ret = counter_limits_parse(text, field(params, row));
		return refuse_list(row, option, text, ret, COUNTER_LIMITS_MAX,
				   "counters", err);
	case PARAM_COUNTERS:
		ret = counter_choice_parse(text, field(params, row));
		return ret ? malformed(row, option, text, err) : 0;
	case PARAM_CHOICE:
		ret = parse_choice(row, option, text, &value, err);
		if (!ret)
			param_set(params, row, value);
		return ret;
	default:
		return parse_plain(params, row, option, text, err);
	}
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
