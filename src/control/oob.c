#include "config.h"
#include "control/oob.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"
#include "base/xalloc.h"
#include "control/signals.h"

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

/* Until FD is ready: 0, -ETIMEDOUT (nothing said yet), or another errno. */
static int wait_ready(struct connection *conn, short events, uint64_t deadline,
		      struct error *err)
{
	int ret;

	do {
		ret = oob_wait(conn->fd, events, &conn->cancel_fd, deadline,
			       err);
	} while (ret == 1);
	return ret;
}

void oob_adopt(int fd, int cancel_fd, const char *peer,
	       struct connection *conn)
{
	*conn = (struct connection){
		.fd = fd,
		.cancel_fd = cancel_fd,
		.peer = peer,
		.turn_fd = -1,
	};
}

void oob_close(struct connection *conn)
{
	if (conn->fd >= 0)
		close(conn->fd);
	conn->fd = -1;
}

static int lost(struct connection *conn, const char *doing, int errnum,
		struct error *err)
{
	return fail(err, -errnum, NULL,
		    "lost the connection to the %s while %s: %s", conn->peer,
		    doing, strerror(errnum));
}

int oob_send(struct connection *conn, const struct frame *frame,
	     uint64_t deadline, struct error *err)
{
	size_t size = WIRE_HEADER_SIZE + frame->length, sent = 0;
	char doing[48] = "sending ";

	strncat(doing, frame_name(frame->type), 32);
	while (sent < size) {
		ssize_t n = send(conn->fd, frame->bytes + sent, size - sent,
				 MSG_NOSIGNAL | MSG_DONTWAIT);
		int ret;

		if (n >= 0) {
			sent += (size_t)n;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return lost(conn, doing, errno, err);
		ret = wait_ready(conn, POLLOUT, deadline, err);
		if (ret == -ETIMEDOUT)
			return lost(conn, doing, ETIMEDOUT, err);
		if (ret)
			return ret;
	}
	return 0;
}

static int closed(struct connection *conn, const char *waited_for,
		  bool inside_frame, struct error *err)
{
	char advice[64];

	snprintf(advice, sizeof(advice), "look at the %s's output",
		 conn->peer);
	return fail(err, -ECONNRESET, advice,
		    "the %s closed the connection %s %s", conn->peer,
		    inside_frame ? "inside a frame, where this end waited for" :
				   "while this end waited for", waited_for);
}

static int silent(struct connection *conn, const char *waited_for,
		  bool inside_frame, struct error *err)
{
	return fail(err, -ETIMEDOUT, NULL,
		    "the %s said nothing%s in time: waited for %s", conn->peer,
		    inside_frame ? " more" : "", waited_for);
}

/* SIZE bytes into DATA; INSIDE_FRAME tells where a close comes. */
static int receive_bytes(struct connection *conn, uint8_t *data, size_t size,
			 bool inside_frame, const char *waited_for,
			 uint64_t deadline, struct error *err)
{
	size_t got = 0;

	while (got < size) {
		ssize_t n = recv(conn->fd, data + got, size - got,
				 MSG_DONTWAIT);
		int ret;

		if (n > 0) {
			got += (size_t)n;
			continue;
		}
		if (n == 0 || errno == ECONNRESET)
			return closed(conn, waited_for, inside_frame || got,
				      err);
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return lost(conn, "receiving", errno, err);
		ret = wait_ready(conn, POLLIN, deadline, err);
		if (ret == -ETIMEDOUT)
			return silent(conn, waited_for, inside_frame || got,
				      err);
		if (ret)
			return ret;
	}
	return 0;
}

int oob_receive(struct connection *conn, const char *waited_for,
		uint64_t deadline, struct frame *frame, struct error *err)
{
	uint8_t header[WIRE_HEADER_SIZE];
	struct frame f = { 0 };
	int ret = receive_bytes(conn, header, sizeof(header), false,
				waited_for, deadline, err);

	if (!ret)
		ret = wire_read_header(header, conn->peer, &f, err);
	if (ret)
		return ret;
	f.bytes = xcalloc(1, WIRE_HEADER_SIZE + f.length);
	memcpy(f.bytes, header, sizeof(header));
	ret = receive_bytes(conn, f.bytes + WIRE_HEADER_SIZE, f.length, true,
			    waited_for, deadline, err);
	if (ret)
		frame_free(&f);
	else
		*frame = f;
	return ret;
}
