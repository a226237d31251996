/* A folder of made-up /sys and /proc, where base/sysfs.h then looks. */
#pragma once

#include <stdio.h>
#include <sys/stat.h>

#include "base/sysfs.h"
#include "test.h"

static char made_up_root[] = "/tmp/verbsperf-host-XXXXXX";

/* The path of NAME ("/sys/...") in that folder, with the folders that lead to
 * it; PATH has SYSFS_PATH_SIZE bytes. */
static inline void host_path(char *path, const char *name)
{
	sysfs_path(path, "%s", name);
	for (char *p = path + sizeof(made_up_root); (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
}

static inline void host_file(const char *name, const char *text)
{
	char path[SYSFS_PATH_SIZE];
	FILE *file;

	host_path(path, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* NAME leads to TARGET. */
static inline void host_link(const char *name, const char *target)
{
	char path[SYSFS_PATH_SIZE];

	host_path(path, name);
	assert_int_equal(symlink(target, path), 0);
}

/* The set-up and the tear-down of a test or of a group of tests. */
static inline int host_begin(void **state)
{
	(void)state;
	strcpy(made_up_root + sizeof(made_up_root) - 7, "XXXXXX");
	if (!mkdtemp(made_up_root))
		return -1;
	sysfs_set_root(made_up_root);
	return 0;
}

static inline int host_end(void **state)
{
	char command[100];

	(void)state;
	sysfs_set_root("");
	snprintf(command, sizeof(command), "rm -r %s", made_up_root);
	return system(command);
}
