/* Reads the small files of /sys and /proc, which describe the host.  Any of
 * them may be missing or unreadable for this user. */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest path of a file, with its final NUL. */
#define SYSFS_PATH_SIZE 512

/* For tests only: every path below begins with ROOT, a folder that has made-up
 * sys/ and proc/; "": the host's own.  ROOT is kept by reference. */
void sysfs_set_root(const char *root);

/* Write the path that FMT names ("/sys/class/net/%s/mtu"), below the root, into
 * PATH. */
void sysfs_path(char path[SYSFS_PATH_SIZE], const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Read the first line of the file that FMT names into LINE of SIZE bytes, cut
 * to fit and without its newline.  False, with LINE "", if it cannot be read or
 * is empty. */
bool sysfs_read(char *line, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Read the file that FMT names, which holds one unsigned decimal number and
 * perhaps a unit after a space.  False, with *VALUE as it was, if it does
 * not. */
bool sysfs_count(uint64_t *value, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Read the file that FMT names, a list of CPUs, or of nodes, into SET; an empty
 * file is the empty set.  False, with SET empty, if there is no such file. */
bool sysfs_cpus(cpu_set_t *set, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Find the first line of the file that FMT names which begins with KEY, and
 * copy what follows KEY, and blanks, tabs, ':' and '=' behind it, into TEXT of
 * SIZE bytes, cut to fit.  False, with TEXT "", if there is none. */
bool sysfs_find(char *text, size_t size, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Read the number of KEY, which ends in a colon, in /proc/meminfo into *VALUE.
 * False, with *VALUE as it was, if there is none. */
bool sysfs_meminfo(uint64_t *value, const char *key);

/* Copy the word in brackets of a file that shows a choice, "always [madvise]
 * never", into TEXT.  False, with TEXT "", if there is none. */
bool sysfs_chosen(char *text, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Read SIZE bytes from OFFSET on of the file that FMT names into BYTES, and no
 * others, since a device may have to be asked for each.  False if the file has
 * not so many, or not for this user. */
bool sysfs_bytes(void *bytes, size_t size, size_t offset, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* True when there is a file, a folder or a link that FMT names. */
bool sysfs_exists(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Resolve the link that FMT names: PATH becomes a path for the other functions.
 * False, with PATH "", if it leads nowhere. */
bool sysfs_resolve(char path[SYSFS_PATH_SIZE], const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The last part of PATH, after its last slash. */
const char *sysfs_name(const char *path);

/* Put the name of the driver of the RDMA device DEVICE into TEXT of SIZE bytes.
 * False, with TEXT "", if it is not known. */
bool sysfs_driver(const char *device, char *text, size_t size);

/* A visitor gets the NAME of an entry, and INTO. */
typedef void sysfs_visitor(const char *name, void *into);

/* Give each entry of the folder that FMT names, in no order, to VISIT, except
 * those whose names begin with a dot.  Nothing if it cannot be read. */
void sysfs_list(sysfs_visitor *visit, void *into, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
