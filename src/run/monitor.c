/* The thread that watches the traffic of a round, and ends it. */
#include "config.h"
#include "run/monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/log.h"
#include "base/numbers.h"
#include "base/time.h"
#include "net/wait.h"
#include "verbs/explain.h"

/* The period of the checks: four fit into the shortest timeout, a second. */
#define TICK (SECOND / 4)
/* How long messages of a quiet peer may still come after it has closed the
 * connection, or after the time is over, in ns. */
#define QUIET_GRACE SECOND

enum { WAKE, TIMER, CONTROL, ASYNC, SIGNAL, STDIN, N_FDS };

/* The peer is not verbsperf: nothing is said while traffic runs. */
static bool is_quiet(const struct monitor *m)
{
	return m->peer.plan->quiet;
}

static enum phase get_phase(struct monitor *m)
{
	return phase_of(atomic_load(&m->control->command));
}

/* A quiet peer may begin a ping-pong late, and counts time from then on. */
static bool awaits_first(const struct monitor *m)
{
	return plan_both_measure(m->peer.plan) && !m->messages;
}

/* Schedule the next change of phase, if this end keeps the time. */
static void schedule_phase(struct monitor *m)
{
	m->phase_at = UINT64_MAX;
	if (awaits_first(m))
		return;
	if (m->keeps_time && get_phase(m) == PHASE_WARMUP && !m->held)
		m->phase_at = time_after(m->warmup);
	else if (m->keeps_time && get_phase(m) == PHASE_MEASURE && m->duration)
		m->phase_at = time_after(m->duration);
	if (get_phase(m) != PHASE_MEASURE)
		return;
	progress_measure(m->progress, time_now(), m->phase_at);
	/* the window closes first: the loops do not wait for a reading */
	if (m->phase_at != UINT64_MAX)
		m->meter_at = m->phase_at;
}

/* The end of the window does not wait for a reading. */
static void glance(struct monitor *m)
{
	meter_glance(m->meter, m->counters);
	m->glance_at = time_after(m->glances);
	if (m->meter_at < m->glance_at + m->glances / 2)
		m->glance_at = UINT64_MAX;
}

/* Read at the opening of the window; an end without one reads when the other
 * end's opens, which is after the warm-up, too. */
static void open_meter(struct monitor *m)
{
	if (!m->counted)
		counter_reader_begin(m->counters);
	meter_open(m->meter);
	m->meter_at = m->duration ? time_after(m->duration) : UINT64_MAX;
	if (m->glances)
		glance(m);
}

static void close_meter(struct monitor *m)
{
	if (m->glances && meter_is_open(m->meter))
		meter_glance(m->meter, m->counters);
	m->glance_at = UINT64_MAX;
	meter_close(m->meter);
	m->meter_at = UINT64_MAX;
}

static void advance_phase(struct monitor *m)
{
	flow_set_phase(m->control, get_phase(m) + 1);
	schedule_phase(m);
	if (m->drain && get_phase(m) == PHASE_DRAIN)
		m->leave_at = time_after(m->drain);
}

/* The time is over, and what is outstanding must not cost the result: leave it,
 * unless nothing ever completed.  False: the loops do not. */
static bool leave(struct monitor *m)
{
	m->leave_at = UINT64_MAX;
	if (!m->drain || get_phase(m) != PHASE_DRAIN || !m->messages)
		return false;
	m->progress_at = time_now();
	flow_set_phase(m->control, PHASE_LEAVE);
	return true;
}

/* Open the window after --hold: the client has read a line, or this server its
 * second START. */
static void release(struct monitor *m)
{
	m->held = false;
	m->hold_at = UINT64_MAX;
	open_meter(m);
	if (m->keeps_time)
		advance_phase(m);
}

