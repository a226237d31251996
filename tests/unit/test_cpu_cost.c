/* What the cost in CPU time means, and how it travels in DONE. */
#include "config.h"
#include "test.h"

#include <errno.h>

#include "model/plan.h"
#include "net/frames.h"

#define UNKNOWN CPU_UNKNOWN

static struct cpu_thread threads[] = {
	{ 3, { 11, 12, 13, 14 }, 60, 27 },
	{ PLAN_AUTO, { UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN }, 0, 0 },
};

static const struct cpu_cost sample = {
	.ns = 2000000000,
	.process = { 900000000, 100000000, 7, 8 },
	.host_busy_ns = 3000000000,
	.host_ns = 8000000000,
	.stolen_ns = 2000000000,
	.interrupts = 21,
	.n_threads = 2,
	.threads = threads,
};

TEST(test_figures)
{
	struct cpu_figures f = cpu_cost_figures(&sample, 1000, 500);

	assert_close(f.seconds, 2, 0);
	assert_close(f.percent, 50, 1e-12);
	assert_close(f.user_percent, 45, 1e-12);
	assert_close(f.host_percent, 37.5, 1e-12);
	assert_close(f.stolen_percent, 25, 1e-12);
	assert_close(cpu_thread_percent(&threads[0]), 45, 1e-12);
	assert_true(isnan(cpu_thread_percent(&threads[1])));
	/* half a second of CPU time for a thousand messages */
	assert_close(f.ns_per_message, 500000, 1e-12);
	assert_close(f.ns_per_gb, 1e12, 1e-12);
}

TEST(test_figures_that_are_not_known)
{
	struct cpu_cost cost = sample;
	struct cpu_figures f;

	f = cpu_cost_figures(&cost, 1000, 0);
	assert_true(isnan(f.ns_per_gb) && f.ns_per_message > 0);
	f = cpu_cost_figures(&cost, NAN, 8);
	assert_true(isnan(f.ns_per_gb) && isnan(f.ns_per_message));
	f = cpu_cost_figures(&cost, 0, 8);
	assert_true(isnan(f.ns_per_gb) && isnan(f.ns_per_message));
	cost.stolen_ns = UNKNOWN;
	f = cpu_cost_figures(&cost, 1000, 8);
	assert_true(isnan(f.stolen_percent) && f.host_percent > 0);
	cost.host_ns = cost.host_busy_ns = UNKNOWN;
	f = cpu_cost_figures(&cost, 1000, 8);
	assert_true(isnan(f.host_percent) && f.percent > 0);
	cost.host_ns = cost.host_busy_ns = 0;	/* no tick came */
	assert_true(isnan(cpu_cost_figures(&cost, 1000, 8).host_percent));
	cost.ns = 0;
	f = cpu_cost_figures(&cost, 1000, 8);
	assert_true(isnan(f.seconds) && isnan(f.percent) &&
		    isnan(f.user_percent) && isnan(f.host_percent) &&
		    isnan(f.ns_per_message) && isnan(f.ns_per_gb));
}

/* DONE with COST and nothing else. */
static struct frame frame_of(const struct cpu_cost *cost)
{
	struct done done = { .own.cpu = *cost, .clock.drift = NAN };
	struct frame frame;

	frame = encode_done(&done);
	return frame;
}

static int decode(const struct frame *frame, struct done *done,
		  struct error *err)
{
	*done = (struct done){ 0 };
	*err = (struct error){ 0 };
	return decode_done(frame, done, err);
}

TEST(test_there_and_back)
{
	struct frame frame = frame_of(&sample);
	struct error err;
	struct done got;

	assert_int_equal(decode(&frame, &got, &err), 0);
	assert_int_equal(got.own.cpu.ns, sample.ns);
	assert_memory_equal(&got.own.cpu.process, &sample.process,
			    sizeof(sample.process));
	assert_int_equal(got.own.cpu.host_busy_ns, sample.host_busy_ns);
	assert_int_equal(got.own.cpu.host_ns, sample.host_ns);
	assert_int_equal(got.own.cpu.stolen_ns, sample.stolen_ns);
	assert_int_equal(got.own.cpu.interrupts, sample.interrupts);
	assert_int_equal(got.own.cpu.n_threads, 2);
	for (uint32_t t = 0; t < 2; t++) {
		assert_int_equal(got.own.cpu.threads[t].cpu, threads[t].cpu);
		assert_memory_equal(&got.own.cpu.threads[t].use,
				    &threads[t].use,
				    sizeof(threads[t].use));
		assert_int_equal(got.own.cpu.threads[t].loop_ns,
				 threads[t].loop_ns);
		assert_int_equal(got.own.cpu.threads[t].on_cpu_ns,
				 threads[t].on_cpu_ns);
	}
	done_free(&got);
	assert_null(got.own.cpu.threads);
	assert_int_equal(got.own.cpu.ns, 0);
	frame_free(&frame);
}

