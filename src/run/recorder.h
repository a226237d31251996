/*
 * Every sample into a file, as --samples asks: a thread that empties the ring
 * into which the loop puts them.
 */
#ifndef RUN_RECORDER_H
#define RUN_RECORDER_H

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
	double factor;		/* from a sample to what is reported */
	uint64_t size;
	uint64_t first;		/* ticks when the first sample began */
	pthread_t thread;
	_Atomic bool stop;
};

/*
 * Open PATH anew: text when its name ends in .csv, else records of 24 bytes,
 * little-endian: u64 size of the messages, f64 seconds since the window opened
 * at which the sample began, f64 the sample in us, as it is reported.
 * Returns 0, or a negative errno, said in ERR.
 */
int recorder_open(const char *path, struct recorder **recorder,
		  struct error *err);

/* Record one size.  Returns 0 or a negative errno, said in ERR. */
int recorder_start(struct recorder *r, const struct clock *clock,
		   double factor, uint64_t size, struct error *err);

/* The loop is over: write the rest.  Returns how many samples found no room in
 * the ring, and so are not in the file. */
uint64_t recorder_stop(struct recorder *r);

/* Close the file; NULL is fine.  Returns 0, or a negative errno when not all
 * could be written, said in ERR. */
int recorder_close(struct recorder *r, struct error *err);

#endif
