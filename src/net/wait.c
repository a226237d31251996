#include "config.h"
#include "net/wait.h"

#include <errno.h>
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

/* Wait for any of the N FDS, of which the last is *CANCEL_FD's. */
static int wait_any(struct pollfd *fds, nfds_t n, int *cancel_fd,
		    uint64_t deadline, struct error *err)
{
	int ready;

	fds[n - 1] = (struct pollfd){ .fd = *cancel_fd, .events = POLLIN };
	do {
		ready = poll(fds, n, poll_timeout(deadline));
	} while (ready < 0 && errno == EINTR);
	if (ready < 0)
		return fail(err, -errno, NULL, "cannot poll: %s",
			    strerror(errno));
	if (fds[n - 1].revents) {
		int ret = signals_take(*cancel_fd, NULL, err);

		*cancel_fd = -1;
		return ret;
	}
	if (ready == 0)
		return time_now() >= deadline ? -ETIMEDOUT : 1;
	return 0;
}

int oob_wait(int fd, short events, int *cancel_fd, uint64_t deadline,
	     struct error *err)
{
	struct pollfd fds[2] = { { .fd = fd, .events = events } };

	return wait_any(fds, 2, cancel_fd, deadline, err);
}

int oob_wait_either(struct pollfd fds[2], int *cancel_fd, uint64_t deadline,
		    struct error *err)
{
	struct pollfd all[3] = { fds[0], fds[1] };
	int ret = wait_any(all, 3, cancel_fd, deadline, err);

	fds[0] = all[0];
	fds[1] = all[1];
	return ret;
}
