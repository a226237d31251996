/* Tests of the control path, on the fake NIC: what is counted, what is reported
 * when no more can be made, and that nothing is left behind. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <sys/eventfd.h>

#include "base/time.h"
#include "base/xalloc.h"
#include "control/control.h"
#include "fake_verbs.h"
#include "made_up_host.h"

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
	return control_run(&device, -1, NULL, r);
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
	assert_int_equal(row->total.iterations, 1000);
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
	assert_close(c->per_second, 1000 / row->total.seconds, 1e-9);
	assert_close(c->pinned_gb_per_s, 4.096 / c->parts[0].latency.mean, 1e-9);
	assert_false(error_is_set(&c->limit));
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
	assert_int_equal(r->rows[0].total.iterations, 123);
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
		assert_int_equal(r->rows[0].total.iterations, 400);
		assert_int_equal(r->rows[0].latency.samples, 400);
		assert_int_equal(r->rows[0].control->most,
				 pattern == CONTROL_HOLD ? 400 : 4);
		end(r);
	}
}

TEST(test_duration_and_warm_up)
{
	struct result *r = begin(CONTROL_REG_MR, CONTROL_CHURN, 0);
	struct timespec now;
	double ago;

	r->params.plan.warmup = SECOND / 50;
	r->params.plan.duration = SECOND / 10;
	assert_int_equal(run(r), 0);
	clock_gettime(CLOCK_REALTIME, &now);
	/* a busy machine may leave it little of that */
	assert_true(r->rows[0].total.iterations > 0);
	assert_true(r->rows[0].total.seconds > 0);
	/* since when, and not until when */
	ago = (double)(now.tv_sec - r->rows[0].opened.tv_sec) +
	      1e-9 * (double)(now.tv_nsec - r->rows[0].opened.tv_nsec);
	assert_true(ago >= r->rows[0].total.seconds);
	end(r);
}

TEST(test_sizes)
{
	struct result *r = begin(CONTROL_REG_MR, CONTROL_CHURN, 10);

	r->params.plan.sizes = (struct sizes){ 3, { 1, 4096, 100000 } };
	assert_int_equal(run(r), 0);
	assert_int_equal(r->n_rows, 3);
	assert_int_equal(r->rows[2].size, 100000);
	assert_int_equal(r->rows[2].total.iterations, 10);
	end(r);
}

static const char *const parts_of[CONTROL_TESTS] = {
	[CONTROL_REG_MR] = "register deregister",
	[CONTROL_CREATE_QP] = "create destroy",
	[CONTROL_CREATE_CQ] = "create destroy",
	[CONTROL_CREATE_AH] = "create destroy",
	[CONTROL_QP_SETUP] = "create init rtr rts destroy",
	[CONTROL_POST_POLL] = "poll_empty post wait poll",
};

/* Each test by itself, of each transport that it may have. */
static void each(void (*check)(enum control_test test, uint32_t transport))
{
	for (int i = CONTROL_NONE + 1; i < CONTROL_TESTS; i++) {
		const enum control_test test = (enum control_test)i;

		if (!parts_of[i])
			continue;
		for (uint32_t t = TRANSPORT_RC; t <= TRANSPORT_UD; t++)
			if (t == TRANSPORT_RC || control_table[test].transports)
				check(test, t);
	}
}

static void check_test(enum control_test test, uint32_t transport)
{
	struct result *r = begin(test, CONTROL_CHURN, 50);
	const struct control_row *c;
	char names[100] = "";
	uint64_t n;

	r->params.plan.transport = transport;
	r->params.plan.sizes.bytes[0] = control_table[test].size ? 64 : 0;
	/* the fake NIC minds an address handle that is destroyed before any
	 * queue pair of its domain */
	if (transport != TRANSPORT_UD)
		r->params.plan.threads = 2;
	n = 50 * r->params.plan.threads;
	if (run(r))
		fail_msg("%s: %s", control_table[test].name, r->error.message);
	c = r->rows[0].control;
	assert_int_equal(r->rows[0].total.iterations, n);
	check_sum(&r->rows[0]);
	for (uint32_t i = 0; i < c->n_parts; i++) {
		assert_int_equal(c->parts[i].latency.samples, n);
		snprintf(names + strlen(names), sizeof(names) - strlen(names),
			 "%s%s", i ? " " : "", c->parts[i].name);
	}
	assert_string_equal(names, parts_of[test]);
	end(r);
}

