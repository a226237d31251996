/* Checks a plan against a table of rules, and puts figures into their
 * sentences. */
#include "config.h"
#include "model/rule.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/param.h"

/* The transports of SET, as "RC, UC and XRC". */
static void list_transports(unsigned int set, char word[RULE_WORD_SIZE])
{
	word[0] = '\0';
	for (unsigned int i = 0; set; set >>= 1, i++)
		if (set & 1)
			text_append(word, RULE_WORD_SIZE, "%s%s",
				    !*word ? "" : set == 1 ? " and " : ", ",
				    transport_table[i].name);
}

bool rule_word_of_plan(const void *about, const char *name,
		       char word[RULE_WORD_SIZE])
{
	const struct plan *plan = about;
	const struct parameters params = { .plan = *plan };
	const struct param *row = param_find(name);

	if (!strcmp(name, "operation"))
		strcpy(word, op_table[plan->op].name);
	else if (!strcmp(name, "transport"))
		strcpy(word, transport_table[plan->transport].name);
	else if (!strcmp(name, "transports"))
		list_transports(op_table[plan->op].transports, word);
	else if (!strcmp(name, "test"))
		strcpy(word, test_name_of(plan));
	else if (!strcmp(name, "bandwidth"))
		strcpy(word, traffic_names[plan->op][METRIC_BANDWIDTH]);
	else if (row || !strcmp(name, "queue"))
		sprintf(word, "%llu", row ? (unsigned long long)
			param_get(&params, row) : plan_send_queue(plan));
	else
		return false;
	return true;
}

void rule_expand(const char *from, rule_word *word, const void *about,
		 char *text, size_t size)
{
	char name[32], value[RULE_WORD_SIZE];

	for (text[0] = '\0'; *from;) {
		int n = 0;

		if (sscanf(from, "{%31[^}]}%n", name, &n) == 1 && n &&
		    word(about, name, value)) {
			text_append(text, size, "%s", value);
		} else {
			n = 1 + (int)strcspn(from + 1, "{");
			text_append(text, size, "%.*s", n, from);
		}
		from += n;
	}
}

int rule_check_all(const struct rule *rules, size_t n, const struct plan *plan,
		   struct error *err)
{
	char text[sizeof(err->message)];
	size_t i = 0;

	while (i < n && !rules[i].broken)
		i++;
	if (i == n)
		return 0;
	rule_expand(rules[i].text, rule_word_of_plan, plan, text, sizeof(text));
	return fail_advise(err, -EINVAL, "%s", text);
}
