/* Memory: its regions, its pages, what it is registered for, what fails. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

#include "fake_verbs.h"
#include "good_plan.h"
#include "made_up_host.h"
#include "memory/kind.h"
#include "model/param.h"
#include "verbs/memory.h"
#include "verbs/resources.h"

#define PAGE 4096
#define HUGE_PAGE (2 << 20)

static struct device device;
static struct ibv_pd *pd;
static struct memory_choice choice;	/* of the next memory */

static int open_fake(void **state)
{
	struct parameters params;
	struct error err = { 0 };

	(void)state;
	param_defaults(&params);
	choice = params.memory;
	fake_verbs_reset();
	assert_int_equal(device_open(&params, &device, &err), 0);
	pd = ibv_alloc_pd(device.context);
	fake_verbs.calls = 0;
	return 0;
}

static int close_fake(void **state)
{
	(void)state;
	ibv_dealloc_pd(pd);
	device_close(&device);
	assert_int_equal(fake_verbs_alive(), 0);
	assert_int_equal(fake_verbs.misuses, 0);
	return 0;
}

/* QPS that each have SIZE bytes, of the server of a write_bw. */
static struct plan plan_for(uint32_t qps, uint64_t size)
{
	struct plan plan = good_plan();

	plan.sizes.bytes[0] = size;
	plan.walk = 0;
	plan.qps = qps;
	return plan;
}

static void create(const struct plan *plan, struct memory *m)
{
	struct error err = { 0 };

	assert_int_equal(memory_create(&device, pd, plan, false, &choice,
				       m, &err), 0);
	assert_false(error_is_set(&err));
	assert_int_equal(m->length, plan_memory(plan, true));
	assert_int_equal((uintptr_t)m->buffer % PAGE, 0);
}

static void check_refused(const struct plan *plan, int ret, struct error *err)
{
	struct memory m = { 0 };

	assert_int_equal(memory_create(&device, pd, plan, false, &choice,
				       &m, err),
			 ret);
	assert_null(m.buffer);
	assert_int_equal(fake_verbs.mrs, 0);
}

TEST(test_one_region_for_all)
{
	struct plan plan = plan_for(5, 192);
	struct memory m;

	create(&plan, &m);
	assert_int_equal(fake_verbs.mrs, 1);
	assert_int_equal(m.mrs[0]->length, 5 * 192);
	for (uint64_t i = 0; i < m.length; i++) {
		assert_int_equal(m.buffer[i], 0);
		assert_ptr_equal(memory_mr(&m, m.buffer + i),
				 m.mrs[0]);
	}
	memory_destroy(&m);
	memory_destroy(&m);	/* twice is fine */
}

/* What this end sends from is none of the peer's business. */
TEST(test_a_region_for_each_direction)
{
	struct plan plan = plan_for(5, 192);
	struct memory m;

	plan.bidirectional = true;
	create(&plan, &m);
	assert_int_equal(fake_verbs.mrs, 2);
	for (uint32_t i = 0; i < 2; i++) {
		assert_ptr_equal(m.mrs[i]->addr, m.buffer + i * 5 * 192);
		assert_int_equal(m.mrs[i]->length, 5 * 192);
	}
	assert_ptr_equal(memory_mr(&m, m.buffer + 959), m.mrs[0]);
	assert_ptr_equal(memory_mr(&m, m.buffer + 960), m.mrs[1]);
	memory_destroy(&m);
}

TEST(test_a_region_for_each_part)
{
	struct plan plan = plan_for(5, 192);
	struct memory m;

	plan.mr_per_qp = true;
	create(&plan, &m);
	assert_int_equal(fake_verbs.mrs, 5);
	for (uint32_t i = 0; i < 5; i++) {
		const uint8_t *part = m.buffer + i * 192;

		assert_ptr_equal(m.mrs[i]->addr, m.buffer + i * 192);
		assert_int_equal(m.mrs[i]->length, 192);
		assert_ptr_equal(memory_mr(&m, part), m.mrs[i]);
		assert_ptr_equal(memory_mr(&m, part + 191), m.mrs[i]);
	}
	memory_destroy(&m);
}

TEST(test_access)
{
	struct memory m;

	for (int flags = 0; flags < 4; flags++) {
		struct plan plan = plan_for(1, 64);
		unsigned int wanted = IBV_ACCESS_REMOTE_READ;

		plan.op = OP_READ;
		plan.relaxed_ordering = flags & 1;
		plan.odp = flags & 2;
		wanted |= flags & 1 ? IBV_ACCESS_RELAXED_ORDERING : 0;
		wanted |= flags & 2 ? IBV_ACCESS_ON_DEMAND : 0;
		fake_verbs.access = 0;
		create(&plan, &m);
		assert_int_equal(fake_verbs.access, wanted);
		memory_destroy(&m);
	}
}

