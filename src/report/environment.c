#include "config.h"
#include "report/environment.h"

#include "report/json_value.h"

static json_t *fact_json(const struct facts *facts, enum fact fact)
{
	const uint64_t count = facts_count(facts, fact);

	if (!facts_known(facts, fact))
		return json_null();
	switch (fact_table[fact].kind) {
	case FACT_TEXT:
		return json_text(facts_text(facts, fact));
	case FACT_REAL:
		return json_measured(facts_real(facts, fact));
	case FACT_FLAG:
		return json_boolean(count);
	case FACT_LIMIT:
		return count > INT64_MAX ? json_string("unlimited") :
						 json_count(count);
	default:
		return json_count(count);
	}
}

static json_t *end(const struct facts *facts)
{
	json_t *object = facts_any(facts) ? json_object() : json_null();

	for (int i = 0; i < FACTS && json_is_object(object); i++)
		json_put(object, fact_table[i].key,
			 fact_json(facts, (enum fact)i));
	return object;
}

json_t *environment_json(const struct result *r)
{
	return json_pack("{s:o, s:o}", "client", end(&r->client.facts),
			 "server", end(&r->server.facts));
}

static void print_group(FILE *out, const struct facts *facts,
			enum fact_group group)
{
	char text[FACT_TEXT_SIZE];
	bool begun = false;

	for (int i = 0; i < FACTS; i++) {
		if (fact_table[i].group != group ||
		    !facts_known(facts, (enum fact)i))
			continue;
		if (!begun)
			fprintf(out, "  %s\n", facts_heading(group));
		begun = true;
		fprintf(out, "    %-22s  %s\n", fact_table[i].key,
			facts_format(facts, (enum fact)i, text, sizeof(text)));
	}
}

void environment_text(FILE *out, const struct facts *facts)
{
	for (int group = 0; group < FACT_GROUPS; group++)
		print_group(out, facts, (enum fact_group)group);
}
