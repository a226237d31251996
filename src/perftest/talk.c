/* One end of perftest's exchange: messages over TCP, each with a deadline. */
#include "config.h"
#include "perftest/talk.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base/numbers.h"
#include "base/time.h"
#include "net/wait.h"

/* Wait until the connection is ready.  Returns 0, -ETIMEDOUT (not said) or
 * another errno. */
static int wait_ready(struct session *s, short events, uint64_t deadline)
{
	struct connection *conn = s->run.conn;

	return oob_wait(conn->fd, events, &conn->cancel_fd, deadline,
			session_error(s));
}

static int lost(struct session *s, const char *doing, const char *what,
		int errnum)
{
	return fail_errno(session_error(s), errnum, NULL,
			  "lost the connection to the %s (%s) while %s its %s",
			  s->run.conn->peer, talk_of(s)->name, doing, what);
}

/* perftest takes what one read() has for the whole message, so it is sent by
 * one call; a socket has room for it. */
int talk_send(struct session *s, const char *what, const uint8_t *bytes,
	      size_t size, uint64_t deadline)
{
	int ret = wait_ready(s, POLLOUT, deadline);
	ssize_t n;

	if (ret)
		return ret == -ETIMEDOUT ? lost(s, "answering", what,
						ETIMEDOUT) : ret;
	n = send(s->run.conn->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (n == (ssize_t)size)
		return 0;
	return lost(s, "answering", what, n < 0 ? errno : EIO);
}

static int silent(struct session *s, const char *what, size_t got, size_t size)
{
	return fail(session_error(s), -ETIMEDOUT,
		    "give both ends the same test and options: perftest says "
		    "nothing of its own",
		    "the %s (%s) said nothing%s in time: waited for its %s, "
		    "and got %zu of %zu bytes",
		    s->run.conn->peer, talk_of(s)->name, got ? " more" : "",
		    what, got, size);
}

static int closed(struct session *s, const char *what, size_t got, size_t size)
{
	return fail(session_error(s), -ECONNRESET,
		    "look at its output, and give both ends the same test and "
		    "options",
		    "the %s (%s) closed the connection while this end waited "
		    "for its %s, and had %zu of %zu bytes",
		    s->run.conn->peer, talk_of(s)->name, what, got, size);
}

/* Take the key that came first, if it has not been taken.  Returns its size. */
static size_t take_first_key(struct talk *t, uint8_t *bytes, size_t most)
{
	const size_t size = smaller(t->first_key_size, most);

	memcpy(bytes, t->first_key, size);
	t->first_key_size = 0;
	return size;
}

/* Receive until there are LEAST bytes, and if there are then more, MOST. */
static int receive(struct session *s, const char *what, uint8_t *bytes,
		   size_t least, size_t most, uint64_t deadline, size_t *got)
{
	*got = take_first_key(talk_of(s), bytes, most);
	while (*got < most && *got != least) {
		int ret = wait_ready(s, POLLIN, deadline);
		ssize_t n;

		if (ret == -ETIMEDOUT)
			return silent(s, what, *got, most);
		if (ret)
			return ret;
		n = recv(s->run.conn->fd, bytes + *got, most - *got,
			 MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno == ECONNRESET))
			return closed(s, what, *got, most);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return lost(s, "receiving", what, errno);
		*got += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

int talk_receive(struct session *s, const char *what, uint8_t *bytes,
		 size_t size, uint64_t deadline)
{
	size_t got;

	return receive(s, what, bytes, size, size, deadline, &got);
}

/* perftest sends a message by one call, and nothing behind it: what comes at
 * once is all of it. */
int talk_receive_settings(struct session *s, uint8_t *bytes, size_t *size)
{
	return receive(s, "settings", bytes, SETTINGS_SIZE_SHORT, SETTINGS_SIZE,
		       time_after(run_peer_timeout(&s->run)), size);
}

int talk_receive_key_start(struct session *s, uint8_t *bytes, size_t size,
			   uint64_t deadline, size_t *got)
{
	return receive(s, "key", bytes, KEY_START_SIZE, size, deadline, got);
}

void talk_keep(struct talk *t, const uint8_t *bytes, size_t size)
{
	memcpy(t->first_key, bytes, size);
	t->first_key_size = size;
}

int talk_await_key(struct session *s, uint64_t more)
{
	const uint64_t deadline = time_after(run_peer_timeout(&s->run) + more);
	uint8_t bytes[KEY_SIZE_GID];
	struct talk *t = talk_of(s);
	struct key key;
	bool global;
	int ret = talk_receive(s, "key", bytes, KEY_SIZE_LID, deadline);

	global = !ret && key_is_global(bytes);
	if (global)
		ret = talk_receive(s, "key", bytes + KEY_SIZE_LID,
				   KEY_SIZE_GID - KEY_SIZE_LID, deadline);
	if (ret)
		return ret;
	if (key_decode(bytes, global, &key))
		return talk_refuse(s, "key");
	talk_keep(t, bytes, key_size(global));
	return 0;
}

uint64_t talk_deadline(const struct session *s, uint64_t more)
{
	const uint64_t timeout = run_peer_timeout(&s->run);
	const uint64_t most = talk_of(s)->most;

	return time_after((most ? smaller(most, timeout) : timeout) + more);
}

int talk_swap(struct session *s, const char *what, uint64_t more,
	      const uint8_t *out, uint8_t *in, size_t size)
{
	const uint64_t deadline = talk_deadline(s, more);

	if (s->run.client)
		return talk_send(s, what, out, size, deadline) ?:
		       talk_receive(s, what, in, size, deadline);
	return talk_receive(s, what, in, size, deadline) ?:
	       talk_send(s, what, out, size, deadline);
}

int talk_refuse(struct session *s, const char *what)
{
	return fail(session_error(s), -EPROTO,
		    "give both ends the same test and options",
		    "the %s (%s) sent a %s that cannot be read",
		    s->run.conn->peer, talk_of(s)->name, what);
}

void talk_end(struct session *s)
{
	const uint64_t deadline = time_after(SECOND);
	uint8_t bytes[16];

	while (time_until(deadline) && !wait_ready(s, POLLIN, deadline) &&
	       recv(s->run.conn->fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		;
}
