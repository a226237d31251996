/*
 * The out-of-band channel: one TCP connection between the two ends.  Every
 * wait has a deadline (base/time.h) and ends at once when the user interrupts.
 */
#ifndef NET_OOB_H
#define NET_OOB_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/networks.h"
#include "model/gid.h"
#include "net/address.h"
#include "net/wait.h"
#include "net/wire.h"

struct seal;

/* What has come of the next frame. */
struct incoming {
	uint8_t header[WIRE_HEADER_SIZE];
	struct frame frame;	/* allocated once the header is complete */
	size_t got;		/* bytes, the header's included */
	bool spoiled;		/* nothing that follows makes sense */
};

struct connection {
	int fd;			/* -1: closed */
	int cancel_fd;		/* of signals_open(); -1: not interruptible */
	struct incoming in;
	uint64_t began_at;	/* when it was connected or accepted */
	uint32_t n_signs;	/* signs of life that the peer sent */
	const char *peer;	/* "client" or "server", for messages */
	char address[ADDRESS_TEXT_SIZE]; /* the peer's: "10.0.0.2 port 18515" */
	struct ip_address host;	/* the same, of a client; zeros: not IP */
	int turn_fd;		/* at a server, where a turn is asked for
				 * (turn.h); -1: there is no need to */
	bool cut_off;		/* a part of a frame was sent, or a sealed one
				 * was not: the peer cannot read others */
	/* after the proofs of a key (seal.h); NULL: in the clear */
	struct seal *seal_out, *seal_in;
};

/*
 * Connect to the first of the addresses of HOST, IPv6 and IPv4, that answers
 * (net/race.h).  BIND is the local address, which has a say in the family,
 * or NULL.  A name server has TIMEOUT ns to answer, and so has the server; with
 * WAIT > 0 attempts are repeated for that long, for one that is not up yet.
 * Returns 0, or a negative
 * errno with, in ERR, host, port, each cause and the addresses it is of.
 */
int oob_connect(const char *host, uint32_t port, const char *bind,
		uint64_t timeout, uint64_t wait, int cancel_fd,
		struct connection *conn, struct error *err);

/*
 * Listen on PORT (0: any free one) of BIND, or of every address, IPv6 and
 * IPv4.  *PORT becomes the real one.  CANCEL_FD is of signals_open(), or -1.
 * Returns a descriptor or a negative errno.
 */
int oob_listen(const char *bind, uint32_t *port, int cancel_fd,
	       struct error *err);

/*
 * The next client that came to LISTENER.  Returns 0, -EAGAIN when there is none
 * (any more), or another negative errno, of which nothing is said.
 */
int oob_accept(int listener, struct connection *conn);

/* A connection over FD, which is already one (a socketpair). */
void oob_adopt(int fd, int cancel_fd, const char *peer,
	       struct connection *conn);

/* Also forgets the keys of the seal. */
void oob_close(struct connection *conn);

/* Send all of FRAME before DEADLINE, sealed if conn->seal_out is set.  Returns
 * 0 or a negative errno; when a part of it was sent then, or it was sealed,
 * nothing more can be. */
int oob_send(struct connection *conn, const struct frame *frame,
	     uint64_t deadline, struct error *err);

/* Is FRAME a sign of life: ALIVE, or WAIT? */
bool oob_is_sign_of_life(const struct frame *frame);

/*
 * Receive one frame before DEADLINE, or one that is there already when DEADLINE
 * has passed, and open it if conn->seal_in is set; its header is checked before
 * anything is allocated. frame_free() it when 0 is returned.  WAITED_FOR
 * completes the sentence "... while waiting for WAITED_FOR".  Signs of life
 * that come faster than a few a second are an error: a flood of them must not
 * keep an end busy.
 */
int oob_receive(struct connection *conn, const char *waited_for,
		uint64_t deadline, struct frame *frame, struct error *err);

/*
 * As oob_receive(), without any wait: returns -EAGAIN, of which nothing is
 * said, while the frame is not complete.  What has come of it is kept.
 */
int oob_take(struct connection *conn, const char *waited_for,
	     struct frame *frame, struct error *err);

/* Can a small frame be sent now, without a wait? */
bool oob_can_send(const struct connection *conn);

/* The IP network that CONN uses at this end; not known for other sockets. */
void oob_subnet(const struct connection *conn, struct subnet *subnet);

#endif
