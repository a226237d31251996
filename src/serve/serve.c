/* The permanent server: accepts clients, each for a process of its own. */
#include "config.h"
#include "serve/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/time.h"
#include "host/affinity.h"
#include "host/place.h"
#include "net/frames.h"
#include "net/turn.h"
#include "net/wait.h"
#include "serve/children.h"

/* When there is no room, a client that has not sent HELLO for this long is
 * dropped. */
#define HELLO_TIMEOUT (SECOND / 2)
/* Pause before accepting again after running out of descriptors or memory. */
#define PAUSE SECOND
/* Shortest time between two warnings of that, and of who is dropped. */
#define WARN_PAUSE (10 * SECOND)
/* Time for children to end their dialogues and to report. */
#define END_TIMEOUT (10 * SECOND)
/* Clients accepted in a row before anything else happens. */
#define ACCEPT_AT_ONCE 16

enum { SIGNAL, ENDED, LISTENER, CHILDREN };

#define FDS_MAX (CHILDREN + NEW_MAX + WAITING_MAX + 256)

/* The child that prints holds this lock; -1: no lock. */
static int report_lock = -1;

struct server {
	const struct parameters *params;
	int listener;		/* -1: accepts nobody any more */
	int cancel_fd;		/* -1: the user interrupted */
	int ended_fd;
	struct children children;
	uint64_t accept_at;	/* no accept before, ns of CLOCK_MONOTONIC */
	uint64_t warn_at;	/* no warning before, likewise */
	uint64_t drop_at;	/* no word of who is dropped before, except as
				 * of strangers; likewise */
	uint32_t most_new;	/* most new clients at once: fewer after a
				 * shortage */
	struct connection unserved;	/* came, but has no process yet; fd -1:
					 * there is none */
	uint64_t kill_at;	/* deadline for children to end; 0: none */
	bool killed;		/* they were sent SIGKILL */
	uint64_t give_up_at;	/* --once's client must come before; UINT64_MAX:
				 * it may take any time */
	bool gave_up;		/* it did not */
	pid_t only;		/* client of --once; 0: not yet */
	int status;		/* of that client; -1: none */
};

static int check_device(struct parameters *params, struct port *port,
			struct error *err)
{
	struct device device = { 0 };
	int ret = affinity_check(params, err) ?:
		  device_open(params, &device, err) ?:
		  place_end(params, &device, err);

	*port = device.port;
	device_close(&device);
	return ret;
}

/* Write the port for whoever started this server with --port 0. */
static int write_port(const struct parameters *params, struct error *err)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u\n", params->port);
	int fd = (int)params->ready_fd;
	ssize_t written;

	if (!params->ready_fd)
		return 0;
	written = write(fd, text, (size_t)length);
	if (written != length)
		return fail(err, written < 0 ? -errno : -EIO, NULL,
			    "--ready-fd %d: cannot write the port: %s", fd,
			    written < 0 ? strerror(errno) : "not all of it");
	close(fd);
	return 0;
}

static void announce(const struct parameters *params, const struct port *port)
{
	char more[48] = "";

	if (params->once)
		snprintf(more, sizeof(more), ", one client");
	if (params->once && params->once != PARAM_FOREVER)
		text_append(more, sizeof(more), " within %.6g s",
			    (double)params->once / SECOND);
	if (params->parallel > 1)
		snprintf(more, sizeof(more), ", %u clients at once",
			 params->parallel);
	log_info("serving on TCP port %u with %s port %u%s", params->port,
		 port->device, port->number, more);
}

int serve_open(struct parameters *params, int cancel_fd, struct port *port,
	       struct error *err)
{
	int listener, ret = check_device(params, port, err);

	if (ret)
		return ret;
	listener = oob_listen(params->bind, &params->port, cancel_fd, err);
	if (listener < 0)
		return listener;
	ret = write_port(params, err);
	if (ret) {
		close(listener);
		return ret;
	}
	/* every client gets these, even if more devices appear */
	params->device = port->device;
	params->ib_port = port->number;
	announce(params, port);
	return listener;
}

/* Accept nobody any more. */
static void close_listener(struct server *s)
{
	if (s->listener >= 0)
		close(s->listener);
	s->listener = -1;
	if (s->unserved.fd >= 0)
		oob_close(&s->unserved);
}

/* Tell all children to end; those still there after END_TIMEOUT are killed. */
static void end_children(struct server *s, int number)
{
	s->kill_at = time_after(END_TIMEOUT);
	close_listener(s);
	children_signal(&s->children, number);
}

