#include "config.h"
#include "run/peer_check.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <string.h>

#include "base/numbers.h"
#include "base/time.h"

/* Clocks differ by far less, but a host may be busy when START comes. */
#define WINDOW_SHARE 10
#define WINDOW_SLACK (SECOND / 10)
/* No device does a tenth of this for one thread. */
#define MESSAGES_PER_NS 10

static uint64_t most_time(uint64_t elapsed)
{
	return elapsed + elapsed / WINDOW_SHARE + WINDOW_SLACK;
}

/* Far more than any device sends or receives in that time. */
static uint64_t most_messages(const struct peer_facts *f, uint32_t threads)
{
	const uint64_t each = COUNT_MAX / MESSAGES_PER_NS / CPUS_MAX;

	return smaller(most_time(f->elapsed), each) * MESSAGES_PER_NS * threads;
}

static int check(const char *field, uint64_t value, uint64_t min, uint64_t max,
		 struct error *err)
{
	static const struct frame done = { .type = FRAME_DONE };

	if (min > max)
		return fail(err, -EPROTO, NULL,
			    "the peer sent a DONE with %s %llu: expected at "
			    "least %llu, but at most %llu are possible",
			    field, (unsigned long long)value,
			    (unsigned long long)min, (unsigned long long)max);
	return wire_check(&done, field, value, min, max, err);
}

/* Are the peer's numbers the result, or half of it? */
static bool measures(const struct peer_facts *f)
{
	return plan_measures(f->plan, f->client);
}

/* Messages that the plan asks for; 0: as many as time allows. */
static uint64_t due(const struct peer_facts *f, uint32_t qps)
{
	return f->warming ? 0 : f->plan->iterations * qps;
}

/* The number of warm-up messages depends on time. */
static bool has_warmup(const struct plan *plan)
{
	return plan->warmup && !plan_warms_up_apart(plan);
}

static bool is_answering(const struct peer_facts *f)
{
	return f->plan->metric == METRIC_LATENCY && !f->client;
}

static int check_posted(const struct peer_facts *f, const struct done *d,
			struct error *err)
{
	uint64_t most = most_messages(f, f->plan->threads);
	uint64_t least = 0;

	if (!plan_sends(f->plan, f->client)) {
		most = 0;
	} else if (is_answering(f)) {
		most = f->mine->posted;
		least = f->mine->received;
	} else if (f->has_sent) {
		least = most = f->sent;
	} else if (due(f, f->plan->qps)) {
		least = due(f, f->plan->qps);
		most = has_warmup(f->plan) ? most : least;
	}
	return check("posted", d->posted, least, most, err);
}

/* In a bandwidth test, compare_counts() compares both ends' counts later. */
static uint64_t most_received(const struct peer_facts *f)
{
	const struct plan *plan = f->plan;

	if (plan->metric == METRIC_LATENCY)
		return plan_is_pingpong(plan) ? f->mine->posted : 0;
	if (!plan_sends(plan, !f->client) || !plan_counts_received(plan))
		return 0;
	return plan_due(plan, most_messages(f, plan->threads));
}

/* Most pings without an answer. */
static uint64_t most_lost(const struct peer_facts *f, const struct done *d)
{
	if (f->plan->metric != METRIC_LATENCY || !f->client ||
	    !plan_is_unreliable(f->plan))
		return 0;
	return d->posted;
}

/* Most messages counted: a ping counts when its answer comes. */
static uint64_t most_counted(const struct peer_facts *f, const struct done *d)
{
	const struct plan *plan = f->plan;

	if (plan_receiver_measures(plan) || plan_is_pingpong(plan))
		return d->received;
	return d->posted;
}

/* Every ping is counted or lost.  In a bandwidth test the window may be shorter
 * than the run, and a receiver may have received nothing. */
static int check_counted(const struct peer_facts *f, const struct done *d,
			 struct error *err)
{
	const struct plan *plan = f->plan;
	const uint64_t all = plan_due(plan, due(f, plan->qps));
	const uint64_t answered = all - smaller(all, d->lost);
	uint64_t most = most_counted(f, d), least = 0;

