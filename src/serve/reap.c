#include "config.h"
#include "serve/reap.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>

#include "base/log.h"
#include "base/time.h"
#include "net/wait.h"

/* Time for the child to release its objects, and for the kernel to end it. */
#define GOODBYE (10 * SECOND)
/* Interval between checks: as a rule the child ends at once. */
#define PERIOD (SECOND / 1000)

/* Does CHILD end within GOODBYE, and before the user interrupts? */
static bool ends(pid_t child, int *cancel_fd)
{
	uint64_t deadline = time_after(GOODBYE);
	struct error ignored = { 0 };
	int ret = 0;

	while (ret != -ECANCELED && time_until(deadline)) {
		pid_t pid = waitpid(child, NULL, WNOHANG);

		if (pid == child || (pid < 0 && errno != EINTR))
			return true;
		ret = oob_wait(-1, 0, cancel_fd, time_after(PERIOD), &ignored);
	}
	return false;
}

void reap(pid_t child, int cancel_fd)
{
	if (ends(child, &cancel_fd))
		return;
	log_warning("the server's process %d does not end: killing it",
		    (int)child);
	kill(child, SIGKILL);
	if (!ends(child, &cancel_fd))
		log_warning("the server's process %d was killed but does not "
			    "end: the kernel keeps it", (int)child);
}
