/* Whole sessions with what shapes the traffic: threads, lists, ways to post,
 * intervals, samples. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>

#include "fake_verbs.h"
#include "model/result.h"
#include "pair.h"

#define MS 1000000ULL

static struct result_row *row_of(struct pair *p)
{
	return &p->client.result->rows[0];
}

static void check_threads(enum op op, uint32_t threads, uint32_t qps)
{
	uint64_t sum = 0, sum_of_qps = 0;
	const struct result_row *row;
	struct pair p;

	fake_verbs_reset();
	pair_open(&p, op, METRIC_BANDWIDTH);
	pair_plan(&p)->threads = threads;
	pair_plan(&p)->qps = qps;
	pair_plan(&p)->iterations = 100;
	pair_run_well(&p, "threads");
	row = row_of(&p);
	assert_int_equal(row->total.iterations, 100 * qps);
	assert_int_equal(row->total.n_threads, threads > 1 ? threads : 0);
	for (uint32_t t = 0; t < row->total.n_threads; t++) {
		const struct thread_row *thread = &row->total.threads[t];

		assert_int_equal(thread->iterations, 100 * thread->qps);
		assert_int_equal(thread->cpu, PLAN_AUTO);
		assert_true(thread->window_ns > 0);
		assert_true((double)thread->window_ns / 1e9 <= row->total.seconds);
		sum += thread->iterations;
		sum_of_qps += thread->qps;
	}
	if (threads > 1) {
		assert_int_equal(sum, row->total.iterations);
		assert_int_equal(sum_of_qps, qps);
	}
	pair_close_clean(&p);
}

TEST(test_threads_share_the_queue_pairs)
{
	for (int op = 0; op < OP_COUNT; op++) {
		check_threads((enum op)op, 1, 3);
		check_threads((enum op)op, 2, 2);
		check_threads((enum op)op, 3, 7);
	}
}

/* A failure on one thread's QP ends the others, and is the one reported. */
TEST(test_one_thread_fails)
{
	struct pair p;

	fake_verbs_reset();
	pair_open(&p, OP_WRITE, METRIC_BANDWIDTH);
	pair_plan(&p)->threads = 3;
	pair_plan(&p)->qps = 3;
	pair_plan(&p)->iterations = 0;
	pair_plan(&p)->duration = 20000 * MS;
	fake_verbs.fail_message = 5000;
	fake_verbs.status = IBV_WC_RETRY_EXC_ERR;
	pair_run(&p);
	assert_int_equal(p.client.ret, -EIO);
	assert_string_equal(p.client.result->error.code,
			    "IBV_WC_RETRY_EXC_ERR");
	assert_true(row_of(&p)->failed);
	assert_true(row_of(&p)->total.iterations > 0);
	pair_close_clean(&p);
}

static void check_post(enum op op, enum metric metric, uint32_t list,
		       enum post_method method, bool builders)
{
	/* a ping-pong takes longer, and counts its messages in a byte */
	const uint64_t n = metric == METRIC_LATENCY ? 300 : 640;
	struct pair p;

	fake_verbs_reset();
	fake_verbs.builders = builders;
	pair_open(&p, op, metric);
	pair_plan(&p)->post = method;
	pair_plan(&p)->post_list = list;
	pair_plan(&p)->iterations = n;
	pair_run_well(&p, "post");
	assert_int_equal(row_of(&p)->total.iterations, n);
	assert_int_equal(row_of(&p)->post_list, list);
	assert_int_equal(row_of(&p)->method,
			 builders && method != POST_LEGACY ? POST_WR :
							     POST_LEGACY);
	pair_close_clean(&p);
}

TEST(test_every_way_to_post)
{
	for (int op = 0; op < OP_COUNT; op++)
		for (int builders = 0; builders < 2; builders++) {
			enum op o = (enum op)op;

			check_post(o, METRIC_BANDWIDTH, 1, POST_AUTO,
				   builders);
			check_post(o, METRIC_BANDWIDTH, 16, POST_AUTO,
				   builders);
			check_post(o, METRIC_BANDWIDTH, 16, POST_LEGACY,
				   builders);
			check_post(o, METRIC_LATENCY, 1, POST_AUTO, builders);
			check_post(o, METRIC_LATENCY, 1, POST_LEGACY,
				   builders);
		}
}

