/* What to do about a verb that failed while objects were made. */
#include "config.h"
#include "verbs/advice.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Set-up verbs, or any verb (NULL): the advice for each kind of port, or for
 * ALL. */
static const struct {
	const char *verb;
	int errnum;
	const char *ethernet;
	const char *infiniband;
	const char *efa;
} setup[] = {
#define ALL(text) text, text, text
#define UNREACHABLE \
	"no route or no neighbour entry towards the peer's GID: ping it, try " \
	"another -x (between two NICs of one host a ping proves nothing: the " \
	"kernel answers it without a NIC)", \
	"the subnet manager knows no path to the peer's LID or GID: " \
	"'ibstat', 'sminfo', try another -x", \
	"the security groups of both ends must allow all traffic between them"
	{ "ibv_modify_qp", EINVAL,
	  "the GID index or the MTU may not suit the peer: 'verbsperf "
	  "devices', -x, -m",
	  "the P_Key, the service level or the MTU may not suit the peer: "
	  "'verbsperf devices', --pkey-index, -S, -m",
	  "the log of libefa says why: VERBS_LOG_LEVEL=1 "
	  "VERBS_LOG_FILE=/dev/stderr" },
	{ "ibv_modify_qp", ENODEV,
	  "the GID has no network interface here: it was removed, is down, or "
	  "belongs to another network namespace: 'verbsperf devices', try "
	  "another -x",
	  "the device is gone, or its port is: 'verbsperf devices', and the "
	  "kernel's log",
	  "the device is gone: 'verbsperf devices', and the kernel's log" },
	{ "ibv_modify_qp", ENETUNREACH, UNREACHABLE },
	{ "ibv_modify_qp", EHOSTUNREACH, UNREACHABLE },
	{ "ibv_modify_qp", ETIMEDOUT, UNREACHABLE },
	{ "ibv_create_qp", EINVAL,
	  ALL("try a smaller -t or -r, and less inline data if -I was "
	      "given") },
	{ "ibv_reg_mr", EACCES,
	  ALL("the process may not have the access asked for: look at the "
	       "permissions of /dev/infiniband/uverbs*") },
	{ "ibv_reg_mr", EPERM,
	  ALL("the process may not lock memory: raise the limit (ulimit -l) "
	       "or give it CAP_IPC_LOCK") },
	{ NULL, EAGAIN,
	  ALL("a control group of the process may allow it no more objects "
	       "of the device (rdma.max)") },
};

/* What makes the objects of a verb smaller or fewer. */
static const char *smaller_objects(const char *verb)
{
	static const struct {
		const char *verb;
		const char *less;
	} table[] = {
		{ "ibv_create_qp", "fewer -q, a smaller -t, -r or -I" },
		{ "ibv_create_cq", "fewer -q, a smaller -t or -r" },
		{ "ibv_create_srq", "a smaller -r" },
		{ "ibv_reg_mr", "fewer -q or a smaller -s" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (!strcmp(table[i].verb, verb))
			return table[i].less;
	return "fewer -q or smaller queues (-t, -r)";
}

/*
 * Any verb that pins memory may fail for want of it: queues are pinned like
 * messages, and with little locked memory it is ibv_create_cq(3) that fails
 * first.  A process with CAP_IPC_LOCK has no limit of its own.
 */
static const char *advice_of_memory(const struct port *port, const char *verb,
				    char text[VERB_ADVICE_SIZE])
{
	const struct facts *facts = &port->facts;
	const uint64_t most = facts_count(facts, FACT_MEMLOCK_BYTES);
	const char *less = smaller_objects(verb);

	if (!facts_known(facts, FACT_MEMLOCK_BYTES))
		snprintf(text, VERB_ADVICE_SIZE,
			 "raise the limit on locked memory (ulimit -l), or try "
			 "%s", less);
	else if (most != FACT_UNLIMITED)
		snprintf(text, VERB_ADVICE_SIZE,
			 "the limit on locked memory is %" PRIu64 " bytes "
			 "(ulimit -l), of messages and queues together: raise "
			 "it, or try %s", most, less);
	else
		snprintf(text, VERB_ADVICE_SIZE,
			 "this process may lock all memory, so the host, its "
			 "control group (memory.max, rdma.max) or the device "
			 "has no more: look at 'free' and the kernel's log, or "
			 "try %s", less);
	return text;
}

const char *verb_advice(const struct port *port, const char *verb, int errnum,
			char text[VERB_ADVICE_SIZE])
{
	const size_t n = sizeof(setup) / sizeof(*setup);

	if (errnum == ENOMEM)
		return advice_of_memory(port, verb, text);
	for (size_t i = 0; i < n; i++)
		if (setup[i].errnum == errnum &&
		    (!setup[i].verb || !strcmp(setup[i].verb, verb)))
			return port_is_efa(port) ? setup[i].efa :
			       port_has_lids(port) ? setup[i].infiniband :
						     setup[i].ethernet;
	return NULL;
}

int verb_failed(const struct port *port, const char *verb, int errnum,
		struct error *err, const char *fmt, ...)
{
	char what[sizeof(err->message)], advice[VERB_ADVICE_SIZE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return fail_errno(err, errnum,
			  verb_advice(port, verb, abs(errnum), advice),
			  "%s: %s", port->device, what);
}
