/* What every command that measures begins and ends with. */
#ifndef COMMANDS_TEST_H
#define COMMANDS_TEST_H

#include <stdbool.h>

#include "cli/options.h"
#include "model/result.h"
#include "verbs/device.h"

/* Begin a result of this moment; if REPORTS is true, what is measured is shown
 * while it is measured.  test_free() frees it. */
struct result *test_begin(const struct options *options, bool reports);

void test_free(struct result *result);

/* Open DEVICE and describe this end in RESULT, before any other is known.
 * Returns 0 or a negative errno, set in RESULT's error. */
int test_prepare(const struct options *options, struct device *device,
		 struct result *result);

/* Report the measurements and any failure in every format the user asks for.
 * Returns the exit status. */
int test_report(const struct result *result);

/* The same for the end that asked for the test, which may be --check. */
int test_finish(struct result *result);

/* Report a test that ERR kept from beginning; a server has none to report.
 * Returns the exit status. */
int test_not_begun(const struct options *options, const struct error *err);

#endif
