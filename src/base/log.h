/*
 * The only writer of stderr.  One call writes one line, in one write(2), and
 * blocks until stderr takes it unless stated otherwise.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"

enum log_level {
	LOG_QUIET,	/* nothing at all: the other end of --loopback */
	LOG_ERROR,
	LOG_INFO,
	LOG_DETAIL,	/* --verbose */
};

/* Set which messages are printed from now on; initially LOG_INFO. */
void log_set_level(enum log_level level);

/*
 * From now on no line blocks on stderr, in this process and in its children: a
 * server must go on.  Lines that stderr does not take at once are counted, for
 * all these processes together, and the next line that it takes follows one
 * that tells how many are missing.
 */
void log_never_wait(void);

/* Undo log_never_wait() for this process, when blocking holds up nobody. */
void log_wait(void);

/* Begin every line from now on with NAME, which is kept by reference, instead
 * of "verbsperf". */
void log_set_name(const char *name);

/*
 * The lines of this process that follow are about a client that may be anybody,
 * until log_end_stranger(): a stranger must not fill the log of a server.  All
 * processes of the server together print a hundred such lines at once, and then
 * one each second.  The line after those that were left out, of whatever kind,
 * tells how many they are.
 */
void log_begin_stranger(void);
void log_end_stranger(void);

/* The client is no stranger any more: its lines are printed, and those since
 * log_begin_stranger(), also by the parent of this process, do not count. */
void log_trust(void);

/* Tell now how many lines were left out, if there are any: a server ends. */
void log_tell_left_out(void);

/* Prefix every line from now on with WHO, which is kept by reference; NULL: no
 * prefix. */
void log_set_subject(const char *who);

/* From now on log_error() shows details, too, and no longer which option shows
 * them. */
void log_show_details(void);

/* Print the failure that ended a run, with its advice, as one line. */
void log_error(const struct error *err);

/* Print a failure that the PEER ("client", "server") reported. */
void log_peer_error(const char *peer, const struct error *err);

/* Print PREFIX and what FMT and its arguments say, at LEVEL and above. */
void log_line(enum log_level level, const char *prefix, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Print a problem that does not end the run. */
#define log_warning(...) log_line(LOG_ERROR, "warning: ", __VA_ARGS__)

/* Print information, such as a server's activity. */
#define log_info(...) log_line(LOG_INFO, "", __VA_ARGS__)

/* Print what only --verbose asks for. */
#define log_detail(...) log_line(LOG_DETAIL, "", __VA_ARGS__)

/*
 * For the monitor, which must not block: text that stderr does not take at once
 * (a paused pager, a full pipe) is dropped.
 *
 * log_row() writes the line TEXT as it is.  log_progress() is for a terminal:
 * it replaces the previous progress by TEXT, which has no newline; NULL only
 * removes it.
 */
void log_row(const char *text);
void log_progress(const char *text);

/* Write TEXT as it is: the table, when stdout carries a machine format. */
void log_text(const char *text);

/* As log_text(), without blocking.  Returns false, with nothing written, when
 * stderr does not take all of TEXT at once. */
bool log_text_now(const char *text);
