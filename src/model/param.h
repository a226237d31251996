/*
 * All options, as rows of one table.  The parser, --help, the JSON "parameters"
 * and the wire encoding of the plan are generated from it; so are, from the
 * JSON of --dump-options (cli/dump.c), the man page's options, shell completion
 * and what the Python scripts know of options.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ip.h"
#include "model/counters.h"
#include "model/memory_choice.h"
#include "model/plan.h"
#include "traffic/clock.h"

/* The limits that a user may set for a result (model/limit.h). */
enum limit_kind {
	LIMIT_MIN_GBPS,
	LIMIT_MIN_MPPS,
	LIMIT_MIN_INTERVAL_GBPS,
	LIMIT_MAX_MEAN,
	LIMIT_MAX_P50,
	LIMIT_MAX_P90,
	LIMIT_MAX_P99,
	LIMIT_MAX_P99_9,
	LIMIT_MAX_P99_99,
	LIMIT_MAX_LATENCY,
	LIMIT_MAX_LOST,
	LIMITS,
};

struct limit {
	bool given;
	bool percent;		/* of what the port carries, not Gb/s */
	double value;		/* Gb/s, Mpps, us or % */
};

struct ignored_options;

/* --inline-recv: whether the device puts a short message into its completion,
 * which the driver then copies to the receive's memory: off, or messages of up
 * to so many bytes. */
enum inline_receive {
	INLINE_RECEIVE_AUTO,	/* as the driver does it */
	INLINE_RECEIVE_OFF,
	INLINE_RECEIVE_32,
	INLINE_RECEIVE_64,
	INLINE_RECEIVES,
};

/* --poll: what a ping-pong by writes waits for. */
enum poll_mode { POLL_DATA, POLL_COMPLETION, POLLS };

/* --peer: who may be at the other end. */
enum peer_kind {
	PEER_VERBSPERF,
	PEER_PERFTEST,		/* perftest, or a verbsperf that says so */
	PEERS,
};

/* perftest's list of all samples above its table. */
enum perftest_samples {
	PERFTEST_NO_SAMPLES,
	PERFTEST_SORTED,
	PERFTEST_UNSORTED,
};

/* What is printed: a table, or one number for each size. */
enum table_format {
	TABLE_OWN,
	TABLE_PERFTEST,
	TABLE_BANDWIDTH,
	TABLE_MESSAGE_RATE,
	TABLE_LATENCY,
	TABLE_KEYVALUE,		/* words NAME=VALUE */
	TABLES,
};

struct parameters {
	/* of this end only */
	const char *device;	/* NULL: first with an active port */
	uint32_t ib_port;	/* PLAN_AUTO: first active one */
	uint32_t gid_index;	/* PLAN_AUTO: chosen to match the peer's */
	uint32_t port;		/* TCP port */
	const char *bind;
	bool ipv4, ipv6;	/* use this family only */
	uint64_t wait;		/* ns to keep trying to connect */
	enum peer_kind peer;		/* of a client */
	uint32_t parallel;	/* clients served at once */
	uint64_t max_memory;	/* bytes, per client */
	uint32_t max_qps;
	uint64_t max_duration;	/* ns; 0: unlimited */
	uint64_t idle_timeout;	/* ns a client may stay silent */
	struct networks allow;	/* allowed client addresses; empty: all */
	bool allow_inject;	/* clients may provoke faults */
	struct networks allow_perftest;	/* of clients that are perftest; empty:
					 * all, or with a key none */
	const char *perftest_line;	/* what these measure; NULL: none */
	uint32_t ready_fd;	/* descriptor to write the port to; 0: none */
	const char *json;	/* NULL: none; "-": stdout */
	const char *json_lines;	/* likewise */
	const char *csv;	/* likewise */
	const char *openmetrics;	/* likewise */
	bool no_intervals;	/* none in the JSON, nor lines of them */
	enum table_format format;
	bool gbits;		/* perftest's table in Gb/s */
	bool timed;		/* --duration was given at this end */
	bool verbose;		/* definitions and all doubts below the table */
	const char *title;
	bool loopback;
	uint64_t once;		/* serve one client, which must come within so
				 * many ns; PARAM_FOREVER; 0: many */
	bool topology;		/* of the devices */
	const char *key_file;	/* NULL: none */
	bool histogram;		/* report a histogram */
	bool cpu;		/* report the cost in CPU time */
	const char *samples;	/* file for all samples; NULL: none */
	enum clock_choice clock;
	enum poll_mode poll;
	struct percentiles percentiles;	/* in addition to the usual ones */
	struct cpus cpus;	/* CPU of each thread, in order */
	uint32_t vector;	/* completion vector of the first thread */
	uint32_t pkey_index;
	uint32_t numa;		/* NUMA node; PLAN_AUTO: the device's;
				 * PARAM_NONE */
	struct memory_choice memory;
	enum inline_receive inline_recv;
	struct limit limits[LIMITS];
	struct counter_limits counter_limits;
	/* of a test of the control path */
	enum control_pattern pattern;
	enum control_access access;
	enum control_mw mw;
	/* of a command line of perftest's (cli/perftest.h) */
	bool perftest;		/* exit status and output are perftest's */
	const char *perftest_json;	/* file for its JSON; NULL: none */
	enum perftest_samples perftest_samples;	/* printed from .samples */
	bool perftest_both;	/* its table has each direction, too */
	bool perftest_min_bw;	/* a column of the worst sample */
	uint32_t perftest_version;	/* whose head and units its table has;
					 * 606 is 6.06 */
	const struct ignored_options *ignored_options;	/* NULL: none */
	const struct parameters *perftest_test;	/* perftest_line, as it was
						 * read; NULL: none */
	/* for both ends */
	struct plan plan;
};

