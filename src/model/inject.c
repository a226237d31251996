/* Finds a provoked fault by its name. */
#include "config.h"
#include "model/inject.h"

static const struct inject_case cases[INJECT_COUNT] = {
#define X(id, ...) [INJECT_##id] = { __VA_ARGS__ },
	INJECT_LIST(X)
#undef X
};

const struct inject_case *inject_find(unsigned int inject)
{
	if (inject == INJECT_NOTHING || inject >= INJECT_COUNT)
		return NULL;
	return &cases[inject];
}
