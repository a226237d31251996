#include "config.h"
#include "host/interrupts.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "host/sysfs.h"
#include "model/cpu_cost.h"

/* Interrupt numbers are far smaller. */
#define NUMBERS 65536

static bool is_number(const char *text)
{
	return text[0] && text[strspn(text, "0123456789")] == '\0';
}

/* Mark the numbers of DEVICE's vectors in MINE.  Returns how many there are. */
static unsigned int find_vectors(const char *device, bool mine[NUMBERS])
{
	char path[SYSFS_PATH_SIZE];
	unsigned int n = 0;
	struct dirent *entry;
	DIR *dir;

	sysfs_path(path, "/sys/class/infiniband/%s/device/msi_irqs", device);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		unsigned long number = strtoul(entry->d_name, NULL, 10);

		if (!is_number(entry->d_name) || number >= NUMBERS)
			continue;
		mine[number] = true;
		n++;
	}
	if (dir)
		closedir(dir);
	return n;
}

/* The sum of the counts at the beginning of TEXT, one for each CPU; a name
 * follows them. */
static uint64_t sum_counts(const char *text)
{
	uint64_t sum = 0;
	char *end;

	for (text += strspn(text, " "); isdigit((unsigned char)*text);
	     text = end + strspn(end, " ")) {
		sum += strtoull(text, &end, 10);
		if (*end != ' ')
			break;
	}
	return sum;
}

/* "  45:   1000    23   PCI-MSI-0000:01:00.0 1-edge  mlx5_comp0@pci:..." */
static uint64_t sum_lines(FILE *file, const bool mine[NUMBERS])
{
	char *line = NULL, *end;
	uint64_t sum = 0;
	size_t size = 0;

	while (getline(&line, &size, file) >= 0) {
		unsigned long number = strtoul(line, &end, 10);

		if (end != line && *end == ':' && number < NUMBERS &&
		    mine[number])
			sum += sum_counts(end + 1);
	}
	free(line);
	return sum;
}

uint64_t interrupts_of(const char *device)
{
	bool *mine = xcalloc(NUMBERS, sizeof(*mine));
	uint64_t sum = CPU_UNKNOWN;
	char path[SYSFS_PATH_SIZE];
	FILE *file = NULL;

	sysfs_path(path, "/proc/interrupts");
	if (find_vectors(device, mine))
		file = fopen(path, "re");
	if (file) {
		sum = sum_lines(file, mine);
		fclose(file);
	}
	free(mine);
	return sum;
}
