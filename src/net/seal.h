/*
 * Seals the frames that an end with a key sends after its proof.  Nobody
 * without the key can read them, or change, add, drop, repeat or reorder them
 * unnoticed.  Each direction of a connection is one stream of libsodium's
 * crypto_secretstream_xchacha20poly1305, with a key of its own
 * (auth_seal_key()); AUTH carries the stream's header of 24 bytes.
 *
 * A sealed frame has the header of wire.h in the clear, so that its type and
 * length are checked before anything is allocated.  The length is that of the
 * ciphertext, SEAL_SIZE bytes more than the payload, and so is its limit.  The
 * ciphertext is the stream's next message: the payload, with these 12 bytes of
 * header as additional data and the tag 0 (MESSAGE).
 *
 * Does no input or output.  Call auth_init() first.
 */
#pragma once

#include "base/error.h"
#include "net/auth.h"
#include "net/frames.h"
#include "net/wire.h"

/* Bytes that sealing adds to a payload. */
#define SEAL_SIZE 17

/* One direction of a connection, at one of its ends. */
struct seal;

/* For frames this end sends: the peer needs STREAM to open them.  Call
 * seal_free(). */
struct seal *seal_outgoing(const struct auth_key *key,
			   uint8_t stream[AUTH_STREAM_SIZE]);

/* For frames the peer sends, with the STREAM from its AUTH.  Call
 * seal_free(). */
struct seal *seal_incoming(const struct auth_key *key,
			   const uint8_t stream[AUTH_STREAM_SIZE]);

/* Overwrite and release SEAL; NULL is fine. */
void seal_free(struct seal *seal);

/* Seal FRAME into SEALED; the caller calls frame_free().  Every sealed frame
 * must be sent, in the order of sealing. */
void seal_frame(struct seal *seal, const struct frame *frame,
		struct frame *sealed);

/* Like wire_read_header(), for a sealed frame or, when SEAL is NULL, for one in
 * the clear.  Only seal_open() authenticates the header.  Returns 0 or
 * -EPROTO. */
int seal_read_header(struct seal *seal,
		     const uint8_t header[WIRE_HEADER_SIZE], const char *peer,
		     struct frame *frame, struct error *err);

/*
 * Replace the ciphertext in FRAME, received from PEER, with its plaintext; does
 * nothing when SEAL is NULL.  Returns 0, or -EPROTO when PEER did not send this
 * frame, or not as the next one; then FRAME is unchanged and no later frame
 * opens.
 */
int seal_open(struct seal *seal, const char *peer, struct frame *frame,
	      struct error *err);
