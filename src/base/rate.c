/* Rates as users write them (10Gbps, 1.5mpps): parsed, checked, formatted, and
 * as messages a second. */
#include "config.h"
#include "base/units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Gb/s in bits, and Mpps in thousandths of a message. */
#define UNIT_OF_A_NUMBER 1e9

static const struct {
	const char *name;
	double thousand;	/* what the next greater prefix multiplies by */
	int power;
} prefixes[] = {
	/* a longer prefix before a shorter one that it begins with */
	{ "ki", 1024, 1 }, { "mi", 1024, 2 }, { "gi", 1024, 3 },
	{ "ti", 1024, 4 }, { "k", 1000, 1 },  { "m", 1000, 2 },
	{ "g", 1000, 3 },  { "t", 1000, 4 },  { "", 1000, 0 },
};

/* The case of b tells bits from bytes, so "BPS" and "B/S" could be either. */
static const struct {
	const char *name;
	double scale;		/* to bits or thousandths of a message */
	bool messages;
} units[] = {
	{ "b/s", 1, false },	{ "bps", 1, false },  { "bit/s", 1, false },
	{ "bits/s", 1, false }, { "bit", 1, false },  { "bits/sec", 1, false },
	{ "B/s", 8, false },	{ "Bps", 8, false },  { "pps", 1e3, true },
	{ "PPS", 1e3, true },
};

/* Set what a number with the unit TEXT is multiplied by; false: no unit. */
static bool parse_unit(const char *text, double *scale, bool *messages)
{
	const char *name;
	size_t i = 0;

	while (strncasecmp(text, prefixes[i].name,
			   strlen(prefixes[i].name)) != 0)
		i++;
	name = text + strlen(prefixes[i].name);
	*scale = pow(prefixes[i].thousand, prefixes[i].power);
	for (i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(name, units[i].name) != 0)
			continue;
		*scale *= units[i].scale;
		*messages = units[i].messages;
		return true;
	}
	return false;
}

/*
 * Find by what the number that TEXT begins with is multiplied, to bits or
 * thousandths of a message a second.  *MESSAGES says what a number without a
 * unit, or with only its prefix, is, and then what it was.
 */
static int find_scale(const char *text, double *scale, bool *messages)
{
	const char *unit = text + decimal_length(text);
	const char *prefix = *messages ? "M" : "G";

	*scale = UNIT_OF_A_NUMBER;
	if (unit == text ||
	    (*unit && strcasecmp(unit, prefix) != 0 &&
	     !parse_unit(unit, scale, messages)))
		return -EINVAL;
	return 0;
}

int rate_parse(const char *text, uint64_t *rate)
{
	bool messages = false;
	double scale, value;

	if (find_scale(text, &scale, &messages))
		return -EINVAL;
	value = strtod(text, NULL) * scale;
	if (!(value >= 1 && value <= (double)RATE_MAX))
		return -ERANGE;
	*rate = (uint64_t)llround(value) | (messages ? RATE_MESSAGES : 0);
	return 0;
}

int rate_parse_as(const char *text, bool messages, double *number)
{
	bool found = messages;
	double scale;

	if (find_scale(text, &scale, &found) || found != messages)
		return -EINVAL;
	*number = strtod(text, NULL) * (scale / UNIT_OF_A_NUMBER);
	return 0;
}

bool rate_is_valid(uint64_t rate)
{
	uint64_t value = rate & ~RATE_MESSAGES;

	return !rate || (value >= 1 && value <= RATE_MAX);
}

double rate_number(uint64_t rate)
{
	return (double)(rate & ~RATE_MESSAGES) / UNIT_OF_A_NUMBER;
}

const char *rate_unit(uint64_t rate)
{
	return rate & RATE_MESSAGES ? "Mpps" : "Gb/s";
}

const char *rate_format(uint64_t rate, char text[RATE_TEXT_SIZE])
{
	snprintf(text, RATE_TEXT_SIZE, "%.6g %s", rate_number(rate),
		 rate_unit(rate));
	return text;
}

double rate_messages(uint64_t rate, uint64_t size)
{
	double value = (double)(rate & ~RATE_MESSAGES);

	if (rate & RATE_MESSAGES)
		return value / 1e3;
	return size ? value / 8 / (double)size : 0;
}
