/* The names of the tests: operation and metric. */
#ifndef MODEL_TESTS_H
#define MODEL_TESTS_H

#include <stdbool.h>
#include <stddef.h>

#include "traffic/op.h"

#define TEST_NAME_SIZE 32

/* "write_bw" of OP and METRIC into NAME; returns NAME. */
const char *test_name(enum op op, enum metric metric,
		      char name[TEST_NAME_SIZE]);

/* Find the test called NAME exactly; false when there is none. */
bool test_find(const char *name, enum op *op, enum metric *metric);

/* Find the test that the file name at the end of PATH ends in ("write_bw" in
 * /usr/bin/ib_write_bw). */
bool test_find_suffix(const char *path, enum op *op, enum metric *metric);

/* "write_bw write_lat ...", all of them, into TEXT. */
const char *test_list(char *text, size_t size);

#endif
