/* The loop of bandwidth tests: keeps the send queue full, retires completions,
 * counts. */
#include "config.h"
#include "traffic/loops.h"

#include <errno.h>

#include "base/numbers.h"
#include "traffic/post.h"
#include "traffic/receive.h"
#include "traffic/window.h"

/* Messages sent one at a time before the queues are filled. */
#define PROBES 8
/* Polls with completions between two checks of the send queue: a prime, so that
 * checks do not always hit the same part of a pattern. */
#define CHECK_EVERY 31
/* Tolerance factor of is_dry(): neither of its times is known better. */
#define NEARLY 1.1

/* Stop posting as soon as the last message posted is signaled. */
static void stop_posting(struct flow *f)
{
	for (uint32_t i = 0; i < f->n_qps; i++) {
		struct flow_qp *q = &f->qps[i];
		bool signaled = q->unsignaled_left == f->layout.unsignaled;

		if (q->posted < q->limit)
			flow_limit(q, q->posted + (signaled ? 0 :
						   f->shape.list_length));
	}
	f->polls.timed_from = flow_last_post(f);
}

/* From now on, post no more than the iterations requested. */
static void limit_posts(struct flow *f)
{
	for (uint32_t i = 0; f->shape.iterations && i < f->n_qps; i++)
		flow_limit(&f->qps[i],
			   f->qps[i].completed + f->shape.iterations);
	if (f->polls.timed_from)
		f->polls.timed_from = flow_last_post(f);
}

/* The command changed, and completions were just taken: see window_edge(). */
static __attribute__((noinline, cold)) uint32_t edge(struct flow *f,
						     uint32_t seen,
						     uint32_t command)
{
	if (phase_of(seen) == PHASE_WARMUP)
		limit_posts(f);
	else if (phase_of(command) >= PHASE_DRAIN && !f->shape.iterations)
		stop_posting(f);
	return window_edge(f, seen, command);
}

/*
 * Posts on the N queue pairs at QPS until DEPTH messages are outstanding on
 * each or its limit is reached.  A signaled message, or list of messages,
 * follows each run of unsignaled ones and is also the last before the limit.
 * Returns 0 or a negative errno.
 */
typedef int refill_fn(struct flow *f, struct flow_qp *const *qps, int n,
		      uint64_t depth);

/* In place of a post method: messages of several entries. */
#define POST_ENTRIES POST_METHODS

/* What q->posted is once DEPTH messages are outstanding or a limit is
 * reached. */
static ALWAYS_INLINE uint64_t post_until(const struct flow_qp *q,
					 uint64_t depth)
{
	return smaller(q->completed + depth, q->bound);
}

static ALWAYS_INLINE void count_posts(struct flow *f, struct flow_qp *q,
				      uint64_t n)
{
	f->posted += n;
	q->posted += n;
}

/* True when Q's next list, of LENGTH sends, is a signaled one. */
static ALWAYS_INLINE bool is_signaled(const struct flow_qp *q,
				      const uint32_t length)
{
	return !q->unsignaled_left || q->limit - q->posted <= length;
}

/* How many of N messages that there is room for can be posted by lists, of
 * LENGTH sends, that are all SIGNALED, or all not, as the next one is. */
static ALWAYS_INLINE uint64_t posts_alike(const struct flow *f,
					  const struct flow_qp *q,
					  const uint32_t length, bool signaled,
					  uint64_t n)
{
	if (!signaled)
		return smaller(smaller(n, q->unsignaled_left),
			       q->limit - q->posted - 1);
	return f->layout.unsignaled ? length : n;
}

/* Note that N messages are posted by lists that are SIGNALED or not. */
static ALWAYS_INLINE void note_lists(const struct flow *f, struct flow_qp *q,
				     bool signaled, uint64_t n)
{
	q->unsignaled_left = signaled ? f->layout.unsignaled :
					q->unsignaled_left - (uint32_t)n;
}

/* Move R, the send of Q, back to the beginning of its walk. */
static __attribute__((noinline)) void
restart_walk(const struct flow *f, struct flow_qp *q, struct flow_request *r)
{
	q->ahead = f->layout.positions;
	move_sends(r, 1, -q->ahead * f->layout.stride, f->layout.op);
}

/*
 * Post R, the next send of Q, N times, and move it on after each post, not
 * before, so that this happens while the provider has work.  All N are counted
 * first: then only what is left has to be remembered during a call.  Returns
 * what the verb returned.
 */
