/* Checks the rules between options that need to know which ones were given,
 * and completes what they leave open. */
#include "config.h"
#include "cli/rules.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "cli/commands.h"
#include "model/inject.h"
#include "model/plan.h"
#include "model/rule.h"
#include "net/address.h"
#include "perftest/limits.h"
#include "traffic/batch.h"

/* True when a client was given no port of the server. */
static bool lacks_port(const struct given *g)
{
	return g->options->command == COMMAND_CLIENT &&
	       !g->options->params.port;
}

/* The size of a test that was given none. */
static uint64_t usual_size(const struct plan *plan)
{
	if (plan->control)
		return control_table[plan->control].size;
	if (plan->batch.n)
		return batch_bytes(&plan->batch);
	if (op_is_atomic(plan->op))
		return ATOMIC_SIZE;
	if (plan->metric == METRIC_LATENCY)
		return PLAN_SIZE_LATENCY;
	return plan_is_datagram(plan) ? PLAN_SIZE_DATAGRAM :
					PLAN_SIZE_BANDWIDTH;
}

/* Set the sizes: those of --all, or the usual one if none were given. */
static int complete_sizes(struct given *g)
{
	struct plan *plan = &g->options->params.plan;

	if (plan->all && plan->sizes.n)
		return fail(g->err, -EINVAL, NULL,
			    "--all and --size exclude each other");
	for (uint32_t i = 0; plan->control && i < plan->sizes.n; i++)
		if (!plan->sizes.bytes[i])
			return fail(g->err, -EINVAL, NULL,
				    "--size 0: %s needs 1 byte at least",
				    control_table[plan->control].name);
	if (plan->all)
		return units_parse_sizes(plan->control ? CONTROL_SIZES_ALL :
							 PLAN_SIZES_ALL,
					 &plan->sizes);
	if (!plan->sizes.n)
		plan->sizes = (struct sizes){ 1, { usual_size(plan) } };
	return 0;
}

/* Check the length of a control test, and what both ends must know if it has a
 * server. */
static int check_control_end(const struct given *g)
{
	const struct parameters *params = &g->options->params;
	const struct plan *plan = &params->plan;
	const bool server = control_has_server(plan->control);
	const struct rule rules[] = {
		{ plan->iterations && params->timed,
		  "--iterations and --duration exclude each other" },
		{ params->pattern == CONTROL_HOLD &&
			  plan->iterations > CONTROL_HELD_MOST,
		  "--iterations {iterations}: --pattern hold makes 10000000 "
		  "objects at most" },
		{ !plan->iterations && !plan->duration,
		  "--duration 0: must be above 0" },
		{ server && plan->threads > 1,
		  "--threads {threads}: {test} runs in one thread" },
		{ lacks_port(g), "--port 0: only for a server" },
	};
	const int ret = rule_check(rules, plan, g->err);

	return ret || !server ? ret : plan_check_manager(plan, g->err);
}

/* Check the options of queue pairs, where the test has any. */
static int check_queue_pairs(struct given *g)
{
	const struct plan *plan = &g->options->params.plan;
	const struct rule rules[] = {
		{ control_table[plan->control].transports &&
			  transport_table[plan->transport].target,
		  "--transport {transport}: not for {test}" },
		{ plan->mtu != PLAN_AUTO && !mtu_from_bytes(plan->mtu),
		  "--mtu {mtu}: must be 256, 512, 1024, 2048 or 4096" },
	};

	return rule_check(rules, plan, g->err) ?:
	       addressing_check(plan, g->err);
}

/* Refuse fewer --cpus than --threads. */
static int check_cpus(struct given *g)
{
	const struct parameters *params = &g->options->params;

	if (!params->cpus.n || params->cpus.n >= params->plan.threads)
		return 0;
	return fail(g->err, -EINVAL, NULL,
		    "--cpus: %u CPU%s for --threads %u: each thread needs one",
		    params->cpus.n, params->cpus.n == 1 ? "" : "s",
		    params->plan.threads);
}