TEST(test_each)
{
	each(check_test);
}

static void check_held(enum control_test test, uint32_t transport)
{
	struct result *r = begin(test, CONTROL_HOLD, 20);

	r->params.plan.transport = transport;
	r->params.plan.sizes.bytes[0] = control_table[test].size;
	if (run(r))
		fail_msg("%s: %s", control_table[test].name, r->error.message);
	assert_int_equal(r->rows[0].total.iterations, 20);
	assert_int_equal(r->rows[0].control->n_spans, 2);
	end(r);
}

TEST(test_each_held)
{
	each(check_held);
}

/* Whatever call fails, nothing is left, and a failure is said. */
static void check_failures(enum control_test test, uint32_t transport)
{
	for (uint32_t i = 1; i < 30; i++)
		for (int pattern = 0; pattern < CONTROL_PATTERNS; pattern++) {
			struct result *r = begin(
				test, (enum control_pattern)pattern, 4);
			int ret;

			r->params.plan.transport = transport;
			r->params.plan.sizes.bytes[0] = 64;
			fake_verbs.fail_call = fake_verbs.calls + i;
			fake_verbs.errnum = ENOMEM;
			ret = run(r);
			assert_int_equal(ret != 0, error_is_set(&r->error));
			if (ret)
				assert_non_null(strstr(r->error.message,
						       "annot"));
			end(r);
		}
}

TEST(test_each_may_fail)
{
	each(check_failures);
}

TEST(test_message_too_large)
{
	struct result *r = begin(CONTROL_POST_POLL, CONTROL_CHURN, 1);

	r->params.plan.transport = TRANSPORT_UD;
	assert_int_equal(run(r), -EMSGSIZE);
	assert_message(&r->error, "--size 4096: fake0 port 1 takes 1024 bytes "
		       "at most");
	end(r);
}

TEST(test_no_completion)
{
	struct result *r = begin(CONTROL_POST_POLL, CONTROL_CHURN, 1);

	r->params.plan.timeout = SECOND / 100;
	fake_verbs.black_hole = true;
	assert_int_equal(run(r), -ETIMEDOUT);
	assert_message(&r->error, "fake0: a message to itself did not "
		       "complete within 0.01 s");
	end(r);
}

TEST(test_failed_completion)
{
	struct result *r = begin(CONTROL_POST_POLL, CONTROL_CHURN, 9);

	fake_verbs.fail_message = 3;
	fake_verbs.status = IBV_WC_RETRY_EXC_ERR;
	assert_int_equal(run(r), -EIO);
	assert_string_equal(r->error.code, "IBV_WC_RETRY_EXC_ERR");
	assert_int_equal(r->rows[0].total.iterations, 2);
	end(r);
}

/* With ibv_wr_start(3) and inline, too. */
TEST(test_ways_to_post)
{
	for (uint32_t transport = TRANSPORT_RC; transport <= TRANSPORT_UD;
	     transport++)
		for (int i = 0; i < 4; i++) {
			struct result *r = begin(CONTROL_POST_POLL,
						 CONTROL_CHURN, 10);

			fake_verbs.builders = true;
			r->params.plan.transport = transport;
			r->params.plan.sizes.bytes[0] = 64;
			r->params.plan.post = i % 2 ? POST_WR : POST_LEGACY;
			r->params.plan.inline_size = i / 2 ? 64 : 0;
			if (run(r))
				fail_msg("%u %d: %s", transport, i,
					 r->error.message);
			assert_int_equal(fake_verbs.messages, 10);
			assert_int_equal(fake_verbs.inlined, i / 2 ? 10 : 0);
			end(r);
		}
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
	assert_int_equal(c->most, r->rows[0].total.iterations);
	assert_in_range(c->most, 30, 41);
	assert_string_equal(c->limit.code, "ENOMEM");
	assert_non_null(strstr(c->limit.message, "cannot register 4096 bytes"));
	/* the attempt that failed is no operation, and of the processor's time
	 * its part is not known */
	check_sum(&r->rows[0]);
	assert_true(isfinite(c->wall_ns));
	assert_true(isnan(c->cpu_ns) && isnan(c->user_ns) &&
		    isnan(c->system_ns));
	end(r);
}

