/* A file that is replaced as a whole, or not at all. */
#ifndef REPORT_REPLACE_H
#define REPORT_REPLACE_H

/*
 * Put TEXT into the regular file PATH, or a new one: it is written to a
 * temporary file beside it, which takes its place when it is complete.  Returns
 * 0; a negative errno, with the file as it was before; or 1, with nothing done,
 * when that is no regular file, or no other can take its place: it has several
 * names, another owner, or a folder that cannot be written.
 */
int replace(const char *path, const char *text);

#endif
