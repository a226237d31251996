#include "config.h"
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int report_check_path(const char *path, struct error *err)
{
	FILE *out;

	if (!strcmp(path, "-"))
		return 0;
	out = fopen(path, "a");
	if (!out)
		return fail(err, -errno, NULL, "cannot write %s: %s", path,
			    strerror(errno));
	fclose(out);
	return 0;
}

int report_write(const char *path, const char *text, struct error *err)
{
	bool to_stdout = !strcmp(path, "-");
	FILE *out = to_stdout ? stdout : fopen(path, "w");
	int errnum = 0;

	if (!out)
		return fail(err, -errno, NULL, "cannot write %s: %s", path,
			    strerror(errno));
	if (fputs(text, out) == EOF || fflush(out) == EOF)
		errnum = errno;
	if (!to_stdout && fclose(out) == EOF && !errnum)
		errnum = errno;
	if (!errnum)
		return 0;
	return fail(err, -errnum, NULL, "cannot write %s: %s",
		    to_stdout ? "to stdout" : path, strerror(errnum));
}
