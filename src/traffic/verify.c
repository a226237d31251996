/* Checks every message of a verified run, and stamps those that are sent. */
#include "config.h"
#include "traffic/verify.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "traffic/copier.h"
#include "traffic/credit.h"
#include "traffic/pattern.h"
#include "traffic/post.h"

/* Fills the memory for a result, so that a missing result is detected. */
#define POISON 0xa5

static int note(struct flow *f, const struct flow_qp *q,
		const struct verify_mismatch *m)
{
	if (!f->verify->mismatch.what)
		f->verify->mismatch = *m;
	flow_verb_failed(f, "verify", qp_index_of(q->tag), EBADMSG);
	return -EBADMSG;
}

static int note_difference(struct flow *f, const struct flow_qp *q,
			   uint64_t operation,
			   const struct pattern_difference *d)
{
	return note(f, q, &(struct verify_mismatch){
		"data", operation, d->offset, d->expected, d->found });
}

/* All receivers of a group receive what one QP sends. */
static struct pattern pattern_of(const struct flow *f,
				 const struct flow_qp *q, uint64_t sequence,
				 bool in)
{
	return (struct pattern){
		.sequence = sequence,
		.qp = in && f->receivers ? 0 : qp_index_of(q->tag),
		.direction = in ? f->verify->direction_in :
				  f->verify->direction_out,
	};
}

/* The place that the peer writes to, or reads from, for message SEQUENCE of
 * Q. */
static uint8_t *incoming(struct flow *f, const struct flow_qp *q,
			 uint64_t sequence)
{
	const struct verifier *v = f->verify;

	return v->incoming + v->stride * (uint64_t)(q - f->qps) +
	       sequence % v->places * v->step;
}

/* True when the host works on the bytes of G elsewhere, in v->scratch. */
static bool is_copied(const struct flow *f, const struct gather *g)
{
	return f->copier || g->n > 1;
}

/* A message that the peer reads or writes lies in one piece. */
static struct gather whole(const struct flow *f)
{
	return gather_of(f->shape.size, 1);
}

/* The bytes from OFFSET on of the message that lies as G says at PLACE, where
 * the host can read them.  NULL when they cannot be copied, which F notes. */
static const uint8_t *message_bytes(struct flow *f, const uint8_t *place,
				    const struct gather *g, uint64_t offset)
{
	uint8_t *scratch = f->verify->scratch;

	if (!is_copied(f, g))
		return place + offset;
	return copier_get_entries(f, g, place, offset, scratch, f->shape.size) ?
		       NULL : scratch;
}

/* Where the host prepares the bytes for PLACE: in the staging buffer, which
 * write_staged() copies to PLACE, or at PLACE itself. */
static uint8_t *staging(const struct flow *f, uint8_t *place,
			const struct gather *g)
{
	return is_copied(f, g) ? f->verify->scratch : place;
}

/* Returns 0 or a negative errno, noted in F. */
static int write_staged(struct flow *f, uint8_t *place, const struct gather *g)
{
	if (!is_copied(f, g))
		return 0;
	return copier_put_entries(f, g, place, f->verify->scratch);
}

static int fill(struct flow *f, uint8_t *place, const struct gather *g,
		const struct pattern *p)
{
	pattern_fill(staging(f, place, g), f->shape.size, p);
	return write_staged(f, place, g);
}

static int set(struct flow *f, uint8_t *place, const struct gather *g,
	       int value)
{
	memset(staging(f, place, g), value, f->shape.size);
	return write_staged(f, place, g);
}

/* Fill Q's places that the peer will read, or clear those it will write.  A
 * copy that failed is noted in F. */
static void prepare_incoming(struct flow *f, const struct flow_qp *q)
{
	const struct gather g = whole(f);

	for (uint64_t i = 0; i < f->verify->places; i++) {
		struct pattern p = pattern_of(f, q, i, false);

		if (f->layout.op == OP_READ)
			fill(f, incoming(f, q, i), &g, &p);
		else
			set(f, incoming(f, q, i), &g, 0);
	}
}

