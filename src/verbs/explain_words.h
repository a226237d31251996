/* The words that stand in braces in an explanation.  Pure. */
#ifndef VERBS_EXPLAIN_WORDS_H
#define VERBS_EXPLAIN_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/plan.h"
#include "model/port.h"

/* What is known of the run that a failure ended. */
struct explain_context {
	const struct plan *plan;	/* effective */
	const struct path *path;	/* from this end; NULL: none yet */
	const char *peer;	/* "client" or "server" */
	bool ethernet;
	uint16_t lid;		/* this end's own */
	uint16_t pkey;
	uint64_t size;		/* bytes of a message */
	uint32_t qpn;		/* of the queue pair that failed */
	bool sends;		/* this end sends messages of its own */
	bool notices;		/* notices or credits go between */
	uint64_t acknowledged;	/* messages, in the whole run */
};

/*
 * Copy TEMPLATE into TEXT of SIZE bytes, each {word} replaced by what C has for
 * it: {peer}, {size}, {gids}, {rx-depth}, ... (see the tables).  A word that
 * nobody knows stays.  Cut where it does not fit.
 */
void explain_words(const char *template, const struct explain_context *c,
		   char *text, size_t size);

#endif
