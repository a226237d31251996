#include "config.h"
#include "control/signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static sigset_t stop_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	return set;
}

int signals_open(void)
{
	sigset_t set = stop_signals();
	int fd, ret = pthread_sigmask(SIG_BLOCK, &set, NULL);

	if (ret)
		return -ret;
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

void signals_unblock(bool interruptible)
{
	sigset_t set = stop_signals();

	pthread_sigmask(interruptible ? SIG_UNBLOCK : SIG_BLOCK, &set, NULL);
}

int signals_take(int fd, struct error *err)
{
	struct signalfd_siginfo info = { .ssi_signo = SIGTERM };

	if (read(fd, &info, sizeof(info)) < 0 && errno != EAGAIN)
		return fail(err, -errno, NULL, "cannot read a signal");
	signals_unblock(true);
	return fail(err, -ECANCELED, NULL, "interrupted by %s",
		    info.ssi_signo == SIGINT ? "SIGINT" : "SIGTERM");
}
