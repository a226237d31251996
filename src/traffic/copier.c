/* Reads and writes messages in memory that the host cannot access. */
#include "config.h"
#include "traffic/copier.h"

#include <endian.h>
#include <string.h>

#include "base/numbers.h"
#include "traffic/post.h"

int copier_put(struct flow *f, uint8_t *to, const void *from, uint64_t n)
{
	int ret;

	if (!f->copier) {
		memcpy(to, from, n);
		return 0;
	}
	ret = f->copier->in(f->copier->memory, to, from, n);
	return ret ? flow_verb_failed(f, f->copier->verb, 0, ret) : 0;
}

int copier_get(struct flow *f, void *to, const uint8_t *from, uint64_t n)
{
	int ret;

	if (!f->copier) {
		memcpy(to, from, n);
		return 0;
	}
	ret = f->copier->out(f->copier->memory, to, from, n);
	return ret ? flow_verb_failed(f, f->copier->verb, 0, ret) : 0;
}

int copier_get_entries(struct flow *f, const struct gather *g,
		       const uint8_t *place, uint64_t offset, uint8_t *to,
		       uint64_t size)
{
	uint64_t before = 0;	/* bytes in the entries before this one */
	int ret = 0;

	for (uint32_t i = 0; i < g->n && !ret && size; i++) {
		uint64_t length = gather_length(g, i);
		uint64_t skip = offset - before, n;

		before += length;
		if (skip >= length)
			continue;
		n = smaller(length - skip, size);
		ret = copier_get(f, to, place + i * gather_step(g) + skip, n);
		to += n;
		offset += n;
		size -= n;
	}
	return ret;
}

int copier_put_entries(struct flow *f, const struct gather *g,
		       uint8_t *place, const uint8_t *from)
{
	int ret = 0;

	for (uint32_t i = 0; i < g->n && !ret; i++) {
		ret = copier_put(f, place + i * gather_step(g), from,
				 gather_length(g, i));
		from += gather_length(g, i);
	}
	return ret;
}

/* True when the receiver reads the last byte.  Over RC the receiver of a send
 * does not: messages come in order, and each has a completion. */
static bool reads_last_byte(const struct flow *f, enum op op)
{
	return op_table[op].pingpong && !op_has_imm(op) &&
	       (f->unreliable || !op_table[op].receives);
}

int copier_post(struct flow *f, struct flow_qp *q, struct flow_request *r,
		uint8_t count)
{
	const enum op op = f->layout.op;
	int ret = 0;

	if (op_has_imm(op))
		r->wr.imm_data = htobe32(count);
	else if (reads_last_byte(f, op))
		ret = copier_put(f, f->pingpong.flag_out, &count, 1);
	return ret ?: post_any(f, q, r, 1);
}

int copier_flag(struct flow *f, const volatile uint8_t *flag, uint8_t *value)
{
	return copier_get(f, value, (const uint8_t *)(uintptr_t)flag, 1);
}
