/* What forms with a line for each size show of it, column by column. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "model/result.h"

/* Write column I, from 0, of a line to OUT: its NAME, and TEXT, which is empty
 * where nothing was measured.  IS_WORD: it is no number, and may be another
 * host's. */
typedef void (*column_writer)(FILE *out, size_t i, const char *name,
			      const char *text, bool is_word);

/* WRITE each column of ROW of R, in their order, to OUT.  ROW NULL: of a
 * failure outside of all rows, with the columns of no size empty. */
void columns_write(FILE *out, const struct result *r,
		   const struct result_row *row, column_writer write);

/* WRITE the name of each column of R, whose texts are empty. */
void columns_write_names(FILE *out, const struct result *r,
			 column_writer write);

/* True when R failed between two sizes, or before the first, so that no row has
 * its error. */
bool columns_lack_error(const struct result *r);
