/* Tests of the control path, on the fake NIC: what is counted, what is reported
 * when no more can be made, and that nothing is left behind. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <sys/eventfd.h>

#include "base/time.h"
#include "base/xalloc.h"
#include "control/control.h"
#include "fake_verbs.h"

static struct device device;

static struct result *begin(enum control_test test,
			    enum control_pattern pattern, uint64_t n)
{
	struct result *r = xcalloc(1, sizeof(*r));
	struct parameters *p = &r->params;

	fake_verbs_reset();
	param_defaults(p);
	p->pattern = pattern;
	p->plan.control = test;
	p->plan.metric = METRIC_LATENCY;
	p->plan.iterations = n;
	p->plan.duration = 0;
	p->plan.warmup = 0;
	p->plan.sizes = (struct sizes){ 1, { 4096 } };
	assert_int_equal(device_open(p, &device, &r->error), 0);
	r->client = device.port;
	r->alone = true;
	return r;
}

static int run(struct result *r)
{
	return control_run(&device, NULL, -1, r);
}

static void check_nothing_left(void)
{
	assert_int_equal(fake_verbs.mrs, 0);
	assert_int_equal(fake_verbs.pds, 0);
	assert_int_equal(fake_verbs.qps, 0);
	assert_int_equal(fake_verbs.cqs, 0);
	assert_int_equal(fake_verbs.ahs, 0);
	assert_int_equal(fake_verbs.misuses, 0);
}

static void end(struct result *r)
{
	device_close(&device);
	check_nothing_left();
	assert_int_equal(fake_verbs.contexts, 0);
	result_free(r);
}

/* The parts of the operation make up all of its time. */
static void check_sum(const struct result_row *row)
{
	const struct control_row *c = row->control;
	double sum = 0;

	for (uint32_t i = 0; i < c->n_parts; i++)
		if (!c->parts[i].aside)
			sum += c->parts[i].latency.mean;
	assert_close(sum, row->latency.mean, 1e-6);
	assert_true(c->wall_ns / 1000 >= row->latency.mean * 0.98);
}

TEST(test_churn)
{
	struct result *r = begin(CONTROL_REG_MR, CONTROL_CHURN, 1000);
	const struct result_row *row = &r->rows[0];
	const struct control_row *c;

	assert_int_equal(run(r), 0);
	assert_int_equal(r->n_rows, 1);
	c = row->control;
	assert_int_equal(row->size, 4096);
	assert_int_equal(row->iterations, 1000);
	assert_int_equal(row->latency.samples, 1000);
	assert_false(row->failed);
	assert_int_equal(c->most, 1);
	assert_int_equal(c->n_parts, 2);
	assert_string_equal(c->parts[0].name, "register");
	assert_string_equal(c->parts[1].name, "deregister");
	for (uint32_t i = 0; i < 2; i++) {
		assert_false(c->parts[i].aside);
		assert_int_equal(c->parts[i].latency.samples, 1000);
	}
	check_sum(row);
	assert_int_equal(c->n_spans, 0);
	assert_close(c->per_second, 1000 / row->seconds, 1e-9);
	assert_close(c->pinned_gbps, 4.096 / c->parts[0].latency.mean, 1e-9);
	assert_false(error_is_set(&c->limit));
	assert_int_equal(c->system_calls.operations, 0);
	assert_int_equal(c->firmware.operations, 0);
	end(r);
}

TEST(test_hold)
{
	struct result *r = begin(CONTROL_REG_MR, CONTROL_HOLD, 123);
	const struct control_row *c;
	static const uint64_t edges[][2] = { { 0, 9 }, { 10, 99 },
					     { 100, 122 } };

	assert_int_equal(run(r), 0);
	c = r->rows[0].control;
	assert_int_equal(r->rows[0].iterations, 123);
	assert_int_equal(c->most, 123);
	assert_true(c->parts[1].aside);
	assert_int_equal(c->parts[1].latency.samples, 123);
	check_sum(&r->rows[0]);
	assert_int_equal(c->n_spans, 3);
	for (uint32_t i = 0; i < 3; i++) {
		const struct control_span *span = &c->spans[i];
		const uint64_t n = edges[i][1] - edges[i][0] + 1;

		assert_int_equal(span->from, edges[i][0]);
		assert_int_equal(span->to, edges[i][1]);
		assert_int_equal(span->latency.samples, n);
		assert_int_equal(span->parts[0].samples, n);
		assert_int_equal(span->parts[1].samples, n);
	}
	end(r);
}