TEST(test_completion_vector)
{
	struct result *r = begin(CONTROL_CREATE_CQ, CONTROL_CHURN, 5);

	r->params.vector = 3;
	assert_int_equal(run(r), 0);
	assert_int_equal(fake_verbs.vectors, 1U << 3);
	assert_true(isfinite(r->rows[0].control->cpu_ns));
	end(r);
	r = begin(CONTROL_CREATE_CQ, CONTROL_CHURN, 5);
	r->params.vector = 4;
	assert_int_equal(run(r), -EINVAL);
	assert_message(&r->error, "--vector 4: fake0 has completion vectors 0 "
		       "to 3");
	end(r);
	r = begin(CONTROL_CREATE_CQ, CONTROL_CHURN, 5);
	r->params.vector = 1;
	device.context->num_comp_vectors = 1;
	assert_int_equal(run(r), -EINVAL);
	assert_message(&r->error, "--vector 1: fake0 has one completion "
		       "vector, 0");
	end(r);
}

/* 1 GiB in all, of which KIB are available. */
static void make_up_memory(unsigned int kib)
{
	char text[100];

	snprintf(text, sizeof(text), "MemTotal: 1048576 kB\n"
		 "MemFree: 5 kB\nMemAvailable: %u kB\n", kib);
	host_file("/proc/meminfo", text);
}

/* The kernel has hardly any memory left: to hold more would harm others. */
TEST(test_low_memory)
{
	const struct control_row *c;

	make_up_memory(131071);
	for (int pattern = 0; pattern < CONTROL_PATTERNS; pattern++) {
		struct result *r = begin(CONTROL_CREATE_CQ,
					 (enum control_pattern)pattern, 0);

		r->params.plan.duration = SECOND / 5;
		assert_int_equal(run(r), 0);
		c = r->rows[0].control;
		assert_int_equal(error_is_set(&c->limit),
				 pattern == CONTROL_HOLD);
		if (pattern == CONTROL_HOLD) {
			assert_string_equal(c->limit.code, "ENOMEM");
			assert_string_equal(c->limit.stage, "run");
			assert_message(&c->limit, "the host has only 131071 "
				       "of 1048576 KiB of memory available, "
				       "which are left to others");
			assert_int_equal(c->most, r->rows[0].total.iterations);
		}
		assert_false(r->rows[0].failed);
		end(r);
	}
}

TEST(test_enough_memory)
{
	struct result *r = begin(CONTROL_CREATE_CQ, CONTROL_HOLD, 0);

	make_up_memory(131072);
	r->params.plan.duration = SECOND / 10;
	assert_int_equal(run(r), 0);
	assert_false(error_is_set(&r->rows[0].control->limit));
	end(r);
}

/* Memory to register must leave an eighth of what there is. */
TEST(test_too_much_memory)
{
	static const struct {
		uint64_t size;
		uint32_t threads;
		enum memory_kind kind;
		int ret;
	} rows[] = {
		{ 7 * 1024, 1, MEMORY_ANONYMOUS, -ENOMEM },
		{ 7 * 1024 - 4, 1, MEMORY_ANONYMOUS, 0 },
		{ 7 * 512, 2, MEMORY_ANONYMOUS, -ENOMEM },
		{ 7 * 1024, 1, MEMORY_SHARED, 0 },
	};

	make_up_memory(8 * 1024);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct result *r = begin(CONTROL_REG_MR, CONTROL_CHURN, 2);

		r->params.plan.sizes.bytes[0] = rows[i].size * 1024;
		r->params.plan.threads = rows[i].threads;
		r->params.memory.kind = rows[i].kind;
		assert_int_equal(run(r), rows[i].ret);
		assert_int_equal(r->rows[0].failed, rows[i].ret != 0);
		if (rows[i].ret) {
			assert_string_equal(r->error.stage, "run");
			assert_contains(r->error.message,
					"the host has only 8192 KiB "
					"available");
			assert_contains(r->error.message,
					rows[i].threads == 1 ?
						"in 1 thread:" :
						"in 2 threads:");
		}
		end(r);
	}
}

