/* The commands.  Each function returns the exit status. */
#pragma once

#include <stdbool.h>

#include "cli/options.h"
#include "model/exit_status.h"
#include "model/result.h"
#include "net/oob.h"
#include "verbs/device.h"

/* Print TEXT, which is freed, to stdout. */
int command_print(char *text);

/* Print the devices of this host.  Returns the exit status: a failure if none
 * of them can be used. */
int command_devices(const struct options *options);

/* Examine this end's device and host. */
int command_check(const struct options *options);

/* Run a test of the control path, which needs no other end, until CANCEL_FD
 * (signals_open()) says that the user ends it. */
int command_control(const struct options *options, int cancel_fd);

/* Measure the program's own overhead, without device, server or network. */
int command_calibrate(const struct options *options);

/* Run a test over CONN, report it, and then close CONN.  It is connected first,
 * unless both ends are here. */
int command_client(const struct options *options, struct connection *conn);

/* Serve clients until CANCEL_FD (signals_open()) says that the user ends it.
 * Returns the exit status: in this process at the end, and in the child of each
 * client. */
int command_serve(struct options *options, int cancel_fd);

/* Run a test against a server in a process of its own, until CANCEL_FD
 * (signals_open()) says that the user ends it.  Returns the exit status, in
 * this process and in that of the server. */
int command_loopback(struct options *options, int cancel_fd);

/* test.c: what every command that measures begins and ends with. */

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
int test_report(struct result *result);

/* The same for the end that asked for the test, which may be --check. */
int test_finish(struct result *result);

/* Report a test that ERR kept from beginning; a server has none to report.
 * Returns the exit status. */
int test_not_begun(const struct options *options, const struct error *err);
