/* Every frame: golden bytes, there and back, and what is refused. */
#include "config.h"
#include "test.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "every_fact.h"
#include "model/param.h"
#include "row_of.h"
#include "samples.h"

TEST(test_golden_bytes)
{
	for (size_t i = 0; i < n_samples; i++) {
		struct frame frame;

		samples[i].encode(&frame);
		if (WIRE_HEADER_SIZE + frame.length != samples[i].size ||
		    memcmp(frame.bytes, samples[i].bytes, samples[i].size))
			fail_msg("%s has other bytes", samples[i].name);
		frame_free(&frame);
		assert_null(frame.bytes);
	}
}

/* Truncated to N bytes of payload, or with junk after it. */
static int decode_cut(const struct sample *s, size_t size, struct error *err)
{
	uint8_t *bytes = calloc(1, size);
	struct frame frame;
	int ret;

	memcpy(bytes, s->bytes, size < s->size ? size : s->size);
	frame = sample_frame(s->type, bytes, size);
	memset(err, 0, sizeof(*err));
	ret = sample_decode(&frame, err);
	frame_free(&frame);
	free(bytes);
	return ret;
}

TEST(test_every_truncation)
{
	for (size_t i = 0; i < n_samples; i++) {
		struct error err;

		assert_int_equal(decode_cut(&samples[i], samples[i].size,
					    &err), 0);
		for (size_t n = WIRE_HEADER_SIZE; n < samples[i].size; n++) {
			if (decode_cut(&samples[i], n, &err) != -EPROTO)
				fail_msg("%s cut to %zu was taken",
					 samples[i].name, n);
			assert_true(error_is_set(&err));
		}
		assert_int_equal(decode_cut(&samples[i], samples[i].size + 1,
					    &err), -EPROTO);
		assert_contains(error_text(&err), "with 1 bytes too many");
	}
}

/* Whatever is in a frame: no crash, and an error has a sentence. */
TEST(test_random_corruption)
{
	uint64_t seed = 4711;

	for (int turn = 0; turn < 5000; turn++) {
		const struct sample *s = &samples[turn % (int)n_samples];
		struct error err = { 0 };
		struct frame frame = sample_frame(s->type, s->bytes, s->size);

		for (int k = 0; k < 1 + turn % 4 && frame.length; k++)
			frame.bytes[WIRE_HEADER_SIZE +
				    next_random(&seed) % frame.length] =
				(uint8_t)next_random(&seed);
		if (sample_decode(&frame, &err))
			assert_true(error_is_set(&err));
		frame_free(&frame);
	}
}

/* By its bytes: what lies between the fields of a struct is anything. */
static void check_same_plan(const struct plan *a, const struct plan *b)
{
	const struct port port = { 0 };
	struct frame one, other;

	one = encode_plan(a, &port);
	other = encode_plan(b, &port);
	assert_int_equal(one.length, other.length);
	assert_memory_equal(one.bytes, other.bytes, one.length);
	frame_free(&one);
	frame_free(&other);
}

TEST(test_plan_there_and_back)
{
	struct plan plan = sample_plan(), got;
	struct port port = sample_port(), client;
	struct error err = { 0 };
	struct frame frame;

	for (int op = 0; op < OP_COUNT; op++)
		for (int metric = 0; metric < METRIC_COUNT; metric++) {
			plan.op = (enum op)op;
			plan.metric = (enum metric)metric;
			frame = encode_plan(&plan, &port);
			memset(&got, 0, sizeof(got));
			assert_int_equal(decode_plan(&frame, &got, &client,
						     &err), 0);
			check_same_plan(&got, &plan);
			assert_memory_equal(&client, &port, sizeof(port));
			frame_free(&frame);
		}
}

/* A plan of one size and every default takes few bytes. */
/* A transport that no port is said to have is refused: InfiniBand's and
 * iWARP's are said otherwise. */
