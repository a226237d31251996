/* Places an end on its host once its device is known: CPUs, NUMA node, GPU,
 * inline receives. */
#include "config.h"
#include "host/place.h"

#include "host/affinity.h"

int place_end(struct parameters *params, struct device *device,
	      struct error *err)
{
	const char *name = device->port.device;

	return numa_place(params, device, err) ?:
	       gpus_choose(&params->memory, name, err) ?:
	       inline_receive_choose(params, name, err);
}
