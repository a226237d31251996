/* perftest's JSON (--out_json): its keys and nesting, with values under them
 * that were measured.  It has no list of results, so that of several sizes the
 * last is in it. */
#include "config.h"
#include "report/report.h"

#include <ctype.h>

#include "report/cpu.h"
#include "report/json_value.h"
#include "report/perftest.h"

/* "RDMA_Write_BW_Test": the title with underscores. */
static json_t *test_of(const struct result *r)
{
	char title[PERFTEST_TITLE_SIZE];

	perftest_title(r, title);
	for (char *c = title; *c; c++)
		if (isspace((unsigned char)*c))
			*c = '_';
	return json_string(title);
}

static json_t *test_info(const struct result *r)
{
	const struct perftest_fields fields = perftest_fields(r);
	json_t *info = json_pack("{s:o}", "test", test_of(r));

	for (size_t i = 0; i < PERFTEST_FIELDS; i++) {
		const struct perftest_field *f = &fields.list[i];

		if (f->applies)
			json_put(info, f->key,
				 f->value ? json_text(f->value) :
					    json_count(f->number));
	}
	return info;
}

static json_t *number(double value)
{
	return json_real(perftest_number(value));
}

static json_t *bandwidth_of(const struct result *r,
			    const struct result_row *row)
{
	const struct bandwidth_summary *b = &row->total.bandwidth;
	const double average = perftest_rate(r, b->gbps);

	if (r->params.format == TABLE_BANDWIDTH)
		return json_pack("{s:f}", "bw_avg", average);
	if (r->params.format == TABLE_MESSAGE_RATE)
		return json_pack("{s:o}", "msgRate_avg", number(b->mpps));
	return json_pack("{s:I, s:I, s:f, s:f, s:o}", "MsgSize",
			 (json_int_t)row->size, "n_iterations",
			 (json_int_t)perftest_iterations(r, row), "BW_peak",
			 perftest_peak(r, row), "BW_average", average,
			 "MsgRate", number(b->mpps));
}

static json_t *latency_of(const struct result *r, const struct result_row *row)
{
	const struct latency_summary *l = &row->latency;
	const json_int_t size = (json_int_t)row->size;
	const json_int_t n = (json_int_t)row->total.iterations;

	if (r->params.format == TABLE_LATENCY)
		return json_pack("{s:o}", "avg_lat", number(l->mean));
	if (r->params.timed)
		return json_pack("{s:I, s:I, s:o, s:o}", "MsgSize", size,
				 "n_iterations", n, "t_avg", number(l->mean),
				 "tps_average", number((double)n /
						       row->total.seconds));
	return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "MsgSize", size, "n_iterations", n, "t_min",
			 number(l->min), "t_max", number(l->max), "t_typical",
			 number(l->empirical_p50), "t_avg", number(l->mean),
			 "t_stdev", number(l->stddev), "percentile_99",
			 number(l->empirical_p99), "percentile_99.9",
			 number(l->empirical_p99_9));
}

static json_t *results_of(const struct result *r, const struct result_row *row)
{
	json_t *results = r->params.plan.metric == METRIC_LATENCY ?
				  latency_of(r, row) : bandwidth_of(r, row);

	if (r->params.cpu)
		json_put(results, "CPU_util",
			 number(cpu_host_percent(row, !r->at_server)));
	return results;
}

char *report_perftest_json(const struct result *r)
{
	const struct result_row *row = r->n_rows ? &r->rows[r->n_rows - 1] :
						   NULL;

	/* one without an end is always interrupted */
	if (!row || (row->failed && !plan_is_endless(&r->params.plan)))
		return json_to_text(json_pack("{s:n, s:n, s:o}", "test_info",
					      "results", "error",
					      json_text(r->error.message)));
	return json_to_text(json_pack(
		"{s:o, s:o}", "test_info", test_info(r), "results",
		results_of(r, row)));
}
