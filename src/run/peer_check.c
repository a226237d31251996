/* Checks whether what the peer reports can be true. */
#include "config.h"
#include "run/peer_check.h"

#include <float.h>
#include <math.h>
#include <sched.h>
#include <string.h>

#include "base/numbers.h"

/* No device sends a tenth as many messages for one thread. */
#define MESSAGES_PER_NS 10
/* No clock takes a second, in ns, to be read, or runs that many times too
 * fast. */
#define CLOCK_MOST 1e9

static int check(const char *field, uint64_t value, uint64_t min, uint64_t max,
		 struct error *err)
{
	if (min > max)
		return wire_refuse(err, NULL, FRAME_DONE,
				   "with %s %llu: expected at least %llu, but "
				   "at most %llu are possible", field,
				   (unsigned long long)value,
				   (unsigned long long)min,
				   (unsigned long long)max);
	return wire_check(FRAME_DONE, field, value, min, max, err);
}

/* True when the peer's numbers are the result, or half of it. */
static bool measures(const struct peer_facts *f)
{
	return plan_measures(f->plan, f->client);
}

static bool has_latency(const struct peer_facts *f)
{
	return f->plan->metric == METRIC_LATENCY && f->client;
}

/* Messages that the plan asks for; 0: as many as time allows.  A batch is one
 * message of all queue pairs. */
static uint64_t due(const struct peer_facts *f, uint32_t qps)
{
	return f->warming ? 0 :
			    f->plan->iterations * (f->plan->batch.n ? 1 : qps);
}

/* True when the peer warms up: the number of its warm-up messages depends on
 * time. */
static bool has_warmup(const struct plan *plan)
{
	return plan->warmup && !plan_warms_up_apart(plan);
}

/* The server of a latency test posts only answers. */
static int check_posted(const struct peer_facts *f, const struct done *d,
			struct error *err)
{
	if (!plan_sends(f->plan, f->client) ||
	    (f->plan->metric == METRIC_LATENCY && !f->client))
		return 0;
	return check("posted", d->posted, f->sent, f->sent, err);
}

/* Every ping is counted or lost.  In a bandwidth test the window may be shorter
 * than the run, and a receiver may have received nothing. */
static int check_counted(const struct peer_facts *f, const struct done *d,
			 struct error *err)
{
	const struct plan *plan = f->plan;
	const uint64_t all = plan_due(plan, due(f, plan->qps));
	const uint64_t answered = all - smaller(all, d->lost);
	const bool received = plan_receiver_measures(plan) ||
			      plan_is_pingpong(plan);
	uint64_t most = received ? d->received : d->posted, least = 0;

	if (all)
		most = smaller(most, answered);
	if (all && has_latency(f))
		least = answered;
	else if (all && !plan_is_unreliable(plan))
		least = 1;
	return check("counted", d->counted, least, most, err);
}

/* A ping may be lost if the transport may lose it.  What reached which end is
 * compared later: compare_counts(). */
static int check_counts(const struct peer_facts *f, const struct done *d,
			struct error *err)
{
	const struct plan *plan = f->plan;
	int ret = check_posted(f, d, err) ?:
		  check("lost", d->lost, 0,
			plan_is_unreliable(plan) ? d->posted : 0, err);

	if (!ret && measures(f))
		ret = check_counted(f, d, err);
	if (!ret)
		ret = check("late", d->late, 0,
			    plan_is_open(plan) ? d->counted : 0, err);
	if (!ret && measures(f))
		ret = check("window", d->window_ns, d->counted > 0, COUNT_MAX,
			    err);
	return ret;
}

/* A known error bound is at most the whole window; one that is larger becomes
 * unknown. */
static void leave_out_error(const char *what, uint64_t *ns, struct done *d)
{
	struct error why = { 0 };

	if (*ns == DONE_UNKNOWN || !check(what, *ns, 0, d->window_ns, &why))
		return;
	done_leave_out(d, what, &why);
	*ns = DONE_UNKNOWN;
}

static int check_dryness(const struct done *d, struct error *err)
{
	return check("checks of the send queue", d->queue_checks, 0, d->posted,
		     err) ?:
	       check("checks that found it dry", d->dry, 0, d->queue_checks,
		     err);
}

static int check_method(const struct peer_facts *f, const struct done *d,
			struct error *err)
{
	uint64_t least = POST_AUTO, most = POST_AUTO;

	if (plan_sends(f->plan, f->client)) {
		least = f->plan->post ? f->plan->post : POST_AUTO + 1;
		most = f->plan->post ? f->plan->post : POST_METHODS - 1;
	}
	return check("post method", d->method, least, most, err);
}

/* A VALUE below LEAST cannot be, and becomes unknown. */
static void check_least(double *value, double least)
{
	if (!(*value >= least && *value <= CLOCK_MOST))
		*value = NAN;
}

