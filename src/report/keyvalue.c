/*
 * The rows of a result for shells, --format=keyvalue: a line for each size, of
 * words NAME=VALUE with the names of the columns of CSV, which eval takes
 * whatever the other end calls itself.
 */
#include "config.h"
#include "report/stream.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "report/columns.h"

/* What a shell takes as it is, wherever in a word. */
static const char plain[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:/+-";

/* A character of a text in single quotes; one that would end the line, or that
 * a terminal obeys, is a blank. */
static void print_quoted(FILE *out, char c)
{
	if (c == '\'')
		fputs("'\\''", out);
	else
		fputc(iscntrl((unsigned char)c) ? ' ' : c, out);
}

/* A column_writer.  A name of a variable has no point, which percentiles
 * have. */
static void print_word(FILE *out, size_t i, const char *name, const char *text,
		       bool is_word)
{
	(void)is_word;
	fputs(i ? " " : "", out);
	for (; *name; name++)
		fputc(*name == '.' ? '_' : *name, out);
	fputc('=', out);
	if (!text[strspn(text, plain)]) {
		fputs(text, out);
		return;
	}
	fputc('\'', out);
	for (; *text; text++)
		print_quoted(out, *text);
	fputc('\'', out);
}

static void print_row(FILE *out, const struct result *r,
		      const struct result_row *row)
{
	columns_write(out, r, row, print_word);
	fputc('\n', out);
}

/* A shell has the variables of the failure, too. */
static void print_tail(FILE *out, const struct result *r)
{
	if (columns_lack_error(r))
		print_row(out, r, NULL);
}

const struct row_format keyvalue_format = {
	.row = print_row,
	.tail = print_tail,
};
