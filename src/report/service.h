/* One line above the table: how messages are labelled. */
#ifndef REPORT_SERVICE_H
#define REPORT_SERVICE_H

#include <stdio.h>

#include "model/effective.h"
#include "model/plan.h"

/* Write PLAN's service level, traffic class, flow labels and hop limit to OUT,
 * and QP's value where it differs; nothing if all are the defaults. */
void service_print(FILE *out, const struct plan *plan,
		   const struct effective *qp);

#endif
