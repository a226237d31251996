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
