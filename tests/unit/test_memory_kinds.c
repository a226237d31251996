/*
 * Messages in memory of every kind, of which each end has its own.  Memory of a
 * GPU is that of a stand-in for its driver (tests/standin), and that of a
 * device the fake NIC's: the host has no right to touch either, so that a run
 * ends by a signal where it does.
 */
#include "config.h"
#include "test.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "fake_verbs.h"
#include "good_plan.h"
#include "pair.h"
#include "run/run.h"
#include "verbs/memory.h"

static const struct sizes sizes = { 4, { 1, 64, 7, 1000 } };

/* Pieces of the stand-in that were not freed; it must be there. */
static int gpu_alive(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	void *found = library ? dlsym(library, "standin_alive") : NULL;
	int (*alive)(void) = NULL;

	memcpy(&alive, &found, sizeof(alive));
	if (!alive)
		fail_msg("no stand-in for libcuda.so.1: LD_LIBRARY_PATH must "
			 "have tests/standin");
	return alive();
}

static void open_verbs(void)
{
	fake_verbs_reset();
	fake_verbs.extended = true;
	fake_verbs.dm_size = 16 << 20;
	unsetenv("STANDIN_FAULT");
	unsetenv("STANDIN_NO_DMABUF");
}

static struct memory_choice kind_of(const char *text)
{
	struct memory_choice choice;

	if (memory_choice_parse(text, &choice))
		fail_msg("--memory %s", text);
	return choice;
}

struct kinds {
	const char *client;
	const char *server;
};

static struct plan *open_pair(struct pair *p, enum op op, enum metric metric,
			      enum transport transport,
			      const struct kinds *kinds)
{
	struct plan *plan;

	open_verbs();
	pair_open(p, op, metric);
	pair_sizes(p, &sizes);
	p->client.result->params.memory = kind_of(kinds->client);
	p->server.result->params.memory = kind_of(kinds->server);
	plan = pair_plan(p);
	plan->transport = transport;
	plan->iterations = 30;
	plan->tx_depth = 8;
	return plan;
}

static void run_and_close(struct pair *p, const struct kinds *kinds)
{
	const struct plan plan = *pair_plan(p);
	char what[120];

	snprintf(what, sizeof(what), "%s (%d), metric %d, transport %d, %s "
		 "to %s", op_table[plan.op].name, plan.op, plan.metric,
		 plan.transport, kinds->client, kinds->server);
	pair_run_well(p, what);
	pair_close_clean(p);
	assert_int_equal(gpu_alive(), 0);
}

/* Over XRC memory is as over RC. */
#define FOR_EACH(op, transport) \
	for (enum op op = 0; op < OP_COUNT; op++) \
		for (enum transport transport = 0; transport < TRANSPORT_XRC; \
		     transport++) \
			if (op_table[op].transports & 1U << transport)

static const struct kinds copied[] = {
	{ "cuda", "cuda:1" },
	{ "device", "hip" },
	{ "hip:1", "device" },
};

/* All of them in turn: each kind meets most operations, each transport and
 * each metric. */
static const struct kinds *copied_for(unsigned int number)
{
	return &copied[number % COUNT(copied)];
}

TEST(test_verified)
{
	FOR_EACH(op, transport)
		for (int metric = 0; metric < METRIC_COUNT; metric++) {
			const struct kinds *kinds =
				copied_for(op + transport +
					   (unsigned int)metric);
			struct pair p;
			struct plan *plan = open_pair(&p, op,
						      (enum metric)metric,
						      transport, kinds);

			plan->verify = true;
			run_and_close(&p, kinds);
		}
}

/* Without a check of the data the flag byte of a ping-pong remains. */
TEST(test_latency)
{
	FOR_EACH(op, transport)
		for (int builders = 0; builders < 2; builders++) {
			const struct kinds *kinds =
				copied_for(op + transport +
					   (unsigned int)builders);
			struct pair p;

			open_pair(&p, op, METRIC_LATENCY, transport, kinds);
			fake_verbs.builders = builders;
			run_and_close(&p, kinds);
		}
}

