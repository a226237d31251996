/* A frame of any type, from what its encoder needs. */
#pragma once

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
		*frame = encode_hello(&any->hello);
		break;
	case FRAME_AUTH:
		*frame = encode_auth(&any->auth);
		break;
	case FRAME_REFUSE:
	case FRAME_ABORT:
		*frame = encode_error(type, &any->error);
		break;
	case FRAME_PLAN:
		*frame = encode_plan(any->plan, &any->port);
		break;
	case FRAME_ACCEPT:
		*frame = encode_accept(&any->port);
		break;
	case FRAME_ENDPOINT:
		*frame = encode_endpoint(&any->endpoint);
		break;
	case FRAME_READY:
		*frame = encode_ready(&any->effective);
		break;
	case FRAME_WAIT:
		*frame = encode_wait(any->before);
		break;
	case FRAME_REACHED:
		*frame = encode_reached(any->reached);
		break;
	case FRAME_START:
		*frame = encode_start(any->size);
		break;
	case FRAME_SENT:
		*frame = encode_sent(&any->sent);
		break;
	case FRAME_DONE:
		*frame = encode_done(&any->done);
		break;
	default:
		*frame = encode_empty(type);
	}
}
