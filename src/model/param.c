/* The values of options, as rows of the table of options name them. */
#include "config.h"
#include "model/param.h"

#include <string.h>
#include <sys/socket.h>

/* True when the field of ROW has 32 bits. */
static bool is_short(const struct param *row)
{
	return row->kind == PARAM_NUMBER || row->kind == PARAM_AUTO_NUMBER ||
	       row->kind == PARAM_NODE || row->kind == PARAM_CHOICE;
}

uint64_t param_get(const struct parameters *params, const struct param *row)
{
	const void *field = param_field(params, row);

	if (row->kind == PARAM_FLAG)
		return *(const bool *)field;
	if (row->kind == PARAM_COUNTERS)
		return ((const struct counter_choice *)field)->read;
	return is_short(row) ? *(const uint32_t *)field :
			       *(const uint64_t *)field;
}

void param_set(struct parameters *params, const struct param *row,
	       uint64_t value)
{
	const enum counter_scope scope = (enum counter_scope)value;
	void *field = param_field(params, row);

	if (row->kind == PARAM_FLAG)
		*(bool *)field = value;
	else if (row->kind == PARAM_COUNTERS)
		*(struct counter_choice *)field = (struct counter_choice){
			.read = scope, .shown = scope,
		};
	else if (is_short(row))
		*(uint32_t *)field = (uint32_t)value;
	else
		*(uint64_t *)field = value;
}

bool param_is_same(const struct parameters *a, const struct parameters *b,
		   const struct param *row)
{
	const void *one = param_field(a, row), *other = param_field(b, row);
	const struct mcast *group = one, *other_group = other;

	switch (row->kind) {
	case PARAM_SIZES:
		return !memcmp(one, other, sizeof(struct sizes));
	case PARAM_LABELS:
		return !memcmp(one, other, sizeof(struct labels));
	case PARAM_BATCH:
		return !memcmp(one, other, sizeof(struct batch));
	case PARAM_MCAST:
		return group->wanted == other_group->wanted &&
		       !memcmp(&group->gid, &other_group->gid,
			       sizeof(group->gid));
	default:
		return param_get(a, row) == param_get(b, row);
	}
}

const char *param_get_string(const struct parameters *params,
			     const struct param *row)
{
	return *(const char *const *)param_field(params, row);
}

bool param_in_range(const struct param *row, uint64_t value)
{
	if ((row->kind == PARAM_AUTO_NUMBER || row->kind == PARAM_NODE) &&
	    value == PLAN_AUTO)
		return true;
	if (row->kind == PARAM_NODE && value == PARAM_NONE)
		return true;
	if (row->kind == PARAM_RATE)
		return rate_is_valid(value);
	if (value == 0 && !row->initial)
		return true;
	return value >= row->min && value <= row->max;
}

const char *param_word(const struct param *row, uint64_t index, int *length)
{
	const char *word = row->argument;

	for (; index && word; index--) {
		word = strchr(word, '|');
		if (word)
			word++;
	}
	if (word)
		*length = (int)strcspn(word, "|");
	return word;
}

int param_family(const struct parameters *params)
{
	return params->ipv4 ? AF_INET : params->ipv6 ? AF_INET6 : 0;
}

const struct param *param_find(const char *name)
{
	/* rules look for names all the time: most differ in the first letter */
	for (size_t i = 0; i < param_count; i++)
		if (*param_table[i].name == *name &&
		    !strcmp(param_table[i].name, name))
			return &param_table[i];
	return NULL;
}

const struct param *param_of_limit(enum limit_kind kind)
{
	const size_t offset = offsetof(struct parameters, limits) +
			      kind * sizeof(struct limit);

	for (size_t i = 0; i < param_count; i++)
		if (param_table[i].offset == offset)
			return &param_table[i];
	return NULL;
}

const char *param_unit(const struct param *row)
{
	if (row->unit)
		return row->unit;
	if (row->kind == PARAM_TIME || row->kind == PARAM_TIMED_FLAG)
		return "s";
	if (row->kind == PARAM_BYTES || row->kind == PARAM_SIZES)
		return "bytes";
	return NULL;
}

char param_use(const struct param *row, enum op op, enum metric metric)
{
	return (row->tests ? row->tests : "BL BL BL BL")[3 * op + metric];
}

bool param_suits(const struct param *row, enum control_test test)
{
	return row->who & PARAM_CONTROL &&
	       (!row->control || row->control & 1U << test);
}

const struct param_group_info param_groups[GROUPS] = {
#define X(symbol, name, heading) { name, heading },
	PARAM_GROUP_LIST(X)
#undef X
};
