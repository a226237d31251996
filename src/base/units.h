/* Strict numbers in; where people read them as they were given, out. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

/* As many message sizes as one run can have. */
#define SIZES_MAX 64

struct sizes {
	uint32_t n;
	uint64_t bytes[SIZES_MAX];
};

/* As many CPUs as a run can name, and as many threads as it can have. */
#define CPUS_MAX 64

struct cpus {
	uint32_t n;
	uint32_t id[CPUS_MAX];
};

/* As many flow labels as a run can have, and the largest: it has 20 bits. */
#define LABELS_MAX 64
#define LABEL_MAX 0xfffffU

struct labels {
	uint32_t n;
	uint32_t value[LABELS_MAX];
};

/* The kernel's numbers of CPUs are below this. */
#define CPU_ID_END 65536

/* As many percentiles as a report can be asked for. */
#define PERCENTILES_MAX 16

struct percentiles {
	uint32_t n;
	uint32_t per_million[PERCENTILES_MAX];
};

/*
 * A decimal number: digits only, no sign, no blanks.
 * Returns 0, -EINVAL (not a number), -ERANGE (above 2^64 - 1).
 */
int units_parse_count(const char *text, uint64_t *value);

/*
 * A number of bytes: digits and at most one of K M G (or k m g; powers of
 * 1,024).  Returns as units_parse_count().
 */
int units_parse_size(const char *text, uint64_t *bytes);

/*
 * Sizes: "64", "4K,1M", and ranges, "2..8M", that double from the first to at
 * most the second.  Returns 0, -EINVAL, -ERANGE (a number too large, or a
 * range from 0 or downwards), -E2BIG (more than SIZES_MAX).
 */
int units_parse_sizes(const char *text, struct sizes *sizes);

/*
 * A time: decimal digits, with a fraction if wanted, and at most one of ns us
 * ms s m h; seconds without.  In nanoseconds.  Returns as units_parse_count().
 */
int units_parse_time(const char *text, uint64_t *ns);

/*
 * A decimal number: digits, with a fraction if wanted; no sign, no exponent.
 * Returns 0 or -EINVAL.  What is too large for a double becomes infinite.
 */
int units_parse_decimal(const char *text, double *value);

/*
 * Percentiles: "50,99.9,99.9999", each above 0, below 100 and with at most
 * four decimals; kept in the order given.  Returns 0, -EINVAL, -ERANGE (not
 * between 0 and 100), -E2BIG (more than PERCENTILES_MAX).
 */
int units_parse_percentiles(const char *text, struct percentiles *list);

#define PERCENTILE_TEXT_SIZE 16

/* "99.9" of 999,000 into TEXT, as short as it can be; returns TEXT. */
const char *units_format_percentile(uint32_t per_million,
				    char text[PERCENTILE_TEXT_SIZE]);

/*
 * Numbers of CPUs: "0,2,4-7", each below CPU_ID_END; kept in the order given.
 * Returns 0, -EINVAL, -ERANGE (a number too large, or a range downwards),
 * -E2BIG (more than CPUS_MAX).
 */
int units_parse_cpus(const char *text, struct cpus *cpus);

/*
 * Flow labels: "1,2,0x3a", decimal or hexadecimal, each at most LABEL_MAX.
 * Returns 0, -EINVAL, -ERANGE (a number too large), -E2BIG (more than
 * LABELS_MAX).
 */
int units_parse_labels(const char *text, struct labels *labels);

#endif
