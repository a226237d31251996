/* The lines of standard error. */
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

/* Clears the line on a terminal. */
#define CLEAR "\r\033[K"

static enum log_level threshold = LOG_INFO;
static const char *name = "verbsperf";
static const char *subject;
static bool progress_shown;
static bool details_shown;
/* Lines block until stderr takes them. */
static bool waits = true;
/* stderr, or the same file reopened for non-blocking writes. */
static int log_fd = STDERR_FILENO;
/* Lines that stderr did not take, from this process, or from a server and its
 * children together. */
static _Atomic uint64_t of_this_process;
static _Atomic uint64_t *unwritten = &of_this_process;

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
	void *shared = mmap(NULL, sizeof(*unwritten), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared != MAP_FAILED)
		unwritten = shared;
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

/* One buffer and one write, so that lines of two processes do not mix.  The
 * warning about missing lines appears where they are missing. */
void log_line(enum log_level level, const char *prefix, const char *fmt, ...)
{
	char text[1200], before[96] = "", line[1500];
	uint64_t n;
	va_list ap;

	if (threshold < level)
		return;
	n = atomic_exchange(unwritten, 0);
	if (n)
		snprintf(before, sizeof(before), "%s: warning: %llu line%s "
			 "could not be written here\n", name,
			 (unsigned long long)n, n > 1 ? "s" : "");
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	snprintf(line, sizeof(line), "%s%s: %s%s%s%s\n", before, name,
		 subject ? subject : "", subject ? ": " : "", prefix, text);
	clear_progress();
	if (!put(line))
		atomic_fetch_add(unwritten, n + 1);
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