TEST(test_transport_of_a_port)
{
	static const struct {
		uint8_t transport;
		bool taken;
	} rows[] = {
		{ 0, true },
		{ IBV_TRANSPORT_IWARP, false },
		{ IBV_TRANSPORT_USNIC, true },
		{ IBV_TRANSPORT_UNSPECIFIED, true },
		{ PORT_TRANSPORT_UNKNOWN, true },
		{ PORT_TRANSPORT_UNKNOWN + 1, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct port sent = sample_port(), got;
		struct error err = { 0 };
		struct frame frame;
		int ret;

		sent.transport = rows[i].transport;
		frame = encode_accept(&sent);
		ret = decode_accept(&frame, &got, &err);
		assert_int_equal(!ret, rows[i].taken);
		if (rows[i].taken)
			assert_int_equal(got.transport, sent.transport);
		else
			assert_true(error_is_set(&err));
		frame_free(&frame);
	}
}

TEST(test_defaults_do_not_travel)
{
	struct port port = sample_port(), client;
	struct parameters params;
	struct error err = { 0 };
	struct frame full, frame;
	struct plan got;

	param_defaults(&params);
	params.plan.sizes = (struct sizes){ 1, { 64 } };
	full = encode_accept(&port);
	frame = encode_plan(&params.plan, &port);
	/* operation, metric, one field: its head and the size */
	assert_int_equal(frame.length,
			 full.length + 2 + 2 + (3 + 2 + 4 + 4) + 8);
	memset(&got, 0xff, sizeof(got));
	assert_int_equal(decode_plan(&frame, &got, &client, &err), 0);
	check_same_plan(&got, &params.plan);
	for (size_t i = 0; i < param_count; i++) {
		const struct param *row = &param_table[i];
		struct parameters theirs = { .plan = got };

		if ((row->who & PARAM_PLAN) && param_is_number(row))
			assert_int_equal(param_get(&theirs, row),
					 param_get(&params, row));
	}
	assert_int_equal(got.flow_labels.n, 0);
	frame_free(&full);
	frame_free(&frame);
}

/* A value that a default could be, other than that. */
static uint64_t another_value(const struct param *row, uint64_t initial)
{
	if (row->kind == PARAM_RATE)
		return 1;
	return initial == row->max ? row->min : row->max;
}

TEST(test_every_parameter_travels)
{
	struct port port = sample_port(), client;
	struct parameters params;
	struct error err = { 0 };
	struct frame frame;

	for (size_t i = 0; i < param_count; i++) {
		const struct param *row = &param_table[i];
		struct parameters theirs = { 0 };

		if (!(row->who & PARAM_PLAN) || !param_is_number(row))
			continue;
		param_defaults(&params);
		params.plan.sizes = (struct sizes){ 1, { 64 } };
		param_set(&params, row,
			  another_value(row, param_get(&params, row)));
		frame = encode_plan(&params.plan, &port);
		assert_int_equal(decode_plan(&frame, &theirs.plan, &client,
					     &err), 0);
		assert_int_equal(param_get(&theirs, row),
				 param_get(&params, row));
		check_same_plan(&theirs.plan, &params.plan);
		frame_free(&frame);
	}
}

/* PLAN of a client with one parameter more than this version has. */
static struct frame newer_plan(bool optional, const char *name)
{
	struct plan plan = sample_plan();
	struct port port = sample_port();
	struct frame frame, accept;
	struct field_list list = { 0 };
	struct cursor c;

	accept = encode_accept(&port);
	frame = encode_plan(&plan, &port);
	c = wire_open(&frame, NULL);
	c.at = frame.length;
	c.size = frame_limit(FRAME_PLAN);
	list.n_at = accept.length + 2;
	list.n = (uint32_t)(c.bytes[list.n_at] << 8 | c.bytes[list.n_at + 1]);
	wire_begin_field(&c, &list, 60000, optional, name);
	wire_put(&c, 2, 1);
	wire_end_fields(&c, &list);
	frame = wire_end(&c);
	frame_free(&accept);
	return frame;
}

TEST(test_plan_of_a_later_version)
{
	struct plan plan = sample_plan(), got;
	struct error err = { 0 };
	struct port client;
	struct frame frame;

	frame = newer_plan(true, "new-option");
	assert_int_equal(decode_plan(&frame, &got, &client, &err), 0);
	check_same_plan(&got, &plan);
	frame_free(&frame);
	frame = newer_plan(false, "new-option");
	assert_int_equal(decode_plan(&frame, &got, &client, &err), -EPROTO);
	assert_message(&err, "the client asks for --new-option, which this "
			     "version does not know");
	assert_string_equal(err.advice, "upgrade verbsperf on the server, or "
					"leave --new-option out");
	frame_free(&frame);
	error_clear(&err);
	frame = newer_plan(false, "\x1b]0;x\a");
	assert_int_equal(decode_plan(&frame, &got, &client, &err), -EPROTO);
	assert_message(&err, "the client asks for --?]0;x?, which this "
			     "version does not know");
	assert_string_equal(err.advice, "upgrade verbsperf on the server, or "
					"leave --?]0;x? out");
	frame_free(&frame);
}

/* A plan that names no size is refused, because sizes have no default. */
TEST(test_plan_without_sizes)
{
	struct plan plan = sample_plan(), got;
	struct port port = sample_port(), client;
	struct error err = { 0 };
	struct frame frame;

	plan.sizes.n = 0;
	frame = encode_plan(&plan, &port);
	memset(&got, 0x5a, sizeof(got));
	plan = got;
	assert_int_equal(decode_plan(&frame, &got, &client, &err), -EPROTO);
	assert_message(&err, "the peer sent a PLAN with number of sizes 0: "
			     "expected 1 to 64");
	assert_memory_equal(&got, &plan, sizeof(got));
	frame_free(&frame);
}

TEST(test_endpoint_there_and_back)
{
	struct endpoint e = sample_endpoint(), got;
	struct error err = { 0 };
	struct frame frame;

	frame = encode_endpoint(&e);
	assert_int_equal(decode_endpoint(&frame, &got, &err), 0);
	assert_memory_equal(got.qps, e.qps, 2 * sizeof(*e.qps));
	assert_memory_equal(got.gid.raw, e.gid.raw, 16);
	assert_true(got.va == e.va && got.qkey == e.qkey && got.n == e.n &&
		    got.length == e.length && got.stride == e.stride &&
		    got.lid == e.lid && got.gid_index == e.gid_index &&
		    got.peer_gid_index == e.peer_gid_index &&
		    got.global == e.global && got.mtu == e.mtu &&
		    got.gid_type == e.gid_type);
	free(got.qps);
	frame_free(&frame);
}

/* Over XRC with two more numbers of each queue pair; other transports have
 * nothing of the kind. */
TEST(test_targets_there_and_back)
{
	static const struct {
		uint32_t target, srqn;
		const char *text;	/* NULL: taken */
	} rows[] = {
		{ 0, 0, NULL },
		{ 0xffffff, 0xffffff, NULL },
		{ 0x1000000, 1, "the peer sent an ENDPOINT with QPN that "
				"receives 16777216: expected 0 to 16777215" },
		{ 1, 0x1000000, "the peer sent an ENDPOINT with SRQ number "
				"16777216: expected 0 to 16777215" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct endpoint e = sample_endpoint(), got;
		struct error err = { 0 };
		struct frame frame;

		e.targets = true;
		e.qps[0].target = 7;
		e.qps[0].srqn = 8;
		e.qps[1].target = rows[i].target;
		e.qps[1].srqn = rows[i].srqn;
		frame = encode_endpoint(&e);
		assert_int_equal(decode_endpoint(&frame, &got, &err),
				 rows[i].text ? -EPROTO : 0);
		frame_free(&frame);
		if (rows[i].text) {
			assert_message(&err, rows[i].text);
			continue;
		}
		assert_true(got.targets);
		assert_memory_equal(got.qps, e.qps, 2 * sizeof(*e.qps));
		free(got.qps);
	}
}

/* One queue pair too few, or too many. */
TEST(test_wrong_number_of_targets)
{
	for (uint32_t n = 1; n < 4; n++) {
		struct endpoint e = sample_endpoint(), got;
		struct error err = { 0 };
		struct field_list list;
		struct frame frame;
		struct cursor c;

		frame = encode_endpoint(&e);
		c = (struct cursor){ .bytes = frame.bytes + WIRE_HEADER_SIZE,
				     .size = frame_limit(FRAME_ENDPOINT),
				     .type = FRAME_ENDPOINT,
				     .at = frame.length - 2 };
		wire_begin_fields(&c, &list);
		wire_begin_field(&c, &list, 3, false, "xrc");
		for (uint32_t i = 0; i < n; i++)
			wire_put(&c, 8, i);
		wire_end_fields(&c, &list);
		frame = wire_end(&c);
		assert_int_equal(decode_endpoint(&frame, &got, &err),
				 n == 2 ? 0 : -EPROTO);
		frame_free(&frame);
		if (n == 2)
			free(got.qps);
		else
			assert_contains(error_text(&err),
					n < 2 ? "too short" : "too long");
	}
}

/* The memory of the other end is a text of its own choice, and optional. */
TEST(test_memory_there_and_back)
{
	static const char *const texts[] = {
		"", "anonymous", "cuda:0 (dma-buf)",
		"63 bytes are as many as there can be, and here they are, all..",
	};
	struct error err = { 0 };

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct endpoint e = sample_endpoint(), got;
		struct frame frame;

		snprintf(e.memory, sizeof(e.memory), "%s", texts[i]);
		frame = encode_endpoint(&e);
		assert_int_equal(decode_endpoint(&frame, &got, &err), 0);
		assert_string_equal(got.memory, texts[i]);
		free(got.qps);
		frame_free(&frame);
	}
}

/* ENDPOINT whose memory is LENGTH bytes of FILL. */
static int decode_memory(size_t length, char fill, struct endpoint *got,
			 struct error *err)
{
	struct endpoint e = sample_endpoint();
	char text[MEMORY_TEXT_SIZE + 8] = "";
	struct field_list list;
	struct frame frame;
	struct cursor c;
	int ret;

	frame = encode_endpoint(&e);
	c = (struct cursor){ .bytes = frame.bytes + WIRE_HEADER_SIZE,
			     .size = frame_limit(FRAME_ENDPOINT),
			     .type = FRAME_ENDPOINT,
			     .at = frame.length - 2 };
	memset(text, fill, length);
	wire_begin_fields(&c, &list);
	wire_begin_field(&c, &list, 2, true, "memory");
	wire_put_string(&c, text);
	wire_end_fields(&c, &list);
	frame = wire_end(&c);
	ret = decode_endpoint(&frame, got, err);
	frame_free(&frame);
	return ret;
}

TEST(test_memory_of_a_bad_peer)
{
	struct error err = { 0 };
	struct endpoint got;

	assert_int_equal(decode_memory(MEMORY_TEXT_SIZE, 'x', &got, &err),
			 -EPROTO);
	error_clear(&err);
	assert_int_equal(decode_memory(MEMORY_TEXT_SIZE - 1, '\033', &got,
				       &err), 0);
	for (int i = 0; i < MEMORY_TEXT_SIZE - 1; i++)
		assert_int_equal(got.memory[i], '?');
	free(got.qps);
}

TEST(test_done_there_and_back)
{
	struct done done = sample_done(), got = { .latency = histogram_new() };
	struct error err = { 0 };
	uint64_t seed = 99;
	struct frame frame;

	for (int i = 0; i < 10000; i++)
		histogram_record(done.latency, next_random(&seed) >> 40);
	frame = encode_done(&done);
	histogram_record(got.latency, 5);	/* is forgotten */
	assert_int_equal(decode_done(&frame, &got, &err), 0);
	assert_memory_equal(got.latency, done.latency,
			    sizeof(*done.latency));
	assert_int_equal(got.posted, done.posted);
	assert_int_equal(got.received, done.received);
	assert_int_equal(got.lost, done.lost);
	assert_int_equal(got.late, done.late);
	assert_int_equal(got.window_error, done.window_error);
	assert_int_equal(got.interval_error, done.interval_error);
	assert_int_equal(got.queue_checks, done.queue_checks);
	assert_int_equal(got.dry, done.dry);
	assert_int_equal(got.inline_size, done.inline_size);
	assert_int_equal(got.counted, done.counted);
	assert_int_equal(got.window_ns, done.window_ns);
	assert_string_equal(got.clock.source, "tsc");
	assert_true(got.clock.deviation == 0.0625);
	assert_true(got.ns_per_tick == 0.25);
	assert_int_equal(got.method, POST_WR);
	assert_int_equal(got.n_threads, 0);
	assert_int_equal(got.n_intervals, 0);
	frame_free(&frame);
	done_free(&got);
	free(done.latency);
	free(got.latency);
}

/* Of an end that sleeps. */
TEST(test_done_with_events)
{
	struct done done = sample_done(), got = { .latency = histogram_new() };
	struct error err = { 0 };
	struct frame frame;

	free(done.latency);
	done.latency = NULL;
	done.own.events = (struct event_counts){ true, 4711, COUNT_MAX };
	frame = encode_done(&done);
	assert_int_equal(decode_done(&frame, &got, &err), 0);
	assert_true(got.own.events.known);
	assert_int_equal(got.own.events.sends, 4711);
	assert_int_equal(got.own.events.receives, COUNT_MAX);
	done_free(&got);
	frame_free(&frame);
	done.own.events.receives++;
	frame = encode_done(&done);
	assert_int_equal(decode_done(&frame, &got, &err), 0);
	assert_false(got.own.events.known);
	assert_string_equal(error_text(&got.implausible),
			    "the peer sent a DONE with events of receives "
			    "1152921504606846977: expected 0 to "
			    "1152921504606846976 (events left out)");
	done_free(&got);
	frame_free(&frame);
	free(got.latency);
}

/* Times by the server's clock, how far that is from its kernel's, and what that
 * one counts by. */
TEST(test_done_with_a_clock)
{
	static const double drifts[] = { 0.25, -1e-6, NAN, INFINITY };
	struct error err = { 0 };
	struct frame frame;

	for (size_t i = 0; i < COUNT(drifts); i++) {
		struct done done = sample_done(), got = { 0 };

		free(done.latency);
		done.latency = NULL;
		done.clock.resolution_ns = (double)COUNT_MAX;
		done.clock.drift = drifts[i];
		strcpy(done.clock.kernel, "hpet");
		done.span[0] = UINT64_MAX;
		done.span[1] = 4711;
		frame = encode_done(&done);
		assert_int_equal(decode_done(&frame, &got, &err), 0);
		assert_memory_equal(&got.clock.drift, &drifts[i],
				    sizeof(double));
		assert_true(got.span[0] == UINT64_MAX && got.span[1] == 4711);
		assert_string_equal(got.clock.kernel, "hpet");
		done_free(&got);
		frame_free(&frame);
	}
}

/* Of a count that cannot be nothing is kept. */
TEST(test_done_with_other_senders)
{
	const uint64_t counts[] = { 1, COUNT_MAX, COUNT_MAX + 1 };
	struct error err = { 0 };
	struct frame frame;

	for (size_t i = 0; i < COUNT(counts); i++) {
		const bool good = counts[i] <= COUNT_MAX;
		struct done done = sample_done(), got = { 0 };

		free(done.latency);
		done.latency = NULL;
		done.others = counts[i];
		frame = encode_done(&done);
		assert_int_equal(decode_done(&frame, &got, &err), 0);
		assert_int_equal(got.others, good ? counts[i] : 0);
		assert_int_equal(error_is_set(&got.implausible), !good);
		error_clear(&got.implausible);
		frame_free(&frame);
		done_free(&got);
	}
}

/* Times that are none are left out, and nothing else. */
TEST(test_done_with_what_was_heard)
{
	static const struct {
		uint64_t n, heard[2];
		bool good;
	} rows[] = {
		{ 0, { 1, 2 }, true }, { COUNT_MAX, { 1, COUNT_MAX }, true },
		{ COUNT_MAX + 1, { 1, 2 }, false },
		{ 1, { COUNT_MAX + 1, 2 }, false },
		{ 1, { 2, COUNT_MAX + 1 }, false },
	};
	struct error err = { 0 };
	struct frame frame;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct done done = sample_done(), got = { 0 };

		free(done.latency);
		done.latency = NULL;
		done.n_heard = rows[i].n;
		memcpy(done.heard, rows[i].heard, sizeof(done.heard));
		frame = encode_done(&done);
		assert_int_equal(decode_done(&frame, &got, &err), 0);
		assert_true(error_is_set(&got.implausible) != rows[i].good);
		assert_int_equal(got.n_heard, rows[i].good ? rows[i].n : 0);
		assert_int_equal(got.heard[1],
				 rows[i].good ? rows[i].heard[1] : 0);
		done_free(&got);
		frame_free(&frame);
	}
}

