#include "config.h"
#include "net/frames.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

struct frame encode_empty(enum frame_type type)
{
	struct cursor c = wire_begin(type);

	return wire_end(&c);
}

int decode_empty(const struct frame *frame, struct error *err)
{
	struct cursor c = wire_open(frame, err);

	return wire_close(&c);
}

struct frame encode_hello(const struct hello *hello)
{
	struct cursor c = wire_begin(FRAME_HELLO);

	wire_put_string(&c, hello->version);
	wire_put_string(&c, hello->hostname);
	wire_put(&c, 1, hello->has_key);
	wire_put_raw(&c, hello->nonce, sizeof(hello->nonce));
	return wire_end(&c);
}

int decode_hello(const struct frame *frame, struct hello *hello,
		 struct error *err)
{
	struct cursor c = wire_open(frame, err);

	wire_get_string(&c, hello->version, sizeof(hello->version));
	wire_get_string(&c, hello->hostname, sizeof(hello->hostname));
	hello->has_key = wire_get_within(&c, 1, "key", 0, 1);
	wire_get_raw(&c, hello->nonce, sizeof(hello->nonce));
	return wire_close(&c);
}

struct frame encode_auth(const struct auth *auth)
{
	struct cursor c = wire_begin(FRAME_AUTH);

	wire_put_raw(&c, auth->proof, AUTH_PROOF_SIZE);
	wire_put_raw(&c, auth->stream, AUTH_STREAM_SIZE);
	return wire_end(&c);
}

int decode_auth(const struct frame *frame, struct auth *auth, struct error *err)
{
	struct cursor c = wire_open(frame, err);

	wire_get_raw(&c, auth->proof, AUTH_PROOF_SIZE);
	wire_get_raw(&c, auth->stream, AUTH_STREAM_SIZE);
	return wire_close(&c);
}

struct frame encode_wait(uint32_t before)
{
	struct cursor c = wire_begin(FRAME_WAIT);

	wire_put(&c, 4, before);
	return wire_end(&c);
}

int decode_wait(const struct frame *frame, uint32_t *before, struct error *err)
{
	struct cursor c = wire_open(frame, err);
	const uint64_t n = wire_get_within(&c, 4, "clients", 1, WAIT_MAX);

	if (!wire_close(&c))
		*before = (uint32_t)n;
	return c.ret;
}

struct frame encode_error(enum frame_type type, const struct error *what)
{
	struct cursor c = wire_begin(type);

	wire_put_string(&c, what->stage);
	wire_put_string(&c, what->code);
	wire_put_string(&c, what->message);
	wire_put_string(&c, what->advice);
	return wire_end(&c);
}

int decode_error(const struct frame *frame, struct error *what,
		 struct error *err)
{
	struct cursor c = wire_open(frame, err);

	memset(what, 0, sizeof(*what));
	wire_get_string(&c, what->stage, sizeof(what->stage));
	wire_get_string(&c, what->code, sizeof(what->code));
	wire_get_string(&c, what->message, sizeof(what->message));
	wire_get_string(&c, what->advice, sizeof(what->advice));
	return wire_close(&c);
}

int frames_take_error(const struct frame *frame, const char *peer,
		      struct error *err)
{
	struct error theirs;
	int ret = decode_error(frame, &theirs, err);

	if (ret)
		return ret;
	if (error_is_set(err))
		return -ECONNABORTED;
	fail_code(err, -ECONNABORTED, theirs.code, theirs.advice,
		  "the %s: %s", peer, theirs.message[0] ? theirs.message :
							   "gave no reason");
	snprintf(err->stage, sizeof(err->stage), "%s", theirs.stage);
	err->from_peer = true;
	return -ECONNABORTED;
}

void frames_own_words(const struct error *err, const char *peer,
		      struct error *theirs)
{
	/* skip the prefix that frames_take_error() added */
	size_t skip = strlen("the : ") + strlen(peer);

	*theirs = *err;
	theirs->from_peer = false;
	memmove(theirs->message, err->message + skip,
		strlen(err->message + skip) + 1);
}