TEST(test_threads)
{
	for (int pattern = 0; pattern < CONTROL_PATTERNS; pattern++) {
		struct result *r = begin(CONTROL_REG_MR,
					 (enum control_pattern)pattern, 100);

		r->params.plan.threads = 4;
		assert_int_equal(run(r), 0);
		assert_int_equal(r->rows[0].iterations, 400);
		assert_int_equal(r->rows[0].latency.samples, 400);
		assert_int_equal(r->rows[0].control->most,
				 pattern == CONTROL_HOLD ? 400 : 4);
		end(r);
	}
}

TEST(test_duration_and_warm_up)
{
	struct result *r = begin(CONTROL_REG_MR, CONTROL_CHURN, 0);

	r->params.plan.warmup = SECOND / 50;
	r->params.plan.duration = SECOND / 10;
	assert_int_equal(run(r), 0);
	assert_true(r->rows[0].iterations > 10);
	assert_true(r->rows[0].seconds >= 0.1);
	end(r);
}

TEST(test_sizes)
{
	struct result *r = begin(CONTROL_REG_MR, CONTROL_CHURN, 10);

	r->params.plan.sizes = (struct sizes){ 3, { 1, 4096, 100000 } };
	assert_int_equal(run(r), 0);
	assert_int_equal(r->n_rows, 3);
	assert_int_equal(r->rows[2].size, 100000);
	assert_int_equal(r->rows[2].iterations, 10);
	end(r);
}

/* The call that refuses is some time after the others are counted. */
static uint32_t calls_before(enum control_test test)
{
	struct result *r = begin(test, CONTROL_HOLD, 1);
	uint32_t calls;

	assert_int_equal(run(r), 0);
	calls = fake_verbs.calls;
	end(r);
	return calls;
}

TEST(test_no_more_can_be_held)
{
	const uint32_t before = calls_before(CONTROL_REG_MR);
	struct result *r = begin(CONTROL_REG_MR, CONTROL_HOLD, 1000);
	const struct control_row *c;

	fake_verbs.fail_call = before + 40;
	fake_verbs.errnum = ENOMEM;
	assert_int_equal(run(r), 0);
	c = r->rows[0].control;
	assert_false(r->rows[0].failed);
	assert_false(error_is_set(&r->error));
	assert_int_equal(c->most, r->rows[0].iterations);
	assert_in_range(c->most, 30, 41);
	assert_string_equal(c->limit.code, "ENOMEM");
	assert_non_null(strstr(c->limit.message, "cannot register 4096 bytes"));
	end(r);
}

/* Nothing at all was made, or an object that is made again and again. */
TEST(test_failures)
{
	const uint32_t before = calls_before(CONTROL_REG_MR);

	for (int pattern = 0; pattern < CONTROL_PATTERNS; pattern++) {
		struct result *r = begin(CONTROL_REG_MR,
					 (enum control_pattern)pattern, 100);

		fake_verbs.fail_call = before;
		fake_verbs.errnum = EPERM;
		assert_int_equal(run(r), -EPERM);
		assert_true(r->rows[0].failed);
		assert_int_equal(r->rows[0].iterations, 0);
		assert_string_equal(r->error.code, "EPERM");
		assert_string_equal(r->error.stage, "run");
		assert_true(isnan(r->rows[0].latency.mean));
		end(r);
	}
}