/* Note how a process ended, and warn if it was not told to.  perftest's server
 * ends after its client, even if that client never got its turn. */
static void note_end(struct server *s, const struct child *child, int status)
{
	if (s->params->perftest && !s->only && child->state != CHILD_DROPPED &&
	    !(WIFEXITED(status) && WEXITSTATUS(status) == SERVE_NO_HELLO))
		s->only = child->pid;
	if (child->pid == s->only && WIFEXITED(status))
		s->status = WEXITSTATUS(status);
	if (WIFSIGNALED(status) && child->state != CHILD_DROPPED &&
	    child->state != CHILD_OVERDUE && !s->kill_at)
		log_warning("the process of the client at %s was ended by "
			    "signal %d", child->address, WTERMSIG(status));
}

static void on_ended(struct server *s)
{
	struct child *child;
	int status;
	pid_t pid;

	signals_take_ended(s->ended_fd);
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		child = s->children.all;
		while (child && child->pid != pid)
			child = child->next;
		if (!child)
			continue;
		note_end(s, child, status);
		s->accept_at = 0;	/* there is room now */
		children_remove(&s->children, child);
		if (pid == s->only && !s->kill_at)
			end_children(s, SIGTERM);
	}
}

/* The child's process requests a turn, releases it, or is about to end. */
static void on_child(struct server *s, struct child *child)
{
	uint64_t limit;
	int ret = turn_receive_message(child->fd, &limit);

	if (ret == TURN_REQUEST || ret == TURN_REQUEST_QUIET)
		children_enqueue(&s->children, child, limit,
				 ret == TURN_REQUEST_QUIET, s->only != 0);
	if (ret == TURN_RELEASE &&
	    !children_release_turn(&s->children, child)) {
		log_begin_stranger();
		log_warning("dropped the report of the client at %s: %d "
			    "reports already wait for their readers",
			    child->address, REPORTING_MAX);
		log_end_stranger();
	}
	if (ret >= 0)
		return;
	close(child->fd);
	child->fd = -1;
}

/* A client's process ends itself when its time is over, unless it is stopped or
 * stuck in the kernel. */
static void kill_overdue(struct server *s)
{
	const struct child *child =
		children_kill_overdue(&s->children, END_TIMEOUT);

	if (!child)
		return;
	log_warning("killed the process of the client at %s: it did not end "
		    "within %.6g s (--max-duration) and %llu s more",
		    child->address, (double)child->limit / SECOND,
		    END_TIMEOUT / SECOND);
	if (child->pid == s->only)
		end_children(s, SIGKILL);
}

/* Kill the children that were told to end and are still there; the second time,
 * give up on those the kernel keeps. */
static void kill_children(struct server *s)
{
	if (s->killed) {
		log_warning("%u processes of clients were killed but do not "
			    "end: the kernel keeps them",
			    children_count(&s->children));
		children_free(&s->children);
		return;
	}
	children_signal(&s->children, SIGKILL);
	s->kill_at = time_after(END_TIMEOUT);
	s->killed = true;
}

static void give_turns(struct server *s)
{
	struct child *last;

	if (!s->kill_at && !s->only) {
		last = children_give_turns(&s->children, s->params->parallel);
		if (last && s->params->once) {
			s->only = last->pid;
			close_listener(s);
			children_refuse_all(&s->children);
		}
	}
	children_send_places(&s->children);
}

/* True when the time of --once is over and its client has not had its turn. */
static bool nobody_came(const struct server *s)
{
	return !s->only && !s->kill_at && time_now() >= s->give_up_at;
}

/* Set up a new process: it dies with its parent, and keeps nothing of the other
 * children's. */
static void become_child(struct server *s, pid_t parent,
			 struct connection *conn)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		raise(SIGKILL);
	close_listener(s);
	close(s->ended_fd);
	children_free(&s->children);
	signals_in_child();
	conn->cancel_fd = s->cancel_fd;
	log_set_subject(conn->address);
}

/* Returns 1 in the child, 0 in the parent, or a negative errno. */
static int start_child(struct server *s, struct connection *conn)
{
	pid_t parent = getpid(), pid;
	int fds[2], ret;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return -errno;
	pid = fork();
	ret = -errno;
	if (pid == 0) {
		close(fds[0]);
		conn->turn_fd = fds[1];
		become_child(s, parent, conn);
		return 1;
	}
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		return ret;
	}
	children_add(&s->children, pid, fds[0], conn);
	oob_close(conn);
	return 0;
}

/* Log ERR and send it to the client, which gets nothing else.  LOGGED, if not
 * NULL, replaces ERR in the log. */
