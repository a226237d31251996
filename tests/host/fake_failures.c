/* To be preloaded: the system call FAKE_FAILURE fails for want of something. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int fails(const char *name)
{
	const char *wanted = getenv("FAKE_FAILURE");

	return wanted && !strcmp(wanted, name);
}

pid_t fork(void)
{
	pid_t (*real)(void) = (pid_t (*)(void))dlsym(RTLD_NEXT, "fork");

	errno = EAGAIN;
	return fails("fork") ? -1 : real();
}

int socketpair(int domain, int type, int protocol, int fds[2])
{
	int (*real)(int, int, int, int[2]) =
		(int (*)(int, int, int, int[2]))dlsym(RTLD_NEXT, "socketpair");

	errno = EMFILE;
	return fails("socketpair") ? -1 : real(domain, type, protocol, fds);
}

int signalfd(int fd, const sigset_t *mask, int flags)
{
	int (*real)(int, const sigset_t *, int) =
		(int (*)(int, const sigset_t *, int))dlsym(RTLD_NEXT,
							   "signalfd");

	errno = EMFILE;
	return fails("signalfd") ? -1 : real(fd, mask, flags);
}
