/* Turns a command line into struct options, by the table of options. */
#include "config.h"
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/perftest.h"
#include "cli/rules.h"
#include "cli/suggest.h"
#include "model/plan.h"

/* getopt_long() returns a letter, or LONG_OPTION + the row of param_table. */
#define LONG_OPTION 1000
/* It returns these for --dump-options and --help; -h is help in brief. */
#define DUMP_OPTION 999
#define HELP_OPTION 998

#define HELP_COMMAND "help"

struct parser {
	struct given given;
	bool help;
	bool brief;		/* -h: help in brief */
	bool version;
	bool dump;
	/* per row: word after an option given without a value */
	const char *behind[PARAMS_MAX];
	bool by_letter[PARAMS_MAX];	/* per row: given as "-t" */
	struct option longs[PARAMS_MAX + 4];
	char shorts[2 * PARAMS_MAX + sizeof(":hV")];
};

/* Build the arguments of getopt_long() from the table. */
static void build_tables(struct parser *p)
{
	static const struct option others[] = {
		{ "help", no_argument, NULL, HELP_OPTION },
		{ "version", no_argument, NULL, 'V' },
		{ "dump-options", no_argument, NULL, DUMP_OPTION },
		{ NULL, 0, NULL, 0 },
	};
	char *letter = stpcpy(p->shorts, ":hV");

	for (size_t i = 0; i < param_count; i++) {
		const struct param *row = &param_table[i];

		if (row->letter)
			*letter++ = row->letter;
		if (row->letter && row->argument)
			*letter++ = ':';
		p->longs[i] = (struct option){
			.name = row->name,
			.has_arg = !row->argument ? no_argument :
				   row->implied	  ? optional_argument :
						    required_argument,
			.val = LONG_OPTION + (int)i,
		};
	}
	memcpy(&p->longs[param_count], others, sizeof(others));
}

/* The row for VALUE from getopt_long(), and the option's name as the user sees
 * it. */
static const struct param *find_row(int value, char name[64])
{
	const struct param *row;

	if (value >= LONG_OPTION) {
		row = &param_table[value - LONG_OPTION];
		snprintf(name, 64, "--%s", row->name);
		return row;
	}
	snprintf(name, 64, "-%c", value);
	for (size_t i = 0; i < param_count; i++)
		if (param_table[i].letter == value)
			return &param_table[i];
	return NULL;
}

/* Report WORD, as the user wrote it: "--szie=64" is unknown, "--me" abbreviates
 * several options. */
static int bad_long_option(struct parser *p, const char *word)
{
	char name[64], advice[ADVICE_SIZE], list[ADVICE_SIZE] = "";
	bool begins = false;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
	for (size_t i = 0; p->longs[i].name; i++) {
		if (strncmp(p->longs[i].name, name + 2, strlen(name + 2)) != 0)
			continue;
		begins = true;
		if (i >= param_count || !(param_table[i].who & PARAM_HIDDEN))
			text_append(list, sizeof(list), "%s--%s",
				    *list ? ", " : "write one of ",
				    p->longs[i].name);
	}
	if (begins)
		return fail(p->given.err, -EINVAL,
			    strlen(list) < sizeof(list) - 1 ? list :
							      "see --help",
			    "option '%s' is ambiguous", name);
	return fail(p->given.err, -EINVAL, suggest_option(name + 2, advice),
		    "unknown option '%s'", name);
}

/* What an option that is no row of the table sets; NULL for others. */
static bool *show_of(struct parser *p, int value)
{
	return value == 'h' ? &p->brief :
	       value == HELP_OPTION ? &p->help :
	       value == 'V' ? &p->version :
	       value == DUMP_OPTION ? &p->dump : NULL;
}

/* Report a refused option.  WHY ':' means that its argument is missing. */
static int bad_option(struct parser *p, int why, char **argv)
{
	char name[64], advice[ADVICE_SIZE];
	const struct param *row;

	if (!optopt)
		return bad_long_option(p, argv[optind - 1]);
	row = find_row(optopt, name);
	if (why == ':' && row)
		return fail(p->given.err, -EINVAL, suggest_meaning(row->name),
			    "%s needs a value: %s", name, row->argument);
	/* "--help=x"; alone they would have been taken */
	if (show_of(p, optopt))
		snprintf(name, sizeof(name), "%.*s",
			 (int)strcspn(argv[optind - 1], "="), argv[optind - 1]);
	if (row || show_of(p, optopt))
		return fail(p->given.err, -EINVAL, NULL,
			    "%s takes no value", name);
	return fail(p->given.err, -EINVAL, suggest_letter((char)optopt, advice),
		    "unknown option '%s'", name);
}

