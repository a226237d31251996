/* Inline receive: whether the device puts a short message into its completion,
 * which the driver then copies to the receive's memory. */
#ifndef MODEL_INLINE_RECEIVE_H
#define MODEL_INLINE_RECEIVE_H

/* --inline-recv: off, or messages of up to so many bytes. */
enum inline_receive {
	INLINE_RECEIVE_AUTO,	/* as the driver does it */
	INLINE_RECEIVE_OFF,
	INLINE_RECEIVE_32,
	INLINE_RECEIVE_64,
	INLINE_RECEIVES,
};

#define INLINE_RECEIVE_WORDS "auto|off|32|64"

#endif
