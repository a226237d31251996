/* The words in braces in an explanation.  Pure. */
#ifndef VERBS_EXPLAIN_WORDS_H
#define VERBS_EXPLAIN_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/plan.h"
#include "model/port.h"

/* The run that a failure ended. */
struct explain_context {
	const struct plan *plan;	/* effective plan */
	const struct path *path;	/* from this end; NULL: not known yet */
	const char *peer;	/* "client" or "server" */
	bool ethernet;
	uint16_t lid;		/* this end's own */
	uint16_t pkey;
	uint64_t size;		/* message size in bytes */
	uint32_t qpn;		/* of the failed queue pair */
	bool sends;		/* this end sends messages of its own */
	bool notices;		/* the ends exchange notices or credits */
	uint64_t acknowledged;	/* messages, in the whole run */
};

/*
 * Copy TEMPLATE into TEXT of SIZE bytes, cut off to fit.  Replace each {word}
 * by its value from C: {peer}, {size}, {gids}, ..., or from the plan
 * (model/rule.h).  Unknown words stay.
 */
void explain_words(const char *template, const struct explain_context *c,
		   char *text, size_t size);

#endif