/* Packets that cannot be are left out, too. */
TEST(test_done_with_packets)
{
	static const struct packet_counts rows[] = {
		{ false, 0, 0, 0, 0 }, { true, 0, 0, 0, 0 },
		{ true, 1, 2, 3, COUNT_MAX }, { true, COUNT_MAX + 1, 0, 0, 0 },
		{ true, 0, COUNT_MAX + 1, 0, 0 },
		{ true, 0, 0, COUNT_MAX + 1, 0 },
		{ true, 0, 0, 0, COUNT_MAX + 1 },
	};
	struct error err = { 0 };
	struct frame frame;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct done done = sample_done(), got = { 0 };

		free(done.latency);
		done.latency = NULL;
		done.own.packets = rows[i];
		frame = encode_done(&done);
		assert_int_equal(decode_done(&frame, &got, &err), 0);
		assert_true(error_is_set(&got.implausible) == (i > 2));
		assert_int_equal(got.own.packets.known, i == 1 || i == 2);
		if (i <= 2)
			assert_int_equal(got.own.packets.in, rows[i].in);
		done_free(&got);
		frame_free(&frame);
	}
}

/* A number that is none is left out, too. */
TEST(test_done_with_what_was_left)
{
	static const uint64_t left[] = { 0, 1, COUNT_MAX, COUNT_MAX + 1 };
	struct error err = { 0 };
	struct frame frame;

	for (size_t i = 0; i < COUNT(left); i++) {
		const bool good = left[i] <= COUNT_MAX;
		struct done done = sample_done(), got = { 0 };

		free(done.latency);
		done.latency = NULL;
		done.left = left[i];
		frame = encode_done(&done);
		assert_int_equal(decode_done(&frame, &got, &err), 0);
		assert_true(error_is_set(&got.implausible) != good);
		assert_int_equal(got.left, good ? left[i] : 0);
		done_free(&got);
		frame_free(&frame);
	}
}

