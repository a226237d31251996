/*
 * A failure in words.  The first function that knows the cause fills it in and
 * its callers pass it up unchanged.  It is printed once, sent to the peer in
 * ABORT and written into the JSON report.  So pure functions can explain a
 * failure without printing.
 */
#pragma once

#include <stdbool.h>

struct error {
	char stage[24];		/* stage of the run: "connect", "plan", ... */
	char code[48];		/* ENODEV, IBV_WC_RETRY_EXC_ERR, ... */
	char message[400];	/* what was tried, on what, why it failed */
	char advice[320];	/* what the user can do; may be empty */
	char detail[400];	/* only for --verbose: what exactly the peer
				 * sent; may be empty */
	bool from_peer;		/* the peer reported the failure */
};

/* "ENODEV" and so on; NULL if it has no name. */
const char *errno_name(int errnum);

/*
 * Begin STAGE: later calls of fail() are attributed to it.  An error already
 * recorded keeps its stage.
 */
void error_stage(struct error *err, const char *stage);

/*
 * Record a failure.  RET is a negative errno, ADVICE may be NULL (-EMFILE has
 * its own then), FMT and its arguments form the message (one sentence, no
 * newline, no final full stop).
 * Only the first failure is kept: later ones are its consequences.  Returns
 * RET, or -EIO if RET is not negative, so that a caller can write
 * "return fail(...)".
 */
int fail(struct error *err, int ret, const char *advice, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* As fail(), of a text whose second line, if there is one, is the advice: both
 * can have figures then. */
int fail_advise(struct error *err, int ret, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * As fail(), of a call that left or returned ERRNUM, an errno: its text ends
 * the message.  The sign does not matter, as some verbs return a positive errno
 * and others a negative one.
 */
int fail_errno(struct error *err, int errnum, const char *advice,
	       const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/*
 * As fail(), for a failure with its own name, such as a completion status: CODE
 * replaces the name of the errno.
 */
int fail_code(struct error *err, int ret, const char *code, const char *advice,
	      const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* True once fail() was called on ERR. */
bool error_is_set(const struct error *err);

/* Make ERR empty, for the next client of a server. */
void error_clear(struct error *err);
