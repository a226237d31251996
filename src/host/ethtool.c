#include "config.h"
#include "host/ethtool.h"

#include <errno.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

int ethtool_ask(const char *netdev, void *request)
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
