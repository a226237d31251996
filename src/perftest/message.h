/*
 * What the two ends of perftest say to each other over TCP, as bytes.  Each
 * message has a fixed length, and nothing in it says which one it is
 * (schedule.h).  Pure.  What comes from a peer is checked byte by byte: the
 * functions that read return 0 or -EPROTO, and set their results only on 0.
 */
#pragma once

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/endpoint.h"
#include "model/param.h"

/* The version as text, padded with NUL. */
#define VERSION_SIZE 16
/* What this end says that it is.  A server is then not told the settings of the
 * test, which would have to be the same at both ends; one that wants to know
 * them says the other one, to a client that has them. */
#define VERSION_SAID "6.06"
#define VERSION_TOLD "6.28"
/* Numbers of versions: 606 is 6.06. */
#define VERSION_LEAST 580
#define VERSION_WRITE_IMM 620
/* Has settings, and sends them to every peer; later ones send them only to one
 * that has them, too. */
#define VERSION_SETTINGS 628
#define VERSION_VALIDATION 629
/* A fork, whose reports have a value more; another one says 6.29. */
#define VERSION_OF_FORK 615

struct version {
	char text[VERSION_SIZE];
	uint32_t number;
	bool is_verbsperf;	/* the padding says so; perftest ignores it */
};

/* This end's version, SAID, which also says that it is verbsperf. */
void version_encode(const char *said, uint8_t bytes[VERSION_SIZE]);
int version_decode(const uint8_t bytes[VERSION_SIZE], struct version *version);

/* The size of a page, or of a cache line: a power of 2. */
#define SIZE_SIZE 4
#define SIZE_MOST (1U << 20)

void size_encode(uint32_t value, uint8_t bytes[SIZE_SIZE]);
int size_decode(const uint8_t bytes[SIZE_SIZE], uint32_t *value);

/* The MTU of the path (enum ibv_mtu), as a digit and a NUL. */
#define MTU_SIZE 2

void mtu_encode(uint8_t mtu, uint8_t bytes[MTU_SIZE]);
int mtu_decode(const uint8_t bytes[MTU_SIZE], uint8_t *mtu);

/* A queue pair, as text: with its GID or without. */
#define KEY_SIZE_LID 59
#define KEY_SIZE_GID 108

struct key {
	uint32_t lid;		/* 16 bits */
	uint32_t reads;		/* that this end can answer at a time; 16
				 * bits */
	union ibv_gid gid;	/* zero: without */
	struct endpoint_qp qp;	/* that has no target */
};

/* The first bytes of every key: two numbers and a colon, "0000:000". */
#define KEY_START_SIZE 8

/* True when BYTES, where a key or the value of a report is due, are of a
 * key. */
bool key_begins(const uint8_t bytes[KEY_START_SIZE]);

static inline size_t key_size(bool global)
{
	return global ? KEY_SIZE_GID : KEY_SIZE_LID;
}

/* True when BYTES, the beginning of a key, are of one with a GID. */
bool key_is_global(const uint8_t bytes[KEY_SIZE_LID]);

/* Write key_size() bytes, of which the last is NUL. */
void key_encode(const struct key *key, bool global, uint8_t *bytes);
int key_decode(const uint8_t *bytes, bool global, struct key *key);

/* What the sender measured: five messages, and a sixth in a fork of perftest's,
 * which does not say so. */
#define REPORT_VALUES 5
#define REPORT_FORK_VALUES 6
#define REPORT_SIZE 8

_Static_assert(REPORT_SIZE == KEY_START_SIZE,
	       "a value cannot be told from the beginning of a key");

struct report {
	uint64_t size;
	uint64_t iterations;	/* of all queue pairs */
	double peak;		/* in the sender's unit, MiB/s or Gb/s */
	double average;
	double mpps;
	double least;		/* of a fork: its worst sample; 0: not known */
};

/* Message INDEX of REPORT, whose earlier ones have come: rates are numbers if
 * there were iterations.  The sixth, of which not every end makes use, becomes
 * 0 if it is none. */
void report_encode(const struct report *report, int index,
		  uint8_t bytes[REPORT_SIZE]);
int report_decode(const uint8_t bytes[REPORT_SIZE], int index,
		struct report *report);

/*
 * X(name, at, bytes)
 * The settings of a test, under perftest's names: integers, and where they are
 * in a message that is otherwise the attributes of the sender's device.
 */
#define SETTINGS_LIST(X) \
	X(test_method, 0, 4)		/* 1: all sizes; 2: endless */ \
	X(connection_type, 4, 4)	/* RC, UC, UD, ... */ \
	X(verb, 8, 4)			/* enum verb */ \
	X(tst, 12, 4)			/* 0: latency; 1: bandwidth */ \
	X(atomic_type, 16, 4)		/* 1: fetches and adds */ \
	X(test_type, 20, 4)		/* 1: by time */ \
	X(report_fmt, 24, 4)		/* 0: Gb/s; 1: MiB/s */ \
	X(size, 32, 8) \
	X(iters, 40, 8)			/* 0, by time */ \
	X(aes_xts, 48, 4) \
	X(num_of_qps, 52, 4) \
	X(duration, 56, 4)		/* in s; 5, if not by time */ \
	X(use_rdma_cm, 60, 4) \
	X(use_write_with_imm, 64, 4)	/* 0: the verb says it */ \
	X(sig_offload, 72, 4) \
	X(data_validation, 76, 4)	/* from VERSION_VALIDATION on */

enum verb {
	VERB_SEND,
	VERB_SEND_IMM,
	VERB_WRITE,
	VERB_WRITE_IMM,
	VERB_READ,
	VERB_ATOMIC,
	VERBS
};

struct settings {
#define X(name, at, bytes) uint64_t name;
	SETTINGS_LIST(X)
#undef X
};

/* The shorter one is of a perftest that was built without mlx5dv, whose
 * capabilities are the rest. */
#define SETTINGS_SIZE 320
#define SETTINGS_SIZE_SHORT 312

/* READS is what the device can answer at a time. */
void settings_encode(const struct settings *settings, uint32_t reads,
		     uint8_t bytes[SETTINGS_SIZE]);
void settings_decode(const uint8_t bytes[SETTINGS_SIZE_SHORT],
		     uint32_t version, struct settings *settings);

/* The name of the first setting that differs; NULL: none does. */
const char *settings_difference(const struct settings *a,
				const struct settings *b);

/* settings.c: the settings of a test (message.h) as parameters.  An end of
 * perftest from 6.28 on compares them with its own.  Pure. */

/* Those of the test in PARAMS.  MTU, in bytes, is the largest of all sizes over
 * UD. */
void settings_of(const struct parameters *params, uint64_t mtu,
		 struct settings *settings);

/* Make PARAMS those of SETTINGS, which a client sent.  Returns the name of a
 * setting that is not possible here; NULL: all are. */
const char *settings_take(const struct settings *settings,
			  struct parameters *params);
