#include "config.h"
#include "report/report.h"

#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "base/xalloc.h"
#include "model/gid.h"

static void print_port(FILE *out, const struct port *port)
{
	fprintf(out, "%s port %u: %s, %s", port->device, port->number,
		port_state_name(port), port_kind_name(port));
	if (port->rate_mbps)
		fprintf(out, " %g Gb/s", port->rate_mbps / 1000.0);
	if (!port->iwarp)
		fprintf(out, ", MTU %u", mtu_bytes(port->active_mtu));
	if (!port_is_ethernet(port))
		fprintf(out, ", LID %u", port->lid);
	if (port->firmware[0])
		fprintf(out, ", firmware %s", port->firmware);
	fputs("\n", out);
}

static void print_gid(FILE *out, const struct gid *gid, bool chosen)
{
	char text[GID_TEXT_SIZE], interface[IF_NAMESIZE] = "";
	const char *shown = gid_show(gid, text);

	if (gid->ifindex)
		if_indextoname(gid->ifindex, interface);
	fprintf(out, "  %s %5u  %-7s  %s", chosen ? "*" : " ", gid->index,
		gid_type_name(gid->type), shown);
	if (interface[0])
		fprintf(out, "%*s", (int)(41 - strlen(shown)) +
			(int)strlen(interface), interface);
	fputs("\n", out);
}

/* Say why a port cannot be used, or describe its GID or LID. */
static void print_choice(FILE *out, const struct port *port,
			 const struct gid *chosen)
{
	if (port->state != IBV_PORT_ACTIVE)
		fprintf(out, "  no GID would be chosen: the port is %s\n",
			port_state_name(port));
	else if (!port_is_ethernet(port) && !port->grh_required)
		fprintf(out, "  the LID would be used, with a GID across "
			"subnets\n");
	else if (!chosen)
		fprintf(out, "  no GID would be chosen: there is none; give "
			"the interface an address\n");
}

/* Returns true if it marked the GID that a test would choose. */
static bool print_usable(FILE *out, const struct port *port)
{
	const struct gid *chosen = gid_best(port);
	bool usable = port->state == IBV_PORT_ACTIVE;

	print_port(out, port);
	for (uint32_t g = 0; g < port->n_gids; g++)
		print_gid(out, &port->gids[g],
			  usable && chosen == &port->gids[g]);
	print_choice(out, port, chosen);
	return usable && chosen;
}

/* Print why PORT is unusable, with advice unless the next port gets the
 * same. */
static void print_unusable(FILE *out, const struct error *error,
			   const struct error *next)
{
	fprintf(out, "%s\n", error->message);
	if (error->advice[0] && (!next || strcmp(error->advice, next->advice)))
		fprintf(out, "  -> %s\n", error->advice);
}

char *report_devices(const struct found_port *found, size_t n)
{
	bool marked = false;
	char *text = NULL;
	FILE *out = xmemstream(&text);

	for (size_t i = 0; i < n; i++)
		if (error_is_set(&found[i].error))
			print_unusable(out, &found[i].error,
				       i + 1 < n ? &found[i + 1].error : NULL);
		else
			marked |= print_usable(out, &found[i].port);
	if (marked)
		fputs("* the GID chosen unless the peer's needs another "
		      "(-x overrides)\n", out);
	fclose(out);
	return text;
}
