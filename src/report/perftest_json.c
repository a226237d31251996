/* perftest's JSON (--out_json): its keys and nesting, with values under them
 * that were measured.  It has no list of results, so that of several sizes the
 * last is in it. */
#include "config.h"
#include "report/report.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/cpu.h"
#include "report/json_value.h"
#include "report/perftest.h"

static json_t *on(bool value)
{
	return json_string(value ? "ON" : "OFF");
}

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

static void add_depths(json_t *info, const struct result *r)
{
	const struct plan *plan = &r->params.plan;
	const bool both = plan->bidirectional;

	if (!r->at_server || both)
		json_object_set_new(info, "TX_depth",
				    json_count(plan_send_queue(plan)));
	if (plan->post_list > 1)
		json_object_set_new(info, "Post_List",
				    json_count(plan->post_list));
	if (plan->recv_post_list > 1)
		json_object_set_new(info, "Recv_Post_List",
				    json_count(plan->recv_post_list));
	if (!op_table[plan->op].access && (r->at_server || both))
		json_object_set_new(info, "RX_depth",
				    json_count(plan->rx_depth));
	if (plan->metric == METRIC_BANDWIDTH)
		json_object_set_new(info, "CQ_Moderation",
				    json_count(r->rows[0].cq_mod));
}

static json_t *test_info(const struct result *r)
{
	const struct plan *plan = &r->params.plan;
	const struct port *port = r->at_server ? &r->server : &r->client;
	const struct gid *gid = result_gid(r, !r->at_server);
	json_t *info = json_pack(
		"{s:o, s:s, s:o, s:i, s:s, s:s, s:o, s:o, s:o}", "test",
		test_of(r), "Dual_port", "OFF", "Device",
		json_text(port->device), "Number_of_qps", (int)plan->qps,
		"Transport_type", "IB", "Connection_type",
		result_transport_name(plan), "Using_SRQ",
		on(plan_shares_receives(plan)), "PCIe_relax_order",
		on(plan->relaxed_ordering), "ibv_wr_API",
		on(r->rows[0].method == POST_WR));

	add_depths(info, r);
	json_object_set_new(info, "Mtu", json_count(plan->mtu));
	json_object_set_new(info, "Link_type",
			    json_string(port_is_ethernet(port) ? "Ethernet" :
								 "IB"));
	if (gid)
		json_object_set_new(info, "GID_index", json_count(gid->index));
	if (op_table[plan->op].fetches)
		json_object_set_new(info, "Outstand_reads",
				    json_count(plan->outstanding_reads));
	else
		json_object_set_new(info, "Max_inline_data",
				    json_count(r->rows[0].inline_size));
	json_object_set_new(info, "rdma_cm_QPs", json_string(plan->rdma_cm ? "ON" :
									"OFF"));
	json_object_set_new(info, "Data_ex_method", json_string("Ethernet"));
	return info;
}

static json_t *bandwidth_of(const struct result *r,
			    const struct result_row *row)
{
	const struct bandwidth_summary *b = &row->bandwidth;
	const bool gbits = r->params.gbits;

	if (r->params.format == TABLE_BANDWIDTH)
		return json_pack("{s:o}", "bw_avg",
				 json_measured(gbits ? b->gbps :
						       b->mib_per_s));
	if (r->params.format == TABLE_MESSAGE_RATE)
		return json_pack("{s:o}", "msgRate_avg",
				 json_measured(b->mpps));
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "MsgSize",
			 json_count(row->size), "n_iterations",
			 json_count(perftest_iterations(r, row)), "BW_peak",
			 json_measured(perftest_rate(r, b->peak_gbps)),
			 "BW_average",
			 json_measured(gbits ? b->gbps : b->mib_per_s),
			 "MsgRate", json_measured(b->mpps));
}

static json_t *latency_of(const struct result *r, const struct result_row *row)
{
	const struct latency_summary *l = &row->latency;

	if (r->params.timed)
		return json_pack("{s:o, s:o, s:o, s:o}", "MsgSize",
				 json_count(row->size), "n_iterations",
				 json_count(row->iterations), "t_avg",
				 json_measured(l->mean), "tps_average",
				 json_measured((double)row->iterations /
					       row->seconds));
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "MsgSize", json_count(row->size), "n_iterations",
			 json_count(row->iterations), "t_min",
			 json_measured(l->min), "t_max", json_measured(l->max),
			 "t_typical", json_measured(l->p50), "t_avg",
			 json_measured(l->mean), "t_stdev",
			 json_measured(l->stddev), "percentile_99",
			 json_measured(l->p99), "percentile_99.9",
			 json_measured(l->p99_9));
}

static json_t *results_of(const struct result *r, const struct result_row *row)
{
	json_t *results = r->params.plan.metric == METRIC_LATENCY ?
				  latency_of(r, row) : bandwidth_of(r, row);

	if (r->params.cpu)
		json_object_set_new(results, "CPU_util",
				    json_measured(cpu_host_percent(
					    row, !r->at_server)));
	return results;
}

char *report_perftest_json(const struct result *r)
{
	const struct result_row *row = r->n_rows ? &r->rows[r->n_rows - 1] :
						   NULL;

	if (!row || row->failed)
		return json_to_text(json_pack("{s:n, s:n, s:o}", "test_info",
					      "results", "error",
					      json_text(r->error.message)));
	return json_to_text(json_pack(
		"{s:o, s:o}", "test_info", test_info(r), "results",
		results_of(r, row)));
}
