/*
 * Prints what a shell needs to complete verbsperf's command line, as functions
 * that both bash and zsh read.  This separate program runs while verbsperf is
 * built; scripts/completion/ holds the code specific to each shell.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "cli/parse.h"
#include "model/tests.h"

/* Longest argument tried. */
#define ARGUMENT_SIZE 96

/* The first word of each command. */
struct commands {
	char text[128];
	const char *word[OP_COUNT * METRIC_COUNT + 4];
	size_t n;
};

static void list_commands(struct commands *commands)
{
	size_t used;
	char *rest;

	test_list(commands->text, sizeof(commands->text));
	used = strlen(commands->text);
	snprintf(commands->text + used, sizeof(commands->text) - used,
		 " serve devices calibrate faults");
	for (char *word = strtok_r(commands->text, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest))
		commands->word[commands->n++] = word;
}

/* Further arguments without which an option may have no use. */
static const char *const settings[][2] = {
	{ NULL }, { "--qps=2" }, { "--rate=0.1mpps" }, { "--imm" },
	{ "--imm", "--transport=UC" },
};

/* A value of ROW other than its default; NULL after the last. */
static const char *sample(const struct param *row, size_t index,
			  char text[ARGUMENT_SIZE])
{
	static const char *const numbers[] = { "1", "2", "256" };
	static const char *const others[] = {
		[PARAM_BYTES] = "1M",
		[PARAM_SIZES] = "64",
		[PARAM_CPUS] = "0,1",
		[PARAM_RATE] = "0.1mpps",
		[PARAM_PERCENTILES] = "50",
		[PARAM_LABELS] = "1",
		[PARAM_NODE] = "0",
		[PARAM_NETWORKS] = "10.0.0.0/8",
		[PARAM_LIMIT] = "1",
	};
	const char *word;
	int length;

	if (row->kind == PARAM_CHOICE) {
		word = param_word(row, index, &length);
		snprintf(text, ARGUMENT_SIZE, "%.*s", word ? length : 0,
			 word ? word : "");
		return word ? text : NULL;
	}
	if (row->kind < sizeof(others) / sizeof(*others) && others[row->kind])
		return index ? NULL : others[row->kind];
	return index < sizeof(numbers) / sizeof(*numbers) ? numbers[index] :
							    NULL;
}

static bool parses(const char *command, const char *const setting[2],
		   const char *option)
{
	char *argv[7] = { (char *)PACKAGE_NAME, (char *)command };
	struct error err = { 0 };
	struct options options;
	enum op op;
	enum metric metric;
	int argc = 2;

	if (test_find(command, &op, &metric))
		argv[argc++] = (char *)"--loopback";
	for (int i = 0; i < 2 && setting[i]; i++)
		argv[argc++] = (char *)setting[i];
	argv[argc++] = (char *)option;
	return !options_parse(argc, argv, &options, &err);
}

static bool parses_somehow(const char *command, const char *option)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		if (parses(command, settings[i], option))
			return true;
	return false;
}

/* Does COMMAND accept some value of ROW? */
static bool takes(const char *command, const struct param *row)
{
	char option[2 * ARGUMENT_SIZE], text[ARGUMENT_SIZE];
	const char *value;

	if (row->who & PARAM_HIDDEN)
		return false;
	snprintf(option, sizeof(option), "--%s", row->name);
	if (!row->argument)
		return parses_somehow(command, option);
	for (size_t i = 0; (value = sample(row, i, text)); i++) {
		if (row->initial && !strcmp(value, row->initial))
			continue;
		snprintf(option, sizeof(option), "--%s=%s", row->name, value);
		if (parses_somehow(command, option))
			return true;
	}
	return false;
}


/* TEXT quoted as one shell word. */
static void print_quoted(const char *text)
{
	putchar('\'');
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*text);
	putchar('\'');
}

/* The words that ROW's value may be, or else where to find it. */
static void print_values(const struct param *row)
{
	const char *word;
	int length;

	if (!strcmp(row->name, "device"))
		fputs("@device", stdout);
	else if (!strcmp(row->argument, "FILE"))
		fputs("@file", stdout);
	else if (row->kind == PARAM_CHOICE || row->kind == PARAM_NODE)
		for (uint64_t i = 0; (word = param_word(row, i, &length)); i++)
			/* N stands for a number */
			if (row->kind == PARAM_CHOICE || length > 1)
				printf("%.*s ", length, word);
}

