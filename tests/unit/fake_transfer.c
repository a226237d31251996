/* The fake NIC's wire: where a message goes, and what it does there. */
#include "config.h"
#include "fake_nic.h"

#include <stdlib.h>
#include <string.h>

#include "fake_verbs.h"

/* A message as it is on its way. */
struct message {
	const struct nic_send *send;
	uint8_t *here;		/* its bytes where it was posted */
	uint32_t length;
	bool reliable;
	uint32_t from;		/* number of the QP that sent it */
};

/* The memory at ADDRESS that KEY opens for ACCESS; NULL when it does not. */
static void *translate(uint32_t key, uint64_t address, uint64_t length,
		       unsigned int access)
{
	uint32_t i = key - NIC_RKEY_BASE;
	const struct nic_mr *m = i < NIC_OBJECTS ? nic_mrs[i] : NULL;
	uint64_t start;

	if (!m || (m->access & access) != access)
		return NULL;
	start = m->iova;
	if (address < start || length > m->mr.length ||
	    address - start > m->mr.length - length)
		return NULL;
	return m->bytes + (address - start);
}

/* The last byte becomes visible last, as write latency relies on.  Eight bytes
 * that are aligned become visible at once: a sender polls them for how many
 * receives there are. */
static void move(uint8_t *to, const uint8_t *from, uint32_t length)
{
	uint8_t last, damage = 0;
	uint64_t word;

	if (!length)
		return;
	if (fake_verbs.messages == fake_verbs.damage_message)
		damage = 0x80;
	if (!damage && length == sizeof(word) &&
	    (uintptr_t)to % sizeof(word) == 0) {
		memcpy(&word, from, sizeof(word));
		__atomic_store_n((uint64_t *)(void *)to, word,
				 __ATOMIC_RELEASE);
		return;
	}
	last = from[length - 1] ^ (length == 1 ? damage : 0);
	memcpy(to, from, length - 1);
	if (length > 1)
		to[length / 2 - 1] ^= damage;
	__atomic_store_n(to + length - 1, last, __ATOMIC_RELEASE);
}

static enum ibv_wc_opcode receive_opcode(enum ibv_wr_opcode opcode)
{
	return opcode == IBV_WR_RDMA_WRITE_WITH_IMM ?
		       IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
}

const struct nic_opcode nic_opcodes[] = {
	[IBV_WR_SEND] = { IBV_WC_SEND, 0, true, false },
	[IBV_WR_SEND_WITH_IMM] = { IBV_WC_SEND, 0, true, false },
	[IBV_WR_SEND_WITH_INV] = { IBV_WC_SEND, 0, true, false },
	[IBV_WR_RDMA_WRITE] = { IBV_WC_RDMA_WRITE, IBV_ACCESS_REMOTE_WRITE,
				false, false },
	[IBV_WR_RDMA_WRITE_WITH_IMM] = { IBV_WC_RDMA_WRITE,
					 IBV_ACCESS_REMOTE_WRITE, true, false },
	[IBV_WR_RDMA_READ] = { IBV_WC_RDMA_READ, IBV_ACCESS_REMOTE_READ, false,
			       true },
	[IBV_WR_ATOMIC_CMP_AND_SWP] = { IBV_WC_COMP_SWAP,
					IBV_ACCESS_REMOTE_ATOMIC, false, true },
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = { IBV_WC_FETCH_ADD,
					  IBV_ACCESS_REMOTE_ATOMIC, false,
					  true },
	[IBV_WR_LOCAL_INV] = { IBV_WC_LOCAL_INV, 0, false, false },
	[IBV_WR_BIND_MW] = { IBV_WC_BIND_MW, 0, false, false },
};

/* Copy N bytes between the entries of LIST and BYTES.  False when one of them
 * is of memory that does not allow ACCESS, or they are too short. */
static bool copy_entries(const struct ibv_sge *list, int entries,
			 uint8_t *bytes, uint64_t n, unsigned int access)
{
	for (int i = 0; i < entries && n; i++) {
		uint32_t length = list[i].length < n ? list[i].length :
						       (uint32_t)n;
		uint8_t *there = translate(list[i].lkey, list[i].addr, length,
					   access);

		if (!there)
			return false;
		if (access & IBV_ACCESS_LOCAL_WRITE)
			memcpy(there, bytes, length);
		else
			memcpy(bytes, there, length);
		bytes += length;
		n -= length;
	}
	return n == 0;
}

