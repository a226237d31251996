#include "config.h"
#include "verbs/pd.h"

#include <errno.h>
#include <string.h>

#include "verbs/advice.h"

int pd_alloc(const struct device *device, struct ibv_pd **pd,
	     struct error *err)
{
	const struct port *port = &device->port;
	int errnum;

	*pd = ibv_alloc_pd(device->context);
	if (*pd)
		return 0;
	errnum = errno;
	return fail(err, -errnum,
		    verb_advice("ibv_alloc_pd", errnum,
				port_is_ethernet(port)),
		    "%s: cannot allocate a protection domain: %s",
		    port->device, strerror(errnum));
}