static ALWAYS_INLINE int post_sends(struct flow *f, struct flow_qp *q,
				    struct flow_request *r, uint64_t n,
				    const enum op op,
				    const enum post_method method)
{
	const uint64_t stride = f->layout.stride;

	count_posts(f, q, n);
	q->ahead -= n;
	do {
		int ret = post_linked(q, r, 1, op, method);

		if (__builtin_expect(ret != 0, 0)) {
			count_posts(f, q, -n);
			return ret;
		}
		r->wr.wr_id++;
		move_sends(r, 1, stride, op);
	} while (--n);
	if (!q->ahead)
		restart_walk(f, q, r);
	return 0;
}

/* Refill Q with single sends, all of them by one request, whose flags change.
 */
static ALWAYS_INLINE int refill_sends(struct flow *f, struct flow_qp *q,
				      uint64_t depth, const enum op op,
				      const enum post_method method)
{
	struct flow_request *r = q->requests;
	uint64_t room = post_until(q, depth) - q->posted;

	while (room) {
		uint64_t n = smaller(room, q->ahead);
		int ret;

		if (f->layout.unsignaled) {
			bool signaled = is_signaled(q, 1);

			n = posts_alike(f, q, 1, signaled, n);
			note_lists(f, q, signaled, n);
			r->wr.send_flags = q->flags[signaled];
		}
		room -= n;
		ret = post_sends(f, q, r, n, op, method);
		if (__builtin_expect(ret != 0, 0))
			return post_failed(f, q, ret);
	}
	return 0;
}

/* Move Q's list, which has no copies, one position on in the walk. */
static __attribute__((noinline)) void advance_walk(const struct flow *f,
						   struct flow_qp *q)
{
	uint64_t positions = 1;

	if (!--q->ahead) {
		q->ahead = f->layout.positions;
		positions -= q->ahead;
	}
	move_sends(q->requests, f->shape.list_length,
		   positions * f->layout.stride, f->layout.op);
}

/* Number the LENGTH sends from R on: LAST is the wr_id of the last one.  Only
 * each EVERY-th may be signaled and needs a number. */
static ALWAYS_INLINE void number_list(struct flow_request *r,
				      const uint32_t length,
				      const uint32_t every, uint64_t last)
{
	r[length - 1].wr.wr_id = last;
	for (uint32_t i = every; __builtin_expect(i < length, 0); i += every)
		r[i - 1].wr.wr_id = last - (length - i);
}

/* Post the next copy of Q's list.  Returns what the verb returned. */
static ALWAYS_INLINE int post_list(struct flow *f, struct flow_qp *q,
				   const enum op op,
				   const enum post_method method)
{
	const uint32_t length = f->shape.list_length;
	struct flow_request *r = &q->requests[q->copy];
	const bool signaled = is_signaled(q, length);
	int ret;

	r[length - 1].wr.send_flags = q->flags[signaled];
	number_list(r, length, f->layout.signal_every,
		    q->tag | (q->posted + length));
	ret = method == POST_ENTRIES ? post_any(f, q, r, length) :
				       post_linked(q, r, length, op, method);
	if (__builtin_expect(ret != 0, 0))
		return ret;
	count_posts(f, q, length);
	note_lists(f, q, signaled, length);
	q->copy += length;
	if (q->copy == f->layout.requests) {
		q->copy = 0;
		if (f->layout.stride)
			advance_walk(f, q);
	}
	return 0;
}

/* Post the LENGTH sends at R, verified, until N messages are posted or there is
 * no room for more.  Returns what the verb returned. */
static int post_verified(struct flow *f, struct flow_qp *q,
			 struct flow_request *r, uint32_t length, uint64_t n)
{
	int ret;

	n = length * verify_post(f, q, r, length, n / length, &ret);
	count_posts(f, q, n);
	return ret;
}

/* Post the last LEFT messages before Q's limit, fewer than a list: the end of a
 * signaled list.  Returns what the verb returned. */
static __attribute__((noinline)) int post_tail(struct flow *f,
					       struct flow_qp *q, uint32_t left)
{
	const uint32_t length = f->shape.list_length;
	struct flow_request *r = &q->requests[q->copy];
	int ret;

	r[length - 1].wr.send_flags = q->flags[true];
	number_list(r, length, f->layout.signal_every,
		    q->tag | (q->posted + left));
	r += length - left;
	if (f->verify)
		return post_verified(f, q, r, left, left);
	ret = post_any(f, q, r, left);
	count_posts(f, q, ret ? 0 : left);
	return ret;
}

