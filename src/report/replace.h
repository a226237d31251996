/* Replaces a file as a whole, or not at all. */
#ifndef REPORT_REPLACE_H
#define REPORT_REPLACE_H

/*
 * Put TEXT into PATH, a regular file or a new one: write it to a temporary file
 * beside PATH, which takes PATH's place when it is complete.  Returns 0; a
 * negative errno, with the file as before; or 1, with nothing done, when PATH
 * is no regular file, or cannot be replaced: it has several names, another
 * owner, or a folder that cannot be written.
 */
int replace(const char *path, const char *text);

#endif
