/* Asks a network interface by the ioctl of ethtool(8). */
#ifndef HOST_ETHTOOL_H
#define HOST_ETHTOOL_H

/* Give REQUEST, a struct of <linux/ethtool.h> that begins with its command, to
 * NETDEV, which fills it in.  Returns 0 or a negative errno. */
int ethtool_ask(const char *netdev, void *request);

#endif
