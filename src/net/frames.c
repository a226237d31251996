#include "config.h"
#include "net/frames.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

void encode_empty(struct frame *frame, enum frame_type type)
{
	struct cursor c = wire_begin(frame, type);

	wire_end(frame, &c);
}

int decode_empty(const struct frame *frame, struct error *err)
{
	struct cursor c = wire_open(frame);

	return wire_close(&c, frame, err);
}

void encode_hello(struct frame *frame, const struct hello *hello)
{
	struct cursor c = wire_begin(frame, FRAME_HELLO);

	wire_put_string(&c, hello->version);
	wire_put_string(&c, hello->hostname);
	wire_put(&c, 1, hello->has_key);
	wire_put_raw(&c, hello->nonce, sizeof(hello->nonce));
	wire_end(frame, &c);
}

int decode_hello(const struct frame *frame, struct hello *hello,
		 struct error *err)
{
	struct cursor c = wire_open(frame);
	uint64_t has_key;
	int ret;

	wire_get_string(&c, hello->version, sizeof(hello->version));
	wire_get_string(&c, hello->hostname, sizeof(hello->hostname));
	has_key = wire_get(&c, 1);
	wire_get_raw(&c, hello->nonce, sizeof(hello->nonce));
	hello->has_key = has_key != 0;
	ret = wire_close(&c, frame, err);
	return ret ? ret : wire_check(frame, "key", has_key, 0, 1, err);
}

void encode_auth(struct frame *frame, const struct auth *auth)
{
	struct cursor c = wire_begin(frame, FRAME_AUTH);

	wire_put_raw(&c, auth->proof, AUTH_PROOF_SIZE);
	wire_put_raw(&c, auth->stream, AUTH_STREAM_SIZE);
	wire_end(frame, &c);
}

int decode_auth(const struct frame *frame, struct auth *auth,
		struct error *err)
{
	struct cursor c = wire_open(frame);

	wire_get_raw(&c, auth->proof, AUTH_PROOF_SIZE);
	wire_get_raw(&c, auth->stream, AUTH_STREAM_SIZE);
	return wire_close(&c, frame, err);
}

void encode_wait(struct frame *frame, uint32_t before)
{
	struct cursor c = wire_begin(frame, FRAME_WAIT);

	wire_put(&c, 4, before);
	wire_end(frame, &c);
}

int decode_wait(const struct frame *frame, uint32_t *before,
		struct error *err)
{
	struct cursor c = wire_open(frame);
	uint64_t value = wire_get(&c, 4);
	int ret = wire_close(&c, frame, err);

	if (!ret)
		ret = wire_check(frame, "clients", value, 1, WAIT_MAX, err);
	if (!ret)
		*before = (uint32_t)value;
	return ret;
}

void encode_error(struct frame *frame, enum frame_type type,
		  const struct error *what)
{
	struct cursor c = wire_begin(frame, type);

	wire_put_string(&c, what->stage);
	wire_put_string(&c, what->code);
	wire_put_string(&c, what->message);
	wire_put_string(&c, what->advice);
	wire_end(frame, &c);
}

int decode_error(const struct frame *frame, struct error *what,
		 struct error *err)
{
	struct cursor c = wire_open(frame);

	memset(what, 0, sizeof(*what));
	wire_get_string(&c, what->stage, sizeof(what->stage));
	wire_get_string(&c, what->code, sizeof(what->code));
	wire_get_string(&c, what->message, sizeof(what->message));
	wire_get_string(&c, what->advice, sizeof(what->advice));
	return wire_close(&c, frame, err);
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

/* The field of an ENDPOINT. */
#define FIELD_CM 1
#define FIELD_MEMORY 2
#define FIELD_XRC 3
#define FIELD_TOOK 4

static void put_endpoint_fields(struct cursor *c, const struct endpoint *e)
{
	struct field_list list;

	wire_begin_fields(c, &list);
	if (e->cm_port) {
		wire_begin_field(c, &list, FIELD_CM, false, "rdma-cm");
		wire_put(c, 2, e->cm_port);
		wire_put_raw(c, e->cm_token, sizeof(e->cm_token));
		wire_end_field(c, &list);
	}
	if (*e->memory) {
		wire_begin_field(c, &list, FIELD_MEMORY, true, "memory");
		wire_put_string(c, e->memory);
		wire_end_field(c, &list);
	}
	if (e->targets) {
		wire_begin_field(c, &list, FIELD_XRC, false, "xrc");
		for (uint32_t i = 0; i < e->n; i++) {
			wire_put(c, 4, e->qps[i].target);
			wire_put(c, 4, e->qps[i].srqn);
		}
		wire_end_field(c, &list);
	}
	if (e->took) {
		wire_begin_field(c, &list, FIELD_TOOK, true, "took");
		wire_put(c, 8, e->took);
		wire_end_field(c, &list);
	}
	wire_end_fields(c, &list);
}

static int get_targets(const struct frame *frame, struct cursor *c,
		       struct endpoint *e, struct error *err)
{
	int ret = 0;