static void arm_timer(struct monitor *m)
{
	uint64_t at = smaller(m->tick_at, m->phase_at);
	struct itimerspec when = { 0 };

	at = smaller(at, m->meter_at);
	at = smaller(at, m->leave_at);
	at = smaller(at, m->hold_at);
	at = smaller(at, m->glance_at);
	at = smaller(at, m->alive_at);
	at = smaller(at, m->progress->wake_at);
	when.it_value.tv_sec = (time_t)(at / SECOND);
	when.it_value.tv_nsec = (long)(at % SECOND);
	timerfd_settime(m->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
}

/* How long nothing may complete, in ns.  Of a peer that says nothing, now or
 * after its DONE, the messages are all that tells that it lives. */
static uint64_t progress_timeout(const struct monitor *m)
{
	return is_quiet(m) || m->have_done ? m->peer_timeout :
					     m->peer.plan->timeout;
}

static int check_progress(struct monitor *m)
{
	const uint64_t timeout = progress_timeout(m);
	const double seconds = (double)timeout / (double)SECOND;

	if (m->progress->messages != m->messages) {
		const bool first = awaits_first(m);

		m->messages = m->progress->messages;
		if (first)
			schedule_phase(m);
		m->progress_at = time_now();
		m->progress_ticks = clock_ticks(m->clock);
		m->peer_sent_deadline =
			larger(m->peer_sent_deadline, time_after(timeout));
		return 0;
	}
	if (!m->must_progress || time_since(m->progress_at) < timeout)
		return 0;
	if (leave(m))
		return 0;
	/* requests of a batch may have completed */
	if (m->peer.plan->batch.n)
		return fail(&m->err, -ETIMEDOUT,
			    "use a smaller --batch; --timeout waits longer",
			    "no batch completed for %.3g s", seconds);
	/* what this host shows of the path says more: failure.c */
	m->stalled = timeout >= m->peer.plan->timeout;
	return fail(&m->err, -ETIMEDOUT,
		    explain_loss(m->peer.plan, m->progress->size,
				 "look at the client; --idle-timeout waits "
				 "longer"),
		    "nothing completed for %.3g s", seconds);
}

static int check_silence(struct monitor *m)
{
	if (is_quiet(m) || m->have_done ||
	    time_since(m->heard_at) < m->peer_timeout)
		return 0;
	return fail(&m->err, -ETIMEDOUT,
		    "its host or the network between may be down",
		    "the %s said nothing for %.3g s", m->conn->peer,
		    (double)m->peer_timeout / (double)SECOND);
}

/* Signs of life alone do not keep a client waiting: the server must send SENT
 * in time. */
static int check_sent(struct monitor *m)
{
	if (is_quiet(m) || !m->awaits || m->peer.client ||
	    time_until(m->peer_sent_deadline) ||
	    atomic_load(&m->control->peer_sent))
		return 0;
	return fail(&m->err, -ETIMEDOUT, "use a longer --timeout",
		    "the server is alive, but has not said within %.6g s that "
		    "it sent everything",
		    (double)m->sent_timeout / (double)SECOND);
}

/* Send FRAME, and free it. */
static int send_frame(struct monitor *m, struct frame frame, uint64_t deadline)
{
	int ret;

	m->said_ticks[++m->n_said % MONITOR_SAID] = clock_ticks(m->clock);
	ret = oob_send_or_explain(m->conn, &frame, deadline, &m->err);
	frame_free(&frame);
	return ret;
}

/* Send SENT, with the number of messages that each loop has sent. */
static int send_sent(struct monitor *m)
{
	const int ret = send_frame(m, encode_sent(&m->sent), time_now());

	m->sent_pending = false;
	m->sent_done = true;
	m->must_progress = atomic_load(&m->control->peer_sent);
	return ret;
}

static int send_alive(struct monitor *m)
{
	if (time_now() < m->alive_at)
		return 0;
	m->alive_at = time_after(alive_period(m->peer.plan->timeout));
	/* a peer that does not read must not delay the end of the window */
	if (!oob_can_send(m->conn))
		return 0;
	return send_frame(m, encode_empty(FRAME_ALIVE), time_after(SECOND));
}

/* True when sysfs has the device's file; also false where sysfs shows none. */
static bool is_listed(const struct monitor *m)
{
	return access(m->context->device->dev_path, F_OK) == 0;
}

/* The kernel delists a removed device at once, and then some drivers wait until
 * nobody uses it: no event and no completion reports that. */
static int check_removal(struct monitor *m)
{
	if (!m->listed || is_listed(m))
		return 0;
	return fail(&m->err, -ENODEV,
		    "check the kernel's log: somebody ran 'rdma link delete' "
		    "or removed the driver",
		    "%s is being removed from this host",
		    ibv_get_device_name(m->context->device));
}

/* A quiet peer ends by its own clock, or with its process. */
static int check_quiet(struct monitor *m)
{
	if (!is_quiet(m))
		return 0;
	if (get_phase(m) == PHASE_DRAIN) {
		m->left = time_since(m->progress_at) >= QUIET_GRACE;
		if (m->left)
			flow_set_phase(m->control, PHASE_ABORT);
		return 0;
	}
	if (m->closed_at && time_since(m->closed_at) >= QUIET_GRACE)
		return fail(&m->err, -ECONNRESET, "look at its output",
			    "the %s closed the connection while traffic ran",
			    m->conn->peer);
	if (time_until(m->traffic_until))
		return 0;
	return fail(&m->err, -ETIMEDOUT, "look whether it hangs",
		    "the %s did not end its traffic in the %.3g s that this "
		    "may take", m->conn->peer,
		    (double)time_since(m->began_at) / (double)SECOND);
}

static int on_tick(struct monitor *m)
{
	int ret = check_removal(m);

	m->tick_at = time_after(TICK);
	clock_watch_update(m->watch, m->clock);
	ret = ret ?: check_progress(m) ?: check_quiet(m) ?:
		check_silence(m) ?: check_sent(m);
	/* if the peer still does not read, this fails */
	if (!ret && m->sent_pending && !time_until(m->sent_deadline))
		ret = send_sent(m);
	return ret;
}

/* The client's warm-up is over: let a line open the window, or give up when
 * none came in time. */
static int on_hold(struct monitor *m)
{
	if (m->reads_stdin)
		return fail(&m->err, -ETIMEDOUT,
			    "write a line to standard input earlier, or use a "
			    "longer --hold",
			    "nobody opened the window in %.3g s (--hold)",
			    (double)m->peer.plan->hold / (double)SECOND);
	m->reads_stdin = true;
	m->hold_at = time_after(m->peer.plan->hold);
	log_info("warm: a line on standard input opens the window");
	return 0;
}

/* Read one byte of standard input at a time: what follows the line belongs to
 * the next size. */
static int on_line(struct monitor *m)
{
	char byte;
	ssize_t n = read(STDIN_FILENO, &byte, 1);
	int ret;

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (n <= 0)
		return fail(&m->err, -ECANCELED, NULL,
			    "standard input ended before a line opened the "
			    "window (--hold)");
	if (byte != '\n')
		return 0;
	ret = send_frame(m, encode_start(m->progress->size),
			 time_after(SECOND));
	if (!ret)
		release(m);
	arm_timer(m);
	return ret;
}

/* The client's second START: open the window at this server, too. */
static int on_open(struct monitor *m, const struct frame *frame)
{
	const uint64_t due = m->progress->size;
	uint64_t size;
	int ret = decode_start(frame, &size, &m->err) ?:
		  wire_check(FRAME_START, "size", size, due, due, &m->err);

	if (!ret)
		release(m);
	arm_timer(m);
	return ret;
}

static int on_timer(struct monitor *m)
{
	uint64_t expirations;
	int ret = 0;

	if (read(m->timer_fd, &expirations, sizeof(expirations)) < 0)
		return 0;
	if (time_now() >= m->meter_at && !meter_is_open(m->meter))
		open_meter(m);
	if (time_now() >= m->phase_at)
		advance_phase(m);
	if (time_now() >= m->leave_at)
		leave(m);
	if (time_now() >= m->meter_at)
		close_meter(m);
	progress_update(m->progress, time_now());
	if (time_now() >= m->glance_at)
		glance(m);
	if (time_now() >= m->hold_at)
		ret = on_hold(m);
	if (!ret && time_now() >= m->tick_at)
		ret = on_tick(m);
	if (!ret && m->progress->unread)
		ret = fail(&m->err, -ECANCELED, NULL,
			   "nobody reads the rows of the run");
	ret = ret ?: send_alive(m);
	arm_timer(m);
	return ret;
}

/* The peer has sent everything: each flow's number of messages is known. */
static int on_sent(struct monitor *m, const struct frame *frame)
{
	struct peer_facts peer = m->peer;
	struct sent sent;
	int ret = decode_sent(frame, &sent, &m->err);

	peer.elapsed = time_since(m->began_at);

	if (!ret)
		ret = wire_check(FRAME_SENT, "number of threads", sent.n,
				 m->n_flows, m->n_flows, &m->err);
	if (!ret && atomic_load(&m->control->peer_sent))
		ret = wire_fail(&m->err, m->conn->peer,
				frame_content(FRAME_SENT),
				"the %s sent SENT twice", m->conn->peer);
	for (uint32_t i = 0; i < m->n_flows && !ret; i++)
		ret = peer_check_sent(&peer, m->flows[i].receivers ?
						     1 : m->flows[i].n_qps,
				      sent.messages[i], &m->err);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < m->n_flows; i++)
		m->flows[i].expected = sent.messages[i];
	atomic_store_explicit(&m->control->peer_sent, true,
			      memory_order_release);
	m->must_progress = true;
	m->progress_at = time_now();
	if (plan_answers(m->peer.plan, !m->peer.client))
		flow_set_phase(m->control, PHASE_DRAIN);
	sem_post(&m->peer_sent);
	return 0;
}