/* Ids of the fields of an ENDPOINT. */
#define FIELD_CM 1
#define FIELD_MEMORY 2
#define FIELD_XRC 3
#define FIELD_TOOK 4
#define FIELD_ALLOWANCES 5

static void put_endpoint_fields(struct cursor *c, const struct endpoint *e)
{
	struct field_list list;

	wire_begin_fields(c, &list);
	if (e->cm_port) {
		wire_begin_field(c, &list, FIELD_CM, false, "rdma-cm");
		wire_put(c, 2, e->cm_port);
		wire_put_raw(c, e->cm_token, sizeof(e->cm_token));
	}
	if (*e->memory) {
		wire_begin_field(c, &list, FIELD_MEMORY, true, "memory");
		wire_put_string(c, e->memory);
	}
	if (e->targets) {
		wire_begin_field(c, &list, FIELD_XRC, false, "xrc");
		for (uint32_t i = 0; i < e->n; i++) {
			wire_put(c, 4, e->qps[i].target);
			wire_put(c, 4, e->qps[i].srqn);
		}
	}
	if (e->took) {
		wire_begin_field(c, &list, FIELD_TOOK, true, "took");
		wire_put(c, 8, e->took);
	}
	if (e->allowances) {
		wire_begin_field(c, &list, FIELD_ALLOWANCES, true,
				 "allowances");
		wire_put(c, 8, e->allowances);
		wire_put(c, 4, e->allowances_rkey);
	}
	wire_end_fields(c, &list);
}

/* Read the number of an object at the other end: 24 bits. */
static uint32_t get_object(struct cursor *c, const char *what)
{
	return (uint32_t)wire_get_within(c, 4, what, 0, ENDPOINT_QPN_MAX);
}

static void get_targets(struct cursor *c, struct endpoint *e)
{
	e->targets = true;
	for (uint32_t i = 0; i < e->n && wire_is_good(c); i++) {
		e->qps[i].target = get_object(c, "QPN that receives");
		e->qps[i].srqn = get_object(c, "SRQ number");
	}
}

/* A field_reader; INTO is a struct endpoint. */
static bool get_endpoint_field(struct field *field, void *into)
{
	struct cursor *c = &field->value;
	struct endpoint *e = into;

	switch (field->id) {
	case FIELD_CM:
		e->cm_port = (uint16_t)wire_get_within(c, 2, "rdma_cm port", 1,
						       65535);
		wire_get_raw(c, e->cm_token, sizeof(e->cm_token));
		return true;
	case FIELD_MEMORY:
		wire_get_string(c, e->memory, sizeof(e->memory));
		return true;
	case FIELD_XRC:
		get_targets(c, e);
		return true;
	case FIELD_ALLOWANCES:
		e->allowances = wire_get(c, 8);
		e->allowances_rkey = (uint32_t)wire_get(c, 4);
		return true;
	case FIELD_TOOK:
		e->took = wire_get_within(c, 8, "took", 0, COUNT_MAX);
		return true;
	default:
		return false;
	}
}

/* The numbers of an ENDPOINT after its GID. */
#define ENDPOINT_LIST(X) \
	X(1, gid_type) X(4, gid_index) X(4, peer_gid_index) X(1, global) \
	X(1, mtu) X(4, qkey) X(8, va) X(8, length) X(8, stride) X(4, n)

static void put_qps(struct cursor *c, const struct endpoint *e)
{
	for (uint32_t i = 0; i < e->n; i++) {
		wire_put(c, 4, e->qps[i].qpn);
		wire_put(c, 4, e->qps[i].psn);
		wire_put(c, 4, e->qps[i].rkey);
	}
}

struct frame encode_endpoint(const struct endpoint *s)
{
	struct cursor cursor = wire_begin(FRAME_ENDPOINT), *c = &cursor;

	wire_put(c, 2, s->lid);
	wire_put_raw(c, s->gid.raw, 16);
	ENDPOINT_LIST(WIRE_PUT)
	put_qps(c, s);
	put_endpoint_fields(c, s);
	return wire_end(c);
}

