/*
 * Numbers, times, rates and lists as users write them.  The first byte of an
 * input chooses the parser, the rest is its text.  What is read is in its
 * range and, printed exactly, reads the same.
 */
#include "config.h"
#include "fuzz.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "base/units.h"
#include "base/xalloc.h"

/* A list as text. */
struct text {
	char bytes[4096];
	size_t used;
};

static void __attribute__((format(printf, 2, 3)))
append(struct text *t, const char *fmt, ...)
{
	va_list args;

	if (t->used)
		t->bytes[t->used++] = ',';
	va_start(args, fmt);
	t->used += (size_t)vsnprintf(t->bytes + t->used,
				     sizeof(t->bytes) - t->used, fmt, args);
	va_end(args);
	MUST(t->used < sizeof(t->bytes) - 1);
}

static void check_number(const char *text, const char *unit,
			 int (*parse)(const char *text, uint64_t *value))
{
	struct text printed = { 0 };
	uint64_t value, again;

	if (parse(text, &value))
		return;
	append(&printed, "%llu%s", (unsigned long long)value, unit);
	MUST(!parse(printed.bytes, &again) && again == value);
}

static void check_count(const char *text)
{
	check_number(text, "", units_parse_count);
}

static void check_size(const char *text)
{
	check_number(text, "", units_parse_size);
}

static void check_time(const char *text)
{
	check_number(text, "ns", units_parse_time);
}

static void check_sizes(const char *text)
{
	struct text printed = { 0 };
	struct sizes sizes, again;

	if (units_parse_sizes(text, &sizes))
		return;
	MUST(sizes.n >= 1 && sizes.n <= SIZES_MAX);
	for (uint32_t i = 0; i < sizes.n; i++)
		append(&printed, "%llu", (unsigned long long)sizes.bytes[i]);
	MUST(!units_parse_sizes(printed.bytes, &again));
	MUST(!memcmp(&again, &sizes, sizeof(sizes)));
}

static void check_percentiles(const char *text)
{
	char one[PERCENTILE_TEXT_SIZE];
	struct text printed = { 0 };
	struct percentiles list, again;

	if (units_parse_percentiles(text, &list))
		return;
	MUST(list.n >= 1 && list.n <= PERCENTILES_MAX);
	for (uint32_t i = 0; i < list.n; i++) {
		MUST(list.per_million[i] > 0 && list.per_million[i] < 1000000);
		append(&printed, "%s",
		       units_format_percentile(list.per_million[i], one));
	}
	MUST(!units_parse_percentiles(printed.bytes, &again));
	MUST(!memcmp(&again, &list, sizeof(list)));
}

static void check_decimal(const char *text)
{
	struct text printed = { 0 };
	double value, again;

	if (units_parse_decimal(text, &value))
		return;
	MUST(value >= 0);
	if (value > 1e300)
		return;
	append(&printed, "%.400f", value);
	MUST(!units_parse_decimal(printed.bytes, &again) && again == value);
}

static void check_cpus(const char *text)
{
	struct text printed = { 0 };
	struct cpus cpus, again;

	if (units_parse_cpus(text, &cpus))
		return;
	if (cpus.automatic)
		return;
	MUST(cpus.n >= 1 && cpus.n <= CPUS_MAX);
	for (uint32_t i = 0; i < cpus.n; i++) {
		MUST(cpus.id[i] < CPU_ID_END);
		append(&printed, "%u", cpus.id[i]);
	}
	MUST(!units_parse_cpus(printed.bytes, &again));
	MUST(!memcmp(&again, &cpus, sizeof(cpus)));
}

static void check_labels(const char *text)
{
	struct text printed = { 0 };
	struct labels labels, again;

	if (units_parse_labels(text, &labels))
		return;
	MUST(labels.n >= 1 && labels.n <= LABELS_MAX);
	for (uint32_t i = 0; i < labels.n; i++) {
		MUST(labels.value[i] <= LABEL_MAX);
		append(&printed, i % 2 ? "0x%x" : "%u", labels.value[i]);
	}
	MUST(!units_parse_labels(printed.bytes, &again));
	MUST(!memcmp(&again, &labels, sizeof(labels)));
}

static void check_rate(const char *text)
{
	char for_people[RATE_TEXT_SIZE];
	struct text printed = { 0 };
	uint64_t rate, number, again;

	if (rate_parse(text, &rate))
		return;
	number = rate & ~RATE_MESSAGES;
	MUST(rate_is_valid(rate) && number);
	MUST(strlen(rate_format(rate, for_people)) < RATE_TEXT_SIZE - 1);
	MUST(rate_messages(rate, 64) > 0);
	append(&printed, "%llu.%09llu%s",
	       (unsigned long long)(number / 1000000000),
	       (unsigned long long)(number % 1000000000), rate_unit(rate));
	MUST(!rate_parse(printed.bytes, &again) && again == rate);
}

static void check_cpulist(const char *text)
{
	char printed[8 * CPU_SETSIZE], cut[8];
	cpu_set_t set, again;

	if (cpulist_parse(text, &set))
		return;
	cpulist_format(&set, printed, sizeof(printed));
	MUST(!cpulist_parse(printed, &again) && CPU_EQUAL(&set, &again));
	cpulist_format(&set, cut, sizeof(cut));
	MUST(!strncmp(cut, printed, strlen(cut)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const checks[])(const char *text) = {
		check_count, check_size, check_time, check_sizes,
		check_percentiles, check_cpus, check_labels, check_rate,
		check_cpulist, check_decimal,
	};
	char *text;

	if (!size)
		return 0;
	/* its end is the end of what may be read */
	text = xcalloc(1, size);
	memcpy(text, data + 1, size - 1);
	checks[data[0] % (sizeof(checks) / sizeof(*checks))](text);
	free(text);
	return 0;
}
