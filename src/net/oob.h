/* The out-of-band channel: one TCP connection between the two ends.  Every wait
 * has a deadline (base/time.h) and ends at once when the user interrupts. */
#pragma once

#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/error.h"
#include "base/ip.h"
#include "model/gid.h"
#include "model/port.h"
#include "net/address.h"
#include "net/wire.h"

struct seal;

/* The part of the next frame that has arrived. */
struct incoming {
	uint8_t header[WIRE_HEADER_SIZE];
	struct frame frame;	/* allocated once the header is complete */
	size_t got;		/* bytes, including the header */
	bool spoiled;		/* the rest of the stream is unusable */
};

struct connection {
	int fd;			/* -1: closed */
	int cancel_fd;		/* from signals_open(); -1: not interruptible */
	struct incoming in;
	uint64_t began_at;	/* time of connect or accept */
	uint32_t n_signs;	/* signs of life from the peer */
	const char *peer;	/* "client" or "server", for messages */
	char address[ADDRESS_TEXT_SIZE]; /* the peer's: "10.0.0.2 port 18515" */
	struct ip_address host;	/* a client's address; zeros: not IP */
	struct ways ways;	/* at a client: to the server's addresses */
	int turn_fd;		/* server: where to ask for a turn (turn.h); -1:
				 * no turn needed */
	bool cut_off;		/* a frame was sent in part, or a sealed one not
				 * at all: the peer can read no later frame */
	/* after the proofs of a key (seal.h); NULL: in the clear */
	struct seal *seal_out, *seal_in;
};

/* Wrap FD, which is connected already (a socketpair), in CONN. */
void oob_adopt(int fd, int cancel_fd, const char *peer,
	       struct connection *conn);

/* Close CONN and forget the keys of its seal. */
void oob_close(struct connection *conn);

/*
 * Send all of FRAME before DEADLINE, sealed if conn->seal_out is set.  Returns
 * 0 or a negative errno.  After a failure CONN can send no more if it sent a
 * part of FRAME, or if FRAME is sealed.
 */
int oob_send(struct connection *conn, const struct frame *frame,
	     uint64_t deadline, struct error *err);

/* Is FRAME a sign of life: ALIVE or WAIT? */
bool oob_is_sign_of_life(const struct frame *frame);

/*
 * Receive one frame before DEADLINE, or one that is there already when DEADLINE
 * has passed, and open it if conn->seal_in is set.  The header is checked
 * before anything is allocated.  On 0 the caller calls frame_free().
 * WAITED_FOR completes the sentence "... while waiting for WAITED_FOR".  Signs
 * of life that come faster than a few a second are an error: a flood of them
 * must not keep an end busy.
 */
int oob_receive(struct connection *conn, const char *waited_for,
		uint64_t deadline, struct frame *frame, struct error *err);

/*
 * Events of poll(2) which say that the peer will send no more: it closed or
 * reset the connection, or its host is gone.  A wait has them besides POLLIN,
 * which is also there for what a peer sent before it left: how much is left to
 * read does not say whether the peer is there.
 */
#define OOB_GONE (POLLRDHUP | POLLHUP | POLLERR)

/* Like oob_receive(), but without waiting: returns -EAGAIN, not set in ERR,
 * until the frame is complete, and keeps the part that has arrived. */
int oob_take(struct connection *conn, const char *waited_for,
	     struct frame *frame, struct error *err);

/* Have the kernel find out whether the host of CONN's peer is still there: for
 * a peer that gives no signs of life.  One that is gone resets CONN. */
void oob_probe_host(const struct connection *conn);

/* Can a small frame be sent now without waiting? */
bool oob_can_send(const struct connection *conn);

/* Find the IP network in which the socket FD has its address at this end.
 * False for sockets that are not IP. */
bool oob_subnet(int fd, struct subnet *subnet);

/*
 * A peer that gives up sends the reason and closes the connection.  An end that
 * sends at that moment finds the connection lost before it has read the reason.
 */

/*
 * Wait until DEADLINE for the peer to say why it gives up, or to close CONN;
 * skip other frames.  Returns 0, or -ECONNABORTED with the peer's reason in
 * ERR, or -EPROTO when that is malformed.
 */
int oob_await_error(struct connection *conn, uint64_t deadline,
		    struct error *err);

