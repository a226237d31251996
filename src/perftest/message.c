/* perftest's messages, written and read byte by byte. */
#include "config.h"
#include "perftest/message.h"

#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

/* Behind the NUL of VERSION_SAID. */
#define MARKER "verbsperf"
#define MARKER_AT sizeof(VERSION_SAID)

_Static_assert(MARKER_AT + sizeof(MARKER) <= VERSION_SIZE, "too long");

void version_encode(const char *said, uint8_t bytes[VERSION_SIZE])
{
	memset(bytes, 0, VERSION_SIZE);
	memcpy(bytes, said, MARKER_AT);
	memcpy(bytes + MARKER_AT, MARKER, sizeof(MARKER));
}

/* "5.6" is 560, and "6.06" is 606: perftest reads a real number. */
int version_decode(const uint8_t bytes[VERSION_SIZE], struct version *version)
{
	unsigned int major, minor;
	char text[VERSION_SIZE];
	int length = 0;

	memcpy(text, bytes, sizeof(text));
	if (text[sizeof(text) - 1] || !isdigit((unsigned char)text[0]) ||
	    sscanf(text, "%2u.%n%2u%n", &major, &length, &minor, &length) != 2)
		return -EPROTO;
	if (text[length] ||
	    !isdigit((unsigned char)text[strcspn(text, ".") + 1]))
		return -EPROTO;
	if (length - (int)strcspn(text, ".") == 2)
		minor *= 10;
	*version = (struct version){ .number = major * 100 + minor };
	memcpy(version->text, text, (size_t)length);
	version->is_verbsperf = !memcmp(text + MARKER_AT, MARKER,
					sizeof(MARKER));
	return 0;
}

void size_encode(uint32_t value, uint8_t bytes[SIZE_SIZE])
{
	value = htobe32(value);
	memcpy(bytes, &value, sizeof(value));
}

int size_decode(const uint8_t bytes[SIZE_SIZE], uint32_t *value)
{
	uint32_t read;

	memcpy(&read, bytes, sizeof(read));
	read = be32toh(read);
	if (!read || read > SIZE_MOST || read & (read - 1))
		return -EPROTO;
	*value = read;
	return 0;
}

void mtu_encode(uint8_t mtu, uint8_t bytes[MTU_SIZE])
{
	bytes[0] = (uint8_t)('0' + mtu);
	bytes[1] = 0;
}

int mtu_decode(const uint8_t bytes[MTU_SIZE], uint8_t *mtu)
{
	const uint8_t value = (uint8_t)(bytes[0] - '0');

	if (bytes[1] || value < IBV_MTU_256 || value > IBV_MTU_4096)
		return -EPROTO;
	*mtu = value;
	return 0;
}

/* Where a key has its GID, if it has one: two digits and a colon. */
#define GID_AT 50

bool key_begins(const uint8_t bytes[KEY_START_SIZE])
{
	bool begins = bytes[4] == ':';

	for (int i = 0; i < KEY_START_SIZE; i++)
		begins &= i == 4 || isxdigit(bytes[i]);
	return begins;
}

bool key_is_global(const uint8_t bytes[KEY_SIZE_LID])
{
	return bytes[GID_AT + 2] == ':';
}

void key_encode(const struct key *key, bool global, uint8_t *bytes)
{
	char text[KEY_SIZE_GID];

	snprintf(text, sizeof(text), "%04x:%04x:%06x:%06x:%08x:%016llx:",
		 key->lid & 0xffff, key->reads & 0xffff,
		 key->qp.qpn & 0xffffff, key->qp.psn & 0xffffff, key->qp.rkey,
		 (unsigned long long)key->qp.va);
	for (int i = 0; global && i < 16; i++)
		text_append(text, sizeof(text), "%02x:", key->gid.raw[i]);
	text_append(text, sizeof(text), global ? "%08x:" : "%08x",
		    key->qp.srqn);
	memcpy(bytes, text, key_size(global));
}

/* Read a number of DIGITS hexadecimal digits at *AT, and END behind it.  *WRONG
 * becomes true if it is none. */
static uint64_t read_hex(const uint8_t **at, int digits, char end, bool *wrong)
{
	uint64_t value = 0;

	for (int i = 0; i < digits; i++) {
		const int c = tolower(*(*at)++);

		*wrong |= !isxdigit(c);
		value = value << 4 |
			(uint64_t)(isdigit(c) ? c - '0' : c - 'a' + 10);
	}
	*wrong |= *(*at)++ != (uint8_t)end;
	return value;
}

