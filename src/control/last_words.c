#include "config.h"
#include "control/last_words.h"

#include <errno.h>

#include "base/time.h"
#include "control/frames.h"

int last_words_hear(struct connection *conn, struct error *err)
{
	struct error ignored = { 0 };
	struct frame frame;
	int ret = 0;

	while (!ret && !oob_receive(conn, "its last words", time_now(),
				    &frame, &ignored)) {
		if (frame.type == FRAME_ABORT || frame.type == FRAME_REFUSE)
			ret = frames_take_error(&frame, conn->peer, err);
		frame_free(&frame);
	}
	return ret;
}

int last_words_send(struct connection *conn, const struct frame *frame,
		    uint64_t deadline, struct error *err)
{
	struct error lost = *err;
	int ret = oob_send(conn, frame, deadline, &lost), heard;

	if (ret == -EPIPE || ret == -ECONNRESET) {
		heard = last_words_hear(conn, err);
		if (heard)
			return heard;
	}
	*err = lost;
	return ret;
}