/* More than fits is refused by the encoder's own limits, not by the peer. */
TEST(test_done_with_all_there_can_be)
{
	struct thread_row threads[CPUS_MAX] = { { 1, 2, 3, 4 } };
	struct interval *intervals = calloc(10000, sizeof(*intervals));
	struct done done = sample_done(), got = { .latency = histogram_new() };
	struct error err = { 0 };
	struct frame frame;

	for (uint32_t i = 0; i < HISTOGRAM_BINS; i++)
		histogram_record(done.latency, histogram_bin_low(i));
	for (uint32_t i = 0; i < 10000; i++)
		intervals[i] = (struct interval){ i, 1, i == 7 ? 100 : 0 };
	done.n_threads = CPUS_MAX;
	done.threads = threads;
	done.n_intervals = 10000;
	done.intervals = intervals;
	frame = encode_done(&done);
	assert_int_equal(decode_done(&frame, &got, &err), 0);
	assert_int_equal(got.n_threads, CPUS_MAX);
	assert_memory_equal(got.threads, threads, sizeof(threads));
	assert_int_equal(got.n_intervals, 10000);
	assert_memory_equal(got.intervals, intervals,
			    10000 * sizeof(*intervals));
	assert_memory_equal(got.latency, done.latency,
			    sizeof(*done.latency));
	frame_free(&frame);
	done_free(&got);
	free(intervals);
	free(done.latency);
	free(got.latency);
}

