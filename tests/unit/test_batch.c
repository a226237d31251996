/* Batches of requests of many sizes: their text, their places, their loop. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <string.h>

#include "base/numbers.h"
#include "base/units.h"
#include "fake_provider.h"
#include "good_plan.h"
#include "model/param.h"
#include "net/frames.h"
#include "traffic/batch.h"

/* 7 requests of 13 KiB and 100 bytes. */
static const struct batch small = {
	3, { { 4, 1024 }, { 2, 4096 }, { 1, 1124 } }
};

TEST(test_text)
{
	static const struct {
		const char *text, *back;
		int ret;
	} rows[] = {
		{ "4Kx64,64Kx8,1M", "4Kx64,64Kx8,1M", 0 },
		{ "4096*2,1", "4Kx2,1", 0 },
		{ "1000,2Gx1", "1000,2048M", 0 },
		{ "1x65536", "1x65536", 0 },
		{ "4K,", NULL, -EINVAL },
		{ "4Kx", NULL, -EINVAL },
		{ "x4", NULL, -EINVAL },
		{ "4Kx2x2", NULL, -EINVAL },
		{ "0", NULL, -ERANGE },
		{ "4Kx0", NULL, -ERANGE },
		{ "3G", NULL, -ERANGE },
		{ "1x65537", NULL, -ERANGE },
	};
	char text[BATCH_TEXT_SIZE], many[2 * BATCH_PARTS_MAX + 2] = "1";
	struct batch b = { 0 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(units_parse_batch(rows[i].text, &b),
				 rows[i].ret);
		if (rows[i].back)
			assert_string_equal(units_format_batch(&b, text),
					    rows[i].back);
	}
	for (int i = 1; i < BATCH_PARTS_MAX; i++)
		strcat(many, ",1");
	assert_int_equal(units_parse_batch(many, &b), 0);
	strcat(many, ",1");
	assert_int_equal(units_parse_batch(many, &b), -E2BIG);
	for (int i = 0; i < BATCH_PARTS_MAX; i++)
		b.parts[i] = (struct batch_part){ BATCH_COUNT_MAX,
						  BATCH_SIZE_MAX - 1 };
	assert_int_equal(units_parse_batch(units_format_batch(&b, text), &b),
			 0);
	assert_int_equal(b.parts[BATCH_PARTS_MAX - 1].count, BATCH_COUNT_MAX);
}

static struct plan batch_plan(void)
{
	struct plan plan = good_plan();

	plan.batch = small;
	plan.sizes.bytes[0] = batch_bytes(&small);
	return plan;
}

/* A batch decides how many requests are posted at once and outstanding. */
TEST(test_plan)
{
	struct plan plan = batch_plan();
	const uint64_t bytes = plan.sizes.bytes[0];

	assert_int_equal(bytes, 13 * 1024 + 100);
	assert_int_equal(batch_requests(&small), 7);
	assert_int_equal(plan_largest(&plan), 4096);
	assert_true(plan_has_latency(&plan));
	for (plan.qps = 1; plan.qps <= 7; plan.qps++) {
		const uint32_t share = (6 + plan.qps) / plan.qps;

		plan.iterations = plan.qps % 2;
		assert_int_equal(plan_depth(&plan, bytes), share);
		assert_int_equal(plan_post_list(&plan, bytes), share);
		assert_int_equal(plan_cq_mod(&plan, bytes), share);
		assert_int_equal(plan_longest_list(&plan), share);
		assert_true(plan_send_queue(&plan) >= share);
		assert_true(plan_stride(&plan) >=
			    batch_extent(&small, plan.qps));
	}
	plan.qps = 1;
	plan.batch.parts[0].count = 1000;
	assert_int_equal(plan_send_queue(&plan), 1003);
	assert_int_equal(plan_stride(&plan),
			 1000 * 1024 + 2 * 4096 + round_up(1124, CACHE_LINE));
}