	e->targets = true;
	for (uint32_t i = 0; i < e->n && !ret; i++) {
		struct endpoint_qp *q = &e->qps[i];

		q->target = (uint32_t)wire_get(c, 4);
		q->srqn = (uint32_t)wire_get(c, 4);
		ret = wire_check(frame, "QPN that receives", q->target, 0,
				 ENDPOINT_QPN_MAX, err);
		if (!ret)
			ret = wire_check(frame, "SRQ number", q->srqn, 0,
					 ENDPOINT_QPN_MAX, err);
	}
	return ret;
}

/* A field_reader; INTO is a struct endpoint. */
static int get_endpoint_field(const struct frame *frame, struct field *field,
			      void *into, struct error *err)
{
	struct endpoint *e = into;

	if (field->id == FIELD_MEMORY) {
		wire_get_string(&field->value, e->memory, sizeof(e->memory));
		return 0;
	}
	if (field->id == FIELD_TOOK) {
		e->took = wire_get(&field->value, 8);
		return wire_check(frame, "took", e->took, 0, COUNT_MAX, err);
	}
	if (field->id == FIELD_XRC)
		return get_targets(frame, &field->value, e, err);
	if (field->id != FIELD_CM)
		return -ENOENT;
	e->cm_port = (uint16_t)wire_get(&field->value, 2);
	wire_get_raw(&field->value, e->cm_token, sizeof(e->cm_token));
	return wire_check(frame, "rdma_cm port", e->cm_port, 1, 65535, err);
}

/* The numbers of an ENDPOINT after its GID, and those of a queue pair. */
#define ENDPOINT_LIST(X) \
	X(1, gid_type) X(4, gid_index) X(4, peer_gid_index) X(1, global) \
	X(1, mtu) X(4, qkey) X(8, va) X(8, length) X(8, stride) X(4, n)
#define QP_LIST(X) X(4, qpn) X(4, psn) X(4, rkey)

static void put_qps(struct cursor *c, const struct endpoint *e)
{
	for (const struct endpoint_qp *s = e->qps; s < e->qps + e->n; s++) {
		QP_LIST(WIRE_PUT)
	}
}

void encode_endpoint(struct frame *frame, const struct endpoint *s)
{
	struct cursor cursor = wire_begin(frame, FRAME_ENDPOINT), *c = &cursor;

	wire_put(c, 2, s->lid);
	wire_put_raw(c, s->gid.raw, 16);
	ENDPOINT_LIST(WIRE_PUT)
	put_qps(c, s);
	put_endpoint_fields(c, s);
	wire_end(frame, c);
}

static int get_qps(const struct frame *frame, struct cursor *c,
		   struct endpoint *e, struct error *err)
{
	int ret = 0;

	e->qps = xcalloc(e->n, sizeof(*e->qps));
	for (uint32_t i = 0; i < e->n && !ret; i++) {
		struct endpoint_qp *s = &e->qps[i];

		QP_LIST(WIRE_GET)
		ret = wire_check(frame, "QPN", s->qpn, 0, ENDPOINT_QPN_MAX,
				 err);
		if (!ret)
			ret = wire_check(frame, "PSN", s->psn, 0,
					 ENDPOINT_QPN_MAX, err);
	}
	return ret;
}

int decode_endpoint(const struct frame *frame, struct endpoint *endpoint,
		    struct error *err)
{
	struct cursor cursor = wire_open(frame), *c = &cursor;
	struct endpoint e = { 0 }, *s = &e;
	int ret;

