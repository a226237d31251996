/*
 * Frames of the TCP dialogue as bytes (net/frames.h has their contents).
 *
 *	offset  bytes  field
 *	0       4      magic: "vbsp"
 *	4       2      protocol version
 *	6       2      type (FRAME_LIST)
 *	8       4      length of what follows, at most the type's limit and,
 *		       if it is sealed (net/seal.h), 17 bytes
 *	12      ...    payload
 *
 * The first eight bytes never change in any version, so that two versions can
 * tell each other who must upgrade.  Integers are unsigned and big-endian; a
 * real is the eight bytes of an IEEE 754 double, as such an integer; a string
 * is u16 length and that many bytes of printable ASCII, with no final zero.
 *
 * Nothing here does input or output.  Reading past the end of a payload gives
 * zeros and marks the cursor as failed, so that a decoder checks once.
 */
#ifndef NET_WIRE_H
#define NET_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define WIRE_MAGIC 0x76627370U
#define WIRE_PROTOCOL 5
#define WIRE_HEADER_SIZE 12

/* X(name, type, most bytes of payload) */
#define FRAME_LIST(X) \
	X(HELLO, 1, 256) \
	X(REFUSE, 2, 1024) \
	X(PLAN, 3, 8192) \
	X(ACCEPT, 4, 8192) \
	X(ENDPOINT, 5, 256 + 16384 * 12) \
	X(READY, 6, 17 * 4) \
	X(START, 7, 8) \
	X(DONE, 8, 1 << 20) \
	X(BYE, 9, 0) \
	X(ABORT, 10, 1024) \
	X(ALIVE, 11, 0) \
	X(SENT, 12, 4 + 64 * 8) \
	X(WAIT, 13, 4) \
	X(AUTH, 14, 56) \
	X(REACHED, 15, 16) \
	X(AGAIN, 16, 0)

enum frame_type {
#define X(name, type, limit) FRAME_##name = type,
	FRAME_LIST(X)
#undef X
};

/* A frame in memory: header and payload, on the heap. */
struct frame {
	enum frame_type type;
	uint32_t length;	/* of the payload */
	uint8_t *bytes;		/* header and payload */
};

/* "PLAN"; "frame 99" for a type nobody knows. */
const char *frame_name(uint32_t type);

/* "a", or "an", to go before that name. */
const char *frame_article(uint32_t type);

/* Most bytes of payload of TYPE; 0 as well for an unknown one. */
uint32_t frame_limit(uint32_t type);

/* Release what FRAME holds. */
void frame_free(struct frame *frame);

/*
 * Read a header.  Returns 0, with frame->type and frame->length, or -EPROTO
 * with what is wrong in ERR: not this program, another protocol version (and
 * which end must upgrade: PEER is "client" or "server"), an unknown type, a
 * length above the type's limit and the EXTRA bytes of a seal (net/seal.h;
 * 0: not sealed).
 */
int wire_read_header(const uint8_t header[WIRE_HEADER_SIZE], uint32_t extra,
		     const char *peer, struct frame *frame, struct error *err);

/* The header of FRAME, from its type and length, into its first bytes. */
void wire_write_header(struct frame *frame);

/* A place in a payload. */
struct cursor {
	uint8_t *bytes;
	size_t size;
	size_t at;
	bool failed;
};

/* Allocate FRAME for a payload of up to its type's limit, to be written. */
struct cursor wire_begin(struct frame *frame, enum frame_type type);

/* Note the length and write the header.  What did not fit is missing: the
 * tests hold that the largest of each type fits. */
void wire_end(struct frame *frame, const struct cursor *c);

void wire_put(struct cursor *c, unsigned int bytes, uint64_t value);
void wire_put_real(struct cursor *c, double value);
void wire_put_raw(struct cursor *c, const void *data, size_t size);
void wire_put_string(struct cursor *c, const char *text);

/* A cursor at the start of FRAME's payload. */
struct cursor wire_open(const struct frame *frame);

uint64_t wire_get(struct cursor *c, unsigned int bytes);
double wire_get_real(struct cursor *c);
void wire_get_raw(struct cursor *c, void *data, size_t size);

/* A string into TEXT of SIZE bytes, zero-terminated.  One that does not fit
 * fails; what is not printable ASCII becomes '?'. */
void wire_get_string(struct cursor *c, char *text, size_t size);

/*
 * One FIELD of a peer's FRAME against its range.  Returns 0, or -EPROTO with
 * the field, the VALUE and what is allowed in ERR.
 */
int wire_check(const struct frame *frame, const char *field, uint64_t value,
	       uint64_t min, uint64_t max, struct error *err);

/*
 * The end of a decoder: 0 if all was there and nothing is left over, else
 * -EPROTO with FRAME's type in ERR.
 */
int wire_close(const struct cursor *c, const struct frame *frame,
	       struct error *err);

#endif
