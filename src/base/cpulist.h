/* Sets of CPUs, or nodes, in the kernel's notation: "0-3,8". */
#ifndef BASE_CPULIST_H
#define BASE_CPULIST_H

#include <sched.h>
#include <stddef.h>

/*
 * Parse TEXT, which may end with a newline, into SET.  Empty text is the empty
 * set, as for a node without CPUs.  Returns 0, -EINVAL (not a list) or -ERANGE
 * (a number of CPU_SETSIZE or more); after an error SET is undefined.
 */
int cpulist_parse(const char *text, cpu_set_t *set);

/* Write SET as "0-3,8" into TEXT of SIZE bytes, truncated if too long. */
void cpulist_format(const cpu_set_t *set, char *text, size_t size);

#endif