/* Whatever call fails, nothing is left. */
TEST(test_every_call_may_fail)
{
	const uint32_t calls = calls_before(CONTROL_REG_MR);

	for (uint32_t i = 1; i <= calls + 10; i++)
		for (int pattern = 0; pattern < CONTROL_PATTERNS; pattern++) {
			struct result *r = begin(
				CONTROL_REG_MR, (enum control_pattern)pattern,
				5);

			r->params.plan.threads = 2;
			fake_verbs.fail_call = fake_verbs.calls + i;
			fake_verbs.errnum = EINVAL;
			run(r);
			end(r);
		}
}

/* A size that --all cannot have is the end, and no failure. */
TEST(test_all_sizes)
{
	struct result *r = begin(CONTROL_REG_MR, CONTROL_CHURN, 5);

	r->params.plan.all = true;
	r->params.plan.sizes = (struct sizes){ 3, { 4096, 1ULL << 50, 8192 } };
	assert_int_equal(run(r), 0);
	assert_int_equal(r->n_rows, 2);
	assert_int_equal(r->rows[1].iterations, 0);
	assert_string_equal(r->rows[1].control->limit.code, "ENOMEM");
	assert_false(r->rows[1].failed);
	end(r);
}

TEST(test_interrupted)
{
	struct result *r = begin(CONTROL_REG_MR, CONTROL_HOLD, 0);
	int fd = eventfd(1, EFD_NONBLOCK);

	assert_int_equal(control_run(&device, NULL, fd, r), -ECANCELED);
	assert_string_equal(r->error.code, "ECANCELED");
	assert_true(r->rows[0].failed);
	close(fd);
	end(r);
}

static void check_access(enum control_access access, unsigned int wanted)
{
	struct result *r = begin(CONTROL_REG_MR, CONTROL_CHURN, 1);

	r->params.access = access;
	assert_int_equal(run(r), 0);
	assert_int_equal(fake_verbs.access, wanted | IBV_ACCESS_LOCAL_WRITE);
	end(r);
}

TEST(test_access)
{
	check_access(CONTROL_LOCAL, 0);
	check_access(CONTROL_REMOTE_READ, IBV_ACCESS_REMOTE_READ);
	check_access(CONTROL_REMOTE_WRITE, IBV_ACCESS_REMOTE_WRITE);
	check_access(CONTROL_REMOTE_ATOMIC, IBV_ACCESS_REMOTE_ATOMIC);
	check_access(CONTROL_ALL_ACCESS,
		     IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE |
			     IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND);
}

TEST(test_no_odp)
{
	struct result *r = begin(CONTROL_REG_MR, CONTROL_CHURN, 1);

	r->params.plan.odp = true;
	assert_int_equal(run(r), -EOPNOTSUPP);
	assert_message(&r->error, "--odp: fake0 has no on-demand paging");
	end(r);
}

TEST(test_spans)
{
	assert_int_equal(control_span_of(0), 0);
	assert_int_equal(control_span_of(9), 0);
	assert_int_equal(control_span_of(10), 1);
	assert_int_equal(control_span_of(999999), 5);
	assert_int_equal(control_span_of(1000000), 6);
	assert_int_equal(control_span_of(UINT64_MAX), 6);
}

TEST(test_names)
{
	for (int i = CONTROL_NONE + 1; i < CONTROL_TESTS; i++) {
		const enum control_test test = (enum control_test)i;

		assert_int_equal(control_find(control_name(test)), test);
	}
	assert_int_equal(control_find("write_bw"), CONTROL_NONE);
	assert_int_equal(control_find("reg_mrs"), CONTROL_NONE);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_churn),
		cmocka_unit_test(test_hold),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_duration_and_warm_up),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_no_more_can_be_held),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_every_call_may_fail),
		cmocka_unit_test(test_all_sizes),
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_access),
		cmocka_unit_test(test_no_odp),
		cmocka_unit_test(test_spans),
		cmocka_unit_test(test_names),
	};

	alarm(patient(30));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
