/* The faults that --inject knows, for scripts/verbsperf-selftest. */
#include "config.h"
#include "report/report.h"

#include <stdio.h>

#include "base/xalloc.h"
#include "model/inject.h"

char *report_faults(void)
{
	char *text = NULL;
	FILE *out = xmemstream(&text);

	fputs("case\tnumbers\ttest\toptions\twhat\trequester\tresponder\n",
	      out);
	for (unsigned int i = INJECT_NOTHING + 1; i < INJECT_COUNT; i++) {
		const struct inject_case *c = inject_find(i);

		fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c->name,
			c->numbers, c->test, c->options, c->what,
			c->requester, c->responder);
	}
	fclose(out);
	return text;
}
