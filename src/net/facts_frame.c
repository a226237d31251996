#include "config.h"
#include "net/facts_frame.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static void put_fact(struct cursor *c, const struct facts *facts,
		     enum fact fact)
{
	switch (fact_table[fact].kind) {
	case FACT_TEXT:
		wire_put_string(c, facts_text(facts, fact));
		break;
	case FACT_REAL:
		wire_put_real(c, facts_real(facts, fact));
		break;
	default:
		wire_put(c, 8, facts_count(facts, fact));
	}
}

void facts_put(struct cursor *c, const struct facts *facts)
{
	struct field_list list;

	wire_begin_fields(c, &list);
	for (int i = 0; i < FACTS; i++) {
		if (!facts_known(facts, (enum fact)i))
			continue;
		wire_begin_field(c, &list, fact_table[i].id, true,
				 fact_table[i].key);
		put_fact(c, facts, (enum fact)i);
		wire_end_field(c, &list);
	}
	wire_end_fields(c, &list);
}

static int get_real(const struct frame *frame, struct cursor *value,
		    const struct fact_row *row, double *real, struct error *err)
{
	*real = wire_get_real(value);
	if (*real >= 0 && *real <= (double)row->most)
		return 0;
	return fail(err, -EPROTO, NULL,
		    "the peer sent %s %s with %s %g: expected 0 to %llu",
		    frame_article(frame->type), frame_name(frame->type),
		    row->key, *real, (unsigned long long)row->most);
}

/* Advice puts these into commands, which a user may copy into a root shell:
 * nothing of a peer's may be a command of its own. */
static void tame(enum fact fact, char *text)
{
	static const char harmless[] = "abcdefghijklmnopqrstuvwxyz"
				       "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "0123456789._:@-";

	if (fact != FACT_NETDEV && fact != FACT_PCIE_ADDRESS &&
	    fact != FACT_PCIE_SLOWEST)
		return;
	for (text += strspn(text, harmless); *text;
	     text += strspn(text, harmless))
		*text = '_';
}

/* A field_reader; INTO is a struct facts. */
static int get_fact(const struct frame *frame, struct field *field, void *into,
		    struct error *err)
{
	const struct fact_row *row = facts_find(field->id);
	char text[FACT_TEXT_SIZE] = "";
	struct facts *facts = into;
	enum fact fact;
	uint64_t count;
	double real;
	int ret = 0;

	if (!row)
		return -ENOENT;
	fact = (enum fact)(row - fact_table);
	switch (row->kind) {
	case FACT_TEXT:
		wire_get_string(&field->value, text, sizeof(text));
		tame(fact, text);
		facts_set_text(facts, fact, text);
		break;
	case FACT_REAL:
		ret = get_real(frame, &field->value, row, &real, err);
		if (!ret)
			facts_set_real(facts, fact, real);
		break;
	default:
		count = wire_get(&field->value, 8);
		ret = wire_check(frame, row->key, count, 0, row->most, err);
		if (!ret)
			facts_set_count(facts, fact, count);
	}
	return ret;
}

int facts_get(const struct frame *frame, struct cursor *c, struct facts *facts,
	      struct error *err)
{
	return wire_get_fields(frame, c, get_fact, facts, err);
}