TEST(test_rules)
{
	struct plan plan = batch_plan();
	struct error err = { 0 };

#define REFUSED(change, why) \
	do { \
		plan = batch_plan(); \
		err = (struct error){ 0 }; \
		change; \
		assert_int_equal(plan_check(&plan, &err), -EINVAL); \
		assert_contains(error_text(&err), why); \
	} while (0)
	assert_int_equal(plan_check(&plan, &err), 0);
	REFUSED(plan.op = OP_SEND, "--batch: only for write_bw and read_bw");
	REFUSED(plan.metric = METRIC_LATENCY, "only for write_bw and read_bw");
	REFUSED(plan.transport = TRANSPORT_UC, "--batch: not over UC, where");
	REFUSED(plan.verify = true, "--batch and --verify exclude each other");
	REFUSED(plan.bidirectional = true, "--bidirectional exclude");
	REFUSED(plan.rate = 1000000, "--rate exclude");
	REFUSED(plan.sge = 2, "--sge exclude");
	REFUSED((plan.threads = 2, plan.qps = 2), "--threads exclude");
	REFUSED(plan.post_list = 2, "--post-list exclude");
	REFUSED(plan.cq_mod = 1, "--cq-mod exclude");
	REFUSED((plan.op = OP_WRITE_IMM, plan.imm = true), "--imm exclude");
	REFUSED(plan.sizes.bytes[0]++, "--batch and --size exclude");
	REFUSED(plan.sizes.n = 2, "--batch and --size exclude");
	REFUSED(plan.qps = 8, "--qps 8: must be at most the number of "
			      "requests of --batch");
	REFUSED((plan.batch.parts[0] = (struct batch_part){ 2, 1U << 30 },
		 plan.sizes.bytes[0] = batch_bytes(&plan.batch)),
		"--batch: must be at most 2G bytes in all");
	REFUSED((plan.batch.parts[0] = (struct batch_part){ 65536, 1 },
		 plan.sizes.bytes[0] = batch_bytes(&plan.batch)),
		"--batch: must be at most 65536 requests for each queue pair");
#undef REFUSED
}

/* Send the default plan with BATCH; returns what decoding does. */
static int travel(const struct batch *batch, struct plan *got,
		  struct error *err)
{
	const struct port port = good_port();
	struct parameters sent;
	struct port other;
	struct frame frame;
	int ret;

	param_defaults(&sent);
	sent.plan.sizes = (struct sizes){ 1, { batch_bytes(&small) } };
	sent.plan.batch = *batch;
	frame = encode_plan(&sent.plan, &port);
	ret = decode_plan(&frame, got, &other, err);
	frame_free(&frame);
	return ret;
}

TEST(test_batch_travels)
{
	struct error err = { 0 };
	struct batch wrong = small;
	struct plan got;

	assert_int_equal(travel(&small, &got, &err), 0);
	assert_memory_equal(&got.batch, &small, sizeof(small));
	wrong.parts[2].count = 0;
	assert_int_equal(travel(&wrong, &got, &err), -EPROTO);
	assert_contains(error_text(&err), "number of requests 0: expected 1");
	wrong = small;
	wrong.parts[0].size = BATCH_SIZE_MAX + 1;
	err = (struct error){ 0 };
	assert_int_equal(travel(&wrong, &got, &err), -EPROTO);
	assert_contains(error_text(&err), "size of a request 2147483649");
}

/* Prepare F for batches B as round_prepare() does. */
static void prepare_batch(struct flow *f, const struct batch *b, enum op op,
			  uint64_t walk, uint64_t iterations)
{
	const uint32_t share = (uint32_t)batch_share(b, f->n_qps);

	flow_prepare(f, op, &(struct flow_shape){
		.size = batch_bytes(b),
		.walk = walk,
		.depth = share,
		.cq_mod = share,
		.list_length = share,
		.iterations = iterations,
	});
	batch_prepare(f, b);
}

/* The N requests of Q, from R on, have places of their own within EXTENT bytes,
 * here as there, and all over a WALK that is longer than they need. */
