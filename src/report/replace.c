#include "config.h"
#include "report/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* Most names tried for the temporary file. */
#define ATTEMPTS 100

struct replacement {
	char *path;		/* after resolving links */
	char *temporary;
	struct stat before;
	bool is_new;		/* the file did not exist */
};

/* "/dev/stdout" and "/dev/fd/3" may lead to an open file. */
static bool is_device(const char *path)
{
	return !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6);
}

/* True when another file can replace the one at PATH. */
static bool find(const char *path, struct replacement *r)
{
	struct stat link;

	if (is_device(path))
		return false;
	r->is_new = lstat(path, &link) && errno == ENOENT;
	if (r->is_new) {
		r->path = strdup(path);
		return r->path;
	}
	r->path = realpath(path, NULL);
	return r->path && !stat(r->path, &r->before) &&
	       S_ISREG(r->before.st_mode) && r->before.st_nlink == 1 &&
	       !access(r->path, W_OK);
}

/* Make the temporary file, with the permissions of one made by fopen(3). */
static int make_temporary(struct replacement *r)
{
	int fd = -1;

	for (int i = 0; i < ATTEMPTS && fd < 0; i++) {
		unsigned int number = 0;

		free(r->temporary);
		if (getrandom(&number, sizeof(number), 0) < 0 ||
		    asprintf(&r->temporary, "%s.%08x", r->path, number) < 0)
			r->temporary = NULL;
		if (!r->temporary)
			return -ENOMEM;
		fd = open(r->temporary, O_WRONLY | O_CREAT | O_EXCL |
			  O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd < 0 ? -errno : fd;
}

/* Copy the owner, group and mode of the replaced file. */
static bool take_rights(int fd, const struct replacement *r)
{
	struct stat now;

	if (r->is_new)
		return true;
	if (fstat(fd, &now))
		return false;
	if ((now.st_uid != r->before.st_uid ||
	     now.st_gid != r->before.st_gid) &&
	    fchown(fd, r->before.st_uid, r->before.st_gid))
		return false;
	return !fchmod(fd, r->before.st_mode & 07777);
}

static int write_all(int fd, const char *text)
{
	size_t length = strlen(text);

	while (length) {
		ssize_t n = write(fd, text, length);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			text += n;
			length -= (size_t)n;
		}
	}
	return 0;
}

/* True when ERRNUM means that the file must be written in place. */
static bool is_forbidden(int errnum)
{
	return errnum == EACCES || errnum == EPERM || errnum == EROFS ||
	       errnum == ENAMETOOLONG || errnum == EBUSY;
}

/* Write TEXT to FD, close it, and rename the file into place. */
static int fill(int fd, const char *text, const struct replacement *r)
{
	int ret = take_rights(fd, r) ? write_all(fd, text) : -EPERM;

	if (close(fd) && !ret)
		ret = -errno;
	if (!ret && rename(r->temporary, r->path))
		ret = -errno;
	if (ret)
		unlink(r->temporary);
	return ret;
}

int replace(const char *path, const char *text)
{
	struct replacement r = { .path = NULL };
	int ret = 1, fd;

	if (find(path, &r)) {
		fd = make_temporary(&r);
		ret = fd < 0 ? fd : fill(fd, text, &r);
		if (is_forbidden(-ret))
			ret = 1;
	}
	free(r.temporary);
	free(r.path);
	return ret;
}
