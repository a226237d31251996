#include "config.h"
#include "preflight/check.h"

#include <stdarg.h>
#include <stdio.h>

void preflight_print(char text[PREFLIGHT_CELL], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, PREFLIGHT_CELL, fmt, ap);
	va_end(ap);
}

bool check_fact_known(const struct ends *ends)
{
	const enum fact fact = ends->check->fact;

	return facts_known(end_facts(ends, true), fact) ||
	       (ends->server && facts_known(end_facts(ends, false), fact));
}

void check_show_fact(const struct ends *ends, bool client, char *text)
{
	facts_format(end_facts(ends, client), ends->check->fact, text,
		     PREFLIGHT_CELL);
}
