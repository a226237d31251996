/* Messages of several scatter/gather entries: where their bytes lie, and what
 * the loops post. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "fake_provider.h"
#include "traffic/copier.h"
#include "traffic/loops.h"

#define LKEY 0x77

static const uint64_t sizes[] = { 0, 1, 2, 3, 63, 64, 65, 100, 191, 4096,
				  65537 };
static const uint32_t counts[] = { 0, 1, 2, 3, 7, GATHER_MAX };

/* Lengths add up, differ by at most one, and no two entries share a line. */
static void check_layout(uint64_t size, uint32_t entries)
{
	const struct gather g = gather_of(size, entries);
	struct ibv_sge list[GATHER_MAX];
	uint64_t sum = 0;

	assert_true(g.n >= 1 && g.n <= (entries ? entries : 1));
	assert_true(size < 2 || g.n == (entries > size ? size :
					entries ? entries : 1));
	gather_fill(&g, 0x10000, LKEY, list);
	for (uint32_t i = 0; i < g.n; i++) {
		assert_int_equal(list[i].lkey, LKEY);
		assert_int_equal(list[i].addr % CACHE_LINE, 0);
		assert_true(list[0].length - list[i].length <= 1);
		if (i)
			assert_true(list[i].addr >= list[i - 1].addr +
							    list[i - 1].length);
		for (uint64_t k = 0; k < list[i].length; k += 61)
			assert_int_equal(gather_place(&g, sum + k),
					 list[i].addr - 0x10000 + k);
		sum += list[i].length;
	}
	assert_int_equal(sum, size);
	assert_int_equal(gather_extent(&g), list[g.n - 1].addr - 0x10000 +
						    list[g.n - 1].length);
	assert_int_equal(gather_span(&g) % CACHE_LINE, 0);
	assert_true(gather_span(&g) >= CACHE_LINE);
	assert_true(gather_span(&g) >= gather_extent(&g));
	assert_true(gather_span(&g) < gather_extent(&g) + CACHE_LINE + !size);
}

TEST(test_layout)
{
	for (size_t i = 0; i < COUNT(sizes); i++)
		for (size_t k = 0; k < COUNT(counts); k++)
			check_layout(sizes[i], counts[k]);
}

/* One entry is as it was before there were several. */
TEST(test_one_entry_is_in_one_piece)
{
	for (size_t i = 0; i < COUNT(sizes); i++) {
		const struct gather g = gather_of(sizes[i], 1);

		assert_int_equal(gather_extent(&g), sizes[i]);
		for (uint64_t k = 0; k < sizes[i]; k += 97)
			assert_int_equal(gather_place(&g, k), k);
	}
}

/* Any part of a message can be read, and none of what is around it. */
TEST(test_copies)
{
	struct flow f = { .copier = NULL };
	uint8_t message[257], memory[4096], back[257];

	for (size_t i = 0; i < sizeof(message); i++)
		message[i] = (uint8_t)(i * 7 + 1);
	for (uint32_t n = 1; n <= 9; n++) {
		const struct gather g = gather_of(sizeof(message), n);

		memset(memory, 0xee, sizeof(memory));
		assert_int_equal(copier_put_entries(&f, &g, memory, message),
				 0);
		for (uint64_t k = 0; k < sizeof(message); k++)
			assert_int_equal(memory[gather_place(&g, k)],
					 message[k]);
		for (uint64_t from = 0; from < sizeof(message); from += 13) {
			uint64_t size = sizeof(message) - from;

			memset(back, 0, sizeof(back));
			assert_int_equal(copier_get_entries(&f, &g, memory,
							    from, back,
							    size / 2), 0);
			assert_memory_equal(back, message + from, size / 2);
			assert_int_equal(back[size / 2], 0);
		}
	}
}

static int no_copy_in(void *memory, uint8_t *to, const void *from, uint64_t n)
{
	(void)to;
	(void)from;
	(void)n;
	return --*(int *)memory ? 0 : -ENXIO;
}

static int no_copy_out(void *memory, void *to, const uint8_t *from, uint64_t n)
{
	return no_copy_in(memory, to, from, n);
}

/* A copy of any entry may fail, and no other follows. */
TEST(test_copies_that_fail)
{
	const struct gather g = gather_of(300, 3);
	uint8_t message[300] = { 0 }, memory[3 * 128];

	for (int fails = 1; fails <= 3; fails++) {
		int left = fails;
		const struct copier copier = {
			.memory = &left, .verb = "copy",
			.in = no_copy_in, .out = no_copy_out,
		};
		struct flow f = { .copier = &copier };

		assert_int_equal(copier_put_entries(&f, &g, memory, message),
				 -ENXIO);
		assert_int_equal(left, 0);
		assert_string_equal(f.failure.verb, "copy");
		left = fails;
		assert_int_equal(copier_get_entries(&f, &g, memory, 0, message,
						    sizeof(message)), -ENXIO);
		assert_int_equal(left, 0);
	}
}

/* What was posted, with all its entries. */
struct seen {
	uint64_t n;
	uint32_t entries;
	uint64_t size;
	uint64_t span;		/* from message to message */
	uint64_t slots;
	uint64_t whole;		/* messages in whole lists; the rest are the
				 * last of a list */
	uint64_t skip;		/* the messages of it that were left out */
};

