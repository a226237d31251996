/* The result of a run: all that a report prints, and nothing else. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/error.h"
#include "model/counters.h"
#include "model/cpu_cost.h"
#include "model/endpoint.h"
#include "model/param.h"
#include "model/plan.h"
#include "model/port.h"
#include "model/preflight.h"
#include "model/timeline.h"
#include "stats/intervals.h"
#include "stats/summary.h"
#include "traffic/clock.h"

/* The rate that was requested, and the rate that was achieved. */
struct load {
	double requested_mpps;	/* NAN: no rate requested */
	double achieved_mpps;	/* NAN: nothing measured */
	uint64_t late;		/* open loop: operations that began more than a
				 * mean interval late */
	bool saturated;		/* see load_summarise() */
};

/* What one thread did, if there are several. */
struct thread_row {
	uint32_t cpu;		/* PLAN_AUTO: not pinned */
	uint32_t qps;
	uint64_t iterations;	/* messages counted */
	uint64_t window_ns;	/* measurement window, ns */
};

/* What was sent in one direction, or in both. */
struct result_direction {
	bool from_client;	/* of one direction */
	uint64_t iterations;	/* messages counted, over all QPs */
	double seconds;		/* measurement window */
	struct bandwidth_summary bandwidth;
	uint64_t sent;		/* messages, warm-up included */
	bool sent_unknown;	/* the sender failed and did not report it */
	bool checked;		/* the receiver counted them in received */
	uint64_t received;
	uint64_t left;		/* more than sent: not acknowledged when the
				 * sender ended the run, and not received */
	/* on the heap; result_free() */
	uint32_t n_intervals;	/* 0: too short for ten, and none requested */
	struct interval *intervals;
	uint32_t n_threads;	/* 0: a single thread */
	struct thread_row *threads;
};

/* Completion events that an end took; both are 0 if it polls. */
struct event_counts {
	bool known;
	uint64_t sends;
	uint64_t receives;
};

/* What each end measures of itself, and says in DONE (net/frames.h). */
struct end_measured {
	struct counters counters;	/* of its port; on the heap, as cpu */
	struct packet_counts packets;
	struct cpu_cost cpu;
	struct event_counts events;
};

/* One message size. */
struct result_row {
	uint64_t size;
	struct timespec opened;	/* CLOCK_REALTIME: the warm-up was over; zero:
				 * not known */
	uint32_t tx_depth;	/* used at this size */
	uint32_t cq_mod;
	uint32_t post_list;
	enum post_method method;	/* POST_AUTO: not known */
	uint32_t inline_size;	/* bytes the device sends inline */
	uint64_t drained;	/* messages that this end had under way when
				 * the window closed, and what they took: */
	double drain_seconds;	/* 0: not known */
	/* the only direction; of two the sum of counts, and the longer window
	 */
	struct result_direction total;
	struct latency_summary latency;		/* if the metric is latency */
	struct load load;	/* compared with the requested rate */
	uint64_t lost;		/* unanswered pings */
	uint32_t n_directions;	/* 2 if both ends sent, else 0 */
	struct result_direction directions[2];
	bool failed;		/* the row holds only what was measured until
				 * the failure */
	double percentiles[PERCENTILES_MAX];	/* us, in the order of
						 * params.percentiles */
	uint64_t samples_dropped;	/* samples not kept for
					 * params.samples */
	/* on the heap; result_free() */
	uint32_t n_receivers;	/* of a group; 0: fewer than 2, or not known */
	uint64_t *receivers;	/* messages that each received */
	uint64_t others;	/* messages that came to the group from other
				 * senders, and are in no other count */
	uint32_t n_bins;	/* 0: not requested */
	struct histogram_bin *bins;
	struct end_measured at[2];	/* the server, the client */
	struct timeline timeline;	/* of this end; empty: not asked for */
	struct control_row *control;	/* NULL: a test of traffic */
};

/* The code of the error of a run whose data was wrong. */
#define VERIFICATION_CODE "EBADMSG"

struct observer;

