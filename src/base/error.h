/*
 * What went wrong, in words: filled in by the first function that knows the
 * cause, carried up unchanged, printed once, told to the peer in ABORT and
 * written into the JSON report.  Pure functions can so explain themselves
 * without printing.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>
#include <stdint.h>

struct error {
	char stage[24];		/* what was going on: "connect", "plan", ... */
	char code[48];		/* ENODEV, IBV_WC_RETRY_EXC_ERR, ... */
	char message[400];	/* what was tried, on what, why it failed */
	char advice[320];	/* what the user can do; may be empty */
	bool from_peer;		/* the other end's failure, as it told us */
};

/*
 * Note that STAGE begins.  Later calls of fail() are attributed to it.  An
 * error already recorded keeps the stage it happened in.
 */
void error_stage(struct error *err, const char *stage);

/*
 * Record a failure: RET is a negative errno, ADVICE may be NULL, FMT and what
 * follows make the message (one sentence, no newline, no final full stop).
 * Only the first failure is kept: what comes later is its consequence.
 * Returns RET, so that a caller can write "return fail(...)"; -EIO should RET
 * not be negative.
 */
int fail(struct error *err, int ret, const char *advice, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * The same for a failure that has a name of its own (a completion status):
 * CODE takes the place of errno's.
 */
int fail_code(struct error *err, int ret, const char *code, const char *advice,
	      const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* True once fail() was called on ERR. */
bool error_is_set(const struct error *err);

/* Make ERR empty, for the next client of a server. */
void error_clear(struct error *err);

#endif
