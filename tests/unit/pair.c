#include "config.h"
#include "pair.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "any_frame.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "good_plan.h"
#include "net/frames.h"
#include "perftest/perftest.h"

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, \
				#condition); \
			abort(); \
		} \
	} while (0)

static void open_end(struct end *e)
{
	struct error err = { 0 };
	struct parameters params;

	param_defaults(&params);
	CHECK(!device_open(&params, &e->device, &err));
	e->cancel_fd = -1;
	e->result = xcalloc(1, sizeof(*e->result));
	e->result->params = params;
}

/* Once: pairs that were opened before may be running. */
static void be_quiet(void)
{
	static bool quiet;

	if (!quiet)
		log_set_level(LOG_ERROR);
	quiet = true;
}

void pair_open(struct pair *p, enum op op, enum metric metric)
{
	struct plan *plan;

	memset(p, 0, sizeof(*p));
	be_quiet();
	open_end(&p->client);
	open_end(&p->server);
	plan = pair_plan(p);
	plan->metric = metric;
	plan->sizes = (struct sizes){ 1, { 64 } };
	set_op(plan, op);
	plan->iterations = 10;
	plan->duration = 0;
	plan->warmup = 0;
}

void pair_sizes(struct pair *p, const struct sizes *sizes)
{
	if (!op_is_atomic(pair_plan(p)->op))
		pair_plan(p)->sizes = *sizes;
}

void pair_hurry(struct pair *p)
{
	p->client.result->params.plan.timeout = 1000000000;
	p->server.result->params.plan.timeout = 1000000000;
}

struct plan *pair_plan(struct pair *p)
{
	return &p->client.result->params.plan;
}

void pair_valid_frame(enum frame_type type, struct frame *frame)
{
	struct endpoint_qp qp = { .qpn = 1, .psn = 2, .rkey = 3 };
	struct parameters params;
	struct any_frame any = {
		.hello = { .version = "0", .hostname = "host" },
		.error = { .stage = "plan", .code = "EPERM",
			   .message = "because" },
		.plan = &params.plan,
		.port = { .active_mtu = IBV_MTU_1024, .pkey = 0xffff },
		.endpoint = { .mtu = IBV_MTU_1024, .length = 64, .stride = 64,
			      .n = 1, .qps = &qp },
		.effective = { .known = true },
		.before = 1,
		.size = 4711,
		.sent = { 1, { 1 } },
		.done = { .posted = 1, .latency = histogram_new() },
	};

	param_defaults(&params);
	params.plan.sizes.n = 1;
	encode_any(type, &any, frame);
	free(any.done.latency);
}

/* All of SIZE bytes; false when the connection is gone. */
static bool read_all(int fd, uint8_t *data, size_t size)
{
	while (size) {
		ssize_t n = recv(fd, data, size, 0);

		if (n <= 0)
			return false;
		data += n;
		size -= (size_t)n;
	}
	return true;
}

static void write_all(int fd, const uint8_t *data, size_t size)
{
	while (size) {
		ssize_t n = send(fd, data, size, MSG_NOSIGNAL);

		if (n <= 0)
			return;
		data += n;
		size -= (size_t)n;
	}
}

void pair_say(int fd, struct frame *frame)
{
	write_all(fd, frame->bytes, WIRE_HEADER_SIZE + frame->length);
	frame_free(frame);
}

/* What queue pairs of TRANSPORT are set to. */
static struct effective ready_for(enum transport transport)
{
	struct effective e = { .known = true };

#define X(name, most, who, ...) \
	e.name = effective_has(who, transport, true) ? 0 : EFFECTIVE_NONE;
	EFFECTIVE_LIST(X)
#undef X
	return e;
}