/* Does COMMAND take WORD, of LENGTH bytes, as the value of ROW? */
static bool takes_word(const char *command, const struct param *row,
		       const char *word, int length)
{
	char option[2 * ARGUMENT_SIZE];

	snprintf(option, sizeof(option), "--%s=%.*s", row->name, length, word);
	return parses_somehow(command, option);
}

/* If COMMAND rejects some values of ROW, print those it accepts. */
static void print_fewer_values(const struct param *row, const char *command)
{
	char values[2 * ARGUMENT_SIZE] = "";
	bool all = true;
	const char *word;
	int length;

	for (uint64_t i = 0; (word = param_word(row, i, &length)); i++) {
		size_t used = strlen(values);

		if (takes_word(command, row, word, length))
			snprintf(values + used, sizeof(values) - used, "%.*s ",
				 length, word);
		else
			all = false;
	}
	if (!all)
		printf("\t\t%s) values='%s' ;;\n", command, values);
}

/* Print every name of ROW. */
static void print_names(const struct param *row)
{
	const char *name;
	int length;

	printf("--%s", row->name);
	if (row->letter)
		printf("|-%c", row->letter);
	for (uint64_t i = 0; (name = param_alias(row, i, &length)); i++)
		printf("|--%.*s", length, name);
}

static void print_row(const struct param *row, const struct commands *commands)
{
	putchar('\t');
	print_names(row);
	fputs(")\n\t\t", stdout);
	if (row->letter)
		printf("letter=-%c ", row->letter);
	if (row->argument) {
		fputs("argument=", stdout);
		print_quoted(row->argument);
		fputs(" values='", stdout);
		print_values(row);
		fputs("' ", stdout);
	}
	if (row->implied)
		fputs("optional=1 ", stdout);
	fputs("help=", stdout);
	print_quoted(row->help);
	if (row->kind == PARAM_CHOICE) {
		fputs("\n\t\tcase $2 in\n", stdout);
		for (size_t i = 0; i < commands->n; i++)
			print_fewer_values(row, commands->word[i]);
		fputs("\t\tesac", stdout);
	}
	fputs(" ;;\n", stdout);
}

static void print_command(const char *command)
{
	printf("\t%s)\n\t\toptions='", command);
	for (size_t i = 0; i < param_count; i++)
		if (takes(command, &param_table[i]))
			printf("--%s ", param_table[i].name);
	fputs("--help' ;;\n", stdout);
}

int main(void)
{
	struct commands commands = { 0 };

	list_commands(&commands);
	printf("# shellcheck shell=bash disable=SC2034\n"
	       "# Made with %s %s from its table of options.\n"
	       "\n_verbsperf_commands='", PACKAGE_NAME, PACKAGE_VERSION);
	for (size_t i = 0; i < commands.n; i++)
		printf("%s%s", i ? " " : "", commands.word[i]);
	fputs("'\n\n# Sets options to those that the command $1 takes.\n"
	      "_verbsperf_options()\n{\n\tcase $1 in\n", stdout);
	for (size_t i = 0; i < commands.n; i++)
		print_command(commands.word[i]);
	fputs("\t*)\n\t\toptions='--help --version' ;;\n\tesac\n}\n\n"
	      "# Sets what is known of the option $1 of the command $2, or of "
	      "any: letter,\n# argument, values, optional, help.\n"
	      "_verbsperf_option()\n{\n"
	      "\tletter='' argument='' values='' optional='' help=''\n"
	      "\tcase $1 in\n", stdout);
	for (size_t i = 0; i < param_count; i++)
		if (!(param_table[i].who & PARAM_HIDDEN))
			print_row(&param_table[i], &commands);
	fputs("\t--help|-h)\n\t\tletter=-h help='all options' ;;\n"
	      "\t--version|-V)\n\t\tletter=-V help='of verbsperf' ;;\n"
	      "\tesac\n}\n", stdout);
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