/* A bandwidth has no samples: a peer that sends some is refused. */
TEST(test_done_without_a_histogram)
{
	struct done done = sample_done(), got = { 0 };
	struct error err = { 0 };
	struct frame frame;

	frame = encode_done(&done);
	assert_int_equal(decode_done(&frame, &got, &err), 0);
	done_free(&got);
	frame_free(&frame);
	histogram_record(done.latency, 5);
	frame = encode_done(&done);
	assert_int_equal(decode_done(&frame, &got, &err), -EPROTO);
	assert_contains(error_text(&err), "samples 1");
	done_free(&got);
	frame_free(&frame);
	free(done.latency);
}

TEST(test_sent_there_and_back)
{
	struct sent sent = { .n = CPUS_MAX }, got;
	struct error err = { 0 };
	struct frame frame;

	for (uint32_t i = 0; i < sent.n; i++)
		sent.messages[i] = COUNT_MAX - i;
	frame = encode_sent(&sent);
	assert_int_equal(frame.length, frame_limit(FRAME_SENT));
	assert_int_equal(decode_sent(&frame, &got, &err), 0);
	assert_memory_equal(&got.messages, &sent.messages,
			    sizeof(sent.messages));
	assert_int_equal(got.n, CPUS_MAX);
	frame_free(&frame);
}