/* True when DONE may come: after this end's SENT and the peer's. */
static bool is_done_due(const struct monitor *m)
{
	return (!m->sends || m->sent_done) &&
	       (!m->awaits || atomic_load(&m->control->peer_sent));
}

/* The connection has something of a quiet peer, which is read later: a client
 * that has sent everything goes on, perhaps before this end has taken it all.
 * Whether the peer is still there, what it sent does not say. */
static void on_word(struct monitor *m, short events)
{
	char byte;

	if (events & OOB_GONE)
		m->closed_at = time_now();
	if (m->heard || recv(m->conn->fd, &byte, 1,
			     MSG_PEEK | MSG_DONTWAIT) <= 0)
		return;
	m->heard = true;
	atomic_store_explicit(&m->control->peer_sent, true,
			      memory_order_release);
	sem_post(&m->peer_sent);
}

static int on_frame(struct monitor *m)
{
	struct frame frame;
	int ret = oob_take(m->conn, "the end of the run", &frame,
			   &m->err);

	if (ret)
		return ret == -EAGAIN ? 0 : ret;
	m->heard_at = time_now();
	m->heard_ticks = clock_ticks(m->clock);
	m->n_heard++;
	if (frame.type == FRAME_DONE && is_done_due(m)) {
		m->done = frame;
		m->have_done = true;
		m->done_ticks = clock_ticks(m->clock);
		return 0;
	}
	if (frame.type == FRAME_ABORT)
		ret = frames_take_error(&frame, m->conn->peer, &m->err);
	else if (frame.type == FRAME_SENT)
		ret = on_sent(m, &frame);
	else if (frame.type == FRAME_START && m->held && m->peer.client)
		ret = on_open(m, &frame);
	else if (frame.type != FRAME_ALIVE)
		ret = wire_fail(&m->err, m->conn->peer, "message",
				"the %s sent %s while traffic ran",
				m->conn->peer, frame_name(frame.type));
	frame_free(&frame);
	return ret;
}

