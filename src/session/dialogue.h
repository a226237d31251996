/*
 * One run over one connection, from HELLO to BYE, at either end:
 *
 *	client                                          server
 *	HELLO     version, hostname, nonce  ->  <-      HELLO, or REFUSE
 *	AUTH      proof of the key          ->  <-      AUTH, or REFUSE
 *	          ... only when both ends have a key; an end seals what it
 *	          sends after its AUTH (seal.h)
 *	PLAN      test, parameters, port    ->  <-      WAIT clients before, until
 *	ALIVE     to each WAIT              ->		its turn comes
 *						ACCEPT port, or REFUSE
 *	          both ends: memory, queues, QPs in INIT; ALIVE from
 *	          an end that works longer than a second
 *	ENDPOINT  path, MR, QPs             ->  <-      ENDPOINT
 *	          both ends: receives posted, RTR, RTS; ALIVE likewise
 *	READY     attributes of a QP        ->  <-      READY
 *	          over UC and UD, to an end that will be sent to: a packet
 *	          of random bytes, to the GID and the QP that it named
 *	REACHED   these bytes, or AGAIN     ->  <-      REACHED, or AGAIN
 *						(reach.h)
 *	START     size                      ->  <-      START
 *	          traffic; ALIVE from both, once a second
 *	SENT      messages, when all is out ->  <-      SENT, of who sends
 *	DONE      counts, times, histogram  ->  <-      DONE
 *	          ... next size, from START; over UC and UD, with a count of
 *	          messages, each is warmed up in such a round before ...
 *	BYE                                 ->  <-      BYE
 *	ABORT     why: either way, at any time
 *
 * A PLAN that only wants both ends to be checked is followed by ACCEPT and BYE.
 *
 * The client decides: the server brings only its device, port and limits.
 */
#ifndef SESSION_DIALOGUE_H
#define SESSION_DIALOGUE_H

#include "net/frames.h"
#include "run/run.h"

struct handshake;

struct session {
	struct run run;
	bool accepted;		/* the server said ACCEPT: errors are ABORT */
	bool over;		/* nothing is left to be done */
	int refusal;		/* at a server that was only to check: what an
				 * ordinary run would fail with */
	bool connecting;	/* or done so: each end may fail by itself */
	struct handshake *handshake;	/* until both know each other */
	uint32_t place;		/* enum turn (net/turn.h): in the queue */
	uint32_t best_place;	/* that a client was told so far */
};

/* A step of the dialogue.  Returns 0 or a negative errno, said in the result's
 * error; so do all functions below that return int. */
typedef int session_step(struct session *s);

/* What the next steps are, for an error they meet. */
void session_stage(struct session *s, const char *stage);

/* Send FRAME and free it. */
int session_send(struct session *s, struct frame *frame);

/*
 * Receive a frame of TYPE; REFUSE, ABORT and anything else are errors.  A peer
 * that gives signs of life while it works for that frame, or lets a client wait
 * for its turn, has longer than one that is silent, but not for ever.
 */
int session_expect(struct session *s, enum frame_type type,
		   struct frame *frame);

/* Take STEP, of verbs calls that may last, while the peer gets signs of life.
 * Nothing else is sent meanwhile. */
int session_work(struct session *s, session_step *step);

/* FRAME is not one of type WANTED: REFUSE and ABORT are the peer's error, of
 * anything else it is one to have sent it.  Returns a negative errno. */
int session_unexpected(struct session *s, const struct frame *frame,
		       enum frame_type wanted);

/* Send a frame of TYPE that carries nothing, or receive one. */
int session_say(struct session *s, enum frame_type type);
int session_hear(struct session *s, enum frame_type type);

#endif
