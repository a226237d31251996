/*
 * Two ends of one verified queue pair, and a provider between them that moves
 * bytes at once.  A test posts, does harm to memory or completions, and has the
 * other end take what came.
 */
#pragma once

#include "traffic/flow.h"
#include "traffic/verify.h"

#define PAIR_DEPTH 8		/* places, messages outstanding */
#define PAIR_CAPACITY 100000	/* of the send queue: never full */
#define PAIR_RECEIVES 64
#define PAIR_STEP 320		/* of receives */
#define PAIR_MEMORY (PAIR_RECEIVES * PAIR_STEP)
#define PAIR_LARGEST 257
#define PAIR_QP_INDEX 0

/* Completions that were not taken yet. */
struct pair_cq {
	struct ibv_wc wc[4 * PAIR_RECEIVES];
	uint32_t n;
};

struct pair_end {
	struct flow flow;
	struct flow_qp q;
	struct ibv_qp qp;
	struct verifier verifier;
	struct verify_qp verify_qp;
	uint64_t announced[PAIR_DEPTH];
	struct flow_receives receives;
	struct flow_receive entries[PAIR_RECEIVES];
	struct flow_request requests[FLOW_PREPARED];
	struct flow_progress progress;
	uint32_t slots[PAIR_RECEIVES];	/* posted, in their order */
	uint32_t n_slots;
	struct pair_cq sent;
	struct pair_cq came;
	struct pair_end *peer;
	bool brings_nothing;	/* what it fetches stays where it is */
	_Alignas(64) uint8_t out[PAIR_MEMORY];
	_Alignas(64) uint8_t in[PAIR_MEMORY];
};

struct pair {
	struct pair_end a;	/* sends */
	struct pair_end b;
	struct ibv_context context;
	struct flow_control control;
	struct clock clock;
	enum op op;
	uint64_t header;
};

/* Messages of SIZE bytes by OP from a to b, LIST at once. */
struct pair *pair_new(enum op op, enum transport transport, uint64_t size,
		      uint32_t list);

/* The next size of the same pair. */
void pair_prepare(struct pair *pair, uint64_t size, uint32_t list);

/* Post N messages, a multiple of the list. */
void pair_post(struct pair *pair, uint64_t n);

/* END takes what came in, until there is no more or it finds something wrong.
 * Returns how many messages it was, or a negative errno. */
int pair_take(struct pair_end *end);

/* END takes the completions of its sends.  Returns as verify_retire(). */
int pair_retire(struct pair_end *end);

/* All of that, at both ends: 0 or the first error. */
int pair_settle(struct pair *pair);

/* Forget completion I that came to END. */
void pair_drop(struct pair_end *end, uint32_t i);

/* Where the message of SEQUENCE arrives, or its result. */
uint8_t *pair_message(struct pair *pair, uint64_t sequence);