TEST(test_the_peers_error)
{
	struct error theirs = sample_error(), err = { 0 };
	struct frame frame;

	error_stage(&err, "traffic");
	frame = encode_error(FRAME_ABORT, &theirs);
	assert_int_equal(frames_take_error(&frame, "server", &err),
			 -ECONNABORTED);
	assert_message(&err, "the server: because");
	assert_string_equal(err.stage, "plan");
	assert_string_equal(err.code, "EPERM");
	assert_string_equal(err.advice, "try");
	assert_true(err.from_peer);
	frame_free(&frame);
}

/* What failed first stays: message, stage and whose it was. */
TEST(test_the_peers_error_comes_second)
{
	struct error theirs = sample_error(), err = { 0 }, before;
	struct frame frame;

	error_stage(&err, "traffic");
	assert_int_equal(fail_code(&err, -EIO, "EIO", "look", "it broke"),
			 -EIO);
	before = err;
	frame = encode_error(FRAME_ABORT, &theirs);
	assert_int_equal(frames_take_error(&frame, "server", &err),
			 -ECONNABORTED);
	assert_memory_equal(&err, &before, sizeof(err));
	frame_free(&frame);
}

static void longest(char *text, size_t size)
{
	memset(text, 'x', size - 1);
	text[size - 1] = '\0';
}

