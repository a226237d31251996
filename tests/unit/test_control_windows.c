/* mw_bind on the fake NIC: every kind of memory window, the proof that an
 * invalidated one is closed, and a NIC whose windows stay open. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "base/time.h"
#include "base/xalloc.h"
#include "control/control.h"
#include "fake_verbs.h"

static struct device device;

static struct result *begin(enum control_mw mw, enum control_pattern pattern,
			    uint64_t n)
{
	struct result *r = xcalloc(1, sizeof(*r));
	struct parameters *p = &r->params;

	fake_verbs_reset();
	param_defaults(p);
	p->pattern = pattern;
	p->mw = mw;
	p->plan.control = CONTROL_MW_BIND;
	p->plan.metric = METRIC_LATENCY;
	p->plan.iterations = n;
	p->plan.duration = 0;
	p->plan.warmup = 0;
	p->plan.sizes = (struct sizes){ 1, { 0 } };
	assert_int_equal(device_open(p, &device, &r->error), 0);
	r->client = device.port;
	r->alone = true;
	return r;
}

static int run(struct result *r)
{
	return control_run(&device, -1, NULL, r);
}

/* Nothing that was made is left. */
static void end(struct result *r)
{
	device_close(&device);
	assert_int_equal(fake_verbs_alive(), 0);
	assert_int_equal(fake_verbs.misuses, 0);
	result_free(r);
}

TEST(test_every_kind)
{
	static const char *const names[] = {
		"allocate", "bind", "write", "invalidate", "refused write",
		"free",
	};

	for (int mw = 0; mw < CONTROL_MWS; mw++) {
		struct result *r = begin((enum control_mw)mw, CONTROL_CHURN,
					 50);
		const struct control_row *c;
		double sum = 0;

		assert_int_equal(run(r), 0);
		c = r->rows[0].control;
		assert_int_equal(r->rows[0].total.iterations, 50);
		assert_int_equal(c->n_parts, COUNT(names));
		for (uint32_t i = 0; i < c->n_parts; i++) {
			assert_string_equal(c->parts[i].name, names[i]);
			assert_int_equal(c->parts[i].latency.samples, 50);
			assert_int_equal(c->parts[i].aside, i == 4);
			if (!c->parts[i].aside)
				sum += c->parts[i].latency.mean;
		}
		assert_close(sum, r->rows[0].latency.mean, 1e-6);
		end(r);
	}
}

/* Only the last of them is proved closed, for that ends the connection. */
TEST(test_windows_that_are_held)
{
	for (int mw = 0; mw < CONTROL_MWS; mw++) {
		struct result *r = begin((enum control_mw)mw, CONTROL_HOLD,
					 40);
		const struct control_row *c;

		assert_int_equal(run(r), 0);
		c = r->rows[0].control;
		assert_int_equal(c->most, 40);
		assert_int_equal(c->parts[2].latency.samples, 40);
		assert_int_equal(c->parts[4].latency.samples, 1);
		assert_int_equal(c->parts[5].latency.samples, 40);
		end(r);
	}
}

TEST(test_window_that_stays_open)
{
	for (int mw = 0; mw < CONTROL_MWS; mw++) {
		struct result *r = begin((enum control_mw)mw, CONTROL_CHURN,
					 50);

		fake_verbs.stale_windows = true;
		assert_int_equal(run(r), -EACCES);
		assert_true(r->rows[0].failed);
		assert_string_equal(r->error.code, "IBV_WC_SUCCESS");
		assert_contains(r->error.message,
				"fake0: a write with the key of an invalidated "
				"memory window completed with IBV_WC_SUCCESS "
				"and changed memory");
		end(r);
	}
}

TEST(test_device_without_windows)
{
	static const struct {
		enum control_mw mw;
		unsigned int flags;
		const char *message;
	} cases[] = {
		{ CONTROL_MW_TYPE1, IBV_DEVICE_MEM_WINDOW_TYPE_2B,
		  "--mw type1: fake0 has no memory windows of type 1" },
		{ CONTROL_MW_TYPE2, IBV_DEVICE_MEM_WINDOW,
		  "--mw type2: fake0 has no memory windows of type 2" },
		{ CONTROL_MW_TYPE2_SEND, 0,
		  "--mw type2-send: fake0 has no memory windows of type 2" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct result *r = begin(cases[i].mw, CONTROL_CHURN, 1);

		fake_verbs.attr.device_cap_flags = cases[i].flags;
		assert_int_equal(run(r), -EOPNOTSUPP);
		assert_message(&r->error, cases[i].message);
		end(r);
	}
}

/* A message that fails is the first of a part. */
TEST(test_requests_that_fail)
{
	static const struct {
		uint64_t message;
		const char *what;
	} cases[] = {
		{ 1, "cannot bind a memory window" },
		{ 2, "cannot write through a memory window" },
		{ 3, "cannot invalidate a memory window" },
		{ 4, "completed with IBV_WC_GENERAL_ERR, not with" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct result *r = begin(CONTROL_MW_TYPE2, CONTROL_CHURN, 5);

		fake_verbs.fail_message = cases[i].message;
		fake_verbs.status = IBV_WC_GENERAL_ERR;
		assert_true(run(r) < 0);
		assert_string_equal(r->error.code, "IBV_WC_GENERAL_ERR");
		assert_contains(r->error.message, cases[i].what);
		end(r);
	}
}

TEST(test_data_that_does_not_arrive)
{
	struct result *r = begin(CONTROL_MW_TYPE2, CONTROL_CHURN, 5);

	fake_verbs.damage_message = 2;
	assert_int_equal(run(r), -EIO);
	assert_string_equal(r->error.code, "WRONG_DATA");
	end(r);
}

TEST(test_nothing_completes)
{
	struct result *r = begin(CONTROL_MW_TYPE2, CONTROL_CHURN, 5);

	r->params.plan.timeout = SECOND / 20;
	fake_verbs.black_hole = true;
	assert_int_equal(run(r), -ETIMEDOUT);
	assert_message(&r->error, "fake0: nothing completed within 0.05 s");
	end(r);
}

/* Whatever call or post fails, nothing is left. */
TEST(test_every_call_may_fail)
{
	for (int mw = 0; mw < CONTROL_MWS; mw++)
		for (uint32_t i = 1; i <= 60; i++)
			for (int posts = 0; posts < 2; posts++) {
				struct result *r = begin((enum control_mw)mw,
							 CONTROL_CHURN, 2);

				if (posts)
					fake_verbs.fail_post = i;
				else
					fake_verbs.fail_call =
						fake_verbs.calls + i;
				fake_verbs.errnum = EINVAL;
				run(r);
				end(r);
			}
}

TEST(test_names)
{
	assert_string_equal(control_mw_names[CONTROL_MW_TYPE1], "type1");
	assert_string_equal(control_mw_names[CONTROL_MW_TYPE2], "type2");
	assert_string_equal(control_mw_names[CONTROL_MW_TYPE2_SEND],
			    "type2-send");
}

TEST_FILE()
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_kind),
		cmocka_unit_test(test_windows_that_are_held),
		cmocka_unit_test(test_window_that_stays_open),
		cmocka_unit_test(test_device_without_windows),
		cmocka_unit_test(test_requests_that_fail),
		cmocka_unit_test(test_data_that_does_not_arrive),
		cmocka_unit_test(test_nothing_completes),
		cmocka_unit_test(test_every_call_may_fail),
		cmocka_unit_test(test_names),
	};

	alarm(patient(30));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