	if (!measures(f))
		return check("counted", d->counted, 0, 0, err);
	if (all)
		most = smaller(most, answered);
	if (all && plan->metric == METRIC_LATENCY)
		least = answered;
	else if (all && !plan_is_unreliable(plan))
		least = 1;
	return check("counted", d->counted, least, most, err);
}

static int check_counts(const struct peer_facts *f, const struct done *d,
			struct error *err)
{
	uint64_t late = plan_is_open(f->plan) ? d->counted : 0;
	int ret = check_posted(f, d, err);

	if (!ret)
		ret = check("received", d->received, 0, most_received(f), err);
	if (!ret)
		ret = check("lost", d->lost, 0, most_lost(f, d), err);
	if (!ret)
		ret = check_counted(f, d, err);
	if (!ret)
		ret = check("late", d->late, 0, late, err);
	return ret;
}

/* A known error bound is at most the whole window; what is not is not known. */
static void doubt_error(const char *field, uint64_t *ns, const struct done *d,
			struct error *doubt)
{
	if (*ns != DONE_UNKNOWN && check(field, *ns, 0, d->window_ns, doubt))
		*ns = DONE_UNKNOWN;
}

/* The peer's times are by its own clock, which may go faster than this end's:
 * then they stay. */
static int check_window(const struct peer_facts *f, const struct done *d,
			struct error *doubt, struct error *err)
{
	int ret = check("window", d->window_ns, d->counted > 0,
			measures(f) ? COUNT_MAX : 0, err);

	if (!ret && d->window_ns > most_time(f->elapsed))
		fail(doubt, -EPROTO, NULL, "%.3g s by the %s's clock are at "
		     "most %.3g s by this end's", (double)d->window_ns / 1e9,
		     f->client ? "client" : "server",
		     (double)f->elapsed / 1e9);
	return ret;
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

static bool is_above_0(double value)
{
	return value > 0 && isfinite(value);
}

/* Only the samples are in ticks. */
static int check_tick(const struct done *d, struct error *err)
{
	if (!d->latency || !d->latency->count || is_above_0(d->ns_per_tick))
		return 0;
	return fail(err, -EPROTO, NULL,
		    "the peer sent a DONE with tick %g: must be above 0",
		    d->ns_per_tick);
}

static int check_thread(const struct done *d, const struct thread_row *row,
			uint64_t qps_left, uint64_t left, struct error *err)
{
	int ret = row->cpu == PLAN_AUTO ? 0 :
		  check("CPU of a thread", row->cpu, 0, CPU_SETSIZE - 1, err);

	if (!ret)
		ret = check("QPs of a thread", row->qps, 1, qps_left, err);
	if (!ret)
		ret = check("messages of a thread", row->iterations, 0, left,
			    err);
	if (!ret)
		ret = check("window of a thread", row->window_ns,
			    row->iterations > 0, d->window_ns + 1, err);
	return ret;
}

/* Together the threads have all queue pairs and counted all messages. */
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
	ret = check("QPs of no thread", qps, 0, 0, err);
	return ret ? ret : check("messages of no thread", left, 0, 0, err);
}

/* Those of a group at the server, if there are several. */
static int check_receivers(const struct peer_facts *f, const struct done *d,
			   struct error *err)
{
	const uint32_t n = f->client ? 1 : plan_copies(f->plan);

	return check("receivers", d->n_receivers, n > 1 ? n : 0,
		     n > 1 ? n : 0, err);
}

/* Each interval begins where the one before ended.  The decoder checked them
 * against the window and the messages counted. */
static int check_intervals(const struct peer_facts *f, const struct done *d,
			   struct error *err)
{
	bool has = measures(f) && f->plan->metric == METRIC_BANDWIDTH;
	uint64_t end = 0;
	int ret = check("number of intervals", d->n_intervals, 0,
			has ? d->n_intervals : 0, err);

