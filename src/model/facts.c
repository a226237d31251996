/* Sets, gets and formats the facts of a host, by their table. */
#include "config.h"
#include "model/facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct fact_row fact_table[FACTS] = {
#define X(id, name, key, kind, group, most, compared) \
	[FACT_##name] = { id, #key, FACT_##kind, FACT_GROUP_##group, most, \
			  compared },
	FACT_LIST(X)
#undef X
};

void facts_set_text(struct facts *facts, enum fact fact, const char *text)
{
	struct fact_value *value = &facts->value[fact];

	memset(value, 0, sizeof(*value));
	value->known = text[0];
	snprintf(value->text, sizeof(value->text), "%s", text);
}

void facts_set_count(struct facts *facts, enum fact fact, uint64_t count)
{
	facts->value[fact].known = count <= fact_table[fact].most;
	facts->value[fact].count = facts->value[fact].known ? count : 0;
}

void facts_set_real(struct facts *facts, enum fact fact, double real)
{
	const bool known = real >= 0 && real <= (double)fact_table[fact].most;

	facts->value[fact].known = known;
	facts->value[fact].real = known ? real : 0;
}

bool facts_known(const struct facts *facts, enum fact fact)
{
	return facts->value[fact].known;
}

const char *facts_text(const struct facts *facts, enum fact fact)
{
	return facts->value[fact].text;
}

uint64_t facts_count(const struct facts *facts, enum fact fact)
{
	return facts->value[fact].count;
}

double facts_real(const struct facts *facts, enum fact fact)
{
	return facts->value[fact].real;
}

bool facts_any(const struct facts *facts)
{
	for (int i = 0; i < FACTS; i++)
		if (facts->value[i].known)
			return true;
	return false;
}

static void format_count(enum fact_kind kind, uint64_t count, char *text,
			 size_t size)
{
	if (kind == FACT_FLAG)
		snprintf(text, size, "%s", count ? "yes" : "no");
	else if (kind == FACT_LIMIT && count == FACT_UNLIMITED)
		snprintf(text, size, "unlimited");
	else
		snprintf(text, size, "%" PRIu64, count);
}

char *facts_format(const struct facts *facts, enum fact fact, char *text,
		   size_t size)
{
	const struct fact_value *value = &facts->value[fact];
	enum fact_kind kind = fact_table[fact].kind;

	text[0] = '\0';
	if (!value->known)
		return text;
	if (kind == FACT_TEXT)
		snprintf(text, size, "%s", value->text);
	else if (kind == FACT_REAL)
		snprintf(text, size, "%.6g", value->real);
	else
		format_count(kind, value->count, text, size);
	return text;
}

const struct fact_row *facts_find(uint16_t id)
{
	for (int i = 0; i < FACTS; i++)
		if (fact_table[i].id == id)
			return &fact_table[i];
	return NULL;
}

const char *const fact_headings[FACT_GROUPS] = {
#define X(name, heading) [FACT_GROUP_##name] = heading,
	FACT_GROUP_LIST(X)
#undef X
};

const char *const fact_kind_names[FACT_KINDS] = {
	[FACT_TEXT] = "text",
	[FACT_COUNT] = "count",
	[FACT_REAL] = "real",
	[FACT_FLAG] = "flag",
	[FACT_LIMIT] = "limit",
};
