/* Frames over the TCP connection between the two ends. */
#include "config.h"
#include "net/oob.h"

#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/time.h"
#include "base/xalloc.h"
#include "net/frames.h"
#include "net/seal.h"
#include "net/wait.h"

/* An end sends a sign of life four times a second, or every eighth of its
 * timeout, which is at least a second; WAIT also comes whenever a place
 * changes.  The peer's clock may run several times as fast as this one's. */
#define SIGNS_PER_SECOND 32
#define SIGNS_AT_ONCE 16

void oob_adopt(int fd, int cancel_fd, const char *peer, struct connection *conn)
{
	*conn = (struct connection){
		.fd = fd,
		.cancel_fd = cancel_fd,
		.peer = peer,
		.turn_fd = -1,
		.began_at = time_now(),
	};
}

void oob_close(struct connection *conn)
{
	if (conn->fd >= 0)
		close(conn->fd);
	conn->fd = -1;
	frame_free(&conn->in.frame);
	conn->in = (struct incoming){ 0 };
	seal_free(conn->seal_out);
	seal_free(conn->seal_in);
	conn->seal_out = conn->seal_in = NULL;
}

static int lost(struct connection *conn, const char *doing, int errnum,
		struct error *err)
{
	return fail_errno(err, errnum, NULL,
			  "lost the connection to the %s while %s", conn->peer,
			  doing);
}

/* Send all of FRAME as it is, without sealing it. */
static int send_frame(struct connection *conn, const struct frame *frame,
		      uint64_t deadline, struct error *err)
{
	size_t size = WIRE_HEADER_SIZE + frame->length, sent = 0;
	char doing[48] = "sending ";
	int ret = 0;

	strncat(doing, frame_name(frame->type), 32);
	while (sent < size && !ret) {
		ssize_t n = send(conn->fd, frame->bytes + sent, size - sent,
				 MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n >= 0)
			sent += (size_t)n;
		else if (errno == EAGAIN)
			ret = oob_wait(conn->fd, POLLOUT, &conn->cancel_fd,
				       deadline, err);
		else if (errno != EINTR)
			ret = lost(conn, doing, errno, err);
	}
	conn->cut_off = ret && (sent || conn->seal_out);
	return ret == -ETIMEDOUT ? lost(conn, doing, ETIMEDOUT, err) : ret;
}

int oob_send(struct connection *conn, const struct frame *frame,
	     uint64_t deadline, struct error *err)
{
	struct frame sealed;
	int ret;

	if (conn->cut_off)
		return lost(conn, "sending", EPIPE, err);
	if (frame->cut_off)
		return fail(err, -EMSGSIZE, NULL, "%s does not fit into %u "
			    "bytes", frame_name(frame->type),
			    frame_limit(frame->type));
	if (!conn->seal_out)
		return send_frame(conn, frame, deadline, err);
	seal_frame(conn->seal_out, frame, &sealed);
	ret = send_frame(conn, &sealed, deadline, err);
	frame_free(&sealed);
	return ret;
}

static int closed(struct connection *conn, const char *waited_for,
		  bool inside_frame, struct error *err)
{
	return fail_advise(err, -ECONNRESET,
			   "the %s closed the connection %swhile this end "
			   "waited for %s\nlook at the %s's output", conn->peer,
			   inside_frame ? "inside a frame, " : "", waited_for,
			   conn->peer);
}

bool oob_is_sign_of_life(const struct frame *frame)
{
	return frame->type == FRAME_ALIVE || frame->type == FRAME_WAIT;
}

/* Check that the peer does not flood this end with signs of life.  The rate
 * counts from the beginning of the connection, because an end that was busy
 * finds many at once. */
static int check_signs(struct connection *conn, const struct frame *frame,
		       struct error *err)
{
	double seconds = (double)time_since(conn->began_at) / (double)SECOND;

	if (!oob_is_sign_of_life(frame))
		return 0;
	conn->n_signs++;
	if (conn->n_signs <= SIGNS_AT_ONCE + seconds * SIGNS_PER_SECOND)
		return 0;
	return fail(err, -EPROTO, NULL,
		    "the %s sent %u signs of life in %.1f s: at most %d a "
		    "second are allowed", conn->peer, conn->n_signs, seconds,
		    SIGNS_PER_SECOND);
}

