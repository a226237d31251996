/* Builds the text of --help from the parameter table. */
#include "config.h"
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

#include "base/xalloc.h"
#include "cli/commands.h"
#include "model/plan.h"
#include "net/wire.h"

/* Column where an option's help text begins. */
#define HELP_COLUMN 30

static const char first_steps[] =
	"verbsperf measures RDMA: the bandwidth and latency between two hosts.\n"
	"\n"
	"  verbsperf serve                  on one host: wait for clients\n"
	"  verbsperf write_bw node1         on another: bandwidth to node1\n"
	"  verbsperf write_lat -s 64 node1  latency of messages of 64 bytes\n"
	"\n"
	"Tests: ";

static const char more[] =
	"One end alone: devices, check, calibrate, and tests such as reg_mr\n"
	"\n"
	"'verbsperf TEST --help' has the options of a test, 'verbsperf --help' all;\n"
	"verbsperf(1) says what each means and how it is measured.\n";

static const char examples[] =
	"Examples: verbsperf serve                         wait for clients\n"
	"          verbsperf write_bw node1                bandwidth to node1\n"
	"          verbsperf write_lat -s 2..4K node1      latency of 12 sizes\n"
	"          verbsperf send_bw -q 4 --json=x node1   results as JSON\n"
	"\n";

static const char head[] =
	"Usage: verbsperf TEST [options] SERVER      run TEST against a server\n"
	"       verbsperf TEST [options] --loopback  both ends here\n"
	"       verbsperf TEST [options]             serve one client, then exit\n"
	"       verbsperf serve [--once] [options]   serve clients until stopped\n"
	"       verbsperf CONTROL [options]          a test of the control path\n"
	"       verbsperf devices [options]          devices, ports and GIDs\n"
	"       verbsperf check [options]            what slows this host down\n"
	"       verbsperf calibrate [options]        what measuring costs here\n"
	"       verbsperf faults                     faults of verbsperf-selftest\n"
	"\n"
	"TEST: ";

static const char tail[] =
	"\n"
	"BYTES take K, M, G or T (of 1,024), SECONDS and US ns to h, GBPS units such\n"
	"as Gb/s or GB/s; N may be 0x68 or 1e6, and of -n 5M, of thousands.\n"
	"The client decides: a server needs none of the options that shape the\n"
	"traffic.\n"
	"Exit status: 0 measured, 1 failed, 2 usage, 3 a limit was not met, 4 wrong\n"
	"data.  See verbsperf(1).\n";

static void print_option(FILE *out, char letter, const char *name,
			 const char *argument, bool optional, const char *help)
{
	char left[81] = "     ";

	if (letter)
		snprintf(left, sizeof(left), "  -%c,", letter);
	text_append(left, sizeof(left), " --%s", name);
	if (argument)
		text_append(left, sizeof(left), "%s%s%s",
			    optional ? "[=" : " ", argument,
			    optional ? "]" : "");
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

/* True when help on O's topic has ROW. */
static bool is_shown(const struct options *o, const struct param *row)
{
	const struct plan *plan = &o->params.plan;

	if (row->who & PARAM_HIDDEN)
		return false;
	if (o->topic == COMMAND_HELP)
		return true;
	if (plan->control)
		return param_suits(row, plan->control);
	if (o->topic != COMMAND_CLIENT)
		return row->who & command_row_of(o->topic)->who;
	return row->who & PARAM_CLIENT &&
	       param_use(row, plan->op, plan->metric) != '-';
}

static void print_group(FILE *out, const struct options *o,
			enum param_group group)
{
	const char *heading = param_groups[group].heading;

	for (size_t i = 0; i < param_count; i++) {
		if (param_table[i].group != group ||
		    !is_shown(o, &param_table[i]))
			continue;
		if (heading)
			fprintf(out, "\n%s:\n", heading);
		heading = NULL;
		print_row(out, &param_table[i]);
	}
}

static void print_tests(FILE *out)
{
	char tests[128];

	fprintf(out, "%s%s%s\n", examples, head,
		test_list(tests, sizeof(tests)));
	fputs("CONTROL, without a server but for connect:\n", out);
	for (int i = CONTROL_NONE + 1; i < CONTROL_TESTS; i++)
		fprintf(out, "  %-12s%s\n", control_table[i].name,
			control_table[i].what);
}

/* Print how the command of O's topic is called. */
static void print_call(FILE *out, const struct options *o)
{
	const struct command_row *row = command_row_of(o->topic);
	const char *name = row ? row->name : test_name_of(&o->params.plan);

	if (row || o->topic == COMMAND_CONTROL) {
		fprintf(out, "Usage: verbsperf %s [options]\n", name);
		return;
	}
	fprintf(out, "Usage: verbsperf %s [options] SERVER      run it against "
		"a server\n       verbsperf %s [options] --loopback  both ends "
		"here\n", name, name);
}

static void print_options(FILE *out, const struct options *o)
{
	if (o->topic == COMMAND_HELP)
		print_tests(out);
	else
		print_call(out, o);
	for (enum param_group group = 0; group < GROUPS; group++)
		print_group(out, o, group);
	fputs("\nOther:\n", out);
	print_option(out, 'h', "help", NULL, false, "this text");
	print_option(out, 'V', "version", NULL, false,
		     "version of the program and its protocol");
	fputs(tail, out);
}

char *options_usage(const struct options *o)
{
	char *text = NULL, tests[128];
	FILE *out = xmemstream(&text);

	if (o->topic == COMMAND_NONE)
		fprintf(out, "%s%s\n%s", first_steps,
			test_list(tests, sizeof(tests)), more);
	else
		print_options(out, o);
	fclose(out);
	return text;
}

char *options_version(void)
{
	char *text;

	return xcheck(asprintf(&text, "%s %s, protocol %d\n", PACKAGE_NAME,
			       PACKAGE_VERSION, WIRE_PROTOCOL) < 0 ?
			      NULL : text);
}