	for (uint32_t i = 0; i < d->n_intervals && !ret; i++) {
		const struct interval *interval = &d->intervals[i];

		ret = check("start of an interval", interval->start_ns, end,
			    end, err);
		end = interval->start_ns + interval->length_ns;
	}
	return ret;
}

/* Leave out of D what cannot be, but makes no number wrong that is printed. */
static void leave_out(const struct peer_facts *f, struct done *d,
		      struct error *doubt)
{
	struct clock_description *clock = &d->clock;

	doubt_error("error of the window", &d->window_error, d, doubt);
	doubt_error("error of an interval", &d->interval_error, d, doubt);
	if (check("looks", d->looks, 0, d->posted, doubt))
		d->looks = d->dry = 0;
	if (check_method(f, d, doubt))
		d->method = POST_AUTO;
	if (!is_above_0(clock->resolution_ns))
		clock->resolution_ns = NAN;
	if (!is_above_0(clock->read_cost_ns))
		clock->read_cost_ns = NAN;
	if (check_threads(f, d, doubt))
		d->n_threads = 0;
	if (check_receivers(f, d, doubt))
		d->n_receivers = 0;
	if (check_intervals(f, d, doubt))
		d->n_intervals = 0;
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
	sum = (double)(plan_is_open(f->plan) ? h->max : h->sum) *
	      d->ns_per_tick;
	most = plan_is_open(f->plan) ? (double)COUNT_MAX :
				       (double)d->window_ns * (1 + 1e-9) + 1;
	if (sum <= most)
		return 0;
	return fail(err, -EPROTO, NULL,
		    "the peer sent a DONE with samples of %g ns: at most %g "
		    "ns are in the window", sum, most);
}

int peer_check_sent(const struct peer_facts *facts, uint32_t qps,
		    uint64_t messages, struct error *err)
{
	static const struct frame sent = { .type = FRAME_SENT };
	uint64_t least = due(facts, qps);
	uint64_t most = least && !has_warmup(facts->plan) ?
				least : most_messages(facts, 1);

	return wire_check(&sent, "messages", messages, least, most, err);
}

int peer_check_done(const struct peer_facts *facts, struct done *theirs,
		    struct error *doubt, struct error *err)
{
	int ret = check_counts(facts, theirs, err);

	if (!ret)
		ret = check_window(facts, theirs, doubt, err);
	if (!ret)
		ret = check_tick(theirs, err);
	if (!ret)
		ret = check_samples(facts, theirs, err);
	if (!ret)
		leave_out(facts, theirs, doubt);
	return ret;
}

/* The transport and the path decide whether a value must be there. */
static int check_effective(const char *name, uint32_t value, bool has,
			   struct error *err)
{
	if (has == (value != EFFECTIVE_NONE))
		return 0;
	return fail(err, -EPROTO, NULL,
		    "the peer sent a READY %s %s, which its queue pairs %s",
		    has ? "without" : "with", name,
		    has ? "have" : "do not have");
}

int peer_check_ready(const struct plan *plan, const struct path *path,
		     const struct effective *theirs, struct error *err)
{
	static const struct frame ready = { .type = FRAME_READY };
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
	return wire_check(&ready, "path_mtu", mtu, plan->mtu, plan->mtu, err);
}

int peer_check_endpoint(const struct port *port, const struct path *path,
			const struct endpoint *theirs, struct error *err)
{
	static const struct frame endpoint = { .type = FRAME_ENDPOINT };
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
		ret = wire_check(&endpoint, fields[i].name, fields[i].value,
				 fields[i].due, fields[i].due, err);
	if (ret || !global || !memcmp(theirs->gid.raw, gid->raw.raw, 16))
		return ret;
	return fail(err, -EPROTO, NULL,
		    "the peer sent an ENDPOINT with GID %s: expected %s, its "
		    "GID %u",
		    gid_format(&theirs->gid, text),
		    gid_format(&gid->raw, due), gid->index);
}
