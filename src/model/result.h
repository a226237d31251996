/* What came out of a run: all that a report prints, and nothing else. */
#ifndef MODEL_RESULT_H
#define MODEL_RESULT_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/error.h"
#include "model/param.h"
#include "model/plan.h"
#include "model/port.h"
#include "stats/summary.h"

/* Nanoseconds; NAN where the clock's own end did not measure it. */
struct clock_description {
	char source[16];
	double resolution_ns;
	double read_cost_ns;
};

/* One message size. */
struct result_row {
	uint64_t size;
	uint32_t tx_depth;	/* as used for this size */
	uint32_t cq_mod;
	uint64_t iterations;	/* messages counted, over all QPs */
	double seconds;		/* the window they were counted in */
	struct bandwidth_summary bandwidth;	/* when the metric is that */
	struct latency_summary latency;		/* likewise */
	uint64_t sent;		/* messages, warm-up included */
	bool checked;		/* the receiver counted them, too: */
	uint64_t received;
	bool failed;		/* what was measured until then */
};

struct result {
	struct parameters params;	/* effective ones, once agreed */
	struct timespec started;	/* CLOCK_REALTIME */
	bool at_server;		/* which end this is */
	bool connected;		/* client and server are both known */
	struct port client;
	struct port server;
	struct path path;	/* as this end sees it */
	bool has_path;
	struct clock_description clock;	/* of the client */
	uint32_t n_rows;
	struct result_row rows[SIZES_MAX];
	struct error error;
};

/* The factor from a recorded sample to what is reported: one half where that
 * is half a round trip. */
double result_latency_factor(const struct plan *plan);

/* The GID that the client, or the server, uses; NULL when none is. */
const struct gid *result_gid(const struct result *result, bool client);

/* "half round trip" or "round trip". */
const char *result_latency_definition(const struct plan *plan);

#endif
