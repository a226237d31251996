#include "config.h"
#include "control/turn.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/time.h"
#include "control/last_words.h"
#include "control/signals.h"

/* How often a client that waits is told its place, as a sign of life: four
 * times in the shortest timeout that it can have, and not each time that one of
 * many short runs is over. */
#define PLACE_PERIOD (SECOND / 4)

enum { ANSWER, CLIENT, SIGNAL, N_FDS };

int turn_hear_child(int fd)
{
	uint8_t word;
	ssize_t n = recv(fd, &word, sizeof(word), MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? TURN_NOTHING :
							   -errno;
	return n ? word : -ECONNRESET;
}

int turn_tell(int fd, uint32_t place)
{
	ssize_t n = send(fd, &place, sizeof(place),
			 MSG_DONTWAIT | MSG_NOSIGNAL);

	return n < 0 ? -errno : 0;
}

static bool say(const struct connection *conn, enum turn_word what)
{
	uint8_t word = what;

	return send(conn->turn_fd, &word, sizeof(word), MSG_NOSIGNAL) ==
	       sizeof(word);
}

void turn_end(struct connection *conn)
{
	if (conn->turn_fd < 0)
		return;
	say(conn, TURN_ENDED);
	close(conn->turn_fd);
	conn->turn_fd = -1;
}

static int ask(struct session *s)
{
	if (say(s->conn, TURN_ASKED))
		return 0;
	return fail(&s->result->error, -errno, NULL,
		    "cannot ask for a turn: %s", strerror(errno));
}

static int take_answer(struct session *s)
{
	struct error *err = &s->result->error;
	uint32_t place;
	ssize_t n = recv(s->conn->turn_fd, &place, sizeof(place),
			 MSG_DONTWAIT);

	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n != sizeof(place))
		return fail(err, -EPIPE, NULL, "the server is gone");
	if (place == TURN_FULL)
		return fail(err, -EBUSY, "try again later",
			    "too many clients wait for this server already");
	if (place == TURN_OVER)
		return fail(err, -EBUSY, NULL,
			    "this server serves one client, and another came "
			    "first");
	s->place = place;
	return 0;
}

static int left(struct session *s)
{
	int ret = last_words_hear(s->conn, &s->result->error);

	if (ret)
		return ret;
	return fail(&s->result->error, -ECONNRESET,
		    "look at the client's output",
		    "the client closed the connection while it waited for its "
		    "turn");
}

static int interrupted(struct session *s)
{
	int fd = s->conn->cancel_fd;

	s->conn->cancel_fd = -1;
	return signals_take(fd, NULL, &s->result->error);
}

/* Until UNTIL at the latest. */
static int wait_for_answer(struct session *s, uint64_t until)
{
	struct pollfd fds[N_FDS] = {
		[ANSWER] = { .fd = s->conn->turn_fd, .events = POLLIN },
		[CLIENT] = { .fd = s->conn->fd, .events = POLLRDHUP },
		[SIGNAL] = { .fd = s->conn->cancel_fd, .events = POLLIN },
	};

	if (poll(fds, N_FDS, (int)(time_until(until) / 1000000) + 1) < 0)
		return errno == EINTR ? 0 : fail(&s->result->error, -errno,
						 NULL, "cannot poll: %s",
						 strerror(errno));
	if (fds[SIGNAL].revents)
		return interrupted(s);
	if (fds[CLIENT].revents)
		return left(s);
	return fds[ANSWER].revents ? take_answer(s) : 0;
}

/* At most once in a period, of which *NEXT is the end. */
static int say_place(struct session *s, uint64_t *next)
{
	struct frame frame;

	if (s->place == TURN_NOW || time_until(*next))
		return 0;
	*next = time_after(PLACE_PERIOD);
	if (s->place == TURN_UNKNOWN)
		return 0;
	encode_wait(&frame, s->place);
	return session_send(s, &frame);
}

int turn_take(struct session *s)
{
	uint64_t next = time_now();
	int ret;

	if (s->conn->turn_fd < 0) {
		s->place = TURN_NOW;
		return 0;
	}
	session_stage(s, "queue");
	ret = ask(s);
	while (!ret && s->place != TURN_NOW) {
		ret = wait_for_answer(s, next);
		if (!ret)
			ret = say_place(s, &next);
	}
	return ret;
}

int turn_hear(struct session *s, const struct frame *frame)
{
	uint32_t place;
	int ret = decode_wait(frame, &place, &s->result->error);

	if (ret || place == s->place)
		return ret;
	s->place = place;
	log_info("waiting: %u client%s before this one", place,
		 place > 1 ? "s are" : " is");
	return 0;
}
