/* The table of faults: each can be asked for, with its own test only. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <stdio.h>

#include "cli/options.h"
#include "model/inject.h"
#include "model/plan.h"
#include "report/report.h"

#define WORDS 40

/* Parse TEST with LINE, words with blanks between, and --inject NAME. */
static int parse(const char *test, const char *line, const char *name,
		 struct options *o, struct error *err)
{
	static char copy[200];
	char *argv[WORDS], *rest = copy, *word;
	int argc = 0;

	snprintf(copy, sizeof(copy), "verbsperf %s --inject %s --loopback %s",
		 test, name, line);
	while ((word = strsep(&rest, " ")))
		if (*word)
			argv[argc++] = word;
	argv[argc] = NULL;
	return options_parse(argc, argv, o, err);
}

TEST(test_every_case_can_be_asked_for)
{
	for (unsigned int i = INJECT_NOTHING + 1; i < INJECT_COUNT; i++) {
		const struct inject_case *c = inject_find(i);
		struct error err = { 0 };
		struct options o;

		if (parse(c->test, c->options, c->name, &o, &err))
			fail_msg("%s: %s", c->name, err.message);
		assert_int_equal(o.params.plan.inject, i);
	}
}

TEST(test_another_test_has_not_that_case)
{
	for (unsigned int i = INJECT_NOTHING + 1; i < INJECT_COUNT; i++) {
		const struct inject_case *c = inject_find(i);
		struct error err = { 0 };
		char text[80];
		struct options o;

		assert_int_equal(parse("read_lat", "", c->name, &o, &err),
				 -EINVAL);
		snprintf(text, sizeof(text), "--inject %s: only for %s",
			 c->name, c->test);
		assert_message(&err, text);
	}
}

TEST(test_bytes_are_not_looked_at)
{
	struct error err = { 0 };
	struct options o;

	assert_int_equal(parse("write_bw", "--verify", "write-rkey", &o, &err),
			 -EINVAL);
	assert_message(&err, "--inject and --verify exclude each other");
	error_clear(&err);
	assert_int_equal(parse("write_bw", "--verify", "none", &o, &err), 0);
	assert_int_equal(o.params.plan.inject, INJECT_NOTHING);
	assert_int_equal(parse("write_bw", "", "nonsense", &o, &err), -EINVAL);
	assert_contains(err.message, "nonsense");
}

static void check_statuses(const struct inject_case *c, const char *list)
{
	char copy[200], *rest = copy, *word;

	snprintf(copy, sizeof(copy), "%s", list);
	while ((word = strsep(&rest, "|"))) {
		bool fine = !strcmp(word, "-") || !strcmp(word, "ok") ||
			    !strncmp(word, "EVENT_", 6) || word[0] == 'E' ||
			    strstr(word, "_ERR");

		if (!fine)
			fail_msg("%s: '%s'", c->name, word);
	}
}

TEST(test_the_table_itself)
{
	for (unsigned int i = INJECT_NOTHING + 1; i < INJECT_COUNT; i++) {
		const struct inject_case *c = inject_find(i);
		enum metric metric;
		enum op op;

		assert_true(test_find(c->test, &op, &metric));
		assert_true(c->numbers[0] && c->what[0]);
		check_statuses(c, c->requester);
		check_statuses(c, c->responder);
		for (unsigned int k = i + 1; k < INJECT_COUNT; k++)
			assert_string_not_equal(c->name,
						inject_find(k)->name);
	}
	assert_null(inject_find(INJECT_NOTHING));
	assert_null(inject_find(INJECT_COUNT));
	assert_null(inject_find(UINT32_MAX));
}

/* What the self-test reads: seven columns, a line of each. */
TEST(test_report)
{
	char *text = report_faults(), *rest = text, *line;
	unsigned int lines = 0;

	while ((line = strsep(&rest, "\n")) && *line) {
		unsigned int columns = 1;

		for (const char *c = line; *c; c++)
			columns += *c == '\t';
		assert_int_equal(columns, 7);
		if (lines)
			assert_int_equal(strncmp(line,
						 inject_find(lines)->name,
						 strcspn(line, "\t")), 0);
		lines++;
	}
	assert_int_equal(lines, INJECT_COUNT);
	free(text);
}

/* What people read on a terminal: columns without a tab, that fit. */
TEST(test_short_report)
{
	char *text = report_faults_short(), *rest = text, *line;
	unsigned int lines = 0;
	size_t at = 0;

	while ((line = strsep(&rest, "\n")) && *line) {
		const struct inject_case *c = inject_find(lines);
		const char *what = lines ? c->what : "what is wrong";

		assert_null(strchr(line, '\t'));
		assert_in_range(strlen(line), 1, 100);
		assert_contains(line, what);
		if (!lines++)
			at = (size_t)(strstr(line, what) - line);
		assert_string_equal(line + at, what);
		assert_int_equal(line[at - 1], ' ');
	}
	assert_int_equal(lines, INJECT_COUNT);
	free(text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_every_case_can_be_asked_for),
	cmocka_unit_test(test_another_test_has_not_that_case),
	cmocka_unit_test(test_bytes_are_not_looked_at),
	cmocka_unit_test(test_the_table_itself),
	cmocka_unit_test(test_report),
	cmocka_unit_test(test_short_report),
};

TEST_MAIN(tests, 10)
