#include "config.h"
#include "cli/control_rules.h"

#include <errno.h>

#include "model/addressing.h"

static enum control_test test_of(const struct given *g)
{
	return (enum control_test)g->options->params.plan.control;
}

/* How many operations there are, or how long they go on. */
static int complete_end(struct given *g)
{
	struct parameters *params = &g->options->params;
	struct plan *plan = &params->plan;
	const bool holds = params->pattern == CONTROL_HOLD;

	if (plan->iterations && params->timed)
		return fail(g->err, -EINVAL, NULL,
			    "--iterations and --duration exclude each other");
	if (holds && !plan->iterations && !params->timed)
		plan->iterations = CONTROL_HELD;
	if (holds && plan->iterations > CONTROL_HELD_MOST)
		return fail(g->err, -EINVAL, NULL,
			    "--iterations %llu: --pattern hold makes %d "
			    "objects at most",
			    (unsigned long long)plan->iterations,
			    CONTROL_HELD_MOST);
	if (plan->iterations)
		plan->duration = 0;
	else if (!plan->duration)
		return fail(g->err, -EINVAL, NULL,
			    "--duration 0: must be above 0");
	return 0;
}

static int complete_sizes(struct given *g)
{
	struct plan *plan = &g->options->params.plan;

	if (plan->all && plan->sizes.n)
		return fail(g->err, -EINVAL, NULL,
			    "--all and --size exclude each other");
	if (plan->all)
		return units_parse_sizes(CONTROL_SIZES_ALL, &plan->sizes);
	for (uint32_t i = 0; i < plan->sizes.n; i++)
		if (!plan->sizes.bytes[i])
			return fail(g->err, -EINVAL, NULL,
				    "--size 0: %s needs 1 byte at least",
				    control_name(test_of(g)));
	if (plan->sizes.n)
		return 0;
	plan->sizes.n = 1;
	plan->sizes.bytes[0] = control_size(test_of(g));
	return 0;
}

/* What queue pairs have, where the test has any. */
static int check_queue_pairs(struct given *g)
{
	const struct plan *plan = &g->options->params.plan;

	if (control_has_transport(test_of(g)) &&
	    transport_table[plan->transport].target)
		return fail(g->err, -EINVAL, NULL, "--transport %s: not for %s",
			    transport_table[plan->transport].name,
			    control_name(test_of(g)));
	if (plan->mtu != PLAN_AUTO && !mtu_from_bytes(plan->mtu))
		return fail(g->err, -EINVAL, NULL,
			    "--mtu %u: must be 256, 512, 1024, 2048 or 4096",
			    plan->mtu);
	return addressing_check(plan, g->err);
}

/* What both ends must know of a test that has a server. */
static int complete_server(struct given *g)
{
	struct plan *plan = &g->options->params.plan;

	if (!control_has_server(test_of(g)))
		return 0;
	plan->op = OP_SEND;
	if (plan->threads > 1)
		return fail(g->err, -EINVAL, NULL,
			    "--threads %u: %s runs in one thread", plan->threads,
			    control_name(test_of(g)));
	if (g->options->command == COMMAND_CLIENT && !g->options->params.port)
		return fail(g->err, -EINVAL, NULL,
			    "--port 0: only for a server");
	return plan_check_manager(plan, g->err);
}

int control_rules_complete(struct given *g)
{
	int ret = complete_end(g);

	if (!ret)
		ret = complete_server(g);
	if (!ret)
		ret = complete_sizes(g);
	if (!ret)
		ret = check_queue_pairs(g);
	return ret ? ret : rules_check_cpus(g);
}
