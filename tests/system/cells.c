/*
 * Every combination of operation, transport, metric, direction, waiting and
 * number of queue pairs, walked from the program's own tables: a line of JSON
 * for each, with the options that ask for it, and what the program's own rules
 * say of it.  one_guest/test_cells.py runs them.
 */
#include "config.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "model/param.h"
#include "model/plan.h"

/* Enough that some messages are not the first or the last of their queue. */
#define MESSAGES 20

/* Shorter than a sequence number; then some packets, or nearly all of one: of
 * an odd length, so that the last bytes do not fill a word. */
static const struct sizes stream_sizes = { .n = 2, .bytes = { 7, 2501 } };
static const struct sizes datagram_sizes = { .n = 2, .bytes = { 7, 1001 } };
static const struct sizes atomic_sizes = { .n = 1, .bytes = { ATOMIC_SIZE } };

static const uint32_t numbers_of_qps[] = { 1, 3 };

enum direction { UNI, BI, REVERSED, DIRECTIONS };

struct cell {
	enum op op;
	enum transport transport;
	enum metric metric;
	enum direction direction;
	bool events;
	uint32_t qps;
};

/* How the user says VALUE of the choice NAME. */
static json_t *word_of(const char *name, uint64_t value)
{
	int length = 0;
	const char *word = param_word(param_find(name), value, &length);

	return json_stringn(word, (size_t)length);
}

static struct sizes sizes_of(const struct cell *c)
{
	if (op_is_atomic(c->op))
		return atomic_sizes;
	return c->transport == TRANSPORT_UD ? datagram_sizes : stream_sizes;
}

static struct plan plan_of(const struct cell *c)
{
	struct parameters params = { 0 };

	param_defaults(&params);
	params.plan.op = c->op;
	params.plan.metric = c->metric;
	params.plan.imm = op_has_imm(c->op);
	params.plan.atomic = op_table[c->op].atomic;
	params.plan.transport = c->transport;
	params.plan.bidirectional = c->direction == BI;
	params.plan.reversed = c->direction == REVERSED;
	params.plan.events = c->events;
	params.plan.qps = c->qps;
	params.plan.sizes = sizes_of(c);
	params.plan.iterations = MESSAGES;
	params.plan.duration = 0;
	params.plan.warmup = 0;
	params.plan.verify = true;
	return params.plan;
}

static void add(json_t *argv, const char *option, json_t *value)
{
	json_array_append_new(argv, json_sprintf("--%s", option));
	if (value)
		json_array_append_new(argv, value);
}

static json_t *sizes_as_text(const struct sizes *sizes)
{
	char text[64] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < sizes->n; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s%llu", i ? "," : "",
					 (unsigned long long)sizes->bytes[i]);
	return json_string(text);
}

/* What asks for PLAN. */
static json_t *argv_of(const struct plan *plan)
{
	json_t *argv = json_array();

	json_array_append_new(argv, json_string(test_name_of(plan)));
	if (plan->imm)
		add(argv, "imm", NULL);
	if (plan->atomic)
		add(argv, "atomic-type", word_of("atomic-type", plan->atomic));
	add(argv, "transport", word_of("transport", plan->transport));
	if (plan->bidirectional)
		add(argv, "bidirectional", NULL);
	if (plan->reversed)
		add(argv, "reversed", NULL);
	if (plan->events)
		add(argv, "events", NULL);
	add(argv, "qps", json_sprintf("%u", plan->qps));
	add(argv, "size", sizes_as_text(&plan->sizes));
	add(argv, "iterations", json_sprintf("%d", MESSAGES));
	add(argv, "warmup", json_string("0"));
	add(argv, "verify", NULL);
	return argv;
}

static int print_cell(const struct cell *c)
{
	static const char *const directions[] = { "uni", "bi", "reversed" };
	const struct plan plan = plan_of(c);
	struct error err = { 0 };
	bool exists = !plan_check(&plan, &err);
	json_t *line = json_pack(
		"{s:o, s:b, s:s?, s:s, s:o, s:s, s:b, s:b, s:i, s:i, s:b}",
		"argv", argv_of(&plan), "exists", exists,
		"why", exists ? NULL : err.message,
		"test", traffic_names[c->op][c->metric],
		"transport", word_of("transport", c->transport),
		"direction", directions[c->direction],
		"imm", plan.imm, "events", c->events,
		"qps", (int)c->qps, "iterations", MESSAGES,
		"counted", plan_counts_received(&plan));
	int ret = line ? json_dumpf(line, stdout, JSON_COMPACT) : -1;

	puts("");
	json_decref(line);
	return ret;
}

/* The N-th combination. */
static struct cell cell_of(unsigned int n)
{
	struct cell c;

	c.qps = numbers_of_qps[n % 2];
	n /= 2;
	c.events = n % 2;
	n /= 2;
	c.direction = (enum direction)(n % DIRECTIONS);
	n /= DIRECTIONS;
	c.metric = (enum metric)(n % METRIC_COUNT);
	n /= METRIC_COUNT;
	c.transport = (enum transport)(n % TRANSPORTS);
	c.op = (enum op)(n / TRANSPORTS);
	return c;
}

int main(void)
{
	const unsigned int cells = OP_COUNT * TRANSPORTS * METRIC_COUNT *
				   DIRECTIONS * 2 * 2;
	int ret = 0;

	for (unsigned int n = 0; n < cells && !ret; n++) {
		const struct cell c = cell_of(n);

		ret = print_cell(&c);
	}
	return ret ? 1 : 0;
}