/* Which has no flag byte. */
TEST(test_latency_of_nothing)
{
	for (enum transport transport = TRANSPORT_RC;
	     transport <= TRANSPORT_UD; transport++) {
		struct pair p;
		struct plan *plan = open_pair(&p, OP_SEND, METRIC_LATENCY,
					      transport, &copied[1]);

		plan->sizes = (struct sizes){ 1, { 0 } };
		run_and_close(&p, &copied[1]);
	}
}

TEST(test_both_directions)
{
	FOR_EACH(op, transport) {
		struct pair p;
		struct plan *plan = open_pair(&p, op, METRIC_BANDWIDTH,
					      transport, &copied[1]);

		plan->verify = true;
		plan->bidirectional = true;
		plan->rx_depth = 64;
		plan->qps = 5;
		plan->threads = 2;
		plan->post_list = 4;
		plan->cq_mod = 8;
		run_and_close(&p, &copied[1]);
	}
}

TEST(test_open_loop)
{
	static const enum op ops[] = { OP_SEND, OP_WRITE, OP_READ,
				       OP_WRITE_IMM };

	for (size_t i = 0; i < COUNT(ops); i++)
		for (size_t k = 0; k < COUNT(copied); k++) {
			struct pair p;
			struct plan *plan = open_pair(&p, ops[i],
						      METRIC_LATENCY,
						      TRANSPORT_RC,
						      &copied[k]);

			rate_parse("100000pps", &plan->rate);
			run_and_close(&p, &copied[k]);
		}
}

/* The host's own memory, whatever it is made of. */
TEST(test_memory_of_the_host)
{
	static const struct kinds kinds[] = {
		{ "shared", "anonymous" },
		{ "file:/dev/shm", "shared" },
		{ "anonymous", "file:/dev/shm,offset=64K" },
	};

	FOR_EACH(op, transport)
		for (size_t i = 0; i < COUNT(kinds); i++) {
			struct pair p;
			struct plan *plan = open_pair(&p, op,
						      METRIC_BANDWIDTH,
						      transport, &kinds[i]);

			plan->verify = true;
			run_and_close(&p, &kinds[i]);
		}
}

static void check_texts(const struct kinds *kinds, const char *client,
			const char *server)
{
	struct pair p;

	open_pair(&p, OP_SEND, METRIC_BANDWIDTH, TRANSPORT_RC, kinds);
	if (strstr(server, "peer"))
		fake_verbs.no_dmabuf = true;
	pair_run_well(&p, client);
	assert_string_equal(p.client.result->ends[1].memory, client);
	assert_string_equal(p.client.result->ends[0].memory, server);
	assert_string_equal(p.server.result->ends[1].memory, client);
	assert_string_equal(p.server.result->ends[0].memory, server);
	pair_close(&p);
}

/* How memory of a GPU is registered where it can be. */
#ifdef HAVE_IBV_REG_DMABUF_MR
#define AS_DMABUF " (dma-buf)"
#else
#define AS_DMABUF " (peer memory)"
#endif

TEST(test_both_ends_know_both)
{
	check_texts(&(struct kinds){ "anonymous", "cuda:1" }, "anonymous",
		    "cuda:1" AS_DMABUF);
	check_texts(&(struct kinds){ "device", "cuda" }, "device",
		    "cuda:0 (peer memory)");
	check_texts(&(struct kinds){ "cuda:0000:1a:00.0", "hip:0000:19:00.0" },
		    "cuda:0000:1a:00.0" AS_DMABUF,
		    "hip:0000:19:00.0" AS_DMABUF);
	check_texts(&(struct kinds){ "file:/dev/shm", "hip:1" }, "file",
		    "hip:1" AS_DMABUF);
	check_texts(&(struct kinds){ "shared", "shared" }, "shared",
		    "shared");
}

/* What arrives in memory that is copied is looked at, too. */
static void check_damage(enum op op, const struct kinds *kinds)
{
	struct pair p;

	open_pair(&p, op, METRIC_BANDWIDTH, TRANSPORT_RC, kinds)->verify =
		true;
	pair_hurry(&p);
	fake_verbs.damage_message = 1;
	pair_run(&p);
	assert_string_equal(p.client.result->error.code, VERIFICATION_CODE);
	assert_string_equal(p.server.result->error.code, VERIFICATION_CODE);
	pair_close(&p);
}

