/*
 * What a peer can reach: of every operation, in every direction, at either
 * end, which memory is registered, for what, and what the queue pairs allow.
 */
#include "config.h"
#include "test.h"

#include "fake_nic.h"
#include "fake_verbs.h"
#include "good_plan.h"
#include "verbs/resources.h"

static const struct memory_choice anonymous;	/* of every end here */

#define QPS 3
#define MOST_REGIONS 2

enum { LW = IBV_ACCESS_LOCAL_WRITE, RW = IBV_ACCESS_REMOTE_WRITE,
       RR = IBV_ACCESS_REMOTE_READ, RA = IBV_ACCESS_REMOTE_ATOMIC,
       NONE = -1 };

/* One end: of each region, and of the queue pairs. */
struct reach {
	int regions[MOST_REGIONS];
	int qp;
};

struct row {
	enum op op;
	struct reach source, target, both;
};

static const struct row rows[] = {
	{ OP_SEND, { { 0, NONE }, 0 }, { { LW, NONE }, 0 },
	  { { 0, LW }, 0 } },
	{ OP_SEND_IMM, { { 0, NONE }, 0 }, { { LW, NONE }, 0 },
	  { { 0, LW }, 0 } },
	{ OP_WRITE, { { 0, NONE }, 0 }, { { LW | RW, NONE }, RW },
	  { { 0, LW | RW }, RW } },
	{ OP_WRITE_IMM, { { 0, NONE }, 0 }, { { LW | RW, NONE }, RW },
	  { { 0, LW | RW }, RW } },
	{ OP_READ, { { LW, NONE }, 0 }, { { RR, NONE }, RR },
	  { { LW, RR }, RR } },
	{ OP_FETCH_ADD, { { LW, NONE }, 0 }, { { LW | RA, NONE }, RA },
	  { { LW, LW | RA }, RA } },
	{ OP_CMP_SWAP, { { LW, NONE }, 0 }, { { LW | RA, NONE }, RA },
	  { { LW, LW | RA }, RA } },
};

static struct plan plan_of(enum op op)
{
	struct plan plan = good_plan();

	plan.sizes = (struct sizes){ 1, { 1000 } };
	set_op(&plan, op);
	plan.qps = QPS;
	plan.rx_depth = 4;
	plan.outstanding_reads = op_table[op].fetches ? 4 : 0;
	return plan;
}

static void check_qps(const struct resources *res, int access)
{
	for (uint32_t i = 0; i < res->n_qps; i++) {
		const struct nic_qp *q =
			(const struct nic_qp *)(const void *)res->qps[i].qp;

		assert_int_equal(q->attr.qp_access_flags, access);
	}
}

/* The regions of the NIC are those of the memory, and no others. */
static void check_regions(const struct resources *res, const int *wanted,
			  uint32_t parts)
{
	const struct memory *m = &res->memory;
	uint32_t regions = wanted[1] == NONE ? 1 : 2;

	assert_int_equal(fake_verbs.mrs, regions * parts);
	assert_int_equal(m->n_mrs, regions * parts);
	for (uint32_t i = 0; i < m->n_mrs; i++) {
		const struct nic_mr *mr =
			(const struct nic_mr *)(const void *)m->mrs[i];

		assert_int_equal(mr->access, wanted[i / parts]);
		assert_ptr_equal(mr->mr.addr, m->buffer + i * m->part);
		assert_int_equal(mr->mr.length, m->part);
	}
	assert_int_equal(m->n_mrs * m->part, m->length);
}

/* Whole pages of its own, and nothing in them. */
static void check_pages(const struct memory *m, const struct plan *plan)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const uint64_t mapped = m->allocation->mapped;

	assert_int_equal(m->length, plan_memory(plan, true));
	assert_int_equal((uintptr_t)m->buffer % page, 0);
	assert_int_equal(mapped % page, 0);
	assert_in_range(mapped - m->length, 0, page - 1);
	for (uint64_t i = 0; i < mapped; i++)
		assert_int_equal(m->buffer[i], 0);
}

/* All of what the peer is told is in a region that it may touch. */
static void check_told(const struct resources *res, const struct plan *plan,
		       int offered)
{
	struct path path = { .global = true, .mtu = IBV_MTU_1024 };
	struct endpoint e;

	resources_describe(res, &path, &e);
	for (uint32_t i = 0; i < e.n; i++) {
		const struct ibv_mr *mr =
			memory_mr(&res->memory, (const uint8_t *)(uintptr_t)
						(e.va + i * e.stride));
		const struct nic_mr *of_nic =
			(const struct nic_mr *)(const void *)mr;

		assert_int_equal(e.qps[i].rkey, mr->rkey);
		assert_int_equal(of_nic->access, offered);
	}
	assert_int_equal(e.length, plan_stride(plan) * plan->qps);
	free(e.qps);
}

static void check_end(const struct plan *plan, bool client,
		      const struct reach *wanted)
{
	struct parameters params;
	struct error err = { 0 };
	struct device device;
	struct resources res;

	param_defaults(&params);
	fake_verbs_reset();
	assert_int_equal(device_open(&params, &device, &err), 0);
	assert_int_equal(resources_create(&device, plan, client,
					  &anonymous, 0, &res,
					  &err), 0);
	check_regions(&res, wanted->regions,
		      plan->mr_per_qp ? plan->qps : 1);
	check_qps(&res, wanted->qp);
	check_pages(&res.memory, plan);
	check_told(&res, plan,
		   wanted->regions[wanted->regions[1] == NONE ? 0 : 1]);
	resources_destroy(&res);
	/* no key opens anything any more */
	for (size_t i = 0; i < NIC_OBJECTS; i++)
		assert_null(nic_mrs[i]);
	device_close(&device);
	assert_int_equal(fake_verbs_alive(), 0);
	assert_int_equal(fake_verbs.misuses, 0);
}

/* Both ways of --mr-per-qp, and verified. */
static void check_ends(const struct plan *plan, const struct reach *client,
		       const struct reach *server)
{
	for (int i = 0; i < 4; i++) {
		struct plan variant = *plan;

		variant.mr_per_qp = i & 1;
		variant.verify = i & 2;
		check_end(&variant, true, client);
		check_end(&variant, false, server);
	}
}

TEST(test_one_direction)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct plan plan = plan_of(rows[i].op);

		check_ends(&plan, &rows[i].source, &rows[i].target);
		plan.reversed = true;
		check_ends(&plan, &rows[i].target, &rows[i].source);
	}
}

TEST(test_both_directions)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct plan plan = plan_of(rows[i].op);

		plan.bidirectional = true;
		check_ends(&plan, &rows[i].both, &rows[i].both);
	}
}

TEST(test_latency)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct plan plan = plan_of(rows[i].op);
		bool answers = op_table[plan.op].pingpong;

		plan.metric = METRIC_LATENCY;
		plan.qps = 1;
		check_ends(&plan, answers ? &rows[i].both : &rows[i].source,
			   answers ? &rows[i].both : &rows[i].target);
	}
}

/* A new operation needs a row. */
TEST(test_every_operation_is_here)
{
	unsigned int seen = 0;

	for (size_t i = 0; i < COUNT(rows); i++)
		seen |= 1U << rows[i].op;
	assert_int_equal(seen, (1U << OP_COUNT) - 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_one_direction),
	cmocka_unit_test(test_both_directions),
	cmocka_unit_test(test_latency),
	cmocka_unit_test(test_every_operation_is_here),
};

TEST_MAIN(tests, 60)