TEST(test_builders_that_are_not_there)
{
	struct pair p;

	fake_verbs_reset();
	pair_open(&p, OP_READ, METRIC_BANDWIDTH);
	pair_plan(&p)->post = POST_WR;
	pair_run(&p);
	assert_int_equal(p.client.ret, -EOPNOTSUPP);
	assert_contains(p.client.result->error.message, "ibv_wr_start");
	assert_contains(p.client.result->error.advice, "--post legacy");
	pair_close_clean(&p);
}

/* Intervals without a gap, whose messages are those of the run. */
static void check_intervals(const struct result_row *row)
{
	uint64_t next = 0, messages = 0;

	for (uint32_t i = 0; i < row->total.n_intervals; i++) {
		assert_true(llabs((long long)(row->total.intervals[i].start_ns -
					      next)) <= 1);
		next = row->total.intervals[i].start_ns +
		       row->total.intervals[i].length_ns;
		messages += row->total.intervals[i].messages;
	}
	assert_int_equal(messages, row->total.iterations);
	assert_close((double)next / 1e9, row->total.seconds, 1e-6);
}

TEST(test_intervals_are_as_long_as_asked)
{
	for (uint32_t threads = 1; threads <= 2; threads++) {
		const struct result_row *row;
		struct pair p;

		fake_verbs_reset();
		pair_open(&p, OP_WRITE, METRIC_BANDWIDTH);
		pair_plan(&p)->threads = pair_plan(&p)->qps = threads;
		pair_plan(&p)->iterations = 0;
		pair_plan(&p)->warmup = 10 * MS;
		pair_plan(&p)->duration = 500 * MS;
		p.client.result->params.plan.interval = 20 * MS;
		pair_run_well(&p, "intervals");
		row = row_of(&p);
		/* fewer where other programs kept the threads waiting */
		assert_in_range(row->total.n_intervals, 1, 25);
		check_intervals(row);
		assert_int_equal(row->total.n_intervals >= INTERVALS_LEAST,
				 isfinite(row->total.bandwidth.peak_gbps));
		assert_int_equal(row->total.n_intervals >= INTERVALS_LEAST,
				 isfinite(row->total.bandwidth.ci95_gbps[0]));
		pair_close_clean(&p);
	}
}

/* Counts what it is told, in the order that it must come. */
struct listener {
	struct observer observer;
	uint32_t begun;
	uint32_t intervals;
	uint64_t messages;
	uint64_t next;		/* ns */
	uint32_t rows;
	uint32_t most;		/* intervals, after which nobody reads more */
	bool wrong;
};

static void on_begin(struct observer *o, const struct result *r)
{
	struct listener *l = (struct listener *)o;

	l->begun++;
	l->wrong = l->wrong || !r->connected || l->intervals || l->rows;
}

static bool on_interval(struct observer *o, const struct result *r,
			const struct observed *part)
{
	struct listener *l = (struct listener *)o;
	long long gap = (long long)(part->interval.start_ns - l->next);

	l->wrong = l->wrong || !l->begun || l->rows ||
		   llabs(gap) > (long long)MS ||
		   part->size != r->params.plan.sizes.bytes[0] ||
		   !part->from_client || part->received;
	l->intervals++;
	l->messages += part->interval.messages;
	l->next = part->interval.start_ns + part->interval.length_ns;
	return l->intervals < l->most;
}

static void on_row(struct observer *o, const struct result *r,
		   const struct result_row *row)
{
	struct listener *l = (struct listener *)o;

	l->wrong = l->wrong || row != &r->rows[l->rows];
	l->rows++;
}

/* The server of such a test measures nothing, and has no intervals. */
TEST(test_who_wants_to_is_told_as_it_comes)
{
	static const struct observer observer = { on_begin, on_interval,
						  on_row };
	struct listener client = { .observer = observer, .most = 100 };
	struct listener server = { .observer = observer };
	struct pair p;

	fake_verbs_reset();
	pair_open(&p, OP_WRITE, METRIC_BANDWIDTH);
	pair_plan(&p)->iterations = 0;
	pair_plan(&p)->warmup = 10 * MS;
	pair_plan(&p)->duration = 300 * MS;
	pair_plan(&p)->interval = 20 * MS;
	p.client.result->observer = &client.observer;
	p.server.result->observer = &server.observer;
	pair_run_well(&p, "observed");
	assert_false(client.wrong || server.wrong);
	assert_int_equal(client.begun, 1);
	/* the last may be too short to be one of the result */
	assert_in_range(client.intervals, row_of(&p)->total.n_intervals,
			row_of(&p)->total.n_intervals + 1);
	assert_in_range(client.intervals, 1, 17);
	assert_int_equal(client.messages, row_of(&p)->total.iterations);
	assert_close((double)client.next / 1e9, row_of(&p)->total.seconds, 1e-3);
	assert_int_equal(client.rows, 1);
	assert_int_equal(server.begun, 1);
	assert_int_equal(server.intervals, 0);
	assert_int_equal(server.rows, 1);
	pair_close_clean(&p);
}

