/*
 * Every decoder of net/frames.h, and the header of frames.  The first byte
 * of an input is the type, 0 for a header; its top bit asks for a DONE with
 * samples.  The rest is the payload.  What decodes must encode, and decode
 * again to the same.
 */
#include "config.h"
#include "fuzz.h"

#include <string.h>

#include "base/xalloc.h"
#include "net/frames.h"

#define WITH_SAMPLES 0x80

union value {
	struct hello hello;
	struct error error;
	struct {
		struct plan plan;
		struct port client;
	} asked;
	struct port port;
	struct endpoint endpoint;
	struct effective effective;
	uint64_t size;
	struct sent sent;
	struct done done;
	uint32_t before;
	struct auth auth;
	uint8_t reached[REACHED_SIZE];
};

typedef int getter(const struct frame *frame, union value *v,
		   struct error *err);
typedef void putter(struct frame *frame, const union value *v);

#define CODEC(type, name, member) \
	static int get_##type(const struct frame *frame, union value *v, \
			      struct error *err) \
	{ \
		return decode_##name(frame, &v->member, err); \
	} \
	static void put_##type(struct frame *frame, const union value *v) \
	{ \
		*frame = encode_##name(&v->member); \
	}
CODEC(HELLO, hello, hello)
CODEC(ACCEPT, accept, port)
CODEC(ENDPOINT, endpoint, endpoint)
CODEC(READY, ready, effective)
CODEC(SENT, sent, sent)
CODEC(DONE, done, done)

#define ERROR_CODEC(type) \
	static int get_##type(const struct frame *frame, union value *v, \
			      struct error *err) \
	{ \
		return decode_error(frame, &v->error, err); \
	} \
	static void put_##type(struct frame *frame, const union value *v) \
	{ \
		*frame = encode_error(FRAME_##type, &v->error); \
	}
ERROR_CODEC(REFUSE)
ERROR_CODEC(ABORT)

#define EMPTY_CODEC(type) \
	static int get_##type(const struct frame *frame, union value *v, \
			      struct error *err) \
	{ \
		(void)v; \
		return decode_empty(frame, err); \
	} \
	static void put_##type(struct frame *frame, const union value *v) \
	{ \
		(void)v; \
		*frame = encode_empty(FRAME_##type); \
	}
EMPTY_CODEC(AGAIN)
EMPTY_CODEC(BYE)
EMPTY_CODEC(ALIVE)

static int get_PLAN(const struct frame *frame, union value *v,
		    struct error *err)
{
	return decode_plan(frame, &v->asked.plan, &v->asked.client, err);
}

static void put_PLAN(struct frame *frame, const union value *v)
{
	*frame = encode_plan(&v->asked.plan, &v->asked.client);
}

static int get_START(const struct frame *frame, union value *v,
		     struct error *err)
{
	return decode_start(frame, &v->size, err);
}

static void put_START(struct frame *frame, const union value *v)
{
	*frame = encode_start(v->size);
}

static int get_WAIT(const struct frame *frame, union value *v,
		    struct error *err)
{
	return decode_wait(frame, &v->before, err);
}

static void put_WAIT(struct frame *frame, const union value *v)
{
	*frame = encode_wait(v->before);
}

static int get_AUTH(const struct frame *frame, union value *v,
		    struct error *err)
{
	return decode_auth(frame, &v->auth, err);
}

static void put_AUTH(struct frame *frame, const union value *v)
{
	*frame = encode_auth(&v->auth);
}

static int get_REACHED(const struct frame *frame, union value *v,
		       struct error *err)
{
	return decode_reached(frame, v->reached, err);
}

static void put_REACHED(struct frame *frame, const union value *v)
{
	*frame = encode_reached(v->reached);
}

/* A type that is missing above does not compile here. */
static const struct codec {
	getter *get;
	putter *put;
} codecs[] = {
#define X(name, type, ...) [type] = { get_##name, put_##name },
	FRAME_LIST(X)
#undef X
};

/* Where samples go; as large as it is, it is made once. */
static struct histogram *samples[2];

static void prepare(union value *v, uint32_t type, bool with_samples, int which)
{
	memset(v, 0, sizeof(*v));
	if (type != FRAME_DONE || !with_samples)
		return;
	if (!samples[which])
		samples[which] = histogram_new();
	v->done.latency = samples[which];
}

/* DONE may have allocated when it fails, too. */
static void release(union value *v, uint32_t type, int ret)
{
	if (type == FRAME_DONE)
		done_free(&v->done);
	if (type == FRAME_ENDPOINT && !ret)
		free(v->endpoint.qps);
}

static void check_again(const struct codec *codec, const struct frame *first,
			bool with_samples)
{
	struct error err = { 0 };
	struct frame second;
	union value v;
	int ret;

	prepare(&v, first->type, with_samples, 1);
	ret = codec->get(first, &v, &err);
	MUST(!ret);
	codec->put(&second, &v);
	MUST(second.type == first->type && second.length == first->length);
	MUST(!memcmp(second.bytes, first->bytes,
		     WIRE_HEADER_SIZE + first->length));
	release(&v, first->type, ret);
	frame_free(&second);
}

static void check_frame(const struct frame *frame, bool with_samples)
{
	const struct codec *codec = &codecs[frame->type];
	struct error err = { 0 };
	struct frame encoded;
	union value v;
	int ret;

	prepare(&v, frame->type, with_samples, 0);
	ret = codec->get(frame, &v, &err);
	MUST(ret <= 0 && error_is_set(&err) == (ret != 0));
	if (!ret) {
		codec->put(&encoded, &v);
		check_again(codec, &encoded, with_samples);
		frame_free(&encoded);
	}
	release(&v, frame->type, ret);
}

static void check_header(const uint8_t *data, size_t size)
{
	uint8_t header[WIRE_HEADER_SIZE] = { 0 };
	struct error err = { 0 };
	struct frame frame;

	memcpy(header, data, size < sizeof(header) ? size : sizeof(header));
	if (wire_read_header(header, 0, "peer", &frame, &err)) {
		MUST(error_is_set(&err));
		return;
	}
	MUST(frame_limit(frame.type) >= frame.length);
	MUST(strcmp(frame_name(frame.type), frame_name(0)) != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint32_t known = sizeof(codecs) / sizeof(*codecs);
	struct frame frame = { 0 };
	uint32_t type;

	if (!size)
		return 0;
	type = data[0] & ~WITH_SAMPLES & 0xff;
	if (!type)
		check_header(data + 1, size - 1);
	/* what is longer is refused by its header */
	if (!type || type >= known || size - 1 > frame_limit(type))
		return 0;
	frame.type = (enum frame_type)type;
	frame.length = (uint32_t)(size - 1);
	frame.bytes = xcalloc(1, WIRE_HEADER_SIZE + frame.length);
	memcpy(frame.bytes + WIRE_HEADER_SIZE, data + 1, frame.length);
	check_frame(&frame, data[0] & WITH_SAMPLES);
	frame_free(&frame);
	return 0;
}
