#include "config.h"
#include "watch/event.h"

static const struct {
	const char *key, *words, *unit;
	bool number;
} fields[PORT_STATUS_FIELDS] = {
#define X(name, key, words, unit, number) { key, words, unit, number },
	PORT_STATUS_LIST(X)
#undef X
};

const char *port_status_key(enum port_status_field field)
{
	return fields[field].key;
}

const char *port_status_words(enum port_status_field field)
{
	return fields[field].words;
}

const char *port_status_unit(enum port_status_field field)
{
	return fields[field].unit;
}

bool port_status_is_number(enum port_status_field field)
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