/* --format openmetrics=FILE, as verbsperf-sweep has it, is --openmetrics=FILE:
 * a file beside the table.  Returns the row of what is meant, and its TEXT. */
static const struct param *find_meant(const struct param *row,
				      const char **text)
{
	const struct param *meant = param_find("openmetrics");
	const size_t length = strlen(meant->name);

	if (strcmp(row->name, "format") != 0 ||
	    strncmp(*text, meant->name, length) != 0 ||
	    !strchr("=", (*text)[length]))
		return row;
	*text = (*text)[length] ? *text + length + 1 : meant->implied;
	return meant;
}

static int take_option(struct parser *p, int value, const char *next)
{
	bool *show = show_of(p, value);
	const struct param *row;
	const char *meaning, *text;
	char name[64];
	int ret;

	if (show) {
		*show = true;
		return 0;
	}
	row = find_row(value, name);
	text = optarg ? optarg : row->implied;
	if (text)
		row = find_meant(row, &text);
	p->given.row[row - param_table] = true;
	p->by_letter[row - param_table] = value < LONG_OPTION;
	if (!optarg)
		p->behind[row - param_table] = next;
	if (row->kind == PARAM_FLAG) {
		param_set(&p->given.options->params, row, true);
		return 0;
	}
	ret = param_parse(&p->given.options->params, row, name, text,
			  p->given.err);
	meaning = suggest_meaning(row->name);
	/* "-s 64X" is no server's name */
	if (ret && meaning &&
	    (row->kind != PARAM_SIZES ||
	     !isdigit((unsigned char)optarg[*optarg == '-'])))
		snprintf(p->given.err->advice, sizeof(p->given.err->advice),
			 "%s", meaning);
	return ret;
}

/* Refuse the option that getopt_long() has just read if it has a meaning of its
 * own but begins another one: "--time" would be taken for --timeout. */
static int check_beginning(struct parser *p, int value, char **argv)
{
	const char *word = argv[optind - 1 - (optarg == argv[optind - 1])];
	char name[64];

	if (strncmp(word, "--", 2) != 0 ||
	    (value < LONG_OPTION && optopt && optopt < LONG_OPTION))
		return 0;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="),
		 word + 2);
	for (const struct option *o = p->longs; o->name; o++)
		if (!strcmp(o->name, name))
			return 0;
	return suggest_strange(name) ?
		       fail(p->given.err, -EINVAL, suggest_strange(name),
			    "unknown option '--%s'", name) : 0;
}

static int take_options(struct parser *p, int argc, char **argv)
{
	int value, ret = 0;

	optind = 0;
	opterr = 0;
	while (!ret) {
		value = getopt_long(argc, argv, p->shorts, p->longs, NULL);
		if (value == -1)
			break;
		ret = check_beginning(p, value, argv);
		if (!ret)
			ret = value == '?' || value == ':' ?
				      bad_option(p, value, argv) :
				      take_option(p, value, argv[optind]);
	}
	return ret;
}

/* True when WORD is a number, perhaps with a unit, as "4" or "10Gb/s" and
 * unlike "10.0.0.1". */
static bool is_amount(const char *word)
{
	const char *unit = word + decimal_length(word);

	while (isalpha((unsigned char)*unit) || *unit == '/' || *unit == '%')
		unit++;
	return isdigit((unsigned char)*word) && !*unit;
}

/* The row of an option that was given without a value and was followed by WORD,
 * which getopt takes for a separate word.  NULL: none, or one that takes no
 * value, and WORD does not look like one. */
static const struct param *row_before(const struct parser *p, const char *word)
{
	for (size_t i = 0; i < param_count; i++)
		if (p->behind[i] && p->behind[i] == word &&
		    (param_table[i].kind != PARAM_FLAG || is_amount(word)))
			return &param_table[i];
	return NULL;
}

/* Report that WORD was meant as the value of ROW. */
static int stands_apart(struct parser *p, const struct param *row,
			const char *word)
{
	if (row->kind == PARAM_FLAG)
		return fail(p->given.err, -EINVAL, suggest_meaning(row->name),
			    "--%s takes no value, and '%s' follows it",
			    row->name, word);
	return fail_advise(p->given.err, -EINVAL,
			   "--%s takes a value only with '='\n"
			   "write --%s=%s", row->name, row->name, word);
}

/* True when WORD looks like ROW's value rather than a server: a time, or a file
 * name that cannot be a host's. */
static bool is_value(const struct param *row, const char *word)
{
	static const char *const ends[] = { ".json", ".jsonl", ".csv", ".txt" };
	const char *end = strrchr(word, '.');
	uint64_t ns;

	if (row->kind == PARAM_TIME || row->kind == PARAM_TIMED_FLAG)
		return !units_parse_time(word, &ns);
	for (size_t i = 0; end && i < sizeof(ends) / sizeof(*ends); i++)
		if (!strcmp(end, ends[i]))
			return true;
	return strchr(word, '/') || !strcmp(word, "-");
}

