/* The messages about turns between a server and the processes of its
 * clients. */
#include "config.h"
#include "net/turn.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

/* A message from a client's process to its parent; both run the same binary. */
struct message {
	enum turn_message kind;
	uint64_t limit;
};

int turn_receive_message(int fd, uint64_t *limit)
{
	struct message message;
	ssize_t n = recv(fd, &message, sizeof(message), MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? TURN_NO_MESSAGE :
							   -errno;
	if (n != sizeof(message))
		return -ECONNRESET;
	*limit = message.limit;
	return message.kind;
}

int turn_send_place(int fd, uint32_t place)
{
	ssize_t n = send(fd, &place, sizeof(place),
			 MSG_DONTWAIT | MSG_NOSIGNAL);

	return n < 0 ? -errno : 0;
}

static int send_message(int fd, enum turn_message kind, uint64_t limit)
{
	const struct message message = { .kind = kind, .limit = limit };

	return send(fd, &message, sizeof(message), MSG_NOSIGNAL) < 0 ? -errno :
								       0;
}

int turn_request(int fd, uint64_t limit, bool quiet)
{
	return send_message(fd, quiet ? TURN_REQUEST_QUIET : TURN_REQUEST,
			    limit);
}

int turn_receive_place(int fd, uint32_t *place)
{
	ssize_t n = recv(fd, place, sizeof(*place), MSG_DONTWAIT);

	if (n < 0 && errno == EAGAIN)
		return -EAGAIN;
	return n == sizeof(*place) ? 0 : -EPIPE;
}

void turn_release(struct connection *conn)
{
	if (conn->turn_fd < 0)
		return;
	send_message(conn->turn_fd, TURN_RELEASE, 0);
	close(conn->turn_fd);
	conn->turn_fd = -1;
}
