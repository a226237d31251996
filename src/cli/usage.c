/* Builds the text of --help from the parameter table. */
#include "config.h"
#include "cli/usage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/param.h"
#include "model/tests.h"
#include "net/wire.h"

/* Column where an option's help text begins. */
#define HELP_COLUMN 30

static const char head[] =
	"Usage: verbsperf TEST [options] SERVER      run TEST against a server\n"
	"       verbsperf TEST [options] --loopback  both ends here\n"
	"       verbsperf TEST [options]             serve one client, then exit\n"
	"       verbsperf serve [--once] [options]   serve clients until stopped\n"
	"       verbsperf CONTROL [options]          a test of the control path\n"
	"       verbsperf devices [options]          devices, ports and GIDs\n"
	"       verbsperf watch [options]            their events, until stopped\n"
	"       verbsperf check [options]            what slows this host down\n"
	"       verbsperf calibrate [options]        what measuring costs here\n"
	"       verbsperf faults                     faults of verbsperf-selftest\n"
	"\n"
	"TEST: ";

static const char tail[] =
	"\n"
	"BYTES take K, M or G; SECONDS take ms, s, m or h.  The client decides:\n"
	"a server needs none of the options that shape the traffic.\n"
	"Exit status: 0 measured, 1 failed, 2 usage, 3 a limit was not met, 4 wrong\n"
	"data.  See verbsperf(1).\n";

static void print_option(FILE *out, char letter, const char *name,
			 const char *argument, bool optional, const char *help)
{
	char left[64];
	int used;

	if (letter)
		used = snprintf(left, sizeof(left), "  -%c, --%s", letter, name);
	else
		used = snprintf(left, sizeof(left), "      --%s", name);
	if (argument)
		snprintf(left + used, sizeof(left) - (size_t)used, "%s%s%s",
			 optional ? "[=" : " ", argument, optional ? "]" : "");
	if (strlen(left) >= HELP_COLUMN)
		fprintf(out, "%s\n%*s%s\n", left, HELP_COLUMN, "", help);
	else
		fprintf(out, "%-*s%s\n", HELP_COLUMN, left, help);
}

static void print_row(FILE *out, const struct param *row)
{
	char help[128];

	if (row->initial && strcmp(row->initial, "auto") != 0)
		snprintf(help, sizeof(help), "%s [%s]", row->help,
			 row->initial);
	else
		snprintf(help, sizeof(help), "%s", row->help);
	print_option(out, row->letter, row->name, row->argument,
		     row->implied != NULL, help);
}

static void print_group(FILE *out, enum param_group group)
{
	fprintf(out, "\n%s:\n", param_group_heading(group));
	for (size_t i = 0; i < param_count; i++)
		if (param_table[i].group == group &&
		    !(param_table[i].who & PARAM_HIDDEN))
			print_row(out, &param_table[i]);
}

static void print_tests(FILE *out)
{
	char tests[128];

	fprintf(out, "%s%s\n", head, test_list(tests, sizeof(tests)));
	fputs("CONTROL, without a server but for connect:\n", out);
	for (int i = CONTROL_NONE + 1; i < CONTROL_TESTS; i++)
		fprintf(out, "  %-12s%s\n",
			control_name((enum control_test)i),
			control_what((enum control_test)i));
}

char *options_usage(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	print_tests(out);
	for (int group = 0; group < GROUPS; group++)
		print_group(out, (enum param_group)group);
	fputs("\nOther:\n", out);
	print_option(out, 'h', "help", NULL, false, "this text");
	print_option(out, 'V', "version", NULL, false,
		     "version of the program and its protocol");
	fputs(tail, out);
	fclose(out);
	return text;
}

char *options_version(void)
{
	char *text;

	if (asprintf(&text, "%s %s, protocol %d\n", PACKAGE_NAME,
		     PACKAGE_VERSION, WIRE_PROTOCOL) < 0)
		return NULL;
	return text;
}
