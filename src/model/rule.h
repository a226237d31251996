/* Rules between the options of a plan, as rows of a table. */
#ifndef MODEL_RULE_H
#define MODEL_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/plan.h"

/*
 * The text says why the rule is there, and in a second line what the user can
 * do, if there is one.  In it "{qps}" stands for the number that --qps has, and
 * so for every other option that is a number.  "{test}", "{operation}" and
 * "{transport}" are those of the plan, "{transports}" all that the operation is
 * possible over, "{bandwidth}" is its bandwidth test, and "{queue}" the entries
 * of a send queue.
 */
struct rule {
	bool broken;
	const char *text;
};

/* Report the first of RULES, an array, that PLAN breaks.  Returns 0, or -EINVAL
 * with the reason in ERR. */
#define rule_check(rules, plan, err) \
	rule_check_all(rules, sizeof(rules) / sizeof(*(rules)), plan, err)

int rule_check_all(const struct rule *rules, size_t n, const struct plan *plan,
		   struct error *err);

#endif
