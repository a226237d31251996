/* Where in memory the messages of the bandwidth loop are. */
#include "config.h"
#include "test.h"

#include "fake_provider.h"
#include "traffic/loops.h"

#define WALK 4096

static void check_list_walk(uint64_t size, uint64_t walk, uint64_t step,
			    uint64_t messages, uint32_t list)
{
	struct flow f;
	struct fake *fake = fake_new(&f, 2);

	fake->control.command = PHASE_MEASURE;
	flow_prepare(&f, OP_WRITE, &(struct flow_shape){
		.size = size,
		.walk = walk,
		.depth = 2 * list,
		.cq_mod = 2 * list,
		.list_length = list,
		.iterations = 64,
	});
	assert_int_equal(bandwidth_run(&f, OP_WRITE), 0);
	for (uint32_t q = 0; q < 2; q++)
		for (uint64_t i = 0; i < 64; i++) {
			uint64_t offset = i % messages * step;
			assert_int_equal(fake->qps[q].addresses[i],
					 f.qps[q].local + offset);
			assert_int_equal(fake->qps[q].remotes[i],
					 f.qps[q].remote + offset);
			assert_true(offset + size <=
				    (walk > size ? walk : size));
		}
	assert_int_equal(fake->requests[0][0].sge.length, size);
	fake_free(fake, &f);
}

static void check_walk(uint64_t size, uint64_t walk, uint64_t step,
		       uint64_t messages)
{
	check_list_walk(size, walk, step, messages, 1);
}

/* From list to list; one that fills the region stays. */
TEST(test_lists_walk)
{
	check_list_walk(64, 4096, 64, 64, 16);
	check_list_walk(64, 4096, 64, 64, 32);
	check_list_walk(64, 65536, 64, 1024, 16);	/* too many to copy */
	check_list_walk(64, 16384, 64, 256, 2);		/* likewise */
	check_list_walk(64, 640, 64, 8, 4);	/* two lists, not 2.5 */
	check_list_walk(64, 256, 64, 4, 16);	/* within the list */
	check_list_walk(4096, 4096, 4096, 1, 16);
	check_list_walk(65536, 4096, 65536, 1, 2);
}

TEST(test_walk_stays_inside)
{
	check_walk(64, 4096, 64, 64);
	check_walk(1, 256, 64, 4);
	check_walk(64, 640, 64, 10);
	check_walk(65, 256, 128, 2);	/* 0-64, 128-192; not 256 */
	check_walk(100, 4096, 128, 32);	/* the last ends at 4,068 */
	check_walk(4096, 4096, 4096, 1);
	check_walk(65536, 4096, 65536, 1);
	check_walk(64, 0, 64, 1);
	check_walk(8, 63, 64, 1);
}

TEST(test_zero_bytes_have_no_entry)
{
	struct flow f;
	struct fake *fake = fake_new(&f, 1);

	fake->control.command = PHASE_MEASURE;
	prepare(&f, OP_SEND, 0, WALK, 4, 1, 100);
	assert_int_equal(bandwidth_run(&f, OP_SEND), 0);
	assert_int_equal(f.window.counted, 100);
	assert_int_equal(fake->with_sge, 0);
	prepare(&f, OP_SEND, 1, WALK, 4, 1, 100);
	assert_int_equal(bandwidth_run(&f, OP_SEND), 0);
	assert_int_equal(fake->with_sge, 100);
	fake_free(fake, &f);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_lists_walk),
	cmocka_unit_test(test_walk_stays_inside),
	cmocka_unit_test(test_zero_bytes_have_no_entry),
};

TEST_MAIN(tests, 10)
