/* Makes text that comes from elsewhere harmless. */
#include "config.h"
#include "base/plain.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Characters that are seen only by what they do. */
static const struct {
	uint32_t first, last;
} active[] = {
	{ 0x00, 0x08 },	{ 0x0b, 0x1f },
	{ 0x7f, 0x9f },			/* DEL, and the second set */
	{ 0x061c, 0x061c },		/* marks of direction */
	{ 0x200e, 0x200f },
	{ 0x2028, 0x202e },		/* line separators, and directions */
	{ 0x2066, 0x2069 },		/* directions of a part */
};

static bool is_active(uint32_t c)
{
	for (size_t i = 0; i < sizeof(active) / sizeof(*active); i++)
		if (c >= active[i].first && c <= active[i].last)
			return true;
	return false;
}

/* Bytes of the character that BYTE begins by UTF-8; 0: none begins so. */
static size_t length_by(uint8_t byte)
{
	if (byte < 0x80)
		return 1;
	if (byte < 0xc2 || byte > 0xf4)
		return 0;
	return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/* The character at TEXT into *C.  Returns its bytes, or 0 if there is none by
 * UTF-8 (RFC 3629): too few bytes, more than it needs, or a surrogate. */
static size_t decode(const char *text, uint32_t *c)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const uint8_t *bytes = (const uint8_t *)text;
	const size_t length = length_by(*bytes);

	*c = length > 1 ? *bytes & (0x7fU >> length) : *bytes;
	for (size_t i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (bytes[i] & 0x3f);
	}
	if (*c < least[length] || *c > 0x10ffff)
		return 0;
	return *c >= 0xd800 && *c < 0xe000 ? 0 : length;
}

/* A line may end as in the Internet, too. */
static bool is_line_end(const char *text)
{
	return text[0] == '\r' && text[1] == '\n';
}

/* Replace what is active, except ASCII's first 32 if they are ESCAPED later. */
static char *replace(char *text, bool escaped)
{
	char *to = text;

	for (const char *from = text; *from;) {
		uint32_t c;
		size_t length = decode(from, &c);
		bool kept = is_line_end(from) || (escaped && c < ' ');

		if (!length || (is_active(c) && !kept)) {
			*to++ = '?';
			from += length ? length : 1;
			continue;
		}
		while (length--)
			*to++ = *from++;
	}
	*to = '\0';
	return text;
}

char *plain_text(char *text)
{
	return replace(text, false);
}

char *plain_json(char *text)
{
	return replace(text, true);
}

char *plain_line(char *text)
{
	plain_text(text);
	for (char *at = text; (at = strpbrk(at, "\t\r\n")); at++)
		*at = ' ';
	return text;
}

bool plain_is_formula(const char *text)
{
	return *text && strchr("=+-@\t\r", *text);
}
