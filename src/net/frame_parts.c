#include "config.h"
#include "net/frames.h"

#include <errno.h>
#include <string.h>

#include "base/units.h"
#include "base/xalloc.h"

void done_put_counters(struct cursor *c, const struct counters *counters)
{
	wire_put(c, 8, counters->ns);
	wire_put(c, 2, counters->n);
	for (uint32_t i = 0; i < counters->n; i++) {
		wire_put_string(c, counters->list[i].name);
		wire_put(c, 1, counters->list[i].known);
		wire_put(c, 8, counters->list[i].value);
	}
}

static void get_counter(struct cursor *c, struct counter *counter,
			const char *before)
{
	wire_get_string(c, counter->name, sizeof(counter->name));
	/* the names ascend, so that none comes twice */
	if (wire_is_good(c) && (!counter_name_is_valid(counter->name) ||
				strcmp(counter->name, before) <= 0))
		c->ret = wire_refuse(c->err, c->frame,
				     "with counter '%s' after '%s'",
				     counter->name, before);
	counter->known = wire_get_within(c, 1, "known counter", 0, 1);
	counter->value = wire_get_within(c, 8, "counter", 0, counter->known ?
					 COUNTER_RISE_MAX : 0);
}

void done_get_counters(struct cursor *c, struct counters *counters)
{
	const char *before = "";

	counters->ns = wire_get_within(c, 8, "time of the counters", 0,
				       COUNT_MAX);
	counters->n = (uint32_t)wire_get_within(c, 2, "number of counters", 1,
						COUNTERS_MAX);
	counters->list = xcalloc(counters->n, sizeof(*counters->list));
	for (uint32_t i = 0; i < counters->n && wire_is_good(c); i++) {
		get_counter(c, &counters->list[i], before);
		before = counters->list[i].name;
	}
}

/* No machine has more CPUs, so no process uses more at once. */
#define MACHINE_CPUS 65536

static void put_use(struct cursor *c, const struct cpu_use *use)
{
	wire_put(c, 8, use->user_ns);
	wire_put(c, 8, use->system_ns);
	wire_put(c, 8, use->voluntary);
	wire_put(c, 8, use->involuntary);
}

void done_put_cpu(struct cursor *c, const struct cpu_cost *cost)
{
	wire_put(c, 8, cost->ns);
	put_use(c, &cost->process);
	wire_put(c, 8, cost->host_busy_ns);
	wire_put(c, 8, cost->host_ns);
	wire_put(c, 8, cost->interrupts);
	wire_put(c, 4, cost->n_threads);
	for (uint32_t t = 0; t < cost->n_threads; t++) {
		wire_put(c, 4, cost->threads[t].cpu);
		put_use(c, &cost->threads[t].use);
	}
}

/* Read USE, and check that it is at most MOST of CPU time and SWITCHES. */
static void get_use(struct cursor *c, uint64_t most, uint64_t switches,
		    struct cpu_use *use)
{
	use->user_ns = wire_get_within(c, 8, "user time", 0, most);
	use->system_ns = wire_get_within(c, 8, "system time", 0, most);
	use->voluntary = wire_get_within(c, 8, "voluntary switches", 0,
					 switches);
	use->involuntary = wire_get_within(c, 8, "involuntary switches", 0,
					   switches);
}

static void get_process(struct cursor *c, struct cpu_cost *cost)
{
	uint64_t most = CPU_UNKNOWN - 1;

	cost->ns = wire_get_within(c, 8, "time between readings", 1, most);
	if (cost->ns < most / MACHINE_CPUS)
		most = cost->ns * MACHINE_CPUS;
	get_use(c, most, CPU_UNKNOWN - 1, &cost->process);
}

static void get_machine(struct cursor *c, struct cpu_cost *cost)
{
	cost->host_busy_ns = wire_get(c, 8);
	cost->host_ns = wire_get_within(c, 8, "time of all CPUs", 0,
					CPU_UNKNOWN);
	/* both are known, or neither */
	wire_expect(c, "busy time of all CPUs", cost->host_busy_ns,
		    cost->host_ns == CPU_UNKNOWN ? CPU_UNKNOWN : 0,
		    cost->host_ns);
	cost->interrupts = wire_get_within(c, 8, "interrupts", 0, CPU_UNKNOWN);
}

static void get_threads(struct cursor *c, struct cpu_cost *cost)
{
	const uint64_t n = wire_get_within(c, 4, "number of loops", 0,
					   CPUS_MAX);

	cost->threads = xcalloc(n, sizeof(*cost->threads));
	for (; cost->n_threads < n && wire_is_good(c); cost->n_threads++) {
		struct cpu_thread *thread = &cost->threads[cost->n_threads];

		thread->cpu = (uint32_t)wire_get(c, 4);
		get_use(c, CPU_UNKNOWN, CPU_UNKNOWN, &thread->use);
	}
}

void done_get_cpu(struct cursor *c, struct cpu_cost *cost)
{
	get_process(c, cost);
	get_machine(c, cost);
	get_threads(c, cost);
}

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
	}
	wire_end_fields(c, &list);
}

/* Replace in TEXT what may not be in FACT: advice puts facts into commands,
 * which a user may copy into a root shell, and nothing of a peer's may be a
 * command of its own. */
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

static void get_real(struct cursor *value, const struct fact_row *row,
		     struct facts *facts)
{
	const double real = wire_get_real(value);

	if (real >= 0 && real <= (double)row->most)
		facts_set_real(facts, (enum fact)(row - fact_table), real);
	else
		value->ret = wire_refuse(value->err, value->frame,
					 "with %s %g: expected 0 to %llu",
					 row->key, real,
					 (unsigned long long)row->most);
}

/* A field_reader; INTO is a struct facts. */
static bool get_fact(struct field *field, void *into)
{
	const struct fact_row *row = facts_find(field->id);
	char text[FACT_TEXT_SIZE] = "";
	struct facts *facts = into;
	enum fact fact;
	uint64_t count;

	if (!row)
		return false;
	fact = (enum fact)(row - fact_table);
	switch (row->kind) {
	case FACT_TEXT:
		wire_get_string(&field->value, text, sizeof(text));
		tame(fact, text);
		facts_set_text(facts, fact, text);
		break;
	case FACT_REAL:
		get_real(&field->value, row, facts);
		break;
	default:
		count = wire_get_within(&field->value, 8, row->key, 0,
					row->most);
		if (!field->value.ret)
			facts_set_count(facts, fact, count);
	}
	return true;
}

void facts_get(struct cursor *c, struct facts *facts)
{
	wire_get_fields(c, get_fact, facts);
}
