#include "config.h"
#include "verbs/sleep.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>

#include "base/xalloc.h"

/* A sleeping loop checks this often, in ms, whether it must end. */
#define LOOK_MS 10

struct flow_sleep {
	struct ibv_comp_channel *channel;
};

struct flow_sleep *sleep_new(struct ibv_comp_channel *channel)
{
	struct flow_sleep *sleep = xcalloc(1, sizeof(*sleep));

	sleep->channel = channel;
	fcntl(channel->fd, F_SETFL, O_NONBLOCK);
	return sleep;
}

static int arm(struct flow *f, struct ibv_cq *cq, bool solicited)
{
	int ret = ibv_req_notify_cq(cq, solicited);

	return ret ? flow_verb_failed(f, "ibv_req_notify_cq", 0, ret) : 0;
}

static int arm_all(struct flow *f)
{
	int ret = 0;

	for (uint32_t i = 0; i < f->n_cqs && !ret; i++) {
		ret = arm(f, f->cqs[i].send, false);
		if (!ret)
			ret = arm(f, f->cqs[i].recv, f->solicited);
	}
	return ret;
}

static bool is_for_sends(const struct flow *f, const struct ibv_cq *cq)
{
	for (uint32_t i = 0; i < f->n_cqs; i++)
		if (f->cqs[i].send == cq)
			return true;
	return false;
}

static void take_events(struct flow *f)
{
	struct ibv_cq *cq;
	void *context;

	while (!ibv_get_cq_event(f->sleep->channel, &cq, &context)) {
		ibv_ack_cq_events(cq, 1);
		if (is_for_sends(f, cq))
			f->send_events++;
		else
			f->receive_events++;
	}
}

int sleep_wait(struct flow *f)
{
	struct pollfd fd = { .fd = f->sleep->channel->fd, .events = POLLIN };

	if (f->idle_polls == f->n_cqs)
		return arm_all(f);
	if (f->idle_polls < 2 * f->n_cqs)
		return 0;
	poll(&fd, 1, LOOK_MS);
	take_events(f);
	f->idle_polls = 0;
	return 0;
}
