/* --dump-options, and what it finds out by trying. */
#include "config.h"
#include "test.h"

#include <jansson.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/perftest_table.h"
#include "command_line.h"
#include "row_of.h"

TEST(test_which_commands_take_an_option)
{
	static const struct {
		const char *command, *option;
		bool taken;
	} rows[] = {
		{ "write_bw", "size", true },
		{ "atomic_bw", "size", false },
		{ "atomic_bw", "atomic-type", true },
		{ "write_bw", "atomic-type", false },
		{ "write_bw", "qps", true },
		{ "write_lat", "qps", false },
		{ "read_bw", "transport", true },
		{ "send_bw", "transport", true },
		{ "write_lat", "events", true },	/* with --imm */
		{ "send_lat", "arrival", true },	/* with --rate */
		{ "send_bw", "arrival", false },
		{ "write_bw", "threads", true },	/* with --qps */
		{ "send_bw", "percentiles", false },
		{ "serve", "once", true },
		{ "serve", "size", false },
		{ "devices", "device", true },
		{ "devices", "json", true },
		{ "devices", "csv", false },
		{ "calibrate", "json", true },
		{ "faults", "json", false },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (takes_option(rows[i].command, row_of(rows[i].option)) !=
		    rows[i].taken)
			fail_msg("%s --%s", rows[i].command, rows[i].option);
	assert_true(takes_word("write_bw", row_of("transport"), "UC", 2));
	assert_false(takes_word("write_bw", row_of("transport"), "UD", 2));
	assert_true(takes_word("read_lat", row_of("transport"), "XRC", 3));
	assert_true(takes_word("read_bw", row_of("transport"), "RC|x", 2));
	assert_false(takes_word("serve", row_of("transport"), "RC", 2));
}

static json_t *load(const struct options *o)
{
	char *text = options_dump(o);
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	assert_non_null(root);
	free(text);
	return root;
}

/* The row NAME in the array PART of ROOT. */
static json_t *find(json_t *root, const char *part, const char *name)
{
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(root, part), i, row)
	{
		if (!strcmp(json_string_value(json_object_get(row, "name")),
			    name))
			return row;
	}
	fail_msg("no %s in %s", name, part);
	return NULL;
}

static const char *string(json_t *row, const char *key)
{
	return json_string_value(json_object_get(row, key));
}

TEST(test_all_options)
{
	struct options o = { .command = COMMAND_NONE };
	json_t *root = load(&o), *row;

	assert_int_equal(json_array_size(json_object_get(root, "options")),
			 param_count);
	assert_int_equal(json_array_size(json_object_get(root, "perftest")),
			 perftest_option_count);
	assert_int_equal(json_object_size(json_object_get(root, "groups")),
			 GROUPS);
	row = find(root, "options", "max-p99");
	assert_string_equal(string(row, "unit"), "us");
	assert_string_equal(string(row, "kind"), "limit");
	assert_string_equal(string(row, "group"), "statistics");
	assert_null(json_object_get(row, "value"));
	row = find(root, "options", "timeout");
	assert_string_equal(string(row, "unit"), "s");
	assert_true(json_number_value(json_object_get(row, "maximum")) ==
		    3600);
	row = find(root, "options", "max-memory");
	assert_string_equal(string(row, "unit"), "bytes");
	assert_true(json_is_null(json_object_get(row, "maximum")));
	row = find(root, "options", "qps");
	assert_int_equal(json_array_size(json_object_get(row, "commands")), 5);
	assert_int_equal(json_object_size(json_object_get(row, "tests")), 4);
	row = json_object_get(find(root, "options", "rx-depth"), "tests");
	assert_string_equal(string(row, "send_lat"), "always");
	assert_string_equal(string(row, "write_bw"), "imm");
	assert_null(string(row, "read_bw"));
	row = find(root, "perftest", "use_old_post_send");
	assert_string_equal(string(row, "ours"), "post");
	assert_string_equal(string(row, "value"), "legacy");
	assert_string_equal(string(row, "class"), "same");
	json_decref(root);
}

TEST(test_a_command_line)
{
	char copy[COMMAND_LINE_SIZE];
	struct options o;
	json_t *root, *row;

	taken("verbsperf write_bw -q 4 --dump-options host", copy, &o);
	assert_true(o.dump);
	root = load(&o);
	row = find(root, "options", "qps");
	assert_int_equal(json_integer_value(json_object_get(row, "value")), 4);
	assert_null(json_object_get(row, "commands"));
	json_decref(root);
	taken("verbsperf --dump-options", copy, &o);
	assert_int_equal(o.command, COMMAND_NONE);
}

TEST(test_no_such_option)
{
	assert_null(param_find("no-such-option"));
	assert_null(param_find(""));
	assert_ptr_equal(param_find("title"), row_of("title"));
	for (int i = 0; i < LIMITS; i++)
		assert_int_equal(param_of_limit((enum limit_kind)i)->kind,
				 PARAM_LIMIT);
	assert_string_equal(param_of_limit(LIMIT_MAX_LOST)->name, "max-lost");
	assert_null(param_unit(row_of("qps")));
	assert_null(command_find("write_bw"));
	assert_int_equal(command_find("serve")->command, COMMAND_SERVE);
	assert_null(command_row_of(COMMAND_CLIENT));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_which_commands_take_an_option),
	cmocka_unit_test(test_all_options),
	cmocka_unit_test(test_a_command_line),
	cmocka_unit_test(test_no_such_option),
};

TEST_MAIN(tests, 10)