static void refuse_client(struct connection *conn, const struct error *err,
			  const struct error *logged)
{
	struct frame frame = encode_error(FRAME_REFUSE, err);
	struct error ignored = { 0 };

	log_set_subject(conn->address);
	log_error(logged ? logged : err);
	log_set_subject(NULL);
	oob_send(conn, &frame, time_now(), &ignored);
	frame_free(&frame);
	oob_close(conn);
}

/* Log CONN, which may become a client; refuse it, and return true, if its
 * network is not allowed.  Only the log names the networks: a stranger need not
 * know whom this server trusts. */
static bool is_not_allowed(struct server *s, struct connection *conn)
{
	const struct networks *allow = &s->params->allow;
	struct error err = { .stage = "connect" }, logged;

	log_detail("client at %s", conn->address);
	if (!allow->n || networks_contain(allow, &conn->host))
		return false;
	fail(&err, -EACCES, NULL, "this server accepts no clients from %s "
	     "(--allow)", conn->address);
	logged = err;
	snprintf(logged.advice, sizeof(logged.advice),
		 "it accepts clients from %.200s", allow->text);
	refuse_client(conn, &err, &logged);
	return true;
}

/* That there is a crowd is said in any case, but not of each one in it. */
static void say_dropped(struct server *s, const struct child *dropped)
{
	if (time_until(s->drop_at))
		log_begin_stranger();
	else
		s->drop_at = time_after(WARN_PAUSE);
	log_warning("dropped the client at %s, which sent nothing, to make "
		    "room for others", dropped->address);
	log_end_stranger();
}

static void make_room(struct server *s)
{
	const struct child *dropped;

	dropped = children_drop_oldest(&s->children, HELLO_TIMEOUT);
	if (dropped)
		say_dropped(s, dropped);
	s->accept_at = time_after(HELLO_TIMEOUT / 8);
}

/* True when there is room for one more client; otherwise makes some for a later
 * call. */
static bool has_room(struct server *s)
{
	if (!s->children.n_others)
		s->most_new = NEW_MAX;
	if (s->children.n_others < s->most_new)
		return true;
	make_room(s);
	return false;
}

/* RET says that a descriptor, a process or memory is missing.  Drop a client
 * that has not asked for a turn; if there is none, pause, which may help. */
static void on_shortage(struct server *s, int ret)
{
	/* this is about the host, and has a limit of its own */
	log_end_stranger();
	if (!time_until(s->warn_at)) {
		log_warning("cannot accept a client now: %s", strerror(-ret));
		s->warn_at = time_after(WARN_PAUSE);
	}
	make_room(s);
	/* clients being served need the same resources */
	s->most_new = s->children.n_others * 3 / 4 + 1;
	if (!s->children.n_others)
		s->accept_at = time_after(PAUSE);
}

/* Keep the client at CONN, for which a resource is missing, up to
 * END_TIMEOUT. */
static void keep_unserved(struct server *s, struct connection *conn, int ret)
{
	struct error err = { .stage = "connect" };

	on_shortage(s, ret);
	if (time_since(conn->began_at) < END_TIMEOUT) {
		s->unserved = *conn;
		return;
	}
	fail(&err, -EAGAIN, "try again later, or use --wait",
	     "cannot start a process for the client: %s", strerror(-ret));
	refuse_client(conn, &err, NULL);
}

/*
 * Take the next client into CONN: the one kept waiting, or one that comes now.
 * Returns 0, 1 when it was turned away, -EAGAIN when there is none, or another
 * negative errno.
 */
static int next_client(struct server *s, struct connection *conn)
{
	int ret;

	if (s->unserved.fd >= 0) {
		*conn = s->unserved;
		s->unserved.fd = -1;
		return 0;
	}
	ret = oob_accept(s->listener, conn);
	return !ret && is_not_allowed(s, conn) ? 1 : ret;
}

/* Accept one client.  Returns 0, 1 in its process, or a negative errno: no more
 * can be accepted now. */
static int accept_client(struct server *s, struct connection *conn)
{
	int ret = next_client(s, conn);

	if (ret > 0)
		return 0;
	if (!ret) {
		ret = start_child(s, conn);
		if (ret < 0)
			keep_unserved(s, conn, ret);
	} else if (ret != -EAGAIN) {
		on_shortage(s, ret);
	}
	return ret;
}

