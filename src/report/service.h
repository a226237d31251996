/* One line above the table: how messages are labelled. */
#ifndef REPORT_SERVICE_H
#define REPORT_SERVICE_H

#include <stdio.h>

#include "model/effective.h"
#include "model/plan.h"

/*
 * What PLAN has of service level, traffic class, flow labels and hop limit to
 * OUT, and where QP has something else, that; nothing where all are as usual.
 */
void service_print(FILE *out, const struct plan *plan,
		   const struct effective *qp);

#endif
