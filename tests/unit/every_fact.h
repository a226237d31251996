/* Facts of which each is known and as large as it may be. */
#pragma once

#include <string.h>

#include "model/facts.h"

static inline struct facts every_fact(void)
{
	char text[FACT_TEXT_SIZE];
	struct facts facts;

	memset(&facts, 0, sizeof(facts));
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (int i = 0; i < FACTS; i++)
		switch (fact_table[i].kind) {
		case FACT_TEXT:
			facts_set_text(&facts, (enum fact)i, text);
			break;
		case FACT_REAL:
			facts_set_real(&facts, (enum fact)i,
				       (double)fact_table[i].most);
			break;
		default:
			facts_set_count(&facts, (enum fact)i,
					fact_table[i].most);
		}
	return facts;
}
