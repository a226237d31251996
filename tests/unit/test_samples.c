/* The ring between a loop and the file of its samples. */
#include "config.h"
#include "test.h"

#include <pthread.h>

#include "base/xalloc.h"
#include "traffic/samples.h"

static struct sample_ring *new_ring(uint64_t size)
{
	struct sample_ring *ring = xcalloc_lines(1, sizeof(*ring));

	ring->size = size;
	ring->entries = xcalloc(size, sizeof(*ring->entries));
	return ring;
}

static void free_ring(struct sample_ring *ring)
{
	free(ring->entries);
	free(ring);
}

TEST(test_first_in_first_out)
{
	struct sample_ring *ring = new_ring(8);
	struct sample out[8];
	uint64_t next = 0;

	assert_int_equal(samples_take(ring, out, 8), 0);
	for (uint64_t i = 0; i < 100; i += 5) {
		for (uint64_t j = i; j < i + 5; j++)
			samples_put(ring, j, 2 * j);
		assert_int_equal(samples_take(ring, out, 3), 3);
		assert_int_equal(samples_take(ring, out + 3, 8), 2);
		for (int j = 0; j < 5; j++, next++) {
			assert_int_equal(out[j].start, next);
			assert_int_equal(out[j].ticks, 2 * next);
		}
	}
	assert_int_equal(ring->dropped, 0);
	free_ring(ring);
}

TEST(test_what_finds_no_room_is_counted)
{
	struct sample_ring *ring = new_ring(8);
	struct sample out[8];

	for (uint64_t i = 0; i < 11; i++)
		samples_put(ring, i, i);
	assert_int_equal(ring->dropped, 3);
	assert_int_equal(samples_take(ring, out, 8), 8);
	assert_int_equal(out[7].start, 7);
	samples_put(ring, 99, 1);
	assert_int_equal(samples_take(ring, out, 8), 1);
	assert_int_equal(out[0].start, 99);
	assert_int_equal(ring->dropped, 3);
	free_ring(ring);
}

#define MANY 1000000

static void *put_many(void *argument)
{
	for (uint64_t i = 1; i <= MANY; i++)
		samples_put(argument, i, i);
	return NULL;
}

/* Whatever is not dropped arrives once, in order, and whole. */
TEST(test_between_two_threads)
{
	struct sample_ring *ring = new_ring(1024);
	uint64_t taken = 0, last = 0;
	struct sample out[64];
	pthread_t writer;

	assert_int_equal(pthread_create(&writer, NULL, put_many, ring), 0);
	while (taken + atomic_load(&ring->dropped) < MANY) {
		uint64_t n = samples_take(ring, out, 64);

		for (uint64_t i = 0; i < n; i++) {
			assert_true(out[i].start > last);
			assert_int_equal(out[i].ticks, out[i].start);
			last = out[i].start;
		}
		taken += n;
	}
	pthread_join(writer, NULL);
	assert_true(taken > 0);
	assert_int_equal(samples_take(ring, out, 64), 0);
	free_ring(ring);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_first_in_first_out),
	cmocka_unit_test(test_what_finds_no_room_is_counted),
	cmocka_unit_test(test_between_two_threads),
};

TEST_MAIN(tests, 30)
