#include "config.h"
#include "model/rule.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/param.h"
#include "model/tests.h"

#define WORD_SIZE 64

/* The transports of SET, as "RC, UC and XRC". */
static void list_transports(unsigned int set, char text[WORD_SIZE])
{
	int n = 0;

	for (unsigned int i = 0; set; set >>= 1, i++)
		if (set & 1)
			n += sprintf(text + n, "%s%s",
				     !n ? "" : set == 1 ? " and " : ", ",
				     transport_table[i].name);
}

/* Replace WORD by what it stands for. */
static void replace(const struct plan *plan, char word[WORD_SIZE])
{
	const struct parameters params = { .plan = *plan };
	const struct param *row = param_find(word);

	if (!strcmp(word, "operation"))
		strcpy(word, op_table[plan->op].name);
	else if (!strcmp(word, "transport"))
		strcpy(word, transport_table[plan->transport].name);
	else if (!strcmp(word, "transports"))
		list_transports(op_table[plan->op].transports, word);
	else if (!strcmp(word, "test"))
		test_name_of(plan, word);
	else if (!strcmp(word, "bandwidth"))
		test_name(plan->op, METRIC_BANDWIDTH, word);
	else
		sprintf(word, "%llu", row ? (unsigned long long)
			param_get(&params, row) : plan_send_queue(plan));
}

/* Write FROM into TEXT of SIZE bytes, with its words in braces replaced. */
static void expand(const struct plan *plan, const char *from, char *text,
		   size_t size)
{
	while (*from && size > WORD_SIZE) {
		char word[WORD_SIZE] = "";
		int read = 0;

		if (sscanf(from, "{%31[^}]}%n", word, &read) == 1)
			replace(plan, word);
		else
			sscanf(from, "%63[^{]%n", word, &read);
		strcpy(text, word);
		text += strlen(word);
		size -= strlen(word);
		from += read;
	}
}

int rule_check_all(const struct rule *rules, size_t n, const struct plan *plan,
		   struct error *err)
{
	char text[sizeof(err->message)] = "", *advice;
	size_t i = 0;

	while (i < n && !rules[i].broken)
		i++;
	if (i == n)
		return 0;
	expand(plan, rules[i].text, text, sizeof(text));
	advice = strchr(text, '\n');
	if (advice)
		*advice++ = '\0';
	return fail(err, -EINVAL, advice, "%s", text);
}
