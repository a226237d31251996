/* Words from the kernel that devices, links or addresses have changed. */
#ifndef WATCH_WAKE_H
#define WATCH_WAKE_H

#include <stdbool.h>

/* One socket for devices that come and go, one for links and addresses. */
#define WAKES 2

struct wake {
	int fds[WAKES];		/* -1: the kernel does not let us listen */
};

/* Listen; harmless where that is not allowed: changes are then found by looking
 * every now and then.  Call wake_close(). */
void wake_open(struct wake *wake);

/* Drain the socket with INDEX.  True if what came may be about RDMA devices. */
bool wake_take(struct wake *wake, int index);

void wake_close(struct wake *wake);

#endif