int control_rules_complete(struct given *g)
{
	const struct parameters *params = &g->options->params;
	struct plan *plan = &g->options->params.plan;
	int ret;

	if (control_has_server(plan->control))
		plan->op = OP_SEND;
	if (params->pattern == CONTROL_HOLD && !plan->iterations &&
	    !params->timed)
		plan->iterations = CONTROL_HELD;
	ret = check_control_end(g);
	if (plan->iterations)
		plan->duration = 0;
	return ret ?:
	       complete_sizes(g) ?:
	       check_queue_pairs(g) ?:
	       check_cpus(g);
}

static bool was_given(struct given *g, const char *name)
{
	return *given_option(g, name);
}

/* perftest users type the same line at both ends, so a server takes the
 * client's options and only notes them; and scripts all tests' options to each
 * test, so what means nothing to this one is noted, too. */
static void ignore(struct given *g, const struct param *row)
{
	char option[64];

	snprintf(option, sizeof(option), "--%s", row->name);
	list_add(g->options->ignored, sizeof(g->options->ignored), option);
}

int rules_take_server(struct given *g, char *word)
{
	uint32_t *port = &g->options->params.port, behind = 0;
	int ret = host_cut_port(word, &behind, g->err);

	g->options->server = word;
	if (ret || !behind)
		return ret;
	if (was_given(g, "port") && *port != behind)
		return fail(g->err, -EINVAL, "give one of them",
			    "--port %u and port %u of server %s differ", *port,
			    behind, word);
	*port = behind;
	return 0;
}

bool rules_take(const struct options *options, const struct param *row)
{
	const enum control_test test = options->params.plan.control;
	const struct command_row *command = command_row_of(options->command);

	if (test)
		return param_suits(row, test);
	if (command)
		return row->who & command->who;
	return row->who & (options->command == COMMAND_LOOPBACK ?
				   PARAM_CLIENT | PARAM_SERVER : PARAM_CLIENT);
}

/* The name of the command of G: "check", "reg_mr". */
static const char *name_of(const struct given *g)
{
	const struct command_row *row = command_row_of(g->options->command);
	const enum control_test test = g->options->params.plan.control;

	if (test)
		return control_table[test].name;
	return row ? row->name : "a test";
}

/* The command that takes ROW, which no test does; NULL: tests do. */
static const char *taker_of(const struct param *row)
{
	for (size_t i = 0; !(row->who & PARAM_CLIENT) && i < command_count; i++)
		if (row->who & command_table[i].who)
			return command_table[i].name;
	return NULL;
}

/* Report that ROW does not apply to the command. */
static int refuse(struct given *g, const struct param *row)
{
	enum command command = g->options->command;
	const char *taker = taker_of(row);
	char advice[64] = "";

	if (row->who == PARAM_CONTROL && !g->options->params.plan.control)
		return fail(g->err, -EINVAL, "see verbsperf-control(1)",
			    "--%s: only for a test of the control path, such "
			    "as reg_mr", row->name);
	if (command == COMMAND_SERVE && !strcmp(row->name, "loopback"))
		return fail(g->err, -EINVAL, "give it to a test instead",
			    "--loopback: not for serve, which runs one end "
			    "only");
	if (command == COMMAND_SERVE && row->who & PARAM_CLIENT)
		return fail(g->err, -EINVAL, "give it to the client",
			    "--%s: the client decides that, not the server",
			    row->name);
	if (row->who == PARAM_SERVER)
		return fail(g->err, -EINVAL, "give it to 'verbsperf serve'",
			    "--%s: only for a server", row->name);
	if (taker)
		snprintf(advice, sizeof(advice), "give it to 'verbsperf %s'",
			 taker);
	return fail(g->err, -EINVAL, advice, "--%s: not for %s", row->name,
		    name_of(g));
}

