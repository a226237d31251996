/* Strict parsers for numbers and lists, as users and the kernel write them, and
 * their formatting. */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the member at *TEXT into INTO, and moves *TEXT behind it.  Returns 0 or
 * a negative errno. */
typedef int list_reader(const char **text, void *into);

/* Give each member of TEXT to READ with INTO.  An empty text has one empty
 * member.  Returns 0, -EINVAL when something else than a comma follows a
 * member, or what READ returned. */
int list_read(const char *text, list_reader *read, void *into);

/* Append to TEXT, of SIZE bytes, what FMT and its arguments say.  What does not
 * fit is cut off. */
void text_append(char *text, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Append WORD to LIST, text in SIZE bytes whose members have ", " between them,
 * unless it is empty or there already.  What does not fit is cut off. */
void list_add(char *list, size_t size, const char *word);

/* Maximum message sizes in a run. */
#define SIZES_MAX 64

struct sizes {
	uint32_t n;
	uint64_t bytes[SIZES_MAX];
};

/* Maximum CPUs in a list, and maximum threads of a run. */
#define CPUS_MAX 64

struct cpus {
	uint32_t n;
	uint32_t id[CPUS_MAX];
	bool automatic;		/* empty, to be chosen (host/cores.h) */
};

/* Maximum flow labels in a run, and the largest label (20 bits). */
#define LABELS_MAX 64
#define LABEL_MAX 0xfffffU

struct labels {
	uint32_t n;
	uint32_t value[LABELS_MAX];
};

/* Parts of a batch, requests of a part, and bytes of a request at most. */
#define BATCH_PARTS_MAX 32
#define BATCH_COUNT_MAX 65536
#define BATCH_SIZE_MAX (1U << 31)

/* Requests of one size after those of another; n 0: no batch. */
struct batch {
	uint32_t n;
	struct batch_part {
		uint32_t count;
		uint32_t size;
	} parts[BATCH_PARTS_MAX];
};

/* CPU numbers are below this. */
#define CPU_ID_END 65536

/* Maximum percentiles a user can request in a report. */
#define PERCENTILES_MAX 16

struct percentiles {
	uint32_t n;
	uint32_t per_million[PERCENTILES_MAX];
};

/*
 * Parse the digits of a decimal number: no sign, no blanks, nothing else.
 * Returns 0, -EINVAL (not a number), -ERANGE (above 2^64 - 1).
 */
int units_parse_digits(const char *text, uint64_t *value);

/*
 * Parse a whole number of an option: "104", "0x68", "1e6"; "1.5e3", but not
 * "1.5".  Returns likewise.
 */
int units_parse_number(const char *text, uint64_t *value);

/*
 * Parse how many there are of something: a number, optionally with one of k M G
 * T (of either case; powers of 1,000).  Returns likewise.
 */
int units_parse_count(const char *text, uint64_t *value);

/*
 * Parse a number of bytes, optionally with one of K M G T, also as KB or KiB
 * (of either case; powers of 1,024), or B.  Returns likewise.
 */
int units_parse_size(const char *text, uint64_t *bytes);

#define NUMBER_TEXT_SIZE 24

/* Write a count or a number of bytes into TEXT as the functions above read it,
 * in the largest unit of which it is a whole number: "1T", "64K"; a count below
 * a million has no unit.  Returns TEXT. */
const char *units_format_count(uint64_t value, char text[NUMBER_TEXT_SIZE]);
const char *units_format_size(uint64_t bytes, char text[NUMBER_TEXT_SIZE]);

/*
 * Parse sizes in bytes, "64" or "4K,1M", and ranges, "2..8M", which double from
 * the first size up to at most the second.  Returns 0, -EINVAL, -ERANGE (a
 * number too large, or a range that starts at 0 or descends), -E2BIG (more than
 * SIZES_MAX).
 */
int units_parse_sizes(const char *text, struct sizes *sizes);

/*
 * Parse a time: a decimal number, optionally with one of ns us ms s m h;
 * without a unit, seconds.  *NS is in nanoseconds, rounded down.  Returns as
 * units_parse_digits().
 */
int units_parse_time(const char *text, uint64_t *ns);

/*
 * Parse a time likewise, which without a unit is in microseconds, and so is
 * *US.  Returns as units_parse_decimal().
 */
int units_parse_microseconds(const char *text, double *us);

#define TIME_TEXT_SIZE 24

/* Write NS into TEXT as units_parse_time() reads it, in the largest unit of
 * which it is a whole number: "500ms".  Returns TEXT. */
const char *units_format_time(uint64_t ns, char text[TIME_TEXT_SIZE]);

/* Length of the decimal number at the start of TEXT: digits, optionally with a
 * fraction and an exponent; 0: none. */
size_t decimal_length(const char *text);

/*
 * Parse a decimal number: "20", "2.5", "1e-3"; no sign.  Returns 0 or -EINVAL.
 * A number too large for a double becomes infinite.
 */
int units_parse_decimal(const char *text, double *value);

/*
 * Parse percentiles: "50,99.9,99.9999", each above 0, below 100 and a multiple
 * of 0.0001, optionally with %; they keep their order.  Returns 0, -EINVAL,
 * -ERANGE (not between 0 and 100), -E2BIG (more than PERCENTILES_MAX).
 */
int units_parse_percentiles(const char *text, struct percentiles *list);

#define PERCENTILE_TEXT_SIZE 16

/* Write PER_MILLION into TEXT as a percentile without trailing zeros: "99.9"
 * for 999,000.  Returns TEXT. */
const char *units_format_percentile(uint32_t per_million,
				    char text[PERCENTILE_TEXT_SIZE]);

/*
 * Parse CPU numbers: "0,2,4-7", each below CPU_ID_END; they keep their order.
 * Returns 0, -EINVAL, -ERANGE (a number too large, or a descending range),
 * -E2BIG (more than CPUS_MAX).
 */
int units_parse_cpus(const char *text, struct cpus *cpus);

/*
 * Parse flow labels: "1,2,0x3a", decimal or hexadecimal, each at most
 * LABEL_MAX.  Returns 0, -EINVAL, -ERANGE (a number too large), -E2BIG (more
 * than LABELS_MAX).
 */
int units_parse_labels(const char *text, struct labels *labels);

/*
 * Parse the requests of a batch: "4Kx64,64Kx8,1M", a size and how many there
 * are of it.  Returns 0, -EINVAL, -ERANGE (a size or a count that is 0 or too
 * large), -E2BIG (more than BATCH_PARTS_MAX sizes).
 */
int units_parse_batch(const char *text, struct batch *batch);

/* Longest text of a batch: two numbers of ten digits, and what is between. */
#define BATCH_TEXT_SIZE (BATCH_PARTS_MAX * 22)

/* Write BATCH into TEXT as units_parse_batch() reads it, empty if it has no
 * parts.  Returns TEXT. */
const char *units_format_batch(const struct batch *batch,
			       char text[BATCH_TEXT_SIZE]);

/*
 * Parse TEXT, which may end with a newline, into SET.  Empty text is the empty
 * set, as for a node without CPUs.  Returns 0, -EINVAL (not a list) or -ERANGE
 * (a number of CPU_SETSIZE or more); after an error SET is undefined.
 */
int cpulist_parse(const char *text, cpu_set_t *set);

/* Write SET as "0-3,8" into TEXT of SIZE bytes, truncated if too long. */
void cpulist_format(const cpu_set_t *set, char *text, size_t size);

/* rate.c: a requested rate: messages per second, or payload bits per second.
 * One word holds the number and its unit, so that it is sent like any other
 * parameter. */

/* Unit: if set, thousandths of a message per second; else bits per second. */
#define RATE_MESSAGES (1ULL << 63)
/* Largest number in either unit: 10^15 bit/s, or 10^12 messages/s. */
#define RATE_MAX 1000000000000000ULL

#define RATE_TEXT_SIZE 32

/*
 * Parse bits ("10", "2.5gbps", "2.5Gb/s", "900Mbit"), bytes ("1.25GB/s",
 * "300MBps", "2GiB/s") or messages ("1.2mpps", "350kpps", "1000pps") a second;
 * b is bits, B is bytes, and a number without a unit is in Gb/s.
 * Returns 0, -EINVAL, or -ERANGE (below 1 of the stored unit, or above
 * RATE_MAX).
 */
int rate_parse(const char *text, uint64_t *rate);

/*
 * Parse such a rate of messages, if MESSAGES, or else of bits or bytes.
 * *NUMBER is in Mpps or Gb/s, as a number without a unit or with M or G is.
 * Returns 0 or -EINVAL.
 */
int rate_parse_as(const char *text, bool messages, double *number);

/* True for a RATE that rate_parse() can return, and for 0, which means none. */
bool rate_is_valid(uint64_t rate);

/* RATE in its rate_unit(). */
double rate_number(uint64_t rate);

/* "Mpps" or "Gb/s". */
const char *rate_unit(uint64_t rate);

/* Write RATE as "2.5 Gb/s" into TEXT; returns TEXT. */
const char *rate_format(uint64_t rate, char text[RATE_TEXT_SIZE]);

/* RATE in messages of SIZE bytes per second; 0 for a bit rate if SIZE is 0. */
double rate_messages(uint64_t rate, uint64_t size);
