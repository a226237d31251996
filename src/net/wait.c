/* Waits that a deadline or a signal ends. */
#include "config.h"
#include "net/wait.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/time.h"

/* Milliseconds until DEADLINE, rounded up, for poll(2). */
static int poll_timeout(uint64_t deadline)
{
	uint64_t left = time_until(deadline);

	if (left > 1000 * SECOND)
		return 1000000;
	return (int)((left + 999999) / 1000000);
}

int oob_wait_any(struct pollfd *fds, nfds_t n, int *cancel_fd,
		 uint64_t deadline, struct error *err)
{
	int ready;

	fds[n - 1] = (struct pollfd){ .fd = *cancel_fd, .events = POLLIN };
	do {
		ready = poll(fds, n, poll_timeout(deadline));
	} while (ready < 0 ? errno == EINTR : !ready && time_now() < deadline);
	if (ready < 0)
		return fail_errno(err, errno, NULL, "cannot poll");
	if (fds[n - 1].revents)
		return signals_take(cancel_fd, NULL, err);
	return ready ? 0 : -ETIMEDOUT;
}

int oob_wait(int fd, short events, int *cancel_fd, uint64_t deadline,
	     struct error *err)
{
	struct pollfd fds[2] = { { .fd = fd, .events = events } };

	return oob_wait_any(fds, 2, cancel_fd, deadline, err);
}

/* This process serves a client: its parent decides when to end it. */
static bool held;
/* A terminal that goes away sends two SIGHUPs, through the kernel and through
 * the shell: the second is not an impatient user. */
static bool hung_up;
/* A signal that came from outside; 0: none. */
static int ended_by;
/* timeout(1) sends a signal to its program and to the program's group, and so
 * do others: one that comes so soon after the first is no impatient user. */
#define SAME_SIGNAL (SECOND / 2)
static uint64_t taken_at;	/* when the first was taken */

static sigset_t stop_signals(void)
{
	struct sigaction action;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	/* nohup(1) has it ignored; once blocked, it would arrive as well */
	if (sigaction(SIGHUP, NULL, &action) || action.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	return set;
}

static int open_for(sigset_t set)
{
	int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

int signals_open(void)
{
	sigset_t set = stop_signals();
	int fd;

	pthread_sigmask(SIG_BLOCK, &set, NULL);
	/* only children block it, so it never reaches the parent */
	sigaddset(&set, SIGALRM);
	fd = open_for(set);
	if (fd < 0)
		signals_unblock(true);
	return fd;
}

void signals_in_child(void)
{
	sigset_t set;

	held = true;
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int signals_open_ended(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	return open_for(set);
}

void signals_take_ended(int fd)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof(info)) > 0)
		;
}

int signals_limit(uint64_t ns, struct error *err)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = SIGALRM,
		/* in ms, for the error message */
		.sigev_value.sival_ptr = (void *)(uintptr_t)(ns / 1000000),
	};
	const struct itimerspec when = {
		.it_value = { (time_t)(ns / SECOND), (long)(ns % SECOND) },
	};
	timer_t timer;

	if (!timer_create(CLOCK_MONOTONIC, &event, &timer) &&
	    !timer_settime(timer, 0, &when, NULL))
		return 0;
	return fail_errno(err, errno, NULL, "cannot make a timer");
}

void signals_unblock(bool interruptible)
{
	sigset_t set = stop_signals();

	if (hung_up)
		sigdelset(&set, SIGHUP);
	if (!held)
		pthread_sigmask(interruptible ? SIG_UNBLOCK : SIG_BLOCK, &set,
				NULL);
}

int signals_ended_by(void)
{
	return held ? 0 : ended_by;
}

/* End this process by signal NUMBER, unless it is the first one again. */
static void end_at_once(int number)
{
	const int saved = errno;

	if (time_since(taken_at) >= SAME_SIGNAL) {
		signal(number, SIG_DFL);
		raise(number);	/* which comes when this handler returns */
	}
	errno = saved;
}

/* A later signal ends this process at once. */
static void heed_later_signals(void)
{
	const struct sigaction action = { .sa_handler = end_at_once,
					  .sa_flags = SA_RESTART };
	const sigset_t set = stop_signals();

	taken_at = time_now();
	for (int number = 1; number <= SIGTERM; number++)
		if (sigismember(&set, number))
			sigaction(number, &action, NULL);
	signals_unblock(true);
}

int signals_take(int *fd, int *number, struct error *err)
{
	struct signalfd_siginfo info = { .ssi_signo = SIGTERM };
	const int from = *fd;

	*fd = -1;
	if (read(from, &info, sizeof(info)) < 0 && errno != EAGAIN)
		return fail(err, -errno, NULL, "cannot read a signal");
	hung_up = info.ssi_signo == SIGHUP;
	if (info.ssi_signo != SIGALRM)
		ended_by = (int)info.ssi_signo;
	if (!held)
		heed_later_signals();
	if (number)
		*number = (int)info.ssi_signo;
	if (info.ssi_signo == SIGALRM)
		return fail(err, -ETIME, "ask for less, or start the server "
			    "with a larger --max-duration",
			    "the session took longer than the %.6g s that the "
			    "server allows (--max-duration)",
			    (double)info.ssi_ptr / 1e3);
	return fail(err, -ECANCELED, NULL, "interrupted by SIG%s",
		    hung_up ? "HUP" :
		    info.ssi_signo == SIGINT ? "INT" : "TERM");
}
