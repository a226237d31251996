/* Sets of CPUs, or nodes, in the words of the kernel: "0-3,8". */
#ifndef BASE_CPULIST_H
#define BASE_CPULIST_H

#include <sched.h>
#include <stddef.h>

/*
 * Read TEXT, which a line may end, into SET; nothing but that is the empty
 * set, as of a node without CPUs.  Returns 0, -EINVAL (no such list) or
 * -ERANGE (a number of CPU_SETSIZE or more); SET is then undefined.
 */
int cpulist_parse(const char *text, cpu_set_t *set);

/* "0-3,8" for SET into TEXT of SIZE bytes, cut off where it does not fit. */
void cpulist_format(const cpu_set_t *set, char *text, size_t size);

#endif
