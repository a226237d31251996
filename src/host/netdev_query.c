/* Queries the kernel about a network interface.  Unit tests have functions of
 * their own in place of these. */
#include "config.h"

#include <errno.h>
#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "host/netdev.h"

int ethtool_query(const char *netdev, void *request)
{
	struct ifreq ifreq = { .ifr_data = request };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), ret = 0;

	if (fd < 0)
		return -errno;
	snprintf(ifreq.ifr_name, sizeof(ifreq.ifr_name), "%.15s", netdev);
	if (ioctl(fd, SIOCETHTOOL, &ifreq))
		ret = -errno;
	close(fd);
	return ret;
}

struct request {
	struct nlmsghdr header;
	struct dcbmsg dcb;
	struct rtattr attribute;
	char name[16];
};

long dcb_query(const char *netdev, void *reply)
{
	/* the kernel answers at once, or not at all */
	const struct timeval limit = { .tv_usec = 100000 };
	struct request request = {
		.header = { .nlmsg_len = sizeof(request),
			    .nlmsg_type = RTM_GETDCB,
			    .nlmsg_flags = NLM_F_REQUEST },
		.dcb = { .dcb_family = AF_UNSPEC, .cmd = DCB_CMD_IEEE_GET },
		.attribute = { .rta_len = RTA_LENGTH(sizeof(request.name)),
			       .rta_type = DCB_ATTR_IFNAME },
	};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	ssize_t n = -1;
	int ret;

	if (fd < 0)
		return -errno;
	snprintf(request.name, sizeof(request.name), "%.15s", netdev);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (send(fd, &request, sizeof(request), 0) == sizeof(request))
		n = recv(fd, reply, DCB_REPLY_SIZE, 0);
	ret = -errno;
	close(fd);
	return n < 0 ? ret : n;
}
