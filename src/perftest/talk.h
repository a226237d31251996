/* One end of perftest's exchange, over the connection of a session. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "perftest/message.h"
#include "session/dialogue.h"

/* What a session keeps of it (session.talk). */
struct talk {
	struct version version;	/* the peer's */
	char name[32];		/* "perftest 6.06" */
	bool global;		/* keys have GIDs */
	uint8_t first_key[KEY_SIZE_GID];	/* the client's, until it is
						 * its turn in the exchange; or
						 * what came of a later key */
	size_t first_key_size;	/* 0: not come, or taken */
	uint64_t most;		/* ns that an answer may take; 0: the
				 * timeout */
	uint32_t page;		/* the larger of both ends' */
	uint32_t reads;		/* that this end says it can answer */
	bool knows_peer;	/* its queue pairs have come */
	bool has_sixth;		/* its reports have a sixth value */
	bool reported;		/* a report was the last that was swapped */
	bool closing;		/* all is measured and reported */
	bool left;		/* it ended then, for want of another value */
	struct report mine, theirs;	/* of the last size */
};

static inline struct talk *talk_of(const struct session *s)
{
	return s->talk;
}

/*
 * One ping-pong: send OUT and receive IN, both of SIZE bytes, the client first.
 * WHAT they are is for messages.  The peer has the timeout and MORE ns.
 * Returns 0 or a negative errno, set in the result's error, like all functions
 * here.
 */
int talk_swap(struct session *s, const char *what, uint64_t more,
	      const uint8_t *out, uint8_t *in, size_t size);

/* Half of one, until DEADLINE (base/time.h). */
int talk_send(struct session *s, const char *what, const uint8_t *bytes,
	      size_t size, uint64_t deadline);
int talk_receive(struct session *s, const char *what, uint8_t *bytes,
		 size_t size, uint64_t deadline);

/* Receive the beginning of a key of SIZE bytes, or all of it: *GOT bytes. */
int talk_receive_key_start(struct session *s, uint8_t *bytes, size_t size,
			   uint64_t deadline, size_t *got);

/* Keep SIZE bytes of a key, which the next one to be received begins with. */
void talk_keep(struct talk *t, const uint8_t *bytes, size_t size);

/* The point in time until which the peer, which has MORE ns, may take for a
 * message. */
uint64_t talk_deadline(const struct session *s, uint64_t more);

/* Receive the client's first key, in its time and MORE ns, and keep it for the
 * exchange of keys. */
int talk_await_key(struct session *s, uint64_t more);

/* Receive one message of SETTINGS_SIZE bytes or the shorter size, *SIZE. */
int talk_receive_settings(struct session *s, uint8_t *bytes, size_t *size);

/* The peer's message, WHAT, cannot be read. */
int talk_refuse(struct session *s, const char *what);

/* Do the steps of LETTERS (schedule.h), with a peer that has MORE ns. */
int talk_follow(struct session *s, const char *letters, uint64_t more);

/* Wait a second at most for the peer to close the connection: perftest before
 * 6.17 sends a last message that nobody reads. */
void talk_end(struct session *s);
