#include "config.h"
#include "host/firmware.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "host/sysfs.h"

/* mlx5 knows some 200 commands. */
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
	snprintf(folder, sizeof(folder), "/sys/kernel/debug/mlx5/%.64s/commands",
		 sysfs_name(device));
	counts->folder = folder;
	if (device[0])
		sysfs_list(read_command, counts, "%s", folder);
	counts->folder = NULL;
	if (counts->n)
		return counts;
	free(counts);
	return NULL;
}

static const struct command *find(const struct firmware_counts *counts,
				  const char *name)
{
	for (uint32_t i = 0; i < counts->n; i++)
		if (!strcmp(counts->commands[i].name, name))
			return &counts->commands[i];
	return NULL;
}

/* Name a command that came CALLS times among the most frequent ones. */
static void rank(struct control_calls *list, const char *name, uint64_t calls)
{
	uint32_t at = list->n;

	while (at && list->named[at - 1].calls < calls)
		at--;
	if (at == CONTROL_NAMES_MAX)
		return;
	if (list->n < CONTROL_NAMES_MAX)
		list->n++;
	memmove(&list->named[at + 1], &list->named[at],
		(list->n - 1 - at) * sizeof(*list->named));
	snprintf(list->named[at].name, sizeof(list->named[at].name), "%s",
		 name);
	list->named[at].calls = calls;
}

bool firmware_between(const struct firmware_counts *before,
		      const struct firmware_counts *after,
		      struct control_calls *calls)
{
	if (!before || !after) {
		snprintf(calls->reason, sizeof(calls->reason),
			 "the driver does not tell (debugfs of mlx5, as root)");
		return false;
	}
	for (uint32_t i = 0; i < after->n; i++) {
		const struct command *c = &after->commands[i];
		const struct command *old = find(before, c->name);
		const uint64_t n = c->n - (old ? old->n : 0);

		calls->calls += n;
		calls->ns += n ? c->ns - (old ? old->ns : 0) : 0;
		if (n)
			rank(calls, c->name, n);
	}
	return true;
}
