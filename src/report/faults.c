/* The faults that --inject knows, for people and for verbsperf-selftest. */
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

/* What stands in the row of C, or of the headings if it is NULL. */
static void print_short(FILE *out, const struct inject_case *c)
{
	/* the longest names in front of it */
	fprintf(out, "%-22s %-9s %s\n", c ? c->name : "case",
		c ? c->test : "test", c ? c->what : "what is wrong");
}

char *report_faults_short(void)
{
	char *text = NULL;
	FILE *out = xmemstream(&text);

	print_short(out, NULL);
	for (unsigned int i = INJECT_NOTHING + 1; i < INJECT_COUNT; i++)
		print_short(out, inject_find(i));
	fclose(out);
	return text;
}
