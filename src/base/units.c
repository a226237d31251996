/* Parses and formats numbers, sizes, times, percentiles and lists as users and
 * the kernel write them. */
#include "config.h"
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/xalloc.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define DIGITS "0123456789"

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

/* Greatest power of ten that is read; none in use comes near it. */
#define EXPONENT_MOST 9999

/* A decimal number in a text: its digits, of which WHOLE stand before a point,
 * and a power of ten that they are multiplied by. */
struct decimal {
	const char *text;
	size_t whole;
	size_t digits;
	int exponent;
};

/* Read an exponent, "e6" or "e-3", at TEXT.  Returns its length; 0: none. */
static size_t scan_exponent(const char *text, int *exponent)
{
	const bool negative = *text && text[1] == '-';
	const size_t sign = negative || (*text && text[1] == '+');
	const char *digit = text + 1 + sign;
	int e = 0;

	if ((*text != 'e' && *text != 'E') || !isdigit((unsigned char)*digit))
		return 0;
	for (; isdigit((unsigned char)*digit); digit++)
		e = e > EXPONENT_MOST ? e : 10 * e + (*digit - '0');
	*exponent = negative ? -e : e;
	return (size_t)(digit - text);
}

/* Read a decimal number at TEXT; *END points behind it.  False: none. */
static bool scan_decimal(const char *text, const char **end,
			 struct decimal *decimal)
{
	struct decimal d = { .text = text };

	d.whole = d.digits = strspn(text, DIGITS);
	if (!d.whole)
		return false;
	*end = text + d.whole;
	if (**end == '.' && isdigit((unsigned char)(*end)[1])) {
		const size_t fraction = strspn(*end + 1, DIGITS);

		d.digits += fraction;
		*end += 1 + fraction;
	}
	*end += scan_exponent(*end, &d.exponent);
	*decimal = d;
	return true;
}

/* Digit I of D, which has none but zeros behind the last one. */
static uint64_t digit_of(const struct decimal *d, long i)
{
	const size_t at = (size_t)i;

	return at < d->digits ?
		       (uint64_t)(d->text[at + (at >= d->whole)] - '0') : 0;
}

/*
 * Set *VALUE to D times UNIT, rounded down to a whole number, and *EXACT to
 * whether nothing was lost.  Returns 0, or -ERANGE (above 2^64 - 1).
 */
static int scale_decimal(const struct decimal *d, uint64_t unit,
			 uint64_t *value, bool *exact)
{
	const long point = (long)d->whole + d->exponent;
	uint64_t whole = 0, fraction = 0;

	*exact = true;
	/* from the last digit on: what a division drops stays dropped */
	for (long i = (long)d->digits - 1; i >= point; i--) {
		fraction += i < 0 ? 0 : digit_of(d, i) * unit;
		*exact = *exact && fraction % 10 == 0;
		fraction /= 10;
	}
	for (long i = 0; i < point; i++)
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, digit_of(d, i), &whole))
			return -ERANGE;
	if (__builtin_mul_overflow(whole, unit, &whole) ||
	    __builtin_add_overflow(whole, fraction, value))
		return -ERANGE;
	return 0;
}

/* A unit behind a number, and what it multiplies the number by. */
struct unit {
	const char *name;
	uint64_t factor;
};

/* The longest of the N UNITS that TEXT begins with; NULL: none. */
static const struct unit *scan_unit(const char *text, const struct unit *units,
				    size_t n)
{
	const struct unit *found = NULL;

	for (size_t i = 0; i < n; i++) {
		const size_t length = strlen(units[i].name);

		if (!strncasecmp(text, units[i].name, length) &&
		    (!found || length > strlen(found->name)))
			found = &units[i];
	}
	return found;
}

/*
 * Read a whole number at TEXT, with one of the N UNITS if it has one: "64",
 * "0x68", "1e6", "1.5M".  *END points behind it.  Returns as
 * units_parse_digits().
 */
static int scan_whole(const char *text, const char **end,
		      const struct unit *units, size_t n, uint64_t *value)
{
	const struct unit *unit;
	struct decimal d;
	char *after;
	bool exact;
	int ret;

	if (!strncasecmp(text, "0x", 2) && isxdigit((unsigned char)text[2])) {
		errno = 0;
		*value = strtoull(text, &after, 16);
		*end = after;
		return -errno;
	}
	if (!scan_decimal(text, end, &d))
		return -EINVAL;
	unit = scan_unit(*end, units, n);
	ret = scale_decimal(&d, unit ? unit->factor : 1, value, &exact);
	if (unit)
		*end += strlen(unit->name);
	return ret ?: exact ? 0 : -EINVAL;
}

/* Parse TEXT likewise; there is nothing behind the number. */
static int parse_whole(const char *text, const struct unit *units, size_t n,
		       uint64_t *value)
{
	const char *end;
	uint64_t v;
	int ret = scan_whole(text, &end, units, n, &v);

	if (ret != -EINVAL && *end)
		return -EINVAL;
	if (!ret)
		*value = v;
	return ret;
}

