/* Reads the small files of /sys and /proc, below a root that a test may move.
 */
#include "config.h"
#include "base/sysfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"

static const char *sysfs_root = "";

void sysfs_set_root(const char *root)
{
	sysfs_root = root;
}

/* Write the path into PATH, or nothing if it does not fit: there is no file of
 * that name. */
__attribute__((format(printf, 2, 0)))
static void make_path(char path[SYSFS_PATH_SIZE], const char *fmt, va_list args)
{
	int at = snprintf(path, SYSFS_PATH_SIZE, "%s", sysfs_root);
	int rest = SYSFS_PATH_SIZE - at;

	if (rest <= 0 || vsnprintf(path + at, (size_t)rest, fmt, args) >= rest)
		path[0] = '\0';
}

/* The same of FMT and what follows it in the calling function. */
#define MAKE_PATH(path, fmt) \
	do { \
		va_list args; \
		va_start(args, fmt); \
		make_path(path, fmt, args); \
		va_end(args); \
	} while (0)

void sysfs_path(char path[SYSFS_PATH_SIZE], const char *fmt, ...)
{
	MAKE_PATH(path, fmt);
}

static bool read_line(char *line, size_t size, const char *path)
{
	FILE *file = fopen(path, "re");
	bool ok;

	line[0] = '\0';
	if (!file)
		return false;
	ok = fgets(line, (int)size, file);
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	return ok;
}

bool sysfs_read(char *line, size_t size, const char *fmt, ...)
{
	char path[SYSFS_PATH_SIZE];

	MAKE_PATH(path, fmt);
	return read_line(line, size, path);
}

bool sysfs_count(uint64_t *value, const char *fmt, ...)
{
	char path[SYSFS_PATH_SIZE], line[64], *end;
	unsigned long long number;

	MAKE_PATH(path, fmt);
	/* strtoull() takes a sign, too */
	if (!read_line(line, sizeof(line), path) ||
	    !isdigit((unsigned char)line[0]))
		return false;
	errno = 0;
	number = strtoull(line, &end, 10);
	if (errno || (*end && *end != ' '))
		return false;
	*value = number;
	return true;
}

bool sysfs_cpus(cpu_set_t *set, const char *fmt, ...)
{
	char line[1024], path[SYSFS_PATH_SIZE];
	bool ok;

	CPU_ZERO(set);
	MAKE_PATH(path, fmt);
	ok = !access(path, F_OK) && (!read_line(line, sizeof(line), path) ||
				     !cpulist_parse(line, set));
	if (!ok)
		CPU_ZERO(set);
	return ok;
}

static bool find_line(FILE *file, const char *key, char *text, size_t size)
{
	const size_t length = strlen(key);
	char line[1024];

	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, key, length) != 0)
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(text, size, "%s",
			 line + length + strspn(line + length, " \t:="));
		return true;
	}
	return false;
}

bool sysfs_find(char *text, size_t size, const char *key, const char *fmt, ...)
{
	char path[SYSFS_PATH_SIZE];
	FILE *file;
	bool found;

	text[0] = '\0';
	MAKE_PATH(path, fmt);
	file = fopen(path, "re");
	if (!file)
		return false;
	found = find_line(file, key, text, size);
	fclose(file);
	return found;
}

bool sysfs_meminfo(uint64_t *value, const char *key)
{
	char text[64], *end;

	if (!sysfs_find(text, sizeof(text), key, "/proc/meminfo"))
		return false;
	*value = strtoull(text, &end, 10);
	return end != text;
}

bool sysfs_chosen(char *text, size_t size, const char *fmt, ...)
{
	char path[SYSFS_PATH_SIZE], line[256];
	const char *word;

	text[0] = '\0';
	MAKE_PATH(path, fmt);
	read_line(line, sizeof(line), path);
	word = strchr(line, '[');
	if (!word || !strchr(word, ']'))
		return false;
	snprintf(text, size, "%.*s", (int)strcspn(word + 1, "]"), word + 1);
	return true;
}

bool sysfs_bytes(void *bytes, size_t size, size_t offset, const char *fmt, ...)
{
	char path[SYSFS_PATH_SIZE];
	bool ok;
	int fd;

	MAKE_PATH(path, fmt);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ok = pread(fd, bytes, size, (off_t)offset) == (ssize_t)size;
	close(fd);
	return ok;
}

bool sysfs_exists(const char *fmt, ...)
{
	char path[SYSFS_PATH_SIZE];

	MAKE_PATH(path, fmt);
	return !access(path, F_OK);
}

bool sysfs_resolve(char path[SYSFS_PATH_SIZE], const char *fmt, ...)
{
	const size_t root = strlen(sysfs_root);
	char real[PATH_MAX];
	bool ok;

	MAKE_PATH(path, fmt);
	ok = realpath(path, real) && strlen(real) >= root &&
	     strlen(real) - root < SYSFS_PATH_SIZE;
	snprintf(path, SYSFS_PATH_SIZE, "%s", ok ? real + root : "");
	return ok;
}

const char *sysfs_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void sysfs_list(sysfs_visitor *visit, void *into, const char *fmt, ...)
{
	char path[SYSFS_PATH_SIZE];
	struct dirent *entry;
	DIR *folder;

	MAKE_PATH(path, fmt);
	folder = opendir(path);
	if (!folder)
		return;
	while ((entry = readdir(folder)))
		if (entry->d_name[0] != '.')
			visit(entry->d_name, into);
	closedir(folder);
}

/* A Soft-RoCE device has no driver of a bus; its parent is its interface. */
bool sysfs_driver(const char *device, char *text, size_t size)
{
	static const char rdma[] = "/sys/class/infiniband";
	char path[SYSFS_PATH_SIZE];

	text[0] = '\0';
	if (sysfs_resolve(path, "%s/%s/device/driver", rdma, device))
		snprintf(text, size, "%s", sysfs_name(path));
	else if (sysfs_exists("%s/%s/parent", rdma, device))
		snprintf(text, size, "rdma_rxe");
	return text[0];
}