static void check_places(const struct flow_qp *q, const struct flow_request *r,
			 uint32_t n, uint64_t extent, uint64_t walk)
{
	uint64_t last = 0;
	uint32_t backwards = 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint64_t at = r[i].sge.addr - q->local;

		assert_int_equal(at % CACHE_LINE, 0);
		assert_true(at + r[i].sge.length <= extent);
		last = larger(last, at);
		assert_int_equal(r[i].wr.wr.rdma.remote_addr, q->remote + at);
		assert_int_equal(r[i].wr.send_flags & IBV_SEND_SIGNALED,
				 i + 1 == n ? IBV_SEND_SIGNALED : 0);
		assert_ptr_equal(r[i].wr.next,
				 i + 1 == n ? NULL : &r[i + 1].wr);
		backwards += i && r[i].sge.addr < r[i - 1].sge.addr;
		for (uint32_t k = 0; k < i; k++)
			assert_true(r[k].sge.addr + r[k].sge.length <=
					    r[i].sge.addr ||
				    r[i].sge.addr + r[i].sge.length <=
					    r[k].sge.addr);
	}
	/* they are scattered */
	assert_true(n < 8 || backwards > n / 8);
	assert_true(n < 2 || last >= walk / 3);
}

/* Every request is posted once, wherever it is. */
static void check_prepared(const struct batch *b, uint32_t qps, uint64_t walk)
{
	const uint64_t extent = larger(batch_extent(b, qps), walk);
	uint64_t left = batch_requests(b), bytes = 0;
	struct flow f;
	struct fake *fake = fake_new(&f, qps);

	f.inline_size = 1100;
	prepare_batch(&f, b, OP_WRITE, walk, 1);
	for (uint32_t i = 0; i < qps; i++) {
		const uint32_t n = (uint32_t)(left + qps - i - 1) / (qps - i);
		const struct flow_request *r =
			&f.qps[i].requests[f.shape.list_length - n];

		check_places(&f.qps[i], r, n, extent, walk);
		for (uint32_t k = 0; k < n; k++) {
			bytes += r[k].sge.length;
			assert_int_equal(r[k].wr.send_flags & IBV_SEND_INLINE,
					 r[k].sge.length <= 1100 ?
						 IBV_SEND_INLINE : 0);
		}
		left -= n;
	}
	assert_int_equal(left, 0);
	assert_int_equal(bytes, batch_bytes(b));
	fake_free(fake, &f);
}

TEST(test_places)
{
	static const uint32_t counts[] = { 1, 2, 3, 7, 8, 60, 64, 97, 128 };

	for (uint32_t qps = 1; qps <= 7; qps++)
		for (uint64_t walk = 0; walk <= 1 << 20; walk += 1 << 19)
			check_prepared(&small, qps, walk);
	for (size_t i = 0; i < COUNT(counts); i++) {
		const struct batch one = { 1, { { counts[i], 4000 } } };

		check_prepared(&one, 1, 0);
	}
}

/* Requests are dealt in turn. */
TEST(test_shares)
{
	struct flow f;
	struct fake *fake = fake_new(&f, 2);
	static const uint32_t sizes[2][4] = { { 1024, 1024, 4096, 1124 },
					      { 1024, 1024, 4096 } };

	prepare_batch(&f, &small, OP_READ, 0, 1);
	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t k = 0; k < 4 - i; k++)
			assert_int_equal(f.qps[i].requests[i + k].sge.length,
					 sizes[i][k]);
	fake_free(fake, &f);
}

static void check_counts(const struct fake *fake, const struct flow *f,
			 uint64_t counted)
{
	assert_int_equal(f->window.counted, counted);
	assert_int_equal(f->latency->count, counted);
	assert_int_equal(f->posted, f->window.warmup + counted);
	assert_int_equal(f->completed, f->posted);
	assert_int_equal(f->progress->messages, f->completed);
	assert_int_equal(fake->posts, f->posted * batch_requests(&small));
	assert_int_equal(fake->retired, fake->posts);
	assert_int_equal(fake->overflows, 0);
	assert_true(f->window.opened && f->window.closed > f->window.opened);
	assert_true(f->latency->sum <= f->window.closed - f->window.opened);
	/* edges are ends of batches, when nothing is under way */
	assert_int_equal(f->window.opening.ticks + f->window.closing.ticks, 0);
	assert_int_equal(f->window.opening.messages, 0);
	assert_int_equal(f->window.closing.messages, 0);
	assert_null(f->failure.verb);
}

