/* Compares what both ends counted, and their clocks. */
#include "config.h"
#include "run/round.h"

#include <errno.h>
#include <math.h>

#include "verbs/explain.h"

#define NOTHING_CAME \
	"compare the GIDs and --qps of both ends, and look for UDP port " \
	"4791 being filtered"

static int compare_direction(struct run *run, uint64_t size,
			     const struct result_direction *d)
{
	static const char *const ends[] = { "server", "client" };
	const struct plan *plan = run->plan;
	const uint64_t sent = d->sent, received = d->received;
	/* a host elsewhere that sends to the group, too, may have a queue pair
	 * of the same number */
	const uint64_t most = plan->mcast.wanted ? UINT64_MAX :
						   plan_due(plan, sent);
	bool fine = plan_is_unreliable(plan) ?
			    received <= most && (received || !sent) :
			    received == sent;

	if (fine)
		return 0;
	return fail(&run->result->error, -EIO,
		    received || !sent ?
			    NULL : explain_loss(plan, size, NOTHING_CAME),
		    "%s of %llu bytes: the %s sent %llu messages, the %s "
		    "received %llu", op_table[plan->op].name,
		    (unsigned long long)size, ends[d->from_client],
		    (unsigned long long)sent, ends[!d->from_client],
		    (unsigned long long)received);
}

/* Pings may be lost, but not all of them. */
static int compare_pings(struct run *run, const struct result_row *row)
{
	if (row->total.iterations || !row->lost)
		return 0;
	return fail(&run->result->error, -EIO,
		    explain_loss(run->plan, row->size, NOTHING_CAME),
		    "%s of %llu bytes: none of %llu pings was answered",
		    op_table[run->plan->op].name,
		    (unsigned long long)row->size,
		    (unsigned long long)row->lost);
}

int compare_counts(struct run *run, const struct result_row *row)
{
	uint32_t n;
	const struct result_direction *d = result_directions(row, &n);
	int ret = compare_pings(run, row);

	for (uint32_t i = 0; i < n && row->total.checked && !ret; i++)
		ret = compare_direction(run, row->size, &d[i]);
	return ret;
}

void compare_measure(const struct run *run, struct done *done)
{
	const double tick = done->ns_per_tick;

	done->span[0] = (uint64_t)(tick * (double)(clock_ticks(&run->clock) -
						   run->asked_ticks));
	done->span[1] = (uint64_t)(tick * (double)(run->monitor.done_ticks -
						   run->answered_ticks));
}

/* Keep the closest bounds of the server's seconds in one of the client's. */
static void note_bounds(struct run *run, double low, double high)
{
	double *ratio = run->result->clock_ratio;

	if (!(low > 0 && low <= high && isfinite(high)) ||
	    (ratio[0] > 0 && high / low >= ratio[1] / ratio[0]))
		return;
	ratio[0] = low;
	ratio[1] = high;
}

void compare_clocks(struct run *run, uint64_t said, const struct done *mine,
		    const struct done *theirs)
{
	const double tick = mine->ns_per_tick;
	const double most = tick * (double)(run->monitor.done_ticks -
					    run->asked_ticks);
	const double least = tick * (double)(said - run->answered_ticks);

	note_bounds(run, (double)theirs->span[0] / most,
		    (double)theirs->span[1] / least);
}

/* Frame 0 is the server's START. */
void compare_heard(const struct run *run, struct done *mine)
{
	const struct monitor *m = &run->monitor;
	const uint64_t heard = m->n_heard ? m->heard_ticks :
					    run->answered_ticks;
	const double tick = mine->ns_per_tick;

	mine->n_heard = m->n_heard;
	mine->heard[0] = (uint64_t)(tick * (double)(heard - run->asked_ticks));
	mine->heard[1] = (uint64_t)(tick * (double)(clock_ticks(&run->clock) -
						    run->answered_ticks));
}

void compare_at_server(struct run *run, const struct done *mine,
		       const struct done *theirs)
{
	const struct monitor *m = &run->monitor;
	const uint64_t n = theirs->n_heard;
	const double tick = mine->ns_per_tick;
	const uint64_t said = n ? m->said_ticks[n % MONITOR_SAID] :
				  run->answered_ticks;

	if (n > m->n_said || (n && n + MONITOR_SAID <= m->n_said))
		return;
	note_bounds(run, tick * (double)(said - run->asked_ticks) /
			 (double)theirs->heard[0],
		    tick * (double)(m->done_ticks - run->answered_ticks) /
			 (double)theirs->heard[1]);
}
