#include "config.h"
#include "net/peer_error.h"

#include <errno.h>

#include "base/time.h"
#include "net/frames.h"

int peer_error_wait(struct connection *conn, uint64_t deadline,
		    struct error *err)
{
	struct error ignored = { 0 };
	struct frame frame;
	int ret = 0;

	do {
		if (oob_receive(conn, "its last words", deadline, &frame,
				&ignored))
			break;
		if (frame.type == FRAME_ABORT || frame.type == FRAME_REFUSE)
			ret = frames_take_error(&frame, conn->peer, err);
		frame_free(&frame);
	} while (!ret && time_until(deadline));
	return ret;
}

int peer_error_hear(struct connection *conn, struct error *err)
{
	/* everything has arrived; the time is for skipping a flood of other
	 * frames */
	return peer_error_wait(conn, time_after(SECOND / 10), err);
}

int peer_error_send(struct connection *conn, const struct frame *frame,
		    uint64_t deadline, struct error *err)
{
	struct error lost = *err;
	int ret = oob_send(conn, frame, deadline, &lost), heard;

	if (ret == -EPIPE || ret == -ECONNRESET) {
		heard = peer_error_hear(conn, err);
		if (heard)
			return heard;
	}
	*err = lost;
	return ret;
}
