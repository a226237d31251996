/* Parses which counters to read and which limits they have, and computes by
 * how much each rose. */
#include "config.h"
#include "model/counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

void counters_free(struct counters *counters)
{
	free(counters->list);
	*counters = (struct counters){ 0 };
}

static int by_name(const void *name, const void *counter)
{
	return strcmp(name, ((const struct counter *)counter)->name);
}

const struct counter *counters_find(const struct counters *counters,
				    const char *name)
{
	if (!counters->n)
		return NULL;
	return bsearch(name, counters->list, counters->n,
		       sizeof(*counters->list), by_name);
}

struct counter counter_rise(const struct counter *before,
			    const struct counter *after)
{
	const struct counter_row *row = counter_row(after->name);
	const uint64_t end = row && row->bits ? (1ULL << row->bits) - 1 :
						UINT64_MAX;
	struct counter rise = *after;

	rise.known = before->known && after->known &&
		     after->value >= before->value && before->value != end &&
		     after->value - before->value <= COUNTER_RISE_MAX;
	rise.value = rise.known ? after->value - before->value : 0;
	return rise;
}

struct packet_counts packet_counts_rise(const struct packet_counts *before,
					const struct packet_counts *after)
{
	if (!before->known || !after->known || after->sent < before->sent ||
	    after->came < before->came || after->out < before->out ||
	    after->in < before->in)
		return (struct packet_counts){ 0 };
	return (struct packet_counts){
		.known = true,
		.sent = after->sent - before->sent,
		.came = after->came - before->came,
		.out = after->out - before->out,
		.in = after->in - before->in,
	};
}

/* The folder before NAME is only where perftest finds it. */
static const char *without_folder(const char *name)
{
	static const char *const folders[] = { "counters/", "hw_counters/" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (!strncmp(name, folders[i], strlen(folders[i])))
			return name + strlen(folders[i]);
	return name;
}

bool counter_name_is_valid(const char *name)
{
	if (!*name || strlen(name) >= COUNTER_NAME_SIZE)
		return false;
	for (; *name; name++)
		if (*name < ' ' || *name > '~' || *name == ',')
			return false;
	return true;
}

static bool copy_name(const char *text, size_t length,
		      char name[COUNTER_NAME_SIZE])
{
	if (length >= COUNTER_NAME_SIZE)
		return false;
	memcpy(name, text, length);
	name[length] = '\0';
	return counter_name_is_valid(name);
}

bool counter_next_name(const char **text, char name[COUNTER_NAME_SIZE])
{
	const char *begin = *text ? without_folder(*text) : NULL;
	size_t length = begin ? strcspn(begin, ",") : 0;

	if (!begin || !copy_name(begin, length, name))
		return false;
	*text = begin[length] ? begin + length + 1 : NULL;
	return true;
}

const char *const counter_scope_words[COUNTER_SCOPES] = {
	[COUNTERS_INTEREST] = "interest",
	[COUNTERS_ALL] = "all",
	[COUNTERS_NONE] = "none",
};

int counter_choice_parse(const char *text, struct counter_choice *choice)
{
	const char *rest = text;
	char name[COUNTER_NAME_SIZE];

	for (uint32_t i = 0; i < COUNTER_SCOPES; i++)
		if (!strcmp(text, counter_scope_words[i])) {
			choice->read = choice->shown = i;
			choice->names = NULL;
			return 0;
		}
	while (counter_next_name(&rest, name))
		;
	if (rest)
		return -EINVAL;
	choice->read = choice->shown = COUNTERS_ALL;
	choice->names = text;
	return 0;
}

/* The limit of NAME, or room for it; NULL when there is none. */
static struct counter_limit *place_of(struct counter_limits *limits,
				      const char *name)
{
	for (uint32_t i = 0; i < limits->n; i++)
		if (!strcmp(limits->list[i].name, name))
			return &limits->list[i];
	if (limits->n == COUNTER_LIMITS_MAX)
		return NULL;
	return &limits->list[limits->n++];
}

/* A list_reader; INTO is a struct counter_limits. */
static int read_limit(const char **text, void *into)
{
	const char *begin = without_folder(*text);
	size_t length = strcspn(begin, "=,"), digits;
	struct counter_limit limit, *place;
	char number[24] = "";

	if (begin[length] != '=' || !copy_name(begin, length, limit.name))
		return -EINVAL;
	begin += length + 1;
	digits = strcspn(begin, ",");
	if (digits >= sizeof(number))
		return -EINVAL;
	memcpy(number, begin, digits);
	if (units_parse_count(number, &limit.most) ||
	    limit.most > COUNTER_RISE_MAX)
		return -EINVAL;
	place = place_of(into, limit.name);
	if (!place)
		return -E2BIG;
	*place = limit;
	*text = begin + digits;
	return 0;
}

int counter_limits_parse(const char *text, struct counter_limits *limits)
{
	return list_read(text, read_limit, limits);
}

bool counter_is_read(enum counter_scope scope, const char *name)
{
	if (scope == COUNTERS_INTEREST)
		return counter_row(name);
	return scope == COUNTERS_ALL;
}

bool counter_is_shown(const struct counter_choice *choice, const char *name)
{
	char chosen[COUNTER_NAME_SIZE];

	if (!choice->names)
		return counter_is_read(choice->shown, name);
	for (const char *rest = choice->names;
	     counter_next_name(&rest, chosen);)
		if (!strcmp(chosen, name))
			return true;
	return false;
}
