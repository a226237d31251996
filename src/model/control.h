/*
 * Tests of the control path: what it costs to make and to undo verbs objects.
 * One end runs them alone.  This has their names and the figures of one row;
 * control/ runs them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "stats/summary.h"

/*
 * X(id, name, size, transports, what)
 *   size        of --size by default, in bytes; 0: it has no sizes
 *   transports  its objects belong to a transport
 *   what        it does, for --help
 */
#define CONTROL_LIST(X) \
	X(REG_MR, "reg_mr", 4096, false, "register and deregister memory") \
	X(CREATE_QP, "create_qp", 0, true, "create and destroy queue pairs") \
	X(CREATE_CQ, "create_cq", 0, false, \
	  "create and destroy completion queues") \
	X(CREATE_AH, "create_ah", 0, false, \
	  "create and destroy address handles") \
	X(QP_SETUP, "qp_setup", 0, true, \
	  "move queue pairs to INIT, RTR and RTS") \
	X(POST_POLL, "post_poll", 64, true, \
	  "post a message to itself, and poll for it") \
	X(MW_BIND, "mw_bind", 0, false, "bind and invalidate memory windows") \
	X(CONNECT, "connect", 0, false, "connect to a server, and send")

/* CONTROL_NONE is a test of traffic, which is none of these. */
enum control_test {
	CONTROL_NONE,
#define X(id, ...) CONTROL_##id,
	CONTROL_LIST(X)
#undef X
	CONTROL_TESTS,
};

/* All of it is zero for CONTROL_NONE. */
extern const struct control_info {
	const char *name;
	uint64_t size;
	bool transports;
	const char *what;
} control_table[CONTROL_TESTS];

/* What is done with an object: the argument of --pattern. */
enum control_pattern { CONTROL_CHURN, CONTROL_HOLD, CONTROL_PATTERNS };

/* Objects held without --iterations and --duration, and at most. */
#define CONTROL_HELD 100000
#define CONTROL_HELD_MOST 10000000

/* Sizes of reg_mr with --all. */
#define CONTROL_SIZES_ALL "4K..1G"

/* Access that memory is registered for: the argument of --access. */
enum control_access {
	CONTROL_LOCAL,
	CONTROL_REMOTE_READ,
	CONTROL_REMOTE_WRITE,
	CONTROL_REMOTE_ATOMIC,
	CONTROL_ALL_ACCESS,
	CONTROL_ACCESSES,
};

/* Memory windows, and how they are invalidated: the argument of --mw. */
enum control_mw {
	CONTROL_MW_TYPE1,	/* bound by ibv_bind_mw(3), and unbound so */
	CONTROL_MW_TYPE2,	/* by IBV_WR_BIND_MW and IBV_WR_LOCAL_INV */
	CONTROL_MW_TYPE2_SEND,	/* invalidated by IBV_WR_SEND_WITH_INV */
	CONTROL_MWS,
};

/* Most parts of an operation, and most commands that are told apart. */
#define CONTROL_PARTS_MAX 9
#define CONTROL_NAMES_MAX 8
/* Spans of objects that exist already: 0 to 9, 10 to 99, ..., a million and
 * more. */
#define CONTROL_SPANS 7

/* Most bytes that an operation keeps for an object. */
#define CONTROL_OBJECT_MAX 128

/* One part of the operation, such as "deregister". */
struct control_part {
	const char *name;
	bool aside;		/* not in the row's latency */
	struct latency_summary latency;	/* in us */
};

/* What each part took while FROM to TO objects existed already. */
struct control_span {
	uint64_t from, to;
	struct latency_summary latency;	/* of the whole operation */
	struct latency_summary parts[CONTROL_PARTS_MAX];
};

/* Commands to the device's firmware over some operations, by name. */
struct control_commands {
	uint64_t operations;	/* 0: not counted */
	uint64_t given;
	uint64_t ns;		/* that they took; 0: not known */
	uint32_t n;
	struct {
		char name[32];
		uint64_t n;
	} named[CONTROL_NAMES_MAX];	/* the most frequent ones */
	char reason[120];	/* why they were not counted, or "" */
};

/* One row of a test of the control path, beside struct result_row. */
struct control_row {
	uint64_t most;		/* objects that existed at once */
	double per_second;	/* operations, all threads together */
	double pinned_gb_per_s;	/* 10^9 bytes registered in a second of
				 * registering; NAN: none are */
	uint32_t n_parts;
	struct control_part parts[CONTROL_PARTS_MAX];
	uint32_t n_spans;	/* 0: objects were not held */
	struct control_span spans[CONTROL_SPANS];
	/* of one operation, in ns of its thread; NAN: not known */
	double wall_ns, cpu_ns, user_ns, system_ns;
	struct control_commands firmware;
	struct error limit;	/* why no more objects could be made; empty:
				 * nothing did */
};

/* True when TEST needs a server. */
bool control_has_server(enum control_test test);

/* The test with exactly this NAME, or CONTROL_NONE. */
enum control_test control_find(const char *name);

/* "churn", "hold". */
extern const char *const control_pattern_names[CONTROL_PATTERNS];

/* "type1", ... */
extern const char *const control_mw_names[CONTROL_MWS];

/* The number of the span that EXISTING objects belong to. */
uint32_t control_span_of(uint64_t existing);

/* NUMBER of COMMANDS per operation; NAN: not counted. */
double control_per_operation(const struct control_commands *commands,
			     uint64_t number);
