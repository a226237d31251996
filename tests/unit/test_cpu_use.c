/* CPU time, context switches and interrupts: those of this process, and what
 * made-up files of the kernel say. */
#include "config.h"
#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

#include "base/time.h"
#include "host/cpu_use.h"
#include "made_up_host.h"

#define UNKNOWN CPU_UNKNOWN

static uint64_t sum(const struct cpu_use *use)
{
	return use->user_ns + use->system_ns;
}

/* Use about NS of CPU time. */
static void work(uint64_t ns)
{
	uint64_t before = 0, now = 0;
	struct cpu_use use = cpu_use_thread();

	for (before = sum(&use); now < before + ns; now = sum(&use))
		use = cpu_use_thread();
}

TEST(test_own_time)
{
	struct cpu_use process = cpu_use_process(), thread = cpu_use_thread();
	struct cpu_use after;

	work(SECOND / 20);
	after = cpu_use_process();
	after = cpu_use_between(&process, &after);
	assert_in_range(sum(&after), SECOND / 20, SECOND);
	after = cpu_use_thread();
	after = cpu_use_between(&thread, &after);
	assert_in_range(sum(&after), SECOND / 20, SECOND / 10);
}

static sem_t working, seen;

static void *worker(void *argument)
{
	*(struct cpu_task *)argument = cpu_task_self();
	work(SECOND / 20);
	sem_post(&working);
	sem_wait(&seen);
	return NULL;
}

TEST(test_another_thread)
{
	struct cpu_use before, after, used;
	struct cpu_task task;
	pthread_t thread;

	sysfs_set_root("");
	sem_init(&working, 0, 0);
	sem_init(&seen, 0, 0);
	assert_int_equal(pthread_create(&thread, NULL, worker, &task), 0);
	sem_wait(&working);
	before = cpu_use_task(&task);
	assert_in_range(sum(&before), SECOND / 20, SECOND / 10);
	assert_true(before.system_ns <= sum(&before));
	/* it waits, and so gives up its CPU */
	while (cpu_use_task(&task).voluntary == before.voluntary &&
	       before.voluntary == 0)
		sched_yield();
	after = cpu_use_task(&task);
	used = cpu_use_between(&before, &after);
	assert_true(sum(&used) < SECOND / 100);
	sem_post(&seen);
	pthread_join(thread, NULL);
	/* the kernel wakes who joins it before it forgets the thread */
	do
		used = cpu_use_task(&task);
	while (used.user_ns != UNKNOWN);
	assert_true(used.system_ns == UNKNOWN &&
		    used.voluntary == UNKNOWN && used.involuntary == UNKNOWN);
	sysfs_set_root(made_up_root);
}

TEST(test_no_thread_yet)
{
	const struct cpu_task none = { 0 };

	assert_true(cpu_use_task(&none).user_ns == UNKNOWN);
}

/* The files of the kernel for TASK. */
static void task_files(const struct cpu_task *task, const char *stat,
		       const char *status)
{
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/task/%d/stat", (int)task->id);
	host_file(name, stat);
	snprintf(name, sizeof(name), "/proc/self/task/%d/status",
		 (int)task->id);
	host_file(name, status);
}

TEST(test_what_the_kernel_tells_of_a_thread)
{
	const struct cpu_task self = cpu_task_self();
	struct cpu_use use;

	work(SECOND / 20);
	/* nothing: the sum comes from a clock */
	use = cpu_use_task(&self);
	assert_int_equal(use.system_ns, 0);
	assert_true(use.user_ns >= SECOND / 20);
	assert_true(use.voluntary == UNKNOWN && use.involuntary == UNKNOWN);
	task_files(&self, "7 (a) b (c) R 1 2 3 4 5 6 7 8 9 10 11 2 13\n",
		   "Name:\tx\nvoluntary_ctxt_switches:\t12\n"
		   "nonvoluntary_ctxt_switches:\t34\n");
	use = cpu_use_task(&self);
	assert_int_equal(use.system_ns,
			 2 * SECOND / (uint64_t)sysconf(_SC_CLK_TCK));
	assert_int_equal(use.voluntary, 12);
	assert_int_equal(use.involuntary, 34);
	/* more than all of it */
	task_files(&self, "7 (x) R 1 2 3 4 5 6 7 8 9 10 11 99999 13\n", "");
	use = cpu_use_task(&self);
	assert_int_equal(use.user_ns, 0);
	assert_true(use.system_ns >= SECOND / 20);
	task_files(&self, "7 (x) R 1 2\n", "voluntary_ctxt_switches:\tx\n");
	use = cpu_use_task(&self);
	assert_int_equal(use.system_ns, 0);
	assert_true(use.voluntary == UNKNOWN);
}