void pair_say_until_ready(int fd, const struct plan *plan,
			  const struct port *port)
{
	struct endpoint_qp qp = { .qpn = 1, .psn = 2, .rkey = 3 };
	struct endpoint endpoint = {
		.gid = port->gids[0].raw,
		.gid_type = GID_TYPE_ROCE_V2, .gid_index = 1,
		.peer_gid_index = 1, .global = 1, .mtu = IBV_MTU_1024,
		.length = plan_stride(plan), .stride = plan_stride(plan),
		.n = 1, .qps = &qp,
	};
	const struct effective effective =
		ready_for((enum transport)plan->transport);
	struct frame frame;

	pair_valid_frame(FRAME_HELLO, &frame);
	pair_say(fd, &frame);
	frame = encode_plan(plan, port);
	pair_say(fd, &frame);
	frame = encode_endpoint(&endpoint);
	pair_say(fd, &frame);
	frame = encode_ready(&effective);
	pair_say(fd, &frame);
}

static void say_two_endpoints(int to)
{
	struct endpoint_qp qps[] = { { .qpn = 1 }, { .qpn = 2 } };
	const struct endpoint endpoint = {
		.mtu = IBV_MTU_1024, .length = 2, .stride = 1, .n = 2,
		.qps = qps,
	};
	struct frame frame;

	frame = encode_endpoint(&endpoint);
	pair_say(to, &frame);
}

static void poke(uint8_t *at, unsigned int size, uint64_t value)
{
	for (unsigned int i = 0; i < size; i++)
		at[i] = (uint8_t)(value >> (8 * (size - 1 - i)));
}

static void send_spoiled(struct relay *r, int to, uint8_t *bytes, size_t size)
{
	static const char garbage[] = "GET / HTTP/1.1\r\n\r\n";
	struct frame frame;

	switch (r->spoil) {
	case SPOIL_HALF:
		write_all(to, bytes, size / 2);
		return;
	case SPOIL_GARBAGE:
		write_all(to, (const uint8_t *)garbage, sizeof(garbage));
		return;
	case SPOIL_VERSION:
		poke(bytes + 4, 2, WIRE_PROTOCOL + 1);
		break;
	case SPOIL_LENGTH:
		poke(bytes + 8, 4, UINT32_MAX);
		break;
	case SPOIL_BYTES:
		poke(bytes + WIRE_HEADER_SIZE + r->offset, r->size, r->value);
		break;
	case SPOIL_BIT:
		bytes[WIRE_HEADER_SIZE + r->offset] ^= 1;
		break;
	case SPOIL_ENDPOINTS:
		say_two_endpoints(to);
		return;
	case SPOIL_TYPE:
		pair_valid_frame(r->type, &frame);
		write_all(to, frame.bytes, WIRE_HEADER_SIZE + frame.length);
		frame_free(&frame);
		return;
	default:
		return;
	}
	write_all(to, bytes, size);
}

/* One frame from FROM to TO; false at the end of the connection. */
static bool relay_frame(struct relay *r, int from, int to, bool to_client)
{
	uint8_t header[WIRE_HEADER_SIZE], *bytes;
	uint32_t length;
	bool alive, ours;

	if (!read_all(from, header, sizeof(header)))
		return false;
	length = (uint32_t)header[8] << 24 | (uint32_t)header[9] << 16 |
		 (uint32_t)header[10] << 8 | header[11];
	bytes = xcalloc(1, sizeof(header) + length);
	memcpy(bytes, header, sizeof(header));
	if (!read_all(from, bytes + sizeof(header), length)) {
		free(bytes);
		return false;
	}
	alive = header[7] == FRAME_ALIVE;
	ours = r->spoil && to_client == r->to_client && !alive &&
	       r->seen[to_client] == r->nth;
	r->seen[to_client] += !alive;
	if (ours && (r->spoil == SPOIL_SILENCE || r->spoil == SPOIL_HALF))
		r->silent[to_client] = true;
	if (ours)
		send_spoiled(r, to, bytes, sizeof(header) + length);
	else if (!r->silent[to_client])
		write_all(to, bytes, sizeof(header) + length);
	free(bytes);
	if (!ours || r->spoil != SPOIL_CLOSE)
		return true;
	shutdown(to, SHUT_RDWR);
	shutdown(from, SHUT_RDWR);
	return false;
}

