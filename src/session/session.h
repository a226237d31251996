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
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include "model/result.h"
#include "model/tests.h"
#include "net/oob.h"
#include "run/recorder.h"
#include "traffic/clock.h"
#include "traffic/flow.h"
#include "verbs/device.h"
#include "verbs/resources.h"

struct greeting;
struct monitor;

struct session {
	bool client;
	bool accepted;		/* the server said ACCEPT: errors are ABORT */
	bool over;		/* nothing is left to be done */
	int refusal;		/* at a server that was only to check: what an
				 * ordinary run would fail with */
	bool connecting;	/* or done so: each end may fail by itself */
	struct connection *conn;
	struct device *device;
	struct result *result;	/* plan, ports, path, rows, error */
	struct greeting *greeting;	/* until both know each other */
	uint32_t place;		/* enum turn (turn.h): in the queue */
	struct clock clock;
	uint64_t began_at;	/* ns of CLOCK_MONOTONIC_RAW */
	struct clock_watch watch;
	struct resources res;
	struct endpoint peer;
	char test[TEST_NAME_SIZE];
	struct recorder *recorder;	/* NULL: samples are not recorded */
	struct histogram *latency;	/* NULL for bandwidth */
	struct flow *flows;		/* of each thread */
	struct flow_progress *progress;	/* likewise */
	uint32_t n_flows;
	struct flow_control *control;
	struct monitor *monitor;	/* while traffic runs */
	_Atomic uint32_t sending;	/* loops that still do */
	bool warming;		/* a round that only warms up: see
				 * plan_warms_up_apart() */
};

/*
 * Run the test of result->params over CONN on DEVICE; what comes out is in
 * RESULT, complete with the error if it failed: the rows are what was
 * measured until then.  The server is told of a failure, and the connection
 * is left to the caller.  Returns 0 or a negative errno, and *SESSION in any
 * case, which still has the verbs objects: session_free() it after the report,
 * for with a link that is gone their release may take a driver long.
 */
int session_client(struct connection *conn, struct device *device,
		   struct result *result, struct session **session);

/*
 * Serve the client at the other end of CONN; otherwise the same.
 * result->params are this end's own.  A DEVICE that is not open is opened when
 * the client's turn has come; device_close() it after session_free().
 */
int session_server(struct connection *conn, struct device *device,
		   struct result *result, struct session **session);

/* Release S and all verbs objects; NULL is fine. */
void session_free(struct session *s);

/* Shared by both ends (session.c); RESULT's error says what failed. */

typedef int session_step(struct session *s);

/*
 * Take STEPS, up to a NULL or the first that fails, and tell the peer of a
 * failure that it does not know of.
 */
int session_run(session_step *const *steps, bool client,
		struct connection *conn, struct device *device,
		struct result *result, struct session **session);

/* What the next steps are, for an error they meet. */
void session_stage(struct session *s, const char *stage);

/* How long the peer may say nothing, in ns. */
uint64_t session_patience(const struct session *s);

/* All is connected: what both ends use is known, and who wants to is told. */
void session_tell_begin(struct session *s);

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

/* Make the verbs objects and the flow over them. */
int session_create(struct session *s);

/* Send this end's ENDPOINT for result->path, or take the peer's. */
int session_send_endpoint(struct session *s);
int session_take_endpoint(struct session *s);

/* Top up every QP's receives; nothing for an end that takes none. */
int session_fill_receives(struct session *s);

/* Post receives and move the QPs towards the peer's. */
int session_connect(struct session *s);

/* Say that the QPs are connected, or hear it from the peer. */
int session_send_ready(struct session *s);
int session_take_ready(struct session *s);

#endif
