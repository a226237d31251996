#include "config.h"
#include "inject/inject.h"

typedef void change_request(struct session *s, struct flow_request *r);

/* The first of each QP's lists, or ALL of their sends. */
static int change_requests(struct session *s, bool all, change_request *change)
{
	size_t length = flow_requests(s->result->params.plan.post_list);

	for (uint32_t i = 0; i < s->res.n_qps; i++) {
		/* both lists, one after the other */
		struct flow_request *r = s->res.qps[i].lists[0].requests;

		for (size_t k = 0; r && k < FLOW_LISTS * length; k++)
			if (all || k % length == 0)
				change(s, &r[k]);
	}
	return 0;
}

static void spoil_key(struct session *s, struct flow_request *r)
{
	(void)s;
	r->sge.lkey ^= INJECT_KEY;
}

int inject_first_lkey(struct session *s)
{
	return change_requests(s, false, spoil_key);
}

static void halve(struct session *s, struct flow_request *r)
{
	(void)s;
	r->sge.length = ATOMIC_SIZE / 2;
}

int inject_halve_atomics(struct session *s)
{
	return change_requests(s, true, halve);
}

static void lengthen(struct session *s, struct flow_request *r)
{
	r->sge.length = s->result->params.plan.mtu + 64;
}

int inject_longer_than_mtu(struct session *s)
{
	return change_requests(s, true, lengthen);
}

static void divide(struct session *s, struct flow_request *r)
{
	static struct ibv_sge pieces[1024];

	(void)s;
	r->wr.sg_list = pieces;
	r->wr.num_sge = sizeof(pieces) / sizeof(*pieces);
}

int inject_many_pieces(struct session *s)
{
	return change_requests(s, true, divide);
}

static void send_inline(struct session *s, struct flow_request *r)
{
	(void)s;
	r->wr.send_flags |= IBV_SEND_INLINE;
}

int inject_much_inline(struct session *s)
{
	return change_requests(s, true, send_inline);
}