/* "none" for a 32-bit number. */
#define PARAM_NONE (UINT32_MAX - 1)
/* "forever" for a time that may have no end. */
#define PARAM_FOREVER UINT64_MAX

/* The type of a parameter's field, which decides how its text is parsed.  Each
 * has a name in param_parse.c. */
enum param_kind {
	PARAM_FLAG,		/* bool */
	PARAM_NUMBER,		/* uint32_t */
	PARAM_AUTO_NUMBER,	/* uint32_t, or "auto": PLAN_AUTO */
	PARAM_COUNT,		/* uint64_t */
	PARAM_BYTES,		/* uint64_t, with K M G */
	PARAM_TIME,		/* uint64_t ns, given in seconds */
	PARAM_TIMED_FLAG,	/* uint64_t ns, or "forever"; 0: not given */
	PARAM_SIZES,		/* struct sizes */
	PARAM_STRING,		/* const char * */
	PARAM_CHOICE,		/* enum, or uint32_t: index into argument's
				 * words, which bars separate */
	PARAM_PERCENTILES,	/* struct percentiles */
	PARAM_CPUS,		/* struct cpus */
	PARAM_RATE,		/* uint64_t (base/rate.c) */
	PARAM_LABELS,		/* struct labels */
	PARAM_MCAST,		/* struct mcast */
	PARAM_NODE,		/* uint32_t, "auto" or "none": PARAM_NONE */
	PARAM_NETWORKS,		/* struct networks */
	PARAM_LIMIT,		/* struct limit; min 1: must be above 0 */
	PARAM_COUNTERS,		/* struct counter_choice, of which only .read
				 * is sent */
	PARAM_COUNTER_LIMITS,	/* struct counter_limits; may be repeated */
	PARAM_MEMORY,		/* struct memory_choice */
	PARAM_BATCH,		/* struct batch */
	PARAM_KINDS,
};

/* Who uses a parameter, and when: a set of flags. */
enum param_who {
	PARAM_PLAN = 1,		/* sent to the server */
	PARAM_CLIENT = 2,	/* a test that names a server, or --loopback */
	PARAM_SERVER = 4,	/* an end that serves */
	PARAM_DEVICES = 8,	/* verbsperf devices */
	PARAM_CALIBRATE = 16,	/* verbsperf calibrate */
	PARAM_HIDDEN = 32,	/* not in the usage, because it measures
				 * nothing */
	PARAM_OPTIONAL = 64,	/* a server that does not know it may ignore
				 * it */
	PARAM_CHECK = 128,	/* verbsperf check */
	PARAM_CONTROL = 256,	/* a test of the control path */
	PARAM_ONE_METRIC = 512,	/* refused by tests of the metric that
					 * is not in the field tests */
	PARAM_RATED = 1024,	/* and by tests without --rate */
};

#define PARAM_BOTH (PARAM_CLIENT | PARAM_SERVER)
#define PARAM_ANY (PARAM_BOTH | PARAM_DEVICES | PARAM_CHECK | PARAM_CONTROL)

