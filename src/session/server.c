/* The steps of a server in the dialogue with a client that is verbsperf. */
#include "config.h"
#include "session/dialogue.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "host/cores.h"
#include "host/facts.h"
#include "host/place.h"
#include "model/plan.h"
#include "net/frames.h"
#include "net/wait.h"
#include "preflight/judge.h"
#include "session/handshake.h"
#include "session/quota.h"
#include "session/setup.h"

static void name_difference(FILE *out, const char *prefix, const char *name)
{
	fprintf(out, "%s%s%s", ftell(out) ? ", " : "", prefix, name);
}

/* The names of what differs, on the heap; empty when nothing does. */
static char *differences(const struct ignored_options *own,
			 const struct parameters *params)
{
	const struct parameters mine = { .plan = own->plan };
	const struct plan *plan = &params->plan;
	char *text = NULL;
	FILE *out = xmemstream(&text);

	if (own->plan.metric != plan->metric ||
	    op_table[own->plan.op].name != op_table[plan->op].name)
		name_difference(out, "", test_name_of(&own->plan));
	for (size_t i = 0; i < param_count; i++) {
		const struct param *row = &param_table[i];

		/* each end shows the counters that it was asked for */
		if (row->who & PARAM_PLAN && own->given[i] &&
		    row->kind != PARAM_COUNTERS &&
		    !param_is_same(&mine, params, row))
			name_difference(out, "--", row->name);
	}
	fclose(out);
	return text;
}

void session_log_differences(const struct parameters *params)
{
	char *text;

	if (!params->ignored_options)
		return;
	text = differences(params->ignored_options, params);
	if (*text)
		log_warning("ignored these options of the server, because the "
			    "client chose other values: %s", text);
	free(text);
}

/* Receive the PLAN before the client enters the queue: one that sends none
 * takes no place there. */
static int take_plan(struct session *s)
{
	struct result *r = s->run.result;
	struct frame frame = { 0 };
	int ret;

	session_stage(s, "plan");
	ret = session_expect(s, FRAME_PLAN, &frame) ?:
	      decode_plan(&frame, &r->params.plan, &r->client, &r->error);
	frame_free(&frame);
	if (!ret)
		session_log_differences(&r->params);
	return ret;
}

int session_take_turn(struct session *s)
{
	struct result *r = s->run.result;
	uint64_t limit = quota_duration(&r->params);
	int ret = queue_wait(s, limit);

	if (ret || s->run.conn->turn_fd < 0)
		return ret;
	return signals_limit(limit, &r->error);
}

int session_open_device(struct session *s)
{
	struct parameters *params = &s->run.result->params, any = *params;
	struct error *err = session_error(s);
	int ret;

	if (s->run.device->context)
		return 0;
	session_stage(s, "device");
	/* plan_fit(), or --check, reports what is wrong with the port */
	any.plan.check = true;
	ret = device_open(&any, s->run.device, err) ?:
	      place_end(params, s->run.device, err);
	if (ret)
		return ret;
	cores_choose(params, s->run.device->port.device, false);
	facts_read(&s->run.device->port, params);
	s->run.result->server = s->run.device->port;
	return 0;
}

/* Check the plan against both ports and this end's quota. */
static int agree(struct session *s)
{
	struct result *r = s->run.result;
	struct plan *plan = &r->params.plan;
	int ret;

	session_stage(s, "plan");
	ret = plan_fit(plan, &r->client, &r->server, &r->error) ?:
	      quota_check(&r->params, &r->server, &r->error);
	if (ret && !plan->check)
		return ret;
	s->refusal = ret;
	r->connected = true;
	ret = session_send(s, encode_accept(&r->server));
	s->accepted = true;
	return ret || !plan->check ? ret : session_end(s);
}

static session_step *const steps[] = {
	handshake_greet, handshake_authenticate, take_plan, session_take_turn,
	session_open_device, agree,
	connections_answer, setup_connect, setup_reach, exchange_all, NULL,
};

const struct dialogue session_server_dialogue = {
	.steps = steps,
	.await = exchange_await,
	.start = exchange_start,
	.swap = exchange_done,
	.give_up = exchange_abort,
};