/* Before Q's limit, post what is left of UNTIL, less than a list.  Returns 0 or
 * a negative errno. */
static ALWAYS_INLINE int end_refill(struct flow *f, struct flow_qp *q,
				    uint64_t until)
{
	int ret = 0;

	if (q->posted < until && until == q->limit)
		ret = post_tail(f, q, (uint32_t)(until - q->posted));
	return ret ? post_failed(f, q, ret) : 0;
}

/* Refill Q with whole lists and, before its limit, what is left. */
static ALWAYS_INLINE int refill_lists(struct flow *f, struct flow_qp *q,
				      uint64_t depth, const enum op op,
				      const enum post_method method)
{
	const uint32_t length = f->shape.list_length;
	const uint64_t until = post_until(q, depth);

	while (q->posted + length <= until) {
		int ret = post_list(f, q, op, method);

		if (__builtin_expect(ret != 0, 0))
			return post_failed(f, q, ret);
	}
	return end_refill(f, q, until);
}

/* The same, verified. */
static int refill_verified(struct flow *f, struct flow_qp *q, uint64_t depth)
{
	const uint32_t length = f->shape.list_length;
	const uint64_t until = post_until(q, depth);

	while (q->posted + length <= until) {
		const bool signaled = is_signaled(q, length);
		uint64_t before = q->posted;
		int ret;

		q->requests[length - 1].wr.send_flags = q->flags[signaled];
		ret = post_verified(f, q, q->requests, length,
				    posts_alike(f, q, length, signaled,
						until - before));
		if (ret)
			return post_failed(f, q, ret);
		if (q->posted == before)
			return 0;
		note_lists(f, q, signaled, q->posted - before);
	}
	return end_refill(f, q, until);
}

/* Only the code that runs for every message has a copy for each operation. */
#define REFILL(name, refill, op, method) \
	static int name(struct flow *f, struct flow_qp *const *qps, int n, \
			uint64_t depth) \
	{ \
		for (int i = 0; i < n; i++) { \
			int ret = refill(f, qps[i], depth, op, method); \
			if (__builtin_expect(ret != 0, 0)) \
				return ret; \
		} \
		return 0; \
	}