/* Accept clients; returns 1 in a child, whose lines are a stranger's. */
static int accept_clients(struct server *s, struct connection *conn)
{
	for (int i = 0; i < ACCEPT_AT_ONCE && has_room(s); i++) {
		int ret;

		log_begin_stranger();
		ret = accept_client(s, conn);
		if (ret > 0)
			return 1;
		log_end_stranger();
		if (ret)
			break;
	}
	return 0;
}

/* Fill FDS with the open descriptors to wait for, because poll(2) takes no more
 * than the limit of open files.  Returns how many; *MS becomes the timeout. */
static nfds_t fill_poll_set(const struct server *s, struct pollfd *fds, int *ms)
{
	uint64_t now = time_now();
	uint64_t until = children_first_deadline(&s->children, END_TIMEOUT);
	bool pause = s->listener >= 0 &&
		     (s->accept_at > now || s->unserved.fd >= 0);
	nfds_t n = CHILDREN;

	fds[SIGNAL] = (struct pollfd){ s->cancel_fd, POLLIN, 0 };
	fds[ENDED] = (struct pollfd){ s->ended_fd, POLLIN, 0 };
	fds[LISTENER] = (struct pollfd){ pause ? -1 : s->listener, POLLIN, 0 };
	for (struct child *c = s->children.all; c; c = c->next)
		if (c->fd >= 0)
			fds[n++] = (struct pollfd){
				.fd = c->fd,
				.events = child_has_unsent_place(c) ?
						  POLLIN | POLLOUT :
						  POLLIN,
			};
	if (pause && s->accept_at < until)
		until = s->accept_at;
	if (s->kill_at && s->kill_at < until)
		until = s->kill_at;
	if (!s->only && !s->kill_at && s->give_up_at < until)
		until = s->give_up_at;
	*ms = until == UINT64_MAX ? -1 :
	      until <= now ? 0 : (int)((until - now) / 1000000) + 1;
	return n;
}

/* One pass of the server's loop.  Returns 0 to go on, 1 in a child, or a
 * negative errno. */
static int poll_once(struct server *s, struct connection *conn,
		     struct error *err)
{
	struct pollfd fds[FDS_MAX];
	nfds_t i = CHILDREN, n;
	int ms, number;

	n = fill_poll_set(s, fds, &ms);
	if (poll(fds, n, ms) < 0)
		return errno == EINTR ? 0 : fail_errno(err, errno, NULL,
						       "cannot poll");
	for (struct child *c = s->children.all; c; c = c->next)
		if (c->fd >= 0 && fds[i++].revents & ~POLLOUT)
			on_child(s, c);
	if (fds[SIGNAL].revents) {
		signals_take(&s->cancel_fd, &number, err);
		end_children(s, number);
	}
	if (fds[ENDED].revents)
		on_ended(s);
	if (s->kill_at && time_now() >= s->kill_at)
		kill_children(s);
	kill_overdue(s);
	give_turns(s);
	if (nobody_came(s)) {
		s->gave_up = true;
		end_children(s, SIGTERM);
	}
	/* a client may wait for a process, and the pause be over */
	if (s->listener >= 0 &&
	    (fds[LISTENER].revents ||
	     (s->unserved.fd >= 0 && !time_until(s->accept_at))))
		return accept_clients(s, conn);
	return 0;
}

void serve_begin_report(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	while (report_lock >= 0 && fcntl(report_lock, F_SETLKW, &lock) &&
	       errno == EINTR)
		;
}

int serve_clients(const struct parameters *params, int listener,
		  int cancel_fd, struct connection *conn, int *status,
		  struct error *err)
{
	struct server s = {
		.params = params,
		.listener = listener,
		.cancel_fd = cancel_fd,
		.ended_fd = signals_open_ended(),
		.unserved.fd = -1,
		.status = -1,
		.give_up_at = params->once ? time_after(params->once) :
					     UINT64_MAX,
	};
	int ret = 0;

	report_lock = memfd_create("verbsperf reports", MFD_CLOEXEC);
	if (s.ended_fd < 0)
		ret = fail_errno(err, s.ended_fd, NULL,
				 "cannot wait for children");
	while (!ret && (!s.kill_at || s.children.all))
		ret = poll_once(&s, conn, err);
	if (ret > 0)
		return ret;
	close_listener(&s);
	children_free(&s.children);
	log_tell_left_out();
	*status = s.status;
	if (!ret && s.gave_up)
		return fail(err, -ETIMEDOUT, "look whether the client was "
			    "started, and with this server's address and port",
			    "no client with a test came within %.6g s (--once)",
			    (double)params->once / SECOND);
	if (!ret && params->once && !s.only)
		ret = -ECANCELED;
	return ret;
}