/* Report the unknown test NAME; NEXT is the word behind it, NULL: none. */
static int unknown_test(struct parser *p, const char *name, const char *next)
{
	const struct param *row = row_before(p, name);
	char words[320] = "", advice[ADVICE_SIZE];

	if (row)
		return stands_apart(p, row, name);
	if (next && test_find(next, NULL, NULL))
		return fail(p->given.err, -EINVAL, "write the test first",
			    "'%s' is not a test", name);
	if (suggest_command(name, advice))
		return fail(p->given.err, -EINVAL, advice,
			    "'%s' is not a test", name);
	for (size_t i = 0; command_name(i); i++)
		text_append(words, sizeof(words), "%s%s", i ? " " : "",
			    command_name(i));
	return fail(p->given.err, -EINVAL, "see --help",
		    "'%s' is neither a test nor a command; expected %s", name,
		    words);
}

/* Report too many words: those of ARGV from NEXT on. */
static int too_many(struct parser *p, int argc, char **argv, int next)
{
	const struct options *o = p->given.options;
	char advice[ADVICE_SIZE] = "see --help";
	uint64_t size;

	for (int i = optind; i < argc; i++) {
		const struct param *row = row_before(p, argv[i]);

		if (row)
			return stands_apart(p, row, argv[i]);
	}
	if (o->command == COMMAND_SERVE && test_find(argv[next], NULL, NULL))
		snprintf(advice, sizeof(advice), "the client names the test");
	else if (o->command == COMMAND_SERVE)
		snprintf(advice, sizeof(advice), "'verbsperf TEST %.40s' "
			 "measures against that server; --bind is the address "
			 "to serve at", argv[next]);
	else if (o->command == COMMAND_CHECK)
		snprintf(advice, sizeof(advice), "'verbsperf write_bw --check "
			 "%.40s' compares both ends", argv[next]);
	if (o->server && o->params.plan.sizes.n &&
	    !units_parse_size(o->server, &size))
		return fail(p->given.err, -EINVAL,
			    "write sizes as one word: -s 64,4K",
			    "unexpected argument '%s'", o->server);
	if (o->server)
		return fail(p->given.err, -EINVAL, advice,
			    "unexpected argument '%s': %s takes one server, "
			    "and has '%s'", argv[next], argv[optind],
			    o->server);
	return fail(p->given.err, -EINVAL, advice,
		    "unexpected argument '%s': %s takes options only",
		    argv[next], argv[optind]);
}

/* Take the first of WORDS: a test, or another command. */
static int take_command(struct parser *p, char **words)
{
	const char *word = words[0];
	struct options *o = p->given.options;
	struct plan *plan = &o->params.plan;
	const struct command_row *row = command_find(word);

	plan->control = control_find(word);
	if (row)
		o->command = row->command;
	else if (test_find(word, &plan->op, &plan->metric) ||
		 control_has_server(plan->control))
		o->command = COMMAND_CLIENT;
	else if (plan->control)
		o->command = COMMAND_CONTROL;
	else
		return unknown_test(p, word, words[1]);
	if (plan->control)
		plan->metric = METRIC_LATENCY;
	return 0;
}

/* Choose the end for TEST with a server, with --loopback, or with neither. */
static int choose_end(struct parser *p)
{
	struct options *o = p->given.options;
	const struct param *row = o->server ? row_before(p, o->server) : NULL;

	/* it may still be a host's name */
	if (row && row->kind == PARAM_FLAG && !o->params.loopback)
		row = NULL;
	if (row && (o->params.loopback || is_value(row, o->server)))
		return stands_apart(p, row, o->server);
	if (o->params.loopback && o->server)
		return fail(p->given.err, -EINVAL, NULL,
			    "--loopback and the server '%s' exclude each other",
			    o->server);
	if (o->params.loopback)
		o->command = COMMAND_LOOPBACK;
	if (o->command == COMMAND_CLIENT && !o->server) {
		o->command = COMMAND_SERVE;
		o->params.plan.control = CONTROL_NONE;
		p->given.test_named = true;
		if (!o->params.once)
			o->params.once = PARAM_FOREVER;
	}
	return 0;
}

static int take_words(struct parser *p, int argc, char **argv)
{
	struct options *o = p->given.options;
	int ret, next = optind;

	if (next == argc)
		return fail(p->given.err, -EINVAL, "see --help",
			    "nothing to do: expected a test, serve, devices, "
			    "check or calibrate");
	ret = take_command(p, argv + next++);
	if (ret)
		return ret;
	if (o->command == COMMAND_CLIENT && next < argc)
		ret = rules_take_server(&p->given, argv[next++]);
	if (ret)
		return ret;
	if (next < argc)
		return too_many(p, argc, argv, next);
	if (o->command == COMMAND_CLIENT)
		return choose_end(p);
	return 0;
}

