/* Keeps the descriptors that this process inherited, and opens and writes
 * files behind them. */
#include "config.h"
#include "base/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

void descriptors_hold(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_PATH);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

bool descriptors_writable(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	/* a failure, -1, has every bit */
	return (flags & O_ACCMODE) != O_RDONLY && !(flags & O_PATH);
}

bool descriptors_left(unsigned int n)
{
	int fds[16];
	unsigned int got = 0;

	while (got < n && got < sizeof(fds) / sizeof(*fds)) {
		fds[got] = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
		if (fds[got] < 0)
			break;
		got++;
	}
	for (unsigned int i = 0; i < got; i++)
		close(fds[i]);
	return got == n;
}

int descriptors_reopen(int fd)
{
	struct stat status;
	char path[32];
	int again;

	/* the placeholder of a closed descriptor would be reopened, and accept
	 * every write */
	if (!descriptors_writable(fd) || fstat(fd, &status) ||
	    !(S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode)))
		return fd;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return again < 0 ? fd : again;
}

ssize_t descriptors_write(int fd, const char *text, size_t length)
{
	ssize_t n = send(fd, text, length, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (n < 0 && errno == ENOTSOCK)
		n = write(fd, text, length);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	return n < 0 ? -errno : n;
}
