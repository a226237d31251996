#include "config.h"
#include "verbs/advice.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Set-up verbs, or any verb (NULL): the advice for each link layer, or for
 * BOTH. */
static const struct {
	const char *verb;
	int errnum;
	const char *ethernet;
	const char *infiniband;
} setup[] = {
#define BOTH(text) text, text
#define UNREACHABLE \
	"no route or no neighbour entry towards the peer's GID: ping it, try " \
	"another -x", \
	"the subnet manager knows no path to the peer's LID or GID: " \
	"'ibstat', 'sminfo', try another -x"
	{ "ibv_modify_qp", EINVAL,
	  "the GID index or the MTU may not suit the peer: 'verbsperf "
	  "devices', -x, -m",
	  "the P_Key, the service level or the MTU may not suit the peer: "
	  "'verbsperf devices', --pkey-index, -S, -m" },
	{ "ibv_modify_qp", ENETUNREACH, UNREACHABLE },
	{ "ibv_modify_qp", EHOSTUNREACH, UNREACHABLE },
	{ "ibv_modify_qp", ETIMEDOUT, UNREACHABLE },
	{ "ibv_create_qp", EINVAL,
	  BOTH("try a smaller -t or -r, or -I 0 for less inline data") },
	{ "ibv_create_qp", ENOMEM,
	  BOTH("try fewer -q, a smaller -t, -r or -I, or a higher limit on "
	       "locked memory (ulimit -l)") },
	{ "ibv_reg_mr", ENOMEM,
	  BOTH("try fewer -q or a smaller -s, or a higher limit on locked "
	       "memory (ulimit -l)") },
	{ "ibv_reg_mr", EACCES,
	  BOTH("the process may not have the access asked for: look at the "
	       "permissions of /dev/infiniband/uverbs*") },
	{ "ibv_reg_mr", EPERM,
	  BOTH("the process may not lock memory: raise the limit (ulimit -l) "
	       "or give it CAP_IPC_LOCK") },
	{ NULL, EAGAIN,
	  BOTH("a control group of the process may allow it no more objects "
	       "of the device (rdma.max)") },
};

const char *verb_advice(const struct port *port, const char *verb, int errnum)
{
	const size_t n = sizeof(setup) / sizeof(*setup);

	for (size_t i = 0; i < n; i++)
		if (setup[i].errnum == errnum &&
		    (!setup[i].verb || !strcmp(setup[i].verb, verb)))
			return port_is_ethernet(port) ? setup[i].ethernet :
							setup[i].infiniband;
	return NULL;
}

int verb_failed(const struct port *port, const char *verb, int errnum,
		struct error *err, const char *fmt, ...)
{
	char what[sizeof(err->message)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return fail_errno(err, errnum, verb_advice(port, verb, abs(errnum)),
			  "%s: %s", port->device, what);
}