/* Store what M brings, behind HEADER bytes, in the entries of R. */
static bool scatter(const struct nic_receive *r, const struct message *m,
		    uint32_t header)
{
	uint8_t *bytes = malloc(header + m->length + 1);
	bool fits;

	memset(bytes, NIC_GRH_BYTE, header);
	move(bytes + header, m->here, m->length);
	fits = copy_entries(r->sge, r->num_sge, bytes, header + m->length,
			    IBV_ACCESS_LOCAL_WRITE);
	free(bytes);
	return fits;
}

/* The next receive of PEER is taken by M; what was written did not go there. */
static enum ibv_wc_status take_receive(struct nic_qp *peer,
				       struct nic_rq *rq, struct ibv_cq *cq,
				       const struct message *m, bool written)
{
	const bool ud = peer->qp.qp_type == IBV_QPT_UD;
	const uint32_t header = ud ? NIC_GRH_SIZE : 0;
	const enum ibv_wr_opcode opcode = m->send->wr.opcode;
	struct nic_receive *r = &rq->ring[rq->done % rq->size];
	uint32_t length = m->length + header;
	struct ibv_wc wc = {
		.wr_id = r->wr_id,
		.opcode = receive_opcode(opcode),
		.byte_len = length,
		.qp_num = peer->qp.qp_num,
		.src_qp = ud ? m->from : 0,
		.wc_flags = ud ? IBV_WC_GRH : 0,
	};
	uint8_t *to = NULL;

	if (!written && r->num_sge > 1) {
		if (!scatter(r, m, header))
			return IBV_WC_REM_INV_REQ_ERR;
	} else if (!written && length) {
		to = translate(r->sge[0].lkey, r->sge[0].addr, length,
			       IBV_ACCESS_LOCAL_WRITE);
		if (!to || length > r->sge[0].length)
			return IBV_WC_REM_INV_REQ_ERR;
		memset(to, NIC_GRH_BYTE, header);
		move(to + header, m->here, m->length);
	}
	if (opcode == IBV_WR_SEND_WITH_INV) {
		wc.wc_flags |= IBV_WC_WITH_INV;
		if (nic_invalidate(peer, m->send->wr.invalidate_rkey))
			return IBV_WC_REM_ACCESS_ERR;
	} else if (opcode != IBV_WR_SEND) {
		wc.wc_flags |= IBV_WC_WITH_IMM;
		wc.imm_data = m->send->wr.imm_data;
	}
	rq->done++;
	nic_complete(cq, &wc, m->send->wr.send_flags & IBV_SEND_SOLICITED);
	return IBV_WC_SUCCESS;
}

void nic_stray(struct nic_qp *q)
{
	static uint8_t nothing[16];
	static const struct nic_send send = { .wr.opcode = IBV_WR_SEND };
	const struct message m = { &send, nothing, sizeof(nothing), false,
				   NIC_STRANGER_QPN };

	if (q->rq->posted != q->rq->done)
		take_receive(q, q->rq, q->qp.recv_cq, &m, false);
}

/* All of it, and the old value back: others see it before or after. */
static void operate(const struct ibv_send_wr *wr, uint8_t *here, uint8_t *there)
{
	const uint64_t operand = wr->wr.atomic.compare_add;
	uint64_t old, value;

	memcpy(&old, there, sizeof(old));
	value = old + operand;
	if (wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP)
		value = old == operand ? wr->wr.atomic.swap : old;
	__atomic_store_n((uint64_t *)(void *)there, value, __ATOMIC_RELEASE);
	move(here, (const uint8_t *)&old, sizeof(old));
}

/* A queue pair of XRC has the protection domain of the shared receives. */
static bool same_domain(const struct nic_qp *peer, const struct nic_send *s,
			uint32_t key)
{
	return peer->qp.qp_type != IBV_QPT_XRC_RECV ||
	       nic_find_srq(peer, s)->srq.pd ==
		       nic_mrs[key - NIC_RKEY_BASE]->mr.pd;
}

