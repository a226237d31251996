/*
 * Writes the seeds of the fuzzers, made by the program's own encoders, into
 * FOLDER/frames, options, perftest, units, server and client.  "make corpus"
 * does it; it is due when the frames change.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "any_frame.h"
#include "base/xalloc.h"
#include "dialogue.h"
#include "every_fact.h"
#include "fuzz.h"
#include "net/frames.h"
#include "perftest/message.h"
#include "tests.h"

#define SEED_MAX 8192
/* The first queue pair of the fake NIC: it may be its own peer. */
#define FIRST_QPN 0x1000

struct seed {
	uint8_t bytes[SEED_MAX];
	size_t size;
};

static void put(struct seed *s, const void *data, size_t size)
{
	MUST(size <= sizeof(s->bytes) - s->size);
	memcpy(s->bytes + s->size, data, size);
	s->size += size;
}

static void put_byte(struct seed *s, unsigned int value)
{
	const uint8_t byte = (uint8_t)value;

	put(s, &byte, 1);
}

static void write_seed(const char *folder, const char *kind, const char *name,
		       const struct seed *s)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, kind);
	MUST(!mkdir(path, 0777) || errno == EEXIST);
	snprintf(path, sizeof(path), "%s/%s/%s", folder, kind, name);
	file = fopen(path, "wb");
	MUST(file);
	MUST(fwrite(s->bytes, 1, s->size, file) == s->size);
	MUST(!fclose(file));
}

/* A port as the fake NIC has. */
static struct port make_port(void)
{
	struct port port = {
		.hostname = "host", .device = "fake0", .firmware = "1.2.3",
		.number = 1, .state = IBV_PORT_ACTIVE,
		.link_layer = IBV_LINK_LAYER_ETHERNET,
		.active_mtu = IBV_MTU_1024, .pkey = 0xffff,
		.rate_mbps = 10000, .numa_node = UINT32_MAX,
		.limits = { .max_msg_sz = 1 << 20, .max_qp = 8,
			    .max_qp_wr = 512, .max_cqe = 4096,
			    .max_qp_rd_atom = 16, .max_qp_init_rd_atom = 16,
			    .max_srq = 16, .max_srq_wr = 512, .max_mr = 512 },
		.n_gids = 1,
	};
	static const uint8_t gid[16] = { [10] = 0xff, [11] = 0xff, 10, 0, 0,
					 2 };

	port.gids[0].index = 1;
	port.gids[0].type = 2;
	memcpy(port.gids[0].raw.raw, gid, sizeof(gid));
	return port;
}

/* One frame of a test's dialogue, from a peer that only looks like one. */
static void make_frame(enum frame_type type, const struct plan *plan,
		       uint64_t size, struct frame *frame)
{
	struct endpoint_qp qps[8];
	struct any_frame any = {
		.hello = { .version = "0", .hostname = "host" },
		.error = { .stage = "plan", .code = "EPERM",
			   .message = "because", .advice = "do not" },
		.plan = plan,
		.port = make_port(),
		.endpoint = {
			.gid_type = 2, .gid_index = 1, .peer_gid_index = 1,
			.global = 1, .mtu = IBV_MTU_1024, .va = 1 << 20,
			.length = plan->qps * plan_stride(plan),
			.stride = plan_stride(plan), .n = plan->qps,
			.qps = qps,
		},
		.effective = { .known = true },
		.size = size,
		.sent = { .n = plan->threads },
		.done = { .clock = { "tsc", 1, 1, 0, NAN, "tsc" },
			  .ns_per_tick = 1 },
	};

	any.endpoint.gid = any.port.gids[0].raw;
	memset(any.reached, DIALOGUE_RANDOM, sizeof(any.reached));
	for (uint32_t i = 0; i < plan->qps; i++)
		qps[i] = (struct endpoint_qp){
			.qpn = FIRST_QPN + i, .psn = i, .rkey = 0x500,
		};
	encode_any(type, &any, frame);
}

static void put_record(struct seed *s, enum frame_type type,
		       const struct plan *plan, uint64_t size)
{
	struct frame frame;

	make_frame(type, plan, size, &frame);
	put_byte(s, type);
	put_byte(s, frame.length >> 8);
	put_byte(s, frame.length);
	put(s, frame.bytes + WIRE_HEADER_SIZE, frame.length);
	frame_free(&frame);
}

/* All that a peer says in a run of PLAN. */
static void put_dialogue(struct seed *s, const struct plan *plan, bool client)
{
	put_record(s, FRAME_HELLO, plan, 0);
	put_record(s, client ? FRAME_PLAN : FRAME_ACCEPT, plan, 0);
	put_record(s, FRAME_ENDPOINT, plan, 0);
	put_record(s, FRAME_READY, plan, 0);
	if (plan_proves_address(plan, client))
		put_record(s, FRAME_REACHED, plan, 0);
	for (uint32_t i = 0; i < plan->sizes.n; i++) {
		put_record(s, FRAME_START, plan, plan->sizes.bytes[i]);
		if (plan->metric == METRIC_LATENCY ? client :
						     plan_sends(plan, client))
			put_record(s, FRAME_SENT, plan, 0);
		put_record(s, FRAME_ALIVE, plan, 0);
		put_record(s, FRAME_DONE, plan, 0);
	}
	put_record(s, FRAME_BYE, plan, 0);
}

