/*
 * Reads the counters of a port, twice:
 *
 *	NAME		counters/ and hw_counters/ of the port, and
 *			hw_counters/ of its device, in sysfs
 *	netdev.NAME	statistics/ of the Ethernet interface behind the port
 *	ethtool.NAME	what the driver of that interface counts beside them
 *
 * What does not exist, or is none of this user's business, is left out.  A read
 * may take milliseconds, because some drivers ask the firmware.
 */
#pragma once

#include "model/counters.h"
#include "model/port.h"

struct counter_reader;

/*
 * Find the counters of PORT that SCOPE includes.  GID is the one that the queue
 * pairs use, NULL if they use none; it says which interface is behind the port.
 * NULL if there are none.  Release it with counter_reader_free().
 */
struct counter_reader *counter_reader_new(const struct port *port,
					  const struct gid *gid,
					  enum counter_scope scope);

/* NULL is fine, here and below. */
void counter_reader_free(struct counter_reader *reader);

/* Read for the first time; a later call forgets what was read before. */
void counter_reader_begin(struct counter_reader *reader);

/* Read for the second time.  The kernel hands out values that are some ms old,
 * so soon after the first reading this waits for newer ones. */
void counter_reader_end(struct counter_reader *reader);

/* By how much the counter NAME rose from the first reading until now, in *RISE.
 * False, with *RISE as it was, if that is not known. */
bool counter_reader_rise(const struct counter_reader *reader, const char *name,
			 uint64_t *rise);

/* The packets that were counted until now, since ever. */
struct packet_counts
counter_reader_packets(const struct counter_reader *reader);

/* What those that mean congestion or trouble have now, on the heap. */
struct counters counter_reader_glance(const struct counter_reader *reader);

/* By how much each counter rose between both readings, on the heap; none if
 * there were not two. */
struct counters counter_reader_take(struct counter_reader *reader);
