/* Reads how many commands the driver gave to the firmware of its device. */
#include "config.h"
#include "host/firmware.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sysfs.h"
#include "base/xalloc.h"

/* mlx5 knows some 200. */
#define COMMANDS 512

struct command {
	char name[32];
	uint64_t n;
	uint64_t ns;		/* of all of them */
};

struct firmware_counts {
	const char *folder;	/* only while they are read */
	uint32_t n;
	struct command commands[COMMANDS];
};

static void read_command(const char *name, void *into)
{
	struct firmware_counts *counts = into;
	struct command *c = &counts->commands[counts->n];
	uint64_t average = 0;

	if (counts->n == COMMANDS ||
	    !sysfs_count(&c->n, "%s/%s/n", counts->folder, name))
		return;
	sysfs_count(&average, "%s/%s/average", counts->folder, name);
	c->ns = c->n * average;
	snprintf(c->name, sizeof(c->name), "%.31s", name);
	counts->n++;
}

struct firmware_counts *firmware_read(const char *name)
{
	struct firmware_counts *counts = xcalloc(1, sizeof(*counts));
	char device[SYSFS_PATH_SIZE], folder[SYSFS_PATH_SIZE];

	sysfs_resolve(device, "/sys/class/infiniband/%s/device", name);
	snprintf(folder, sizeof(folder),
		 "/sys/kernel/debug/mlx5/%.64s/commands", sysfs_name(device));
	counts->folder = folder;
	if (device[0])
		sysfs_list(read_command, counts, "%s", folder);
	counts->folder = NULL;
	if (counts->n)
		return counts;
	free(counts);
	return NULL;
}

static const struct command *
find_command(const struct firmware_counts *counts, const char *name)
{
	for (uint32_t i = 0; i < counts->n; i++)
		if (!strcmp(counts->commands[i].name, name))
			return &counts->commands[i];
	return NULL;
}

/* Put command NAME, given N times, among the most frequent ones of LIST. */
static void rank_command(struct control_commands *list, const char *name,
			 uint64_t n)
{
	uint32_t at = list->n;

	while (at && list->named[at - 1].n < n)
		at--;
	if (at == CONTROL_NAMES_MAX)
		return;
	if (list->n < CONTROL_NAMES_MAX)
		list->n++;
	memmove(&list->named[at + 1], &list->named[at],
		(list->n - 1 - at) * sizeof(*list->named));
	snprintf(list->named[at].name, sizeof(list->named[at].name), "%s",
		 name);
	list->named[at].n = n;
}

bool firmware_between(const struct firmware_counts *before,
		      const struct firmware_counts *after,
		      struct control_commands *commands)
{
	if (!before || !after) {
		snprintf(commands->reason, sizeof(commands->reason),
			 "the driver does not tell (debugfs of mlx5, as root)");
		return false;
	}
	for (uint32_t i = 0; i < after->n; i++) {
		const struct command *c = &after->commands[i];
		const struct command *old = find_command(before, c->name);
		const uint64_t n = c->n - (old ? old->n : 0);

		commands->given += n;
		commands->ns += n ? c->ns - (old ? old->ns : 0) : 0;
		if (n)
			rank_command(commands, c->name, n);
	}
	return true;
}
