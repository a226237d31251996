#include "config.h"
#include "watch/wake.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A message of the kernel's about a device; longer ones may be cut. */
#define MESSAGE_SIZE 8192

static const struct {
	int protocol;
	unsigned int groups;
	const char *about;	/* only what has this word; NULL: all */
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

void wake_open(struct wake *wake)
{
	for (int i = 0; i < WAKES; i++)
		wake->fds[i] = listen_to(sockets[i].protocol,
					 sockets[i].groups);
}

bool wake_take(struct wake *wake, int index)
{
	const char *about = sockets[index].about;
	char message[MESSAGE_SIZE];
	bool ours = false;
	ssize_t n;

	/* a failure means that messages were dropped: they may be ours, too */
	while ((n = recv(wake->fds[index], message, sizeof(message), 0)) > 0)
		ours = ours || !about ||
		       memmem(message, (size_t)n, about, strlen(about));
	return ours || errno != EAGAIN;
}

void wake_close(struct wake *wake)
{
	for (int i = 0; i < WAKES; i++)
		if (wake->fds[i] >= 0)
			close(wake->fds[i]);
}
