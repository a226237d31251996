/*
 * The rows of a result as CSV: one line of headings and one per row, with the
 * line ends of RFC 4180.  An empty cell means not measured.
 */
#include "config.h"
#include "report/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "base/xalloc.h"
#include "report/columns.h"

/* Quote text with a comma, a quote or a line end. */
static void print_cell(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

/* A column_writer.  Text that a spreadsheet would take for a formula begins
 * with an apostrophe, which is not shown there. */
static void print_column(FILE *out, size_t i, const char *name,
			 const char *text, bool is_word)
{
	char *quoted = NULL;

	(void)name;
	if (is_word && plain_is_formula(text))
		xcheck(asprintf(&quoted, "'%s", text) < 0 ? NULL : quoted);
	fputs(i ? "," : "", out);
	print_cell(out, quoted ? quoted : text);
	free(quoted);
}

/* A column_writer. */
static void print_name(FILE *out, size_t i, const char *name, const char *text,
		       bool is_word)
{
	(void)text;
	(void)is_word;
	fprintf(out, "%s%s", i ? "," : "", name);
}

static void print_headings(FILE *out, const struct result *r)
{
	columns_write_names(out, r, print_name);
	fputs("\r\n", out);
}

static void print_line(FILE *out, const struct result *r,
		       const struct result_row *row)
{
	columns_write(out, r, row, print_column);
	fputs("\r\n", out);
}

/* Rows before a failed one are written already. */
static void print_row(FILE *out, const struct result *r,
		      const struct result_row *row)
{
	if (row == r->rows)
		print_headings(out, r);
	print_line(out, r, row);
}

static void print_tail(FILE *out, const struct result *r)
{
	if (!r->n_rows)
		print_headings(out, r);
	else if (columns_lack_error(r))
		print_line(out, r, NULL);
}

const struct row_format csv_format = {
	.row = print_row,
	.tail = print_tail,
};
