#include "config.h"
#include "watch/event.h"

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
const char *watch_change_name(enum watch_change change)
{
	static const char *const names[CHANGES] = {
		[CHANGE_PRESENT] = "present", [CHANGE_ADDED] = "added",
		[CHANGE_REMOVED] = "removed", [CHANGE_FAILED] = "failed",
		[CHANGE_USABLE] = "usable",
	};

	return names[change];
}
