/* Pages of this process: anonymous memory, small or huge. */
#ifndef MEMORY_PAGES_H
#define MEMORY_PAGES_H

#include <stdint.h>
#include <stdio.h>

/* Huge pages of one size. */
struct huge_pages {
	uint64_t size;		/* bytes per page; 0: unsupported */
	uint64_t total;
	uint64_t available;	/* neither in use nor reserved */
};

/* Read the huge page counts from MEMINFO, which has the format of
 * /proc/meminfo.  Missing counts are zero. */
void memory_huge_page_counts(FILE *meminfo, struct huge_pages *pages);

#endif