/* EVENTS of the connection other than room to send. */
static int on_connection(struct monitor *m, short events)
{
	if (m->have_done)
		return oob_explain_gone(m->conn, "the end of the run",
					&m->err);
	if (!is_quiet(m))
		return on_frame(m);
	on_word(m, events);
	return 0;
}

/* What to wait for at the connection: that the peer leaves, and what it says
 * next, but not again for what is read later.  0: it has left. */
static short connection_events(const struct monitor *m)
{
	if (m->closed_at)
		return 0;
	return (short)(POLLRDHUP | (m->have_done || m->heard ? 0 : POLLIN) |
		       (m->sent_pending ? POLLOUT : 0));
}

/* A loop has something to send, or is over. */
static void on_wake(struct monitor *m)
{
	eventfd_t times;

	if (!eventfd_read(m->wake_fd, &times) &&
	    atomic_exchange(&m->sent_requested, false)) {
		m->sent_pending = true;
		m->sent_deadline = time_after(SECOND);
	}
}

static bool is_over(const struct monitor *m)
{
	return atomic_load(&m->stop) && !atomic_load(&m->sent_requested) &&
	       !m->sent_pending;
}

bool monitor_take_event(struct ibv_context *context, struct error *err)
{
	struct pollfd fd = { .fd = context->async_fd, .events = POLLIN };
	struct ibv_async_event event;
	enum ibv_event_type type;

	if (poll(&fd, 1, 0) != 1 || ibv_get_async_event(context, &event))
		return false;
	type = event.event_type;
	ibv_ack_async_event(&event);
	if (!explain_event_of(type)->fatal)
		return false;
	explain_event(type, ibv_get_device_name(context->device), err);
	return true;
}

/* One iteration, in which nothing waits for the peer: this thread ends the
 * window.  Returns 0 to go on, 1 when all is done, or a negative errno. */
