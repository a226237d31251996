/* Encrypts and decrypts frames with libsodium's secretstream. */
#include "config.h"
#include "net/seal.h"

#include <errno.h>
#include <sodium.h>
#include <stdlib.h>

#include "base/xalloc.h"

#define TAG crypto_secretstream_xchacha20poly1305_TAG_MESSAGE

#define AS_IN_LIBSODIUM(size, name) \
	_Static_assert((size) == crypto_secretstream_xchacha20poly1305_##name, \
		       #name)

AS_IN_LIBSODIUM(SEAL_SIZE, ABYTES);
AS_IN_LIBSODIUM(AUTH_STREAM_SIZE, HEADERBYTES);
AS_IN_LIBSODIUM(AUTH_KEY_SIZE, KEYBYTES);

struct seal {
	crypto_secretstream_xchacha20poly1305_state stream;
	bool broken;		/* a frame did not open */
};

struct seal *seal_outgoing(const struct auth_key *key,
			   uint8_t stream[AUTH_STREAM_SIZE])
{
	struct seal *seal = xcalloc(1, sizeof(*seal));

	crypto_secretstream_xchacha20poly1305_init_push(&seal->stream, stream,
							key->bytes);
	return seal;
}

struct seal *seal_incoming(const struct auth_key *key,
			   const uint8_t stream[AUTH_STREAM_SIZE])
{
	struct seal *seal = xcalloc(1, sizeof(*seal));

	seal->broken = crypto_secretstream_xchacha20poly1305_init_pull(
			       &seal->stream, stream, key->bytes) != 0;
	return seal;
}

void seal_free(struct seal *seal)
{
	if (!seal)
		return;
	sodium_memzero(seal, sizeof(*seal));
	free(seal);
}

/* A frame of TYPE with its header and room for LENGTH bytes. */
static struct frame new_frame(enum frame_type type, uint32_t length)
{
	struct frame frame = {
		.type = type,
		.length = length,
		.bytes = xcalloc(1, WIRE_HEADER_SIZE + length),
	};

	wire_write_header(&frame);
	return frame;
}

void seal_frame(struct seal *seal, const struct frame *frame,
		struct frame *sealed)
{
	*sealed = new_frame(frame->type, frame->length + SEAL_SIZE);
	crypto_secretstream_xchacha20poly1305_push(
		&seal->stream, sealed->bytes + WIRE_HEADER_SIZE, NULL,
		frame->bytes + WIRE_HEADER_SIZE, frame->length, sealed->bytes,
		WIRE_HEADER_SIZE, TAG);
}

static int tampered(struct seal *seal, const char *peer, struct error *err)
{
	/* otherwise a dropped frame could still be delivered later */
	seal->broken = true;
	return fail(err, -EPROTO,
		    "look for a proxy or an attacker between both ends",
		    "a frame from the %s was changed on its way, or the "
		    "connection was taken over", peer);
}

int seal_read_header(struct seal *seal,
		     const uint8_t header[WIRE_HEADER_SIZE], const char *peer,
		     struct frame *frame, struct error *err)
{
	struct error doubtful = { 0 };
	struct frame f;

	if (!seal)
		return wire_read_header(header, 0, peer, frame, err);
	/* do not blame PEER's program for a header someone else wrote */
	if (wire_read_header(header, SEAL_SIZE, peer, &f, &doubtful) ||
	    f.length < SEAL_SIZE)
		return tampered(seal, peer, err);
	frame->type = f.type;
	frame->length = f.length;
	return 0;
}

/* Decrypt SEALED as the next message of SEAL's stream into PLAIN. */
static bool pull(struct seal *seal, const struct frame *sealed,
		 struct frame *plain)
{
	unsigned char tag;

	return !crypto_secretstream_xchacha20poly1305_pull(
		       &seal->stream, plain->bytes + WIRE_HEADER_SIZE, NULL,
		       &tag, sealed->bytes + WIRE_HEADER_SIZE, sealed->length,
		       sealed->bytes, WIRE_HEADER_SIZE) &&
	       tag == TAG;
}

int seal_open(struct seal *seal, const char *peer, struct frame *frame,
	      struct error *err)
{
	struct frame plain;

	if (!seal)
		return 0;
	if (seal->broken || frame->length < SEAL_SIZE)
		return tampered(seal, peer, err);
	plain = new_frame(frame->type, frame->length - SEAL_SIZE);
	if (!pull(seal, frame, &plain)) {
		frame_free(&plain);
		return tampered(seal, peer, err);
	}
	frame_free(frame);
	*frame = plain;
	return 0;
}