/* Receive up to SIZE bytes into DATA.  Returns how many, -EAGAIN for none, or
 * another negative errno. */
static ssize_t receive_some(struct connection *conn, uint8_t *data,
			    size_t size, const char *waited_for,
			    struct error *err)
{
	ssize_t n;

	do {
		n = recv(conn->fd, data, size, MSG_DONTWAIT);
	} while (n < 0 && errno == EINTR);
	if (n > 0 || (n < 0 && errno == EAGAIN))
		return n > 0 ? n : -EAGAIN;
	if (n == 0 || errno == ECONNRESET)
		return closed(conn, waited_for, conn->in.got > 0, err);
	return lost(conn, "receiving", errno, err);
}

/* The header is complete: check it and allocate the frame. */
static int begin_frame(struct connection *conn, struct error *err)
{
	struct incoming *in = &conn->in;
	int ret = seal_read_header(conn->seal_in, in->header, conn->peer,
				   &in->frame, err);

	if (ret)
		return ret;
	in->frame.bytes = xcalloc(1, WIRE_HEADER_SIZE + in->frame.length);
	memcpy(in->frame.bytes, in->header, sizeof(in->header));
	return 0;
}

/* Receive the next bytes of the incoming frame. */
static int receive_more(struct connection *conn, const char *waited_for,
			struct error *err)
{
	struct incoming *in = &conn->in;
	bool in_header = in->got < WIRE_HEADER_SIZE;
	size_t size = in_header ? WIRE_HEADER_SIZE :
				  WIRE_HEADER_SIZE + in->frame.length;
	uint8_t *bytes = in_header ? in->header : in->frame.bytes;
	ssize_t n = receive_some(conn, bytes + in->got, size - in->got,
				 waited_for, err);

	if (n < 0)
		return (int)n;
	in->got += (size_t)n;
	return in->got == WIRE_HEADER_SIZE ? begin_frame(conn, err) : 0;
}

static bool is_complete(const struct incoming *in)
{
	return in->got >= WIRE_HEADER_SIZE &&
	       in->got == WIRE_HEADER_SIZE + in->frame.length;
}

int oob_take(struct connection *conn, const char *waited_for,
	     struct frame *frame, struct error *err)
{
	struct incoming *in = &conn->in;
	int ret = 0;

	if (in->spoiled)
		return fail(err, -EPROTO, NULL, "the data from the %s can no "
			    "longer be decoded", conn->peer);
	while (!ret && !is_complete(in))
		ret = receive_more(conn, waited_for, err);
	ret = ret ?:
	      seal_open(conn->seal_in, conn->peer, &in->frame, err) ?:
	      check_signs(conn, &in->frame, err);
	in->spoiled = ret == -EPROTO;
	if (ret)
		return ret;
	*frame = in->frame;
	*in = (struct incoming){ 0 };
	return 0;
}

int oob_receive(struct connection *conn, const char *waited_for,
		uint64_t deadline, struct frame *frame, struct error *err)
{
	int ret;

	do {
		ret = oob_wait(conn->fd, POLLIN, &conn->cancel_fd, deadline,
			       err) ?:
		      oob_take(conn, waited_for, frame, err);
	} while (ret == -EAGAIN && time_until(deadline));
	if (ret == -EAGAIN || ret == -ETIMEDOUT)
		return fail(err, -ETIMEDOUT, NULL,
			    "the %s said nothing%s in time: waited for %s",
			    conn->peer, conn->in.got > 0 ? " more" : "",
			    waited_for);
	return ret;
}

void oob_probe_host(const struct connection *conn)
{
	static const struct {
		int level, name, value;
	} options[] = {
		/* in s: the first question, the next ones; and how many */
		{ IPPROTO_TCP, TCP_KEEPIDLE, 5 },
		{ IPPROTO_TCP, TCP_KEEPINTVL, 1 },
		{ IPPROTO_TCP, TCP_KEEPCNT, 5 },
		{ SOL_SOCKET, SO_KEEPALIVE, 1 },
	};

	/* a socket pair has no host */
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		setsockopt(conn->fd, options[i].level, options[i].name,
			   &options[i].value, sizeof(options[i].value));
}

