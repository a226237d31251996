/*
 * The byte format of the TCP dialogue's frames (contents: net/frames.h).
 *
 *	offset  bytes  field
 *	0       4      magic: "vbsp"
 *	4       2      protocol version
 *	6       2      type (FRAME_LIST)
 *	8       4      length of the payload, at most the type's limit plus,
 *		       if it is sealed (net/seal.h), 17 bytes
 *	12      ...    payload
 *
 * The first eight bytes never change in any version, so that two versions can
 * tell each other who must upgrade.  Integers are unsigned and big-endian; a
 * real is the eight bytes of an IEEE 754 double, as such an integer; a string
 * is u16 length and that many bytes of printable ASCII, with no final zero.
 *
 * Frames grow by lists of fields, without another protocol version:
 *
 *	u16 n, n x { u16 id, u8 flags, string name, u32 length, bytes }
 *
 * The ids ascend and begin at 1; a name has 1 to 63 bytes.  Flag 1 marks a
 * field as optional, the other flags are 0.  A reader skips an optional field
 * whose id it does not know, and refuses any other such field by its name.  A
 * field that is left out has its default.
 *
 * Does no input or output.  A cursor remembers the first failure, so that a
 * decoder checks only once, with wire_close(): reading past the end of a
 * payload yields zeros, a number that is out of its range reads as 0, and after
 * either nothing more is checked.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define WIRE_MAGIC 0x76627370U
#define WIRE_PROTOCOL 7
#define WIRE_HEADER_SIZE 12

/* X(name, type, largest payload in bytes, what it carries in a user's words) */
#define FRAME_LIST(X) \
	X(HELLO, 1, 256, "greeting") \
	X(REFUSE, 2, 1024, "message") \
	X(PLAN, 3, 16384, "test") \
	X(ACCEPT, 4, 16384, "description of its port") \
	X(ENDPOINT, 5, 4096 + 16384 * 12, "description of its queue pairs") \
	X(READY, 6, 17 * 4, "report of its queue pair") \
	X(START, 7, 8, "message size") \
	X(DONE, 8, 1 << 20, "result") \
	X(BYE, 9, 0, "message") \
	X(ABORT, 10, 1024, "message") \
	X(ALIVE, 11, 0, "message") \
	X(SENT, 12, 4 + 64 * 8, "count of messages") \
	X(WAIT, 13, 4, "place in the queue") \
	X(AUTH, 14, 56, "proof of the key") \
	X(REACHED, 15, 16, "proof of its address") \
	X(AGAIN, 16, 0, "message")

enum frame_type {
#define X(name, type, ...) FRAME_##name = type,
	FRAME_LIST(X)
#undef X
};

/* A frame in memory: header and payload, on the heap. */
struct frame {
	enum frame_type type;
	uint32_t length;	/* of the payload */
	uint8_t *bytes;		/* header and payload */
	bool cut_off;		/* not all fitted in: it must not be sent */
};

/* "PLAN"; "frame 99" for an unknown type. */
const char *frame_name(uint32_t type);

/* What a frame of TYPE carries, in a user's words: "result". */
const char *frame_content(uint32_t type);

/*
 * Report that WHAT, which PEER sent, does not fit the run: "the server's result
 * does not fit this run".  FMT says what is wrong with it, which only --verbose
 * shows.  Returns -EPROTO.
 */
