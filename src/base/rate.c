#include "config.h"
#include "base/rate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *name;
	double scale;		/* to bits or thousandths of a message */
	bool messages;
} units[] = {
	{ "", 1e9, false },	{ "gbps", 1e9, false },
	{ "gb/s", 1e9, false },	{ "g", 1e9, false },
	{ "mbps", 1e6, false },	{ "mb/s", 1e6, false },
	{ "kbps", 1e3, false },	{ "kb/s", 1e3, false },
	{ "mpps", 1e9, true },	{ "kpps", 1e6, true },
	{ "pps", 1e3, true },
};

/* Length of the decimal number at the start of TEXT; 0: none. */
static size_t number_length(const char *text)
{
	size_t whole = strspn(text, "0123456789"), fraction;

	if (!whole || text[whole] != '.')
		return whole;
	fraction = strspn(text + whole + 1, "0123456789");
	return fraction ? whole + 1 + fraction : 0;
}

int rate_parse(const char *text, uint64_t *rate)
{
	size_t length = number_length(text);

	if (!length)
		return -EINVAL;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		double value;

		if (strcasecmp(text + length, units[i].name) != 0)
			continue;
		value = strtod(text, NULL) * units[i].scale;
		if (!(value >= 1 && value <= (double)RATE_MAX))
			return -ERANGE;
		*rate = (uint64_t)llround(value) |
			(units[i].messages ? RATE_MESSAGES : 0);
		return 0;
	}
	return -EINVAL;
}

bool rate_is_valid(uint64_t rate)
{
	uint64_t value = rate & ~RATE_MESSAGES;

	return !rate || (value >= 1 && value <= RATE_MAX);
}

double rate_number(uint64_t rate)
{
	return (double)(rate & ~RATE_MESSAGES) / 1e9;
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