int rules_check_command(struct given *g)
{
	struct parameters *params = &g->options->params;
	enum command command = g->options->command;

	params->timed = was_given(g, "duration");
	for (size_t i = 0; i < param_count; i++) {
		const struct param *row = &param_table[i];

		if (!g->row[i] || rules_take(g->options, row))
			continue;
		if (command == COMMAND_SERVE && g->test_named &&
		    row->who & PARAM_CLIENT) {
			ignore(g, row);
			continue;
		}
		return refuse(g, row);
	}
	if (params->ipv4 && params->ipv6)
		return fail(g->err, -EINVAL, NULL,
			    "--ipv4 and --ipv6 exclude each other");
	if (command == COMMAND_SERVE && params->once && params->parallel > 1)
		return fail(g->err, -EINVAL, NULL,
			    "--parallel %u: only for 'verbsperf serve' without "
			    "--once", params->parallel);
	return 0;
}

int rules_check_files(struct given *g)
{
	static const char *const names[] = { "samples", "json", "json-lines",
					     "csv", "openmetrics" };
	enum { N = sizeof(names) / sizeof(*names) };
	const char *places[N];		/* NULL: not given */

	for (size_t i = 0; i < N; i++)
		places[i] = param_get_string(&g->options->params,
					     param_find(names[i]));
	for (size_t i = 0; i < N; i++)
		for (size_t j = i + 1; j < N; j++) {
			if (!places[i] || !places[j] ||
			    strcmp(places[i], places[j]) != 0)
				continue;
			return fail(g->err, -EINVAL, "give one of them a FILE",
				    "--%s and --%s both write to %s", names[i],
				    names[j], strcmp(places[i], "-") != 0 ?
						      places[i] : "stdout");
		}
	return 0;
}

/* Refuse options that only the other metric has, or that need a rate. */
static int check_metric(struct given *g)
{
	static const char *const names[METRIC_COUNT] = {
		[METRIC_BANDWIDTH] = "bandwidth",
		[METRIC_LATENCY] = "latency",
	};
	const struct plan *plan = &g->options->params.plan;
	const bool batches = plan->op == OP_WRITE || plan->op == OP_READ;

	for (size_t i = 0; i < param_count; i++) {
		const struct param *row = &param_table[i];
		const bool rated = row->who & PARAM_RATED;
		enum metric metric;

		if (!g->row[i] || !(row->who & PARAM_ONE_METRIC))
			continue;
		metric = strchr(row->tests, 'B') ? METRIC_BANDWIDTH :
						   METRIC_LATENCY;
		if (!(metric == METRIC_LATENCY ? plan_has_latency(plan) :
						 plan->metric == metric))
			return fail(g->err, -EINVAL, NULL,
				    "--%s: only for %s, as in %s%s", row->name,
				    names[metric],
				    traffic_names[plan->op][metric],
				    rated ? " with --rate" :
				    metric == METRIC_LATENCY && batches ?
					    " or with --batch" : "");
		if (rated && !plan->rate)
			return fail(g->err, -EINVAL, NULL,
				    "--%s: only with --rate", row->name);
	}
	return 0;
}

/* Refuse limits of what cannot be lost, or is not counted or read. */
static int check_limits(struct given *g)
{
	const struct parameters *params = &g->options->params;
	const struct plan *plan = &params->plan;
	const bool lost = params->limits[LIMIT_MAX_LOST].given;
	const struct rule rules[] = {
		{ lost && !plan_is_unreliable(plan),
		  "--max-lost: only for UC and UD; {transport} loses "
		  "nothing" },
		{ lost && plan->metric != METRIC_LATENCY &&
			  !plan_counts_received(plan),
		  "--max-lost: the receiver does not count plain writes over "
		  "UC\nadd --imm or --verify" },
		{ params->counter_limits.n &&
			  plan->counters.read == COUNTERS_NONE,
		  "--max-counter: not with --counters none" },
	};

	return rule_check(rules, plan, g->err);
}