static void *relay(void *argument)
{
	struct relay *r = argument;
	struct pollfd fds[2] = {
		{ .fd = r->client_fd, .events = POLLIN },
		{ .fd = r->server_fd, .events = POLLIN },
	};
	const int sockets[2] = { r->client_fd, r->server_fd };

	while ((fds[0].fd >= 0 || fds[1].fd >= 0) && poll(fds, 2, -1) >= 0)
		for (int i = 0; i < 2; i++) {
			if (fds[i].fd < 0 || !fds[i].revents ||
			    relay_frame(r, sockets[i], sockets[!i], i == 1))
				continue;
			/* a host that is down does not close, either */
			fds[i].fd = -1;
			if (!r->silent[i])
				shutdown(sockets[!i], SHUT_WR);
		}
	return NULL;
}

static void *run_client(void *argument)
{
	struct end *e = argument;
	struct session *session;

	e->ret = session_run(true, &session_client_dialogue, &e->conn,
			     &e->device, e->result, &session);
	session_free(session);
	shutdown(e->conn.fd, SHUT_WR);
	return NULL;
}

/* As a server does, whose client may be perftest. */
static int serve(struct end *e, struct session **session)
{
	return session_run(false, &perftest_server_dialogue, &e->conn,
			   &e->device, e->result, session);
}

int pair_serve(struct pair *p, struct session **session)
{
	return serve(&p->server, session);
}

static void *run_server(void *argument)
{
	struct end *e = argument;
	struct session *session;

	e->ret = serve(e, &session);
	session_free(session);
	shutdown(e->conn.fd, SHUT_WR);
	return NULL;
}

void pair_start(struct pair *p)
{
	int a[2], b[2];

	CHECK(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, a));
	oob_adopt(a[0], p->client.cancel_fd, "server", &p->client.conn);
	if (p->relayed) {
		CHECK(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, b));
		p->relay.client_fd = a[1];
		p->relay.server_fd = b[0];
		oob_adopt(b[1], p->server.cancel_fd, "client",
			  &p->server.conn);
		CHECK(!pthread_create(&p->relay.thread, NULL, relay,
				      &p->relay));
	} else {
		oob_adopt(a[1], p->server.cancel_fd, "client",
			  &p->server.conn);
	}
	CHECK(!pthread_create(&p->server.thread, NULL, run_server,
			      &p->server));
	CHECK(!pthread_create(&p->client.thread, NULL, run_client,
			      &p->client));
}

void pair_wait(struct pair *p)
{
	pthread_join(p->client.thread, NULL);
	pthread_join(p->server.thread, NULL);
	if (p->relayed) {
		pthread_join(p->relay.thread, NULL);
		close(p->relay.client_fd);
		close(p->relay.server_fd);
	}
	oob_close(&p->client.conn);
	oob_close(&p->server.conn);
}

void pair_run(struct pair *p)
{
	pair_start(p);
	pair_wait(p);
}

void pair_check_failed(const struct end *e, const char *what)
{
	const struct error *err = &e->result->error;
	size_t length = strlen(err->message);
	bool sentence = length && err->message[length - 1] != '.' &&
			err->message[length - 1] != '\n';

	for (size_t i = 0; i < length; i++)
		sentence &= err->message[i] >= ' ' && err->message[i] <= '~';
	if (e->ret >= 0 || !sentence || !err->stage[0] || !err->code[0]) {
		fprintf(stderr, "%s: %d, stage '%s', code '%s': '%s'\n", what,
			e->ret, err->stage, err->code, err->message);
		abort();
	}
}

void pair_close(struct pair *p)
{
	device_close(&p->client.device);
	device_close(&p->server.device);
	result_free(p->client.result);
	result_free(p->server.result);
}
