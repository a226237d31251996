#include "config.h"
#include "base/log.h"

#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static enum log_level threshold = LOG_INFO;
static const char *subject;
static bool progress_shown;

/* Back to the start of an empty line, if there is progress on it. */
static void clear_progress(void)
{
	if (progress_shown)
		fputs("\r\033[K", stderr);
	progress_shown = false;
}

void log_set_subject(const char *who)
{
	subject = who;
}

void log_set_level(enum log_level level)
{
	threshold = level;
}

static void print(const char *prefix, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

/* One buffer and one fputs: lines of two processes do not mix. */
static void print(const char *prefix, const char *fmt, va_list ap)
{
	char text[900], line[1100];

	vsnprintf(text, sizeof(text), fmt, ap);
	snprintf(line, sizeof(line), "verbsperf: %s%s%s%s\n",
		 subject ? subject : "", subject ? ": " : "", prefix, text);
	clear_progress();
	fputs(line, stderr);
}

static void print_error(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

static void print_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print("error: ", fmt, ap);
	va_end(ap);
}

void log_error(const struct error *err)
{
	if (threshold < LOG_ERROR)
		return;
	print_error("%s%s%s", err->message, err->advice[0] ? "; " : "",
		    err->advice);
}

void log_peer_error(const char *peer, const struct error *err)
{
	log_info("the %s says: %s%s%s", peer, err->message,
		 err->advice[0] ? "; " : "", err->advice);
}

void log_warning(const char *fmt, ...)
{
	va_list ap;

	if (threshold < LOG_ERROR)
		return;
	va_start(ap, fmt);
	print("warning: ", fmt, ap);
	va_end(ap);
}

void log_info(const char *fmt, ...)
{
	va_list ap;

	if (threshold < LOG_INFO)
		return;
	va_start(ap, fmt);
	print("", fmt, ap);
	va_end(ap);
}

void log_text(const char *text)
{
	if (threshold < LOG_INFO)
		return;
	clear_progress();
	fputs(text, stderr);
}

/* A pipe that polls as writable takes a line of this length at once. */
static bool takes_text(void)
{
	struct pollfd fd = { .fd = STDERR_FILENO, .events = POLLOUT };

	return threshold >= LOG_INFO && poll(&fd, 1, 0) == 1 &&
	       fd.revents & POLLOUT;
}

bool log_text_now(const char *text)
{
	if (threshold >= LOG_INFO && (strlen(text) > PIPE_BUF || !takes_text()))
		return false;
	log_text(text);
	return true;
}

void log_row(const char *text)
{
	if (takes_text())
		fputs(text, stderr);
}

void log_progress(const char *text)
{
	if (!takes_text())
		return;
	clear_progress();
	if (text)
		fputs(text, stderr);
	progress_shown = text;
}
