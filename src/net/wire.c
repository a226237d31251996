/* Puts and gets integers, reals and strings of a frame, and checks its header.
 */
#include "config.h"
#include "net/wire.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* The one flag of a field, and the size of its length. */
#define FIELD_OPTIONAL 1
#define FIELD_LENGTH_BYTES 4

static const struct {
	const char *name;
	uint32_t limit;
	const char *content;
} frames[] = {
#define X(name, type, ...) [type] = { #name, __VA_ARGS__ },
	FRAME_LIST(X)
#undef X
};

static bool frame_known(uint32_t type)
{
	return type < sizeof(frames) / sizeof(*frames) && frames[type].name;
}

const char *frame_name(uint32_t type)
{
	return frame_known(type) ? frames[type].name : "an unknown frame";
}

/* "a" or "an", whichever fits frame_name(TYPE). */
static const char *frame_article(uint32_t type)
{
	return strchr("AEIOU", frame_name(type)[0]) ? "an" : "a";
}

const char *frame_content(uint32_t type)
{
	return frame_known(type) ? frames[type].content : "message";
}

int wire_fail(struct error *err, const char *peer, const char *what,
	      const char *fmt, ...)
{
	const bool first = !error_is_set(err);
	int ret = fail(err, -EPROTO,
		       "check that both ends are the same version (--version)",
		       "the %s's %s does not fit this run", peer, what);
	va_list ap;

	va_start(ap, fmt);
	if (first)
		vsnprintf(err->detail, sizeof(err->detail), fmt, ap);
	va_end(ap);
	return ret;
}