static struct port largest_port(void)
{
	struct port port = sample_port();

	longest(port.hostname, sizeof(port.hostname));
	longest(port.device, sizeof(port.device));
	longest(port.firmware, sizeof(port.firmware));
	port.facts = every_fact();
	port.limits.max_sge = 1;
	port.limits.max_mcast_grp = 1;
	port.iwarp = true;
	port.transport = PORT_TRANSPORT_UNKNOWN;
	port.n_gids = PORT_GIDS_MAX;
	for (uint32_t i = 0; i < port.n_gids; i++)
		port.gids[i] = port.gids[0];
	return port;
}

/* The largest of each type is encoded whole, and taken. */
static void check_whole(struct frame *frame)
{
	struct error err = { 0 };

	assert_true(frame->length <= frame_limit(frame->type));
	if (sample_decode(frame, &err))
		fail_msg("%s: %s", frame_name(frame->type), err.message);
	frame_free(frame);
}

TEST(test_the_largest_texts_and_ports)
{
	struct port port = largest_port();
	struct plan plan = sample_plan();
	struct hello hello = { .has_key = true };
	struct error error;
	struct frame frame;

	longest(hello.version, sizeof(hello.version));
	longest(hello.hostname, sizeof(hello.hostname));
	frame = encode_hello(&hello);
	check_whole(&frame);
	longest(error.stage, sizeof(error.stage));
	longest(error.code, sizeof(error.code));
	longest(error.message, sizeof(error.message));
	longest(error.advice, sizeof(error.advice));
	frame = encode_error(FRAME_REFUSE, &error);
	check_whole(&frame);
	frame = encode_error(FRAME_ABORT, &error);
	check_whole(&frame);
	plan.sizes.n = SIZES_MAX;
	plan.flow_labels.n = LABELS_MAX;
	while (plan.batch.n < BATCH_PARTS_MAX)
		plan.batch.parts[plan.batch.n++] = (struct batch_part){ 1, 1 };
	frame = encode_plan(&plan, &port);
	check_whole(&frame);
	frame = encode_accept(&port);
	check_whole(&frame);
}

