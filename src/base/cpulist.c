#include "config.h"
#include "base/cpulist.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/units.h"
#include "base/xalloc.h"

/* A list_reader of a CPU or a range; INTO is a cpu_set_t. */
static int read_cpus(const char **text, void *into)
{
	uint64_t first, last;
	int ret = units_scan_range(text, &first, &last);

	if (ret)
		return ret;
	if (first >= CPU_SETSIZE || last >= CPU_SETSIZE)
		return -ERANGE;
	if (first > last)
		return -EINVAL;
	for (; first <= last; first++)
		CPU_SET(first, (cpu_set_t *)into);
	return 0;
}

int cpulist_parse(const char *text, cpu_set_t *set)
{
	size_t length = strcspn(text, "\n");
	char *line;
	int ret;

	CPU_ZERO(set);
	if (!length)
		return 0;
	line = xcalloc(1, length + 1);
	memcpy(line, text, length);
	ret = list_read(line, read_cpus, set);
	free(line);
	return ret;
}

void cpulist_format(const cpu_set_t *set, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (int cpu = 0; cpu < CPU_SETSIZE && used < size; cpu++) {
		int last = cpu;

		if (!CPU_ISSET(cpu, set))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
			last++;
		used += (size_t)snprintf(text + used, size - used,
					 last > cpu ? "%s%d-%d" : "%s%d",
					 used ? "," : "", cpu, last);
		cpu = last;
	}
}
