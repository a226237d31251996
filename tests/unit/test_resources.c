/* Every verbs call of the set-up fails in turn: said, and nothing left. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "fake_verbs.h"
#include "verbs/device.h"
#include "verbs/resources.h"

static const struct memory_choice anonymous;	/* of every end here */

static struct parameters defaults(void)
{
	struct parameters params;

	param_defaults(&params);
	return params;
}

static struct plan plan_of(enum op op, enum metric metric, uint32_t qps)
{
	struct plan plan = defaults().plan;

	plan.op = op;
	plan.metric = metric;
	plan.qps = qps;
	plan.sizes = (struct sizes){ 1, { 4096 } };
	plan.rx_depth = 16;
	plan.outstanding_reads = op == OP_READ ? 4 : 0;
	return plan;
}

static void check_failed(int ret, const struct error *err)
{
	assert_true(ret < 0);
	assert_true(error_is_set(err));
	assert_null(strchr(err->message, '\n'));
	assert_int_equal(fake_verbs_alive(), 0);
	assert_int_equal(fake_verbs.misuses, 0);
}

/* Fails the first, second, ... call of an opening; the number it takes. */
static uint32_t open_failing_each(const struct parameters *params)
{
	for (uint32_t nth = 1;; nth++) {
		struct error err = { 0 };
		struct device device = { 0 };
		int ret;

		fake_verbs_reset();
		fake_verbs.fail_call = nth;
		ret = device_open(params, &device, &err);
		if (fake_verbs.calls < nth) {
			assert_int_equal(ret, 0);
			device_close(&device);
			assert_int_equal(fake_verbs_alive(), 0);
			return nth - 1;
		}
		/* not every failure must end it: a count that cannot be read
		 * is tried again when the port is */
		if (!ret) {
			device_close(&device);
			assert_int_equal(fake_verbs_alive(), 0);
			continue;
		}
		check_failed(ret, &err);
		assert_null(device.context);
	}
}

TEST(test_device_open)
{
	struct parameters params = defaults();

	assert_true(open_failing_each(&params) >= 5);
	params.device = "fake0";
	params.ib_port = 1;
	params.gid_index = 1;
	assert_true(open_failing_each(&params) >= 5);
}

static void open_and_expect(const struct parameters *params, int ret,
			    const char *fragment)
{
	struct error err = { 0 };
	struct device device = { 0 };

	assert_int_equal(device_open(params, &device, &err), ret);
	if (ret)
		assert_contains(err.message, fragment);
	device_close(&device);
	device_close(&device);	/* twice is fine */
	assert_int_equal(fake_verbs_alive(), 0);
}

TEST(test_devices_that_cannot_be_used)
{
	struct parameters params = defaults();

	fake_verbs_reset();
	open_and_expect(&params, 0, "");
	fake_verbs.n_devices = 0;
	open_and_expect(&params, -ENODEV, "there is no RDMA device");
	/* as without any module of RDMA in the kernel */
	fake_verbs.fail_call = fake_verbs.calls + 1;
	fake_verbs.errnum = ENOSYS;
	open_and_expect(&params, -ENODEV, "there is no RDMA device");
	fake_verbs.fail_call = fake_verbs.calls + 1;
	fake_verbs.errnum = EPERM;
	open_and_expect(&params, -EPERM, "cannot list RDMA devices");
	fake_verbs.n_devices = 2;
	params.device = "mlx5_9";
	open_and_expect(&params, -ENODEV,
			"--device mlx5_9: not found; this machine has fake0, "
			"fake1");
	params.device = "fake1";
	params.ib_port = 3;
	open_and_expect(&params, -ENODEV,
			"--ib-port 3: fake1 has ports 1 to 1");
	params.ib_port = PLAN_AUTO;
	params.gid_index = 7;
	open_and_expect(&params, -ENOENT, "--gid-index 7");
	params.gid_index = PLAN_AUTO;
	fake_verbs.port.state = IBV_PORT_DOWN;
	open_and_expect(&params, -ENETDOWN, "port 1 of fake1 is DOWN");
	params.device = NULL;
	open_and_expect(&params, -ENODEV, "none of the RDMA devices");
	fake_verbs.n_devices = 1;
	open_and_expect(&params, -ENETDOWN, "port 1 of fake0 is DOWN");
}

