/* The server's dialogue, from HELLO to BYE, with a client that says anything
 * (dialogue.h). */
#include "config.h"
#include "fuzz.h"

#include "dialogue.h"
#include "traffic/clock.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct parameters params;

	if (size < DIALOGUE_SETTINGS)
		return 0;
	param_defaults(&params);
	params.max_memory = 4 << 20;
	params.clock = CLOCK_RAW;	/* needs no time to be measured */
	dialogue_run(data, size, false, &params);
	return 0;
}
