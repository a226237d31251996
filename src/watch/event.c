#include "config.h"
#include "watch/event.h"

const char *watch_change_name(enum watch_change change)
{
	static const char *const names[CHANGES] = {
		[CHANGE_PRESENT] = "present", [CHANGE_ADDED] = "added",
		[CHANGE_REMOVED] = "removed", [CHANGE_FAILED] = "failed",
		[CHANGE_USABLE] = "usable",
	};

	return names[change];
}