/* What may be the limit is said beside the error. */
TEST(test_advice)
{
	static const struct {
		int errnum;
		int most;
		const char *advice;
	} rows[] = {
		{ EAGAIN, 1000, "rdma.max" },
		{ ENOMEM, 12, "the device has 12 at most (max_cq)" },
		{ EINVAL, 12, "the device has 12 at most (max_cq)" },
		{ ENOMEM, 1000, "(ulimit -l)" },
	};
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct result *r = begin(CONTROL_CREATE_CQ, CONTROL_HOLD, 100);

		fake_verbs.attr.max_cq = rows[i].most;
		fake_verbs.fail_call = fake_verbs.calls + 15;
		fake_verbs.errnum = rows[i].errnum;
		assert_int_equal(run(r), 0);
		assert_contains(r->rows[0].control->limit.advice,
				rows[i].advice);
		end(r);
	}
}

/* Nothing at all was made, or an object that is made again and again.  A thread
 * that fails in the warm-up ends the others. */
TEST(test_failures)
{
	const uint32_t before = calls_before(CONTROL_REG_MR);

	for (int i = 0; i < 2 * CONTROL_PATTERNS; i++) {
		struct result *r = begin(CONTROL_REG_MR,
					 (enum control_pattern)(i / 2), 100);

		r->params.plan.threads = 1 + i % 2;
		r->params.plan.warmup = i % 2 ? SECOND / 50 : 0;
		fake_verbs.fail_call = before;
		fake_verbs.errnum = EPERM;
		assert_int_equal(run(r), -EPERM);
		assert_true(r->rows[0].failed);
		assert_int_equal(r->rows[0].total.iterations, 0);
		assert_string_equal(r->error.code, "EPERM");
		assert_string_equal(r->error.stage, "run");
		assert_true(isnan(r->rows[0].latency.mean));
		end(r);
	}
}

/* A GPU's memory that the NIC cannot reach: both ways are named, as in a test
 * of the data path. */
TEST(test_memory_that_is_refused)
{
	struct result *r = begin(CONTROL_REG_MR, CONTROL_CHURN, 10);

	r->params.memory.kind = MEMORY_CUDA;
	fake_verbs.no_dmabuf = fake_verbs.no_peer = true;
	assert_int_equal(run(r), -EFAULT);
	assert_contains(r->error.message, "fake0: cannot register 4096 bytes: "
			"as a dma-buf: Operation not supported (kernel ");
	assert_contains(r->error.message, "; as peer memory: Bad address");
	assert_contains(r->error.advice, "modprobe nvidia-peermem");
	end(r);
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
	assert_int_equal(r->rows[1].total.iterations, 0);
	assert_string_equal(r->rows[1].control->limit.code, "ENOMEM");
	assert_false(r->rows[1].failed);
	end(r);
}

TEST(test_interrupted)
{
	struct result *r = begin(CONTROL_REG_MR, CONTROL_HOLD, 0);
	int fd = eventfd(1, EFD_NONBLOCK);

	assert_int_equal(control_run(&device, fd, NULL, r), -ECANCELED);
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

		assert_int_equal(control_find(control_table[test].name), test);
	}
	assert_int_equal(control_find("write_bw"), CONTROL_NONE);
	assert_int_equal(control_find("reg_mrs"), CONTROL_NONE);
}

TEST_FILE()
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_churn),
		cmocka_unit_test(test_hold),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_duration_and_warm_up),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_no_more_can_be_held),
		cmocka_unit_test(test_completion_vector),
		cmocka_unit_test_setup_teardown(test_low_memory, host_begin,
						host_end),
		cmocka_unit_test_setup_teardown(test_enough_memory,
						host_begin, host_end),
		cmocka_unit_test_setup_teardown(test_too_much_memory,
						host_begin, host_end),
		cmocka_unit_test(test_advice),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_memory_that_is_refused),
		cmocka_unit_test(test_every_call_may_fail),
		cmocka_unit_test(test_all_sizes),
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_access),
		cmocka_unit_test(test_no_odp),
		cmocka_unit_test(test_each),
		cmocka_unit_test(test_each_held),
		cmocka_unit_test(test_each_may_fail),
		cmocka_unit_test(test_message_too_large),
		cmocka_unit_test(test_no_completion),
		cmocka_unit_test(test_failed_completion),
		cmocka_unit_test(test_ways_to_post),
		cmocka_unit_test(test_spans),
		cmocka_unit_test(test_names),
	};

	alarm(patient(30));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
