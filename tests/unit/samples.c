#include "config.h"
#include "samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "golden.h"
#include "is_number.h"

static const uint8_t gid[16] = { [10] = 0xff, [11] = 0xff, 10, 0, 0, 1 };

struct port sample_port(void)
{
	struct port port = {
		.hostname = "host",
		.device = "mlx5_0",
		.firmware = "1.2",
		.number = 1,
		.state = IBV_PORT_ACTIVE,
		.link_layer = IBV_LINK_LAYER_ETHERNET,
		.active_mtu = IBV_MTU_1024,
		.grh_required = true,
		.lid = 0x1234,
		.pkey = 0x8007,
		.rate_mbps = 100000,
		.numa_node = 1,
		.limits = {
			.max_msg_sz = 1U << 31,
			.max_qp = 1000,
			.max_qp_wr = 16384,
			.max_cqe = 65536,
			.max_qp_rd_atom = 16,
			.max_qp_init_rd_atom = 8,
			.max_srq = 512,
			.max_srq_wr = 8192,
			.max_mr = 1 << 20,
			.odp = { 0x3f, 0x05, 0x23 },
		},
		.n_gids = 1,
		.gids = { { .index = 3, .type = GID_TYPE_ROCE_V2 } },
	};

	memcpy(port.gids[0].raw.raw, gid, 16);
	return port;
}

/* No parameter up to perftest-defaults has its default, so PLAN carries each;
 * the later ones have theirs, and so change no bytes. */
struct plan sample_plan(void)
{
	const uint16_t last = param_find("perftest-defaults")->id;
	struct parameters defaults, params = { .plan = {
		.op = OP_WRITE,
		.metric = METRIC_BANDWIDTH,
		.sizes = { 2, { 64, 1 << 20 } },
		.iterations = 100,
		.duration = 1500000000,
		.warmup = 300000000,
		.timeout = 11000000000,
		.walk = 8192,
		.qps = 4,
		.tx_depth = 128,
		.rx_depth = 64,
		.cq_mod = 16,
		.mtu = 1024,
		.outstanding_reads = 4,
		.qp_timeout = 14,
		.sl = 3,
		.post_list = 32,
		.post = POST_LEGACY,
		.threads = 3,
		.round_trip = true,
		.transport = TRANSPORT_UD,
		.bidirectional = true,
		.reversed = true,
		.imm = true,
		.atomic = ATOMIC_CMP_AND_SWAP,
		.all = true,
		.inline_size = 220,
		.recv_post_list = 16,
		.srq = true,
		.events = true,
		.rate = RATE_MESSAGES | 1200000000,
		.burst = 9,
		.arrival = ARRIVAL_POISSON,
		.open_depth = 33,
		.tclass = 106,
		.dscp = 46,
		.flow_labels = { 2, { 0x3a, 0xfffff } },
		.hop_limit = 63,
		.retry_count = 5,
		.rnr_retry = 2,
		.min_rnr_timer = 21,
		.hugepages = true,
		.mr_per_qp = true,
		.relaxed_ordering = true,
		.odp = true,
		.verify = true,
		.inject = 11,
		.interval = 250000000,
		.check = true,
		.perftest_defaults = true,
	} };

	param_defaults(&defaults);
	for (size_t i = 0; i < param_count; i++) {
		const struct param *row = &param_table[i];

		if (row->id > last && param_is_number(row))
			param_set(&params, row, param_get(&defaults, row));
	}
	return params.plan;
}

struct endpoint sample_endpoint(void)
{
	static struct endpoint_qp qps[] = {
		{ .qpn = 0x11, .psn = 0xabcdef, .rkey = 0xdeadbeef },
		{ .qpn = 0xffffff, .psn = 0, .rkey = 0x4711 },
	};
	struct endpoint e = {
		.lid = 0x1234,
		.gid_type = GID_TYPE_ROCE_V2,
		.gid_index = 3,
		.peer_gid_index = 5,
		.global = 1,
		.mtu = IBV_MTU_1024,
		.qkey = 0x11223344,
		.va = 0x7f0000001000,
		.length = 8192,
		.stride = 4096,
		.n = 2,
		.qps = qps,
	};