/* Take the topic of help: "help", "write_bw", "help write_bw" or none. */
static int take_topic(struct parser *p, int argc, char **argv)
{
	struct options *o = p->given.options;
	int next = optind, ret = 0;

	if (next < argc && !strcmp(argv[next], HELP_COMMAND))
		next++;
	else if (!p->brief)
		o->topic = COMMAND_HELP;
	if (next < argc) {
		ret = take_command(p, argv + next);
		o->topic = o->command;
	}
	o->command = COMMAND_HELP;
	return ret;
}

/*
 * Say what -t is to who may have meant a time, as in iperf3, qperf and netperf:
 * depths are powers of two as a rule, and whoever wants one gives it with the
 * length of the test, or by its name.
 */
static void hint_at_time(struct parser *p)
{
	struct options *o = p->given.options;
	const struct plan *plan = &o->params.plan;
	const uint32_t depth = plan->tx_depth;
	const size_t row = (size_t)(param_find("tx-depth") - param_table);

	if (p->by_letter[row] && depth & (depth - 1) && !plan->iterations &&
	    !o->params.timed)
		snprintf(o->hint, sizeof(o->hint), "-t %u: %u sends are "
			 "outstanding; -D %u is a time of %u s", depth, depth,
			 depth, depth);
}

/* Say the unit of a bandwidth that is printed as a number alone. */
static void hint_at_unit(struct parser *p)
{
	struct options *o = p->given.options;

	if (o->params.format == TABLE_BANDWIDTH && !o->params.gbits)
		snprintf(o->hint, sizeof(o->hint), "--format bandwidth is in "
			 "MiB/s; with --report-gbits it is in Gb/s");
}

/* A server that is named like a test, and whose client is perftest, which does
 * not say what it was given: it is what this command line says. */
static int serve_perftest(struct parser *p)
{
	static struct options test;
	struct given given = p->given;
	int ret;

	test = *p->given.options;
	test.command = COMMAND_CLIENT;
	given.options = &test;
	ret = rules_complete(&given);
	p->given.options->params.perftest_test = &test.params;
	p->given.options->ignored[0] = '\0';
	return ret;
}

static int parse(struct parser *p, int argc, char **argv)
{
	struct options *o = p->given.options;
	int ret = take_options(p, argc, argv);

	if (ret)
		return ret;
	if (p->version) {
		o->command = COMMAND_VERSION;
		return 0;
	}
	if (p->help || p->brief ||
	    (optind < argc && !strcmp(argv[optind], HELP_COMMAND)))
		return take_topic(p, argc, argv);
	o->dump = p->dump;
	if (argc == 1 || (p->dump && argc == 2))
		return 0;
	ret = take_words(p, argc, argv);
	if (!ret)
		ret = rules_check_command(&p->given) ?:
		      rules_check_files(&p->given) ?:
		      perftest_parse_test(&o->params, p->given.err);
	if (!ret && o->command == COMMAND_SERVE &&
	    o->params.peer == PEER_PERFTEST)
		ret = serve_perftest(p);
	/* of an end alone the test that shows most of what slows it down */
	if (!ret && o->command == COMMAND_CHECK) {
		o->params.plan.op = OP_WRITE;
		o->params.plan.metric = METRIC_BANDWIDTH;
		o->params.plan.check = true;
	}
	if (!ret && o->params.plan.control)
		return control_rules_complete(&p->given);
	if (!ret && (o->command == COMMAND_CLIENT ||
		     o->command == COMMAND_LOOPBACK ||
		     o->command == COMMAND_CHECK))
		ret = rules_complete(&p->given);
	if (!ret && (o->command == COMMAND_CLIENT ||
		     o->command == COMMAND_LOOPBACK)) {
		hint_at_unit(p);
		hint_at_time(p);
	}
	return ret;
}

int options_parse(int argc, char **argv, struct options *options,
		  struct error *err)
{
	struct options o = { 0 };
	struct parser p = { .given = { .options = &o, .err = err } };
	int ret;

	if (perftest_is_named(argv[0], NULL, NULL))
		return perftest_parse(argv, options, err);
	error_stage(err, "options");
	param_defaults(&o.params);
	build_tables(&p);
	ret = parse(&p, argc, argv);
	if (!ret && o.params.format == TABLE_PERFTEST)
		ret = perftest_choose_version(&o.params, err);
	if (!ret)
		*options = o;
	return ret;
}