TEST(test_not_read_is_not_sent)
{
	struct cpu_cost none = { 0 };
	struct frame frame = frame_of(&none), full = frame_of(&sample);
	struct error err;
	struct done got;

	/* id, flags, name, length; the value; of both fields */
	assert_int_equal(full.length, frame.length + (2 + 1 + 2 + 3 + 4) +
					      8 * 8 + 4 + 2 * (4 + 4 * 8) +
					      (2 + 1 + 2 + 6 + 4) +
					      8 + 4 + 2 * (2 * 8));
	assert_int_equal(decode(&frame, &got, &err), 0);
	assert_int_equal(got.own.cpu.ns, 0);
	done_free(&got);
	frame_free(&frame);
	frame_free(&full);
}

TEST(test_bytes)
{
	static const uint8_t wanted[] = {
		0, 2, 1, 0, 3, 'c', 'p', 'u', 0, 0, 0, 104,
		0, 0, 0, 0, 0, 0, 0, 9,
		0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2,
		0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4,
		0x10, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 5,
		0, 0, 0, 1, 0, 0, 0, 3,
		0, 0, 0, 0, 0, 0, 0, 11, 0, 0, 0, 0, 0, 0, 0, 12,
		0, 0, 0, 0, 0, 0, 0, 13, 0, 0, 0, 0, 0, 0, 0, 14,
		0, 6, 1, 0, 6, 'o', 'n', '-', 'c', 'p', 'u', 0, 0, 0, 28,
		0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
		0, 0, 0, 0, 0, 0, 0, 60, 0, 0, 0, 0, 0, 0, 0, 27,
	};
	const struct cpu_cost cost = { 9, { 1, 2, 3, 4 }, UNKNOWN, UNKNOWN,
				       UNKNOWN, 5, 1, threads };
	struct frame frame = frame_of(&cost);

	assert_non_null(memmem(frame.bytes + WIRE_HEADER_SIZE, frame.length,
			       wanted, sizeof(wanted)));
	frame_free(&frame);
}

/* Left out, with TEXT in the sentence; NULL: taken. */
static void check(const struct cpu_cost *cost, const char *text)
{
	struct frame frame = frame_of(cost);
	struct error err;
	struct done got;

	assert_int_equal(decode(&frame, &got, &err), 0);
	if (text)
		assert_contains(error_text(&got.implausible), text);
	else
		assert_string_equal(got.implausible.message, "");
	assert_int_equal(got.own.cpu.ns, text ? 0 : cost->ns);
	done_free(&got);
	frame_free(&frame);
}

/* The same of the times on a CPU, of which the first thread has one. */
static void check_on_cpu(const struct cpu_cost *cost, const char *text)
{
	struct frame frame = frame_of(cost);
	struct error err;
	struct done got;

	assert_int_equal(decode(&frame, &got, &err), 0);
	if (text)
		assert_contains(error_text(&got.implausible), text);
	else
		assert_string_equal(got.implausible.message, "");
	assert_int_equal(got.own.cpu.ns, cost->ns);
	assert_int_equal(got.own.cpu.n_threads, cost->n_threads);
	assert_int_equal(got.own.cpu.threads[0].loop_ns,
			 text ? 0 : cost->threads[0].loop_ns);
	assert_true(!text || got.own.cpu.stolen_ns == UNKNOWN);
	done_free(&got);
	frame_free(&frame);
}

#define PART(field) offsetof(struct cpu_cost, field)

