/* Encodes and decodes the frames of the dialogue that are neither PLAN, ports
 * nor DONE. */
#include "config.h"
#include "net/frames.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

struct frame encode_empty(enum frame_type type)
{
	return wire_encode(type, NULL, NULL);
}

int decode_empty(const struct frame *frame, struct error *err)
{
	return wire_decode(frame, NULL, NULL, err);
}

static void code_hello(struct cursor *c, void *what)
{
	struct hello *hello = what;

	WIRE_STRING(c, hello->version);
	WIRE_STRING(c, hello->hostname);
	WIRE_WITHIN(c, 1, hello->has_key, "key", 0, 1);
	WIRE_RAW(c, hello->nonce);
}

struct frame encode_hello(const struct hello *hello)
{
	return wire_encode(FRAME_HELLO, code_hello, hello);
}

int decode_hello(const struct frame *frame, struct hello *hello,
		 struct error *err)
{
	return wire_decode(frame, code_hello, hello, err);
}

static void code_auth(struct cursor *c, void *what)
{
	struct auth *auth = what;

	WIRE_RAW(c, auth->proof);
	WIRE_RAW(c, auth->stream);
}

struct frame encode_auth(const struct auth *auth)
{
	return wire_encode(FRAME_AUTH, code_auth, auth);
}

int decode_auth(const struct frame *frame, struct auth *auth, struct error *err)
{
	return wire_decode(frame, code_auth, auth, err);
}

static void code_wait(struct cursor *c, void *what)
{
	uint32_t *before = what;

	WIRE_WITHIN(c, 4, *before, "clients", 1, WAIT_MAX);
}

struct frame encode_wait(uint32_t before)
{
	return wire_encode(FRAME_WAIT, code_wait, &before);
}

int decode_wait(const struct frame *frame, uint32_t *before, struct error *err)
{
	return wire_decode(frame, code_wait, before, err);
}

static void code_error(struct cursor *c, void *what)
{
	struct error *error = what;

	WIRE_STRING(c, error->stage);
	WIRE_STRING(c, error->code);
	WIRE_STRING(c, error->message);
	WIRE_STRING(c, error->advice);
}

struct frame encode_error(enum frame_type type, const struct error *what)
{
	return wire_encode(type, code_error, what);
}

int decode_error(const struct frame *frame, struct error *what,
		 struct error *err)
{
	memset(what, 0, sizeof(*what));
	return wire_decode(frame, code_error, what, err);
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

/* The number of an object at an end: 24 bits. */
#define OBJECT(value, what) \
	WIRE_WITHIN(c, 4, value, what, 0, ENDPOINT_QPN_MAX)

static void code_targets(struct cursor *c, struct endpoint *e)
{
	if (c->frame)
		e->targets = true;
	for (uint32_t i = 0; i < e->n && wire_is_good(c); i++) {
		OBJECT(e->qps[i].target, "QPN that receives");
		OBJECT(e->qps[i].srqn, "SRQ number");
	}
}

static void code_manager(struct cursor *c, struct endpoint *e)
{
	WIRE_WITHIN(c, 2, e->cm_port, "rdma_cm port", 1, 65535);
	WIRE_RAW(c, e->cm_token);
}

static void code_allowances(struct cursor *c, struct endpoint *e)
{
	WIRE(c, 8, e->allowances);
	WIRE(c, 4, e->allowances_rkey);
}

/* The fields of an ENDPOINT, for wire_fields(). */
#define FIELD_LIST(X) \
	X(CM, "rdma-cm", false, e->cm_port, code_manager(c, e)) \
	X(MEMORY, "memory", true, e->memory[0], WIRE_STRING(c, e->memory)) \
	X(XRC, "xrc", false, e->targets, code_targets(c, e)) \
	X(TOOK, "took", true, e->took, \
	  WIRE_WITHIN(c, 8, e->took, "took", 0, COUNT_MAX)) \
	X(ALLOWANCES, "allowances", true, e->allowances, \
	  code_allowances(c, e))

WIRE_FIELD_IDS(FIELD_LIST);

/* A field_coder of a struct endpoint. */
static bool code_endpoint_field(struct field *field, void *what)
{
	struct cursor *c = &field->value;
	struct endpoint *e = what;

	switch (field->id) {
		FIELD_LIST(WIRE_FIELD_CASE)
	default:
		return false;
	}
}

static void code_endpoint_fields(struct cursor *c, struct endpoint *e)
{
	const struct field_to_write rows[] = { FIELD_LIST(WIRE_FIELD_ROW) };

	wire_fields(c, rows, sizeof(rows) / sizeof(*rows), code_endpoint_field,
		    e);
}

static void code_qps(struct cursor *c, struct endpoint *e)
{
	if (c->frame && wire_is_good(c)) {
		/* every part lies inside the region */
		wire_expect(c, "stride", e->stride, 1, e->length / e->n);
		e->qps = xcalloc(e->n, sizeof(*e->qps));
	}
	for (uint32_t i = 0; i < e->n && wire_is_good(c); i++) {
		OBJECT(e->qps[i].qpn, "QPN");
		OBJECT(e->qps[i].psn, "PSN");
		WIRE(c, 4, e->qps[i].rkey);
	}
}

/* The numbers of an ENDPOINT after its GID. */
#define ENDPOINT_LIST(X) \
	X(1, gid_type) X(4, gid_index) X(4, peer_gid_index) X(1, global) \
	X(1, mtu) X(4, qkey) X(8, va) X(8, length) X(8, stride) X(4, n)

static void code_endpoint(struct cursor *c, void *what)
{
	struct endpoint *s = what;

	WIRE(c, 2, s->lid);
	WIRE_RAW(c, s->gid.raw);
	ENDPOINT_LIST(WIRE_MEMBER)
	wire_expect(c, "number of QPs", s->n, 1, ENDPOINT_QPS_MAX);
	wire_expect(c, "Q_Key", s->qkey, 0, ENDPOINT_QKEY_MAX);
	wire_expect(c, "MTU", s->mtu, IBV_MTU_256, IBV_MTU_4096);
	/* the region lies inside 64 bits */
	wire_expect(c, "length", s->length, 1, UINT64_MAX - s->va);
	code_qps(c, s);
	code_endpoint_fields(c, s);
}

struct frame encode_endpoint(const struct endpoint *endpoint)
{
	return wire_encode(FRAME_ENDPOINT, code_endpoint, endpoint);
}

int decode_endpoint(const struct frame *frame, struct endpoint *endpoint,
		    struct error *err)
{
	struct endpoint e = { 0 };
	int ret = wire_decode(frame, code_endpoint, &e, err);