void verify_prepare(struct flow *f)
{
	struct verifier *v = f->verify;
	const uint64_t length = f->shape.size + v->header;

	if (v->length != length)
		v->length_before = v->length;
	v->length = length;
	v->places = f->shape.depth;
	v->step = gather_span(&f->out);
	v->notice_at = 0;
	for (uint32_t i = 0; i < f->n_qps; i++) {
		v->qps[i].fetched = f->qps[i].posted;
		if (v->incoming && (v->notices || f->layout.op == OP_READ))
			prepare_incoming(f, &f->qps[i]);
	}
}

/* Where the host has what Q sends or fetches, OFFSET bytes into its part. */
static uint8_t *outgoing(const struct flow *f, const struct flow_qp *q,
			 uint64_t offset)
{
	return (uint8_t *)(uintptr_t)(q->local + offset + f->verify->shift_out);
}

/* Turn R into message SEQUENCE of Q, in its own place.  Returns 0 or a negative
 * errno, noted in F. */
static int stamp(struct flow *f, const struct flow_qp *q, uint64_t sequence,
		 struct flow_request *r)
{
	uint64_t offset = sequence % f->verify->places * f->verify->step;
	uint8_t *local = outgoing(f, q, offset);
	struct pattern p = pattern_of(f, q, sequence, false);

	r->sge.addr = q->local + offset;
	r->wr.imm_data = htobe32((uint32_t)sequence);
	if (op_is_atomic(f->layout.op)) {
		r->wr.wr.atomic.remote_addr = q->remote;
		r->wr.wr.atomic.swap = sequence + 1;
		r->wr.wr.atomic.compare_add =
			f->layout.op == OP_CMP_SWAP ? sequence : 1;
	} else if (op_table[f->layout.op].access) {
		r->wr.wr.rdma.remote_addr = q->remote + offset;
	}
	return op_table[f->layout.op].fetches ?
		       set(f, local, &f->out, POISON) :
		       fill(f, local, &f->out, &p);
}

/* Turn REQUESTS into the LENGTH messages from SEQUENCE on, Q's next.  Returns
 * as stamp(). */
static int stamp_list(struct flow *f, const struct flow_qp *q,
		      uint64_t sequence, uint64_t posted, uint32_t length,
		      struct flow_request *requests)
{
	int ret = 0;

	for (uint32_t i = 0; i < length && !ret; i++) {
		ret = stamp(f, q, sequence + i, &requests[i]);
		requests[i].wr.wr_id =
			q->tag | credit_number(f, q, posted + i + 1);
	}
	return ret;
}

uint64_t verify_post(struct flow *f, struct flow_qp *q,
		     struct flow_request *requests, uint32_t length,
		     uint64_t n, int *ret)
{
	struct verifier *v = f->verify;
	uint64_t first = v->answers ? verify_qp_of(f, q)->answers : q->posted;
	uint64_t k;

	*ret = 0;
	for (k = 0; k < n && credit_room(f, q) > length; k++) {
		*ret = stamp_list(f, q, first + k * length,
				  q->posted + k * length, length, requests);
		if (!*ret)
			*ret = post_any(f, q, requests, length);
		if (*ret)
			break;
	}
	if (!*ret && k && v->notices)
		*ret = credit_notify(f, q, first + k * length,
				  q->posted + k * length);
	return k;
}

int verify_fetched(struct flow *f, struct flow_qp *q)
{
	struct verify_qp *vq = verify_qp_of(f, q);
	const struct verifier *v = f->verify;

	for (; vq->fetched < q->completed; vq->fetched++) {
		uint64_t place = vq->fetched % v->places, value;
		const uint8_t *local = message_bytes(
			f, outgoing(f, q, place * v->step), &f->out, 0);
		struct pattern p = pattern_of(f, q, place, true);
		struct pattern_difference d;

		if (!local)
			return -EIO;
		if (!op_is_atomic(f->layout.op)) {
			if (!pattern_check(local, f->shape.size, &p, &d))
				return note_difference(f, q, vq->fetched, &d);
			continue;
		}
		memcpy(&value, local, sizeof(value));
		if (value != vq->fetched)
			return note(f, q, &(struct verify_mismatch){
				"value returned", vq->fetched, 0, vq->fetched,
				value });
	}
	return 0;
}

