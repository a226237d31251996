/*
 * The seal on what an end that has the key sends after its proof: nobody
 * without the key can read it, change it, or add, drop, repeat or reorder
 * frames without being noticed.  Each direction of a connection is one stream
 * of libsodium's crypto_secretstream_xchacha20poly1305, with a key of its own
 * (auth_seal_key()); the stream's header of 24 bytes is in AUTH.
 *
 * A sealed frame has the header of wire.h in the clear, so that its type and
 * length are checked before anything is allocated.  Length is that of the
 * ciphertext, SEAL_SIZE bytes more than the payload and its limit.  The
 * ciphertext is the stream's next message: the payload, with these 12 bytes of
 * header as additional data and the tag 0 (MESSAGE).
 *
 * No input or output here.  auth_init() comes before.
 */
#ifndef NET_SEAL_H
#define NET_SEAL_H

#include "base/error.h"
#include "net/auth.h"
#include "net/frames.h"
#include "net/wire.h"

/* How much longer a seal makes a payload. */
#define SEAL_SIZE 17

/* One direction of a connection, at one of its ends. */
struct seal;

/* For what this end sends: STREAM becomes what the other needs to open it.
 * seal_free() it. */
struct seal *seal_outgoing(const struct auth_key *key,
			   uint8_t stream[AUTH_STREAM_SIZE]);

/* For what the other end sends, whose AUTH had STREAM.  seal_free() it. */
struct seal *seal_incoming(const struct auth_key *key,
			   const uint8_t stream[AUTH_STREAM_SIZE]);

/* Overwrite and release SEAL; NULL is fine. */
void seal_free(struct seal *seal);

/* SEALED becomes what FRAME is on its way; frame_free() it.  All that was
 * sealed must be sent, in the same order. */
void seal_frame(struct seal *seal, const struct frame *frame,
		struct frame *sealed);

/*
 * wire_read_header() for the header of a sealed frame, or of one in the clear
 * when SEAL is NULL.  The header is not proven before seal_open().  Returns 0
 * or -EPROTO.
 */
int seal_read_header(struct seal *seal,
		     const uint8_t header[WIRE_HEADER_SIZE], const char *peer,
		     struct frame *frame, struct error *err);

/*
 * FRAME, which came from PEER as it is, becomes what PEER sealed; as it is
 * when SEAL is NULL.  Returns 0, or -EPROTO for one that PEER did not send, or
 * not next; FRAME is unchanged then, and nothing that follows opens.
 */
int seal_open(struct seal *seal, const char *peer, struct frame *frame,
	      struct error *err);

#endif
