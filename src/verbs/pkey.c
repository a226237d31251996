#include "config.h"
#include "verbs/pkey.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

int pkey_read(struct ibv_context *context, uint32_t index, struct port *port,
	      struct error *err)
{
	__be16 pkey;

	if (index >= port->n_pkeys)
		return fail(err, -EINVAL, NULL,
			    "--pkey-index %u: %s port %u has a table of %u "
			    "P_Key%s, from index 0", index, port->device,
			    port->number, port->n_pkeys,
			    port->n_pkeys == 1 ? "" : "s");
	errno = 0;
	if (ibv_query_pkey(context, port->number, (int)index, &pkey))
		return fail(err, errno ? -errno : -EIO, NULL,
			    "--pkey-index %u: cannot read that P_Key of %s "
			    "port %u: %s", index, port->device, port->number,
			    strerror(errno ? errno : EIO));
	/* an empty entry has no partition bits set */
	if (!(ntohs(pkey) & PORT_PKEY_PARTITION))
		return fail(err, -EINVAL, "choose an index with a P_Key",
			    "--pkey-index %u: that entry of %s port %u is "
			    "empty", index, port->device, port->number);
	port->pkey = ntohs(pkey);
	return 0;
}
