/* The standard descriptors: 0, 1 and 2. */
#ifndef BASE_DESCRIPTORS_H
#define BASE_DESCRIPTORS_H

/*
 * Put something in the place of those that are closed, which can be neither
 * read nor written: otherwise they would become a device's or a socket's, and
 * messages went there.
 */
void descriptors_hold(void);

#endif
