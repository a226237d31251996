#include "config.h"
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

int list_read(const char *text, list_reader *read, void *into)
{
	for (;;) {
		int ret = read(&text, into);

		if (ret || !*text)
			return ret;
		if (*text++ != ',')
			return -EINVAL;
	}
}

/* Give each member of TEXT to READ with a zeroed copy of LIST, which has SIZE
 * bytes and becomes the copy if all members are good. */
static int list_parse(const char *text, list_reader *read, void *list,
		      size_t size)
{
	void *copy = xcalloc(1, size);
	int ret = list_read(text, read, copy);

	if (!ret)
		memcpy(list, copy, size);
	free(copy);
	return ret;
}

void text_append(char *text, size_t size, const char *fmt, ...)
{
	const size_t used = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + used, size - used, fmt, ap);
	va_end(ap);
}

void list_add(char *list, size_t size, const char *word)
{
	const size_t length = strlen(word);

	if (!length)
		return;
	for (const char *at = list; (at = strstr(at, word)); at++)
		if ((at == list || at[-1] == ' ') &&
		    (!at[length] || at[length] == ','))
			return;
	text_append(list, size, "%s%s", *list ? ", " : "", word);
}

/* Parse the digits at the start of TEXT; *END points behind them. */
static int parse_digits(const char *text, const char **end, uint64_t *value)
{
	uint64_t v = 0;
	const char *p;

	for (p = text; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			return -ERANGE;
	if (p == text)
		return -EINVAL;
	*end = p;
	*value = v;
	return 0;
}

int units_parse_count(const char *text, uint64_t *value)
{
	const char *end;
	uint64_t v;
	int ret = parse_digits(text, &end, &v);

	if (ret)
		return ret;
	if (*end)
		return -EINVAL;
	*value = v;
	return 0;
}

/* Parse a size at the start of TEXT; *END points behind it. */
static int scan_size(const char *text, const char **end, uint64_t *bytes)
{
	static const char suffixes[] = "KkMmGg";
	const char *p, *suffix;
	uint64_t v;
	int ret = parse_digits(text, &p, &v);

	if (ret)
		return ret;
	suffix = *p ? strchr(suffixes, *p) : NULL;
	if (suffix) {
		int shift = 10 * (1 + (int)(suffix - suffixes) / 2);

		if (v > UINT64_MAX >> shift)
			return -ERANGE;
		v <<= shift;
		p++;
	}
	*end = p;
	*bytes = v;
	return 0;
}

int units_parse_size(const char *text, uint64_t *bytes)
{
	const char *end;
	uint64_t v;
	int ret = scan_size(text, &end, &v);

	if (ret)
		return ret;
	if (*end)
		return -EINVAL;
	*bytes = v;
	return 0;
}

static int append(struct sizes *sizes, uint64_t bytes)
{
	if (sizes->n == SIZES_MAX)
		return -E2BIG;
	sizes->bytes[sizes->n++] = bytes;
	return 0;
}

static int append_range(struct sizes *sizes, uint64_t low, uint64_t high)
{
	int ret = 0;

	if (low == 0 || high < low)
		return -ERANGE;
	while (!ret) {
		ret = append(sizes, low);
		if (low > high / 2)
			break;
		low *= 2;
	}
	return ret;
}

/* A list_reader of a size or a range; INTO is a struct sizes. */
static int read_sizes(const char **text, void *into)
{
	uint64_t low, high;
	int ret = scan_size(*text, text, &low);

	if (ret)
		return ret;
	if (strncmp(*text, "..", 2) != 0)
		return append(into, low);
	return scan_size(*text + 2, text, &high) ?:
	       append_range(into, low, high);
}

int units_parse_sizes(const char *text, struct sizes *sizes)
{
	return list_parse(text, read_sizes, sizes, sizeof(*sizes));
}

static const struct {
	const char *name;
	uint64_t ns;
} time_units[] = {
	{ "h", 3600000000000 }, { "m", 60000000000 }, { "s", 1000000000 },
	{ "ms", 1000000 },	{ "us", 1000 },	      { "ns", 1 },
	{ "", 1000000000 },
};

int units_parse_time(const char *text, uint64_t *ns)
{
	uint64_t whole, unit = 0, weight, fraction = 0;
	const char *p, *digits = NULL;
	int ret = parse_digits(text, &p, &whole);

	if (ret)
		return ret;
	if (*p == '.') {
		digits = ++p;
		p += strspn(p, "0123456789");
		if (p == digits)
			return -EINVAL;
	}
	for (size_t i = 0; i < sizeof(time_units) / sizeof(*time_units); i++)
		if (!strcmp(p, time_units[i].name))
			unit = time_units[i].ns;
	if (!unit)
		return -EINVAL;
	weight = unit / 10;
	for (; digits && digits < p && weight; digits++, weight /= 10)
		fraction += (uint64_t)(*digits - '0') * weight;
	if (__builtin_mul_overflow(whole, unit, &whole) ||
	    __builtin_add_overflow(whole, fraction, &whole))
		return -ERANGE;
	*ns = whole;
	return 0;
}

const char *units_format_time(uint64_t ns, char text[TIME_TEXT_SIZE])
{
	size_t i = 0;

	while (ns % time_units[i].ns)
		i++;
	snprintf(text, TIME_TEXT_SIZE, "%llu%s",
		 (unsigned long long)(ns / time_units[i].ns),
		 ns ? time_units[i].name : "");
	return text;
}

size_t decimal_length(const char *text)
{
	size_t whole = strspn(text, "0123456789"), fraction;

	if (!whole || text[whole] != '.')
		return whole;
	fraction = strspn(text + whole + 1, "0123456789");
	return fraction ? whole + 1 + fraction : 0;
}

int units_parse_decimal(const char *text, double *value)
{
	const size_t length = decimal_length(text);

	if (!length || text[length])
		return -EINVAL;
	*value = strtod(text, NULL);
	return 0;
}

/* A list_reader; INTO is a struct percentiles. */
static int read_percentile(const char **text, void *into)
{
	uint64_t whole, fraction = 0, weight = 1000;
	struct percentiles *list = into;
	const char *p, *digits;
	int ret = parse_digits(*text, &p, &whole);

	if (ret)
		return ret;
	if (*p == '.') {
		for (digits = ++p; *p >= '0' && *p <= '9' && weight; p++) {
			fraction += (uint64_t)(*p - '0') * weight;
			weight /= 10;
		}
		if (p == digits)
			return -EINVAL;
	}
	if (whole >= 100 || whole + fraction == 0)
		return -ERANGE;
	if (list->n == PERCENTILES_MAX)
		return -E2BIG;
	list->per_million[list->n++] = (uint32_t)(whole * 10000 + fraction);
	*text = p;
	return 0;
}

int units_parse_percentiles(const char *text, struct percentiles *percentiles)
{
	return list_parse(text, read_percentile, percentiles,
			  sizeof(*percentiles));
}

const char *units_format_percentile(uint32_t per_million,
				    char text[PERCENTILE_TEXT_SIZE])
{
	/* six digits are exact, and %g drops trailing zeros */
	snprintf(text, PERCENTILE_TEXT_SIZE, "%.6g", per_million / 1e4);
	return text;
}

/*
 * Read "4", or the range "4-7", at *TEXT, which moves behind it; FIRST may be
 * above LAST.  Returns as units_parse_count().
 */
static int scan_range(const char **text, uint64_t *first, uint64_t *last)
{
	int ret = parse_digits(*text, text, first);

	if (ret)
		return ret;
	*last = *first;
	return **text == '-' ? parse_digits(*text + 1, text, last) : 0;
}

/* A list_reader of a CPU or a range; INTO is a struct cpus. */
static int read_cpus(const char **text, void *into)
{
	struct cpus *cpus = into;
	uint64_t first, last;
	int ret = scan_range(text, &first, &last);

	if (ret)
		return ret;
	if (first > last || last >= CPU_ID_END)
		return -ERANGE;
	for (; first <= last; first++) {
		if (cpus->n == CPUS_MAX)
			return -E2BIG;
		cpus->id[cpus->n++] = (uint32_t)first;
	}
	return 0;
}

int units_parse_cpus(const char *text, struct cpus *cpus)
{
	if (!strcmp(text, "auto")) {
		*cpus = (struct cpus){ .automatic = true };
		return 0;
	}
	return list_parse(text, read_cpus, cpus, sizeof(*cpus));
}

/* A list_reader; INTO is a struct labels. */
static int read_label(const char **text, void *into)
{
	struct labels *list = into;
	const char *p = *text;
	uint64_t value;
	char *after;
	int ret = 0;

	if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
		if (!isxdigit((unsigned char)p[2]))
			return -EINVAL;
		value = strtoull(p, &after, 16);
		*text = after;
	} else {
		ret = parse_digits(p, text, &value);
	}
	if (ret)
		return ret;
	if (value > LABEL_MAX)
		return -ERANGE;
	if (list->n == LABELS_MAX)
		return -E2BIG;
	list->value[list->n++] = (uint32_t)value;
	return 0;
}