bool oob_can_send(const struct connection *conn)
{
	struct pollfd fd = { .fd = conn->fd, .events = POLLOUT };

	return poll(&fd, 1, 0) == 1 && fd.revents & POLLOUT;
}

static uint32_t mask_bits(const struct sockaddr *mask)
{
	uint8_t bits[IP_SIZE];
	uint32_t n;
	int i;

	if (!ip_from_socket(mask, bits))
		return 128;
	n = mask->sa_family == AF_INET ? IPV4_PREFIX : 0;
	for (i = (int)n / 8; i < IP_SIZE; i++)
		n += (uint32_t)__builtin_popcount(bits[i]);
	return n;
}

bool oob_subnet(int fd, struct subnet *subnet)
{
	struct sockaddr_storage local = { 0 };
	socklen_t length = sizeof(local);
	uint8_t own[IP_SIZE], *mine = subnet->address.raw;
	struct ifaddrs *list, *i;
	bool known = false;

	if (getsockname(fd, (struct sockaddr *)&local, &length) ||
	    !ip_from_socket((struct sockaddr *)&local, mine) ||
	    getifaddrs(&list))
		return false;
	for (i = list; i && !known; i = i->ifa_next) {
		if (!ip_from_socket(i->ifa_addr, own) ||
		    memcmp(own, mine, sizeof(own)) != 0)
			continue;
		known = true;
		subnet->prefix = mask_bits(i->ifa_netmask);
	}
	freeifaddrs(list);
	return known;
}

int oob_await_error(struct connection *conn, uint64_t deadline,
		    struct error *err)
{
	struct error ignored = { 0 };
	struct frame frame;
	int ret = 0;

	do {
		if (oob_receive(conn, "the reason", deadline, &frame, &ignored))
			break;
		if (frame.type == FRAME_ABORT || frame.type == FRAME_REFUSE)
			ret = frames_take_error(&frame, conn->peer, err);
		frame_free(&frame);
	} while (!ret && time_until(deadline));
	return ret;
}

int oob_read_error(struct connection *conn, struct error *err)
{
	/* everything has arrived; the time is for a flood of other frames */
	return oob_await_error(conn, time_after(SECOND / 10), err);
}

int oob_explain_gone(struct connection *conn, const char *waited_for,
		     struct error *err)
{
	return oob_read_error(conn, err) ?:
	       closed(conn, waited_for, false, err);
}

int oob_send_or_explain(struct connection *conn, const struct frame *frame,
			uint64_t deadline, struct error *err)
{
	struct error lost = *err;
	int ret = oob_send(conn, frame, deadline, &lost), heard;

	if (ret == -EPIPE || ret == -ECONNRESET) {
		heard = oob_read_error(conn, err);
		if (heard)
			return heard;
	}
	*err = lost;
	return ret;
}

/* Choose the address of an end, with PORT: GID, or that of the socket TCP. */
static void choose_address(const struct path *path, const struct gid *gid,
			   const struct sockaddr_storage *tcp, uint16_t port,
			   struct sockaddr_storage *address)
{
	const bool by_gid = path->global && gid_names_host(gid);
	uint8_t ip[IP_SIZE];

	ip_from_socket((const struct sockaddr *)tcp, ip);
	ip_to_socket(by_gid ? gid->raw.raw : ip, port, address);
	if (!by_gid && address->ss_family == AF_INET6)
		((struct sockaddr_in6 *)address)->sin6_scope_id =
			((const struct sockaddr_in6 *)tcp)->sin6_scope_id;
}

void cm_address_local(const struct connection *conn, const struct path *path,
		      struct sockaddr_storage *address)
{
	struct sockaddr_storage tcp = { .ss_family = AF_UNSPEC };
	socklen_t length = sizeof(tcp);

	getsockname(conn->fd, (struct sockaddr *)&tcp, &length);
	choose_address(path, &path->local, &tcp, 0, address);
}

void cm_address_remote(const struct connection *conn, const struct path *path,
		       uint16_t port, struct sockaddr_storage *address)
{
	struct sockaddr_storage tcp = { .ss_family = AF_UNSPEC };
	socklen_t length = sizeof(tcp);

	getpeername(conn->fd, (struct sockaddr *)&tcp, &length);
	choose_address(path, &path->remote, &tcp, port, address);
}
