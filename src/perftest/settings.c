/* Takes a test from the settings that a perftest client sends. */
#include "config.h"
#include "perftest/message.h"

#include "base/numbers.h"
#include "base/time.h"
#include "base/units.h"

enum { REGULAR, ALL_SIZES, ENDLESS };

#define LARGEST (8U << 20)
#define SECONDS_LEFT_OPEN 5

/* No test of perftest's sends with immediate data. */
static const enum op ops[VERBS] = {
	[VERB_SEND] = OP_SEND,
	[VERB_SEND_IMM] = OP_SEND,
	[VERB_WRITE] = OP_WRITE,
	[VERB_WRITE_IMM] = OP_WRITE_IMM,
	[VERB_READ] = OP_READ,
	[VERB_ATOMIC] = OP_FETCH_ADD,
};

static enum verb verb_of(enum op op)
{
	enum verb verb = VERB_SEND;

	while (verb < VERB_ATOMIC && ops[verb] != op)
		verb++;
	return verb;
}

void settings_of(const struct parameters *params, uint64_t mtu,
		 struct settings *settings)
{
	const struct plan *plan = &params->plan;
	const bool datagrams = plan->transport == TRANSPORT_UD;
	const bool endless = plan_is_endless(plan);
	const bool timed = !plan->iterations;
	const uint64_t time = endless ? plan->interval : plan->duration;

	*settings = (struct settings){
		.test_method = endless ? ENDLESS :
			       plan->all ? ALL_SIZES : REGULAR,
		.connection_type = plan->transport,
		.verb = verb_of(plan->op),
		.tst = plan->metric == METRIC_BANDWIDTH,
		.atomic_type = plan->op == OP_FETCH_ADD,
		.test_type = timed,
		.report_fmt = !params->gbits,
		.size = !plan->all ? plan->sizes.bytes[0] :
			datagrams ? mtu : LARGEST,
		.iters = plan->iterations,
		.num_of_qps = plan->qps,
		.duration = timed ? time / SECOND : SECONDS_LEFT_OPEN,
	};
}

/* VALUE, or the nearest one that the option NAME may have. */
static uint64_t nearest(const char *name, uint64_t value)
{
	const struct param *row = param_find(name);

	return larger(smaller(value, row->max), row->min);
}

static void take_length(struct parameters *params,
			const struct settings *settings)
{
	const uint64_t time = smaller(settings->duration, UINT32_MAX) * SECOND;
	struct plan *plan = &params->plan;

	params->timed = settings->test_type;
	plan->iterations = params->timed ? 0 :
			   nearest("iterations", settings->iters);
	plan->duration = params->timed ? nearest("duration", time) : 0;
	if (!params->timed || settings->test_method != ENDLESS)
		return;
	plan->interval = nearest("interval", time);
	plan->duration = PLAN_LONGEST;
}

static void take_sizes(struct plan *plan, const struct settings *settings)
{
	plan->all = settings->test_method == ALL_SIZES;
	if (plan->all && !units_parse_sizes(PLAN_SIZES_ALL, &plan->sizes))
		return;
	plan->sizes.n = 1;
	plan->sizes.bytes[0] = nearest("size", settings->size);
}

/* What cannot be taken becomes something else, and is found by that. */
const char *settings_take(const struct settings *settings,
			  struct parameters *params)
{
	struct plan *plan = &params->plan;
	struct settings taken;

	plan->metric = settings->tst ? METRIC_BANDWIDTH : METRIC_LATENCY;
	plan->op = ops[smaller(settings->verb, VERB_ATOMIC)];
	if (plan->op == OP_FETCH_ADD && !settings->atomic_type)
		plan->op = OP_CMP_SWAP;
	plan->imm = op_has_imm(plan->op);
	plan->transport = (enum transport)smaller(settings->connection_type,
						  TRANSPORT_UD);
	plan->qps = (uint32_t)nearest("qps", settings->num_of_qps);
	params->gbits = !settings->report_fmt;
	take_length(params, settings);
	take_sizes(plan, settings);
	settings_of(params, settings->size, &taken);
	return settings_difference(settings, &taken);
}
