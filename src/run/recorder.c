/* Writes every latency sample to a file while the test runs (--samples). */
#include "config.h"
#include "run/recorder.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"

#define RING_SIZE (1 << 17)
#define BATCH 1024

static uint64_t little_endian(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return htole64(bits);
}

/* Write a sample of US that began AT seconds after the first one. */
static void write_record(struct recorder *r, double at, double us)
{
	const uint64_t words[] = {
		htole64(r->size), little_endian(at), little_endian(us),
	};
	bool failed;

	if (r->csv)
		failed = fprintf(r->out, "%llu,%.9f,%.4f\n",
				 (unsigned long long)r->size, at, us) < 0;
	else
		failed = fwrite(words, sizeof(words), 1, r->out) != 1;
	if (failed && !r->errnum)
		r->errnum = errno;
}

/* Write a batch of samples; false if there was none. */
static bool drain(struct recorder *r)
{
	struct sample batch[BATCH];
	uint64_t n = samples_take(r->ring, batch, BATCH);
	double ns;

	if (!n)
		return false;
	if (!r->first)
		r->first = batch[0].start;
	ns = clock_ns_per_tick(r->clock);
	for (uint64_t i = 0; i < n && !r->errnum; i++) {
		uint64_t since = batch[i].start - r->first;

		write_record(r, (double)since * ns / 1e9,
			     (double)batch[i].ticks * ns * r->factor / 1000);
	}
	return true;
}

static void *record(void *argument)
{
	static const struct timespec pause = { .tv_nsec = 1000000 };
	struct recorder *r = argument;
	bool stop;

	pthread_setname_np(pthread_self(), "recorder");
	do {
		stop = atomic_load(&r->stop);
		while (drain(r))
			;
		if (!stop)
			nanosleep(&pause, NULL);
	} while (!stop);
	return NULL;
}

static int cannot_write(const struct recorder *r, int errnum, struct error *err)
{
	return fail_errno(err, errnum, errnum == EINVAL || errnum == ENXIO ?
				  "give a file, not a pipe" : NULL,
			  "cannot write samples to %s", r->path);
}

/* Open PATH without blocking, because a pipe's reader must not hold up the
 * run. */
static int open_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC |
		      O_NONBLOCK | O_CLOEXEC, 0666);
	struct stat status;

	if (fd < 0 || (!fstat(fd, &status) && !S_ISFIFO(status.st_mode) &&
		       !S_ISSOCK(status.st_mode)))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

const char *recorder_memory(struct error *err)
{
	static char path[40];
	int fd = memfd_create("samples", MFD_CLOEXEC);

	if (fd < 0) {
		fail_errno(err, errno, NULL, "cannot keep samples in memory");
		return NULL;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

int recorder_open(const char *path, struct recorder **recorder,
		  struct error *err)
{
	struct recorder *r = xcalloc(1, sizeof(*r));
	const char *end = strrchr(path, '.');
	int fd = open_file(path), ret;

	r->path = path;
	r->csv = end && !strcmp(end, ".csv");
	r->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!r->out) {
		ret = cannot_write(r, errno, err);
		free(r);
		return ret;
	}
	if (r->csv && fputs("size,at_s,us\n", r->out) == EOF)
		r->errnum = errno;
	r->ring = xcalloc_lines(1, sizeof(*r->ring));
	r->ring->size = RING_SIZE;
	r->ring->entries = xcalloc_lines(RING_SIZE, sizeof(struct sample));
	*recorder = r;
	return 0;
}

int recorder_start(struct recorder *r, const struct clock *clock,
		   double factor, uint64_t size, struct error *err)
{
	int ret;

	r->clock = clock;
	r->factor = factor;
	r->size = size;
	r->first = 0;
	atomic_store(&r->stop, false);
	atomic_store(&r->ring->dropped, 0);
	ret = pthread_create(&r->thread, NULL, record, r);
	if (ret)
		return fail_errno(err, ret, NULL,
				  "cannot start a thread for --samples");
	return 0;
}

uint64_t recorder_stop(struct recorder *r)
{
	atomic_store(&r->stop, true);
	pthread_join(r->thread, NULL);
	/* flushed, because a report may read the samples before the file is
	 * closed */
	if (fflush(r->out) == EOF && !r->errnum)
		r->errnum = errno;
	return atomic_load(&r->ring->dropped);
}

int recorder_close(struct recorder *r, struct error *err)
{
	int ret = 0;

	if (!r)
		return 0;
	if (fclose(r->out) == EOF && !r->errnum)
		r->errnum = errno;
	if (r->errnum)
		ret = cannot_write(r, r->errnum, err);
	free(r->ring->entries);
	free(r->ring);
	free(r);
	return ret;
}
