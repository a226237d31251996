/* Waits for what happens to devices, from the kernel's messages and once a
 * second. */
#include "config.h"
#include "watch/event.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/numbers.h"
#include "base/time.h"
#include "base/xalloc.h"
#include "net/wait.h"
#include "watch/devices.h"

/* How often to refresh where nothing reports changes. */
#define REFRESH_PERIOD SECOND
/* A change brings many messages: refresh once for all that come within
 * WAKE_DELAY, and once more SETTLE_DELAY later. */
#define WAKE_DELAY (SECOND / 50)
#define SETTLE_DELAY (SECOND / 4)
/* How often to try a reader that does not read. */
#define FLUSH_PERIOD (SECOND / 50)

/* A message of the kernel's about a device; longer ones may be cut. */
#define MESSAGE_SIZE 8192

/* Sockets on which the kernel reports changes: one for devices that come and
 * go, one for links and addresses. */
#define WAKES 2

static const struct {
	int protocol;
	unsigned int groups;
	const char *about;	/* only messages with this word; NULL: all */
} sockets[WAKES] = {
	{ NETLINK_KOBJECT_UEVENT, 1, "infiniband" },
	{ NETLINK_ROUTE,
	  RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR, NULL },
};

static int listen_to(int protocol, unsigned int groups)
{
	const struct sockaddr_nl address = {
		.nl_family = AF_NETLINK,
		.nl_groups = groups,
	};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
			protocol);

	if (fd < 0 ||
	    !bind(fd, (const struct sockaddr *)&address, sizeof(address)))
		return fd;
	close(fd);
	return -1;
}

/* Drain FD, the socket with INDEX.  True if a message may be about RDMA
 * devices. */
static bool wake_take(int fd, int index)
{
	const char *about = sockets[index].about;
	char message[MESSAGE_SIZE];
	bool ours = false;
	ssize_t n;

	/* after a failure messages were dropped, which may have been about
	 * them */
	while ((n = recv(fd, message, sizeof(message), 0)) > 0)
		ours = ours || !about ||
		       memmem(message, (size_t)n, about, strlen(about));
	return ours || errno != EAGAIN;
}

enum { CANCEL, READER, WAKE, N_FIXED = WAKE + WAKES };

struct loop {
	struct watched_devices devices;
	int wake_fds[WAKES];	/* -1: the kernel does not let us listen */
	int cancel_fd;
	uint64_t end_at, refresh_at;
	bool settles;		/* refresh once more, soon */
	struct pollfd *fds;
	size_t n_fds;
};

static void refresh(struct loop *loop)
{
	devices_refresh(&loop->devices);
	loop->refresh_at =
		time_after(loop->settles ? SETTLE_DELAY : REFRESH_PERIOD);
	loop->settles = false;
}

static void refresh_soon(struct loop *loop)
{
	loop->refresh_at = smaller(loop->refresh_at, time_after(WAKE_DELAY));
	loop->settles = true;
}

/* Devices that cannot be watched have no descriptor. */
static void fill(struct loop *loop)
{
	struct watch_taker *taker = loop->devices.taker;
	size_t n = N_FIXED + loop->devices.n;

	if (n > loop->n_fds) {
		free(loop->fds);
		loop->fds = xcalloc(n, sizeof(*loop->fds));
	}
	loop->n_fds = n;
	for (size_t i = 0; i < n; i++)
		loop->fds[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
	loop->fds[CANCEL].fd = loop->cancel_fd;
	/* no events: only to see whether it is closed */
	loop->fds[READER] = (struct pollfd){ .fd = taker->fd(taker) };
	for (int i = 0; i < WAKES; i++)
		loop->fds[WAKE + i].fd = loop->wake_fds[i];
	for (size_t i = 0; i < loop->devices.n; i++)
		if (loop->devices.list[i].context)
			loop->fds[N_FIXED + i].fd =
				loop->devices.list[i].context->async_fd;
}

/* How long to sleep, in ms, rounded up. */
static int poll_timeout(const struct loop *loop, bool behind)
{
	uint64_t ns = time_until(smaller(loop->refresh_at, loop->end_at));

	if (behind)
		ns = smaller(ns, FLUSH_PERIOD);
	return (int)((ns + 999999) / 1000000);
}

static void take_ready(struct loop *loop)
{
	for (size_t i = 0; i < loop->n_fds - N_FIXED; i++)
		if (loop->fds[N_FIXED + i].revents) {
			devices_take_events(&loop->devices,
					    &loop->devices.list[i]);
			refresh_soon(loop);
		}
	for (int i = 0; i < WAKES; i++)
		if (loop->fds[WAKE + i].revents &&
		    wake_take(loop->wake_fds[i], i))
			refresh_soon(loop);
	if (!time_until(loop->refresh_at))
		refresh(loop);
}

/* Returns 0 to go on, 1 when all is over, or a negative errno. */
static int poll_once(struct loop *loop, struct error *err)
{
	struct watch_taker *taker = loop->devices.taker;
	int behind = taker->flush(taker);
	struct error stopped = { 0 };

	/* the owner of the taker learns from it why nothing can be written */
	if (behind < 0 || !time_until(loop->end_at))
		return 1;
	fill(loop);
	if (poll(loop->fds, loop->n_fds, poll_timeout(loop, behind > 0)) < 0)
		return errno == EINTR ? 0 : fail_errno(err, errno, NULL,
						       "cannot poll");
	if (loop->fds[CANCEL].revents)
		signals_take(&loop->cancel_fd, NULL, &stopped);
	if (loop->fds[CANCEL].revents || loop->fds[READER].revents)
		return 1;
	take_ready(loop);
	return 0;
}

int watch(const struct parameters *params, struct watch_taker *taker,
	  int cancel_fd, struct error *err)
{
	struct loop loop = {
		.cancel_fd = cancel_fd,
		.end_at = params->timed ? time_after(params->plan.duration) :
					  UINT64_MAX,
	};
	int ret;

	devices_init(&loop.devices, params->device, params->ib_port, taker);
	/* without a socket, refreshing now and then finds the changes */
	for (int i = 0; i < WAKES; i++)
		loop.wake_fds[i] = listen_to(sockets[i].protocol,
					     sockets[i].groups);
	refresh(&loop);
	if (!loop.devices.n)
		log_info("no RDMA device%s%s is here yet: waiting for it",
			 params->device ? " " : "",
			 params->device ? params->device : "");
	do {
		ret = poll_once(&loop, err);
	} while (!ret);
	for (int i = 0; i < WAKES; i++)
		if (loop.wake_fds[i] >= 0)
			close(loop.wake_fds[i]);
	devices_close(&loop.devices);
	free(loop.fds);
	return ret < 0 ? ret : 0;
}