static void settle_clock(struct clock_description *clock)
{
	check_least(&clock->resolution_ns, DBL_TRUE_MIN);
	check_least(&clock->read_cost_ns, DBL_TRUE_MIN);
	check_least(&clock->deviation, 0);
	check_least(&clock->drift, -CLOCK_MOST);
}

static int check_thread(const struct done *d, const struct thread_row *row,
			uint64_t qps_left, uint64_t left, struct error *err)
{
	int ret = row->cpu == PLAN_AUTO ? 0 :
		  check("CPU of a thread", row->cpu, 0, CPU_SETSIZE - 1, err);

	return ret ?:
	       check("QPs of a thread", row->qps, 1, qps_left, err) ?:
	       check("messages of a thread", row->iterations, 0, left, err) ?:
	       check("window of a thread", row->window_ns, row->iterations > 0,
		     d->window_ns + 1, err);
}

/* Check the threads: together they have all queue pairs and counted all
 * messages. */
static int check_threads(const struct peer_facts *f, const struct done *d,
			 struct error *err)
{
	const struct plan *plan = f->plan;
	uint32_t threads = measures(f) && plan->threads > 1 ? plan->threads : 0;
	uint64_t qps = plan->qps, left = d->counted;
	int ret = check("threads", d->n_threads, threads, threads, err);

	for (uint32_t i = 0; i < d->n_threads && !ret; i++) {
		ret = check_thread(d, &d->threads[i], qps, left, err);
		qps -= ret ? 0 : d->threads[i].qps;
		left -= ret ? 0 : d->threads[i].iterations;
	}
	if (ret || !threads)
		return ret;
	return check("QPs of no thread", qps, 0, 0, err) ?:
	       check("messages of no thread", left, 0, 0, err);
}

/* Only the server of a multicast group has receivers, if there are several. */
static int check_receivers(const struct peer_facts *f, const struct done *d,
			   struct error *err)
{
	const uint32_t copies = f->client ? 1 : plan_copies(f->plan);
	const uint32_t n = copies > 1 ? copies : 0;

	return check("receivers", d->n_receivers, n, n, err);
}

/* An interval begins where the one before ended, and lies in the window, within
 * the nanosecond of rounding.  LEFT messages are in it or in a later one. */
static int check_interval(const struct done *d, const struct interval *one,
			  uint64_t begins, uint64_t left, struct error *err)
{
	return check("start of an interval", one->start_ns, begins, begins,
		     err) ?:
	       check("length of an interval", one->length_ns, 1,
		     d->window_ns + 1 - begins, err) ?:
	       check("messages of an interval", one->messages, 0, left, err);
}

static int check_intervals(const struct peer_facts *f, const struct done *d,
			   struct error *err)
{
	const bool has = measures(f) && f->plan->metric == METRIC_BANDWIDTH;
	uint64_t end = 0, left = d->counted;
	int ret = check("number of intervals", d->n_intervals, 0,
			has ? d->n_intervals : 0, err);

	for (uint32_t i = 0; i < d->n_intervals && !ret; i++) {
		ret = check_interval(d, &d->intervals[i], end, left, err);
		end += d->intervals[i].length_ns;
		left -= ret ? 0 : d->intervals[i].messages;
	}
	if (ret || !d->n_intervals)
		return ret;
	return check("messages in no interval", left, 0, 0, err);
}

/* Only what a queue pair had outstanding can be left, and only where it is not
 * lost anyway. */
static int check_left(const struct peer_facts *f, const struct done *d,
		      struct error *err)
{
	const struct plan *plan = f->plan;
	const bool may = plan_sends(plan, f->client) &&
			 !plan_is_unreliable(plan);

	return check("messages left", d->left, 0,
		     may ? (uint64_t)plan->qps * plan_send_queue(plan) : 0,
		     err);
}

/* Leave out of D what cannot be, where no printed number depends on it. */
static void leave_out(const struct peer_facts *f, struct done *d)
{
	struct error why = { 0 };

	leave_out_error("error of the window", &d->window_error, d);
	leave_out_error("error of an interval", &d->interval_error, d);
	settle_clock(&d->clock);
	if (check_dryness(d, &why)) {
		done_leave_out(d, "how often the send queue was dry", &why);
		d->queue_checks = d->dry = 0;
	}
	if (check_method(f, d, &why)) {
		done_leave_out(d, "post method", &why);
		d->method = POST_AUTO;
	}
	if (check_threads(f, d, &why)) {
		done_leave_out(d, "threads", &why);
		d->n_threads = 0;
	}
	if (check_receivers(f, d, &why)) {
		done_leave_out(d, "receivers", &why);
		d->n_receivers = 0;
	}
	if (check_left(f, d, &why)) {
		done_leave_out(d, "messages left", &why);
		d->left = 0;
	}
	if (check_intervals(f, d, &why)) {
		done_leave_out(d, "intervals", &why);
		d->n_intervals = 0;
	}
}

