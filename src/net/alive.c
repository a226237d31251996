/* Sends signs of life from a thread of its own while this end does something
 * that takes long. */
#include "config.h"
#include "net/oob.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/numbers.h"
#include "base/time.h"
#include "base/xalloc.h"
#include "net/frames.h"
#include "net/wait.h"

enum { END, SIGNAL, N_FDS };

struct alive {
	struct connection *conn;
	uint64_t period;
	pthread_t thread;
	int end_fd;
	int interrupted;	/* by signals_take(): its errno, or 0 */
	struct error err;
};

uint64_t alive_period(uint64_t timeout)
{
	return smaller(timeout / 8, SECOND / 4);
}

/* Send one sign of life, unless the peer does not read.  Ignores a lost
 * connection: the next step that needs it reports that.  Returns 0, or what
 * signals_take() did, set in ERR. */
static int send_sign(struct connection *conn, struct error *err)
{
	struct error failure = *err;	/* copies the stage */
	struct frame frame;
	int ret;

	if (!oob_can_send(conn))
		return 0;
	frame = encode_empty(FRAME_ALIVE);
	ret = oob_send(conn, &frame, time_after(SECOND), &failure);
	frame_free(&frame);
	if (ret != -ECANCELED && ret != -ETIME)
		return 0;
	*err = failure;
	return ret;
}

int alive_wait(struct connection *conn, int fd, uint64_t deadline,
	       struct signs *signs, struct error *err)
{
	struct pollfd fds[3] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = conn->fd, .events = POLLIN },
	};
	int ret;

	do {
		ret = 0;
		if (!time_until(signs->next)) {
			if (signs->next)
				ret = send_sign(conn, err);
			signs->next = time_after(signs->period);
		}
		ret = ret ?: oob_wait_any(fds, 3, &conn->cancel_fd,
					  smaller(deadline, signs->next), err);
	} while (ret == -ETIMEDOUT && time_until(deadline));
	return ret;
}

static void *send_signs(void *argument)
{
	struct alive *a = argument;
	uint64_t next = time_after(a->period);

	pthread_setname_np(pthread_self(), "alive");
	for (;;) {
		struct pollfd fds[N_FDS] = {
			[END] = { .fd = a->end_fd, .events = POLLIN },
			[SIGNAL] = { .fd = a->conn->cancel_fd,
				     .events = POLLIN },
		};

		poll(fds, N_FDS, (int)(time_until(next) / 1000000) + 1);
		if (fds[END].revents)
			return NULL;
		if (fds[SIGNAL].revents)
			a->interrupted = signals_take(&a->conn->cancel_fd,
						      NULL, &a->err);
		if (time_until(next))
			continue;
		a->interrupted = send_sign(a->conn, &a->err) ?: a->interrupted;
		next = time_after(a->period);
	}
}

int alive_begin(struct connection *conn, uint64_t period, struct alive **alive,
		struct error *err)
{
	struct alive *a = xcalloc(1, sizeof(*a));
	int ret;

	a->conn = conn;
	a->period = period;
	a->err = *err;		/* copies the stage */
	a->end_fd = eventfd(0, EFD_CLOEXEC);
	ret = a->end_fd < 0 ? -errno :
			      -pthread_create(&a->thread, NULL, send_signs, a);
	if (!ret) {
		*alive = a;
		return 0;
	}
	if (a->end_fd >= 0)
		close(a->end_fd);
	free(a);
	return fail_errno(err, ret, NULL, "cannot start a thread");
}

int alive_end(struct alive *a, struct error *err)
{
	int ret;

	/* cannot fail: the counter is far from its limit */
	eventfd_write(a->end_fd, 1);
	pthread_join(a->thread, NULL);
	close(a->end_fd);
	ret = a->interrupted;
	if (ret) {
		signals_unblock(true);
		if (!error_is_set(err))
			*err = a->err;
	}
	free(a);
	return ret;
}
