#include "config.h"
#include "test.h"

#include "fake_rdmacm.h"
#include "fake_verbs.h"
#include "pair_connect.h"

struct plan *connect_open(struct pair *p, enum control_pattern pattern,
			  uint64_t n)
{
	struct plan *plan;

	fake_verbs_reset();
	if (HAVE_RDMACM)
		fake_rdmacm_reset();
	pair_open(p, OP_SEND, METRIC_LATENCY);
	plan = pair_plan(p);
	plan->imm = false;
	plan->control = CONTROL_CONNECT;
	plan->sizes = (struct sizes){ 1, { 0 } };
	plan->iterations = n;
	p->client.result->params.pattern = pattern;
	return plan;
}

const struct control_row *connect_run_well(struct pair *p)
{
	pair_run(p);
	assert_string_equal(p->client.result->error.message, "");
	assert_string_equal(p->server.result->error.message, "");
	assert_int_equal(p->client.ret, 0);
	assert_int_equal(p->server.ret, 0);
	assert_int_equal(p->client.result->n_rows, 1);
	assert_int_equal(p->server.result->n_rows, 1);
	assert_true(p->server.result->rows[0].total.iterations >=
		    p->client.result->rows[0].total.iterations);
	assert_int_equal(p->server.result->params.pattern,
			 p->client.result->params.pattern);
	return p->client.result->rows[0].control;
}

void connect_check_churn(struct pair *p, const char *const *names, uint32_t n)
{
	const struct control_row *c = connect_run_well(p);
	const struct result_row *row = &p->client.result->rows[0];
	double sum = 0;

	assert_int_equal(row->total.iterations, 100);
	assert_int_equal(c->most, 1);
	assert_int_equal(c->n_parts, n);
	for (uint32_t i = 0; i < n; i++) {
		assert_string_equal(c->parts[i].name, names[i]);
		assert_int_equal(c->parts[i].latency.samples, 100);
		if (!c->parts[i].aside)
			sum += c->parts[i].latency.mean;
	}
	assert_close(sum, row->latency.mean, 1e-6);
	assert_true(fake_verbs.messages >= 100);
}

void connect_check_hold(struct pair *p)
{
	const struct control_row *c = connect_run_well(p);

	assert_int_equal(c->most, 150);
	assert_int_equal(c->n_spans, 3);
	assert_false(error_is_set(&c->limit));
}

void connect_check_limit(struct pair *p)
{
	const struct control_row *c;

	p->server.result->params.max_qps = 30;
	c = connect_run_well(p);
	assert_int_equal(c->most, 30);
	assert_message(&c->limit, "the server: 31 connections: this server "
				  "allows 30 (--max-qps)");
}

void connect_run_fails(struct pair *p, const char *message)
{
	const struct error *error = &p->client.result->error;

	pair_run(p);
	/* the end that found it has the detail */
	if (error->from_peer && p->server.result->error.detail[0])
		error = &p->server.result->error;
	assert_contains(error_text(error), message);
	assert_string_not_equal(p->client.result->error.message, "");
	assert_string_not_equal(p->server.result->error.message, "");
	assert_true(p->client.ret < 0);
	assert_true(p->server.ret < 0);
	pair_close_clean(p);
}
