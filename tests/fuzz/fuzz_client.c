/* The client's dialogue, of one of several tests, with a server that says
 * anything (dialogue.h). */
#include "config.h"
#include "fuzz.h"

#include "dialogue.h"
#include "tests.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct options options;

	if (size < DIALOGUE_SETTINGS || !tests_get(data[3], &options))
		return 0;
	dialogue_run(data, size, true, &options.params);
	return 0;
}
