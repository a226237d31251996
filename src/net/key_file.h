/* The file that --key-file names. */
#ifndef NET_KEY_FILE_H
#define NET_KEY_FILE_H

#include "base/error.h"
#include "net/auth.h"

/* Bytes of the key in the file, without one newline at its end. */
#define KEY_FILE_LEAST 16
#define KEY_FILE_MOST 4096

/*
 * Read KEY from the file at PATH: a regular one of 16 to 4,096 bytes, besides
 * a newline at the end.  It must be this user's or root's, nobody else may
 * write it, and nobody but its group may read it: what everybody on a host can
 * read proves nothing.  (A group is how several users share one.)  auth_init()
 * comes before; auth_wipe() KEY
 * after use.  Returns 0, or a negative errno with what is wrong in ERR.
 */
int key_file_read(const char *path, struct auth_key *key, struct error *err);

/* The same with auth_init(), for nothing but its errors; no PATH, no error. */
int key_file_check(const char *path, struct error *err);

#endif