static void write_dialogues(const char *folder)
{
	static const uint8_t as_usual[DIALOGUE_SETTINGS - 1] = {
		DIALOGUE_STRAY,
	};
	struct options options;

	for (unsigned int i = 0; tests_get(i, &options); i++) {
		struct seed server = { 0 }, client = { 0 };
		char name[16];

		snprintf(name, sizeof(name), "test%02u", i);
		put(&server, as_usual, sizeof(as_usual));
		put_byte(&server, 0);
		put_dialogue(&server, &options.params.plan, true);
		write_seed(folder, "server", name, &server);
		put(&client, as_usual, sizeof(as_usual));
		put_byte(&client, i);
		put_dialogue(&client, &options.params.plan, false);
		write_seed(folder, "client", name, &client);
	}
}

static void write_frame(const char *folder, const char *name,
			enum frame_type type, const struct plan *plan)
{
	struct seed s = { 0 };
	struct frame frame;

	make_frame(type, plan, 64, &frame);
	put_byte(&s, type);
	put(&s, frame.bytes + WIRE_HEADER_SIZE, frame.length);
	frame_free(&frame);
	write_seed(folder, "frames", name, &s);
}

/* DONE with all that it may carry. */
static void write_done(const char *folder)
{
	struct interval interval = { .start_ns = 1, .length_ns = 9,
				     .messages = 3 };
	struct thread_row thread = { .cpu = 1, .qps = 1, .iterations = 3,
				     .window_ns = 10 };
	uint64_t receivers[] = { 2, 1 };
	struct done done = {
		.posted = 3, .received = 3, .counted = 3, .window_ns = 10,
		.method = 1, .clock = { "tsc", 1, 1, 0, NAN, "tsc" },
		.ns_per_tick = 1,
		.n_threads = 1, .threads = &thread,
		.n_intervals = 1, .intervals = &interval,
		.n_receivers = 2, .receivers = receivers,
		.latency = histogram_new(),
	};
	struct seed s = { 0 };
	struct frame frame;

	for (uint64_t i = 1; i <= 3; i++)
		histogram_record(done.latency, 1000 * i);
	frame = encode_done(&done);
	put_byte(&s, 0x80 | FRAME_DONE);
	put(&s, frame.bytes + WIRE_HEADER_SIZE, frame.length);
	write_seed(folder, "frames", "DONE_samples", &s);
	frame_free(&frame);
	free(done.latency);
}

/* ACCEPT of a later version: a field that may be skipped ends it. */
static void write_newer(const char *folder, const struct plan *plan)
{
	struct field_list list;
	struct seed s = { 0 };
	struct frame frame;
	struct cursor c;

	make_frame(FRAME_ACCEPT, plan, 64, &frame);
	c = wire_open(&frame, NULL);
	c.at = c.size - 2;
	c.size = frame_limit(FRAME_ACCEPT);
	wire_begin_fields(&c, &list);
	wire_begin_field(&c, &list, 60, true, "later");
	wire_put_string(&c, "6.1");
	wire_end_fields(&c, &list);
	frame = wire_end(&c);
	put_byte(&s, FRAME_ACCEPT);
	put(&s, frame.bytes + WIRE_HEADER_SIZE, frame.length);
	frame_free(&frame);
	write_seed(folder, "frames", "ACCEPT_newer", &s);
}

/* ACCEPT and PLAN of an end that knows all of its host. */
static void write_facts(const char *folder, const struct plan *plan)
{
	struct port port = make_port();
	struct frame frames[2];

	port.facts = every_fact();
	frames[0] = encode_plan(plan, &port);
	frames[1] = encode_accept(&port);
	for (int i = 0; i < 2; i++) {
		struct seed s = { 0 };

		put_byte(&s, frames[i].type);
		put(&s, frames[i].bytes + WIRE_HEADER_SIZE, frames[i].length);
		write_seed(folder, "frames", i ? "ACCEPT_facts" : "PLAN_facts",
			   &s);
		frame_free(&frames[i]);
	}
}

