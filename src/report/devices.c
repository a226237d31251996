/* The report of verbsperf devices. */
#include "config.h"
#include "report/report.h"

#include <jansson.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "model/gid.h"
#include "report/json_value.h"

static void print_port(FILE *out, const struct port *port)
{
	fprintf(out, "%s port %u: %s, %s", port->device, port->number,
		port_state_name(port), port_kind_name(port));
	if (port->rate_mbps)
		fprintf(out, " %g Gb/s", port->rate_mbps / 1000.0);
	if (!port->iwarp)
		fprintf(out, ", MTU %u", mtu_bytes(port->active_mtu));
	if (port_has_lids(port))
		fprintf(out, ", LID %u", port->lid);
	if (port->firmware[0])
		fprintf(out, ", firmware %s", port->firmware);
	fputs("\n", out);
}

/* The name of GID's network interface; "" if it has none. */
static void name_interface(const struct gid *gid, char name[IF_NAMESIZE])
{
	name[0] = '\0';
	if (gid->ifindex)
		if_indextoname(gid->ifindex, name);
}

static void print_gid(FILE *out, const struct gid *gid, bool chosen)
{
	char text[GID_TEXT_SIZE], interface[IF_NAMESIZE];
	const char *shown = gid_show(gid, text);

	name_interface(gid, interface);
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
	else if (port_has_lids(port) && !port->grh_required)
		fprintf(out, "  the LID would be used, with a GID across "
			"subnets\n");
	else if (!chosen)
		fprintf(out, "  no GID would be chosen: there is none%s\n",
			port_is_ethernet(port) ?
				"; give the interface an address" : "");
}

/* The GID of PORT that a test would choose; NULL: none. */
static const struct gid *chosen_of(const struct port *port)
{
	return port->state == IBV_PORT_ACTIVE ? gid_best(port) : NULL;
}

/* Returns true if it marked the GID that a test would choose. */
static bool print_usable(FILE *out, const struct port *port)
{
	const struct gid *chosen = chosen_of(port);

	print_port(out, port);
	for (uint32_t g = 0; g < port->n_gids; g++)
		print_gid(out, &port->gids[g], chosen == &port->gids[g]);
	print_choice(out, port, chosen);
	return chosen;
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

static json_t *gids_json(const struct port *port)
{
	const struct gid *chosen = chosen_of(port);
	json_t *array = json_array();

	for (uint32_t i = 0; i < port->n_gids; i++) {
		const struct gid *gid = &port->gids[i];
		char text[GID_TEXT_SIZE], interface[IF_NAMESIZE];

		name_interface(gid, interface);
		json_add(array, json_pack(
			"{s:o, s:s, s:s, s:o, s:b}", "index",
			json_count(gid->index), "type",
			gid_type_name(gid->type), "gid", gid_show(gid, text),
			"interface", json_text(interface), "chosen",
			chosen == gid));
	}
	return array;
}

static json_t *found_json(const struct found_port *found)
{
	const struct error *err = &found->error;
	const struct port *port = &found->port;
	const bool good = !error_is_set(err);
	const bool lid = good && port_has_lids(port);
	const bool mtu = good && !port->iwarp;

	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"device", json_text(port->device),
		"port", port->number ? json_count(port->number) : json_null(),
		"state", json_text(good ? port_state_name(port) : NULL),
		"link_layer",
		json_text(good ? port_link_layer_name(port) : NULL),
		"port_kind", json_text(good ? port_kind_name(port) : NULL),
		"rate_gbps", good && port->rate_mbps ?
			json_real(port->rate_mbps / 1000.0) : json_null(),
		"mtu", mtu ? json_count(mtu_bytes(port->active_mtu)) :
			     json_null(),
		"lid", lid ? json_count(port->lid) : json_null(),
		"firmware", json_text(port->firmware),
		"gids", gids_json(port),
		"error", good ? json_null() :
			json_pack("{s:s, s:o}", "message", err->message,
				  "advice", json_text(err->advice)));
}

char *report_devices_json(const struct found_port *found, size_t n)
{
	char host[PORT_NAME_SIZE] = "";
	json_t *ports = json_array();

	for (size_t i = 0; i < n; i++)
		json_add(ports, found_json(&found[i]));
	gethostname(host, sizeof(host) - 1);
	return json_to_text(json_pack(
		"{s:s, s:o, s:o, s:o}", "schema", "verbsperf-devices/1",
		"tool", json_tool(), "hostname", json_text(host), "ports",
		ports));
}
