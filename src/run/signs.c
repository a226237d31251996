/* Looks at this host for what a path that carries nothing shows: its port, its
 * route and neighbour, and the counters of its device and interface. */
#include "config.h"
#include "run/signs.h"

#include <time.h>

#include "host/counters.h"
#include "host/route.h"

/* Long enough for several of --qp-timeout 14. */
#define MOMENT_NS 250000000L

static const struct gid *remote_of(const struct run *run)
{
	const struct result *r = run->result;

	return r->has_path && r->path.global ? &r->path.remote : NULL;
}

/* By how much NAME has risen; 0: not known. */
static uint64_t rise_of(const struct run *run, const char *name, bool *known)
{
	uint64_t rise = 0;

	*known = counter_reader_rise(run->counters, name, &rise) && *known;
	return rise;
}

/* Count what passes from now on. */
static void count_moment(const struct run *run, struct path_signs *signs)
{
	const struct timespec moment = { .tv_nsec = MOMENT_NS };
	bool known = true;
	const uint64_t sent = rise_of(run, "sent_pkts", &known);
	const uint64_t out = rise_of(run, "netdev.tx_packets", &known);
	const uint64_t came = rise_of(run, "rcvd_pkts", &known);

	if (!known)
		return;
	nanosleep(&moment, NULL);
	signs->sent = rise_of(run, "sent_pkts", &known) - sent;
	signs->out = rise_of(run, "netdev.tx_packets", &known) - out;
	signs->came = rise_of(run, "rcvd_pkts", &known) - came;
	signs->counted = known;
}

void signs_look(const struct run *run, bool moment, struct path_signs *signs)
{
	const struct port *port = &run->device->port;
	const struct gid *remote = remote_of(run);
	bool known = true;

	*signs = (struct path_signs){
		.ethernet = port_is_ethernet(port) && !port->iwarp,
		.mtu = run->plan->mtu,
	};
	device_look(run->device, &signs->port_state, &signs->mtu_now);
	if (!signs->ethernet)
		return;
	if (remote && remote->type == GID_TYPE_ROCE_V2) {
		signs->route = route_find(&remote->raw);
		signs->no_neighbour = route_lacks_neighbour(&remote->raw);
	}
	if (moment)
		count_moment(run, signs);
	signs->refused = rise_of(run, "send_err", &known);
}
