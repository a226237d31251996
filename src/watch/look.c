#include "config.h"
#include "watch/look.h"

#include <string.h>

static const struct {
	const char *key, *words, *unit;
	bool number;
} fields[LOOKS] = {
#define X(name, key, words, unit, number) { key, words, unit, number },
	LOOK_LIST(X)
#undef X
};

const char *look_key(enum look_field field)
{
	return fields[field].key;
}

const char *look_words(enum look_field field)
{
	return fields[field].words;
}

const char *look_unit(enum look_field field)
{
	return fields[field].unit;
}

bool look_is_number(enum look_field field)
{
	return fields[field].number;
}

bool look_differs(const struct look *a, const struct look *b)
{
	for (int i = 0; i < LOOKS; i++)
		if (strcmp(a->text[i], b->text[i]) != 0)
			return true;
	return false;
}