static void write_frames(const char *folder)
{
	struct seed header = { 0 };
	struct options options;
	struct frame frame;

	MUST(tests_get(2, &options));
#define X(name, type, limit, ...) \
	write_frame(folder, #name, type, &options.params.plan);
	FRAME_LIST(X)
#undef X
	write_done(folder);
	write_newer(folder, &options.params.plan);
	write_facts(folder, &options.params.plan);
	make_frame(FRAME_START, &options.params.plan, 64, &frame);
	put_byte(&header, 0);
	put(&header, frame.bytes, WIRE_HEADER_SIZE);
	frame_free(&frame);
	write_seed(folder, "frames", "header", &header);
}

static void write_texts(const char *folder, const char *kind,
			const char *const *texts, size_t n, bool numbered)
{
	for (size_t i = 0; i < n; i++) {
		struct seed s = { 0 };
		char name[16];

		if (numbered)
			put_byte(&s, (unsigned int)i);
		put(&s, texts[i], strlen(texts[i]));
		snprintf(name, sizeof(name), "text%02zu", i);
		write_seed(folder, kind, name, &s);
	}
}

/* Each message of perftest, in the order of fuzz_perftest.c. */
static void write_perftest(const char *folder)
{
	static const struct key key = {
		.lid = 10, .reads = 16, .gid.raw = { [15] = 1 },
		.qp = { .qpn = FIRST_QPN, .psn = 0xabcdef, .rkey = 0x500,
			.va = 1 << 20 },
	};
	static const struct report report = { 1024, 40, 2.5, 1.25, 0.5 };
	static const size_t sizes[] = {
		VERSION_SIZE, SIZE_SIZE, MTU_SIZE, KEY_SIZE_GID, KEY_SIZE_LID,
		REPORT_VALUES * REPORT_SIZE, SETTINGS_SIZE_SHORT,
	};
	static const struct settings settings = {
		.verb = VERB_WRITE, .tst = 1, .report_fmt = 1, .size = 65536,
		.iters = 5000, .num_of_qps = 1, .duration = 5,
	};
	uint8_t bytes[7][SETTINGS_SIZE];

	version_encode(VERSION_SAID, bytes[0]);
	size_encode(4096, bytes[1]);
	mtu_encode(IBV_MTU_1024, bytes[2]);
	key_encode(&key, true, bytes[3]);
	key_encode(&key, false, bytes[4]);
	for (int i = 0; i < REPORT_VALUES; i++)
		report_encode(&report, i, bytes[5] + i * REPORT_SIZE);
	settings_encode(&settings, 16, bytes[6]);
	for (unsigned int i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct seed s = { 0 };
		char name[16];

		put_byte(&s, i);
		put(&s, bytes[i], sizes[i]);
		snprintf(name, sizeof(name), "message%u", i);
		write_seed(folder, "perftest", name, &s);
	}
}

int main(int argc, char **argv)
{
	/* in the order of fuzz_units.c */
	static const char *const units[] = {
		"18446744073709551615", "64K", "1.5ms", "64,4K,2..8M",
		"50,99.9,99.9999", "0,2,4-7", "1,2,0xfffff", "1.2Mpps",
		"0-3,8\n", "99.5",
	};
	static const char *const options[] = {
		"verbsperf\nwrite_bw\n-s\n2..8M\n-D\n2\n-q\n4\nhost",
		"verbsperf\nsend_lat\n-n\n10\n-c\nUD\n-x\n1\n--json\nhost",
		"verbsperf\nserve\n--once\n-p\n0\n--max-memory\n1G",
		"ib_write_bw\n-a\n-F\n-d\nmlx5_0\n-i\n1\nhost",
		"verbsperf\ndevices\n-d\nmlx5_0", "verbsperf\ncalibrate",
		"verbsperf\nread_bw\n--loopback\n--rate=2.5Gb/s\n--burst=8",
		"verbsperf\natomic_lat\n--percentiles\n50,99.9\n--cpus\n0-1",
		"verbsperf\n--help", "verbsperf\n-V",
		"verbsperf\nsend_bw\n-b\n-e\n-r\n64\n--flow-label\n1,2\nhost",
		"verbsperf\nsend_bw\n-c\nUD\n--min-gbps=9.5\n--max-lost\n0",
		"verbsperf\nread_lat\n--max-p50=3\n--max-p99.9\n20.5\nhost",
		"ib_send_lat\n-c\nUD\n-s\n64\n--iters=100\n-U",
		"ib_read_bw\n--rate_limit=10\n--rate_units=M\n-D\n5\n-f\n1\nh",
		"ib_write_bw\n-w\n90\n--report_gbits\n--out_json\n-l\n4\nh",
		"ib_write_lat\n--output=latency\n--run_infinitely\nhost",
		"verbsperf\nwrite_bw\n-q\n2\nhost\n--dump-options",
	};

	if (argc != 2) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	MUST(!mkdir(argv[1], 0777) || errno == EEXIST);
	write_texts(argv[1], "units", units,
		    sizeof(units) / sizeof(*units), true);
	write_texts(argv[1], "options", options,
		    sizeof(options) / sizeof(*options), false);
	write_perftest(argv[1]);
	write_frames(argv[1]);
	write_dialogues(argv[1]);
	return 0;
}