int units_parse_digits(const char *text, uint64_t *value)
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

int units_parse_number(const char *text, uint64_t *value)
{
	return parse_whole(text, NULL, 0, value);
}

static const struct unit thousands[] = {
	{ "k", 1000 },
	{ "M", 1000000 },
	{ "G", 1000000000 },
	{ "T", 1000000000000 },
};

int units_parse_count(const char *text, uint64_t *value)
{
	return parse_whole(text, thousands, COUNT(thousands), value);
}

static const struct unit sizes_of_bytes[] = {
	{ "K", 1ULL << 10 },   { "M", 1ULL << 20 },   { "G", 1ULL << 30 },
	{ "T", 1ULL << 40 },   { "KB", 1ULL << 10 },  { "MB", 1ULL << 20 },
	{ "GB", 1ULL << 30 },  { "TB", 1ULL << 40 },  { "KiB", 1ULL << 10 },
	{ "MiB", 1ULL << 20 }, { "GiB", 1ULL << 30 }, { "TiB", 1ULL << 40 },
	{ "B", 1 },
};

/* Read a size at TEXT; *END points behind it. */
static int scan_size(const char *text, const char **end, uint64_t *bytes)
{
	return scan_whole(text, end, sizes_of_bytes, COUNT(sizes_of_bytes),
			  bytes);
}

int units_parse_size(const char *text, uint64_t *bytes)
{
	return parse_whole(text, sizes_of_bytes, COUNT(sizes_of_bytes), bytes);
}

/* Write VALUE into TEXT in the last of the first N UNITS, in ascending order,
 * of which it is a whole number. */
static const char *format_whole(uint64_t value, const struct unit *units,
				size_t n, char text[NUMBER_TEXT_SIZE])
{
	const struct unit one = { "", 1 }, *unit = &one;

	for (size_t i = 0; value && i < n; i++)
		if (value % units[i].factor == 0)
			unit = &units[i];
	snprintf(text, NUMBER_TEXT_SIZE, "%llu%s",
		 (unsigned long long)(value / unit->factor), unit->name);
	return text;
}

const char *units_format_count(uint64_t value, char text[NUMBER_TEXT_SIZE])
{
	/* 16384 and 1000 are read as easily as they are */
	return format_whole(value, thousands,
			    value < 1000000 ? 0 : COUNT(thousands), text);
}

const char *units_format_size(uint64_t bytes, char text[NUMBER_TEXT_SIZE])
{
	return format_whole(bytes, sizes_of_bytes, 4, text);
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

static const struct unit time_units[] = {
	{ "h", 3600000000000 }, { "m", 60000000000 }, { "s", 1000000000 },
	{ "ms", 1000000 },	{ "us", 1000 },	      { "ns", 1 },
};

/* The unit of a time that TEXT is, in lower case; NULL: it is none. */
static const struct unit *find_time_unit(const char *text)
{
	for (size_t i = 0; i < COUNT(time_units); i++)
		if (!strcmp(text, time_units[i].name))
			return &time_units[i];
	return NULL;
}

int units_parse_time(const char *text, uint64_t *ns)
{
	const struct unit *unit;
	struct decimal d;
	const char *end;
	uint64_t value;
	bool exact;
	int ret;

	if (!scan_decimal(text, &end, &d))
		return -EINVAL;
	unit = find_time_unit(*end ? end : "s");
	if (!unit)
		return -EINVAL;
	ret = scale_decimal(&d, unit->factor, &value, &exact);
	if (!ret)
		*ns = value;
	return ret;
}

int units_parse_microseconds(const char *text, double *us)
{
	const size_t length = decimal_length(text);
	const struct unit *unit = find_time_unit(text[length] ? text + length :
								"us");

	if (!length || !unit)
		return -EINVAL;
	*us = strtod(text, NULL) * (double)unit->factor / 1e3;
	return 0;
}

const char *units_format_time(uint64_t ns, char text[TIME_TEXT_SIZE])
{
	size_t i = 0;

	while (ns % time_units[i].factor)
		i++;
	snprintf(text, TIME_TEXT_SIZE, "%llu%s",
		 (unsigned long long)(ns / time_units[i].factor),
		 ns ? time_units[i].name : "");
	return text;
}

size_t decimal_length(const char *text)
{
	const char *end;
	struct decimal d;

	return scan_decimal(text, &end, &d) ? (size_t)(end - text) : 0;
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
	struct percentiles *list = into;
	struct decimal d;
	uint64_t value;
	bool exact;

	if (!scan_decimal(*text, text, &d))
		return -EINVAL;
	if (scale_decimal(&d, 10000, &value, &exact) || value >= 1000000)
		return -ERANGE;
	if (!exact)
		return -EINVAL;
	if (!value)
		return -ERANGE;
	if (list->n == PERCENTILES_MAX)
		return -E2BIG;
	list->per_million[list->n++] = (uint32_t)value;
	*text += **text == '%';
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
 * above LAST.  Returns as units_parse_digits().
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
	uint64_t value;
	int ret = scan_whole(*text, text, NULL, 0, &value);

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