static void look(struct fake *fake, struct fake_qp *q,
		 const struct ibv_send_wr *wr)
{
	struct seen *seen = fake->argument;
	const struct gather g = gather_of(seen->size, seen->entries);
	const uint64_t nth = seen->n < seen->whole ? seen->n :
						     seen->n + seen->skip;
	const uint64_t at = nth % seen->slots * seen->span;
	struct ibv_sge list[GATHER_MAX];

	gather_fill(&g, fake->flow_qps[q->index].local + at, LKEY, list);
	if (wr->send_flags & IBV_SEND_INLINE)
		for (uint32_t i = 0; i < g.n; i++)
			list[i].lkey = 0;
	assert_int_equal(wr->num_sge, seen->size ? (int)g.n : 0);
	for (int i = 0; i < wr->num_sge; i++) {
		assert_int_equal(wr->sg_list[i].addr, list[i].addr);
		assert_int_equal(wr->sg_list[i].length, list[i].length);
		if (fake->flow_qps[0].qpx)
			assert_int_equal(wr->sg_list[i].lkey, list[i].lkey);
	}
	if (op_table[OP_WRITE].opcode == wr->opcode)
		assert_int_equal(wr->wr.rdma.remote_addr,
				 fake->flow_qps[q->index].remote + at);
	seen->n++;
}

static struct fake *gathering(struct flow *f, uint32_t entries, bool builders,
			      struct seen *seen)
{
	struct fake *fake = fake_new(f, 1);
	struct ibv_sge *list =
		xcalloc(FLOW_PREPARED * entries, sizeof(*list));

	for (uint32_t i = 0; i < FLOW_PREPARED; i++)
		fake->requests[0][i].wr.sg_list = list + i * entries;
	f->entries = entries;
	f->qps[0].lkey = LKEY;
	f->method = builders ? POST_WR : POST_LEGACY;
	if (!builders)
		f->qps[0].qpx = NULL;
	fake->peer = look;
	fake->argument = seen;
	fake->control.command = PHASE_MEASURE;
	return fake;
}

static void stop(struct fake *fake, struct flow *f)
{
	free(fake->requests[0][0].wr.sg_list);
	fake_free(fake, f);
}

/* MESSAGES of SIZE bytes by OP, in lists of LIST. */
static void check_posts(enum op op, uint64_t size, uint32_t entries,
			uint32_t list, uint64_t messages, bool builders)
{
	const struct gather g = gather_of(size, entries);
	struct seen seen = {
		.entries = entries, .size = size, .span = gather_span(&g),
	};
	struct flow f;
	struct fake *fake = gathering(&f, entries, builders, &seen);

	/* a walk of 8 messages and of whole lists */
	seen.slots = 8 / list * list;
	seen.whole = messages / list * list;
	seen.skip = list - messages % list;
	flow_prepare(&f, op, &(struct flow_shape){
		.size = size,
		.walk = 8 * seen.span,
		.depth = 2 * list,
		.cq_mod = list,
		.list_length = list,
		.iterations = messages,
	});
	assert_int_equal(bandwidth_run(&f, op), 0);
	assert_int_equal(seen.n, messages);
	assert_int_equal(f.completed, messages);
	stop(fake, &f);
}

TEST(test_bandwidth_posts_all_entries)
{
	for (int builders = 0; builders < 2; builders++)
		for (uint32_t entries = 2; entries <= BUILDER_ENTRIES;
		     entries += 3) {
			check_posts(OP_WRITE, 300, entries, 1, 40, builders);
			check_posts(OP_SEND, 3, entries, 1, 40, builders);
			check_posts(OP_READ, 4096, entries, 4, 40, builders);
			check_posts(OP_SEND, 0, entries, 1, 10, builders);
			/* the last list is cut short */
			check_posts(OP_WRITE, 300, entries, 4, 42, builders);
		}
}

TEST(test_inline_entries)
{
	for (int builders = 0; builders < 2; builders++) {
		struct seen seen = { .entries = 3, .size = 50, .slots = 1 };
		struct flow f;
		struct fake *fake = gathering(&f, 3, builders, &seen);

		f.inline_size = 64;
		prepare(&f, OP_SEND, 50, 0, 4, 1, 20);
		assert_int_equal(bandwidth_run(&f, OP_SEND), 0);
		assert_int_equal(fake->inlined, 20);
		stop(fake, &f);
	}
}

/* A ping-pong's count goes into the last byte of the last entry. */
TEST(test_latency_posts_all_entries)
{
	static uint8_t out[4 * CACHE_LINE], in[4 * CACHE_LINE];
	const struct gather g = gather_of(10, 4);
	struct seen seen = { .entries = 4, .size = 10, .slots = 1 };
	struct flow f;
	struct fake *fake = gathering(&f, 4, false, &seen);

	fake->flow_qps[0].local = (uintptr_t)out;
	f.pingpong.flag_out = out + gather_place(&g, 9);
	f.pingpong.flag_in = in;
	in[0] = 1;
	flow_limit(&f.qps[0], UINT64_MAX);
	prepare(&f, OP_WRITE, 10, 0, 4, 1, 1);
	fake->control.command = PHASE_MEASURE;
	assert_int_equal(latency_ping(&f, OP_WRITE), 0);
	assert_int_equal(seen.n, 1);
	assert_int_equal(out[3 * CACHE_LINE + 1], 1);
	stop(fake, &f);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_layout),
	cmocka_unit_test(test_one_entry_is_in_one_piece),
	cmocka_unit_test(test_copies),
	cmocka_unit_test(test_copies_that_fail),
	cmocka_unit_test(test_bandwidth_posts_all_entries),
	cmocka_unit_test(test_inline_entries),
	cmocka_unit_test(test_latency_posts_all_entries),
};

TEST_MAIN(tests, 10)
