/* Writes every sample to a file, as --samples asks: a thread empties the ring
 * that the loop fills. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "traffic/clock.h"
#include "traffic/samples.h"

struct recorder {
	FILE *out;
	const char *path;
	bool csv;
	int errnum;		/* of the first write that failed */
	struct sample_ring *ring;
	/* of one size */
	const struct clock *clock;
	double factor;		/* from a sample to the reported value */
	uint64_t size;
	uint64_t first;		/* ticks at the start of the first sample */
	pthread_t thread;
	_Atomic bool stop;
};

/* A record: u64 message size, f64 seconds from the opening of the window to the
 * start of the sample, f64 the sample in us, as reported; little-endian. */
#define RECORD_WORDS 3

/*
 * Create or truncate PATH: text when its name ends in .csv, else records.
 * Returns 0, or a negative errno, set in ERR.
 */
int recorder_open(const char *path, struct recorder **recorder,
		  struct error *err);

/* The path of a new file in memory, for records that are read again in this
 * process; static memory.  NULL, set in ERR, if there can be none. */
const char *recorder_memory(struct error *err);

/* Begin to record one size.  Returns 0 or a negative errno, set in ERR. */
int recorder_start(struct recorder *r, const struct clock *clock,
		   double factor, uint64_t size, struct error *err);

/* The loop is over: write the rest, so that it can be read.  Returns the number
 * of samples that found no room in the ring and are missing from the file. */
uint64_t recorder_stop(struct recorder *r);

/* Close the file; NULL is fine.  Returns 0, or a negative errno, set in ERR,
 * when some samples could not be written. */
int recorder_close(struct recorder *r, struct error *err);
