/* A pair whose session goes well: both ends must say the same. */
#include "config.h"
#include "test.h"

#include "fake_rdmacm.h"
#include "fake_verbs.h"
#include "pair.h"

void pair_check_clean(void)
{
	assert_int_equal(fake_verbs_alive(), 0);
	assert_int_equal(fake_verbs.overflows, 0);
	assert_int_equal(fake_verbs.misuses, 0);
	assert_int_equal(fake_verbs.groups, 0);
	if (HAVE_RDMACM && !fake_rdmacm_is_clean())
		fail_msg("%u channels, %u ids, %u events, %u members, "
			 "%u misuses of the connection manager",
			 fake_rdmacm.channels, fake_rdmacm.ids,
			 fake_rdmacm.unacked, fake_rdmacm.members,
			 fake_rdmacm.misuses);
}

void pair_close_clean(struct pair *p)
{
	pair_close(p);
	pair_check_clean();
}

void pair_check_both_failed(struct pair *p, const char *what)
{
	pair_check_failed(&p->client, what);
	pair_check_failed(&p->server, what);
	/* one of them knows why, the other was told */
	if (p->client.result->error.from_peer +
	    p->server.result->error.from_peer != 1)
		print_error("%s: client '%s', server '%s'\n", what,
			    p->client.result->error.message,
			    p->server.result->error.message);
	assert_int_equal(p->client.result->error.from_peer +
			 p->server.result->error.from_peer, 1);
}

void pair_run_fails(struct pair *p, const char *what, const char *message)
{
	const struct end *first;

	pair_run(p);
	pair_check_both_failed(p, what);
	first = p->client.result->error.from_peer ? &p->server : &p->client;
	assert_contains(error_text(&first->result->error), message);
	pair_close_clean(p);
}

static void check_rows_agree(const struct pair *p, const char *what)
{
	const struct result *c = p->client.result, *s = p->server.result;

	assert_int_equal(c->n_rows, c->params.plan.sizes.n);
	assert_int_equal(s->n_rows, c->n_rows);
	for (uint32_t i = 0; i < c->n_rows; i++) {
		const struct result_row *a = &c->rows[i], *b = &s->rows[i];

		assert_int_equal(a->size, c->params.plan.sizes.bytes[i]);
		assert_int_equal(b->size, a->size);
		assert_int_equal(b->total.iterations, a->total.iterations);
		assert_int_equal(b->total.sent, a->total.sent);
		assert_int_equal(b->cq_mod, a->cq_mod);
		assert_int_equal(b->post_list, a->post_list);
		assert_int_equal(b->method, a->method);
		assert_true(a->method == POST_WR || a->method == POST_LEGACY);
		assert_int_equal(b->total.n_threads, a->total.n_threads);
		assert_int_equal(b->total.n_intervals, a->total.n_intervals);
		assert_true(b->total.seconds == a->total.seconds);
		if (!(a->total.seconds > 0))
			fail_msg("%s measured for no time", what);
		assert_false(a->failed || b->failed);
		if (c->params.plan.metric == METRIC_BANDWIDTH) {
			assert_true(a->total.bandwidth.mpps > 0);
			assert_true(b->total.bandwidth.gbps == a->total.bandwidth.gbps);
			continue;
		}
		assert_int_equal(a->latency.samples, a->total.iterations);
		assert_int_equal(b->latency.samples, a->latency.samples);
		assert_true(b->latency.mean == a->latency.mean);
		assert_true(a->latency.mean > 0);
	}
}

/* Both ends know both ports, the path and the plan, alike. */
static void check_ends_agree(const struct pair *p)
{
	const struct result *c = p->client.result, *s = p->server.result;

	assert_true(c->connected && s->connected);
	assert_false(c->at_server);
	assert_true(s->at_server);
	assert_true(c->has_path && s->has_path);
	assert_int_equal(c->path.local.index, s->path.remote.index);
	assert_int_equal(c->path.remote.index, s->path.local.index);
	assert_int_equal(c->path.mtu, IBV_MTU_1024);
	assert_int_equal(s->path.mtu, IBV_MTU_1024);
	assert_string_equal(c->server.device, "fake0");
	assert_string_equal(s->client.device, "fake0");
	assert_memory_equal(&c->params.plan, &s->params.plan,
			    sizeof(struct plan));
	assert_string_equal(c->clock.source, s->clock.source);
}

static void check_both_well(const struct pair *p, const char *what)
{
	if (p->client.ret || p->server.ret)
		fail_msg("%s: client %d '%s', server %d '%s'", what,
			 p->client.ret, p->client.result->error.message,
			 p->server.ret, p->server.result->error.message);
	check_ends_agree(p);
}

void pair_run_briefly(struct pair *p, const char *what)
{
	pair_run(p);
	if (!strstr(p->client.result->error.message,
		    "no message arrived in the time measured"))
		check_both_well(p, what);
}

void pair_run_well(struct pair *p, const char *what)
{
	pair_run(p);
	check_both_well(p, what);
	check_rows_agree(p, what);
}
