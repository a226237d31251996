/*
 * The only writer of stderr.  One call makes one line, in one write(2), which
 * waits until it is taken unless something else is said.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

#include "base/error.h"

enum log_level {
	LOG_QUIET,	/* nothing at all: the other end of --loopback */
	LOG_ERROR,
	LOG_INFO,
};

/* What is printed from now on; LOG_INFO at the start. */
void log_set_level(enum log_level level);

/*
 * From now on no line waits for who reads stderr, in this process and in those
 * that it starts: a server must go on.  Lines that stderr does not take at once
 * are counted, by all of them together, and the next line that it takes comes
 * after one that says how many are missing.
 */
void log_never_wait(void);

/* In a process that keeps nobody waiting any more: its lines wait again. */
void log_wait(void);

/* WHO every line is about from now on, kept by reference; NULL: nobody in
 * particular. */
void log_set_subject(const char *who);

/* The failure that ended a run, with its advice, as one line. */
void log_error(const struct error *err);

/* What the PEER ("client", "server") says of a failure of its own. */
void log_peer_error(const char *peer, const struct error *err);

/* Something the user should know that ends nothing. */
void log_warning(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* What a server is doing, and the like. */
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * For the monitor, which must not wait: what stderr would not take at once (a
 * pager that pauses, a full pipe) is left out.
 *
 * TEXT as it is, a line; or, for a terminal, TEXT without an end of line in
 * place of what was shown so before, where NULL only takes that away.
 */
void log_row(const char *text);
void log_progress(const char *text);

/* TEXT as it is: the table, when stdout belongs to a machine format. */
void log_text(const char *text);

/* The same, but it does not wait: false, and nothing is written, when stderr
 * would not take all of TEXT at once. */
bool log_text_now(const char *text);

#endif
