/* Writes what people read on stderr, a line at a time. */
#include "config.h"
#include "base/log.h"

#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/plain.h"
#include "base/time.h"

/* Clears the line on a terminal. */
#define CLEAR "\r\033[K"

/* Of lines that strangers can cause so many are printed at once, and after that
 * one in each period: some 16 MB a day at most. */
#define STRANGERS_AT_ONCE 100
#define STRANGERS_PERIOD SECOND

/* Bytes of a line, and of what is missing before it. */
#define LINE_SIZE 1500
#define MISSING_SIZE 192

static enum log_level threshold = LOG_INFO;
static const char *name = "verbsperf";
static const char *subject;
static bool progress_shown;
static bool details_shown;
/* Lines block until stderr takes them. */
static bool waits = true;
/* stderr, or the same file reopened for non-blocking writes. */
static int log_fd = STDERR_FILENO;
/* Of this process, or of a server and its children together. */
static struct shared {
	_Atomic uint64_t unwritten;	/* lines that stderr did not take */
	_Atomic uint64_t left_out;	/* lines beyond the limit of strangers */
	_Atomic uint64_t due;		/* when the lines of strangers so far
					 * would have been due, one a period */
} of_this_process, *shared = &of_this_process;
/* The lines of this process are those of a stranger, and so many of them have
 * been printed. */
static bool limited;
static uint64_t n_limited;

/* Write TEXT, at most PIPE_BUF bytes, without blocking.  Returns true if stderr
 * took all of it; a pipe takes all or nothing. */
static bool write_at_once(const char *text)
{
	struct pollfd fd = { .fd = log_fd, .events = POLLOUT };
	size_t length = strlen(text);

	/* the write may still block if another process fills stderr first */
	if (log_fd == STDERR_FILENO && poll(&fd, 1, 0) != 1)
		return false;
	return descriptors_write(log_fd, text, length) == (ssize_t)length;
}

static bool put(const char *text)
{
	return waits ? fputs(text, stderr) >= 0 : write_at_once(text);
}

static void clear_progress(void)
{
	if (progress_shown)
		put(CLEAR);
	progress_shown = false;
}

void log_never_wait(void)
{
	void *memory = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory != MAP_FAILED)
		shared = memory;
	log_fd = descriptors_reopen(STDERR_FILENO);
	waits = false;
}

void log_wait(void)
{
	waits = true;
}

void log_set_name(const char *new_name)
{
	name = new_name;
}

void log_set_subject(const char *who)
{
	subject = who;
}

void log_set_level(enum log_level level)
{
	threshold = level;
}

void log_begin_stranger(void)
{
	limited = true;
	n_limited = 0;
}

void log_end_stranger(void)
{
	limited = false;
}

void log_trust(void)
{
	if (limited)
		atomic_fetch_sub(&shared->due, n_limited * STRANGERS_PERIOD);
	limited = false;
}

/* Count one more line of a stranger, unless there are too many. */
static bool is_within_limit(void)
{
	const uint64_t now = time_now();
	uint64_t due = atomic_load(&shared->due), next;

	do {
		next = (due > now ? due : now) + STRANGERS_PERIOD;
		if (next > now + STRANGERS_AT_ONCE * STRANGERS_PERIOD)
			return false;
	} while (!atomic_compare_exchange_weak(&shared->due, &due, next));
	n_limited++;
	return true;
}

/* What is missing before this line: UNWRITTEN and LEFT_OUT lines. */
static void say_missing(char text[MISSING_SIZE], uint64_t unwritten,
			uint64_t left_out)
{
	int n = 0;

	text[0] = '\0';
	if (unwritten)
		n = snprintf(text, MISSING_SIZE, "%s: warning: %llu "
			     "line%s could not be written here\n", name,
			     (unsigned long long)unwritten,
			     unwritten > 1 ? "s" : "");
	if (left_out)
		snprintf(text + n, (size_t)(MISSING_SIZE - n),
			 "%s: and %llu more line%s of clients that were not "
			 "served\n", name, (unsigned long long)left_out,
			 left_out > 1 ? "s" : "");
}

/* Write LINE behind what is missing before it. */
static void put_line(const char *line)
{
	const uint64_t unwritten = atomic_exchange(&shared->unwritten, 0);
	const uint64_t left_out = atomic_exchange(&shared->left_out, 0);
	char missing[MISSING_SIZE], text[LINE_SIZE + MISSING_SIZE];

	say_missing(missing, unwritten, left_out);
	snprintf(text, sizeof(text), "%s%s", missing, line);
	clear_progress();
	if (!text[0] || put(text))
		return;
	atomic_fetch_add(&shared->unwritten, unwritten + (line[0] != 0));
	atomic_fetch_add(&shared->left_out, left_out);
}

void log_tell_left_out(void)
{
	if (threshold >= LOG_ERROR)
		put_line("");
}

/* One buffer and one write, so that lines of two processes do not mix.  The
 * warning about missing lines appears where they are missing. */
void log_line(enum log_level level, const char *prefix, const char *fmt, ...)
{
	char text[1200], line[LINE_SIZE];
	va_list ap;

	if (threshold < level)
		return;
	if (limited && !is_within_limit()) {
		atomic_fetch_add(&shared->left_out, 1);
		return;
	}
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	snprintf(line, sizeof(line), "%s: %s%s%s%s\n", name,
		 subject ? subject : "", subject ? ": " : "", prefix,
		 plain_line(text));
	put_line(line);
}

void log_show_details(void)
{
	details_shown = true;
}

void log_error(const struct error *err)
{
	const char *detail = details_shown || !err->detail[0] ?
				     err->detail :
				     "--verbose shows what was wrong";

	log_line(LOG_ERROR, "error: ", "%s%s%s%s%s", err->message,
		 err->advice[0] ? "; " : "", err->advice,
		 detail[0] ? "; " : "", detail);
}

void log_peer_error(const char *peer, const struct error *err)
{
	log_info("the %s says: %s%s%s", peer, err->message,
		 err->advice[0] ? "; " : "", err->advice);
}

void log_text(const char *text)
{
	if (threshold < LOG_INFO)
		return;
	clear_progress();
	fputs(text, stderr);
}

/* Clear any progress without blocking.  Returns false if stderr takes nothing
 * now. */
static bool clear_at_once(void)
{
	if (progress_shown && !write_at_once(CLEAR))
		return false;
	progress_shown = false;
	return true;
}

bool log_text_now(const char *text)
{
	if (threshold < LOG_INFO)
		return true;
	return strlen(text) <= PIPE_BUF && clear_at_once() &&
	       write_at_once(text);
}

void log_row(const char *text)
{
	if (threshold >= LOG_INFO)
		write_at_once(text);
}

void log_progress(const char *text)
{
	if (threshold >= LOG_INFO && clear_at_once() && text)
		progress_shown = write_at_once(text);
}
