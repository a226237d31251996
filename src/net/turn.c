#include "config.h"
#include "net/turn.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

/* From a client's process to its parent; both run the same binary. */
struct message {
	enum turn_word word;
	uint64_t limit;
};

int turn_hear_child(int fd, uint64_t *limit)
{
	struct message message;
	ssize_t n = recv(fd, &message, sizeof(message), MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? TURN_NOTHING :
							   -errno;
	if (n != sizeof(message))
		return -ECONNRESET;
	*limit = message.limit;
	return message.word;
}

int turn_tell(int fd, uint32_t place)
{
	ssize_t n = send(fd, &place, sizeof(place),
			 MSG_DONTWAIT | MSG_NOSIGNAL);

	return n < 0 ? -errno : 0;
}

static int say(int fd, enum turn_word word, uint64_t limit)
{
	const struct message message = { .word = word, .limit = limit };

	return send(fd, &message, sizeof(message), MSG_NOSIGNAL) < 0 ? -errno :
								       0;
}

int turn_ask(int fd, uint64_t limit)
{
	return say(fd, TURN_ASKED, limit);
}

int turn_hear_parent(int fd, uint32_t *place)
{
	ssize_t n = recv(fd, place, sizeof(*place), MSG_DONTWAIT);

	if (n < 0 && errno == EAGAIN)
		return -EAGAIN;
	return n == sizeof(*place) ? 0 : -EPIPE;
}

void turn_end(struct connection *conn)
{
	if (conn->turn_fd < 0)
		return;
	say(conn->turn_fd, TURN_ENDED, 0);
	close(conn->turn_fd);
	conn->turn_fd = -1;
}