TEST(test_damage_is_found)
{
	for (enum op op = 0; op < OP_COUNT; op++)
		for (size_t i = 0; i < COUNT(copied); i++)
			check_damage(op, &copied[i]);
}

/* A copy that fails ends the run, and is named. */
static void check_broken_copies(const char *fault, enum op op,
				enum metric metric, bool verify)
{
	static const struct kinds kinds = { "anonymous", "cuda" };
	struct pair p;

	open_pair(&p, op, metric, TRANSPORT_RC, &kinds)->verify = verify;
	setenv("STANDIN_FAULT", fault, 1);
	pair_hurry(&p);
	pair_run(&p);
	unsetenv("STANDIN_FAULT");
	assert_true(p.client.ret && p.server.ret);
	assert_contains(p.server.result->error.message, "cuMemcpy");
	assert_contains(p.client.result->error.message, "cuMemcpy");
	pair_close(&p);
	assert_int_equal(fake_verbs_alive(), 0);
	assert_int_equal(gpu_alive(), 0);
}

TEST(test_copies_that_fail)
{
	check_broken_copies("cuMemcpyDtoH", OP_SEND, METRIC_BANDWIDTH, true);
	check_broken_copies("cuMemcpyDtoH", OP_WRITE, METRIC_BANDWIDTH, true);
	check_broken_copies("cuMemcpyDtoH", OP_WRITE, METRIC_LATENCY, false);
	check_broken_copies("cuMemcpyHtoD", OP_READ, METRIC_BANDWIDTH, true);
	check_broken_copies("cuMemcpyHtoD", OP_WRITE, METRIC_LATENCY, false);
	check_broken_copies("cuMemcpyDtoH", OP_FETCH_ADD, METRIC_BANDWIDTH,
			    true);
}

static struct device device;

/* memory_create() of KIND refuses PLAN with exactly this. */
static void check_refused_plan(const struct plan *plan, const char *kind,
			       int ret, const char *message,
			       const char *advice)
{
	struct memory_choice choice = kind_of(kind);
	struct ibv_pd *pd = ibv_alloc_pd(device.context);
	struct error err = { 0 };
	struct memory m = { 0 };

	assert_int_equal(memory_create(&device, pd, plan, true, &choice, &m,
				       &err), ret);
	assert_message(&err, message);
	assert_contains(err.advice, advice);
	assert_null(m.buffer);
	ibv_dealloc_pd(pd);
	assert_int_equal(fake_verbs.mrs + fake_verbs.dms, 0);
	assert_int_equal(fake_verbs.misuses, 0);
	assert_int_equal(gpu_alive(), 0);
}

static void check_refused(const char *kind, int ret, const char *message,
			  const char *advice)
{
	const struct plan plan = good_plan();

	check_refused_plan(&plan, kind, ret, message, advice);
}

static int open_again(void)
{
	struct parameters params;
	struct error err = { 0 };

	param_defaults(&params);
	return device_open(&params, &device, &err);
}

static int open_device(void **state)
{
	(void)state;
	open_verbs();
	return open_again();
}

static int close_device(void **state)
{
	(void)state;
	device_close(&device);
	unsetenv("STANDIN_FAULT");
	unsetenv("STANDIN_NO_DMABUF");
	return 0;
}

static void check_cuda_fault(const char *fault, const char *message)
{
	setenv("STANDIN_FAULT", fault, 1);
	check_refused("cuda", -EIO, message, "nvidia-smi");
}