/* Memory of the peer's, not a receive. */
static enum ibv_wc_status access_memory(struct nic_qp *peer,
					const struct message *m)
{
	const struct ibv_send_wr *wr = &m->send->wr;
	const unsigned int access = nic_opcodes[wr->opcode].access;
	const bool atomic = access == IBV_ACCESS_REMOTE_ATOMIC;
	const uint64_t address = atomic ? wr->wr.atomic.remote_addr :
					  wr->wr.rdma.remote_addr;
	const uint32_t key = atomic ? wr->wr.atomic.rkey : wr->wr.rdma.rkey;
	uint8_t *there = translate(key, address, m->length, access);

	if (!there && !atomic)
		there = nic_through_window(peer, wr->wr.rdma.rkey, address,
					   m->length, access);
	/* the queue pair must allow it, too */
	if ((!there && m->length) ||
	    (there && !same_domain(peer, m->send, key)) ||
	    (peer->attr.qp_access_flags & access) != access)
		return IBV_WC_REM_ACCESS_ERR;
	if (atomic && (m->length != 8 || address % 8))
		return IBV_WC_REM_INV_REQ_ERR;
	if (atomic)
		operate(wr, m->here, there);
	else if (wr->opcode == IBV_WR_RDMA_READ)
		move(m->here, there, m->length);
	else
		move(there, m->here, m->length);
	return IBV_WC_SUCCESS;
}

/* The next queue pair from *I on that is attached to the group of WR. */
static struct nic_qp *member(const struct ibv_send_wr *wr, uint32_t *i)
{
	const struct nic_ah *ah = (const struct nic_ah *)wr->wr.ud.ah;

	for (; *i < nic_places; ++*i)
		if (nic_qps[*i] && !memcmp(&nic_qps[*i]->group,
					   &ah->attr.grh.dgid,
					   sizeof(union ibv_gid)))
			return nic_qps[*i];
	return NULL;
}

static bool takes(const struct nic_qp *peer, const struct ibv_send_wr *wr)
{
	return peer && peer->qp.qp_type == IBV_QPT_UD &&
	       peer->qp.state >= IBV_QPS_RTR &&
	       peer->attr.qkey == wr->wr.ud.remote_qkey;
}

/* One that has an address for each message: it must be right, and PEER's
 * Q_Key with it. */
static struct nic_qp *datagram_peer(const struct ibv_send_wr *wr)
{
	uint32_t first = 0;
	struct nic_qp *peer = wr->wr.ud.remote_qpn == NIC_GROUP_QPN ?
				      member(wr, &first) :
				      nic_find_qp(wr->wr.ud.remote_qpn);
	bool alive = false;

	for (uint32_t i = 0; i < nic_places; i++)
		alive |= nic_ahs[i] && &nic_ahs[i]->ah == wr->wr.ud.ah;
	if (!alive)
		fake_verbs.misuses++;
	return alive && takes(peer, wr) ? peer : NULL;
}

struct nic_qp *nic_peer(const struct nic_qp *q, const struct nic_send *s)
{
	const bool xrc = q->qp.qp_type == IBV_QPT_XRC_SEND;
	const enum ibv_qp_type type = xrc ? IBV_QPT_XRC_RECV : q->qp.qp_type;
	struct nic_qp *peer;

	if (q->qp.qp_type == IBV_QPT_UD)
		return datagram_peer(&s->wr);
	peer = nic_find_qp(q->dest);
	if (!peer || peer->qp.state < IBV_QPS_RTR ||
	    peer->qp.qp_type != type || peer->dest != q->qp.qp_num)
		return NULL;
	return peer;
}

/* What of M is wrong where it was posted. */
static enum ibv_wc_status check(const struct nic_qp *q,
				const struct message *m)
{
	const enum ibv_wr_opcode opcode = m->send->wr.opcode;

	if (!m->here && m->length)
		return IBV_WC_LOC_PROT_ERR;
	if ((fake_verbs.iwarp && (opcode == IBV_WR_SEND_WITH_IMM ||
				  opcode == IBV_WR_RDMA_WRITE_WITH_IMM)) ||
	    (q->qp.qp_type == IBV_QPT_UC && nic_opcodes[opcode].fetches) ||
	    (q->qp.qp_type == IBV_QPT_UD && opcode != IBV_WR_SEND &&
	     opcode != IBV_WR_SEND_WITH_IMM))
		return IBV_WC_LOC_QP_OP_ERR;
	if (q->qp.qp_type == IBV_QPT_UD &&
	    m->length > 128U << fake_verbs.port.active_mtu)
		return IBV_WC_LOC_LEN_ERR;
	return IBV_WC_SUCCESS;
}