/* Like oob_await_error(), for a peer that has closed CONN already. */
int oob_read_error(struct connection *conn, struct error *err);

/* The peer has closed CONN while this end waited for WAITED_FOR: put its
 * reason into ERR, or that it gave none.  Returns a negative errno. */
int oob_explain_gone(struct connection *conn, const char *waited_for,
		     struct error *err);

/* Like oob_send(), but if the peer closed CONN after giving a reason, return
 * that reason in ERR, with its errno. */
int oob_send_or_explain(struct connection *conn, const struct frame *frame,
			uint64_t deadline, struct error *err);

/*
 * The IP addresses that the connection manager (librdmacm) is given: those of
 * the GIDs of a path.  A GID without an IP address, as on InfiniBand, or a
 * link-local one, leaves only the addresses of the TCP connection.
 */

/* This end's address, with port 0. */
void cm_address_local(const struct connection *conn, const struct path *path,
		      struct sockaddr_storage *address);

/* The peer's address, with PORT. */
void cm_address_remote(const struct connection *conn, const struct path *path,
		       uint16_t port, struct sockaddr_storage *address);

/* connect.c: a client's way to its server: the first address that answers. */

/* A server, as the user named it, and how to get there. */
struct destination {
	const char *host;	/* name or address */
	uint32_t port;		/* TCP */
	int family;		/* AF_INET, AF_INET6: no other of HOST's
				 * addresses; 0: any */
	const char *bind;	/* the local address, whose family restricts
				 * them, too; NULL: any */
	bool in_turn;		/* one connection at a time, for a server that
				 * takes the first for its client: perftest */
};

/*
 * Connect to the first address of TO, IPv6 or IPv4, that answers.  conn->ways
 * becomes the networks that lead to all of them, whichever answered.  The name
 * server and the server each get TIMEOUT ns to answer; with WAIT > 0 attempts
 * repeat for WAIT ns, for a server that is not up yet.  Returns 0, or a
 * negative errno with host, port, and each cause with its addresses in ERR.
 */
int oob_connect(const struct destination *to, uint64_t timeout, uint64_t wait,
		int cancel_fd, struct connection *conn, struct error *err);

/* listen.c: a server's socket: listens, and accepts clients one by one. */

/*
 * Listen on PORT (0: any free one) at BIND or, if that is NULL, at every
 * address, IPv6 and IPv4.  *PORT becomes the actual port.  CANCEL_FD is from
 * signals_open(), or -1.  Returns a descriptor or a negative errno.
 */
int oob_listen(const char *bind, uint32_t *port, int cancel_fd,
	       struct error *err);

/* Accept the next client at LISTENER.  Returns 0, -EAGAIN when there is none or
 * it has gone, or another negative errno; no error is set. */
int oob_accept(int listener, struct connection *conn);

/* alive.c: signs of life.  While traffic runs the monitor sends them, and while
 * an end waits for rdma_cm, that wait.  During verbs calls, which may take
 * minutes (registering 64 GiB, creating thousands of queue pairs), a thread
 * sends them, so that the peer can tell an end that works from one that is
 * gone. */

struct alive;

/* When an end that waits sends its signs of life. */
struct signs {
	uint64_t period;	/* ns */
	uint64_t next;		/* 0: a period after the wait has begun */
};

/* Period, in ns, of the signs of life to a peer that gives up after TIMEOUT ns:
 * a quarter of a second, as a server's --idle-timeout may be shorter, or an
 * eighth of TIMEOUT if that is less. */
uint64_t alive_period(uint64_t timeout);

/* Wait until FD or CONN can be read, DEADLINE passes or the user interrupts,
 * and send SIGNS when they are due.  Returns as oob_wait() does. */
int alive_wait(struct connection *conn, int fd, uint64_t deadline,
	       struct signs *signs, struct error *err);

/* Send a sign of life over CONN every PERIOD ns until alive_end(); the thread
 * owns CONN until then.  Returns 0 or a negative errno, set in ERR. */
int alive_begin(struct connection *conn, uint64_t period, struct alive **alive,
		struct error *err);

/*
 * Stop sending and free ALIVE.  Returns 0; or, set in ERR, -ECANCELED if the
 * user interrupted meanwhile, or -ETIME if the server's time limit passed.  A
 * second ^C has ended the program by then, because verbs calls cannot be
 * interrupted.
 */
int alive_end(struct alive *alive, struct error *err);