static size_t resident(const struct memory *m)
{
	unsigned char pages[16] = { 0 };
	size_t n = 0;

	assert_true(m->allocation->mapped <= sizeof(pages) * PAGE);
	assert_int_equal(mincore(m->buffer, m->allocation->mapped, pages), 0);
	for (size_t i = 0; i < sizeof(pages); i++)
		n += pages[i] & 1;
	return n;
}

/* With paging it is the device that asks for a page, and when. */
TEST(test_pages_are_there)
{
	struct plan plan = plan_for(1, 15 * PAGE + 64);
	struct memory m;

	create(&plan, &m);
	assert_int_equal(m.allocation->mapped, 16 * PAGE);
	assert_int_equal(resident(&m), 16);
	memory_destroy(&m);
	plan.odp = true;
	create(&plan, &m);
	assert_int_equal(resident(&m), 0);
	memory_destroy(&m);
}

/* What the kernel makes huge pages of begins where one can, and all of it is
 * unmapped. */
TEST(test_large_memory_is_aligned)
{
	static const uint64_t sizes[] = { HUGE_PAGE, HUGE_PAGE + 64,
					  5 * HUGE_PAGE };

	for (size_t i = 0; i < 3 * COUNT(sizes); i++) {
		struct plan plan = plan_for(1, sizes[i / 3]);
		void *odd = mmap(NULL, (i % 3 + 1) * PAGE, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		unsigned char page;
		struct memory m;
		uint8_t *end;

		create(&plan, &m);
		end = m.buffer + m.allocation->mapped;
		assert_int_equal((uintptr_t)m.buffer % HUGE_PAGE, 0);
		assert_in_range(m.allocation->mapped, m.length,
				m.length + PAGE - 1);
		memory_destroy(&m);
		assert_int_equal(mincore(end - PAGE, PAGE, &page), -1);
		munmap(odd, (i % 3 + 1) * PAGE);
	}
}

TEST(test_a_region_that_is_refused)
{
	struct plan plan = plan_for(4, 256);
	struct error err = { 0 };

	fake_verbs.errnum = EINVAL;
	fake_verbs.fail_call = 1;
	check_refused(&plan, -EINVAL, &err);
	assert_message(&err, "fake0: cannot register 1024 bytes: "
			     "Invalid argument");
	error_clear(&err);
	plan.mr_per_qp = true;
	fake_verbs.fail_call = fake_verbs.calls + 3;
	check_refused(&plan, -EINVAL, &err);
	assert_message(&err, "fake0: cannot register 256 bytes of memory "
			     "region 3 of 4: Invalid argument");
}

TEST(test_locked_memory)
{
	struct plan plan = plan_for(4, 256);
	struct error err = { 0 };

	facts_set_count(&device.port.facts, FACT_MEMLOCK_BYTES, 512);
	fake_verbs.errnum = ENOMEM;
	fake_verbs.fail_call = 1;
	check_refused(&plan, -ENOMEM, &err);
	assert_message(&err, "fake0: cannot register 1024 bytes: "
			     "Cannot allocate memory");
	assert_contains(err.advice, "512 bytes (ulimit -l)");
	error_clear(&err);
	fake_verbs.fail_call = fake_verbs.calls + 1;
	facts_set_count(&device.port.facts, FACT_MEMLOCK_BYTES, FACT_UNLIMITED);
	check_refused(&plan, -ENOMEM, &err);
	assert_contains(err.advice, "memory.max");
}

TEST(test_too_much_memory)
{
	struct plan plan = plan_for(1U << 30, 1ULL << 30);
	struct error err = { 0 };

	check_refused(&plan, -ENOMEM, &err);
	assert_message(&err, "cannot allocate 1152921504606846976 bytes for "
			     "messages: Cannot allocate memory");
	error_clear(&err);
	/* no silent way out into small pages */
	plan = plan_for(1U << 15, 1ULL << 30);
	plan.hugepages = true;
	check_refused(&plan, -ENOMEM, &err);
	assert_contains(err.message, "--hugepages: messages need ");
	assert_contains(err.message, " are free: Cannot allocate memory");
	assert_contains(err.advice, "sysctl vm.nr_hugepages=");
}

/* What /proc/meminfo says of them. */
TEST(test_meminfo)
{
	struct plan plan = plan_for(1U << 15, 1ULL << 30);
	struct error err = { 0 };

	plan.hugepages = true;
	host_begin(NULL);
	host_file("/proc/meminfo",
		  "MemTotal:        4021444 kB\nAnonHugePages:     12288 kB\n"
		  "HugePages_Total:      20\nHugePages_Free:       12\n"
		  "HugePages_Rsvd:        5\nHugePages_Surp:        0\n"
		  "Hugepagesize:       2048 kB\nHugetlb:           40960 kB\n");
	check_refused(&plan, -ENOMEM, &err);
	assert_contains(err.message, "messages need 16777216 pages of 2048 KiB, "
				     "7 are free");
	/* 20 and those that are missing */
	assert_contains(err.advice, "sysctl vm.nr_hugepages=16777229");
	error_clear(&err);
	host_file("/proc/meminfo", "MemTotal:        4021444 kB\n");
	check_refused(&plan, -ENOTSUP, &err);
	assert_message(&err, "--hugepages: this kernel has none (/proc/meminfo "
			     "shows no Hugepagesize)");
	host_end(NULL);
}

static struct plan plan_of(enum metric metric, uint32_t qps)
{
	struct parameters params;

	param_defaults(&params);
	params.plan.op = OP_SEND;
	params.plan.metric = metric;
	params.plan.qps = qps;
	params.plan.sizes = (struct sizes){ 1, { 4096 } };
	params.plan.rx_depth = 4;
	params.plan.outstanding_reads = 0;
	params.plan.mr_per_qp = true;
	return params.plan;
}

/* Each QP sends from its own region, takes in there, and offers it to the
 * peer; in a ping-pong that is another one. */
static void check_keys(enum metric metric, bool client, uint32_t qps,
		       uint32_t regions)
{
	struct path path = { .global = true, .mtu = IBV_MTU_1024 };
	struct plan plan = plan_of(metric, qps);
	struct error err = { 0 };
	struct resources res;
	struct endpoint self;

	assert_int_equal(resources_create(&device, &plan, client, &choice,
					  0, &res, &err), 0);
	resources_describe(&res, &path, &self);
	assert_int_equal(fake_verbs.mrs, regions);
	for (uint32_t i = 0; i < qps; i++) {
		struct ibv_mr *incoming = res.memory.mrs[regions - qps + i];

		assert_int_equal(res.qps[i].lkey, res.memory.mrs[i]->lkey);
		assert_int_equal(self.qps[i].rkey, incoming->rkey);
		if (plan_posts_receives(&plan, client))
			assert_int_equal(
				res.qps[i].receives->entries[0].sge.lkey,
				incoming->lkey);
	}
	free(self.qps);
	resources_destroy(&res);
}

TEST(test_keys)
{
	check_keys(METRIC_BANDWIDTH, true, 3, 3);
	check_keys(METRIC_BANDWIDTH, false, 3, 3);
	check_keys(METRIC_LATENCY, true, 1, 2);
	check_keys(METRIC_LATENCY, false, 1, 2);
}

/* Asked of the device; one that cannot be asked has no paging. */
TEST(test_limits)
{
	struct parameters params;
	struct error err = { 0 };
	struct device other;

	param_defaults(&params);
	assert_int_equal(device.port.limits.max_mr, 512);
	assert_int_equal(device.port.limits.odp[TRANSPORT_RC], 0);
	fake_verbs.extended = true;
	fake_verbs.odp.per_transport_caps.rc_odp_caps = 31;
	fake_verbs.odp.per_transport_caps.uc_odp_caps = 3;
	fake_verbs.odp.per_transport_caps.ud_odp_caps = 1;
	for (int i = 0; i < 2; i++) {
		fake_verbs.odp.general_caps = i ? IBV_ODP_SUPPORT : 0;
		assert_int_equal(device_open(&params, &other, &err), 0);
		assert_int_equal(other.port.limits.max_mr, 512);
		assert_int_equal(other.port.limits.odp[TRANSPORT_RC], i * 31);
		assert_int_equal(other.port.limits.odp[TRANSPORT_UC], i * 3);
		assert_int_equal(other.port.limits.odp[TRANSPORT_UD], i * 1);
		device_close(&other);
	}
}

#define WITH_FAKE(test) \
	cmocka_unit_test_setup_teardown(test, open_fake, close_fake)

static const struct CMUnitTest tests[] = {
	WITH_FAKE(test_one_region_for_all),
	WITH_FAKE(test_a_region_for_each_direction),
	WITH_FAKE(test_a_region_for_each_part),
	WITH_FAKE(test_access),
	WITH_FAKE(test_pages_are_there),
	WITH_FAKE(test_large_memory_is_aligned),
	WITH_FAKE(test_a_region_that_is_refused),
	WITH_FAKE(test_locked_memory),
	WITH_FAKE(test_too_much_memory),
	WITH_FAKE(test_meminfo),
	WITH_FAKE(test_keys),
	WITH_FAKE(test_limits),
};

TEST_MAIN(tests, 30)
