/* Words that come from elsewhere, and what each form of output makes of them:
 * nothing that a terminal, a spreadsheet or a parser would act on. */
#include "config.h"
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/plain.h"
#include "base/xalloc.h"
#include "json_checks.h"
#include "report/report.h"
#include "report/stream.h"
#include "results.h"

static const struct {
	const char *word;
	const char *plain;	/* on a terminal */
	const char *cell;	/* in CSV; NULL: as plain */
	const char *json;	/* a parser finds it there; NULL: as plain */
} words[] = {
	{ .word = "alpha-1.example", "alpha-1.example" },
	{ .word = "Gr\xc3\xb6\xc3\x9f" "e \xe2\x82\xac \xf0\x9f\x9a\x80",
	  "Gr\xc3\xb6\xc3\x9f" "e \xe2\x82\xac \xf0\x9f\x9a\x80" },
	/* formulas */
	{ .word = "=HYPERLINK(0)", "=HYPERLINK(0)", "'=HYPERLINK(0)" },
	{ .word = "+1", "+1", "'+1" },
	{ .word = "-1+1", "-1+1", "'-1+1" },
	{ .word = "@SUM(1)", "@SUM(1)", "'@SUM(1)" },
	{ .word = "=A1,\"B\"", "=A1,\"B\"", "\"'=A1,\"\"B\"\"\"" },
	/* separators of cells and rows */
	{ .word = "a,b", "a,b", "\"a,b\"" },
	{ .word = "say \"x\"", "say \"x\"", "\"say \"\"x\"\"\"" },
	/* Markdown and HTML mean nothing to these */
	{ .word = "![x](y) @all <b>&", "![x](y) @all <b>&" },
	/* what a terminal does */
	{ .word = "\033[2J", "?[2J", NULL, "\033[2J" },
	{ .word = "\033]0;x\a", "?]0;x?", NULL, "\033]0;x\a" },
	{ .word = "a\bb\vc\fd\177e", "a?b?c?d?e", NULL, "a\bb\vc\fd?e" },
	{ .word = "a\rb", "a?b", "\"a?b\"", "a\rb" },
	{ .word = "a\x9b" "31m", "a?31m" },
	{ .word = "a\xc2\x9b" "31m", "a?31m" },
	{ .word = "a\xc2\x85" "b", "a?b" },
	/* directions, and line separators */
	{ .word = "a\xe2\x80\xae" "b", "a?b" },
	{ .word = "a\xe2\x81\xa6" "b\xe2\x81\xa9", "a?b?" },
	{ .word = "a\xe2\x80\x8f" "b\xd8\x9c", "a?b?" },
	{ .word = "a\xe2\x80\xa8" "b", "a?b" },
	/* no UTF-8: single bytes, cut off, too long, surrogates, too large */
	{ .word = "\xff\xfe", "??" },
	{ .word = "a\xe2\x82", "a??" },
	{ .word = "a\xe2\x82z", "a??z" },
	{ .word = "\xc0\xaf", "??" },
	{ .word = "\xe0\x80\xaf", "???" },
	{ .word = "\xed\xa0\x80", "???" },
	{ .word = "\xf4\x90\x80\x80", "????" },
	/* the first and the last of some lengths */
	{ .word = "\xc2\xa0\xdf\xbf\xe0\xa0\x80\xef\xbf\xbd\xf0\x90\x80\x80",
	  "\xc2\xa0\xdf\xbf\xe0\xa0\x80\xef\xbf\xbd\xf0\x90\x80\x80" },
	{ .word = "\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf" },
};

#define FOR_EACH_WORD(i) for (size_t i = 0; i < COUNT(words); i++)

TEST(test_text)
{
	FOR_EACH_WORD(i) {
		char text[64];

		snprintf(text, sizeof(text), "%s", words[i].word);
		assert_ptr_equal(plain_text(text), text);
		assert_string_equal(text, words[i].plain);
		/* once is enough */
		assert_string_equal(plain_text(text), words[i].plain);
	}
}

TEST(test_line_ends)
{
	char text[] = "a\tb\r\nc\nd\r", line[] = "a\tb\r\nc\nd\r";

	assert_string_equal(plain_text(text), "a\tb\r\nc\nd?");
	assert_string_equal(plain_line(line), "a b  c d?");
}

/* A result of an end that calls itself WORD. */
static struct result *result_of(const char *word)
{
	struct result *r = result_bandwidth();

