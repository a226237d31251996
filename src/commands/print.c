/* See print.h. */
#include "config.h"

#include "base/log.h"
#include "commands/print.h"
#include "commands/status.h"
#include "report/report.h"

int command_print(char *text)
{
	struct error err = { 0 };

	if (!report_print("-", text, &err))
		return EXIT_MEASURED;
	log_error(&err);
	return EXIT_FAILED;
}
