/* Writes lines to standard output or a file that other processes may write to,
 * too. */
#include "config.h"
#include "report/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/numbers.h"

static size_t pages(size_t length)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (length + page - 1) / page;
}

/* Capacity of a pipe in bytes; 0 for anything else. */
static size_t capacity(int fd)
{
	int size = fcntl(fd, F_GETPIPE_SZ);

	return size > 0 ? (size_t)size : 0;
}

/* Bytes that nobody has read yet, as far as FD tells. */
static int unread(int fd)
{
	int n = 0;

	return ioctl(fd, FIONREAD, &n) ? 0 : n;
}

/*
 * True when the pipe FD takes LENGTH bytes in one write.  A pipe's capacity is
 * in pages, not bytes, and a write starts a new page if the last one has too
 * little room.  So any two adjacent pages together hold more than one page of
 * data, except for the first, which may be partly read.
 */
static bool takes_all(int fd, size_t length)
{
	size_t waiting = (size_t)unread(fd);
	size_t used = waiting ? 2 + pages(2 * waiting) : 0;

	if (length <= PIPE_BUF)
		return true;	/* else nothing */
	return used + pages(length) <= pages(capacity(fd));
}

/* True when the pipe FD will take LENGTH bytes in one write once it is
 * empty. */
static bool will_take_all(int fd, size_t length)
{
	size_t size = capacity(fd);

	return size && (length <= size ||
			fcntl(fd, F_SETPIPE_SZ, (int)length) > 0);
}

static size_t line_length(const char *text, size_t length)
{
	const char *end = memchr(text, '\n', length);

	return end ? (size_t)(end - text) + 1 : length;
}

/* How many bytes of TEXT to write now; 0: none. */
static size_t choose_length(const struct place *p, const char *text,
			    size_t length)
{
	size_t line = line_length(text, length);

	if (p->is_file)
		return length;
	if (p->left)
		return smaller(p->left, PIPE_BUF);
	if (capacity(p->fd) && takes_all(p->fd, length))
		return length;
	if (!will_take_all(p->fd, line))
		return smaller(line, PIPE_BUF);
	return takes_all(p->fd, line) ? line : 0;
}

/* Lock or unlock against other processes that use this lock.  A descriptor that
 * cannot be locked is written all the same. */
static bool lock(const struct place *p, short type)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET };

	return p->is_file || !fcntl(p->fd, F_SETLK, &lock) ||
	       (errno != EAGAIN && errno != EACCES);
}

void place_open(struct place *place, int fd)
{
	struct stat status;

	*place = (struct place){
		.fd = fd,
		.is_file = !fstat(fd, &status) && S_ISREG(status.st_mode),
	};
}

ssize_t place_write(struct place *p, const char *text, size_t length)
{
	ssize_t n = 0;
	size_t now;

	if (!p->left && !lock(p, F_WRLCK))
		return 0;
	now = choose_length(p, text, length);
	if (now)
		n = descriptors_write(p->fd, text, now);
	if (n > 0 && p->left)
		p->left -= (size_t)n;
	else if (n > 0 && text[n - 1] != '\n')
		p->left = line_length(text + n, length - (size_t)n);
	if (!p->left)
		lock(p, F_UNLCK);
	return n;
}

bool place_has_moved(struct place *place)
{
	int before = place->waiting;

	place->waiting = unread(place->fd);
	return place->waiting != before;
}