	snprintf(r->server.hostname, sizeof(r->server.hostname), "%s", word);
	snprintf(r->server.device, sizeof(r->server.device), "%s", word);
	return r;
}

TEST(test_tables)
{
	static const struct row_format *const formats[] = {
		&text_format, &perftest_format,
	};

	FOR_EACH_WORD(i)
		for (size_t k = 0; k < COUNT(formats); k++) {
			struct result *r = result_of(words[i].word);
			char *text = row_format_render(formats[k], r), *again;

			again = plain_text(xcheck(strdup(text)));
			assert_string_equal(text, again);
			if (formats[k] == &text_format)
				assert_contains(text, words[i].plain);
			free(again);
			free(text);
			result_free(r);
		}
}

TEST(test_csv)
{
	FOR_EACH_WORD(i) {
		const char *cell = words[i].cell ? words[i].cell :
						   words[i].plain;
		struct result *r = result_of(words[i].word);
		char *text = row_format_render(&csv_format, r), wanted[80];

		snprintf(wanted, sizeof(wanted), ",%s,%s,", cell, cell);
		assert_contains(text, wanted);
		/* each line ends as in RFC 4180 */
		assert_string_equal(text + strlen(text) - 2, "\r\n");
		free(text);
		result_free(r);
	}
}

/* Numbers below zero are no formulas. */
TEST(test_numbers_of_csv)
{
	struct result *r = result_bandwidth();
	char *text;

	r->rows[0].total.bandwidth.gbps = -0.26;
	text = row_format_render(&csv_format, r);
	assert_contains(text, ",-0.26,");
	free(text);
	result_free(r);
}

/* It is JSON without any character that would have to be escaped. */
static void check_json(char *text, size_t i)
{
	json_t *root = parsed(text);

	assert_non_null(root);
	check_string(root, "server.hostname",
		     words[i].json ? words[i].json : words[i].plain);
	for (const char *c = text; *c; c++)
		assert_true((unsigned char)*c >= ' ' || *c == '\n');
	json_decref(root);
	free(text);
}

TEST(test_json)
{
	FOR_EACH_WORD(i) {
		struct result *r = result_of(words[i].word);
		char *lines = row_format_render(&lines_format, r);

		check_json(report_json(r), i);
		lines[strcspn(lines, "\n")] = '\0';
		check_json(lines, i);
		result_free(r);
	}
}

/* One call, one line, whatever is in it. */
TEST(test_log)
{
	char path[] = "/tmp/verbsperf-test-XXXXXX", text[256];
	const int fd = mkstemp(path), before = dup(STDERR_FILENO);
	ssize_t n = 0;

	assert_true(fd >= 0 && before >= 0);
	unlink(path);
	fflush(stderr);
	dup2(fd, STDERR_FILENO);
	FOR_EACH_WORD(i) {
		char wanted[256];
		off_t at = lseek(fd, 0, SEEK_END);

		log_info("the server is %s\nnot", words[i].word);
		fflush(stderr);
		n = pread(fd, text, sizeof(text) - 1, at);
		text[n > 0 ? n : 0] = '\0';
		snprintf(wanted, sizeof(wanted),
			 "verbsperf: the server is %s not\n", words[i].plain);
		if (strcmp(text, wanted) != 0)
			break;
	}
	dup2(before, STDERR_FILENO);
	close(before);
	close(fd);
	assert_true(n > 0);
	assert_contains(text, words[COUNT(words) - 1].plain);
}

/* What is printed as a whole, such as a list of devices. */
TEST(test_print)
{
	char path[] = "/tmp/verbsperf-test-XXXXXX", text[256];
	int fd = mkstemp(path);
	struct error err = { 0 };
	ssize_t n;

	close(fd);
	FOR_EACH_WORD(i) {
		assert_int_equal(report_print(path,
					      xcheck(strdup(words[i].word)),
					      &err), 0);
		fd = open(path, O_RDONLY);
		n = read(fd, text, sizeof(text) - 1);
		text[n > 0 ? n : 0] = '\0';
		close(fd);
		assert_string_equal(text, words[i].plain);
	}
	unlink(path);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_text),
	cmocka_unit_test(test_line_ends),
	cmocka_unit_test(test_tables),
	cmocka_unit_test(test_csv),
	cmocka_unit_test(test_numbers_of_csv),
	cmocka_unit_test(test_json),
	cmocka_unit_test(test_log),
	cmocka_unit_test(test_print),
};

TEST_MAIN(tests, 20)