TEST(test_gpus_that_fail)
{
	check_cuda_fault("cuInit", "--memory=cuda:0: cuInit: "
				   "CUDA_ERROR_NO_DEVICE");
	check_cuda_fault("cuDeviceGetCount",
			 "--memory=cuda:0: cuDeviceGetCount: "
			 "CUDA_ERROR_UNKNOWN");
	check_cuda_fault("cuDeviceGet", "--memory=cuda:0: cuDeviceGet: "
					"CUDA_ERROR_UNKNOWN");
	check_cuda_fault("cuDevicePrimaryCtxRetain",
			 "--memory=cuda:0: cuDevicePrimaryCtxRetain: "
			 "CUDA_ERROR_OUT_OF_MEMORY");
	check_cuda_fault("cuCtxSetCurrent", "--memory=cuda:0: "
			 "cuCtxSetCurrent: CUDA_ERROR_UNKNOWN");
	check_cuda_fault("cuMemAlloc", "--memory=cuda:0: cuMemAlloc: "
				       "CUDA_ERROR_UNKNOWN");
	check_cuda_fault("cuPointerSetAttribute", "--memory=cuda:0: "
			 "cuPointerSetAttribute: CUDA_ERROR_UNKNOWN");
	check_cuda_fault("cuMemsetD8", "--memory=cuda:0: cuMemsetD8: "
				       "CUDA_ERROR_INVALID_CONTEXT");
	setenv("STANDIN_FAULT", "hipInit", 1);
	check_refused("hip", -EIO, "--memory=hip:0: hipInit: "
				   "hipErrorNoDevice", "rocm-smi");
	setenv("STANDIN_FAULT", "hipMemset", 1);
	check_refused("hip:1", -EIO, "--memory=hip:1: hipMemset: "
				     "hipErrorUnknown", "rocm-smi");
}

TEST(test_no_such_gpu)
{
	check_refused("cuda:2", -ENODEV, "--memory=cuda:2: there is no GPU 2: "
		      "the driver has 2, from GPU 0 on", "nvidia-smi -L");
	check_refused("cuda:0000:1b:00.0", -EIO, "--memory=cuda:0000:1b:00.0: "
		      "cuDeviceGetByPCIBusId: CUDA_ERROR_NO_DEVICE",
		      "nvidia-smi");
	check_refused("hip:0000:1b:00.0", -EIO, "--memory=hip:0000:1b:00.0: "
		      "hipDeviceGetByPCIBusId: hipErrorUnknown", "rocm-smi");
	check_refused("hip:7", -ENODEV, "--memory=hip:7: there is no GPU 7: "
		      "the driver has 2, from GPU 0 on", "rocm-smi");
}

TEST(test_too_large_for_a_gpu)
{
	struct plan plan = good_plan();

	plan.sizes.bytes[0] = 1ULL << 30;
	plan.qps = 8;
	check_refused_plan(&plan, "cuda:1", -ENOMEM,
			   "--memory=cuda:1: GPU 1 cannot allocate "
			   "8590000128 bytes: CUDA_ERROR_OUT_OF_MEMORY",
			   "--size");
	check_refused_plan(&plan, "hip", -ENOMEM,
			   "--memory=hip:0: GPU 0 cannot allocate "
			   "8590000128 bytes: hipErrorOutOfMemory", "--qps");
}

/* By neither way: both are named. */
TEST(test_a_gpu_that_the_nic_cannot_reach)
{
	char message[200], kernel[65];

	fake_verbs.no_dmabuf = fake_verbs.no_peer = true;
	snprintf(message, sizeof(message), "fake0: cannot register 65536 "
		 "bytes: as a dma-buf: Operation not supported (kernel %s); "
		 "as peer memory: Bad address", memory_kernel(kernel));
	check_refused("cuda", -EFAULT, message, "nvidia-peermem");
	setenv("STANDIN_NO_DMABUF", "1", 1);
	check_refused("hip", -EFAULT, "fake0: cannot register 65536 bytes: "
		      "as a dma-buf: Operation not supported; as peer memory: "
		      "Bad address", "peer memory");
}

TEST(test_a_device_without_memory)
{
	struct plan plan = good_plan();

	plan.sizes.bytes[0] = 2 << 20;
	fake_verbs.dm_size = 1 << 20;
	check_refused_plan(&plan, "device", -ENOMEM, "--memory=device: fake0 "
			   "has 1048576 bytes, messages need 2097152: "
			   "Cannot allocate memory", "--size");
	fake_verbs.fail_call = fake_verbs.calls + 3;
	check_refused("device", -EFAULT, "--memory=device: cannot copy to the "
		      "memory of fake0: Bad address", "another --memory");
	device_close(&device);
	fake_verbs.dm_size = 0;
	assert_int_equal(open_again(), 0);
	check_refused("device", -EOPNOTSUPP, "--memory=device: fake0 has no "
		      "memory of its own that can be allocated",
		      "another --memory");
}

