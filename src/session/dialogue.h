/*
 * One run over one connection, from HELLO to BYE, at either end:
 *
 *	client                                          server
 *	HELLO     version, hostname, nonce  ->  <-      HELLO, or REFUSE
 *	AUTH      proof of the key          ->  <-      AUTH, or REFUSE
 *	          ... only when both ends have a key; an end seals what it
 *	          sends after its AUTH (seal.h)
 *	PLAN      test, parameters, port    ->  <-      WAIT clients ahead,
 *	ALIVE     to each WAIT              ->		until its turn
 *						ACCEPT port, or REFUSE
 *	          both ends: memory, queues, QPs in INIT; ALIVE from
 *	          an end that works longer than a second
 *	ENDPOINT  path, MR, QPs             ->  <-      ENDPOINT
 *	          both ends: receives posted, RTR, RTS; ALIVE likewise
 *	          with --rdma-cm the client's connection manager asks the
 *	          server's for each QP, which it answers until READY comes
 *	          (manager.h)
 *	READY     attributes of a QP        ->  <-      READY
 *	          over UC and UD, to an end that will be sent messages: a
 *	          packet of random bytes, to the GID and the QP it named
 *	REACHED   these bytes, or AGAIN     ->  <-      REACHED, or AGAIN
 *						(reach.c)
 *	START     size                      ->  <-      START
 *	          with --hold the client's second one opens the window
 *	          traffic; ALIVE from both, once a second
 *	SENT      messages, from a sender   ->  <-      SENT, from a sender
 *	DONE      counts, times, histogram  ->  <-      DONE
 *	          ... next size, from START; over UC and UD, with a count of
 *	          messages, a warm-up round precedes each size ...
 *	BYE                                 ->  <-      BYE
 *	ABORT     why: either way, at any time
 *
 * In the test connect what follows ACCEPT is described in net/frames.h.
 *
 * ACCEPT and BYE follow a PLAN that only checks both ends.
 *
 * The client decides; the server contributes only its device, port and quota.
 */
#pragma once

#include "net/frames.h"
#include "run/run.h"

struct acceptor;
struct handshake;
struct manager;

struct session;

/* A step of a dialogue.  Returns 0 or a negative errno, set in the result's
 * error, like every function below that returns int. */
typedef int session_step(struct session *s);

/* How one end talks to the other.  Nothing else of a session, and nothing of
 * the traffic, depends on it. */
struct dialogue {
	session_step *const *steps;	/* in order, up to a NULL */
	/* wait until the peer wants to begin SIZE; NULL: this end does */
	int (*await)(struct session *s, uint64_t size);
	/* both ends are ready for messages of SIZE bytes: begin together */
	int (*start)(struct session *s, uint64_t size);
	/* the traffic is over: tell MINE, and learn THEIRS, which is zero.  The
	 * caller calls done_free(), and free(3) on theirs->latency */
	int (*swap)(struct session *s, struct done *mine, struct done *theirs);
	/* this end failed, with the result's error: tell the peer.  NULL: there
	 * are no words for it, and the connection is closed soon */
	void (*give_up)(struct session *s);
};

struct session {
	struct run run;
	const struct dialogue *dialogue;
	session_step *const *next;	/* the step to do next */
	void *talk;		/* what the dialogue keeps, on the heap */
	bool accepted;		/* the server sent ACCEPT: errors use ABORT */
	bool over;		/* no steps are left */
	bool unused;		/* the client left before it sent a byte */
	int refusal;		/* at a server that only checks: the error with
				 * which it would refuse an ordinary run */
	bool connecting;	/* queue pairs are being connected, or are: from
				 * now on each end may fail by itself */
	struct handshake *handshake;	/* until both ends have proved the
					 * key */
	struct manager *manager;	/* --rdma-cm; else NULL */
	struct acceptor *acceptor;	/* the server of connect --rdma-cm;
					 * else NULL */
	uint32_t place;		/* enum queue_place (net/turn.h) */
	uint32_t best_place;	/* best one the client was sent so far */
};

/* The dialogue above, at either end: client.c, server.c. */
extern const struct dialogue session_client_dialogue, session_server_dialogue;

/* Go on with DIALOGUE, from its first step. */
void session_continue(struct session *s, const struct dialogue *dialogue);

/* Open the file for samples, if the user wants one, unless it is open. */
int session_open_samples(struct session *s);

/* The error of the result, where each step reports its own. */
static inline struct error *session_error(const struct session *s)
{
	return &s->run.result->error;
}

/* Name the stage of the next steps, for their errors. */
void session_stage(struct session *s, const char *stage);

/* Send FRAME and free it. */
int session_send(struct session *s, struct frame frame);

/*
 * Receive a frame of TYPE; REFUSE, ABORT and any other type are errors.  A peer
 * that sends signs of life while it works on that frame, or makes a client wait
 * for its turn, gets longer than a silent one, but not for ever.  After a
 * failure FRAME is as it was.
 */
int session_expect(struct session *s, enum frame_type type,
		   struct frame *frame);

/* Run STEP, whose verbs calls may take long, while a thread sends the peer
 * signs of life.  Nothing else may be sent meanwhile. */
int session_work(struct session *s, session_step *step);

/* FRAME is not of type WANTED: REFUSE and ABORT carry the peer's error; any
 * other frame is itself an error of the peer.  Returns a negative errno. */
int session_unexpected(struct session *s, const struct frame *frame,
		       enum frame_type wanted);

/* Send a frame of TYPE without payload. */
int session_send_empty(struct session *s, enum frame_type type);

/* Both ends SEND something and TAKE it: the client sends first. */
int session_swap(struct session *s, session_step *send, session_step *take);

/* End the dialogue: exchange BYEs, unless this is a server that would have
 * refused the plan (s->refusal). */
int session_end(struct session *s);

/* exchange.c: note that both ends are connected, and run the traffic of each
 * size, which adds a row to the result; and the same up to BYE. */
int exchange_rounds(struct session *s);
int exchange_all(struct session *s);

/* exchange.c, session.c: what a dialogue of frames does before its start, at
 * its start, its swap and when it gives up. */
int exchange_await(struct session *s, uint64_t size);
int exchange_start(struct session *s, uint64_t size);
int exchange_done(struct session *s, struct done *mine, struct done *theirs);
void exchange_abort(struct session *s);

/* server.c: wait for the client's turn, and start its time limit; and open this
 * end's device, unless the caller did. */
int session_take_turn(struct session *s);
int session_open_device(struct session *s);

/* server.c: log one line that names each option of this server's own command
 * line that differs from PARAMS' plan, the client's; nothing, if none does. */
void session_log_differences(const struct parameters *params);

/*
 * queue.c: in a client's process at the server, request a turn (net/turn.h)
 * that may last LIMIT ns, and send the client its place until the turn comes.
 * The client must answer each time, as a sign of life.  Returns 0 or a negative
 * errno, set in the result's error: the client is gone or silent, there is no
 * turn for it, or the user interrupts.
 */
int queue_wait(struct session *s, uint64_t limit);

/* connections.c: at the client, and at the server, the steps from ACCEPT to BYE
 * of the test connect; nothing for other tests. */
int connections_measure(struct session *s);
int connections_answer(struct session *s);