	memcpy(e.gid.raw, gid, 16);
	return e;
}

struct error sample_error(void)
{
	return (struct error){
		.stage = "plan",
		.code = "EPERM",
		.message = "because",
		.advice = "try",
	};
}

struct done sample_done(void)
{
	struct done done = {
		.posted = 110,
		.received = 90,
		.counted = 100,
		.window_ns = 1000000,
		.lost = 3,
		.late = 5,
		.window_error = 0x111,
		.interval_error = 0x222,
		.queue_checks = 200,
		.dry = 7,
		.method = POST_WR,
		.inline_size = 220,
		.clock = { "tsc", 0.5, 8, 0.0625, NAN, "tsc" },
		.ns_per_tick = 0.25,
		.latency = histogram_new(),
	};

	return done;
}

static void encode_sample_hello(struct frame *frame)
{
	const struct hello hello = {
		"0.1.0", "host", true, { 0x11, 0x22, 0x33, 0x44, [31] = 0x55 },
	};

	*frame = encode_hello(&hello);
}

static void encode_sample_auth(struct frame *frame)
{
	const struct auth auth = {
		.proof = { 0xa1, 0xb2, 0xc3, [31] = 0xd4 },
		.stream = { 0xe5, 0xf6, [23] = 0xa7 },
	};

	*frame = encode_auth(&auth);
}

static void encode_sample_refuse(struct frame *frame)
{
	const struct error error = sample_error();

	*frame = encode_error(FRAME_REFUSE, &error);
}

static void encode_sample_abort(struct frame *frame)
{
	const struct error error = sample_error();

	*frame = encode_error(FRAME_ABORT, &error);
}

static void encode_sample_plan(struct frame *frame)
{
	const struct plan plan = sample_plan();
	const struct port port = sample_port();

	*frame = encode_plan(&plan, &port);
}

static void encode_sample_accept(struct frame *frame)
{
	const struct port port = sample_port();

	*frame = encode_accept(&port);
}

static void encode_sample_endpoint(struct frame *frame)
{
	const struct endpoint endpoint = sample_endpoint();

	*frame = encode_endpoint(&endpoint);
}

static void encode_sample_reached(struct frame *frame)
{
	const uint8_t bytes[REACHED_SIZE] = { 0x0a, 0x0b, 0x0c, [15] = 0x0d };

	*frame = encode_reached(bytes);
}

static void encode_sample_again(struct frame *frame)
{
	*frame = encode_empty(FRAME_AGAIN);
}

static void encode_sample_start(struct frame *frame)
{
	*frame = encode_start(65536);
}

static void encode_sample_sent(struct frame *frame)
{
	const struct sent sent = { 2, { 70, 40 } };

	*frame = encode_sent(&sent);
}

static void encode_sample_done(struct frame *frame)
{
	static struct thread_row threads[] = {
		{ .cpu = 3, .qps = 1, .iterations = 40, .window_ns = 999999 },
		{ .cpu = PLAN_AUTO, .qps = 2, .iterations = 60,
		  .window_ns = 999998 },
	};
	static struct interval intervals[] = {
		{ 0, 500000, 50 },
		{ 500000, 500000, 50 },
	};
	struct done done = sample_done();

	done.n_threads = 2;
	done.threads = threads;
	done.n_intervals = 2;
	done.intervals = intervals;
	histogram_record(done.latency, 2000);
	histogram_record(done.latency, 1000);
	histogram_record(done.latency, 3000);
	*frame = encode_done(&done);
	free(done.latency);
}

static void encode_sample_done_empty(struct frame *frame)
{
	struct done done = sample_done();

	*frame = encode_done(&done);
	free(done.latency);
}