/* Some options are not for all kinds of memory. */
TEST(test_what_does_not_go_together)
{
	static const char *const kinds[] = { "cuda", "device", "hip",
					     "dmabuf:udmabuf" };
	struct plan plan = good_plan();
	char message[120];

	plan.odp = true;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		char text[40];
		struct memory_choice choice = kind_of(kinds[i]);

		snprintf(message, sizeof(message), "--memory=%s: this memory "
			 "is not paged on demand (--odp)",
			 memory_choice_format(&choice, text, sizeof(text)));
		check_refused_plan(&plan, kinds[i], -ENOTSUP, message,
				   "leave --odp out");
	}
	plan = good_plan();
	plan.mr_per_qp = true;
	check_refused_plan(&plan, "device", -ENOTSUP, "--memory=device: its "
			   "regions all begin at address 0, so it cannot have "
			   "one for each queue pair (--mr-per-qp)",
			   "leave --mr-per-qp out");
	plan = good_plan();
	plan.inline_size = 64;
	check_refused_plan(&plan, "cuda", -ENOTSUP, "--memory=cuda:0: the "
			   "host cannot read this memory to send from it "
			   "inline (--inline)", "leave --inline out");
}

/* A file of that many bytes in a folder for memory. */
static void make_file(char path[40], off_t size)
{
	int fd;

	strcpy(path, "/dev/shm/verbsperf-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	close(fd);
}

TEST(test_files)
{
	char path[40], kind[60], message[200];
	int fd;

	check_refused("file:/no/such/file", -ENOENT,
		      "--memory=file:/no/such/file: cannot open it: No such "
		      "file or directory", "");
	check_refused("file:/proc", -EOPNOTSUPP,
		      "--memory=file:/proc: cannot make a file in this folder: "
		      "Operation not supported", "/dev/shm");
	check_refused("file:/dev/shm,offset=100", -EINVAL,
		      "--memory=file:/dev/shm,offset=100: the offset must be "
		      "a multiple of 4096", "");
	make_file(path, 65535);
	snprintf(kind, sizeof(kind), "file:%s", path);
	snprintf(message, sizeof(message), "--memory=%s: the file has 65535 "
		 "bytes, messages need 65536 from byte 0 on", kind);
	check_refused(kind, -EFBIG, message, "truncate -s 65536");
	assert_int_equal(truncate(path, 65536), 0);
	fd = open(path, O_RDWR);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	snprintf(message, sizeof(message), "--memory=%s: another end uses it",
		 kind);
	check_refused(kind, -EWOULDBLOCK, message, "its own file");
	close(fd);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	snprintf(message, sizeof(message), "--memory=%s: neither a file nor "
		 "a folder nor a DAX device", kind);
	check_refused(kind, -EINVAL, message, "");
	unlink(path);
}

/* What was in the file does not end up in messages. */
TEST(test_a_file_is_cleared)
{
	const struct plan plan = good_plan();
	struct ibv_pd *pd = ibv_alloc_pd(device.context);
	struct memory_choice choice;
	char path[40], kind[60];
	struct error err = { 0 };
	struct memory m;
	int fd;

	make_file(path, 3 * 65536);
	fd = open(path, O_RDWR);
	assert_int_equal(pwrite(fd, "secret", 6, 65536), 6);
	assert_int_equal(pwrite(fd, "before", 6, 0), 6);
	close(fd);
	snprintf(kind, sizeof(kind), "file:%s,offset=64K", path);
	choice = kind_of(kind);
	assert_int_equal(memory_create(&device, pd, &plan, true, &choice, &m,
				       &err), 0);
	for (uint64_t i = 0; i < m.length; i++)
		assert_int_equal(m.buffer[i], 0);
	m.buffer[0] = 'x';
	memory_destroy(&m);
	ibv_dealloc_pd(pd);
	fd = open(path, O_RDONLY);
	assert_int_equal(pread(fd, kind, 6, 0), 6);
	assert_memory_equal(kind, "before", 6);
	assert_int_equal(pread(fd, kind, 1, 65536), 1);
	assert_int_equal(kind[0], 'x');
	close(fd);
	unlink(path);
}

/* Where the kernel has it, and where it has not. */
TEST(test_udmabuf)
{
	static const struct kinds kinds = { "dmabuf:udmabuf", "anonymous" };
	char message[200], kernel[65];
	struct pair p;

	if (access("/dev/udmabuf", R_OK | W_OK)) {
		snprintf(message, sizeof(message), "--memory=dmabuf:udmabuf: "
			 "cannot make a dma-buf of 65536 bytes with "
			 "/dev/udmabuf: %s", strerror(errno));
		check_refused("dmabuf:udmabuf", -errno, message, "udmabuf");
		return;
	}
	fake_verbs.no_dmabuf = true;
	snprintf(message, sizeof(message), "fake0: cannot register 65536 "
		 "bytes: as a dma-buf: Operation not supported (kernel %s)",
		 memory_kernel(kernel));
	check_refused("dmabuf:udmabuf", -EOPNOTSUPP, message, "dma-bufs");
	open_pair(&p, OP_SEND, METRIC_BANDWIDTH, TRANSPORT_RC,
		  &kinds)->verify = true;
	run_and_close(&p, &kinds);
}

TEST(test_huge_pages)
{
	struct plan plan = good_plan();

	check_refused("hugepages=128K", -ENOTSUP, "--memory=hugepages=128K: "
		      "this kernel has no pages of 128 KiB", "hugepages");
	/* more than there can be */
	plan.sizes.bytes[0] = 1ULL << 40;
	for (int i = 0; i < 2; i++) {
		struct memory_choice choice =
			kind_of(i ? "hugepages=2M" : "anonymous");
		struct error err = { 0 };
		struct memory m;

		plan.hugepages = !i;
		assert_int_equal(memory_create(&device, NULL, &plan, true,
					       &choice, &m, &err), -ENOMEM);
		assert_contains(err.message, i ? "--memory=hugepages=2M: "
						 "messages need 524288 pages" :
				"--hugepages: messages need");
		assert_contains(err.advice, i ? "hugepages-2048kB/"
						"nr_hugepages" :
				"sysctl vm.nr_hugepages=");
	}
}

/* The client's --hugepages is for an end that chose nothing itself. */
TEST(test_own_choice_comes_first)
{
	struct memory_choice choice = kind_of("shared");
	struct ibv_pd *pd = ibv_alloc_pd(device.context);
	struct plan plan = good_plan();
	struct error err = { 0 };
	struct memory m;

	plan.hugepages = true;
	assert_int_equal(memory_create(&device, pd, &plan, false, &choice, &m,
				       &err), 0);
	assert_string_equal(m.allocation->text, "shared");
	memory_destroy(&m);
	ibv_dealloc_pd(pd);
}

#define ON_DEVICE(test) \
	cmocka_unit_test_setup_teardown(test, open_device, close_device)

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_verified),
	cmocka_unit_test(test_latency),
	cmocka_unit_test(test_latency_of_nothing),
	cmocka_unit_test(test_both_directions),
	cmocka_unit_test(test_open_loop),
	cmocka_unit_test(test_memory_of_the_host),
	cmocka_unit_test(test_both_ends_know_both),
	cmocka_unit_test(test_damage_is_found),
	cmocka_unit_test(test_copies_that_fail),
	ON_DEVICE(test_gpus_that_fail),
	ON_DEVICE(test_no_such_gpu),
	ON_DEVICE(test_too_large_for_a_gpu),
	ON_DEVICE(test_a_gpu_that_the_nic_cannot_reach),
	ON_DEVICE(test_a_device_without_memory),
	ON_DEVICE(test_what_does_not_go_together),
	ON_DEVICE(test_files),
	ON_DEVICE(test_a_file_is_cleared),
	ON_DEVICE(test_udmabuf),
	ON_DEVICE(test_huge_pages),
	ON_DEVICE(test_own_choice_comes_first),
};

TEST_MAIN(tests, 60)
