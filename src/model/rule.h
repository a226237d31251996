/* Rules between the options of a plan, as rows of a table. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/plan.h"

#define RULE_WORD_SIZE 256

/* Write what the word NAME stands for, in the text of something ABOUT, into
 * WORD; false when it stands for nothing. */
typedef bool rule_word(const void *about, const char *name,
		       char word[RULE_WORD_SIZE]);

/* A rule_word about a struct plan, for the words that the text of a rule may
 * have. */
rule_word rule_word_of_plan;

/* Copy FROM into TEXT of SIZE bytes, cut off to fit, with each {word} replaced
 * that WORD knows. */
void rule_expand(const char *from, rule_word *word, const void *about,
		 char *text, size_t size);

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
