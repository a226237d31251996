/* What both ends' CPUs did, as text and as JSON. */
#include "config.h"
#include "report/parts.h"

#include <inttypes.h>
#include <math.h>

#include "report/json_value.h"

static struct cpu_figures figures_of(const struct result_row *row, bool client)
{
	return cpu_cost_figures(&row->at[client].cpu, result_message_rate(row),
				row->size);
}

double cpu_host_percent(const struct result_row *row, bool client)
{
	return figures_of(row, client).host_percent;
}

static json_t *count(uint64_t n)
{
	return n == CPU_UNKNOWN ? json_null() : json_count(n);
}

static json_t *seconds(uint64_t ns)
{
	return ns == CPU_UNKNOWN ? json_null() : json_real((double)ns / 1e9);
}

static json_t *threads(const struct cpu_cost *cost)
{
	json_t *array = json_array();

	for (uint32_t t = 0; t < cost->n_threads; t++) {
		const struct cpu_thread *thread = &cost->threads[t];
		const struct cpu_use *use = &thread->use;

		json_add(array,
			 json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "cpu",
				   json_number(thread->cpu), "loop_seconds",
				   thread->loop_ns ? seconds(thread->loop_ns) :
						     json_null(),
				   "on_cpu_percent",
				   json_measured(cpu_thread_percent(thread)),
				   "user_seconds",
				   seconds(use->user_ns), "system_seconds",
				   seconds(use->system_ns),
				   "voluntary_switches", count(use->voluntary),
				   "involuntary_switches",
				   count(use->involuntary)));
	}
	return array;
}

static json_t *end(const struct result_row *row, bool client)
{
	const struct cpu_cost *cost = &row->at[client].cpu;
	const struct cpu_figures f = figures_of(row, client);
	const struct cpu_use *use = &cost->process;

	if (!cost->ns)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
			 "s:o, s:o}", "seconds", json_measured(f.seconds),
			 "user_seconds", seconds(use->user_ns),
			 "system_seconds", seconds(use->system_ns),
			 "utilization_percent", json_measured(f.percent),
			 "host_utilization_percent",
			 json_measured(f.host_percent), "stolen_percent",
			 json_measured(f.stolen_percent), "voluntary_switches",
			 count(use->voluntary), "involuntary_switches",
			 count(use->involuntary), "ns_per_message",
			 json_measured(f.ns_per_message), "ns_per_gb",
			 json_measured(f.ns_per_gb), "interrupts",
			 count(cost->interrupts), "threads", threads(cost));
}

json_t *cpu_json(const struct result_row *row)
{
	return json_pack("{s:o, s:o}", "client", end(row, true), "server",
			 end(row, false));
}

/* VALUE to three digits or more, "-" if it is not known, and its UNIT. */
static void print_value(FILE *out, double value, const char *unit)
{
	if (!isfinite(value))
		fputs("-", out);
	else if (value < 100)
		fprintf(out, "%.3g", value);
	else
		fprintf(out, "%.0f", value);
	fputs(unit, out);
}

static void print_end(FILE *out, const struct result_row *row, bool client,
		      bool per_gb)
{
	const struct cpu_cost *cost = &row->at[client].cpu;
	const struct cpu_figures f = figures_of(row, client);

	fprintf(out, "   %s: CPU ", client ? "client" : "server");
	if (!cost->ns) {
		fputs("not known\n", out);
		return;
	}
	print_value(out, f.percent, "% (");
	print_value(out, f.user_percent, "% user), ");
	print_value(out, f.ns_per_message, " ns/message, ");
	if (per_gb)
		print_value(out, f.ns_per_gb / 1e6, " ms/GB, ");
	fprintf(out, "%" PRIu64 " context switches",
		cost->process.voluntary + cost->process.involuntary);
	if (cost->interrupts != CPU_UNKNOWN)
		fprintf(out, ", %" PRIu64 " interrupts", cost->interrupts);
	if (isfinite(f.host_percent)) {
		fputs("; host ", out);
		print_value(out, f.host_percent, "% busy");
	}
	fputs("\n", out);
}

void cpu_print(FILE *out, const struct result_row *row, bool per_gb)
{
	print_end(out, row, true, per_gb);
	print_end(out, row, false, per_gb);
}

void cpu_print_definition(FILE *out)
{
	fputs(" CPU: 100% is one CPU; what the kernel does in interrupts "
	      "counts only for the host\n", out);
}