static void get_qps(struct cursor *c, struct endpoint *e)
{
	/* every part lies inside the region */
	wire_expect(c, "stride", e->stride, 1, e->length / e->n);
	e->qps = xcalloc(e->n, sizeof(*e->qps));
	for (uint32_t i = 0; i < e->n && wire_is_good(c); i++) {
		e->qps[i].qpn = get_object(c, "QPN");
		e->qps[i].psn = get_object(c, "PSN");
		e->qps[i].rkey = (uint32_t)wire_get(c, 4);
	}
}

int decode_endpoint(const struct frame *frame, struct endpoint *endpoint,
		    struct error *err)
{
	struct cursor cursor = wire_open(frame, err), *c = &cursor;
	struct endpoint e = { 0 }, *s = &e;

	e.lid = (uint16_t)wire_get(c, 2);
	wire_get_raw(c, e.gid.raw, 16);
	ENDPOINT_LIST(WIRE_GET)
	wire_expect(c, "number of QPs", e.n, 1, ENDPOINT_QPS_MAX);
	wire_expect(c, "Q_Key", e.qkey, 0, ENDPOINT_QKEY_MAX);
	wire_expect(c, "MTU", e.mtu, IBV_MTU_256, IBV_MTU_4096);
	/* the region lies inside 64 bits */
	wire_expect(c, "length", e.length, 1, UINT64_MAX - e.va);
	if (wire_is_good(c))
		get_qps(c, &e);
	wire_get_fields(c, get_endpoint_field, &e);
	if (wire_close(c))
		free(e.qps);
	else
		*endpoint = e;
	return c->ret;
}

_Static_assert(EFFECTIVE_VALUES == 17, "the limit of READY in wire.h");

struct frame encode_ready(const struct effective *e)
{
	struct cursor c = wire_begin(FRAME_READY);

#define X(name, ...) wire_put(&c, 4, e->name);
	EFFECTIVE_LIST(X)
#undef X
	return wire_end(&c);
}

int decode_ready(const struct frame *frame, struct effective *effective,
		 struct error *err)
{
	struct cursor c = wire_open(frame, err);
	struct effective e = { .known = true };

#define X(name, most, ...) \
	e.name = (uint32_t)wire_get(&c, 4); \
	if (e.name != EFFECTIVE_NONE) \
		wire_expect(&c, #name, e.name, 0, most);
	EFFECTIVE_LIST(X)
#undef X
	if (!wire_close(&c))
		*effective = e;
	return c.ret;
}

struct frame encode_reached(const uint8_t bytes[REACHED_SIZE])
{
	struct cursor c = wire_begin(FRAME_REACHED);

	wire_put_raw(&c, bytes, REACHED_SIZE);
	return wire_end(&c);
}

int decode_reached(const struct frame *frame, uint8_t bytes[REACHED_SIZE],
		   struct error *err)
{
	struct cursor c = wire_open(frame, err);

	wire_get_raw(&c, bytes, REACHED_SIZE);
	return wire_close(&c);
}

struct frame encode_start(uint64_t size)
{
	struct cursor c = wire_begin(FRAME_START);

	wire_put(&c, 8, size);
	return wire_end(&c);
}

int decode_start(const struct frame *frame, uint64_t *size, struct error *err)
{
	struct cursor c = wire_open(frame, err);

	*size = wire_get(&c, 8);
	return wire_close(&c);
}

struct frame encode_sent(const struct sent *sent)
{
	struct cursor c = wire_begin(FRAME_SENT);

	wire_put(&c, 4, sent->n);
	for (uint32_t i = 0; i < sent->n; i++)
		wire_put(&c, 8, sent->messages[i]);
	return wire_end(&c);
}

int decode_sent(const struct frame *frame, struct sent *sent, struct error *err)
{
	struct cursor c = wire_open(frame, err);

	sent->n = (uint32_t)wire_get_within(&c, 4, "number of threads", 1,
					    CPUS_MAX);
	for (uint32_t i = 0; i < sent->n && wire_is_good(&c); i++)
		sent->messages[i] = wire_get_within(&c, 8, "messages", 0,
						    COUNT_MAX);
	return wire_close(&c);
}
