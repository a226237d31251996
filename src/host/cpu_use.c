/* Reads CPU times and context switches from the kernel. */
#include "config.h"
#include "host/cpu_use.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/numbers.h"
#include "base/sysfs.h"
#include "base/time.h"
#include "base/xalloc.h"

/* Columns of /proc/stat and of /proc/.../stat that matter here; see proc(5). */
enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, MACHINE_COLUMNS };
#define STIME_AFTER_NAME 13	/* words from the name's end to stime */

static uint64_t ns_of(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * SECOND + (uint64_t)t->tv_usec * 1000;
}

static struct cpu_use use_of(int who)
{
	struct rusage usage;

	/* fails only for a WHO that it does not know */
	getrusage(who, &usage);
	return (struct cpu_use){
		.user_ns = ns_of(&usage.ru_utime),
		.system_ns = ns_of(&usage.ru_stime),
		.voluntary = (uint64_t)usage.ru_nvcsw,
		.involuntary = (uint64_t)usage.ru_nivcsw,
	};
}

struct cpu_use cpu_use_process(void)
{
	return use_of(RUSAGE_SELF);
}

struct cpu_use cpu_use_thread(void)
{
	return use_of(RUSAGE_THREAD);
}

struct cpu_task cpu_task_self(void)
{
	struct cpu_task task = {
		.id = (pid_t)syscall(SYS_gettid)
	};

	if (pthread_getcpuclockid(pthread_self(), &task.clock))
		task.id = 0;
	return task;
}

static uint64_t ns_per_tick(void)
{
	return SECOND / (uint64_t)sysconf(_SC_CLK_TCK);
}

/* The system time of a task, in ns, as far as it is known. */
static uint64_t system_time(pid_t id)
{
	unsigned long long ticks = 0;
	char line[1024];
	const char *at;

	sysfs_read(line, sizeof(line), "/proc/self/task/%d/stat", (int)id);
	/* the name is the thread's own and may have blanks and brackets */
	at = strrchr(line, ')');
	for (int i = 0; at && i < STIME_AFTER_NAME; i++)
		at = strchr(at + 1, ' ');
	if (at)
		ticks = strtoull(at, NULL, 10);
	return ticks * ns_per_tick();
}

static uint64_t read_switches(pid_t id, const char *kind)
{
	char text[32], *end;
	uint64_t n;

	sysfs_find(text, sizeof(text), kind, "/proc/self/task/%d/status",
		   (int)id);
	n = strtoull(text, &end, 10);
	return end == text ? CPU_UNKNOWN : n;
}

struct cpu_use cpu_use_task(const struct cpu_task *task)
{
	struct cpu_use use = { CPU_UNKNOWN, CPU_UNKNOWN, CPU_UNKNOWN,
			       CPU_UNKNOWN };
	struct timespec used;
	uint64_t ns;

	if (!task->id || clock_gettime(task->clock, &used))
		return use;
	ns = (uint64_t)used.tv_sec * SECOND + (uint64_t)used.tv_nsec;
	use.system_ns = smaller(system_time(task->id), ns);
	use.user_ns = ns - use.system_ns;
	use.voluntary = read_switches(task->id, "voluntary_ctxt_switches:");
	use.involuntary = read_switches(task->id,
					"nonvoluntary_ctxt_switches:");
	return use;
}

