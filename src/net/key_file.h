/* Reads the file that --key-file names. */
#ifndef NET_KEY_FILE_H
#define NET_KEY_FILE_H

#include "base/error.h"
#include "net/auth.h"

/* Bytes of the key in the file, without a final newline. */
#define KEY_FILE_LEAST 16
#define KEY_FILE_MOST 4096

/*
 * Read KEY from PATH, a regular file of 16 to 4,096 bytes plus an optional
 * final newline.  This user or root must own the file, only the owner may write
 * it, and only the owner and the group may read it: a key everybody on a host
 * can read proves nothing, while several users can share one through a group.
 * Call auth_init() first and auth_wipe() KEY after use.  Returns 0, or a
 * negative errno with the reason in ERR.
 */
int key_file_read(const char *path, struct auth_key *key, struct error *err);

/* Call auth_init() and read PATH only to report errors; NULL is fine. */
int key_file_check(const char *path, struct error *err);

#endif