/* A run that would go on for an hour ends when nobody reads its rows, at both
 * ends. */
TEST(test_a_run_that_nobody_reads_is_over)
{
	struct listener client = {
		.observer = { on_begin, on_interval, on_row },
		.most = 2,
	};
	struct pair p;

	fake_verbs_reset();
	pair_open(&p, OP_WRITE, METRIC_BANDWIDTH);
	pair_plan(&p)->iterations = 0;
	pair_plan(&p)->duration = 3600000 * MS;
	pair_plan(&p)->interval = 20 * MS;
	p.client.result->observer = &client.observer;
	pair_run(&p);
	assert_int_equal(p.client.ret, -ECANCELED);
	assert_contains(error_text(&p.client.result->error), "nobody reads");
	assert_true(p.server.ret < 0);
	/* and what it had begun */
	assert_in_range(client.intervals, 2, 3);
	pair_close_clean(&p);
}

TEST(test_a_short_run_has_no_intervals)
{
	struct pair p;

	fake_verbs_reset();
	pair_open(&p, OP_WRITE, METRIC_BANDWIDTH);
	pair_plan(&p)->iterations = 0;
	pair_plan(&p)->duration = 30 * MS;
	pair_run_well(&p, "short");
	assert_int_equal(row_of(&p)->total.n_intervals, 0);
	assert_true(isnan(row_of(&p)->total.bandwidth.peak_gbps));
	pair_close_clean(&p);
}

/* Lines of the CSV file PATH after its heading, each for SIZE bytes. */
static uint64_t count_samples(const char *path, double *sum)
{
	unsigned long long size;
	FILE *file = fopen(path, "r");
	char line[100];
	uint64_t n = 0;
	double at, us;

	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	assert_string_equal(line, "size,at_s,us\n");
	for (*sum = 0; fgets(line, sizeof(line), file); n++) {
		assert_int_equal(sscanf(line, "%llu,%lf,%lf", &size, &at, &us),
				 3);
		assert_int_equal(size, 64);
		assert_true(at >= 0);
		*sum += us;
	}
	fclose(file);
	return n;
}

TEST(test_every_sample_is_in_the_file)
{
	char path[] = "/tmp/verbsperf-samples-XXXXXX.csv";
	int fd = mkstemps(path, 4);
	struct pair p;
	double sum;

	assert_true(fd >= 0);
	close(fd);
	fake_verbs_reset();
	pair_open(&p, OP_READ, METRIC_LATENCY);
	pair_plan(&p)->iterations = 5000;
	p.client.result->params.samples = path;
	pair_run_well(&p, "samples");
	assert_int_equal(row_of(&p)->samples_dropped, 0);
	assert_int_equal(count_samples(path, &sum), 5000);
	/* the ratio of ticks to ns was not quite the final one yet */
	assert_close(sum / 5000, row_of(&p)->latency.mean, 1e-3);
	unlink(path);
	pair_close_clean(&p);
}

TEST(test_samples_that_cannot_be_written)
{
	struct pair p;

	fake_verbs_reset();
	pair_open(&p, OP_READ, METRIC_LATENCY);
	pair_plan(&p)->iterations = 5000;
	p.client.result->params.samples = "/dev/full";
	pair_run(&p);
	assert_int_equal(p.client.ret, -ENOSPC);
	assert_contains(p.client.result->error.message, "/dev/full");
	assert_int_equal(row_of(&p)->latency.samples, 5000);
	pair_close_clean(&p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_threads_share_the_queue_pairs),
	cmocka_unit_test(test_one_thread_fails),
	cmocka_unit_test(test_every_way_to_post),
	cmocka_unit_test(test_builders_that_are_not_there),
	cmocka_unit_test(test_intervals_are_as_long_as_asked),
	cmocka_unit_test(test_who_wants_to_is_told_as_it_comes),
	cmocka_unit_test(test_a_run_that_nobody_reads_is_over),
	cmocka_unit_test(test_a_short_run_has_no_intervals),
	cmocka_unit_test(test_every_sample_is_in_the_file),
	cmocka_unit_test(test_samples_that_cannot_be_written),
};

TEST_MAIN(tests, 60)
