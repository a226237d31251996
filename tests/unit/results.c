#include "config.h"
#include "results.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/time.h"
#include "base/xalloc.h"

static struct port make_port(const char *host, uint8_t link_layer)
{
	struct port port = {
		.device = "rxe0",
		.number = 1,
		.state = IBV_PORT_ACTIVE,
		.link_layer = link_layer,
		.active_mtu = IBV_MTU_1024,
		.rate_mbps = 100000,
		.numa_node = PORT_NO_NODE,
		.n_gids = 1,
	};

	strcpy(port.hostname, host);
	strcpy(port.firmware, "1.2.3");
	port.lid = link_layer == IBV_LINK_LAYER_INFINIBAND ? 17 : 0;
	return port;
}

static void set_path(struct result *r, uint8_t type)
{
	static const uint8_t ipv4[16] = { [10] = 0xff, [11] = 0xff, 10, 0, 0,
					  1 };

	r->has_path = true;
	r->path.global = true;
	r->path.mtu = IBV_MTU_1024;
	r->path.local.index = 1;
	r->path.remote.index = 3;
	r->path.local.type = r->path.remote.type = type;
	memcpy(r->path.local.raw.raw, ipv4, 16);
	memcpy(r->path.remote.raw.raw, ipv4, 16);
	r->path.remote.raw.raw[15] = 2;
}

/* The server's queue pairs have 0x10 and 0x11, the client's 0x20 and 0x21. */
static void add_end(struct result *r, uint32_t client)
{
	struct endpoint *end = &r->ends[client];

	*end = (struct endpoint){
		.lid = (client ? &r->client : &r->server)->lid,
		.va = 0x7f0000000000 + 0x1000 * client,
		.length = 0x2000,
		.stride = 0x100,
		.n = 1,
		.qps = xcalloc(2, sizeof(*end->qps)),
	};
	for (uint32_t i = 0; i < 2; i++)
		end->qps[i] = (struct endpoint_qp){
			.qpn = 0x10 + 0x10 * client + i,
			.psn = 0xabcde + i,
			.rkey = 0x317 + client,
		};
}

static struct result *make(enum op op, enum metric metric, uint8_t link_layer)
{
	struct result *r = xcalloc(1, sizeof(*r));

	param_defaults(&r->params);
	r->params.plan.op = op;
	r->params.plan.metric = metric;
	r->params.plan.sizes = (struct sizes){ 1, { 2 } };
	r->params.plan.mtu = 1024;
	r->params.plan.rx_depth = 512;
	r->params.plan.outstanding_reads = 0;
	r->started.tv_sec = 1700000000;
	r->started.tv_nsec = 123000000;
	r->connected = true;
	r->client = make_port("alpha", link_layer);
	r->server = make_port("beta", link_layer);
	set_path(r, link_layer == IBV_LINK_LAYER_ETHERNET ?
			    GID_TYPE_ROCE_V2 : GID_TYPE_IB);
	r->clock = (struct clock_description){ "tsc", 0.5, 9.25, 0, NAN, "tsc" };
	add_end(r, 0);
	add_end(r, 1);
	return r;
}

struct result *result_bandwidth(void)
{
	struct result *r = make(OP_SEND, METRIC_BANDWIDTH,
				IBV_LINK_LAYER_ETHERNET);

	r->params.plan.qps = r->ends[0].n = r->ends[1].n = 2;
	r->method = POST_WR;
	r->params.plan.sizes = (struct sizes){ 2, { 64, 65536 } };
	r->params.plan.duration = SECOND;
	/* its messages are faster than those of any port today */
	r->client.rate_mbps = r->server.rate_mbps = 1600000;
	r->n_rows = 2;
	for (uint32_t i = 0; i < 2; i++) {
		struct result_row *row = &r->rows[i];

		row->size = r->params.plan.sizes.bytes[i];
		row->tx_depth = 128;
		row->cq_mod = i ? 16 : 100;
		row->post_list = 1;
		row->method = POST_WR;
		row->total.iterations = 1000000;
		row->total.sent = row->total.received = 1200000;
		row->total.checked = true;
		row->total.seconds = 0.5;
		row->total.bandwidth = summary_bandwidth(1000000, row->size, 0.5);
	}
	return r;
}

