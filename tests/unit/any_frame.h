/* A frame of any type, from what its encoder needs. */
#ifndef TESTS_UNIT_ANY_FRAME_H
#define TESTS_UNIT_ANY_FRAME_H

#include "net/frames.h"

struct any_frame {
	struct hello hello;
	struct auth auth;
	struct error error;
	const struct plan *plan;
	struct port port;
	struct endpoint endpoint;
	struct effective effective;
	uint32_t before;	/* of WAIT */
	uint8_t reached[REACHED_SIZE];
	uint64_t size;		/* of START */
	struct sent sent;
	struct done done;
};

/* Of TYPE, into FRAME; frame_free() it. */
static inline void encode_any(enum frame_type type, const struct any_frame *any,
			      struct frame *frame)
{
	switch (type) {
	case FRAME_HELLO:
		encode_hello(frame, &any->hello);
		break;
	case FRAME_AUTH:
		encode_auth(frame, &any->auth);
		break;
	case FRAME_REFUSE:
	case FRAME_ABORT:
		encode_error(frame, type, &any->error);
		break;
	case FRAME_PLAN:
		encode_plan(frame, any->plan, &any->port);
		break;
	case FRAME_ACCEPT:
		encode_accept(frame, &any->port);
		break;
	case FRAME_ENDPOINT:
		encode_endpoint(frame, &any->endpoint);
		break;
	case FRAME_READY:
		encode_ready(frame, &any->effective);
		break;
	case FRAME_WAIT:
		encode_wait(frame, any->before);
		break;
	case FRAME_REACHED:
		encode_reached(frame, any->reached);
		break;
	case FRAME_START:
		encode_start(frame, any->size);
		break;
	case FRAME_SENT:
		encode_sent(frame, &any->sent);
		break;
	case FRAME_DONE:
		encode_done(frame, &any->done);
		break;
	default:
		encode_empty(frame, type);
	}
}

#endif