/* Both ends must read what --max-counter is about. */
static void choose_counters(struct given *g)
{
	struct parameters *params = &g->options->params;
	struct counter_choice *choice = &params->plan.counters;
	const struct counter_limits *limits = &params->counter_limits;

	choice->given = was_given(g, "counters");
	for (uint32_t i = 0; i < limits->n; i++)
		if (!counter_is_read(choice->read, limits->list[i].name))
			choice->read = COUNTERS_ALL;
}

/* A fault belongs to one test, and cannot be combined with --verify. */
static int check_inject(struct given *g)
{
	const struct plan *plan = &g->options->params.plan;
	const struct inject_case *c = inject_find(plan->inject);

	if (!c)
		return 0;
	if (strcmp(test_name_of(plan), c->test) != 0)
		return fail(g->err, -EINVAL, "see 'verbsperf faults'",
			    "--inject %s: only for %s", c->name, c->test);
	if (!plan->verify)
		return 0;
	return fail(g->err, -EINVAL, NULL,
		    "--inject and --verify exclude each other");
}

/* A completion announces a write with immediate data only. */
static void complete_poll(struct parameters *params)
{
	struct plan *plan = &params->plan;

	if (!plan_waits_for_memory(plan))
		return;
	if (plan->imm)
		params->poll = POLL_COMPLETION;
	plan->imm = params->poll == POLL_COMPLETION;
}

static bool is_used(const struct plan *plan, const struct param *row,
		    enum metric metric)
{
	const char use = param_use(row, plan->op, metric);

	return use != '-' && (isupper(use) || plan->imm);
}

/* Note what means nothing to the test, which is complete but for its op. */
static void ignore_unused(struct given *g)
{
	const struct plan *plan = &g->options->params.plan;

	for (size_t i = 0; i < param_count; i++) {
		const struct param *row = &param_table[i];

		if (g->row[i] && !is_used(plan, row, plan->metric) &&
		    !(plan->batch.n && is_used(plan, row, METRIC_LATENCY)))
			ignore(g, row);
	}
}

int rules_complete(struct given *g)
{
	struct plan *plan = &g->options->params.plan;
	const struct rule rules[] = {
		{ lacks_port(g), "--port 0: only for a server" },
		{ was_given(g, "atomic-type") && !op_is_atomic(plan->op),
		  "--atomic-type: only for atomic_bw and atomic_lat" },
		{ was_given(g, "poll") && !plan_waits_for_memory(plan),
		  "--poll: only for write_lat" },
		{ was_given(g, "poll") && plan->imm &&
			  g->options->params.poll == POLL_DATA,
		  "--poll data: with --imm a completion announces the write" },
		{ was_given(g, "iterations") && was_given(g, "duration"),
		  "--iterations and --duration exclude each other" },
		{ was_given(g, "hugepages") && was_given(g, "memory"),
		  "--hugepages and --memory exclude each other\n"
		  "--memory=hugepages is for this end only" },
	};
	/* under perftest's names a verbsperf may be there, which can do more */
	const bool with_perftest = g->options->params.peer == PEER_PERFTEST &&
				   !g->options->params.perftest;
	int ret = rule_check(rules, plan, g->err);

	if (ret)
		return ret;
	if (with_perftest)
		limits_complete(&g->options->params);
	if (plan->iterations)
		plan->duration = 0;
	complete_poll(&g->options->params);
	ignore_unused(g);
	plan->op = op_choose(plan->op, plan->imm, plan->atomic);
	ret = complete_sizes(g) ?:
	      check_metric(g) ?:
	      plan_check(plan, g->err) ?:
	      (with_perftest ? limits_check(&g->options->params, g->err) :
			       0) ?:
	      check_limits(g) ?:
	      check_inject(g) ?:
	      check_cpus(g);
	choose_counters(g);
	return ret;
}