/* 20 intervals of 0.025 s, of 45,000 and 55,000 messages in turn. */
void result_add_intervals(struct result *r)
{
	for (uint32_t k = 0; k < r->n_rows; k++) {
		struct result_row *row = &r->rows[k];

		row->total.n_intervals = 20;
		row->total.intervals = xcalloc(20, sizeof(*row->total.intervals));
		for (uint32_t i = 0; i < 20; i++)
			row->total.intervals[i] = (struct interval){
				i * 25000000, 25000000, i % 2 ? 55000 : 45000
			};
		intervals_summarise(row->total.intervals, 20, row->size,
				    &row->total.bandwidth);
	}
}

/* Two threads with a QP each; the first is on CPU 3. */
void result_add_threads(struct result *r)
{
	r->params.plan.threads = 2;
	for (uint32_t k = 0; k < r->n_rows; k++) {
		struct result_row *row = &r->rows[k];

		row->total.n_threads = 2;
		row->total.threads = xcalloc(2, sizeof(*row->total.threads));
		row->total.threads[0] = (struct thread_row){ 3, 1, 600000,
						       500000000 };
		row->total.threads[1] = (struct thread_row){ PLAN_AUTO, 1, 400000,
						       0 };
	}
}

/* The client polls with a thread on CPU 3; the server of the first row, which
 * has a NIC's interrupts, rests, and the second row's says nothing. */
void result_add_cpu(struct result *r)
{
	r->params.cpu = true;
	for (uint32_t k = 0; k < r->n_rows; k++) {
		struct end_measured *at = r->rows[k].at;

		at[1].cpu = (struct cpu_cost){
			.ns = 500000000,
			.process = { 490000000, 10000000, 3, 4 },
			.host_busy_ns = 630000000,
			.host_ns = 2000000000,
			.stolen_ns = 20000000,
			.interrupts = CPU_UNKNOWN,
			.n_threads = 1,
			.threads = xcalloc(1, sizeof(struct cpu_thread)),
		};
		at[1].cpu.threads[0] = (struct cpu_thread){
			3, { 480000000, 10000000, 1, CPU_UNKNOWN },
			500000000, 490000000 };
		if (!k)
			at[0].cpu = (struct cpu_cost){
				.ns = 400000000,
				.process = { 0, 200000, 8, 0 },
				.host_busy_ns = CPU_UNKNOWN,
				.host_ns = CPU_UNKNOWN,
				.stolen_ns = CPU_UNKNOWN,
				.interrupts = 1234,
			};
	}
}

struct result *result_latency(uint64_t n)
{
	struct result *r = make(OP_WRITE, METRIC_LATENCY,
				IBV_LINK_LAYER_INFINIBAND);
	struct histogram *h = histogram_new();

	for (uint64_t i = 0; i < n; i++)
		histogram_record(h, i % 2 ? 2600 : 2000);
	r->params.plan.duration = n * 2300;
	r->n_rows = 1;
	r->rows[0] = (struct result_row){
		.size = 2,
		.tx_depth = 128,
		.cq_mod = 32,
		.post_list = 1,
		.total.iterations = n,
		.total.sent = n + 10,
		.total.seconds = (double)n * 2.3e-6,
		.latency = summary_latency(h, 1),
	};
	free(h);
	return r;
}

void result_demand(struct result *r, enum limit_kind kind, double value)
{
	r->params.limits[kind] = (struct limit){ .given = true, .value = value };
}

struct result *result_datagrams(void)
{
	struct result *r = result_bandwidth();

	r->params.plan.transport = TRANSPORT_UD;
	r->params.plan.sizes = (struct sizes){ 1, { 64 } };
	r->n_rows = 1;
	r->rows[0].total.bandwidth.gbps = 2.5;
	r->rows[0].total.bandwidth.mpps = 5;
	r->rows[0].total.sent = 1000;
	r->rows[0].total.received = 995;
	return r;
}

struct result *result_tail(void)
{
	struct result *r = result_latency(10000);

	r->rows[0].latency.mean = 2.2;
	r->rows[0].latency.p50 = 2;
	r->rows[0].latency.p90 = 2.25;
	r->rows[0].latency.p99 = 2.5;
	r->rows[0].latency.p99_9 = 8;
	r->rows[0].latency.p99_99 = 9;
	r->rows[0].latency.max = 12;
	return r;
}

struct result *result_unconnected(void)
{
	struct result *r = make(OP_READ, METRIC_BANDWIDTH,
				IBV_LINK_LAYER_ETHERNET);

	r->connected = r->has_path = false;
	memset(&r->server, 0, sizeof(r->server));
	memset(&r->clock, 0, sizeof(r->clock));
	error_stage(&r->error, "connect");
	fail(&r->error, -ECONNREFUSED, "is it up?", "cannot connect to beta");
	return r;
}
