#ifndef REPORT_HEAD_H
#define REPORT_HEAD_H

#include <stdio.h>

#include "model/result.h"

/* Print what both ends agreed on, above the table of R. */
void head_print(FILE *out, const struct result *r);

/* Print only the lines that name the ends: the client, and the server if there
 * is one. */
void head_print_ends(FILE *out, const struct result *r);

/* Bytes the sender may send inline. */
uint32_t head_inline_size(const struct result *r);

#endif
