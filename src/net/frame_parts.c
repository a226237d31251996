#include "config.h"
#include "net/frame_parts.h"

#include <errno.h>
#include <string.h>

#include "base/units.h"
#include "base/xalloc.h"
#include "net/frames.h"

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

static int get_counter(const struct frame *frame, struct cursor *c,
		       struct counter *counter, const char *before,
		       struct error *err)
{
	uint64_t known;

	wire_get_string(c, counter->name, sizeof(counter->name));
	known = wire_get(c, 1);
	counter->known = known;
	counter->value = wire_get(c, 8);
	/* the caller reports what is too short */
	if (c->failed)
		return 0;
	/* the names ascend, so that none comes twice */
	if (!counter_name_is_valid(counter->name) ||
	    strcmp(counter->name, before) <= 0)
		return wire_refuse(err, frame, "with counter '%s' after '%s'",
				   counter->name, before);
	return wire_check(frame, "known counter", known, 0, 1, err) ?:
	       wire_check(frame, "counter", counter->value, 0,
			  known ? COUNTER_RISE_MAX : 0, err);
}

int done_get_counters(const struct frame *frame, struct cursor *c,
		      struct counters *counters, struct error *err)
{
	const char *before = "";
	uint64_t n;
	int ret;

	counters->ns = wire_get(c, 8);
	n = wire_get(c, 2);
	ret = wire_check(frame, "time of the counters", counters->ns, 0,
			 COUNT_MAX, err) ?:
	      wire_check(frame, "number of counters", n, 1, COUNTERS_MAX, err);
	if (ret)
		return c->failed ? 0 : ret;
	counters->list = xcalloc(n, sizeof(*counters->list));
	counters->n = (uint32_t)n;
	for (uint32_t i = 0; i < n && !ret && !c->failed; i++) {
		ret = get_counter(frame, c, &counters->list[i], before, err);
		before = counters->list[i].name;
	}
	return ret;
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
static int get_use(const struct frame *frame, struct cursor *c, uint64_t most,
		   uint64_t switches, struct cpu_use *use, struct error *err)
{
	use->user_ns = wire_get(c, 8);
	use->system_ns = wire_get(c, 8);
	use->voluntary = wire_get(c, 8);
	use->involuntary = wire_get(c, 8);
	return wire_check(frame, "user time", use->user_ns, 0, most, err) ?:
	       wire_check(frame, "system time", use->system_ns, 0, most,
			  err) ?:
	       wire_check(frame, "voluntary switches", use->voluntary, 0,
			  switches, err) ?:
	       wire_check(frame, "involuntary switches", use->involuntary, 0,
			  switches, err);
}

static int get_process(const struct frame *frame, struct cursor *c,
		       struct cpu_cost *cost, struct error *err)
{
	uint64_t most = CPU_UNKNOWN - 1;
	int ret;

	cost->ns = wire_get(c, 8);
	ret = wire_check(frame, "time between readings", cost->ns, 1, most,
			 err);
	if (ret)
		return ret;
	if (cost->ns < most / MACHINE_CPUS)
		most = cost->ns * MACHINE_CPUS;
	return get_use(frame, c, most, CPU_UNKNOWN - 1, &cost->process, err);
}

static int get_machine(const struct frame *frame, struct cursor *c,
		       struct cpu_cost *cost, struct error *err)
{
	uint64_t least;

	cost->host_busy_ns = wire_get(c, 8);
	cost->host_ns = wire_get(c, 8);
	cost->interrupts = wire_get(c, 8);
	/* both are known, or neither */
	least = cost->host_ns == CPU_UNKNOWN ? CPU_UNKNOWN : 0;
	return wire_check(frame, "time of all CPUs", cost->host_ns, 0,
			  CPU_UNKNOWN, err) ?:
	       wire_check(frame, "busy time of all CPUs", cost->host_busy_ns,
			  least, cost->host_ns, err) ?:
	       wire_check(frame, "interrupts", cost->interrupts, 0,
			  CPU_UNKNOWN, err);
}

static int get_threads(const struct frame *frame, struct cursor *c,
		       struct cpu_cost *cost, struct error *err)
{
	uint64_t n = wire_get(c, 4);
	int ret = wire_check(frame, "number of loops", n, 0, CPUS_MAX, err);

	if (ret)
		return ret;
	cost->threads = xcalloc(n, sizeof(*cost->threads));
	for (; cost->n_threads < n && !ret; cost->n_threads++) {
		struct cpu_thread *thread = &cost->threads[cost->n_threads];

		thread->cpu = (uint32_t)wire_get(c, 4);
		ret = get_use(frame, c, CPU_UNKNOWN, CPU_UNKNOWN, &thread->use,
			      err);
	}
	return ret;
}

int done_get_cpu(const struct frame *frame, struct cursor *c,
		 struct cpu_cost *cost, struct error *err)
{
	return get_process(frame, c, cost, err) ?:
	       get_machine(frame, c, cost, err) ?:
	       get_threads(frame, c, cost, err);
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
	return wire_refuse(err, frame, "with %s %g: expected 0 to %llu",
			   row->key, *real, (unsigned long long)row->most);
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
