/* Keeps text for a reader that is slow, so that no writer waits for it. */
#include "config.h"
#include "report/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/numbers.h"
#include "report/report.h"

/* Most bytes kept: more than a pausing reader leaves, but little memory. */
#define MOST_KEPT (4U << 20)
/* How often the sink checks for an absent or idle reader. */
#define PAUSE_MS 10

void sink_init(struct sink *sink, const char *path)
{
	*sink = (struct sink){
		.path = path,
		.fd = -1,
	};
}

void sink_free(struct sink *sink)
{
	if (sink->fd > STDOUT_FILENO)
		close(sink->fd);
	free(sink->text);
	sink_init(sink, sink->path);
}

/* A FIFO without a reader is opened later. */
static bool is_open(struct sink *sink)
{
	if (sink->fd >= 0)
		return true;
	if (!strcmp(sink->path, "-"))
		sink->fd = sink->lines ? descriptors_reopen(STDOUT_FILENO) :
					 STDOUT_FILENO;
	else
		sink->fd = open(sink->path, O_WRONLY | O_CREAT | O_APPEND |
				O_NONBLOCK | O_CLOEXEC |
				(sink->anew ? O_TRUNC : 0), 0666);
	if (sink->fd < 0) {
		if (errno != ENXIO)
			sink->errnum = errno;
		return false;
	}
	place_open(&sink->place, sink->fd);
	return true;
}

/* Write a part if the reader takes it within WAIT_MS; otherwise false. */
static bool write_part(struct sink *sink, int wait_ms)
{
	struct pollfd fd = { .fd = sink->fd, .events = POLLOUT };
	size_t length = sink->end - sink->start;
	ssize_t done;

	if (poll(&fd, 1, wait_ms) != 1)
		return false;
	/* any write reports that the reader is gone; a pipe that polls as
	 * writable takes PIPE_BUF bytes without waiting */
	if (sink->lines && !(fd.revents & POLLERR))
		done = place_write(&sink->place, sink->text + sink->start,
				   length);
	else
		done = descriptors_write(sink->fd, sink->text + sink->start,
					 sink->place.is_file ? length :
					 smaller(length, PIPE_BUF));
	if (done < 0)
		sink->errnum = (int)-done;
	if (done <= 0)
		return false;
	sink->start += (size_t)done;
	return true;
}

static void drain(struct sink *sink)
{
	if (sink->errnum || !is_open(sink))
		return;
	while (sink->start < sink->end && write_part(sink, 0))
		;
}

/* Make room for LENGTH more bytes at the end. */
static bool make_room(struct sink *sink, size_t length)
{
	size_t used = sink->end - sink->start, room = sink->room;
	char *text;

	if (sink->start) {
		memmove(sink->text, sink->text + sink->start, used);
		sink->start = 0;
		sink->end = used;
	}
	if (used + length <= room)
		return true;
	room = 2 * (used + length);
	if (used && used + length > MOST_KEPT)
		return false;
	text = realloc(sink->text, room);
	if (!text)
		return false;
	sink->text = text;
	sink->room = room;
	return true;
}

void sink_put(struct sink *sink, const char *text, size_t length)
{
	drain(sink);
	/* no length needs no room, and there may be none */
	if (sink->errnum || !length)
		return;
	if (!make_room(sink, length)) {
		sink->errnum = ENOBUFS;
		return;
	}
	memcpy(sink->text + sink->end, text, length);
	sink->end += length;
	drain(sink);
}

/* The last put may be incomplete; everything before it is whole. */
static int cannot_write(const struct sink *sink, struct error *err)
{
	const char *to = strcmp(sink->path, "-") != 0 ? sink->path :
							"to stdout";

	if (sink->errnum == ENOBUFS)
		return fail(err, -ENOBUFS, "write to a file, or read faster",
			    "cannot write %s: its reader is over %u MB behind",
			    to, MOST_KEPT >> 20);
	if (sink->errnum == ETIMEDOUT)
		return fail(err, -ETIMEDOUT, NULL,
			    "cannot write %s: its reader read nothing for %d s",
			    to, REPORT_READER_WAIT_MS / 1000);
	return fail_errno(err, sink->errnum,
			  sink->errnum == ENXIO ? "nobody reads it" : NULL,
			  "cannot write %s", to);
}

/* Try once more, within PAUSE_MS; true if the reader took something. */
static bool try_again(struct sink *sink)
{
	static const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000 };
	bool open = is_open(sink);

	if (open && !sink->lines)
		return write_part(sink, PAUSE_MS);
	if (open && write_part(sink, 0))
		return true;
	/* poll(2) may report room that is too small for a line */
	if (!sink->errnum)
		nanosleep(&pause, NULL);
	return open && place_has_moved(&sink->place);
}

int sink_finish(struct sink *sink, struct error *err)
{
	int waited = 0;

	while (!sink->errnum && sink->start < sink->end) {
		if (try_again(sink))
			waited = 0;
		else
			waited += PAUSE_MS;
		if (!sink->errnum && waited > REPORT_READER_WAIT_MS &&
		    (sink->fd < 0 || !sink->patient))
			sink->errnum = sink->fd < 0 ? ENXIO : ETIMEDOUT;
	}
	return sink->errnum ? cannot_write(sink, err) : 0;
}
