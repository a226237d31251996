/*
 * What was asked: every option as a row of one table.  The parser, the usage
 * text, the JSON "parameters" and the wire encoding of the plan are made from
 * it.
 */
#ifndef MODEL_PARAM_H
#define MODEL_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/networks.h"
#include "model/plan.h"

/* What a user may demand of a result (model/limit.h). */
enum limit_kind {
	LIMIT_MIN_GBPS,
	LIMIT_MIN_MPPS,
	LIMIT_MAX_P50,
	LIMIT_MAX_P99,
	LIMIT_MAX_P99_9,
	LIMIT_MAX_LOST,
	LIMITS,
};

struct limit {
	bool given;
	double value;		/* Gb/s, Mpps, us or % */
};

struct parameters {
	/* this end's own */
	const char *device;	/* NULL: the first with an active port */
	uint32_t ib_port;	/* PLAN_AUTO: the first active one */
	uint32_t gid_index;	/* PLAN_AUTO: chosen with the peer's */
	uint32_t port;		/* TCP */
	const char *bind;
	uint64_t wait;		/* ns to keep trying to connect */
	uint32_t parallel;	/* clients served at once */
	uint64_t max_memory;	/* of each */
	uint32_t max_qps;
	uint64_t max_duration;	/* ns; 0: as long as it takes */
	uint64_t idle_timeout;	/* ns that a client may say nothing */
	struct networks allow;	/* who may come; none: everybody */
	bool allow_inject;	/* they may provoke faults */
	uint32_t ready_fd;	/* where the port is written to; 0: nowhere */
	const char *json;	/* NULL: none; "-": stdout */
	const char *json_lines;	/* likewise */
	const char *csv;	/* likewise */
	uint32_t format;	/* enum table_format */
	bool gbits;		/* of perftest's table */
	bool timed;		/* --duration was said at this end */
	const char *title;
	bool loopback;
	bool once;
	const char *key_file;	/* NULL: none */
	bool histogram;		/* report it */
	const char *samples;	/* file for every sample; NULL: none */
	uint32_t clock;		/* enum clock_choice */
	struct percentiles percentiles;	/* besides the usual ones */
	struct cpus cpus;	/* of the threads, in their order */
	uint32_t vector;	/* completion vector of the first thread */
	uint32_t pkey_index;
	uint32_t numa;		/* node; PLAN_AUTO: the device's, PARAM_NONE */
	struct limit limits[LIMITS];
	/* for both ends */
	struct plan plan;
};

/* Whose table is printed. */
enum table_format { TABLE_OWN, TABLE_PERFTEST, TABLES };

/* "none", where a number of 32 bits is asked for. */
#define PARAM_NONE (UINT32_MAX - 1)

/* What the field of a parameter holds, and so how its text is read. */
enum param_kind {
	PARAM_FLAG,		/* bool */
	PARAM_NUMBER,		/* uint32_t */
	PARAM_AUTO_NUMBER,	/* uint32_t, or "auto": PLAN_AUTO */
	PARAM_COUNT,		/* uint64_t */
	PARAM_BYTES,		/* uint64_t, with K M G */
	PARAM_TIME,		/* uint64_t ns, given in seconds */
	PARAM_SIZES,		/* struct sizes */
	PARAM_STRING,		/* const char * */
	PARAM_CHOICE,		/* uint32_t: index of one of argument's words,
				 * which stand between bars */
	PARAM_PERCENTILES,	/* struct percentiles */
	PARAM_CPUS,		/* struct cpus */
	PARAM_RATE,		/* uint64_t (base/rate.h) */
	PARAM_LABELS,		/* struct labels */
	PARAM_NODE,		/* uint32_t, "auto" or "none": PARAM_NONE */
	PARAM_NETWORKS,		/* struct networks */
	PARAM_LIMIT,		/* struct limit; min 1: above 0 */
};

/* Who needs to know: flags, any of which may be set. */
enum param_who {
	PARAM_PLAN = 1,		/* travels to the server */
	PARAM_CLIENT = 2,	/* a test that names a server, or --loopback */
	PARAM_SERVER = 4,	/* an end that serves */
	PARAM_DEVICES = 8,	/* verbsperf devices */
	PARAM_CALIBRATE = 16,	/* verbsperf calibrate */
	PARAM_HIDDEN = 32,	/* not in the usage, for it measures nothing */
};

#define PARAM_BOTH (PARAM_CLIENT | PARAM_SERVER)
#define PARAM_ANY (PARAM_BOTH | PARAM_DEVICES)

struct param {
	uint16_t id;		/* on the wire; 0 for what does not travel */
	const char *name;	/* of the long option, and of the JSON key */
	char letter;		/* 0: none */
	const char *alias;	/* perftest's long name, where it differs, or
				 * several with bars between them */
	enum param_kind kind;
	size_t offset;		/* into struct parameters */
	uint64_t min, max;	/* PARAM_SIZES: of each */
	const char *initial;	/* text of the default; NULL: zero */
	const char *argument;	/* its name in the usage; NULL: takes none */
	const char *implied;	/* of an option whose argument is optional */
	unsigned int who;
	const char *help;
};

/* Most rows of the table. */
#define PARAMS_MAX 128

extern const struct param param_table[];
extern const size_t param_count;

/* Fields, by row. */
uint64_t param_get(const struct parameters *params, const struct param *row);
void param_set(struct parameters *params, const struct param *row,
	       uint64_t value);
const char *param_get_string(const struct parameters *params,
			     const struct param *row);
const struct limit *param_get_limit(const struct parameters *params,
				    const struct param *row);

/* May a peer send VALUE for ROW: in its range, "auto", or not given. */
bool param_in_range(const struct param *row, uint64_t value);

/* The INDEX-th name that perftest has for ROW, which is *LENGTH bytes of its
 * alias; NULL when there is no such. */
const char *param_alias(const struct param *row, uint64_t index, int *length);

/* The word that a PARAM_CHOICE of INDEX stands for, which is *LENGTH bytes of
 * its argument; NULL when there is no such. */
const char *param_word(const struct param *row, uint64_t index, int *length);

/* True for the kinds that param_get() and param_set() handle. */
bool param_is_number(const struct param *row);

/*
 * Read TEXT into the field of ROW, as far as ROW's kind and range allow.
 * Strings are kept by reference.  OPTION is how the user named it, for ERR.
 * Returns 0 or -EINVAL.
 */
int param_parse(struct parameters *params, const struct param *row,
		const char *option, const char *text, struct error *err);

/* Every parameter at its default. */
void param_defaults(struct parameters *params);

#endif
