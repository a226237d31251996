/* The names of what 'verbsperf watch' sees. */
#include "config.h"
#include "watch/event.h"

const struct port_status_info port_status_table[PORT_STATUS_FIELDS] = {
#define X(name, key, words, unit, number) { key, words, unit, number },
	PORT_STATUS_LIST(X)
#undef X
};

const char *const watch_change_names[CHANGES] = {
	[CHANGE_PRESENT] = "present", [CHANGE_ADDED] = "added",
	[CHANGE_REMOVED] = "removed", [CHANGE_FAILED] = "failed",
	[CHANGE_USABLE] = "usable",
};