struct result {
	struct observer *observer;	/* is told of the progress; NULL:
					 * nobody */
	struct parameters params;	/* effective values, once agreed */
	struct timespec started;	/* CLOCK_REALTIME */
	double setup_seconds;	/* HELLO to the first START; 0: no START */
	bool at_server;		/* which end this is */
	bool alone;		/* no other end is asked: "verbsperf check" */
	bool connected;		/* client and server are both valid */
	struct port client;
	struct port server;
	struct effective client_qp;	/* known once both ends are connected */
	struct effective server_qp;
	bool may_reorder;	/* this end's device does not promise that the
				 * last byte of a write arrives last */
	/* what each end sent to connect its queue pairs: the server, the
	 * client; without queue pairs: not known */
	struct endpoint ends[2];
	enum post_method method;	/* of this end; POST_AUTO: not known */
	union ibv_gid group;	/* --mcast: that was joined; zero: none yet */
	struct path path;	/* as this end sees it */
	bool has_path;
	struct clock_description clock;	/* of the end that measured */
	struct clock_description clocks[2];	/* of the server, of the client;
						 * no source: not known */
	/* bounds of the server's seconds in one of the client's; 0: not
	 * known */
	double clock_ratio[2];
	/* the first value of the peer's that cannot be: it was left out */
	struct error implausible;
	uint32_t n_rows;
	struct result_row rows[SIZES_MAX];
	/* of a size that failed before anything of it was measured: what this
	 * end's port counted from its beginning; on the heap */
	struct counters unmeasured;
	struct preflight *preflight;	/* --check at the client, else NULL; on
					 * the heap; result_free() */
	struct error error;
	struct error peer_error;	/* the other end's own failure, in its
					 * words */
	int ended_by;		/* signal that ended the run at this end, which
				 * ends by it; 0: none, or not known yet */
};

/* Free RESULT and all that its rows hold.  NULL is allowed. */
void result_free(struct result *result);

/* Record the device, port and GID index that this end uses in the parameters of
 * RESULT.  OWN is this end's port, kept by reference. */
void result_note_effective(struct result *result, const struct port *own);

/* Factor from a recorded sample, which is always a whole round trip, to the
 * reported latency: 0.5 when half of it is reported, else 1. */
double result_latency_factor(const struct plan *plan);

/* Fill the latency, its percentiles and, if the user wants one, the histogram
 * of ROW from the samples H, a unit of which is NS ns. */
void result_set_samples(const struct parameters *params,
			const struct histogram *h, double ns,
			struct result_row *row);

/* The GID that the client or the server uses; NULL when it uses none. */
const struct gid *result_gid(const struct result *result, bool client);

/* The directions of ROW, *N of them: two if both ends sent, else its total. */
const struct result_direction *result_directions(const struct result_row *row,
						 uint32_t *n);

/* Messages of ROW that were counted in a second, of both directions together;
 * NAN: not known. */
double result_message_rate(const struct result_row *row);

/* "half round trip", "round trip" or, for an open loop, "round trip from the
 * intended start"; for batches "first post to last completion of a batch". */
const char *result_latency_definition(const struct plan *plan);

/*
 * Summarise a run that counted COUNTED messages of SIZE bytes in SECONDS; LATE
 * of them began late.
 *
 * The load is saturated if less than 99% of the requested rate was achieved.  A
 * bandwidth test may lack one burst per thread, because the threads' windows do
 * not all end together.  An open loop is saturated only if, in addition, most
 * operations began late: that rules out Poisson arrivals that happened to be
 * fewer, and a device that stalled once.
 */
struct load load_summarise(const struct plan *plan, uint64_t size,
			   uint64_t counted, double seconds, uint64_t late);

/* One interval of a run, as this end counts it. */
struct observed {
	uint64_t size;		/* message size in bytes */
	struct interval interval;
	bool from_client;	/* direction of the messages */
	bool received;		/* counted at the receiver */
	uint64_t arrivals;	/* of the peer's messages meanwhile, where this
				 * end learns of them; 0: it does not */
};

/* Callbacks that report on a run while it goes on, at this end.  Each function
 * gets the observer itself, and only one thread at a time calls it. */
struct observer {
	/* Both ends are connected, and traffic is about to begin. */
	void (*begin)(struct observer *o, const struct result *r);
	/* PART is over.  The monitor calls this, so it must not block.
	 * Returns false when nobody reads what it writes, and nothing else
	 * would end the run. */
	bool (*interval)(struct observer *o, const struct result *r,
			 const struct observed *part);
	/* ROW of R is complete. */
	void (*row)(struct observer *o, const struct result *r,
		    const struct result_row *row);
};