	e.lid = (uint16_t)wire_get(c, 2);
	wire_get_raw(c, e.gid.raw, 16);
	ENDPOINT_LIST(WIRE_GET)
	ret = wire_check(frame, "number of QPs", e.n, 1, ENDPOINT_QPS_MAX, err);
	if (!ret)
		ret = wire_check(frame, "Q_Key", e.qkey, 0, ENDPOINT_QKEY_MAX,
				 err);
	if (!ret)
		ret = wire_check(frame, "MTU", e.mtu, IBV_MTU_256, IBV_MTU_4096,
			       err);
	/* every QP's part lies inside the region, and that inside 64 bits */
	if (!ret)
		ret = wire_check(frame, "length", e.length, 1,
				 UINT64_MAX - e.va, err);
	if (!ret)
		ret = wire_check(frame, "stride", e.stride, 1, e.length / e.n,
				 err);
	if (!ret)
		ret = get_qps(frame, c, &e, err);
	if (!ret)
		ret = wire_get_fields(frame, c, get_endpoint_field, &e, err);
	if (!ret)
		ret = wire_close(c, frame, err);
	if (ret)
		free(e.qps);
	else
		*endpoint = e;
	return ret;
}

_Static_assert(EFFECTIVE_VALUES == 17, "the limit of READY in wire.h");

void encode_ready(struct frame *frame, const struct effective *e)
{
	struct cursor c = wire_begin(frame, FRAME_READY);

#define X(name, ...) wire_put(&c, 4, e->name);
	EFFECTIVE_LIST(X)
#undef X
	wire_end(frame, &c);
}

int decode_ready(const struct frame *frame, struct effective *effective,
		 struct error *err)
{
	struct cursor c = wire_open(frame);
	struct effective e = { .known = true };
	int ret = 0;

#define X(name, most, ...) \
	e.name = (uint32_t)wire_get(&c, 4); \
	if (!ret && e.name != EFFECTIVE_NONE) \
		ret = wire_check(frame, #name, e.name, 0, most, err);
	EFFECTIVE_LIST(X)
#undef X
	if (!ret)
		ret = wire_close(&c, frame, err);
	if (!ret)
		*effective = e;
	return ret;
}

void encode_reached(struct frame *frame, const uint8_t bytes[REACHED_SIZE])
{
	struct cursor c = wire_begin(frame, FRAME_REACHED);

	wire_put_raw(&c, bytes, REACHED_SIZE);
	wire_end(frame, &c);
}

int decode_reached(const struct frame *frame, uint8_t bytes[REACHED_SIZE],
		   struct error *err)
{
	struct cursor c = wire_open(frame);

	wire_get_raw(&c, bytes, REACHED_SIZE);
	return wire_close(&c, frame, err);
}

void encode_start(struct frame *frame, uint64_t size)
{
	struct cursor c = wire_begin(frame, FRAME_START);

	wire_put(&c, 8, size);
	wire_end(frame, &c);
}

int decode_start(const struct frame *frame, uint64_t *size,
		 struct error *err)
{
	struct cursor c = wire_open(frame);

	*size = wire_get(&c, 8);
	return wire_close(&c, frame, err);
}

void encode_sent(struct frame *frame, const struct sent *sent)
{
	struct cursor c = wire_begin(frame, FRAME_SENT);

	wire_put(&c, 4, sent->n);
	for (uint32_t i = 0; i < sent->n; i++)
		wire_put(&c, 8, sent->messages[i]);
	wire_end(frame, &c);
}

int decode_sent(const struct frame *frame, struct sent *sent,
		struct error *err)
{
	struct cursor c = wire_open(frame);
	uint64_t n = wire_get(&c, 4);
	int ret = wire_check(frame, "number of threads", n, 1, CPUS_MAX, err);

	if (ret)
		return ret;
	sent->n = (uint32_t)n;
	for (uint32_t i = 0; i < sent->n && !ret; i++) {
		sent->messages[i] = wire_get(&c, 8);
		ret = wire_check(frame, "messages", sent->messages[i], 0,
				 COUNT_MAX, err);
	}
	return ret ? ret : wire_close(&c, frame, err);
}
