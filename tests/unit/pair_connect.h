/* A pair for the test connect, over TCP or by the connection manager, and what
 * is true of either. */
#pragma once

#include "pair.h"

/* Open P, for N connections.  Returns the client's plan. */
struct plan *connect_open(struct pair *p, enum control_pattern pattern,
			  uint64_t n);

/* Run, and both ends do well.  Returns the client's only row. */
const struct control_row *connect_run_well(struct pair *p);

/* Churn of 100 connections: the parts are the N of NAMES, and those in the time
 * of an operation make it up. */
void connect_check_churn(struct pair *p, const char *const *names, uint32_t n);

/* 150 are held, and the medians are told for three spans of them. */
void connect_check_hold(struct pair *p);

/* A server's limit of 30 ends the making of more, and is no failure. */
void connect_check_limit(struct pair *p);

/* Run: both ends fail, the client with MESSAGE.  Release all. */
void connect_run_fails(struct pair *p, const char *message);