	if (ret)
		free(e.qps);
	else
		*endpoint = e;
	return ret;
}

_Static_assert(EFFECTIVE_VALUES == 17, "the limit of READY in wire.h");

static void code_ready(struct cursor *c, void *what)
{
	struct effective *e = what;

#define X(name, most, ...) \
	WIRE(c, 4, e->name); \
	if (e->name != EFFECTIVE_NONE) \
		wire_expect(c, #name, e->name, 0, most);
	EFFECTIVE_LIST(X)
#undef X
}

struct frame encode_ready(const struct effective *effective)
{
	return wire_encode(FRAME_READY, code_ready, effective);
}

int decode_ready(const struct frame *frame, struct effective *effective,
		 struct error *err)
{
	struct effective e = { .known = true };
	int ret = wire_decode(frame, code_ready, &e, err);

	if (!ret)
		*effective = e;
	return ret;
}

static void code_reached(struct cursor *c, void *what)
{
	wire_raw(c, what, REACHED_SIZE);
}

struct frame encode_reached(const uint8_t bytes[REACHED_SIZE])
{
	return wire_encode(FRAME_REACHED, code_reached, bytes);
}

int decode_reached(const struct frame *frame, uint8_t bytes[REACHED_SIZE],
		   struct error *err)
{
	return wire_decode(frame, code_reached, bytes, err);
}

static void code_start(struct cursor *c, void *what)
{
	uint64_t *size = what;

	WIRE(c, 8, *size);
}

struct frame encode_start(uint64_t size)
{
	return wire_encode(FRAME_START, code_start, &size);
}

int decode_start(const struct frame *frame, uint64_t *size, struct error *err)
{
	return wire_decode(frame, code_start, size, err);
}

static void code_sent(struct cursor *c, void *what)
{
	struct sent *sent = what;

	WIRE_WITHIN(c, 4, sent->n, "number of threads", 1, CPUS_MAX);
	for (uint32_t i = 0; i < sent->n && wire_is_good(c); i++)
		WIRE_WITHIN(c, 8, sent->messages[i], "messages", 0, COUNT_MAX);
}

struct frame encode_sent(const struct sent *sent)
{
	return wire_encode(FRAME_SENT, code_sent, sent);
}

int decode_sent(const struct frame *frame, struct sent *sent, struct error *err)
{
	return wire_decode(frame, code_sent, sent, err);
}