TEST(test_the_largest_endpoint_and_histogram)
{
	struct endpoint e = sample_endpoint();
	struct done done = sample_done();
	struct frame frame;

	e.n = ENDPOINT_QPS_MAX;
	e.length = UINT64_MAX - e.va;
	e.stride = 1;
	e.qps = calloc(e.n, sizeof(*e.qps));
	frame = encode_endpoint(&e);
	check_whole(&frame);
	e.targets = true;
	e.n /= 2;
	frame = encode_endpoint(&e);
	check_whole(&frame);
	free(e.qps);
	for (uint32_t i = 0; i < HISTOGRAM_BINS; i++)
		histogram_record(done.latency, histogram_bin_low(i));
	longest(done.clock.source, sizeof(done.clock.source));
	frame = encode_done(&done);
	check_whole(&frame);
	free(done.latency);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_golden_bytes),
	cmocka_unit_test(test_every_truncation),
	cmocka_unit_test(test_random_corruption),
	cmocka_unit_test(test_plan_there_and_back),
	cmocka_unit_test(test_transport_of_a_port),
	cmocka_unit_test(test_defaults_do_not_travel),
	cmocka_unit_test(test_every_parameter_travels),
	cmocka_unit_test(test_plan_of_a_later_version),
	cmocka_unit_test(test_plan_without_sizes),
	cmocka_unit_test(test_endpoint_there_and_back),
	cmocka_unit_test(test_targets_there_and_back),
	cmocka_unit_test(test_wrong_number_of_targets),
	cmocka_unit_test(test_memory_there_and_back),
	cmocka_unit_test(test_memory_of_a_bad_peer),
	cmocka_unit_test(test_done_there_and_back),
	cmocka_unit_test(test_done_with_events),
	cmocka_unit_test(test_done_with_a_clock),
	cmocka_unit_test(test_done_with_other_senders),
	cmocka_unit_test(test_done_with_what_was_heard),
	cmocka_unit_test(test_done_with_packets),
	cmocka_unit_test(test_done_with_what_was_left),
	cmocka_unit_test(test_done_with_all_there_can_be),
	cmocka_unit_test(test_done_without_a_histogram),
	cmocka_unit_test(test_sent_there_and_back),
	cmocka_unit_test(test_the_peers_error),
	cmocka_unit_test(test_the_peers_error_comes_second),
	cmocka_unit_test(test_the_largest_texts_and_ports),
	cmocka_unit_test(test_the_largest_endpoint_and_histogram),
};

TEST_MAIN(tests, 60)