int wire_refuse(struct error *err, const char *peer, enum frame_type type,
		const char *fmt, ...)
{
	char wrong[sizeof(err->detail)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(wrong, sizeof(wrong), fmt, ap);
	va_end(ap);
	return wire_fail(err, peer ?: "other end", frame_content(type),
			 "the %s sent %s %s %s", peer ?: "peer",
			 frame_article(type), frame_name(type), wrong);
}

uint32_t frame_limit(uint32_t type)
{
	return frame_known(type) ? frames[type].limit : 0;
}

void frame_free(struct frame *frame)
{
	free(frame->bytes);
	frame->bytes = NULL;
}

void wire_put(struct cursor *c, unsigned int bytes, uint64_t value)
{
	uint8_t raw[8];

	for (unsigned int i = 0; i < bytes; i++)
		raw[i] = (uint8_t)(value >> (8 * (bytes - 1 - i)));
	wire_put_raw(c, raw, bytes);
}

void wire_put_raw(struct cursor *c, const void *data, size_t size)
{
	if (size > c->size - c->at) {
		c->failed = true;
		return;
	}
	memcpy(c->bytes + c->at, data, size);
	c->at += size;
}

void wire_put_string(struct cursor *c, const char *text)
{
	size_t length = strlen(text);

	wire_put(c, 2, length);
	wire_put_raw(c, text, length);
}

uint64_t wire_get(struct cursor *c, unsigned int bytes)
{
	uint8_t raw[8] = { 0 };
	uint64_t value = 0;

	wire_get_raw(c, raw, bytes);
	for (unsigned int i = 0; i < bytes; i++)
		value = value << 8 | raw[i];
	return value;
}

bool wire_is_good(const struct cursor *c)
{
	return !c->failed && !c->ret;
}

void wire_get_raw(struct cursor *c, void *data, size_t size)
{
	if (c->failed || size > c->size - c->at) {
		c->failed = true;
		memset(data, 0, size);
		return;
	}
	memcpy(data, c->bytes + c->at, size);
	c->at += size;
}

void wire_get_string(struct cursor *c, char *text, size_t size)
{
	size_t length = wire_get(c, 2);

	text[0] = '\0';
	if (c->failed || length >= size) {
		c->failed = true;
		return;
	}
	wire_get_raw(c, text, length);
	text[length] = '\0';
	for (size_t i = 0; i < length; i++)
		if (text[i] < ' ' || text[i] > '~')
			text[i] = '?';
}

void wire_real(struct cursor *c, double *value)
{
	uint64_t bits;

	memcpy(&bits, value, sizeof(bits));
	WIRE(c, 8, bits);
	memcpy(value, &bits, sizeof(bits));
}

void wire_raw(struct cursor *c, void *data, size_t size)
{
	if (c->frame)
		wire_get_raw(c, data, size);
	else
		wire_put_raw(c, data, size);
}

void wire_string(struct cursor *c, char *text, size_t size)
{
	if (c->frame)
		wire_get_string(c, text, size);
	else
		wire_put_string(c, text);
}

/* Write VALUE at AT, where C has left room for it. */
static void put_at(struct cursor *c, size_t at, unsigned int bytes,
		   uint64_t value)
{
	struct cursor before = *c;

	before.at = at;
	wire_put(&before, bytes, value);
}

void wire_begin_fields(struct cursor *c, struct field_list *list)
{
	*list = (struct field_list){ .n_at = c->at };
	wire_put(c, 2, 0);
}

/* The value of the latest field, if there is one, is complete. */
static void end_field(struct cursor *c, const struct field_list *list)
{
	if (list->length_at)
		put_at(c, list->length_at, FIELD_LENGTH_BYTES,
		       c->at - list->length_at - FIELD_LENGTH_BYTES);
}

void wire_begin_field(struct cursor *c, struct field_list *list, uint16_t id,
		      bool optional, const char *name)
{
	end_field(c, list);
	list->n++;
	wire_put(c, 2, id);
	wire_put(c, 1, optional ? FIELD_OPTIONAL : 0);
	wire_put_string(c, name);
	list->length_at = c->at;
	wire_put(c, FIELD_LENGTH_BYTES, 0);
}

void wire_end_fields(struct cursor *c, const struct field_list *list)
{
	end_field(c, list);
	put_at(c, list->n_at, 2, list->n);
}

/* The bytes are fewer than what they should hold. */
static void refuse_short(struct cursor *c)
{
	if (c->failed && !c->ret)
		c->ret = wire_fail(c->err, "other end",
				   frame_content(c->frame->type),
				   "the peer sent a malformed %s of %u bytes",
				   frame_name(c->frame->type),
				   c->frame->length);
}

/* Read a field up to its value, which C skips. */
static struct field get_field(struct cursor *c)
{
	struct field field = { .id = (uint16_t)wire_get(c, 2) };
	uint64_t flags = wire_get(c, 1), length;

	wire_get_string(c, field.name, sizeof(field.name));
	length = wire_get(c, FIELD_LENGTH_BYTES);
	if (!field.name[0] || length > c->size - c->at)
		c->failed = true;
	wire_expect(c, "flags of a field", flags, 0, FIELD_OPTIONAL);
	field.optional = flags & FIELD_OPTIONAL;
	field.value = *c;
	field.value.bytes += c->at;
	field.value.size = length;
	field.value.at = 0;
	c->at += c->failed ? 0 : length;
	return field;
}

/* READ must read the whole value of FIELD, and no more of it than there is. */
static int read_field(struct field *field, field_coder *read, void *into)
{
	const struct cursor *value = &field->value;

	if (!read || !read(field, into))
		return field->optional ? 0 :
		       fail(value->err, -EPROTO,
			    "upgrade verbsperf on the end that does not know "
			    "it",
			    "the other end's %s has %s, which this version "
			    "does not know",
			    frame_content(value->frame->type), field->name);
	if (!value->ret && (value->failed || value->at != value->size))
		return wire_refuse(value->err, NULL, value->frame->type,
				   "with a value of %zu bytes for %s, which is "
				   "too %s", value->size, field->name,
				   value->failed ? "short" : "long");
	return value->ret;
}

void wire_get_fields(struct cursor *c, field_coder *read, void *into)
{
	uint16_t last = 0;

	for (uint64_t n = wire_get(c, 2); n && wire_is_good(c); n--) {
		struct field field = get_field(c);

		if (!wire_is_good(c))
			break;
		if (field.id > last)
			c->ret = read_field(&field, read, into);
		else
			c->ret = wire_refuse(c->err, NULL, c->frame->type,
					     "with field %u (%s) after field "
					     "%u: the numbers must ascend",
					     field.id, field.name, last);
		last = field.id;
	}
	refuse_short(c);
}

void wire_fields(struct cursor *c, const struct field_to_write *rows, size_t n,
		 field_coder *code, void *what)
{
	struct field_list list;

	if (c->frame) {
		wire_get_fields(c, code, what);
		return;
	}
	wire_begin_fields(c, &list);
	for (const struct field_to_write *row = rows; row < rows + n; row++) {
		struct field field = { .id = row->id };

		if (!row->present)
			continue;
		wire_begin_field(c, &list, row->id, row->optional, row->name);
		field.value = *c;
		code(&field, what);
		*c = field.value;
	}
	wire_end_fields(c, &list);
}

struct cursor wire_begin(enum frame_type type)
{
	uint8_t *bytes = xcalloc(1, WIRE_HEADER_SIZE + frame_limit(type));

	return (struct cursor){
		.bytes = bytes + WIRE_HEADER_SIZE,
		.size = frame_limit(type),
		.type = type,
	};
}

void wire_write_header(struct frame *frame)
{
	struct cursor header = {
		.bytes = frame->bytes,
		.size = WIRE_HEADER_SIZE,
	};

	wire_put(&header, 4, WIRE_MAGIC);
	wire_put(&header, 2, WIRE_PROTOCOL);
	wire_put(&header, 2, frame->type);
	wire_put(&header, 4, frame->length);
}

struct frame wire_end(const struct cursor *c)
{
	struct frame frame = {
		.type = c->type,
		.length = (uint32_t)c->at,
		.bytes = c->bytes - WIRE_HEADER_SIZE,
		.cut_off = c->failed,
	};

	wire_write_header(&frame);
	return frame;
}

struct cursor wire_open(const struct frame *frame, struct error *err)
{
	return (struct cursor){
		.bytes = frame->bytes + WIRE_HEADER_SIZE,
		.size = frame->length,
		.type = frame->type,
		.frame = frame,
		.err = err,
	};
}

int wire_close(struct cursor *c)
{
	refuse_short(c);
	if (!c->ret && c->at != c->size)
		c->ret = wire_refuse(c->err, NULL, c->frame->type,
				     "with %zu bytes too many",
				     c->size - c->at);
	return c->ret;
}

struct frame wire_encode(enum frame_type type, wire_coder *code,
			 const void *what)
{
	struct cursor c = wire_begin(type);

	if (code)
		code(&c, (void *)what);
	return wire_end(&c);
}

int wire_decode(const struct frame *frame, wire_coder *code, void *what,
		struct error *err)
{
	struct cursor c = wire_open(frame, err);

	if (code)
		code(&c, what);
	return wire_close(&c);
}

int wire_check(enum frame_type type, const char *field, uint64_t value,
	       uint64_t min, uint64_t max, struct error *err)
{
	if (value >= min && value <= max)
		return 0;
	return wire_refuse(err, NULL, type,
			   "with %s %llu: expected %llu to %llu", field,
			   (unsigned long long)value,
			   (unsigned long long)min, (unsigned long long)max);
}

void wire_expect(struct cursor *c, const char *field, uint64_t value,
		 uint64_t min, uint64_t max)
{
	if (c->frame && wire_is_good(c))
		c->ret = wire_check(c->frame->type, field, value, min, max,
				    c->err);
}

uint64_t wire_get_within(struct cursor *c, unsigned int bytes,
			 const char *field, uint64_t min, uint64_t max)
{
	const uint64_t value = wire_get(c, bytes);

	wire_expect(c, field, value, min, max);
	return c->ret ? 0 : value;
}

/* Report that PEER speaks something else: its first bytes are HEADER.  The
 * first message of perftest is its version, "6.06". */
static int no_verbsperf(const uint8_t *header, const char *peer,
			struct error *err)
{
	const char *text = (const char *)header;

	if (isdigit(header[0]) && header[1] == '.' && isdigit(header[2]) &&
	    isdigit(header[3]))
		return fail(err, -EPROTO, "use --peer perftest",
			    "the %s is not verbsperf: it is perftest %.4s",
			    peer, text);
	if (isgraph(header[0]) && isgraph(header[1]) && isgraph(header[2]) &&
	    isgraph(header[3]))
		return fail(err, -EPROTO, "check the port",
			    "the %s is not verbsperf: it sent '%.4s...'", peer,
			    text);
	return fail(err, -EPROTO, "check the port",
		    "the %s is not verbsperf: it sent bytes "
		    "0x%02x%02x%02x%02x", peer, header[0], header[1],
		    header[2], header[3]);
}

int wire_read_header(const uint8_t header[WIRE_HEADER_SIZE], uint32_t extra,
		     const char *peer, struct frame *frame, struct error *err)
{
	struct cursor c = { .bytes = (uint8_t *)header,
			    .size = WIRE_HEADER_SIZE };
	uint64_t magic = wire_get(&c, 4);
	uint64_t protocol = wire_get(&c, 2);
	uint64_t type = wire_get(&c, 2);
	uint64_t length = wire_get(&c, 4);

	if (magic != WIRE_MAGIC)
		return no_verbsperf(header, peer, err);
	if (protocol != WIRE_PROTOCOL)
		return fail(err, -EPROTO, NULL,
			    "the %s speaks protocol %u, this end speaks %u; "
			    "upgrade verbsperf on %s", peer,
			    (unsigned int)protocol, WIRE_PROTOCOL,
			    protocol < WIRE_PROTOCOL ? "that end" : "this end");
	if (!frame_known((uint32_t)type))
		return wire_fail(err, peer, "message",
				 "the %s sent a frame of unknown type %u", peer,
				 (unsigned int)type);
	if (length > frame_limit((uint32_t)type) + extra)
		return wire_refuse(err, peer, (enum frame_type)type,
				   "of %u bytes: at most %u are allowed",
				   (unsigned int)length,
				   frame_limit((uint32_t)type) + extra);
	frame->type = (enum frame_type)type;
	frame->length = (uint32_t)length;
	return 0;
}