int verify_retire(struct flow *f, const struct ibv_wc *wc, int n)
{
	for (int i = 0; i < n; i++) {
		struct flow_qp *q;
		int ret = 0;

		if (wc[i].status != IBV_WC_SUCCESS)
			return flow_completion_failed(f, &wc[i], false);
		/* a credit, and not this completion, frees the peer's memory */
		if (f->credits) {
			ret = credit_retire(f, &wc[i]);
		} else {
			q = retire_send(f, &wc[i], &f->completed);
			if (op_table[f->layout.op].fetches)
				ret = verify_fetched(f, q);
		}
		if (ret)
			return ret;
	}
	return 0;
}

/* Check message SEQUENCE, which the peer wrote and a notice covers.  Returns 1
 * when it is complete, 0 when it was lost, or a negative errno. */
static int check_written(struct flow *f, struct flow_qp *q, uint64_t sequence)
{
	const struct verify_qp *vq = verify_qp_of(f, q);
	struct pattern p = pattern_of(f, q, sequence, true);
	const struct gather g = whole(f);
	uint8_t *place = incoming(f, q, sequence);
	const uint8_t *message = message_bytes(f, place, &g, 0);
	struct pattern_difference d;
	bool complete, announced = false;
	int ret;

	if (!message)
		return -EIO;
	if (op_has_imm(f->layout.op))
		announced = vq->announced[sequence % f->verify->places] ==
			    sequence + 1;
	complete = pattern_check(message, f->shape.size, &p, &d);
	/* without immediate data, only the bytes show that it arrived */
	if (!complete && (!f->unreliable || announced ||
		       !pattern_check_partial(message, f->shape.size, &p, &d)))
		return note_difference(f, q, sequence, &d);
	ret = set(f, place, &g, 0);
	if (ret)
		return ret;
	return op_has_imm(f->layout.op) ? announced : complete;
}

/* Take a notice: the peer has written COUNT messages on Q in all.  Returns as
 * verify_received(). */
static int take_notice(struct flow *f, struct flow_qp *q, uint64_t count,
		      uint64_t *sequence)
{
	struct verify_qp *vq = verify_qp_of(f, q);
	int kind = VERIFY_NOTHING, ret;

	if (count > vq->next + f->verify->places)
		return note(f, q, &(struct verify_mismatch){
			"number of messages", vq->next, 0, vq->next, count });
	for (; vq->next < count; vq->next++) {
		ret = check_written(f, q, vq->next);
		if (ret < 0)
			return ret;
		if (!ret)
			continue;
		*sequence = vq->answers = vq->next;
		kind = VERIFY_MESSAGE;
		f->received += f->credits;
	}
	ret = f->credits ? credit_send(f, q) : 0;
	return ret ? flow_verb_failed(f, "ibv_post_send", qp_index_of(q->tag),
				      ret) : kind;
}

/* Take WORD, which came with receive completion WC. */
static int take_word(struct flow *f, struct flow_qp *q, const struct ibv_wc *wc,
		     uint32_t word, uint64_t *sequence)
{
	struct verify_qp *vq = verify_qp_of(f, q);
	uint64_t number;

	if (wc->opcode == IBV_WC_RECV_RDMA_WITH_IMM) {
		number = pattern_nearest(word, 32, vq->next);
		vq->announced[number % f->verify->places] = number + 1;
		return VERIFY_NOTHING;
	}
	number = word & ~CREDIT;
	if (!(word & CREDIT))
		return take_notice(f, q, pattern_nearest(number, COUNT_BITS,
							vq->next), sequence);
	credit_take(f, q, pattern_nearest(number, COUNT_BITS, q->completed));
	return VERIFY_NOTHING;
}

