/*
 * The bare loop, the lower bound that verbsperf is compared with: post, poll,
 * look at the status, nothing else.  Runs on the fake NIC (LD_PRELOAD).
 *
 *	bare bw  read|write SIZE MESSAGES [SIGNAL_EVERY [LIST [QPS]]]
 *	bare lat read|write SIZE SAMPLES
 *
 * MESSAGES, per queue pair, are rounded up to whole signaled groups.  Prints
 * one JSON object; times are in ns, rates in 10^9 bit/s.
 */
#include <infiniband/verbs.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "counter.h"

#define DEPTH 128
#define BATCH 16

struct lane {
	struct ibv_qp *qp;
	uint32_t room;		/* messages that may be posted */
	uint32_t lists_to_signal;
	uint64_t left;		/* messages yet to be posted */
	struct ibv_send_wr *plain;	/* a list without a signal */
	struct ibv_send_wr *signaled;	/* one whose last is signaled */
};

struct setup {
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	struct ibv_sge sge;
};

struct span {
	uint64_t ticks;
	struct timespec time;
};

static __attribute__((noreturn)) void die(const char *what)
{
	fprintf(stderr, "bare: %s\n", what);
	exit(1);
}

static void open_device(struct setup *s, uint32_t size, uint32_t qps)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	void *buffer = calloc(1, size);

	if (!list || !list[0] || !buffer)
		die("no device");
	s->context = ibv_open_device(list[0]);
	ibv_free_device_list(list);
	s->pd = s->context ? ibv_alloc_pd(s->context) : NULL;
	if (!s->pd)
		die("cannot open the device");
	s->cq = ibv_create_cq(s->context, (int)(DEPTH * qps), NULL, NULL, 0);
	s->mr = ibv_reg_mr(s->pd, buffer, size, IBV_ACCESS_LOCAL_WRITE);
	if (!s->cq || !s->mr)
		die("cannot create a completion queue or register memory");
	s->sge = (struct ibv_sge){ (uintptr_t)buffer, size, s->mr->lkey };
}

/* A list of N requests; with SIGNALED the last one asks for a completion. */
static struct ibv_send_wr *make_list(const struct setup *s, uint32_t n,
				     enum ibv_wr_opcode opcode, uint64_t id,
				     int signaled)
{
	struct ibv_send_wr *wrs = calloc(n, sizeof(*wrs));

	if (!wrs)
		die("out of memory");
	for (uint32_t i = 0; i < n; i++) {
		wrs[i].wr_id = id;
		wrs[i].next = i + 1 < n ? &wrs[i + 1] : NULL;
		wrs[i].sg_list = (struct ibv_sge *)&s->sge;
		wrs[i].num_sge = 1;
		wrs[i].opcode = opcode;
		wrs[i].wr.rdma.remote_addr = s->sge.addr;
		wrs[i].wr.rdma.rkey = s->mr->rkey;
	}
	if (signaled)
		wrs[n - 1].send_flags = IBV_SEND_SIGNALED;
	return wrs;
}

static struct ibv_qp *make_qp(const struct setup *s)
{
	static const enum ibv_qp_state states[] = {
		IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS
	};
	struct ibv_qp_init_attr init = {
		.send_cq = s->cq,
		.recv_cq = s->cq,
		.cap = { DEPTH, 1, 1, 1, 0 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp *qp = ibv_create_qp(s->pd, &init);

	for (int i = 0; qp && i < 3; i++) {
		struct ibv_qp_attr attr = { .qp_state = states[i] };

		if (ibv_modify_qp(qp, &attr, IBV_QP_STATE))
			die("cannot connect");
	}
	if (!qp)
		die("cannot create a queue pair");
	return qp;
}

static struct span now(void)
{
	struct span s = { .ticks = counter() };

