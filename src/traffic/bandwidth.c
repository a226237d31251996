#include "config.h"
#include "traffic/bandwidth.h"

#include <errno.h>

#include "base/numbers.h"
#include "traffic/post.h"
#include "traffic/receive.h"
#include "traffic/window.h"

/* Messages sent one at a time before the queues are filled. */
#define PROBES 8
/* Polls with completions between two looks at the send queue: a prime, so that
 * looks do not always hit the same part of a pattern. */
#define LOOK_EVERY 31
/* Tolerance factor of is_dry(): neither of its times is known better. */
#define NEARLY 1.1

/* Stop posting as soon as the last message posted is signaled. */
static void stop_posting(struct flow *f)
{
	for (uint32_t i = 0; i < f->n_qps; i++) {
		struct flow_qp *q = &f->qps[i];
		bool signaled = q->unsignaled_left == f->lists.unsignaled;

		if (q->posted < q->limit)
			q->limit = q->posted +
				   (signaled ? 0 : f->shape.list_length);
	}
	f->looks.from = flow_last_post(f);
}

/* From now on, post no more than the iterations requested. */
static void limit_posts(struct flow *f)
{
	for (uint32_t i = 0; f->shape.iterations && i < f->n_qps; i++)
		f->qps[i].limit = f->qps[i].completed + f->shape.iterations;
	if (f->looks.from)
		f->looks.from = flow_last_post(f);
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

/* Move LIST, LENGTH sends, to Q's position in the walk.  A list with copies is
 * always there. */
static ALWAYS_INLINE void place_list(const struct flow *f,
				     const struct flow_qp *q,
				     struct flow_list *list,
				     const uint32_t length, const enum op op)
{
	uint64_t lists = q->position - list->position;

	if (!lists)
		return;
	move_sends(list->requests, length, lists * f->lists.stride, op);
	list->position = q->position;
}

/* Let Q and LIST go to the next position, unless its copies do the walking. */
static ALWAYS_INLINE void move_on(const struct flow *f, struct flow_qp *q,
				  struct flow_list *list,
				  const uint32_t length, const enum op op)
{
	if (!f->lists.stride)
		return;
	if (++q->position == f->lists.positions)
		q->position = 0;
	place_list(f, q, list, length, op);
}

/*
 * Post the single send of LIST up to *N times, but not beyond the end of the
 * walk; *N becomes the number of posts.  Move the send on after each post, not
 * before, so that this happens while the provider has work.  Returns what the
 * verb returned.
 */
static ALWAYS_INLINE int post_sends(struct flow *f, struct flow_qp *q,
				    struct flow_list *list, uint64_t *n,
				    const enum op op,
				    const enum post_method method)
{
	const uint64_t most = smaller(*n, f->lists.positions - q->position);
	const uint64_t stride = f->lists.stride;
	struct flow_request *r = list->requests;
	uint64_t left = most;
	int ret;

	place_list(f, q, list, 1, op);
	r->wr.wr_id = q->tag | (q->posted + 1);
	do {
		ret = hand_over(q, r, 1, op, method);
		if (__builtin_expect(ret != 0, 0))
			break;
		r->wr.wr_id++;
		move_sends(r, 1, stride, op);
	} while (--left);
	*n = most - left;
	q->position += *n;
	list->position = q->position;
	if (q->position == f->lists.positions)
		q->position = 0;
	return ret;
}

/* Number the list of LENGTH sends that begins with R: LAST is the wr_id of its
 * last.  Only each EVERY-th may be signaled and needs one. */
static ALWAYS_INLINE void number_list(struct flow_request *r,
				      const uint32_t length,
				      const uint32_t every, uint64_t last)
{
	r[length - 1].wr.wr_id = last;
	for (uint32_t i = every; __builtin_expect(i < length, 0); i += every)
		r[i - 1].wr.wr_id = last - (length - i);
}

/* Post LIST as often as *N messages allow, at least once, each time its next
 * copy; *N becomes the number of messages posted.  Returns what the verb
 * returned. */
static ALWAYS_INLINE int post_lists(struct flow *f, struct flow_qp *q,
				    struct flow_list *list, uint64_t *n,
				    const enum op op,
				    const enum post_method method)
{
	const uint32_t length = f->shape.list_length;
	const uint32_t every = f->lists.signal_every;
	const uint32_t end = f->lists.requests;
	struct flow_request *const requests = list->requests;
	uint64_t id = q->tag | q->posted, left = *n;
	uint32_t copy = q->copy;
	int ret;

	place_list(f, q, list, length, op);
	do {
		struct flow_request *r = &requests[copy];

		id += length;
		number_list(r, length, every, id);
		ret = hand_over(q, r, length, op, method);
		if (__builtin_expect(ret != 0, 0))
			break;
		left -= length;
		copy += length;
		if (copy == end) {
			copy = 0;
			move_on(f, q, list, length, op);
		}
	} while (left >= length);
	*n -= left;
	q->copy = copy;
	return ret;
}

/* As post_lists(), but for messages of several entries.  Returns the number of
 * messages posted, and what the verb returned in *RET. */
static __attribute__((noinline, cold)) uint64_t
post_gathered(struct flow *f, struct flow_qp *q, struct flow_list *list,
	      uint64_t n, int *ret)
{
	*ret = post_lists(f, q, list, &n, f->lists.op, POST_GATHERED);
	return n;
}

/* Post up to N messages, at least a list of them, by LIST: the unsignaled or
 * the signaled one of Q.  Returns the number of messages posted, or a negative
 * errno. */
static ALWAYS_INLINE int64_t post_run(struct flow *f, struct flow_qp *q,
				      struct flow_list *list, uint64_t n,
				      const bool single, const enum op op,
				      const enum post_method method)
{
	const uint32_t length = single ? 1 : f->shape.list_length;
	int ret;

	if (__builtin_expect(f->apart, 0)) {
		int verb;	/* keeps ret in a register */

		n = f->verify ? verify_post(f, q, list->requests, length,
					    n / length, &verb) * length :
				post_gathered(f, q, list, n, &verb);
		ret = verb;
	} else if (single) {
		ret = post_sends(f, q, list, &n, op, method);
	} else {
		ret = post_lists(f, q, list, &n, op, method);
	}
	f->posted += n;
	q->posted += n;
	return ret ? post_failed(f, q, ret) : (int64_t)n;
}

/* Post the last LEFT messages before Q's limit, fewer than a list: the end of a
 * signaled list. */
static __attribute__((noinline)) int post_tail(struct flow *f,
					       struct flow_qp *q,
					       uint32_t left, const enum op op)
{
	uint32_t skip = f->shape.list_length - left;
	struct flow_list *list = &q->lists[FLOW_SIGNALED];
	struct flow_request *r = &list->requests[q->copy];
	int ret = 0;

	place_list(f, q, list, f->shape.list_length, op);
	number_list(r, f->shape.list_length, f->lists.signal_every,
		    q->tag | (q->posted + left));
	if (!f->verify)
		ret = post_any(f, q, &r[skip], left);
	else if (!verify_post(f, q, &r[skip], left, 1, &ret) && !ret)
		return 0;
	if (ret)
		return post_failed(f, q, ret);
	q->posted += left;
	f->posted += left;
	return 0;
}

/*
 * Post on Q until DEPTH messages are outstanding or its limit is reached.  A
 * signaled list follows each run of unsignaled ones and is also the last before
 * the limit.  Returns 0 or a negative errno.
 */
static ALWAYS_INLINE int refill(struct flow *f, struct flow_qp *q,
				uint64_t depth, const bool single,
				const enum op op,
				const enum post_method method)
{
	const uint32_t length = single ? 1 : f->shape.list_length;
	uint64_t left = q->limit - q->posted;
	uint64_t room = smaller(depth - (q->posted - q->completed), left);
	int64_t n;

	for (; room >= length; left -= (uint64_t)n, room -= (uint64_t)n) {
		if (q->unsignaled_left && left > length) {
			n = post_run(f, q, &q->lists[FLOW_UNSIGNALED],
				     smaller(smaller(room, q->unsignaled_left),
					     left - 1), single, op, method);
			q->unsignaled_left -= (uint32_t)n;
		} else {
			q->unsignaled_left = f->lists.unsignaled;
			n = post_run(f, q, &q->lists[FLOW_SIGNALED],
				     f->lists.unsignaled ? length : room,
				     single, op, method);
		}
		if (n <= 0)
			return (int)n;
	}
	if (!single && left && left == room)
		return post_tail(f, q, (uint32_t)left, op);
	return 0;
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
	int k = 0;

	wc[n].qp_num = ~wc[n - 1].qp_num;
	for (int i = 0; i < n; i++) {
		if (__builtin_expect(wc[i].status != IBV_WC_SUCCESS, 0))
			return flow_completion_failed(f, &wc[i], false);
		if (!same_qp(&wc[i], &wc[i + 1]))
			served[k++] = retire_send(f, &wc[i]);
	}
	return k;
}

static ALWAYS_INLINE int refill_all(struct flow *f, uint64_t depth,
				    const bool single, const enum op op,
				    const enum post_method method)
{
	int ret = 0;

	for (uint32_t i = 0; i < f->n_qps && !ret; i++)
		ret = refill(f, &f->qps[i], depth, single, op, method);
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
static __attribute__((noinline, cold)) void look(struct flow *f,
						 uint64_t before)
{
	struct flow_dryness *d = &f->dryness;
	const uint64_t now = clock_ticks(f->clock);
	const uint64_t n = f->completed - d->completed;

	if (d->since)
		f->looks.spacing = (now - d->since) / d->polls;
	if (d->since && d->ack && !f->pace.bursts && n &&
	    f->posted < f->looks.from) {
		d->looks++;
		d->dry += f->idle_at == before &&
			  is_dry(f, (double)(f->posted - f->completed),
				 (double)(now - d->since) / (double)n);
	}
	d->polls_left = d->polls = f->looks.spacing ? LOOK_EVERY : 1;
	d->since = now;
	d->completed = f->completed;
}

/*
 * Take a batch of completions and of received messages.  Unless PACED, post as
 * far as the completions make room.  Returns 0 or a negative errno.
 */
static ALWAYS_INLINE int poll_and_post(struct flow *f, uint64_t depth,
				       uint32_t *seen, const bool paced,
				       const bool single, const enum op op,
				       const enum post_method method)
{
	struct flow_qp *served[POLL_BATCH];
	struct ibv_wc wc[POLL_BATCH + 1];
	uint32_t command = flow_command(f);
	const uint64_t before = f->completed;
	int n, in = 0, ret = 0;

	if (__builtin_expect(phase_of(command) == PHASE_ABORT, 0))
		return -ECANCELED;
	next_cqs(f);
	n = poll_batch(f, f->send_cq, wc);
	if (f->n_receives && n >= 0)
		in = take_receives(f);
	if (n < 0 || in < 0)
		return n < 0 ? n : in;
	if (__builtin_expect(command != *seen || f->posted >= f->looks.from,
			     0))
		window_look(f, n + in > 0, n < POLL_BATCH && in < POLL_BATCH);
	if (n + in == 0) {
		f->idle_at = before;
		return idle(f);
	}
	f->idle_polls = 0;
	if (__builtin_expect(f->verify != NULL, 0)) {
		n = verify_retire(f, wc, n);
		if (!paced)
			ret = refill_all(f, depth, single, op, method);
	} else if (n) {
		n = retire_batch(f, wc, n, served);
	}
	if (__builtin_expect(--f->dryness.polls_left == 0, 0))
		look(f, before);
	if (__builtin_expect(command != *seen, 0) && n >= 0 &&
	    (f->counts_arrivals || f->completed > before) && window_is_edge(f))
		*seen = edge(f, *seen, command);
	for (int i = 0; i < n && !paced; i++) {
		ret = refill(f, served[i], depth, single, op, method);
		if (__builtin_expect(ret != 0, 0))
			break;
	}
	tell_progress(f, f->completed + f->received);
	return n < 0 ? n : ret;
}

/*
 * Post the messages that are due, a burst per QP, round robin from *NEXT on.
 * Skip QPs without room.  Once the window is closed, the rest is not paced.
 * Returns 0 or a negative errno.
 */
static ALWAYS_INLINE int post_due(struct flow *f, uint32_t *next,
				  const uint32_t seen, const bool single,
				  const enum op op,
				  const enum post_method method)
{
	const uint64_t due =
		phase_of(seen) == PHASE_DRAIN ? UINT64_MAX :
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
		ret = refill(f, q, depth, single, op, method);
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
					   const bool single, const enum op op,
					   const enum post_method method)
{
	const uint32_t length = single ? 1 : f->shape.list_length;
	struct flow_qp *q = f->qps;
	int ret = 0;

	for (int i = 0; i < PROBES && *seen == PHASE_WARMUP && !ret; i++) {
		uint64_t start = clock_ticks(f->clock), took;
		int64_t n;

		q->unsignaled_left = f->lists.unsignaled;
		n = post_run(f, q, &q->lists[FLOW_SIGNALED], length, single,
			     op, method);
		ret = n < 0 ? (int)n : 0;
		while (!ret && f->completed < f->posted)
			ret = poll_and_post(f, 0, seen, true, single, op,
					    method);
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
 * PACED, the schedule decides what is posted.
 */
static ALWAYS_INLINE int bandwidth_loop(struct flow *f, const bool paced,
					const bool single, const enum op op,
					const enum post_method method)
{
	const uint32_t length = single ? 1 : f->shape.list_length;
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
		ret = probe(f, &seen, single, op, method);
	if (ret)
		return ret;
	do {
		if (paced) {
			ret = post_due(f, &next, seen, single, op, method);
		} else if (depth < f->shape.depth) {
			depth = smaller(depth + length, f->shape.depth);
			ret = refill_all(f, depth, single, op, method);
		}
		if (!ret)
			ret = poll_and_post(f, depth, &seen, paced, single, op,
					    method);
	} while (!ret && (f->completed < f->posted ||
			  ((paced || f->verify) && !all_posted(f))));
	if (!ret && f->shape.iterations && !f->counts_arrivals)
		window_close(f);
	return ret;
}

typedef int (*loop_fn)(struct flow *f);
#define LOOP(name, paced, id, method, single) \
	static int name##_##id##_##method##_##single(struct flow *f) \
	{ \
		return bandwidth_loop(f, paced, single, OP_##id, \
				      POST_##method); \
	}
#define FOUR_LOOPS(name, paced, id) \
	LOOP(name, paced, id, LEGACY, true) \
	LOOP(name, paced, id, LEGACY, false) \
	LOOP(name, paced, id, WR, true) \
	LOOP(name, paced, id, WR, false)
#define X(id, ...) \
	FOUR_LOOPS(fast, false, id) \
	FOUR_LOOPS(paced, true, id)
OP_LIST(X)
#undef X
#undef FOUR_LOOPS
#undef LOOP

#define METHODS(name, id) \
	{ \
		[POST_WR] = { name##_##id##_WR_false, name##_##id##_WR_true }, \
		[POST_LEGACY] = { name##_##id##_LEGACY_false, \
				  name##_##id##_LEGACY_true }, \
	}

int bandwidth_run(struct flow *f, enum op op)
{
	/* by operation, paced or not, method, list_length 1 or not */
	static const loop_fn loops[OP_COUNT][2][POST_METHODS][2] = {
#define X(id, ...) [OP_##id] = { METHODS(fast, id), METHODS(paced, id) },
		OP_LIST(X)
#undef X
	};
	int ret = loops[op][f->pace.bursts > 0][f->method]
		       [f->shape.list_length == 1](f);

	if (ret)
		window_cut(f);
	return ret;
}
