/* The steps of a client in the dialogue with a server that is verbsperf. */
#include "config.h"
#include "session/dialogue.h"

#include <errno.h>

#include "base/log.h"
#include "net/frames.h"
#include "net/oob.h"
#include "preflight/judge.h"
#include "session/check.h"
#include "session/handshake.h"
#include "session/peer_address.h"
#include "session/setup.h"

/* Open the file for samples first: if it cannot be written, the server gets no
 * request. */
int session_open_samples(struct session *s)
{
	struct parameters *params = &s->run.result->params;
	struct error *err = session_error(s);

	session_stage(s, "samples");
	if (params->plan.check || s->run.recorder)
		return 0;
	if (params->perftest_samples && !params->samples)
		params->samples = recorder_memory(err);
	if (!params->samples)
		return params->perftest_samples ? -EIO : 0;
	return recorder_open(params->samples, &s->run.recorder, err);
}

/* Send the PLAN as the user asked; the server's port then settles what was left
 * open. */
static int agree(struct session *s)
{
	struct result *r = s->run.result;
	const bool check = r->params.plan.check;
	const uint32_t mtu = r->params.plan.mtu;
	struct frame frame = { 0 };
	int ret = 0;

	session_stage(s, "plan");
	if (!check)
		ret = plan_fit_client(&r->params.plan, &r->client, &r->error);
	if (ret)
		return ret;
	ret = session_send(s, encode_plan(&r->params.plan, &r->client)) ?:
	      session_expect(s, FRAME_ACCEPT, &frame) ?:
	      decode_accept(&frame, &r->server, &r->error);
	frame_free(&frame);
	if (ret)
		return ret;
	s->accepted = true;
	r->connected = true;
	if (check)
		return check_ask(s);
	ret = plan_fit(&r->params.plan, &r->client, &r->server, &r->error);
	if (!ret && mtu != PLAN_AUTO && r->params.plan.mtu < mtu)
		log_info("--mtu %u: reduced to the active MTU, %u", mtu,
			 r->params.plan.mtu);
	return ret;
}

static int choose_path(struct session *s)
{
	struct result *r = s->run.result;
	int ret;

	session_stage(s, "path");
	ret = path_choose(&r->client, &r->server, &s->run.conn->ways, &r->path,
			  &r->error);
	if (ret)
		return ret;
	r->path.mtu = mtu_from_bytes(r->params.plan.mtu);
	r->has_path = true;
	return peer_address_check(s, &r->path, &r->error);
}

static session_step *const steps[] = {
	session_open_samples, handshake_greet, handshake_authenticate,
	agree, choose_path,
	connections_measure, setup_connect, setup_reach, exchange_all, NULL,
};

const struct dialogue session_client_dialogue = {
	.steps = steps,
	.start = exchange_start,
	.swap = exchange_done,
	.give_up = exchange_abort,
};
