/* Test names: operation and metric. */
#ifndef MODEL_TESTS_H
#define MODEL_TESTS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/plan.h"
#include "traffic/op.h"

#define TEST_NAME_SIZE 32

/* Write the name of OP and METRIC, such as "write_bw", into NAME.  Returns
 * NAME. */
const char *test_name(enum op op, enum metric metric,
		      char name[TEST_NAME_SIZE]);

/* The name of PLAN's test, of traffic or of the control path, in NAME.  Returns
 * NAME. */
const char *test_name_of(const struct plan *plan, char name[TEST_NAME_SIZE]);

/* Find the test with exactly this NAME; false when there is none. */
bool test_find(const char *name, enum op *op, enum metric *metric);

/* Write all names of tests of traffic, "write_bw write_lat ...", into TEXT of
 * SIZE bytes.  Returns TEXT. */
const char *test_list(char *text, size_t size);

/* The same of the tests of the control path. */
const char *test_list_control(char *text, size_t size);

#endif
