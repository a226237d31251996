/*
 * What the two ends of perftest say to each other over TCP, as bytes.  Each
 * message has a fixed length, and nothing in it says which one it is
 * (schedule.h).  Pure.  What comes from a peer is checked byte by byte: the
 * functions that read return 0 or -EPROTO, and set their results only on 0.
 */
#ifndef PERFTEST_MESSAGE_H
#define PERFTEST_MESSAGE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The version as text, padded with NUL. */
#define VERSION_SIZE 16
/* What this end says that it is: no end of a later version then sends its
 * parameters, which would have to be the same at both. */
#define VERSION_SAID "6.06"
/* Numbers of versions: 606 is 6.06. */
#define VERSION_LEAST 580
#define VERSION_WRITE_IMM 620
/* Sends its parameters to every peer, others only to one that does so, too. */
#define VERSION_PARAMETERS 628

struct version {
	char text[VERSION_SIZE];
	uint32_t number;
	bool is_verbsperf;	/* the padding says so; perftest ignores it */
};

/* This end's version, which says that it is verbsperf. */
void version_encode(uint8_t bytes[VERSION_SIZE]);
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
	uint32_t qpn;		/* 24 bits, as the next one */
	uint32_t psn;
	uint32_t rkey;
	uint64_t va;
	union ibv_gid gid;	/* zero: without */
	uint32_t srqn;
};

static inline size_t key_size(bool global)
{
	return global ? KEY_SIZE_GID : KEY_SIZE_LID;
}

/* Write key_size() bytes, of which the last is NUL. */
void key_encode(const struct key *key, bool global, uint8_t *bytes);
int key_decode(const uint8_t *bytes, bool global, struct key *key);

/* What the sender measured: five messages. */
#define REPORT_VALUES 5
#define REPORT_SIZE 8

struct report {
	uint64_t size;
	uint64_t iterations;	/* of all queue pairs */
	double peak;		/* in the sender's unit, MiB/s or Gb/s */
	double average;
	double mpps;
};

/* Message INDEX of REPORT, whose earlier ones have come: rates are numbers if
 * there were iterations. */
void report_encode(const struct report *report, int index,
		  uint8_t bytes[REPORT_SIZE]);
int report_decode(const uint8_t bytes[REPORT_SIZE], int index,
		struct report *report);

#endif