static void run_counted(uint64_t n, uint32_t qps, uint32_t cqs,
			uint64_t warmup, enum post_method method)
{
	struct flow f;
	struct fake *fake = fake_new(&f, qps);

	fake_split_cqs(fake, &f, cqs);
	fake->depth = (uint32_t)batch_share(&small, qps);
	fake->delay = 5;
	fake->control.command = warmup ? PHASE_WARMUP : PHASE_MEASURE;
	fake->moves[0].at = warmup;
	fake->moves[0].phase = PHASE_MEASURE;
	fake->mark_at = warmup + 40;
	f.method = method;
	prepare_batch(&f, &small, OP_WRITE, 4096, n);
	assert_int_equal(batch_run(&f, OP_WRITE), 0);
	check_counts(fake, &f, n);
	assert_int_equal(f.window.warmup > 0, warmup > 0);
	for (uint32_t i = 0; i < qps; i++) {
		assert_int_equal(fake->qps[i].last_signaled,
				 fake->qps[i].posted);
		assert_int_equal(fake->qps[i].signaled, f.posted);
	}
	if (n == 100)
		assert_int_equal(f.progress->marked, 1);
	assert_true(f.progress->mark_counted <= n);
	fake_free(fake, &f);
}

TEST(test_counts_are_exact)
{
	static const uint64_t counts[] = { 1, 2, 100 };

	for (size_t i = 0; i < COUNT(counts); i++)
		for (uint32_t qps = 1; qps <= 7; qps += 3)
			for (uint64_t warmup = 0; warmup < 80; warmup += 33)
				run_counted(counts[i], qps,
					    qps > 1 ? 2 : 1, warmup,
					    warmup ? POST_LEGACY : POST_WR);
}

/* Until the time is over; then the batch under way is finished and counts. */
TEST(test_time)
{
	for (uint64_t end = 60; end < 160; end += 9) {
		struct flow f;
		struct fake *fake = fake_new(&f, 2);

		fake->delay = 5;
		fake->control.command = PHASE_WARMUP;
		fake->moves[0].at = 50;
		fake->moves[0].phase = PHASE_MEASURE;
		fake->moves[1].at = end;
		fake->moves[1].phase = PHASE_DRAIN;
		prepare_batch(&f, &small, OP_READ, 0, 0);
		assert_int_equal(batch_run(&f, OP_READ), 0);
		assert_true(f.window.counted > 0);
		check_counts(fake, &f, f.window.counted);
		fake_free(fake, &f);
	}
}

/* What ends a run early: its batches until then stay. */
TEST(test_failures)
{
	static const struct {
		uint64_t fail_post, fail_wc, fail_poll, abort_at;
		int ret;
		const char *verb;
	} rows[] = {
		{ .fail_post = 17, .ret = -ENOMEM, .verb = "ibv_post_send" },
		{ .fail_wc = 17, .ret = -EIO, .verb = "ibv_poll_cq" },
		{ .fail_poll = 17, .ret = -EIO, .verb = "ibv_poll_cq" },
		{ .abort_at = 40, .ret = -ECANCELED },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct flow f;
		struct fake *fake = fake_new(&f, 2);

		fake->delay = 3;
		fake->control.command = PHASE_MEASURE;
		fake->errnum = ENOMEM;
		fake->status = IBV_WC_REM_ACCESS_ERR;
		fake->fail_post = rows[i].fail_post;
		fake->fail_wc = rows[i].fail_wc;
		fake->fail_poll = rows[i].fail_poll;
		fake->moves[0].at = rows[i].abort_at;
		fake->moves[0].phase = PHASE_ABORT;
		prepare_batch(&f, &small, OP_WRITE, 0, 0);
		assert_int_equal(batch_run(&f, OP_WRITE), rows[i].ret);
		assert_int_equal(f.failure.verb != NULL, rows[i].verb != NULL);
		if (rows[i].verb)
			assert_string_equal(f.failure.verb, rows[i].verb);
		assert_true(f.window.cut && f.window.counted == f.completed);
		assert_int_equal(f.latency->count, f.completed);
		fake_free(fake, &f);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_text),
	cmocka_unit_test(test_plan),
	cmocka_unit_test(test_rules),
	cmocka_unit_test(test_batch_travels),
	cmocka_unit_test(test_places),
	cmocka_unit_test(test_shares),
	cmocka_unit_test(test_counts_are_exact),
	cmocka_unit_test(test_time),
	cmocka_unit_test(test_failures),
};

TEST_MAIN(tests, 10)
