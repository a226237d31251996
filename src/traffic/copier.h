/*
 * Messages in memory that the host cannot read and write, such as a GPU's.  The
 * host's addresses of that memory are only given to these functions, never
 * dereferenced.
 */
#pragma once

#include <stdint.h>

#include "traffic/flow.h"

struct copier {
	void *memory;		/* first argument of both */
	const char *verb;	/* what copies, for messages */
	/* Copy N bytes to or from that memory; they are there on return.  0 or
	 * a negative errno. */
	int (*in)(void *memory, uint8_t *to, const void *from, uint64_t n);
	int (*out)(void *memory, void *to, const uint8_t *from, uint64_t n);
};

/*
 * Write the N bytes at FROM to the address TO of F's memory, or read them: by a
 * copy or, without a copier, directly.  Returns 0 or a negative errno, noted in
 * F.
 */
int copier_put(struct flow *f, uint8_t *to, const void *from, uint64_t n);
int copier_get(struct flow *f, void *to, const uint8_t *from, uint64_t n);

/* Like copier_put() and copier_get(), for a message that lies as G says at
 * PLACE: SIZE bytes from its byte OFFSET on, or all of them. */
int copier_get_entries(struct flow *f, const struct gather *g,
		       const uint8_t *place, uint64_t offset, uint8_t *to,
		       uint64_t size);
int copier_put_entries(struct flow *f, const struct gather *g,
		       uint8_t *place, const uint8_t *from);

/* For the ends of a ping-pong with a copier or several entries: write COUNT to
 * the last byte of the next message if the other end reads it, and post R on Q.
 * Returns 0 or what the verb returned. */
int copier_post(struct flow *f, struct flow_qp *q, struct flow_request *r,
		uint8_t count);

/* Read the byte at FLAG into *VALUE.  Returns 0 or a negative errno. */
int copier_flag(struct flow *f, const volatile uint8_t *flag, uint8_t *value);