static struct ibv_cq *completions_of(const struct nic_qp *peer,
				     const struct nic_send *s)
{
	if (peer->qp.qp_type == IBV_QPT_XRC_RECV)
		return nic_find_srq(peer, s)->cq;
	return peer->qp.recv_cq;
}

static uint32_t length_of(const struct nic_send *s)
{
	uint32_t length = 0;

	for (int i = 0; i < s->wr.num_sge; i++)
		length += s->sge[i].length;
	return length;
}

/* The bytes of M where they were posted, or in BOUNCE if they are in several
 * places; NULL when they are not there. */
static uint8_t *bytes_of(const struct message *m, uint8_t *bounce)
{
	const struct nic_send *s = m->send;
	const bool in = nic_opcodes[s->wr.opcode].fetches;

	if (s->wr.send_flags & IBV_SEND_INLINE)
		return s->inline_data;
	if (!bounce)
		return translate(s->sge[0].lkey, s->sge[0].addr, m->length,
				 !in ? 0 : IBV_ACCESS_LOCAL_WRITE |
				 (fake_verbs.iwarp ? IBV_ACCESS_REMOTE_WRITE :
						     0));
	return in || copy_entries(s->sge, s->wr.num_sge, bounce, m->length,
				  0) ? bounce : NULL;
}

static enum ibv_wc_status transfer(struct nic_qp *q, struct nic_qp *peer,
				   const struct nic_send *s, uint8_t *bounce)
{
	struct message m = {
		.send = s,
		.length = length_of(s),
		.reliable = nic_is_reliable(q),
		.from = q->qp.qp_num,
	};
	const struct nic_opcode *op = &nic_opcodes[s->wr.opcode];
	const bool takes = op->takes_receive, written = op->access;
	enum ibv_wc_status status;
	struct nic_rq *rq;

	if (nic_is_local(s))
		return nic_do_local(q, s);
	m.here = bytes_of(&m, bounce);
	status = check(q, &m);
	if (status || !peer)
		return status;
	rq = nic_receives_of(peer, s);
	if (!rq)
		return IBV_WC_REM_INV_REQ_ERR;
	if (written) {
		status = access_memory(peer, &m);
		if (!status && bounce && op->fetches &&
		    !copy_entries(s->sge, s->wr.num_sge, bounce, m.length,
				  IBV_ACCESS_LOCAL_WRITE))
			status = IBV_WC_LOC_PROT_ERR;
	}
	/* without a receive it is dropped, and what was written stays */
	if (!status && takes && rq->posted == rq->done)
		fake_verbs.dropped++;
	else if (!status && takes)
		status = take_receive(peer, rq, completions_of(peer, s), &m,
				      written);
	if (m.reliable || !status)
		return status;
	/* the peer's trouble, which nobody tells the sender of */
	fake_verbs.misuses++;
	return IBV_WC_SUCCESS;
}

/* Another sender's message follows to each member of the group of WR. */
static void send_of_others(const struct ibv_send_wr *wr)
{
	struct nic_qp *peer;

	if (!fake_verbs.others)
		return;
	fake_verbs.others--;
	for (uint32_t i = 0; (peer = member(wr, &i)); i++)
		nic_stray(peer);
}

/* Every other member of the group gets a copy. */
static void copy_to_others(struct nic_qp *q, const struct nic_qp *first,
			   const struct nic_send *s, uint8_t *bounce)
{
	struct nic_qp *peer;

	for (uint32_t i = 0; (peer = member(&s->wr, &i)); i++) {
		if (peer == first || !takes(peer, &s->wr))
			continue;
		if (fake_verbs.lose_copies && fake_verbs.messages > 1)
			fake_verbs.lose_copies--;
		else
			transfer(q, peer, s, bounce);
	}
}

enum ibv_wc_status nic_transfer(struct nic_qp *q, struct nic_qp *peer,
				const struct nic_send *s)
{
	uint8_t *bounce = s->wr.num_sge > 1 ? malloc(length_of(s)) : NULL;
	enum ibv_wc_status status = transfer(q, peer, s, bounce);

	if (peer && q->qp.qp_type == IBV_QPT_UD &&
	    s->wr.wr.ud.remote_qpn == NIC_GROUP_QPN) {
		copy_to_others(q, peer, s, bounce);
		send_of_others(&s->wr);
	}
	free(bounce);
	return status;
}
