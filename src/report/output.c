/* Writes a text to a file, which it replaces whole, or to stdout. */
#include "config.h"
#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/plain.h"
#include "base/xalloc.h"
#include "report/sink.h"

/* Most names tried for the temporary file. */
#define ATTEMPTS 100

static bool is_fifo(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISFIFO(status.st_mode);
}

/* True when PATH can be created.  Removes the file again. */
static bool can_be_made(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0)
		return false;
	close(fd);
	return !unlink(path);
}

/*
 * Empty the file PATH, to which this process and its children append lines, but
 * leave it alone if another process appends to it now.  Whoever does has a
 * shared lock of the file, which ends with the last of its processes.
 */
static int begin_lines(const char *path, struct error *err)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	bool alone;

	if (fd < 0)
		return fail_errno(err, errno, NULL, "cannot write %s", path);
	alone = !flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK;
	if (!alone)
		log_info("%s: another process writes to it, too: its lines "
			 "remain", path);
	/* a device has no length */
	if (alone && ftruncate(fd, 0) && errno != EINVAL) {
		close(fd);
		return fail_errno(err, errno, NULL, "cannot write %s", path);
	}
	/* if files cannot be locked here, nobody can be told */
	flock(fd, LOCK_SH);
	return 0;
}

int report_check_path(const char *path, bool lines, struct error *err)
{
	FILE *out;

	/* opening and closing a FIFO would end the reader's input */
	if (!strcmp(path, "-") || is_fifo(path))
		return 0;
	if (lines)
		return begin_lines(path, err);
	if (can_be_made(path))
		return 0;
	out = fopen(path, "a");
	if (!out)
		return fail_errno(err, errno, NULL, "cannot write %s", path);
	fclose(out);
	return 0;
}

/* Write to PATH itself, which is no regular file or must not be replaced. */
static int write_in_place(const char *path, const char *text, struct error *err)
{
	struct sink sink;
	int ret;

	sink_init(&sink, path);
	sink.anew = true;
	sink.patient = true;
	sink_put(&sink, text, strlen(text));
	ret = sink_finish(&sink, err);
	/* what a file system of the network lacks room for, it says last */
	if (!ret && sink.fd > STDOUT_FILENO) {
		ret = close(sink.fd) ? fail_errno(err, errno, NULL,
						  "cannot write %s", path) : 0;
		sink.fd = -1;
	}
	sink_free(&sink);
	return ret;
}

struct replacement {
	char *path;		/* after resolving links */
	char *temporary;
	struct stat before;
	bool is_new;		/* the file did not exist */
	bool shared;		/* all may read it */
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
	r->path = r->is_new ? xcheck(strdup(path)) : realpath(path, NULL);
	return r->is_new ||
	       (r->path && !stat(r->path, &r->before) &&
		S_ISREG(r->before.st_mode) && r->before.st_nlink == 1 &&
		!access(r->path, W_OK));
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

/* What all may read, and its owner write. */
#define SHARED_MODE 0644

/* Copy the owner, group and mode of the replaced file; what is shared has its
 * own mode. */
static bool take_rights(int fd, const struct replacement *r)
{
	struct stat now;

	if (r->is_new)
		return !r->shared || !fchmod(fd, SHARED_MODE);
	if (fstat(fd, &now))
		return false;
	if ((now.st_uid != r->before.st_uid ||
	     now.st_gid != r->before.st_gid) &&
	    fchown(fd, r->before.st_uid, r->before.st_gid))
		return false;
	return !fchmod(fd, r->shared ? SHARED_MODE : r->before.st_mode & 07777);
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
	FILE *out = xcheck(fdopen(fd, "w"));
	int ret = !take_rights(fd, r) ? -EPERM :
		  fputs(text, out) == EOF ? -errno : 0;

	if (fclose(out) == EOF && !ret)
		ret = -errno;
	if (!ret && rename(r->temporary, r->path))
		ret = -errno;
	if (ret)
		unlink(r->temporary);
	return ret;
}

/*
 * Put TEXT into PATH, a regular file or a new one: write it to a temporary file
 * beside PATH, which takes PATH's place when it is complete.  Returns 0; a
 * negative errno, with the file as before; or 1, with nothing done, when PATH
 * is no regular file, or cannot be replaced: it has several names, another
 * owner, or a folder that cannot be written.  SHARED: all may read it.
 */
static int replace(const char *path, const char *text, bool shared)
{
	struct replacement r = { .shared = shared };
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

static int print(const char *path, char *text, bool shared, struct error *err)
{
	int ret;

	plain_text(text);
	ret = strcmp(path, "-") != 0 ? replace(path, text, shared) : 1;

	if (ret > 0)
		ret = write_in_place(path, text, err);
	else if (ret)
		fail_errno(err, ret, NULL, "cannot write %s", path);
	free(text);
	return ret;
}

int report_print(const char *path, char *text, struct error *err)
{
	return print(path, text, false, err);
}

int report_print_shared(const char *path, char *text, struct error *err)
{
	return print(path, text, true, err);
}
