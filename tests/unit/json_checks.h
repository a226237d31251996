/* Looking into a JSON report.  A path is like "results.0.bandwidth". */
#pragma once

#include <jansson.h>

#include "model/result.h"

/* TEXT, parsed strictly.  tests/scripts/test_schema.py holds it against its
 * schema, which says what keys it has. */
json_t *parsed(const char *text);

/* The document of R, which is freed, parsed. */
json_t *document(struct result *r);

/* What is at PATH; there must be something. */
json_t *at(json_t *value, const char *path);

/* The object at WHERE has these KEYS, between blanks, and no others: for keys
 * that no schema has. */
void check_keys(json_t *root, const char *where, const char *keys);

void check_string(json_t *root, const char *path, const char *wanted);
void check_number(json_t *root, const char *path, double wanted);
void check_null(json_t *root, const char *path);