static void encode_sample_ready(struct frame *frame)
{
	const struct effective effective = {
		true, 3, 106, 0x3a, 63, 1, 1024, 14, 5, 2, 21, EFFECTIVE_NONE,
		8, 128, 512, 1, 2, 220,
	};

	*frame = encode_ready(&effective);
}

static void encode_sample_bye(struct frame *frame)
{
	*frame = encode_empty(FRAME_BYE);
}

static void encode_sample_alive(struct frame *frame)
{
	*frame = encode_empty(FRAME_ALIVE);
}

static void encode_sample_wait(struct frame *frame)
{
	*frame = encode_wait(19);
}

#define SAMPLE(id, name) \
	{ #id, FRAME_##id, golden_##name, sizeof(golden_##name), \
	  encode_sample_##name }

const struct sample samples[] = {
	SAMPLE(HELLO, hello),	    SAMPLE(REFUSE, refuse),
	SAMPLE(PLAN, plan),	    SAMPLE(ACCEPT, accept),
	SAMPLE(ENDPOINT, endpoint), SAMPLE(READY, ready),
	SAMPLE(START, start),	    SAMPLE(DONE, done),
	SAMPLE(DONE, done_empty),   SAMPLE(BYE, bye),
	SAMPLE(ABORT, abort),	    SAMPLE(ALIVE, alive),
	SAMPLE(SENT, sent),	    SAMPLE(WAIT, wait),
	SAMPLE(AUTH, auth),	    SAMPLE(REACHED, reached),
	SAMPLE(AGAIN, again),
};

const size_t n_samples = sizeof(samples) / sizeof(*samples);

struct frame sample_frame(enum frame_type type, const uint8_t *bytes,
			  size_t size)
{
	struct frame frame = {
		.type = type,
		.length = (uint32_t)(size - WIRE_HEADER_SIZE),
		.bytes = xcalloc(1, size),
	};

	memcpy(frame.bytes, bytes, size);
	return frame;
}

static int decode_and_drop_done(const struct frame *frame, struct error *err)
{
	struct done done = { .latency = histogram_new() };
	int ret = decode_done(frame, &done, err);

	done_free(&done);
	free(done.latency);
	return ret;
}

static int decode_and_drop_endpoint(const struct frame *frame,
				    struct error *err)
{
	struct endpoint endpoint;
	int ret = decode_endpoint(frame, &endpoint, err);

	if (!ret)
		free(endpoint.qps);
	return ret;
}

int sample_decode(const struct frame *frame, struct error *err)
{
	struct hello hello;
	struct error error;
	struct plan plan;
	struct port port;
	struct effective effective;
	struct sent sent;
	struct auth auth;
	uint8_t reached[REACHED_SIZE];
	uint64_t size;
	uint32_t before;

	switch (frame->type) {
	case FRAME_HELLO:
		return decode_hello(frame, &hello, err);
	case FRAME_AUTH:
		return decode_auth(frame, &auth, err);
	case FRAME_REFUSE:
	case FRAME_ABORT:
		return decode_error(frame, &error, err);
	case FRAME_PLAN:
		return decode_plan(frame, &plan, &port, err);
	case FRAME_ACCEPT:
		return decode_accept(frame, &port, err);
	case FRAME_ENDPOINT:
		return decode_and_drop_endpoint(frame, err);
	case FRAME_READY:
		return decode_ready(frame, &effective, err);
	case FRAME_WAIT:
		return decode_wait(frame, &before, err);
	case FRAME_REACHED:
		return decode_reached(frame, reached, err);
	case FRAME_START:
		return decode_start(frame, &size, err);
	case FRAME_SENT:
		return decode_sent(frame, &sent, err);
	case FRAME_DONE:
		return decode_and_drop_done(frame, err);
	default:
		return decode_empty(frame, err);
	}
}
