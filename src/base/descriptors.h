/* Descriptors that this process was started with. */
#ifndef BASE_DESCRIPTORS_H
#define BASE_DESCRIPTORS_H

#include <stdbool.h>

/*
 * Put something in the place of those of 0, 1 and 2 that are closed, which can
 * be neither read nor written: otherwise they would become a device's or a
 * socket's, and messages went there.
 */
void descriptors_hold(void);

/* True when FD is open for writing.  To be asked before this process opens any
 * for itself. */
bool descriptors_writable(int fd);

#endif