#define X(id, ...) \
	REFILL(sends_##id, refill_sends, OP_##id, POST_WR) \
	REFILL(lists_##id, refill_lists, OP_##id, POST_WR)
OP_LIST(X)
#undef X
/* a request names its operation itself, and only has to move */
REFILL(sends_two_sided, refill_sends, OP_SEND, POST_LEGACY)
REFILL(lists_two_sided, refill_lists, OP_SEND, POST_LEGACY)
REFILL(sends_one_sided, refill_sends, OP_WRITE, POST_LEGACY)
REFILL(lists_one_sided, refill_lists, OP_WRITE, POST_LEGACY)
REFILL(lists_of_entries, refill_lists, f->layout.op, POST_ENTRIES)
#undef REFILL

static int lists_verified(struct flow *f, struct flow_qp *const *qps, int n,
			  uint64_t depth)
{
	int ret = 0;

	for (int i = 0; i < n && !ret; i++)
		ret = refill_verified(f, qps[i], depth);
	return ret;
}

static refill_fn *choose_refill(const struct flow *f, enum op op)
{
	static refill_fn *const by_wr[OP_COUNT][2] = {
#define X(id, ...) [OP_##id] = { lists_##id, sends_##id },
		OP_LIST(X)
#undef X
	};
	const bool single = f->shape.list_length == 1;

	if (f->verify)
		return lists_verified;
	if (f->entries > 1)
		return lists_of_entries;
	if (f->method == POST_WR)
		return by_wr[op][single];
	if (op_table[op].access)
		return single ? sends_one_sided : lists_one_sided;
	return single ? sends_two_sided : lists_two_sided;
}

/* True when both completions are of one QP: then the later covers both.  The
 * field is valid in each completion, and cheaper to compare than wr_ids. */
static ALWAYS_INLINE bool same_qp(const struct ibv_wc *a,
				  const struct ibv_wc *b)
{
	return a->qp_num == b->qp_num;
}

/*
 * Retire N completions (above 0), and list in SERVED the QPs that now have
 * room.  Writes a sentinel to wc[N].  Returns the number of QPs, or a negative
 * errno.
 */
static ALWAYS_INLINE int retire_batch(struct flow *f, struct ibv_wc *wc, int n,
				      struct flow_qp **served)
{
	uint64_t completed = f->completed;	/* stays in a register */
	int k = 0;

	wc[n].qp_num = ~wc[n - 1].qp_num;
	for (int i = 0; i < n; i++) {
		if (__builtin_expect(wc[i].status != IBV_WC_SUCCESS, 0)) {
			k = flow_completion_failed(f, &wc[i], false);
			break;
		}
		if (!same_qp(&wc[i], &wc[i + 1]))
			served[k++] = retire_send(f, &wc[i], &completed);
	}
	f->completed = completed;
	return k;
}

static int refill_all(struct flow *f, uint64_t depth, refill_fn *refill)
{
	int ret = 0;

	for (uint32_t i = 0; i < f->n_qps && !ret; i++)
		ret = refill(f, &(struct flow_qp *){ &f->qps[i] }, 1, depth);
	return ret;
}

/*
 * Whether LEFT messages in the send queues, at TICKS per message, keep the
 * device busy for less time than an acknowledgement takes.  dryness.ack was
 * measured with one list, whose own sending time does not count.
 */
static bool is_dry(const struct flow *f, double left, double ticks)
{
	double alone = (double)f->dryness.ack - f->shape.list_length * ticks;

	return left * ticks < NEARLY * alone;
}

/*
 * Note whether the device ran out of work before this iteration posts.  BEFORE
 * messages were complete until this poll took completions.  Dryness counts only
 * if the loop had waited for them, because then a deeper queue would have kept
 * the device busy.  Once everything is posted, queues run dry as expected.
 */
static __attribute__((noinline, cold)) void check_dryness(struct flow *f,
							  uint64_t before)
{
	struct flow_dryness *d = &f->dryness;
	const uint64_t now = clock_ticks(f->clock);
	const uint64_t n = f->completed - d->completed;

	if (d->since)
		f->polls.spacing = (now - d->since) / d->polls;
	if (d->since && d->ack && !f->pace.bursts && n &&
	    f->posted < f->polls.timed_from) {
		d->checks++;
		d->dry += f->idle_at == before &&
			  is_dry(f, (double)(f->posted - f->completed),
				 (double)(now - d->since) / (double)n);
	}
	d->polls_left = d->polls = f->polls.spacing ? CHECK_EVERY : 1;
	d->since = now;
	d->completed = f->completed;
}

/* At PHASE_LEAVE a loop first takes what has completed, which it may have been
 * kept from, and does not leave before it has measured something. */
static __attribute__((noinline, cold)) bool may_leave(const struct flow *f,
						      uint32_t command)
{
	const struct flow_window *w = &f->window;

	if (phase_of(command) == PHASE_ABORT)
		return true;
	if (!f->idle_polls || !w->opened)
		return false;
	return w->closed ? w->counted : window_messages(f) > w->warmup;
}

/*
 * Take a batch of completions and of received messages and, if there is a
 * REFILL, post as far as the completions make room.  Returns 0 or a negative
 * errno.
 */
static ALWAYS_INLINE int poll_and_post(struct flow *f, uint64_t depth,
				       uint32_t *seen, refill_fn *refill)
{
	struct flow_qp *served[POLL_BATCH];
	struct ibv_wc wc[POLL_BATCH + 1];
	uint32_t command = flow_command(f);
	const uint64_t before = f->completed;
	int n, in = 0, ret = 0;

	if (__builtin_expect(phase_of(command) >= PHASE_LEAVE, 0) &&
	    may_leave(f, command))
		return -ECANCELED;
	next_cqs(f);
	n = poll_batch(f, f->send_cq, wc);
	if (__builtin_expect(f->allowances != NULL, 0) && n >= 0) {
		n = allowance_retire(f, wc, n);
		if (allowance_grew(f) && refill)
			ret = refill_all(f, depth, refill);
		if (ret)
			return ret;
	}
	if (f->n_receives && n >= 0)
		in = take_receives(f);
	if (n < 0 || in < 0)
		return n < 0 ? n : in;
	if (__builtin_expect(command != *seen ||
			     f->posted >= f->polls.timed_from, 0))
		window_note_poll(f, n + in > 0,
				 n < POLL_BATCH && in < POLL_BATCH);
	if (n + in == 0) {
		f->idle_at = before;
		return idle(f);
	}
	f->idle_polls = 0;
	if (__builtin_expect(f->verify != NULL, 0)) {
		n = verify_retire(f, wc, n);
		if (refill)
			ret = refill_all(f, depth, refill);
	} else if (n) {
		n = retire_batch(f, wc, n, served);
	}
	if (__builtin_expect(--f->dryness.polls_left == 0, 0))
		check_dryness(f, before);
	if (__builtin_expect(command != *seen, 0) && n >= 0 &&
	    (f->counts_arrivals || f->completed > before) && window_is_edge(f))
		*seen = edge(f, *seen, command);
	if (n > 0 && refill)
		ret = refill(f, served, n, depth);
	tell_progress(f, f->completed + f->received);
	return n < 0 ? n : ret;
}

/*
 * Post the messages that are due, a burst per QP, round robin from *NEXT on.
 * Skip QPs without room.  Once the window is closed, the rest is not paced.
 * Returns 0 or a negative errno.
 */
static int post_due(struct flow *f, uint32_t *next, const uint32_t seen,
		    refill_fn *refill)
{
	const uint64_t due =
		phase_of(seen) >= PHASE_DRAIN ? UINT64_MAX :
		pace_due(&f->pace, clock_ticks(f->clock), f->posted);
	uint32_t full = 0;
	int ret = 0;

	for (int i = 0; i < POLL_BATCH && full < f->n_qps && !ret; i++) {
		struct flow_qp *q = &f->qps[*next];
		uint64_t before = f->posted, n, depth;

		if (before >= due)
			break;
		n = smaller(f->pace.burst, due - before);
		depth = smaller(q->posted - q->completed + n, f->shape.depth);
		ret = refill(f, &q, 1, depth);
		full = f->posted > before ? 0 : full + 1;
		*next = *next + 1 < f->n_qps ? *next + 1 : 0;
	}
	return ret;
}

/*
 * Measure dryness.ack, the time from post to completion of a message sent
 * alone: the minimum of PROBES tries, each after the previous one completed.
 * This is part of the warm-up and ends with it.  Returns 0 or a negative errno.
 */
static __attribute__((noinline)) int probe(struct flow *f, uint32_t *seen,
					   refill_fn *refill)
{
	struct flow_qp *q = f->qps;
	int ret = 0;

	for (int i = 0; i < PROBES && *seen == PHASE_WARMUP && !ret; i++) {
		uint64_t start = clock_ticks(f->clock), took;

		q->unsignaled_left = 0;
		ret = refill(f, &q, 1, f->shape.list_length);
		while (!ret && f->completed < f->posted)
			ret = poll_and_post(f, 0, seen, NULL);
		took = clock_ticks(f->clock) - start;
		if (!ret && (!f->dryness.ack || took < f->dryness.ack))
			f->dryness.ack = took;
	}
	return ret;
}

/* True when no QP has anything left to post. */
static bool all_posted(const struct flow *f)
{
	for (uint32_t i = 0; i < f->n_qps; i++)
		if (f->qps[i].posted < f->qps[i].limit)
			return false;
	return true;
}

/*
 * At the start, the depth of every QP grows by one list an iteration, so that
 * no QP fills up while others wait, and completions are taken meanwhile.  If
 * the run is paced, the schedule decides what is posted.
 */
static int bandwidth_loop(struct flow *f, refill_fn *refill)
{
	const bool paced = f->pace.bursts > 0;
	refill_fn *const at_once = paced ? NULL : refill;
	uint32_t seen = window_begin(f), next = 0;
	uint64_t depth = 0;
	int ret = 0;

	if (seen != PHASE_WARMUP) {
		window_open(f);
		limit_posts(f);
	}
	if (paced)
		pace_begin(&f->pace, clock_ticks(f->clock));
	else if (!f->dryness.ack && !f->verify)
		ret = probe(f, &seen, refill);
	if (ret)
		return ret;
	do {
		if (!at_once) {
			ret = post_due(f, &next, seen, refill);
		} else if (depth < f->shape.depth) {
			depth = smaller(depth + f->shape.list_length,
					f->shape.depth);
			ret = refill_all(f, depth, refill);
		}
		if (!ret)
			ret = poll_and_post(f, depth, &seen, at_once);
	} while (!ret && (f->completed < f->posted ||
			  ((paced || f->verify || f->allowances) &&
			   !all_posted(f))));
	if (!ret && f->shape.iterations && !f->counts_arrivals)
		window_close(f);
	return ret;
}

int bandwidth_run(struct flow *f, enum op op)
{
	int ret = bandwidth_loop(f, choose_refill(f, op));

	if (ret)
		window_cut(f);
	return ret;
}