static int poll_once(struct monitor *m)
{
	const short wants = connection_events(m);
	struct pollfd fds[N_FDS] = {
		[WAKE] = { .fd = m->wake_fd, .events = POLLIN },
		[TIMER] = { .fd = m->timer_fd, .events = POLLIN },
		[CONTROL] = { .fd = wants ? m->conn->fd : -1, .events = wants },
		[ASYNC] = { .fd = m->context->async_fd, .events = POLLIN },
		[SIGNAL] = { .fd = m->conn->cancel_fd, .events = POLLIN },
		[STDIN] = { .fd = m->held && m->reads_stdin ? STDIN_FILENO : -1,
			    .events = POLLIN },
	};
	int ret = 0;

	if (poll(fds, N_FDS, -1) < 0)
		return errno == EINTR ? 0 : fail_errno(&m->err, errno, NULL,
						       "cannot poll");
	if (fds[WAKE].revents)
		on_wake(m);
	if (is_over(m))
		return 1;
	if (m->sent_pending && fds[CONTROL].revents & POLLOUT)
		ret = send_sent(m);
	if (!ret && fds[SIGNAL].revents)
		ret = signals_take(&m->conn->cancel_fd, NULL, &m->err);
	if (!ret && fds[ASYNC].revents)
		ret = monitor_take_event(m->context, &m->err) ? -EIO : 0;
	if (!ret && fds[CONTROL].revents & ~POLLOUT)
		ret = on_connection(m, fds[CONTROL].revents);
	if (!ret && fds[STDIN].revents)
		ret = on_line(m);
	if (!ret && fds[TIMER].revents)
		ret = on_timer(m);
	return ret ?: is_over(m);
}

static void *watch(void *argument)
{
	struct monitor *m = argument;
	int ret;

	pthread_setname_np(pthread_self(), "monitor");
	do {
		ret = poll_once(m);
	} while (!ret);
	if (ret < 0)
		flow_set_phase(m->control, PHASE_ABORT);
	close_meter(m);
	counter_reader_end(m->counters);
	sem_post(&m->peer_sent);
	return NULL;
}

static void close_fds(struct monitor *m)
{
	sem_destroy(&m->peer_sent);
	if (m->wake_fd >= 0)
		close(m->wake_fd);
	if (m->timer_fd >= 0)
		close(m->timer_fd);
}

static void begin(struct monitor *m)
{
	uint64_t now = time_now();

	m->have_done = false;
	m->sent_done = m->sent_pending = false;
	m->peer_sent_deadline = time_after(m->sent_timeout);
	m->messages = 0;
	m->must_progress = m->sends ||
		(is_quiet(m) &&
		 plan_posts_receives(m->peer.plan, !m->peer.client));
	m->listed = is_listed(m);
	m->progress_ticks = clock_ticks(m->clock);
	m->tick_at = now + TICK;
	m->heard_at = m->progress_at = now;
	m->alive_at = is_quiet(m) ? UINT64_MAX :
				    now + alive_period(m->peer.plan->timeout);
	m->held = m->peer.plan->hold > 0;
	m->hold_at = m->held && !m->peer.client ? time_after(m->warmup) :
						  UINT64_MAX;
	m->meter_at = m->held ? UINT64_MAX : time_after(m->warmup);
	m->glance_at = m->leave_at = UINT64_MAX;
	if (!m->held && !m->warmup)
		open_meter(m);
	atomic_store(&m->control->command,
		     m->keeps_time && (m->held || m->warmup) ? PHASE_WARMUP :
							       PHASE_MEASURE);
	schedule_phase(m);
	arm_timer(m);
}

int monitor_start(struct monitor *m, struct error *err)
{
	int ret;

	sem_init(&m->peer_sent, 0, 0);
	m->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	m->timer_fd = timerfd_create(CLOCK_MONOTONIC,
				     TFD_CLOEXEC | TFD_NONBLOCK);
	if (m->wake_fd < 0 || m->timer_fd < 0) {
		ret = fail_errno(err, errno, NULL, "cannot start the monitor");
		close_fds(m);
		return ret;
	}
	begin(m);
	ret = pthread_create(&m->thread, NULL, watch, m);
	if (ret) {
		ret = fail_errno(err, ret, NULL, "cannot start the monitor");
		close_fds(m);
	}
	return ret;
}

static void wake(struct monitor *m)
{
	/* cannot fail: the counter is far from its limit */
	eventfd_write(m->wake_fd, 1);
}

void monitor_send_sent(struct monitor *m)
{
	if (is_quiet(m))
		return;
	m->sent.n = m->n_flows;
	for (uint32_t i = 0; i < m->n_flows; i++)
		m->sent.messages[i] = m->flows[i].posted - m->flows[i].left;
	atomic_store(&m->sent_requested, true);
	wake(m);
}

int monitor_wait_peer(struct monitor *m)
{
	while (sem_wait(&m->peer_sent) && errno == EINTR)
		;
	return get_phase(m) == PHASE_ABORT ? -ECANCELED : 0;
}

void monitor_stop(struct monitor *m)
{
	atomic_store(&m->stop, true);
	wake(m);
	pthread_join(m->thread, NULL);
	close_fds(m);
}
