#include "config.h"
#include "base/descriptors.h"

#include <fcntl.h>
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

	return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY &&
	       !(flags & O_PATH);
}
