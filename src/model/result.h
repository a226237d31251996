/* What came out of a run: all that a report prints, and nothing else. */
#ifndef MODEL_RESULT_H
#define MODEL_RESULT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/error.h"
#include "model/effective.h"
#include "model/load.h"
#include "model/param.h"
#include "model/plan.h"
#include "model/port.h"
#include "model/preflight.h"
#include "stats/intervals.h"
#include "stats/summary.h"

/* Nanoseconds; NAN where the clock's own end did not measure it. */
struct clock_description {
	char source[16];
	double resolution_ns;
	double read_cost_ns;
	double deviation;	/* the largest change of its rate, as a part;
				 * NAN: not looked at often enough */
};

/* What one of several threads did. */
struct thread_row {
	uint32_t cpu;		/* PLAN_AUTO: not pinned */
	uint32_t qps;
	uint64_t iterations;	/* messages counted */
	uint64_t window_ns;	/* that they were counted in */
};

/* What went from one end to the other, when both sent. */
struct result_direction {
	bool from_client;
	uint64_t iterations;	/* messages counted, over all QPs */
	double seconds;		/* the window they were counted in */
	struct bandwidth_summary bandwidth;
	uint64_t sent;		/* messages, warm-up included */
	bool sent_unknown;	/* the sender failed, and did not say */
	bool checked;		/* the receiver counted them, too: */
	uint64_t received;
	/* on the heap, result_free() */
	uint32_t n_intervals;
	struct interval *intervals;
	uint32_t n_threads;
	struct thread_row *threads;
};

/* One message size. */
struct result_row {
	uint64_t size;
	uint32_t tx_depth;	/* as used for this size */
	uint32_t cq_mod;
	uint32_t post_list;
	enum post_method method;	/* POST_AUTO: not known */
	uint32_t inline_size;	/* bytes that could be sent inline */
	/* of two directions: their sums, and the longer window */
	uint64_t iterations;	/* messages counted, over all QPs */
	double seconds;		/* the window they were counted in */
	struct bandwidth_summary bandwidth;	/* when the metric is that */
	struct latency_summary latency;		/* likewise */
	struct load load;	/* against what was asked for */
	uint64_t sent;		/* messages, warm-up included */
	bool sent_unknown;	/* the sender failed, and did not say */
	bool checked;		/* the receiver counted them, too: */
	uint64_t received;
	uint64_t lost;		/* pings without an answer */
	uint32_t n_directions;	/* 0 or, when both ends sent, 2 */
	struct result_direction directions[2];
	bool failed;		/* what was measured until then */
	double percentiles[PERCENTILES_MAX];	/* us; params.percentiles */
	uint64_t samples_dropped;	/* of those for params.samples */
	/* on the heap, result_free() */
	uint32_t n_intervals;	/* 0: too short for ten, and none asked for */
	struct interval *intervals;
	uint32_t n_threads;	/* 0: one did it all */
	struct thread_row *threads;
	uint32_t n_bins;	/* 0: not asked for */
	struct histogram_bin *bins;
};

struct observer;

struct result {
	struct observer *observer;	/* is told of it as it comes; NULL:
					 * nobody */
	struct parameters params;	/* effective ones, once agreed */
	struct timespec started;	/* CLOCK_REALTIME */
	double setup_seconds;	/* from HELLO to the first START; 0: never */
	bool at_server;		/* which end this is */
	bool connected;		/* client and server are both known */
	struct port client;
	struct port server;
	struct effective client_qp;	/* known once both are connected */
	struct effective server_qp;
	struct path path;	/* as this end sees it */
	bool has_path;
	struct clock_description clock;	/* of the client */
	uint32_t n_rows;
	struct result_row rows[SIZES_MAX];
	struct preflight *preflight;	/* of --check, at the client, or NULL;
					 * on the heap, result_free() */
	struct error error;
	struct error peer_error;	/* what the other end said of a failure
				 * of its own, in its own words */
};

/* Free RESULT, which may be NULL, and all that its rows hold. */
void result_free(struct result *result);

/* Note what this end uses, which has the port OWN, in the parameters of
 * RESULT: OWN is kept by reference. */
void result_note_effective(struct result *result, const struct port *own);

/* The factor from a recorded sample, always a whole round trip, to what is
 * reported: one half where that is half of it. */
double result_latency_factor(const struct plan *plan);

/* The GID that the client, or the server, uses; NULL when none is. */
const struct gid *result_gid(const struct result *result, bool client);

/* "RC", "UC" or "UD". */
const char *result_transport_name(const struct plan *plan);

/* "half round trip", "round trip" or, of an open loop, "round trip from the
 * intended start". */
const char *result_latency_definition(const struct plan *plan);

#endif
