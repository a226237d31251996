#include "config.h"
#include "base/cpulist.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int parse_number(const char **text, unsigned long *value)
{
	char *end;

	/* strtoul() would accept signs and blanks */
	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	*value = strtoul(*text, &end, 10);
	*text = end;
	return *value < CPU_SETSIZE ? 0 : -ERANGE;
}

static int parse_range(const char **text, cpu_set_t *set)
{
	unsigned long first, last;
	int ret = parse_number(text, &first);

	if (ret)
		return ret;
	last = first;
	if (**text == '-') {
		++*text;
		ret = parse_number(text, &last);
	}
	if (!ret && last < first)
		ret = -EINVAL;
	for (unsigned long i = first; i <= last && !ret; i++)
		CPU_SET(i, set);
	return ret;
}

int cpulist_parse(const char *text, cpu_set_t *set)
{
	int ret = 0;

	CPU_ZERO(set);
	if (*text == '\n' || !*text)
		return 0;
	do {
		ret = parse_range(&text, set);
	} while (!ret && *text++ == ',');
	if (ret)
		return ret;
	/* TEXT is one past the character that ended the loop */
	return text[-1] == '\n' || !text[-1] ? 0 : -EINVAL;
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