int units_parse_labels(const char *text, struct labels *labels)
{
	return list_parse(text, read_label, labels, sizeof(*labels));
}

/* A list_reader; INTO is a struct batch. */
static int read_part(const char **text, void *into)
{
	struct batch *batch = into;
	uint64_t size, count = 1;
	int ret = scan_size(*text, text, &size);

	if (!ret && (**text == 'x' || **text == '*'))
		ret = parse_digits(*text + 1, text, &count);
	if (ret)
		return ret;
	if (!size || size > BATCH_SIZE_MAX || !count || count > BATCH_COUNT_MAX)
		return -ERANGE;
	if (batch->n == BATCH_PARTS_MAX)
		return -E2BIG;
	batch->parts[batch->n++] = (struct batch_part){
		.count = (uint32_t)count,
		.size = (uint32_t)size,
	};
	return 0;
}

int units_parse_batch(const char *text, struct batch *batch)
{
	return list_parse(text, read_part, batch, sizeof(*batch));
}

const char *units_format_batch(const struct batch *batch,
			       char text[BATCH_TEXT_SIZE])
{
	text[0] = '\0';
	for (uint32_t i = 0; i < batch->n; i++) {
		const struct batch_part *part = &batch->parts[i];
		const uint32_t shift = part->size % (1 << 20) == 0 ? 20 :
				       part->size % (1 << 10) == 0 ? 10 : 0;

		text_append(text, BATCH_TEXT_SIZE, "%s%u%s", i ? "," : "",
			    part->size >> shift,
			    shift == 20 ? "M" : shift ? "K" : "");
		if (part->count > 1)
			text_append(text, BATCH_TEXT_SIZE, "x%u", part->count);
	}
	return text;
}

/* A list_reader of a CPU or a range; INTO is a cpu_set_t. */
static int read_set(const char **text, void *into)
{
	uint64_t first, last;
	int ret = scan_range(text, &first, &last);

	if (ret)
		return ret;
	if (first >= CPU_SETSIZE || last >= CPU_SETSIZE)
		return -ERANGE;
	if (first > last)
		return -EINVAL;
	for (; first <= last; first++)
		CPU_SET(first, (cpu_set_t *)into);
	return 0;
}

int cpulist_parse(const char *text, cpu_set_t *set)
{
	size_t length = strcspn(text, "\n");
	char *line;
	int ret;

	CPU_ZERO(set);
	if (!length)
		return 0;
	line = xcalloc(1, length + 1);
	memcpy(line, text, length);
	ret = list_read(line, read_set, set);
	free(line);
	return ret;
}

void cpulist_format(const cpu_set_t *set, char *text, size_t size)
{
	text[0] = '\0';
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		int last = cpu;

		if (!CPU_ISSET(cpu, set))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
			last++;
		text_append(text, size, last > cpu ? "%s%d-%d" : "%s%d",
			    *text ? "," : "", cpu, last);
		cpu = last;
	}
}
