/* Checks what a client asks for against what the server allows. */
#include "config.h"
#include "session/quota.h"

#include <errno.h>

#include "base/time.h"
#include "model/inject.h"
#include "model/need.h"

/* How long a turn may last beyond the known time of its plan, for a client with
 * a slower clock. */
#define MARGIN (600 * SECOND)
#define SLOWER 4

static int check_qps(const struct parameters *params, struct error *err)
{
	const bool group = params->plan.mcast.wanted;
	const uint32_t qps = plan_qps(&params->plan, false);

	if (qps <= params->max_qps)
		return 0;
	return fail(err, -EPERM, group ?
			    "use fewer --receivers, or start the server with "
			    "a larger --max-qps" :
			    "use fewer --qps, or start the server with a "
			    "larger --max-qps",
		    "--%s %u: this server allows %u (--max-qps)",
		    group ? "receivers" : "qps", qps, params->max_qps);
}

/* Name the options that reduce the larger of the two needs. */
static const char *advice_of(const struct need *need)
{
	if (need->objects > need->messages)
		return "use fewer --qps, a smaller --tx-depth, --rx-depth or "
		       "--inline, or start the server with a larger "
		       "--max-memory";
	return "use fewer --qps or a smaller --size, or start the server with "
	       "a larger --max-memory";
}

static int check_connection_memory(const struct parameters *params, uint64_t n,
				   struct error *err)
{
	const uint64_t need = need_of_connections(&params->plan, n);

	if (need <= params->max_memory)
		return 0;
	return fail(err, -ENOMEM, "make fewer connections, or start the server "
		    "with a larger --max-memory",
		    "%llu connection%s: this server allows %llu bytes of "
		    "memory (--max-memory), and their queue pairs need %llu",
		    (unsigned long long)n, n > 1 ? "s" : "",
		    (unsigned long long)params->max_memory,
		    (unsigned long long)need);
}

static int check_memory(const struct parameters *params,
			const struct port *port, struct error *err)
{
	struct need need;

	if (params->plan.control)
		return check_connection_memory(params, 1, err);
	need_of(&params->plan, false, port, &need);
	if (need.messages + need.objects <= params->max_memory)
		return 0;
	return fail(err, -ENOMEM, advice_of(&need),
		    "the test needs %llu bytes of memory, %llu for messages "
		    "and %llu for queue pairs and their queues: this server "
		    "allows %llu (--max-memory)",
		    (unsigned long long)(need.messages + need.objects),
		    (unsigned long long)need.messages,
		    (unsigned long long)need.objects,
		    (unsigned long long)params->max_memory);
}

/* The least time, in ns, that PLAN takes; a count of messages adds nothing, as
 * its time is unknown. */
static uint64_t own_time(const struct plan *plan)
{
	return plan->sizes.n * (plan->warmup + plan->hold + plan->duration);
}

uint64_t quota_duration(const struct parameters *params)
{
	return params->max_duration ? params->max_duration :
				      MARGIN + SLOWER * own_time(&params->plan);
}

static int check_duration(const struct parameters *params, struct error *err)
{
	uint64_t least = own_time(&params->plan);

	if (least <= quota_duration(params))
		return 0;
	return fail(err, -EPERM, "use a smaller --duration or fewer sizes, or "
		    "start the server with a larger --max-duration",
		    "the test takes %.6g s, by --duration, --warmup and --hold "
		    "for each --size: this server allows %.6g s "
		    "(--max-duration)",
		    (double)least / 1e9, (double)params->max_duration / 1e9);
}

/* Refuse faults that the server's user did not allow: a client that injects
 * them wants things to go wrong. */
static int check_inject(const struct parameters *params, struct error *err)
{
	const struct inject_case *c = inject_find(params->plan.inject);

	if (!c || params->allow_inject)
		return 0;
	return fail(err, -EPERM, "start the server with --allow-inject",
		    "--inject %s: this server does not let clients provoke "
		    "faults", c->name);
}

int quota_check(const struct parameters *params, const struct port *port,
		struct error *err)
{
	return check_qps(params, err) ?:
	       check_memory(params, port, err) ?:
	       check_duration(params, err) ?:
	       check_inject(params, err);
}

int quota_check_connections(const struct parameters *params, uint64_t n,
			    struct error *err)
{
	if (n <= params->max_qps)
		return check_connection_memory(params, n, err);
	return fail(err, -EPERM, "make fewer connections, or start the server "
		    "with a larger --max-qps",
		    "%llu connections: this server allows %u (--max-qps)",
		    (unsigned long long)n, params->max_qps);
}