static uint64_t difference(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

static uint64_t known_difference(uint64_t before, uint64_t after)
{
	if (before == CPU_UNKNOWN || after == CPU_UNKNOWN)
		return CPU_UNKNOWN;
	return difference(before, after);
}

struct cpu_use cpu_use_between(const struct cpu_use *before,
			       const struct cpu_use *after)
{
	struct cpu_use use = {
		.user_ns = CPU_UNKNOWN,
		.system_ns = known_difference(before->system_ns,
					      after->system_ns),
		.voluntary = known_difference(before->voluntary,
					      after->voluntary),
		.involuntary = known_difference(before->involuntary,
						after->involuntary),
	};
	uint64_t ns;

	if (use.system_ns == CPU_UNKNOWN)
		return use;
	/* the sum is exact, but the kernel may have read its parts at another
	 * time, or corrected them */
	ns = difference(before->user_ns + before->system_ns,
			after->user_ns + after->system_ns);
	use.system_ns = smaller(use.system_ns, ns);
	use.user_ns = ns - use.system_ns;
	return use;
}

struct machine_use cpu_use_machine(void)
{
	unsigned long long c[MACHINE_COLUMNS];
	uint64_t sum = 0;
	char line[256];

	if (!sysfs_read(line, sizeof(line), "/proc/stat") ||
	    sscanf(line, "cpu %llu %llu %llu %llu %llu %llu %llu %llu",
		   &c[USER], &c[NICE], &c[SYSTEM], &c[IDLE], &c[IOWAIT],
		   &c[IRQ], &c[SOFTIRQ], &c[STEAL]) != MACHINE_COLUMNS)
		return (struct machine_use){ CPU_UNKNOWN, CPU_UNKNOWN,
					     CPU_UNKNOWN };
	for (int i = 0; i < MACHINE_COLUMNS; i++)
		sum += c[i];
	return (struct machine_use){
		.all_ns = sum * ns_per_tick(),
		.busy_ns = (sum - c[IDLE] - c[IOWAIT]) * ns_per_tick(),
		.stolen_ns = c[STEAL] * ns_per_tick(),
	};
}

uint64_t cpu_throttles(void)
{
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);
	uint64_t sum = CPU_UNKNOWN, times;

	for (long i = 0; i < cpus; i++)
		if (sysfs_count(&times, "/sys/devices/system/cpu/cpu%ld/"
				"thermal_throttle/core_throttle_count", i))
			sum = (sum == CPU_UNKNOWN ? 0 : sum) + times;
	return sum;
}

/* Interrupt numbers are far smaller. */
#define NUMBERS 65536

/* The vectors of a device. */
struct vectors {
	bool any;
	bool mine[NUMBERS];
};

/* A sysfs_visitor. */
static void note_vector(const char *name, void *into)
{
	struct vectors *vectors = into;
	unsigned long number = strtoul(name, NULL, 10);

	if (name[strspn(name, "0123456789")] || number >= NUMBERS)
		return;
	vectors->any = vectors->mine[number] = true;
}

/* The sum of the counts at the beginning of TEXT, one for each CPU; a name
 * follows them. */
static uint64_t sum_counts(const char *text)
{
	uint64_t sum = 0;
	char *end;

	for (text += strspn(text, " "); isdigit((unsigned char)*text);
	     text = end + strspn(end, " ")) {
		sum += strtoull(text, &end, 10);
		if (*end != ' ')
			break;
	}
	return sum;
}

/* "  45:   1000    23   PCI-MSI-0000:01:00.0 1-edge  mlx5_comp0@pci:..." */
static uint64_t sum_lines(FILE *file, const bool mine[NUMBERS])
{
	char *line = NULL, *end;
	uint64_t sum = 0;
	size_t size = 0;

	while (getline(&line, &size, file) >= 0) {
		unsigned long number = strtoul(line, &end, 10);

		if (end != line && *end == ':' && number < NUMBERS &&
		    mine[number])
			sum += sum_counts(end + 1);
	}
	free(line);
	return sum;
}

uint64_t interrupts_of(const char *device)
{
	struct vectors *vectors = xcalloc(1, sizeof(*vectors));
	uint64_t sum = CPU_UNKNOWN;
	char path[SYSFS_PATH_SIZE];
	FILE *file = NULL;

	sysfs_list(note_vector, vectors,
		   "/sys/class/infiniband/%s/device/msi_irqs", device);
	sysfs_path(path, "/proc/interrupts");
	if (vectors->any)
		file = fopen(path, "re");
	if (file) {
		sum = sum_lines(file, vectors->mine);
		fclose(file);
	}
	free(vectors);
	return sum;
}