	clock_gettime(CLOCK_MONOTONIC_RAW, &s.time);
	return s;
}

static double ns_between(const struct span *a, const struct span *b)
{
	return (double)(b->time.tv_sec - a->time.tv_sec) * 1e9 +
	       (double)(b->time.tv_nsec - a->time.tv_nsec);
}

static inline __attribute__((always_inline)) void
refill(struct lane *l, uint32_t more, uint32_t list, uint32_t lists)
{
	uint32_t room = l->room + more, to_signal = l->lists_to_signal;
	uint64_t left = l->left;
	struct ibv_send_wr *bad;

	for (; room >= list && left; room -= list, left -= list) {
		struct ibv_send_wr *wr = l->plain;

		if (--to_signal == 0) {
			wr = l->signaled;
			to_signal = lists;
		}
		if (ibv_post_send(l->qp, wr, &bad))
			die("ibv_post_send failed");
	}
	l->room = room;
	l->left = left;
	l->lists_to_signal = to_signal;
}

static inline struct lane *lane_of(const struct ibv_wc *wc)
{
	return (struct lane *)(uintptr_t)wc->wr_id;
}

/* Post and poll until TOTAL messages are complete.  All queue pairs fill up side
 * by side, as verbsperf's do, so that completions come in the same order. */
static void bandwidth_loop(struct ibv_cq *cq, struct lane *lanes, uint32_t qps,
			   uint32_t signal_every, uint32_t list,
			   uint64_t total)
{
	uint32_t lists = signal_every / list;
	struct ibv_wc wc[BATCH];

	for (uint32_t filled = 0; filled < DEPTH; filled += list)
		for (uint32_t i = 0; i < qps; i++)
			refill(&lanes[i], list, list, lists);
	while (total) {
		int n = ibv_poll_cq(cq, BATCH, wc);

		if (n < 0)
			die("ibv_poll_cq failed");
		for (int i = 0; i < n;) {
			struct lane *l = lane_of(&wc[i]);
			uint32_t more = 0;

			do {
				if (wc[i].status != IBV_WC_SUCCESS)
					die("a message failed");
				more += signal_every;
			} while (++i < n && lane_of(&wc[i]) == l);
			refill(l, more, list, lists);
		}
		total -= (uint32_t)n * signal_every;
	}
}

static void bandwidth(enum ibv_wr_opcode opcode, uint32_t size,
		      uint64_t messages, uint32_t signal_every, uint32_t list,
		      uint32_t qps)
{
	uint64_t groups = (messages + signal_every - 1) / signal_every;
	uint64_t each = groups * signal_every, total = each * qps;
	struct lane *lanes = calloc(qps, sizeof(*lanes));
	struct setup s;
	struct span start, end;
	double ns;

	if (signal_every > DEPTH || signal_every % list || !lanes)
		die("SIGNAL_EVERY: at most 128 and a multiple of LIST");
	open_device(&s, size, qps);
	for (uint32_t i = 0; i < qps; i++) {
		uint64_t id = (uintptr_t)&lanes[i];

		lanes[i] = (struct lane){
			.qp = make_qp(&s),
			.lists_to_signal = signal_every / list,
			.left = each,
			.plain = make_list(&s, list, opcode, id, 0),
			.signaled = make_list(&s, list, opcode, id, 1),
		};
	}
	start = now();
	bandwidth_loop(s.cq, lanes, qps, signal_every, list, total);
	end = now();
	ns = ns_between(&start, &end);
	printf("{\"messages\": %llu, \"gbps\": %.6f, \"mpps\": %.6f}\n",
	       (unsigned long long)total, (double)total * size * 8 / ns,
	       (double)total / ns * 1e3);
	ibv_close_device(s.context);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Samples of clock, post, poll, clock: no more than that between the reads. */
static void latency_loop(struct ibv_cq *cq, struct ibv_qp *qp,
			 struct ibv_send_wr *wr, uint64_t *samples, uint64_t n)
{
	struct ibv_send_wr *bad;
	struct ibv_wc wc;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t start = counter();
		int got;

		if (ibv_post_send(qp, wr, &bad))
			die("ibv_post_send failed");
		do {
			got = ibv_poll_cq(cq, 1, &wc);
		} while (got == 0);
		samples[i] = counter() - start;
		if (got < 0 || wc.status != IBV_WC_SUCCESS)
			die("a message failed");
	}
}

/* The smallest sample with at least Q of all at or below it. */
static double quantile(const uint64_t *sorted, uint64_t n, double q,
		       double tick)
{
	uint64_t rank = (uint64_t)ceil(q * (double)n - 1e-6);

	return (double)sorted[rank ? rank - 1 : 0] * tick;
}

static void print_latency(uint64_t *samples, uint64_t n, double tick)
{
	double sum = 0, squares = 0, mean;

	qsort(samples, n, sizeof(*samples), by_value);
	for (uint64_t i = 0; i < n; i++)
		sum += (double)samples[i];
	mean = sum / (double)n;
	for (uint64_t i = 0; i < n; i++)
		squares += ((double)samples[i] - mean) *
			   ((double)samples[i] - mean);
	printf("{\"samples\": %llu, \"min\": %.2f, \"median\": %.2f, "
	       "\"mean\": %.2f, \"stddev\": %.2f, \"p90\": %.2f, "
	       "\"p99\": %.2f, \"p99_9\": %.2f, \"max\": %.2f}\n",
	       (unsigned long long)n, (double)samples[0] * tick,
	       quantile(samples, n, 0.5, tick), mean * tick,
	       n > 1 ? sqrt(squares / (double)(n - 1)) * tick : 0,
	       quantile(samples, n, 0.9, tick),
	       quantile(samples, n, 0.99, tick),
	       quantile(samples, n, 0.999, tick),
	       (double)samples[n - 1] * tick);
}

static void latency(enum ibv_wr_opcode opcode, uint32_t size, uint64_t n)
{
	uint64_t *samples = malloc(n * sizeof(*samples));
	struct span start, end;
	struct ibv_qp *qp;
	struct setup s;

	if (!samples)
		die("out of memory");
	memset(samples, 1, n * sizeof(*samples));	/* fault it in */
	open_device(&s, size, 1);
	qp = make_qp(&s);
	start = now();
	latency_loop(s.cq, qp, make_list(&s, 1, opcode, 0, 1), samples, n);
	end = now();
	print_latency(samples, n, ns_between(&start, &end) /
				  (double)(end.ticks - start.ticks));
	ibv_close_device(s.context);
}

static uint64_t number(int argc, char **argv, int i, uint64_t otherwise)
{
	uint64_t n = i < argc ? strtoull(argv[i], NULL, 10) : otherwise;

	if (n == 0 || n > 1ULL << 40)
		die("numbers are positive");
	return n;
}

int main(int argc, char **argv)
{
	enum ibv_wr_opcode opcode = IBV_WR_RDMA_WRITE;

	if (argc < 5)
		die("usage: bare bw|lat read|write SIZE N [SIGNAL_EVERY "
		    "[LIST [QPS]]]");
	if (!strcmp(argv[2], "read"))
		opcode = IBV_WR_RDMA_READ;
	if (!strcmp(argv[1], "lat"))
		latency(opcode, (uint32_t)number(argc, argv, 3, 0),
			number(argc, argv, 4, 0));
	else
		bandwidth(opcode, (uint32_t)number(argc, argv, 3, 0),
			  number(argc, argv, 4, 0),
			  (uint32_t)number(argc, argv, 5, 100),
			  (uint32_t)number(argc, argv, 6, 1),
			  (uint32_t)number(argc, argv, 7, 1));
	return 0;
}
