#include "config.h"
#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "report/replace.h"

static bool is_fifo(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISFIFO(status.st_mode);
}

/* Open PATH and truncate it.  A FIFO's reader may come late, but must come. */
static FILE *open_output(const char *path)
{
	static const struct timespec pause = { .tv_nsec = 10000000 };
	int fd = -1;

	for (int ms = 0; ms <= REPORT_READER_WAIT_MS; ms += 10) {
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC |
			  O_NONBLOCK, 0666);
		if (fd >= 0 || errno != ENXIO || !is_fifo(path))
			break;
		nanosleep(&pause, NULL);
	}
	if (fd < 0)
		return NULL;
	fcntl(fd, F_SETFL, 0);
	return fdopen(fd, "w");
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

int report_check_path(const char *path, bool empty, struct error *err)
{
	FILE *out;

	/* opening and closing a FIFO would end the reader's input */
	if (!strcmp(path, "-") || is_fifo(path))
		return 0;
	if (!empty && can_be_made(path))
		return 0;
	out = fopen(path, empty ? "w" : "a");
	if (!out)
		return fail_errno(err, errno, NULL, "cannot write %s", path);
	fclose(out);
	return 0;
}

/* Write to PATH itself, which is no regular file or must not be replaced. */
static int write_in_place(const char *path, const char *text,
			  struct error *err)
{
	bool to_stdout = !strcmp(path, "-");
	FILE *out = to_stdout ? stdout : open_output(path);
	int errnum = 0;

	if (!out)
		return fail_errno(err, errno,
				  errno == ENXIO ? "nobody reads it" : NULL,
				  "cannot write %s", path);
	if (fputs(text, out) == EOF || fflush(out) == EOF)
		errnum = errno;
	if (!to_stdout && fclose(out) == EOF && !errnum)
		errnum = errno;
	if (!errnum)
		return 0;
	return fail_errno(err, errnum, NULL, "cannot write %s",
			  to_stdout ? "to stdout" : path);
}

int report_write(const char *path, const char *text, struct error *err)
{
	int ret = strcmp(path, "-") != 0 ? replace(path, text) : 1;

	if (ret > 0)
		return write_in_place(path, text, err);
	return ret ? fail(err, ret, NULL, "cannot write %s: %s", path,
			  strerror(-ret)) : 0;
}

int report_print(const char *path, char *text, struct error *err)
{
	int ret;

	if (!text)
		return fail(err, -ENOMEM, NULL, "out of memory for a report");
	ret = report_write(path, text, err);
	free(text);
	return ret;
}
