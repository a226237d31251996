/* Counts the system calls of a thread by tracing it, and the firmware commands
 * that mlx5 counts. */
#include "config.h"
#include "host/call_counter.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/sysfs.h"
#include "base/time.h"
#include "base/xalloc.h"

#ifndef PTRACE_GET_SYSCALL_INFO	/* the kernel's, in glibc since 2.31 */
#define PTRACE_GET_SYSCALL_INFO 0x420e
#define PTRACE_SYSCALL_INFO_ENTRY 1
struct __ptrace_syscall_info {
	uint8_t op, more[23];
	struct { uint64_t nr; } entry;
};
#endif

/* The numbers of system calls are below this. */
#define NUMBERS 512
/* The tracer answers within microseconds, on a busy machine a little later. */
#define TRACER_TIMEOUT (2 * SECOND)

/* What the tracer and the program share. */
struct shared {
	_Atomic int state;	/* of the tracer: WAITING, ... or an errno */
	_Atomic bool stop;	/* let the thread go */
	_Atomic uint64_t calls;
	_Atomic uint64_t numbered[NUMBERS];
};

enum { WAITING = 0, COUNTING = -1, DONE = -2 };

struct call_counter {
	struct shared *shared;
	int fd;			/* takes the thread to be traced */
	pid_t tracer;
	uint64_t before, after;
	uint64_t numbered[NUMBERS];	/* before; then, of the window */
};

static const struct {
	long number;
	const char *name;
} names[] = {
	{ SYS_ioctl, "ioctl" },
	{ SYS_write, "write" },
	{ SYS_read, "read" },
	{ SYS_mmap, "mmap" },
	{ SYS_munmap, "munmap" },
	{ SYS_madvise, "madvise" },
	{ SYS_brk, "brk" },
	{ SYS_close, "close" },
	{ SYS_openat, "openat" },
	{ SYS_futex, "futex" },
	{ SYS_mprotect, "mprotect" },
	{ SYS_ppoll, "ppoll" },
	{ SYS_sendto, "sendto" },
	{ SYS_recvfrom, "recvfrom" },
	{ SYS_getrandom, "getrandom" },
#ifdef SYS_poll
	{ SYS_poll, "poll" },
#endif
};

/* True for a reading of a clock.  Where the clock is no vDSO, this program
 * itself makes such a call around each part of an operation; elsewhere no
 * reading is a call. */
static bool reads_clock(uint64_t number)
{
#ifdef SYS_clock_gettime64
	if (number == SYS_clock_gettime64)
		return true;
#endif
	return number == SYS_clock_gettime;
}

static void note_call(struct shared *l, pid_t thread)
{
	struct __ptrace_syscall_info info = { 0 };

	if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof(info), &info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_ENTRY || reads_clock(info.entry.nr))
		return;
	atomic_fetch_add(&l->calls, 1);
	if (info.entry.nr < NUMBERS)
		atomic_fetch_add(&l->numbered[info.entry.nr], 1);
}

/* The signal to pass on for STATUS of the stopped thread. */
static long signal_of(struct shared *l, pid_t thread, int status)
{
	const int number = WSTOPSIG(status);

	if (number == (SIGTRAP | 0x80)) {
		note_call(l, thread);
		return 0;
	}
	/* a stop that ptrace itself made */
	return status >> 16 ? 0 : number;
}

static int attach(pid_t thread)
{
	int status;

	if (ptrace(PTRACE_SEIZE, thread, 0, PTRACE_O_TRACESYSGOOD) ||
	    ptrace(PTRACE_INTERRUPT, thread, 0, 0))
		return errno;
	if (waitpid(thread, &status, __WALL) < 0)
		return errno;
	return ptrace(PTRACE_SYSCALL, thread, 0, 0) ? errno : 0;
}

/* Count the calls of THREAD until it sets stop and makes one more. */
static int trace(struct shared *l, pid_t thread)
{
	int status, ret = attach(thread);

	if (ret)
		return ret;
	atomic_store(&l->state, COUNTING);
	for (;;) {
		long number;

		if (waitpid(thread, &status, __WALL) < 0 ||
		    !WIFSTOPPED(status))
			return ESRCH;
		if (atomic_load(&l->stop)) {
			ptrace(PTRACE_DETACH, thread, 0, 0);
			return DONE;
		}
		number = signal_of(l, thread, status);
		if (ptrace(PTRACE_SYSCALL, thread, 0, number))
			return errno;
	}
}

/* The tracer process: traces one thread after the other. */
static void serve(struct shared *l, int fd, pid_t parent)
{
	pid_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	while (read(fd, &thread, sizeof(thread)) == sizeof(thread))
		atomic_store(&l->state, trace(l, thread));
	_exit(0);
}

static int start(struct call_counter *c)
{
	pid_t parent = getpid();
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	c->tracer = fork();
	if (c->tracer == 0) {
		close(fds[1]);
		serve(c->shared, fds[0], parent);
	}
	close(fds[0]);
	c->fd = fds[1];
	if (c->tracer > 0)
		return 0;
	close(fds[1]);
	return -EAGAIN;
}

struct call_counter *call_counter_open(void)
{
	struct call_counter *c = xcalloc(1, sizeof(*c));