/* The bit of CONTROL_test in the field control of a row. */
#define PARAM_ON(test) (1U << CONTROL_##test)

/* X(name, heading): the sections of --help and of the man page, in order. */
#define PARAM_GROUP_LIST(X) \
	X(TEST, "test", "The test, set by the client for both ends") \
	X(CONTROL, "control", "The control path") \
	X(CONNECTION, "connection", "Device and connection, of this end") \
	X(END, "end", "Threads, memory and clock, of this end") \
	X(SERVER, "server", "A server") \
	X(STATISTICS, "statistics", "Statistics and limits") \
	X(REPORT, "report", "Output")

enum param_group {
#define X(symbol, name, heading) GROUP_##symbol,
	PARAM_GROUP_LIST(X)
#undef X
	GROUPS,
};

struct param {
	uint16_t id;		/* on the wire; 0: not sent */
	const char *name;	/* long option and JSON key */
	char letter;		/* 0: none */
	enum param_kind kind;
	size_t offset;		/* into struct parameters */
	uint64_t min, max;	/* PARAM_SIZES: of each size */
	const char *initial;	/* text of the default; NULL: zero */
	const char *argument;	/* its name in the usage; NULL: takes none */
	const char *implied;	/* value when an optional argument is missing */
	const char *unit;	/* NULL: that of the kind (param_unit()) */
	unsigned int who;
	enum param_group group;
	/*
	 * On which tests it means something: for each of send, write, read and
	 * atomic 'B' on bandwidth and 'L' on latency, lower case if only with
	 * --imm, '-' if not.  NULL: "BL BL BL BL".
	 */
	const char *tests;
	/* The tests of the control path that take it, each as a bit
	 * (PARAM_ON()); 0 with PARAM_CONTROL: all of them. */
	unsigned int control;
	const char *help;	/* for --help, at most 50 characters */
};

/* Most rows the table may have. */
#define PARAMS_MAX 128

/* The options of a test that were given to a server, although its client
 * decides them. */
struct ignored_options {
	struct plan plan;
	bool given[PARAMS_MAX];	/* row of param_table was given */
};

extern const struct param param_table[];
extern const size_t param_count;

/* The field of a row, which may be written if PARAMS may. */
static inline void *param_field(const struct parameters *params,
				const struct param *row)
{
	return (char *)params + row->offset;
}

/* Read and write the field of a row. */
uint64_t param_get(const struct parameters *params, const struct param *row);
void param_set(struct parameters *params, const struct param *row,
	       uint64_t value);
/* True when A and B have the same value of ROW, which is sent to the server. */
bool param_is_same(const struct parameters *a, const struct parameters *b,
		   const struct param *row);
const char *param_get_string(const struct parameters *params,
			     const struct param *row);

/* True when a peer may send VALUE for ROW: it is in range, "auto", or not
 * given. */
bool param_in_range(const struct param *row, uint64_t value);

/* Word number INDEX of a PARAM_CHOICE: *LENGTH bytes inside its argument.  NULL
 * when there is no such word. */
const char *param_word(const struct param *row, uint64_t index, int *length);

/* The row of the option NAME; NULL when there is none. */
const struct param *param_find(const char *name);

/* AF_INET or AF_INET6 when PARAMS allow only this family (-4, -6), or 0. */
int param_family(const struct parameters *params);

/* The row of a limit. */
const struct param *param_of_limit(enum limit_kind kind);

/* "flag", "number", ... */
const char *param_kind_name(enum param_kind kind);

/* The unit of ROW's range, "bytes" or "s"; NULL: a plain number or none. */
const char *param_unit(const struct param *row);

/* How ROW's field tests has the test of OP, up to OP_LAST_TEST, and METRIC. */
char param_use(const struct param *row, enum op op, enum metric metric);

/* True when TEST, of the control path, takes ROW. */
bool param_suits(const struct param *row, enum control_test test);

extern const struct param_group_info {
	const char *name;	/* "test", "server", ... */
	const char *heading;	/* in --help and in the man page */
} param_groups[GROUPS];

/*
 * Parse TEXT into the field of ROW if ROW's kind and range allow it.  Strings
 * are kept by reference.  OPTION is the option as the user wrote it, for ERR.
 * Returns 0, or -EINVAL with the reason in ERR.
 */
int param_parse(struct parameters *params, const struct param *row,
		const char *option, const char *text, struct error *err);

/* Set every parameter to its default. */
void param_defaults(struct parameters *params);