int wire_fail(struct error *err, const char *peer, const char *what,
	      const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Like wire_fail(), for a frame of TYPE; FMT follows "the server sent a DONE".
 * PEER is NULL where it is not known. */
int wire_refuse(struct error *err, const char *peer, enum frame_type type,
		const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Largest payload of TYPE in bytes; 0 for an unknown type. */
uint32_t frame_limit(uint32_t type);

void frame_free(struct frame *frame);

/*
 * Read a header.  EXTRA is the number of bytes a seal adds (net/seal.h), 0 for
 * an unsealed frame; PEER is "client" or "server".  Returns 0 with frame->type
 * and frame->length, or -EPROTO with the reason in ERR: another program,
 * another protocol version (and which end must upgrade), an unknown type, or a
 * length above the type's limit plus EXTRA.
 */
int wire_read_header(const uint8_t header[WIRE_HEADER_SIZE], uint32_t extra,
		     const char *peer, struct frame *frame, struct error *err);

/* Write the header of FRAME, from its type and length, into frame->bytes. */
void wire_write_header(struct frame *frame);

struct cursor {
	uint8_t *bytes;
	size_t size;
	size_t at;
	bool failed;		/* read or wrote past the end */
	enum frame_type type;
	const struct frame *frame;	/* that it reads; NULL: it writes */
	struct error *err;	/* of one that reads */
	int ret;		/* 0, or what was read was refused, as in ERR */
};

/* Allocate room for a frame with the largest payload of TYPE, to be written. */
struct cursor wire_begin(enum frame_type type);

/* The frame that C has written, with its header.  The tests check that the
 * largest frame of each type fits; oob_send() refuses one in which bytes are
 * missing. */
struct frame wire_end(const struct cursor *c);

void wire_put(struct cursor *c, unsigned int bytes, uint64_t value);
void wire_put_raw(struct cursor *c, const void *data, size_t size);
void wire_put_string(struct cursor *c, const char *text);

/* A cursor at the start of FRAME's payload, which refuses into ERR. */
struct cursor wire_open(const struct frame *frame, struct error *err);

/* Neither past the end nor refused. */
bool wire_is_good(const struct cursor *c);

uint64_t wire_get(struct cursor *c, unsigned int bytes);

/* Read a number that wire_expect() checks; 0 if it is refused. */
uint64_t wire_get_within(struct cursor *c, unsigned int bytes,
			 const char *field, uint64_t min, uint64_t max);
void wire_get_raw(struct cursor *c, void *data, size_t size);

/* Read a string into TEXT of SIZE bytes, zero-terminated.  A string that does
 * not fit fails the cursor; bytes that are not printable ASCII become '?'. */
void wire_get_string(struct cursor *c, char *text, size_t size);

/* A list of fields being written. */
struct field_list {
	size_t n_at;		/* where the number of fields goes */
	size_t length_at;	/* where the length of the latest one goes; 0:
				 * none yet */
	uint32_t n;
};

/*
 * Write a list of fields: begin it; for each field begin it and put its value;
 * end the list.  The caller gives the fields in ascending order of ID.
 */
void wire_begin_fields(struct cursor *c, struct field_list *list);
void wire_begin_field(struct cursor *c, struct field_list *list, uint16_t id,
		      bool optional, const char *name);
void wire_end_fields(struct cursor *c, const struct field_list *list);

/*
 * What a frame is made of is said once, in a function that writes it or reads
 * it, whichever its cursor C does.  It calls these, and what refuses below,
 * which is for what is read only.
 */

/* A number; VALUE is a variable or a member, of any type. */
#define WIRE(c, bytes, value) \
	((c)->frame ? (void)((value) = (__typeof__(value))wire_get( \
				     c, bytes)) : \
		      wire_put(c, bytes, value))

/* One that wire_expect() checks; 0 if it is refused. */
#define WIRE_WITHIN(c, bytes, value, field, min, max) \
	((c)->frame ? (void)((value) = (__typeof__(value))wire_get_within( \
				     c, bytes, field, min, max)) : \
		      wire_put(c, bytes, value))

/* A member of S, and an array of bytes or of characters. */
#define WIRE_MEMBER(bytes, name) WIRE(c, bytes, s->name);
#define WIRE_RAW(c, array) wire_raw(c, array, sizeof(array))
#define WIRE_STRING(c, array) wire_string(c, array, sizeof(array))

void wire_real(struct cursor *c, double *value);
void wire_raw(struct cursor *c, void *data, size_t size);
void wire_string(struct cursor *c, char *text, size_t size);

/* Writes WHAT, or reads it, as C does. */
typedef void wire_coder(struct cursor *c, void *what);

/* The frame of TYPE that CODE makes of WHAT; NULL: an empty one. */
struct frame wire_encode(enum frame_type type, wire_coder *code,
			 const void *what);

/* Read FRAME into WHAT.  Returns as wire_close(). */
int wire_decode(const struct frame *frame, wire_coder *code, void *what,
		struct error *err);

#define FIELD_NAME_SIZE 64

/* A field that was read. */
struct field {
	uint16_t id;
	bool optional;		/* a reader may skip it */
	char name[FIELD_NAME_SIZE];
	struct cursor value;
};

/* Reads the value of FIELD into INTO, or writes it, as its cursor does.
 * Returns false when it does not know the id. */
typedef bool field_coder(struct field *field, void *into);

/*
 * Read a list of fields and give each to READ with INTO; READ may be NULL,
 * which knows no field.  Refused are a malformed list, ids that do not ascend,
 * a value that READ refuses or did not read to its end, and an unknown field
 * that is not optional.
 */
void wire_get_fields(struct cursor *c, field_coder *read, void *into);

/* A field that may be written. */
struct field_to_write {
	uint16_t id;
	bool present;
	bool optional;
	const char *name;
};

/* Read a list of fields, or write those of N ROWS, in ascending order of their
 * ids, that are present. */
void wire_fields(struct cursor *c, const struct field_to_write *rows, size_t n,
		 field_coder *code, void *what);

/*
 * X(id, name, optional, present, code, ...): the fields of something, in the
 * order of their ids, which begin with 1.  PRESENT: there is one to be written;
 * CODE writes or reads it.  Of a LIST of them are made the ids, the cases of a
 * field_coder, and the rows for wire_fields().
 */
#define WIRE_FIELD_ID(id, ...) FIELD_##id,
#define WIRE_FIELD_IDS(LIST) enum { FIELD_NONE, LIST(WIRE_FIELD_ID) }
#define WIRE_FIELD_CASE(id, name, optional, present, code, ...) \
	case FIELD_##id: \
		code; \
		return true;
#define WIRE_FIELD_ROW(id, name, optional, present, ...) \
	{ FIELD_##id, present, optional, name },

/* Check a FIELD of a frame of TYPE against its range.  Returns 0, or -EPROTO
 * with the field, the VALUE and the allowed range in ERR. */
int wire_check(enum frame_type type, const char *field, uint64_t value,
	       uint64_t min, uint64_t max, struct error *err);

/* The same for what C has read, unless it has failed before; nothing for what
 * it writes. */
void wire_expect(struct cursor *c, const char *field, uint64_t value,
		 uint64_t min, uint64_t max);

/* End a decoder.  Returns 0 if nothing was refused, the payload was complete
 * and nothing is left over, else -EPROTO with the reason in ERR. */
int wire_close(struct cursor *c);