/* Samples are whole ticks within the window; in a closed loop each ends before
 * the next begins, so their sum fits, too.  In an open loop the window does not
 * bound them, and this end's clock may be another. */
static int check_samples(const struct peer_facts *f, const struct done *d,
			 struct error *err)
{
	const struct histogram *h = d->latency;
	double sum, most;
	int ret;

	if (!h)
		return 0;
	ret = check("samples", h->count, d->counted, d->counted, err);
	if (ret || !h->count)
		return ret;
	if (!(d->ns_per_tick > 0 && isfinite(d->ns_per_tick)))
		return wire_refuse(err, NULL, FRAME_DONE,
				   "with tick %g: must be above 0",
				   d->ns_per_tick);
	sum = (double)(plan_is_open(f->plan) ? h->max : h->sum) *
	      d->ns_per_tick;
	most = plan_is_open(f->plan) ? (double)COUNT_MAX :
				       (double)d->window_ns * (1 + 1e-9) + 1;
	if (sum <= most)
		return 0;
	return wire_refuse(err, NULL, FRAME_DONE, "with samples of %g ns: at "
			   "most %g ns are in the window", sum, most);
}

int peer_check_sent(const struct peer_facts *facts, uint32_t qps,
		    uint64_t messages, struct error *err)
{
	uint64_t least = due(facts, qps);
	uint64_t most = least && !has_warmup(facts->plan) ?
				least : facts->elapsed * MESSAGES_PER_NS;

	return wire_check(FRAME_SENT, "messages", messages, least, most, err);
}

int peer_check_done(const struct peer_facts *facts, struct done *theirs,
		    struct error *err)
{
	int ret;

	/* these are not printed, whatever they are */
	if (!measures(facts))
		theirs->counted = theirs->window_ns = 0;
	if (!has_latency(facts))
		theirs->lost = theirs->late = 0;
	ret = check_counts(facts, theirs, err) ?:
	      check_samples(facts, theirs, err);
	if (!ret)
		leave_out(facts, theirs);
	return ret;
}

/* The transport and the path decide whether a value must be there. */
static int check_effective(const char *name, uint32_t value, bool has,
			   struct error *err)
{
	if (has == (value != EFFECTIVE_NONE))
		return 0;
	return wire_refuse(err, NULL, FRAME_READY,
			   "%s %s, which its queue pairs %s",
			   has ? "without" : "with", name,
			   has ? "have" : "do not have");
}

int peer_check_ready(const struct plan *plan, const struct path *path,
		     const struct effective *theirs, struct error *err)
{
	const uint32_t mtu = theirs->path_mtu;
	int ret = 0;

#define X(name, most, transports, ...) \
	if (!ret) \
		ret = check_effective(#name, theirs->name, \
				      effective_has(transports, \
						    plan->transport, \
						    path->global), err);
	EFFECTIVE_LIST(X)
#undef X
	/* an injected fault may be just this one */
	if (ret || mtu == EFFECTIVE_NONE || mtu == 0 || plan->inject)
		return ret;
	return wire_check(FRAME_READY, "path_mtu", mtu, plan->mtu, plan->mtu,
			  err);
}

int peer_check_endpoint(const struct port *port, const struct path *path,
			const struct endpoint *theirs, struct error *err)
{
	const struct gid *mine = &path->local, *gid = &path->remote;
	const bool global = path->global;
	const struct {
		const char *name;
		uint64_t value, due;
	} fields[] = {
		{ "LID", theirs->lid, port->lid },
		{ "GRH", theirs->global, global },
		{ "GID index", theirs->gid_index, gid->index },
		{ "GID index of the receiver", theirs->peer_gid_index,
		  mine->index },
		{ "GID type", theirs->gid_type, gid->type },
	};
	const size_t n = global ? sizeof(fields) / sizeof(*fields) : 2;
	char text[GID_TEXT_SIZE], due[GID_TEXT_SIZE];
	int ret = 0;

	for (size_t i = 0; i < n && !ret; i++)
		ret = wire_check(FRAME_ENDPOINT, fields[i].name,
				 fields[i].value, fields[i].due, fields[i].due,
				 err);
	if (ret || !global || !memcmp(theirs->gid.raw, gid->raw.raw, 16))
		return ret;
	return wire_refuse(err, NULL, FRAME_ENDPOINT,
			   "with GID %s: expected %s, its GID %u",
			   gid_format(&theirs->gid, text),
			   gid_format(&gid->raw, due), gid->index);
}