int key_decode(const uint8_t *bytes, bool global, struct key *key)
{
	const uint8_t *at = bytes;
	struct key read = { 0 };
	bool wrong = false;

	read.lid = (uint32_t)read_hex(&at, 4, ':', &wrong);
	read.reads = (uint32_t)read_hex(&at, 4, ':', &wrong);
	read.qp.qpn = (uint32_t)read_hex(&at, 6, ':', &wrong);
	read.qp.psn = (uint32_t)read_hex(&at, 6, ':', &wrong);
	read.qp.rkey = (uint32_t)read_hex(&at, 8, ':', &wrong);
	read.qp.va = read_hex(&at, 16, ':', &wrong);
	for (int i = 0; global && i < 16; i++)
		read.gid.raw[i] = (uint8_t)read_hex(&at, 2, ':', &wrong);
	read.qp.srqn = (uint32_t)read_hex(&at, 8, global ? ':' : '\0', &wrong);
	if (global)
		wrong |= *at != 0;
	if (wrong)
		return -EPROTO;
	*key = read;
	return 0;
}

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

void report_encode(const struct report *report, int index,
		  uint8_t bytes[REPORT_SIZE])
{
	const uint64_t values[REPORT_FORK_VALUES] = {
		report->size, report->iterations, bits_of(report->peak),
		bits_of(report->average), bits_of(report->mpps),
		bits_of(report->least),
	};
	const uint64_t value = htobe64(values[index]);

	memcpy(bytes, &value, sizeof(value));
}

int report_decode(const uint8_t bytes[REPORT_SIZE], int index,
		struct report *report)
{
	double *const reals[REPORT_FORK_VALUES] = {
		[2] = &report->peak, [3] = &report->average,
		[4] = &report->mpps, [5] = &report->least,
	};
	uint64_t value;
	double real;

	memcpy(&value, bytes, sizeof(value));
	value = be64toh(value);
	memcpy(&real, &value, sizeof(real));
	if (!reals[index])
		*(index ? &report->iterations : &report->size) = value;
	else if (index == REPORT_VALUES)
		report->least = isfinite(real) && real > 0 ? real : 0;
	else if (report->iterations && !(isfinite(real) && real >= 0))
		return -EPROTO;
	else
		*reals[index] = real;
	return 0;
}

/* Where the device's attributes have what it can answer at a time: a number in
 * the sender's byte order. */
#define READS_AT 224

static const struct {
	const char *name;
	size_t field, at, bytes;
} places[] = {
#define X(name, at, bytes) \
	{ #name, offsetof(struct settings, name), at, bytes },
	SETTINGS_LIST(X)
#undef X
};

#define PLACES (sizeof(places) / sizeof(*places))

static uint64_t *field_of(const struct settings *settings, size_t i)
{
	return (uint64_t *)((uintptr_t)settings + places[i].field);
}

void settings_encode(const struct settings *settings, uint32_t reads,
		     uint8_t bytes[SETTINGS_SIZE])
{
	memset(bytes, 0, SETTINGS_SIZE);
	for (size_t i = 0; i < PLACES; i++) {
		const uint64_t value = htobe64(*field_of(settings, i));
		const size_t n = places[i].bytes;

		memcpy(bytes + places[i].at,
		       (const uint8_t *)&value + sizeof(value) - n, n);
	}
	memcpy(bytes + READS_AT, &reads, sizeof(reads));
}

void settings_decode(const uint8_t bytes[SETTINGS_SIZE_SHORT],
		     uint32_t version, struct settings *settings)
{
	for (size_t i = 0; i < PLACES; i++) {
		const size_t n = places[i].bytes;
		uint64_t value = 0;

		memcpy((uint8_t *)&value + sizeof(value) - n,
		       bytes + places[i].at, n);
		*field_of(settings, i) = be64toh(value);
	}
	/* earlier ones have there what was in their memory */
	if (version < VERSION_VALIDATION)
		settings->data_validation = 0;
}

const char *settings_difference(const struct settings *a,
				const struct settings *b)
{
	for (size_t i = 0; i < PLACES; i++)
		if (*field_of(a, i) != *field_of(b, i))
			return places[i].name;
	return NULL;
}