	c->shared = mmap(NULL, sizeof(*c->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (c->shared != MAP_FAILED && !start(c)) {
		/* a kernel may allow only parents to trace (Yama) */
		prctl(PR_SET_PTRACER, c->tracer, 0, 0, 0);
		return c;
	}
	if (c->shared != MAP_FAILED)
		munmap(c->shared, sizeof(*c->shared));
	free(c);
	return NULL;
}

void call_counter_close(struct call_counter *c)
{
	if (!c)
		return;
	close(c->fd);
	kill(c->tracer, SIGKILL);
	waitpid(c->tracer, NULL, 0);
	munmap(c->shared, sizeof(*c->shared));
	free(c);
}

/* Wait until the tracer leaves STATE; returns its next one. */
static int wait_while(struct call_counter *c, int state)
{
	static const struct timespec pause = { .tv_nsec = 100000 };
	const uint64_t deadline = time_after(TRACER_TIMEOUT);
	int now;

	while ((now = atomic_load(&c->shared->state)) == state &&
	       time_until(deadline))
		nanosleep(&pause, NULL);
	return now;
}

static void note(struct call_counter *c, uint64_t *calls)
{
	*calls = atomic_load(&c->shared->calls);
	for (int i = 0; i < NUMBERS; i++)
		c->numbered[i] =
			atomic_load(&c->shared->numbered[i]) - c->numbered[i];
}

int call_counter_begin(struct call_counter *c, char reason[120])
{
	const pid_t thread = (pid_t)syscall(SYS_gettid);
	int state;

	atomic_store(&c->shared->stop, false);
	atomic_store(&c->shared->state, WAITING);
	memset(c->numbered, 0, sizeof(c->numbered));
	if (write(c->fd, &thread, sizeof(thread)) != sizeof(thread))
		state = EPIPE;
	else
		state = wait_while(c, WAITING);
	if (state == COUNTING) {
		note(c, &c->before);
		return 0;
	}
	/* in case it traces only now */
	atomic_store(&c->shared->stop, true);
	snprintf(reason, 120, "the thread cannot be traced: %s",
		 strerror(state > 0 ? state : ETIMEDOUT));
	return state > 0 ? -state : -ETIMEDOUT;
}

void call_counter_end(struct call_counter *c)
{
	note(c, &c->after);
	atomic_store(&c->shared->stop, true);
	/* the tracer sees the next call */
	wait_while(c, COUNTING);
}

static const char *name_of(int number, char text[32])
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i].number == number)
			return names[i].name;
	snprintf(text, 32, "system call %d", number);
	return text;
}

/* Put what was called CALLS times among the most frequent ones. */
static void rank(struct control_calls *list, const char *name, uint64_t calls)
{
	uint32_t at = list->n;

	while (at && list->named[at - 1].calls < calls)
		at--;
	if (at == CONTROL_NAMES_MAX)
		return;
	if (list->n < CONTROL_NAMES_MAX)
		list->n++;
	memmove(&list->named[at + 1], &list->named[at],
		(list->n - 1 - at) * sizeof(*list->named));
	snprintf(list->named[at].name, sizeof(list->named[at].name), "%s",
		 name);
	list->named[at].calls = calls;
}

void call_counter_read(const struct call_counter *c,
		       struct control_calls *calls)
{
	char text[32];

	calls->calls = c->after - c->before;
	for (int i = 0; i < NUMBERS; i++)
		if (c->numbered[i])
			rank(calls, name_of(i, text), c->numbered[i]);
}

/* Commands to firmware: mlx5 knows some 200. */
#define COMMANDS 512

struct command {
	char name[32];
	uint64_t n;
	uint64_t ns;		/* of all of them */
};

struct firmware_counts {
	const char *folder;	/* only while they are read */
	uint32_t n;
	struct command commands[COMMANDS];
};

static void read_command(const char *name, void *into)
{
	struct firmware_counts *counts = into;
	struct command *c = &counts->commands[counts->n];
	uint64_t average = 0;

	if (counts->n == COMMANDS ||
	    !sysfs_count(&c->n, "%s/%s/n", counts->folder, name))
		return;
	sysfs_count(&average, "%s/%s/average", counts->folder, name);
	c->ns = c->n * average;
	snprintf(c->name, sizeof(c->name), "%.31s", name);
	counts->n++;
}

struct firmware_counts *firmware_read(const char *name)
{
	struct firmware_counts *counts = xcalloc(1, sizeof(*counts));
	char device[SYSFS_PATH_SIZE], folder[SYSFS_PATH_SIZE];

	sysfs_resolve(device, "/sys/class/infiniband/%s/device", name);
	snprintf(folder, sizeof(folder),
		 "/sys/kernel/debug/mlx5/%.64s/commands", sysfs_name(device));
	counts->folder = folder;
	if (device[0])
		sysfs_list(read_command, counts, "%s", folder);
	counts->folder = NULL;
	if (counts->n)
		return counts;
	free(counts);
	return NULL;
}

static const struct command *find(const struct firmware_counts *counts,
				  const char *name)
{
	for (uint32_t i = 0; i < counts->n; i++)
		if (!strcmp(counts->commands[i].name, name))
			return &counts->commands[i];
	return NULL;
}

bool firmware_between(const struct firmware_counts *before,
		      const struct firmware_counts *after,
		      struct control_calls *calls)
{
	if (!before || !after) {
		snprintf(calls->reason, sizeof(calls->reason),
			 "the driver does not tell (debugfs of mlx5, as root)");
		return false;
	}
	for (uint32_t i = 0; i < after->n; i++) {
		const struct command *c = &after->commands[i];
		const struct command *old = find(before, c->name);
		const uint64_t n = c->n - (old ? old->n : 0);

		calls->calls += n;
		calls->ns += n ? c->ns - (old ? old->ns : 0) : 0;
		if (n)
			rank(calls, c->name, n);
	}
	return true;
}
