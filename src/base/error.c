/* Records a failure once: its code, its sentence and what the user can do. */
#include "config.h"
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

void error_stage(struct error *err, const char *stage)
{
	if (error_is_set(err))
		return;
	snprintf(err->stage, sizeof(err->stage), "%s", stage);
}

const char *errno_name(int errnum)
{
#ifdef HAVE_STRERRORNAME_NP
	return strerrorname_np(errnum);
#else
#define E(name) [name] = #name
	static const char *const names[] = {
		E(EPERM), E(ENOENT), E(EINTR), E(EIO), E(ENXIO), E(EBADF),
		E(EAGAIN), E(ENOMEM), E(EACCES), E(EFAULT), E(EBUSY),
		E(EEXIST), E(ENODEV), E(EINVAL), E(ENFILE), E(EMFILE),
		E(ENOTTY), E(ENOSPC), E(EPIPE), E(ERANGE), E(ENOSYS),
		E(ENODATA), E(EPROTO), E(EBADMSG), E(EOVERFLOW), E(EMSGSIZE),
		E(EPROTONOSUPPORT), E(EOPNOTSUPP), E(EAFNOSUPPORT),
		E(EADDRINUSE), E(EADDRNOTAVAIL), E(ENETDOWN), E(ENETUNREACH),
		E(ECONNABORTED), E(ECONNRESET), E(ENOBUFS), E(EISCONN),
		E(ENOTCONN), E(ETIMEDOUT), E(ECONNREFUSED), E(EHOSTUNREACH),
		E(EREMOTEIO), E(ECANCELED),
	};

	return errnum >= 0 && (size_t)errnum < COUNT(names) ?
		names[errnum] : NULL;
#endif
}

/* Some verbs fail without an errno: never let that look like success. */
static int negative(int ret)
{
	return ret < 0 ? ret : -EIO;
}

__attribute__((format(printf, 4, 0)))
static void record(struct error *err, const char *code, const char *advice,
		   const char *fmt, va_list ap)
{
	if (error_is_set(err))
		return;
	vsnprintf(err->message, sizeof(err->message), fmt, ap);
	snprintf(err->code, sizeof(err->code), "%s", code);
	snprintf(err->advice, sizeof(err->advice), "%s", advice ? advice : "");
}

int fail(struct error *err, int ret, const char *advice, const char *fmt, ...)
{
	const char *name = errno_name(-negative(ret));
	va_list ap;

	if (!advice && ret == -EMFILE)
		advice = "raise the limit on open files (ulimit -n)";
	va_start(ap, fmt);
	record(err, name ? name : "EUNKNOWN", advice, fmt, ap);
	va_end(ap);
	return negative(ret);
}

int fail_advise(struct error *err, int ret, const char *fmt, ...)
{
	char text[sizeof(err->message) + sizeof(err->advice)], *advice;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	advice = strchr(text, '\n');
	if (advice)
		*advice++ = '\0';
	return fail(err, ret, advice, "%s", text);
}

int fail_errno(struct error *err, int errnum, const char *advice,
	       const char *fmt, ...)
{
	char what[sizeof(err->message)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return fail(err, -abs(errnum), advice, "%s: %s", what,
		    strerror(abs(errnum)));
}

int fail_code(struct error *err, int ret, const char *code, const char *advice,
	      const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	record(err, code, advice, fmt, ap);
	va_end(ap);
	return negative(ret);
}

bool error_is_set(const struct error *err)
{
	return err->message[0] != '\0';
}

void error_clear(struct error *err)
{
	memset(err, 0, sizeof(*err));
}
