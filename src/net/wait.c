#include "config.h"
#include "net/wait.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/time.h"
#include "net/signals.h"

/* Milliseconds until DEADLINE, rounded up, for poll(2). */
static int poll_timeout(uint64_t deadline)
{
	uint64_t left = time_until(deadline);

	if (left > 1000 * SECOND)
		return 1000000;
	return (int)((left + 999999) / 1000000);
}

int oob_wait(int fd, short events, int *cancel_fd, uint64_t deadline,
	     struct error *err)
{
	struct pollfd fds[2] = {
		{ .fd = fd, .events = events },
		{ .fd = *cancel_fd, .events = POLLIN },
	};
	int n;

	do {
		n = poll(fds, 2, poll_timeout(deadline));
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return fail(err, -errno, NULL, "cannot poll: %s",
			    strerror(errno));
	if (fds[1].revents) {
		int ret = signals_take(*cancel_fd, NULL, err);

		*cancel_fd = -1;
		return ret;
	}
	if (n == 0)
		return time_now() >= deadline ? -ETIMEDOUT : 1;
	return 0;
}