/* Descriptors open at most from now on: those that are, and MORE. */
static void limit_descriptors(unsigned int more)
{
	struct rlimit limit;
	int next = dup(0);

	close(next);
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = (rlim_t)next + more;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* libibverbs finds no device then, and does not say why. */
TEST(test_no_descriptors_left)
{
	struct parameters params = defaults();
	struct rlimit old;

	fake_verbs_reset();
	fake_verbs.n_devices = 0;
	getrlimit(RLIMIT_NOFILE, &old);
	limit_descriptors(3);
	open_and_expect(&params, -EMFILE, "cannot look for RDMA devices: Too "
			"many open files");
	limit_descriptors(4);
	open_and_expect(&params, -ENODEV, "there is no RDMA device");
	setrlimit(RLIMIT_NOFILE, &old);
}

TEST(test_the_active_port)
{
	struct parameters params = defaults();
	struct error err = { 0 };
	struct device device = { 0 };

	fake_verbs_reset();
	fake_verbs.attr.phys_port_cnt = 3;
	fake_verbs.active_port = 2;
	fake_verbs.gids[0].port_num = 2;
	assert_int_equal(device_open(&params, &device, &err), 0);
	assert_int_equal(device.port.number, 2);
	assert_int_equal(device.port.n_gids, 1);
	assert_int_equal(device.port.rate_mbps, 100000);
	assert_string_equal(device.port.device, "fake0");
	assert_string_equal(device.port.firmware, "1.2.3");
	assert_int_equal(device.port.limits.max_cqe, 65536);
	device_close(&device);
	params.ib_port = 3;
	open_and_expect(&params, -ENETDOWN, "port 3 of fake0 is DOWN");
}

/* Each call fails in turn: what it was for is left out, with the reason. */
TEST(test_scan)
{
	struct parameters params = defaults();
	struct found_port *found;
	size_t n;

	for (uint32_t nth = 1;; nth++) {
		struct error err = { 0 };
		uint32_t unusable = 0;
		int ret;

		fake_verbs_reset();
		fake_verbs.n_devices = 2;
		fake_verbs.attr.phys_port_cnt = 2;
		fake_verbs.fail_call = nth;
		ret = device_scan(&params, &found, &n, &err);
		assert_int_equal(fake_verbs_alive(), 0);
		if (ret) {
			check_failed(ret, &err);
			assert_null(found);
			assert_int_equal(nth, 1);	/* the list */
			continue;
		}
		for (size_t i = 0; i < n; i++)
			unusable += error_is_set(&found[i].error);
		free(found);
		assert_true(unusable <= 1);
		assert_true(n - unusable >= 2);
		if (fake_verbs.calls < nth) {
			assert_int_equal(n - unusable, 4);
			break;
		}
	}
}

TEST(test_a_device_that_does_not_open)
{
	static const char text[] =
		"fake0: cannot open /dev/infiniband/uverbs900: No such file or "
		"directory";
	struct parameters params = defaults();
	struct found_port *found;
	struct device device = { 0 };
	struct error err = { 0 };
	size_t n;

	fake_verbs_reset();
	fake_verbs.n_devices = 2;
	fake_verbs.no_open = "fake0";
	assert_int_equal(device_scan(&params, &found, &n, &err), 0);
	assert_int_equal(n, 2);
	assert_message(&found[0].error, text);
	assert_contains(found[0].error.advice, "container");
	assert_false(error_is_set(&found[1].error));
	assert_string_equal(found[1].port.device, "fake1");
	free(found);
	assert_int_equal(device_open(&params, &device, &err), 0);
	assert_string_equal(device.port.device, "fake1");
	device_close(&device);
	params.device = "fake0";
	assert_true(device_scan(&params, &found, &n, &err) < 0);
	assert_message(&err, text);
	assert_null(found);
}

static void write_sysfs(const char *sys, const char *path, const char *text)
{
	char all[PATH_MAX];
	FILE *file;

	snprintf(all, sizeof(all), "mkdir -p '%s/class/%s'", sys, path);
	assert_int_equal(system(all), 0);
	if (!text)
		return;
	snprintf(all, sizeof(all), "%s/class/%s/ibdev", sys, path);
	file = fopen(all, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void remove_sysfs(const char *sys)
{
	char all[PATH_MAX];

	snprintf(all, sizeof(all), "rm -r '%s'", sys);
	assert_int_equal(system(all), 0);
}

/* Devices of the kernel's that libibverbs leaves out are no secret. */
TEST(test_devices_that_libibverbs_does_not_list)
{
	char sys[] = "/tmp/verbsperf-sysfs-XXXXXX";
	struct parameters params = defaults();
	struct device device = { 0 };
	struct found_port *found;
	struct error err = { 0 };
	size_t n;

	fake_verbs_reset();
	assert_non_null(mkdtemp(sys));
	setenv("SYSFS_PATH", sys, 1);
	write_sysfs(sys, "infiniband/fake0", NULL);
	write_sysfs(sys, "infiniband/mlx5_7", NULL);
	write_sysfs(sys, "infiniband/mlx5_8", NULL);
	write_sysfs(sys, "infiniband_verbs/uverbs907", "mlx5_7\n");
	write_sysfs(sys, "infiniband_verbs/uverbs900", "fake0\n");
	assert_int_equal(device_scan(&params, &found, &n, &err), 0);
	assert_int_equal(n, 3);
	assert_string_equal(found[0].port.device, "fake0");
	assert_message(&found[1].error,
		       "mlx5_7: cannot open /dev/infiniband/uverbs907: No such "
		       "file or directory");
	assert_message(&found[2].error,
		       "mlx5_8: it has no file in /dev/infiniband");
	free(found);
	fake_verbs.n_devices = 0;
	params.device = "mlx5_7";
	assert_int_equal(device_open(&params, &device, &err), -ENOENT);
	assert_contains(err.message, "uverbs907");
	remove_sysfs(sys);
}

static void open_fake(struct device *device)
{
	struct parameters params = defaults();
	struct error err = { 0 };

	fake_verbs_reset();
	assert_int_equal(device_open(&params, device, &err), 0);
	fake_verbs.calls = 0;
}

static uint32_t create_failing_each(const struct plan *plan, bool client)
{
	struct device device;

	for (uint32_t nth = 1;; nth++) {
		struct resources res = { 0 };
		struct error err = { 0 };
		int ret;

		open_fake(&device);
		fake_verbs.fail_call = nth;
		fake_verbs.errnum = nth % 2 ? ENOMEM : EINVAL;
		ret = resources_create(&device, plan, client, &anonymous, 0,
				       &res,
				       &err);
		if (!ret)
			resources_destroy(&res);
		device_close(&device);
		assert_int_equal(fake_verbs_alive(), 0);
		if (!ret)
			return nth - 1;
		check_failed(ret, &err);
		assert_int_equal(ret, nth % 2 ? -ENOMEM : -EINVAL);
		assert_null(res.qps);
	}
}

TEST(test_resources_create)
{
	for (int op = 0; op < OP_COUNT; op++)
		for (int client = 0; client < 2; client++) {
			struct plan plan = plan_of((enum op)op,
						   METRIC_BANDWIDTH, 3);

			/* PD, MR, two CQs, three QPs, each to INIT */
			assert_int_equal(create_failing_each(&plan, client),
					 10);
		}
}

/* 5 to 7: a queue pair, its state INIT, and the next queue pair. */
TEST(test_advice_on_what_is_not_to_be_had)
{
	static const struct {
		uint32_t nth;
		int errnum;
		const char *advice;
	} rows[] = {
		{ 1, EAGAIN, "rdma.max" },
		{ 2, EAGAIN, "rdma.max" },
		{ 3, EAGAIN, "rdma.max" },
		{ 4, EAGAIN, "rdma.max" },
		{ 7, EAGAIN, "rdma.max" },
		{ 7, ENOMEM, "ulimit -l" },
		{ 7, EOPNOTSUPP, "--post legacy" },
	};
	struct plan plan = plan_of(OP_WRITE, METRIC_BANDWIDTH, 2);

	plan.post = POST_WR;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct resources res;
		struct error err = { 0 };
		struct device device;

		open_fake(&device);
		fake_verbs.builders = true;
		fake_verbs.fail_call = rows[i].nth;
		fake_verbs.errnum = rows[i].errnum;
		assert_int_equal(resources_create(&device, &plan, true,
						  &anonymous, 0, &res, &err),
				 -rows[i].errnum);
		assert_contains(err.advice, rows[i].advice);
		device_close(&device);
	}
}

/* A device that refuses the queue pair for its entries: the advice names what
 * was asked for, and nothing else. */
TEST(test_advice_on_what_was_asked)
{
	for (uint32_t asked = 0; asked <= 64; asked += 64) {
		struct plan plan = plan_of(OP_WRITE, METRIC_BANDWIDTH, 2);
		struct resources res;
		struct error err = { 0 };
		struct device device;

		plan.sge = 2;
		plan.sizes = (struct sizes){ .n = 1, .bytes = { 64 } };
		plan.inline_size = asked ? asked : PLAN_AUTO;
		open_fake(&device);
		fake_verbs.attr.max_sge = 1;
		assert_int_equal(resources_create(&device, &plan, true,
						  &anonymous, 0, &res, &err),
				 -EINVAL);
		assert_contains(err.message, "of 2 entries");
		assert_contains(err.advice, "--sge");
		assert_contains(err.advice, "-t");
		assert_int_equal(strstr(err.advice, "-I") != NULL, asked > 0);
		device_close(&device);
		assert_int_equal(fake_verbs_alive(), 0);
	}
}

TEST(test_a_queue_pair_to_itself)
{
	struct plan plan = plan_of(OP_READ, METRIC_BANDWIDTH, 2);
	struct path path = { .global = true, .mtu = IBV_MTU_1024 };

	for (uint32_t nth = 1;; nth++) {
		struct endpoint self;
		struct resources res;
		struct device device;
		struct error err = { 0 };
		int ret;

		open_fake(&device);
		assert_int_equal(resources_create(&device, &plan, true,
						  &anonymous, 0, &res,
						  &err), 0);
		resources_describe(&res, &path, &self);
		assert_int_equal(self.n, 2);
		assert_true(self.qps[0].qpn != self.qps[1].qpn);
		fake_verbs.fail_call = fake_verbs.calls + nth;
		ret = resources_connect(&res, &path, &self, &err);
		resources_destroy(&res);
		resources_destroy(&res);	/* twice is fine */
		free(self.qps);
		device_close(&device);
		assert_int_equal(fake_verbs_alive(), 0);
		if (!ret) {
			/* RTR and RTS, twice */
			assert_int_equal(nth, 5);
			return;
		}
		check_failed(ret, &err);
		assert_contains(err.message, "cannot move QP 0x00100");
	}
}

/* How many sends are allowed at once, where this end, the other or both of them
 * say how many receives they have. */
static uint64_t allowed(bool own, bool other)
{
	struct plan plan = plan_of(OP_SEND, METRIC_BANDWIDTH, 1);
	struct path path = { .global = true, .mtu = IBV_MTU_1024 };
	struct endpoint self;
	struct resources res;
	struct device device;
	struct error err = { 0 };
	uint64_t n;

	open_fake(&device);
	/* which is so with iWARP, where the manager connects */
	device.port.iwarp = fake_verbs.iwarp = own;
	assert_int_equal(resources_create(&device, &plan, true, &anonymous, 0,
					  &res, &err), 0);
	resources_describe(&res, &path, &self);
	assert_int_equal(self.allowances != 0, own);
	self.allowances = other ? 4096 : 0;
	device.port.iwarp = fake_verbs.iwarp = false;
	assert_int_equal(resources_connect(&res, &path, &self, &err), 0);
	n = res.qps[0].allowed;
	resources_destroy(&res);
	free(self.qps);
	device_close(&device);
	assert_int_equal(fake_verbs_alive(), 0);
	return n;
}

/* A peer may say what was not agreed. */
TEST(test_allowances_of_both_ends)
{
	const uint64_t none = allowed(false, false);

	assert_int_equal(allowed(true, true), 16 + 1);
	assert_int_equal(allowed(true, false), none);
	assert_int_equal(allowed(false, true), none);
}

static uintptr_t line_of(const void *p)
{
	return (uintptr_t)p / 64;
}

/* Queue pairs may be those of different threads: what a loop writes to for one
 * is on no cache line of another's. */
TEST(test_queue_pairs_share_no_cache_line)
{
	struct resources res;
	struct device device;
	struct error err = { 0 };

	for (uint32_t list = 1; list < 20; list++) {
		struct plan plan = plan_of(OP_SEND, METRIC_BANDWIDTH, 7);
		size_t n = flow_requests(list);

		plan.post_list = list;
		open_fake(&device);
		assert_int_equal(resources_create(&device, &plan, true,
						  &anonymous, 0, &res, &err),
				 0);
		for (int i = 1; i < 7; i++) {
			struct flow_qp *one = &res.qps[i - 1], *two = one + 1;
			const struct flow_request *a = one->requests;
			const struct flow_request *b = two->requests;

			assert_true(line_of((char *)two - 1) < line_of(two));
			assert_true(line_of((char *)(a + n) - 1) < line_of(b) ||
				    line_of((char *)(b + n) - 1) < line_of(a));
		}
		resources_destroy(&res);
		device_close(&device);
	}
}

TEST(test_no_more_protection_domains)
{
	struct parameters params = defaults();
	struct device device = { 0 };
	struct error err = { 0 };
	struct ibv_pd *pd;

	fake_verbs_reset();
	assert_int_equal(device_open(&params, &device, &err), 0);
	assert_int_equal(pd_alloc(&device, &pd, &err), 0);
	ibv_dealloc_pd(pd);
	fake_verbs.calls = 0;
	fake_verbs.fail_call = 1;
	fake_verbs.errnum = EAGAIN;
	assert_int_equal(pd_alloc(&device, &pd, &err), -EAGAIN);
	assert_null(pd);
	assert_message(&err, "fake0: cannot allocate a protection domain: "
		       "Resource temporarily unavailable");
	assert_contains(err.advice, "rdma.max");
	device_close(&device);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_no_more_protection_domains),
	cmocka_unit_test(test_device_open),
	cmocka_unit_test(test_devices_that_cannot_be_used),
	cmocka_unit_test(test_no_descriptors_left),
	cmocka_unit_test(test_the_active_port),
	cmocka_unit_test(test_scan),
	cmocka_unit_test(test_a_device_that_does_not_open),
	cmocka_unit_test(test_devices_that_libibverbs_does_not_list),
	cmocka_unit_test(test_resources_create),
	cmocka_unit_test(test_advice_on_what_is_not_to_be_had),
	cmocka_unit_test(test_advice_on_what_was_asked),
	cmocka_unit_test(test_a_queue_pair_to_itself),
	cmocka_unit_test(test_allowances_of_both_ends),
	cmocka_unit_test(test_queue_pairs_share_no_cache_line),
};

TEST_MAIN(tests, 30)