TEST(test_between)
{
	static const struct {
		struct cpu_use before, after, between;
	} rows[] = {
		{ { 10, 5, 3, 2 }, { 30, 6, 4, 9 }, { 20, 1, 1, 7 } },
		/* the kernel took some for user time at first */
		{ { 10, 5, 0, 0 }, { 8, 17, 0, 0 }, { 0, 10, 0, 0 } },
		{ { 10, 5, 0, 0 }, { 20, 4, 0, 0 }, { 9, 0, 0, 0 } },
		{ { 10, 5, 1, 0 }, { 9, 5, 0, 0 }, { 0, 0, 0, 0 } },
		{ { UNKNOWN, UNKNOWN, UNKNOWN, 1 }, { 1, 1, 1, 1 },
		  { UNKNOWN, UNKNOWN, UNKNOWN, 0 } },
		{ { 1, 1, 1, 1 }, { UNKNOWN, UNKNOWN, 1, UNKNOWN },
		  { UNKNOWN, UNKNOWN, 0, UNKNOWN } },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct cpu_use use = cpu_use_between(&rows[i].before,
						     &rows[i].after);

		assert_memory_equal(&use, &rows[i].between, sizeof(use));
	}
}

TEST(test_machine)
{
	static const struct {
		const char *text;
		bool ok;
		uint64_t busy, all, stolen;	/* ticks */
	} rows[] = {
		{ "cpu  1 2 4 8 16 32 64 128 256 512\ncpu0 1 2\n", true, 231,
		  255, 128 },
		{ "cpu  1 0 0 8 0 0 0 0\n", true, 1, 9, 0 },
		{ "cpu  1 2 4 8 16 32 64\n", false, 0, 0, 0 },
		{ "intr 1 2 4 8 16 32 64 128\n", false, 0, 0, 0 },
		{ "", false, 0, 0, 0 },
	};
	const uint64_t tick = SECOND / (uint64_t)sysconf(_SC_CLK_TCK);

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct machine_use use;

		host_file("/proc/stat", rows[i].text);
		use = cpu_use_machine();
		assert_int_equal(use.busy_ns, rows[i].ok ?
				 rows[i].busy * tick : UNKNOWN);
		assert_int_equal(use.all_ns, rows[i].ok ?
				 rows[i].all * tick : UNKNOWN);
		assert_int_equal(use.stolen_ns, rows[i].ok ?
				 rows[i].stolen * tick : UNKNOWN);
	}
}

static const char interrupts[] =
	"           CPU0       CPU1\n"
	"   0:        100          0   IO-APIC   2-edge      timer\n"
	"  45:       1000         23   PCI-MSI-0000:01:00.0   0-edge      "
	"mlx5_async0@pci:0000:01:00.0\n"
	"  46:          5          6   PCI-MSIX-0000:01:00.0 1-edge      "
	"mlx5_comp0@pci:0000:01:00.0\n"
	" 146:          7          7   PCI-MSIX-0000:02:00.0 1-edge      eth0\n"
	" NMI:          3          3   Non-maskable interrupts\n"
	" ERR:          9\n";

TEST(test_interrupts)
{
	const char *vectors = "/sys/class/infiniband/mlx5_0/device/msi_irqs/";
	char name[100];

	assert_true(interrupts_of("mlx5_0") == UNKNOWN);
	host_file("/proc/interrupts", interrupts);
	assert_true(interrupts_of("mlx5_0") == UNKNOWN);
	host_file("/sys/class/infiniband/rxe0/node_desc", "x\n");
	assert_true(interrupts_of("rxe0") == UNKNOWN);
	snprintf(name, sizeof(name), "%s45", vectors);
	host_file(name, "msix\n");
	assert_int_equal(interrupts_of("mlx5_0"), 1023);
	snprintf(name, sizeof(name), "%s46", vectors);
	host_file(name, "msix\n");
	snprintf(name, sizeof(name), "%s47", vectors);	/* not requested */
	host_file(name, "msix\n");
	snprintf(name, sizeof(name), "%s99999999999", vectors);
	host_file(name, "msix\n");
	snprintf(name, sizeof(name), "%s4x", vectors);
	host_file(name, "msix\n");
	assert_int_equal(interrupts_of("mlx5_0"), 1034);
	host_file("/proc/interrupts", "45: \n46:\n46: 12x 5\n45: 7\n45:1");
	assert_int_equal(interrupts_of("mlx5_0"), 12 + 7 + 1);
	host_file("/proc/interrupts", "");
	assert_int_equal(interrupts_of("mlx5_0"), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_own_time),
	cmocka_unit_test(test_another_thread),
	cmocka_unit_test(test_no_thread_yet),
	cmocka_unit_test(test_what_the_kernel_tells_of_a_thread),
	cmocka_unit_test(test_between),
	cmocka_unit_test(test_machine),
	cmocka_unit_test(test_interrupts),
};

TEST_FILE()
{
	alarm(patient(20));
	return cmocka_run_group_tests(tests, host_begin, host_end);
}