TEST(test_each_value)
{
	static const struct {
		size_t offset;
		uint64_t value;
		const char *text;
	} rows[] = {
		{ PART(ns), UNKNOWN - 1, NULL },
		{ PART(ns), UNKNOWN, "DONE with time between readings" },
		{ PART(ns), UINT64_MAX, "time between readings" },
		{ PART(ns), 1, "user time 900000000: expected 0 to 65536" },
		{ PART(process.user_ns), 2000000000ULL << 16, NULL },
		{ PART(process.user_ns), (2000000000ULL << 16) + 1,
		  "user time" },
		{ PART(process.system_ns), 2000000000ULL << 16, NULL },
		{ PART(process.system_ns), UINT64_MAX, "system time" },
		{ PART(process.voluntary), UNKNOWN - 1, NULL },
		{ PART(process.voluntary), UNKNOWN, "voluntary switches" },
		{ PART(process.involuntary), UNKNOWN - 1, NULL },
		{ PART(process.involuntary), UNKNOWN,
		  "involuntary switches" },
		{ PART(host_busy_ns), 8000000000, NULL },
		{ PART(host_busy_ns), 8000000001,
		  "busy time of all CPUs 8000000001: expected 0 to 8000000000" },
		{ PART(host_busy_ns), UNKNOWN, "busy time of all CPUs" },
		{ PART(host_ns), UNKNOWN, "busy time of all CPUs" },
		{ PART(host_ns), UNKNOWN + 1, "time of all CPUs" },
		{ PART(interrupts), UNKNOWN, NULL },
		{ PART(interrupts), UNKNOWN + 1, "interrupts" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct cpu_cost cost = sample;

		*(uint64_t *)((char *)&cost + rows[i].offset) = rows[i].value;
		check(&cost, rows[i].text);
	}
}

#define THREAD(field) offsetof(struct cpu_thread, use.field)

TEST(test_each_value_of_a_thread)
{
	static const struct {
		size_t offset;
		const char *text;
	} rows[] = {
		{ THREAD(user_ns), "user time" },
		{ THREAD(system_ns), "system time" },
		{ THREAD(voluntary), "voluntary switches" },
		{ THREAD(involuntary), "involuntary switches" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct cpu_thread one = threads[0];
		struct cpu_cost cost = sample;
		uint64_t *value = (uint64_t *)((char *)&one + rows[i].offset);

		cost.n_threads = 1;
		cost.threads = &one;
		*value = UNKNOWN;
		check(&cost, NULL);
		*value = UNKNOWN + 1;
		check(&cost, rows[i].text);
	}
}

/* What a peer says of its threads' time on a CPU is left out alone, if it
 * cannot be. */
TEST(test_each_time_on_a_cpu)
{
	static const struct {
		size_t offset;
		uint64_t value;
		const char *text;
	} rows[] = {
		{ offsetof(struct cpu_thread, loop_ns), 27, NULL },
		{ offsetof(struct cpu_thread, loop_ns), 26, "time on a CPU" },
		{ offsetof(struct cpu_thread, loop_ns), UNKNOWN,
		  "time of a loop" },
		{ offsetof(struct cpu_thread, on_cpu_ns), 60, NULL },
		{ offsetof(struct cpu_thread, on_cpu_ns), 61,
		  "time on a CPU 61: expected 0 to 60" },
		{ offsetof(struct cpu_thread, on_cpu_ns), UINT64_MAX,
		  "time on a CPU" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct cpu_thread one = threads[0];
		struct cpu_cost cost = sample;

		cost.n_threads = 1;
		cost.threads = &one;
		*(uint64_t *)((char *)&one + rows[i].offset) = rows[i].value;
		check_on_cpu(&cost, rows[i].text);
	}
}

TEST(test_stolen_time)
{
	struct cpu_cost cost = sample;

	cost.stolen_ns = UNKNOWN;
	check_on_cpu(&cost, NULL);
	cost.stolen_ns = cost.host_ns + 1;
	check_on_cpu(&cost, "stolen time of all CPUs");
	cost = sample;
	cost.host_ns = cost.host_busy_ns = UNKNOWN;
	cost.stolen_ns = UNKNOWN + 1;
	check_on_cpu(&cost, "stolen time of all CPUs");
}

TEST(test_number_of_threads)
{
	struct cpu_thread many[CPUS_MAX + 1] = { { 0 } };
	struct cpu_cost cost = sample;

	cost.threads = many;
	cost.n_threads = 0;
	check(&cost, NULL);
	cost.n_threads = CPUS_MAX;
	check(&cost, NULL);
	cost.n_threads = CPUS_MAX + 1;
	check(&cost, "number of loops 65: expected 0 to 64");
}

/* A value that ends too early, wherever. */
TEST(test_truncation)
{
	struct frame full = frame_of(&sample);
	struct error err;
	struct done got;

	for (uint32_t length = 0; length < full.length; length++) {
		struct frame frame = frame_of(&sample);

		frame.length = length;
		assert_int_equal(decode(&frame, &got, &err), -EPROTO);
		assert_true(error_is_set(&err));
		done_free(&got);
		frame_free(&frame);
	}
	frame_free(&full);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_figures),
	cmocka_unit_test(test_figures_that_are_not_known),
	cmocka_unit_test(test_there_and_back),
	cmocka_unit_test(test_not_read_is_not_sent),
	cmocka_unit_test(test_bytes),
	cmocka_unit_test(test_each_value),
	cmocka_unit_test(test_each_value_of_a_thread),
	cmocka_unit_test(test_each_time_on_a_cpu),
	cmocka_unit_test(test_stolen_time),
	cmocka_unit_test(test_number_of_threads),
	cmocka_unit_test(test_truncation),
};

TEST_MAIN(tests, 20)