/* Sequence number of MESSAGE, received by a SEND, when NEXT is expected. */
static uint64_t sequence_of(const struct flow *f, const struct ibv_wc *wc,
			    const uint8_t *message, uint64_t next)
{
	if (!f->unreliable)
		return next;
	if (op_has_imm(f->layout.op))
		return pattern_nearest(be32toh(wc->imm_data), 32, next);
	return pattern_sequence(message, f->shape.size, next);
}

static int check_sent(struct flow *f, struct flow_qp *q,
		      const struct ibv_wc *wc, const uint8_t *message,
		      uint64_t *sequence)
{
	const struct verifier *v = f->verify;
	struct verify_qp *vq = verify_qp_of(f, q);
	uint64_t number = sequence_of(f, wc, message, vq->next);
	struct pattern p = pattern_of(f, q, number, true);
	struct pattern_difference d;

	if (f->unreliable && wc->byte_len == v->length_before)
		return VERIFY_NOTHING;
	if (wc->byte_len != v->length)
		return note(f, q, &(struct verify_mismatch){
			"length", number, 0, v->length, wc->byte_len });
	if (number < vq->next)
		return note(f, q, &(struct verify_mismatch){
			"order", number, 0, vq->next, number });
	if (op_has_imm(f->layout.op) &&
	    be32toh(wc->imm_data) != (uint32_t)number)
		return note(f, q, &(struct verify_mismatch){
			"immediate data", number, 0, (uint32_t)number,
			be32toh(wc->imm_data) });
	if (!pattern_check(message, f->shape.size, &p, &d))
		return note_difference(f, q, number, &d);
	vq->next = number + 1;
	*sequence = vq->answers = number;
	return VERIFY_MESSAGE;
}

/* The QP of receive completion WC, also for a shared receive. */
static struct flow_qp *find_qp(struct flow *f, const struct ibv_wc *wc)
{
	uint32_t i = 0;

	if (!f->receives->srq)
		return &f->qps[qp_index_of(wc->wr_id)];
	while (i + 1 < f->n_qps && f->verify->qps[i].qp_num != wc->qp_num)
		i++;
	return &f->qps[i];
}

int verify_received(struct flow *f, const struct ibv_wc *wc, uint64_t *sequence)
{
	const struct flow_receives *r = &f->receives[qp_index_of(wc->wr_id)];
	uint64_t slot = wc->wr_id & FLOW_COUNT_MASK;
	struct flow_qp *q = find_qp(f, wc);
	const uint8_t *message;
	int ret;

	if (f->verify->notices)
		return take_word(f, q, wc, be32toh(r->words ? r->words[slot] :
					   wc->imm_data), sequence);
	message = message_bytes(
		f,
		(const uint8_t *)(uintptr_t)(r->entries[slot].sge.addr +
					     f->verify->shift_in),
		&f->in, f->verify->header);
	if (!message)
		return -EIO;
	ret = check_sent(f, q, wc, message, sequence);
	f->received += ret == VERIFY_MESSAGE && !f->verify->pingpong;
	return ret;
}

int verify_counters(struct flow *f)
{
	struct verifier *v = f->verify;
	uint64_t sum = 0, value;

	v->counters += f->expected;
	for (uint32_t i = 0; i < f->n_qps; i++) {
		int ret = copier_get(f, &value, incoming(f, &f->qps[i], 0),
				     sizeof(value));

		if (ret)
			return ret;
		sum += value;
	}
	if (sum == v->counters)
		return 0;
	return note(f, &f->qps[0], &(struct verify_mismatch){
		"sum of the counters", v->counters, 0, v->counters, sum });
}

void slow_post(struct flow *f, struct flow_qp *q, struct flow_request *r,
	       uint8_t count, int *ret)
{
	if (f->verify)
		verify_post(f, q, r, 1, 1, ret);
	else
		*ret = copier_post(f, q, r, count);
}
