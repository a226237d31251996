/* The words that stand in braces in an explanation.  Pure. */
#ifndef VERBS_EXPLAIN_WORDS_H
#define VERBS_EXPLAIN_WORDS_H

#include <stddef.h>

#include "verbs/explain.h"

/*
 * Copy TEMPLATE into TEXT of SIZE bytes, each {word} replaced by what C has for
 * it: {peer}, {size}, {gids}, {rx-depth}, ... (see the tables).  A word that
 * nobody knows stays.  Cut where it does not fit.
 */
void explain_words(const char *template, const struct explain_context *c,
		   char *text, size_t size);

#endif
