/* --help: fits a terminal, and names every parameter. */
#include "config.h"
#include "test.h"

#include <stdio.h>

#include "cli/usage.h"
#include "model/param.h"

TEST(test_eighty_columns)
{
	char *text = options_usage(), *line, *rest = text;

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
	char *text = options_usage();

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
	char *text = options_usage();

	for (size_t i = 0; i < param_count; i++) {
		const char *help = strstr(text, param_table[i].help);

		if (param_table[i].who & PARAM_HIDDEN)
			assert_null(help);
		else
			assert_int_equal(help[-1], ' ');
	}
	free(text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_eighty_columns),
	cmocka_unit_test(test_every_parameter),
	cmocka_unit_test(test_help_begins_after_a_blank),
};

TEST_MAIN(tests, 10)
