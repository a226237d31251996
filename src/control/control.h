/* Runs a test of the control path: all of its sizes, one after the other. */
#pragma once

#include "model/result.h"
#include "net/oob.h"
#include "verbs/device.h"

/*
 * Run the test that RESULT's plan names on DEVICE, and add a row for each size
 * to RESULT.  CONN leads to the server, with the result's path; NULL: there is
 * none.  CANCEL_FD becomes readable when the user interrupts.  Returns 0, or a
 * negative errno set in RESULT's error; nothing that was made is left in
 * either case.
 */
int control_run(const struct device *device, int cancel_fd,
		struct connection *conn, struct result *result);
