/* --help: fits a terminal, and names every parameter. */
#include "config.h"
#include "test.h"

#include <stdio.h>

#include "cli/options.h"
#include "command_line.h"

/* What help LINE asks for; it must not be wrong.  On the heap. */
static char *help_of(const char *line)
{
	char copy[COMMAND_LINE_SIZE];
	struct options o;

	taken(line, copy, &o);
	assert_int_equal(o.command, strchr(line, ' ') ? COMMAND_HELP :
							COMMAND_NONE);
	return options_usage(&o);
}

TEST(test_eighty_columns)
{
	char *text = help_of("verbsperf --help"), *line, *rest = text;

	assert_non_null(text);
	while ((line = strsep(&rest, "\n"))) {
		if (strlen(line) > 80)
			fail_msg("%zu columns: %s", strlen(line), line);
		for (const char *c = line; *c; c++)
			assert_true(*c >= ' ' && *c <= '~');
		assert_true(!*line || line[strlen(line) - 1] != ' ');
	}
	free(text);
}

TEST(test_every_parameter)
{
	char *text = help_of("verbsperf --help");

	for (size_t i = 0; i < param_count; i++) {
		const struct param *row = &param_table[i];
		char option[80];

		if (row->who & PARAM_HIDDEN)
			continue;
		snprintf(option, sizeof(option), "%c%c, --%s%s%s%s\n",
			 row->letter ? '-' : ' ', row->letter ? row->letter :
			 ' ', row->name, row->implied ? "[=" :
			 row->argument ? " " : "",
			 row->argument ? row->argument : "",
			 row->implied ? "]" : "");
		option[strlen(option) - 1] = '\0';
		assert_contains(text, row->letter ? option : option + 4);
		assert_contains(text, row->help);
	}
	assert_contains(text, "verbsperf faults  ");
	assert_contains(text, "-h, --help");
	assert_contains(text, "-V, --version");
	assert_contains(text, "TEST: send_bw send_lat write_bw write_lat "
			      "read_bw read_lat atomic_bw atomic_lat\n");
	free(text);
}

/* A blank between an option and its help, whatever its length. */
TEST(test_help_begins_after_a_blank)
{
	char *text = help_of("verbsperf --help");

	for (size_t i = 0; i < param_count; i++) {
		const char *help = strstr(text, param_table[i].help);

		if (param_table[i].who & PARAM_HIDDEN)
			assert_null(help);
		else
			assert_int_equal(help[-1], ' ');
	}
	free(text);
}

/* The first steps are short, however they are asked for. */
TEST(test_first_steps)
{
	static const char *const lines[] = { "verbsperf -h", "verbsperf help",
					     "verbsperf help -h" };
	char *first = help_of("verbsperf");
	int n = 0;

	for (const char *c = first; *c; c++)
		n += *c == '\n';
	assert_in_range(n, 8, 12);
	assert_contains(first, "write_lat read_bw");
	for (size_t i = 0; i < COUNT(lines); i++) {
		char *text = help_of(lines[i]);

		assert_string_equal(text, first);
		free(text);
	}
	free(first);
}

/* Help on one command has what that takes, and nothing else. */
TEST(test_help_on_a_command)
{
	static const struct {
		const char *line, *has, *lacks;
	} topics[] = {
		{ "verbsperf write_lat --help", "--round-trip", "--interval" },
		{ "verbsperf help write_lat", "verbsperf write_lat [options] "
		  "SERVER", "--qps" },
		{ "verbsperf read_bw -h", "--interval", "--inline " },
		{ "verbsperf serve --help", "--parallel", "--size" },
		{ "verbsperf serve --help", "verbsperf serve [options]\n",
		  "SERVER" },
		{ "verbsperf devices -h", "--gid-index", "--port" },
		{ "verbsperf reg_mr --help", "--access", "--qps" },
		{ "verbsperf reg_mr --help", "--size", "--loopback" },
		{ "verbsperf connect --help", "--pattern", "--access" },
	};

	for (size_t i = 0; i < COUNT(topics); i++) {
		char *text = help_of(topics[i].line);

		assert_contains(text, topics[i].has);
		assert_contains(text, "-V, --version");
		if (strstr(text, topics[i].lacks))
			fail_msg("%s has %s", topics[i].line, topics[i].lacks);
		assert_null(strstr(text, "Output:\n\n"));
		free(text);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_first_steps),
	cmocka_unit_test(test_help_on_a_command),
	cmocka_unit_test(test_eighty_columns),
	cmocka_unit_test(test_every_parameter),
	cmocka_unit_test(test_help_begins_after_a_blank),
};

TEST_MAIN(tests, 10)
