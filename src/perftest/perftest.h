/*
 * A session whose peer may be perftest.  The ends have no frames: both know the
 * order of a test from their own options (schedule.h), and each measures by
 * itself.
 *
 *	client                                       server
 *	version, marked       ->  <-     version: marked, if it is verbsperf;
 *	                                 then HELLO follows (session/dialogue.h)
 *	page size             ->  <-     page size
 *	cache line            ->  <-     cache line
 *	MTU                   ->  <-     MTU
 *	first key             ->         the client waits for its turn here
 *	keys, once or twice   ->  <-     keys: what ENDPOINT has
 *	          traffic, and keys as barriers
 *	report                ->  <-     report, of some tests
 *	key                   ->  <-     key, and each end closes
 */
#pragma once

#include "session/dialogue.h"

/* The client of a server that is perftest or verbsperf. */
extern const struct dialogue perftest_client_dialogue;

/* The server of any client. */
extern const struct dialogue perftest_server_dialogue;
