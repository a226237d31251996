/* The commands that show something instead of measuring. */
#include "config.h"
#include "commands/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "host/topology.h"
#include "report/report.h"
#include "verbs/device.h"
#include "verbs/device_list.h"

int command_print(char *text)
{
	struct error err = { 0 };

	if (!report_print("-", text, &err))
		return EXIT_MEASURED;
	log_error(&err);
	return EXIT_FAILED;
}

static bool any_usable(const struct found_port *found, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!error_is_set(&found[i].error))
			return true;
	return false;
}

/* Print TEXT to stdout, and JSON where --json of PARAMS asks for it, or there
 * alone if that is stdout.  Both are freed.  Returns as report_print(). */
static int print_forms(const struct parameters *params, char *text, char *json,
		       struct error *err)
{
	const char *path = params->json;
	int ret = 0;

	if (path)
		ret = report_print(path, json, err);
	else
		free(json);
	if (!ret && !(path && !strcmp(path, "-")))
		return report_print("-", text, err);
	free(text);
	return ret;
}

/* Print the topology of this host, or of one device of it, as text and as JSON.
 * Returns 0, or a negative errno, set in ERR. */
static int show_topology(const struct parameters *params, struct topology *t,
			 struct error *err)
{
	const char *device = params->device;

	if (!t->n_nics)
		return device_list_none(err);
	if (device && !topology_keep(t, device))
		return fail(err, -ENODEV, NULL, "--device %s: not found",
			    device);
	return print_forms(params, report_topology_text(t),
			   report_topology_json(t), err);
}

/* Returns likewise. */
static int list_devices(const struct parameters *params, struct error *err)
{
	struct found_port *found;
	size_t n;
	int ret = device_scan(params, &found, &n, err) ?:
		  print_forms(params, report_devices(found, n),
			      report_devices_json(found, n), err);

	if (!ret && !any_usable(found, n))
		ret = fail(err, -ENODEV, NULL,
			   "none of the RDMA devices can be used");
	free(found);
	return ret;
}

int command_devices(const struct options *options)
{
	const struct parameters *params = &options->params;
	struct error err = { 0 };
	struct topology t;
	int ret;

	if (params->topology) {
		topology_read(&t);
		ret = show_topology(params, &t, &err);
		topology_free(&t);
	} else {
		ret = list_devices(params, &err);
	}
	if (ret)
		log_error(&err);
	return ret ? EXIT_FAILED : EXIT_MEASURED;
}
