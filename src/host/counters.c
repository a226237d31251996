/* Reads the counters of a port from sysfs and ethtool, before and after the
 * measured time. */
#include "config.h"
#include "host/counters.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/numbers.h"
#include "base/sysfs.h"
#include "base/time.h"
#include "base/xalloc.h"
#include "host/netdev.h"

#define NETDEV "netdev."
#define ETHTOOL "ethtool."

/* The tick of the timer by which the kernel knows the age of its values. */
#define TICK (SECOND / 100)
/* Longest wait for newer values: the kernel keeps them for 10 ms by default. */
#define FRESH_TIMEOUT (SECOND / 40)

/* Most counters of a driver, which has some for each queue. */
#define MOST 65536
/* Room for more: the kernel writes all counters, even if queues were added
 * since they were counted. */
#define MORE 4096

/* Where a counter is read. */
enum source {
	PORT,
	PORT_HARDWARE,
	DEVICE_HARDWARE,
	INTERFACE,
	SOURCES,
	DRIVER = SOURCES,	/* by ethtool, not in a folder */
};

struct place {
	char name[COUNTER_NAME_SIZE];
	enum source source;
	uint32_t index;		/* DRIVER: of the values that it reads */
};

struct counter_reader {
	char folders[SOURCES][SYSFS_PATH_SIZE / 2];	/* "": none */
	char netdev[NETDEV_NAME_SIZE];	/* "": none */
	enum counter_scope scope;
	enum source listed;	/* by the visitor below */
	uint32_t n;
	struct place *places;	/* by their names */
	uint32_t n_driver;	/* counters that the driver has */
	uint64_t lifespan;	/* ns for which the kernel keeps values */
	struct counters before;	/* no list: not read */
	struct counters after;	/* likewise */
	uint64_t began;		/* ns of CLOCK_MONOTONIC after the first
				 * reading */
	uint64_t ended;		/* before the second */
};

static void set_folders(struct counter_reader *r, const struct port *port)
{
	static const size_t size = sizeof(r->folders[0]);
	char device[100];

	snprintf(device, sizeof(device), "/sys/class/infiniband/%s",
		 port->device);
	snprintf(r->folders[PORT], size, "%s/ports/%u/counters", device,
		 port->number);
	snprintf(r->folders[PORT_HARDWARE], size, "%s/ports/%u/hw_counters",
		 device, port->number);
	snprintf(r->folders[DEVICE_HARDWARE], size, "%s/hw_counters", device);
	if (r->netdev[0])
		snprintf(r->folders[INTERFACE], size,
			 "/sys/class/net/%s/statistics", r->netdev);
}

/* What the names from SOURCE begin with, before those of the files. */
static const char *prefix_of(enum source source)
{
	return source == INTERFACE ? NETDEV : source == DRIVER ? ETHTOOL : "";
}

/* Add the counter that SOURCE calls NAME, if the scope includes it and there is
 * room. */
static void add(struct counter_reader *r, enum source source,
		const char *name, uint32_t index)
{
	struct place *place = &r->places[r->n];
	int length;

	if (r->n == COUNTERS_MAX)
		return;
	*place = (struct place){ .source = source, .index = index };
	length = snprintf(place->name, sizeof(place->name), "%s%s",
			  prefix_of(source), name);
	if (length < (int)sizeof(place->name) &&
	    counter_name_is_valid(place->name) &&
	    counter_is_read(r->scope, place->name))
		r->n++;
}

/* A sysfs_visitor. */
static void add_file(const char *name, void *into)
{
	struct counter_reader *r = into;

	/* a setting, not a counter */
	if (strcmp(name, "lifespan") != 0)
		add(r, r->listed, name, 0);
}

static uint32_t count_driver(const char *netdev)
{
	struct ethtool_sset_info *set;
	uint32_t n = 0;

	set = xcalloc(1, sizeof(*set) + sizeof(set->data[0]));
	set->cmd = ETHTOOL_GSSET_INFO;
	set->sset_mask = 1ULL << ETH_SS_STATS;
	/* the kernel clears the bits of sets that there are none of */
	if (!ethtool_query(netdev, set) && set->sset_mask)
		n = set->data[0];
	free(set);
	return n > MOST ? 0 : n;
}

/* Find the counters that only the Ethernet driver has, as 'ethtool -S' shows
 * them; reading them needs no privileges. */
static void find_driver(struct counter_reader *r)
{
	uint32_t n = count_driver(r->netdev);
	char name[ETH_GSTRING_LEN + 1] = "";
	struct ethtool_gstrings *names;

	names = xcalloc(1, sizeof(*names) + (n + MORE) * ETH_GSTRING_LEN);
	names->cmd = ETHTOOL_GSTRINGS;
	names->string_set = ETH_SS_STATS;
	names->len = n;
	if (n && (ethtool_query(r->netdev, names) || names->len != n))
		n = 0;
	for (uint32_t i = 0; i < n; i++) {
		memcpy(name, names->data + i * ETH_GSTRING_LEN,
		       ETH_GSTRING_LEN);
		if (name[0])
			add(r, DRIVER, name, i);
	}
	free(names);
	r->n_driver = n;
}

/* Find out how long the kernel keeps what it read from the hardware. */
static void find_lifespan(struct counter_reader *r)
{
	static const enum source kept[] = { PORT_HARDWARE, DEVICE_HARDWARE };
	uint64_t ms;

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		if (sysfs_count(&ms, "%s/lifespan", r->folders[kept[i]]) &&
		    ms <= UINT32_MAX)
			r->lifespan = larger(r->lifespan,
					     ms * (SECOND / 1000) + TICK);
}

/* Order by name; of two with the same name, the one whose source comes
 * first. */
static int compare(const void *a, const void *b)
{
	const struct place *one = a, *other = b;
	int order = strcmp(one->name, other->name);

	if (order)
		return order;
	if (one->source != other->source)
		return one->source < other->source ? -1 : 1;
	return one->index < other->index ? -1 : 1;
}

static void sort(struct counter_reader *r)
{
	uint32_t n = 0;

	qsort(r->places, r->n, sizeof(*r->places), compare);
	for (uint32_t i = 0; i < r->n; i++)
		if (!n || strcmp(r->places[n - 1].name, r->places[i].name) != 0)
			r->places[n++] = r->places[i];
	r->n = n;
}

static void find_all(struct counter_reader *r)
{
	r->places = xcalloc(COUNTERS_MAX, sizeof(*r->places));
	for (r->listed = PORT; r->listed < SOURCES; r->listed++)
		if (r->folders[r->listed][0])
			sysfs_list(add_file, r, "%s", r->folders[r->listed]);
	if (r->netdev[0])
		find_driver(r);
	find_lifespan(r);
	sort(r);
}

struct counter_reader *counter_reader_new(const struct port *port,
					  const struct gid *gid,
					  enum counter_scope scope)
{
	struct counter_reader *r;

	if (scope == COUNTERS_NONE)
		return NULL;
	r = xcalloc(1, sizeof(*r));
	r->scope = scope;
	if (gid && port_is_ethernet(port) &&
	    netdev_of_port(port, gid, r->netdev))
		netdev_go_down(r->netdev);
	set_folders(r, port);
	find_all(r);
	if (r->n)
		return r;
	counter_reader_free(r);
	return NULL;
}

static void forget(struct counter_reader *r)
{
	counters_free(&r->before);
	counters_free(&r->after);
}

void counter_reader_free(struct counter_reader *r)
{
	if (!r)
		return;
	forget(r);
	free(r->places);
	free(r);
}

/* Read one counter.  DRIVER has the values of the driver; NULL: they could not
 * be read. */
static struct counter read_one(const struct counter_reader *r,
			       const struct place *place,
			       const uint64_t *driver)
{
	struct counter counter = { .known = false };

	memcpy(counter.name, place->name, sizeof(counter.name));
	if (place->source == DRIVER) {
		counter.known = driver;
		counter.value = driver ? driver[place->index] : 0;
	} else {
		counter.known = sysfs_count(
			&counter.value, "%s/%s", r->folders[place->source],
			place->name + strlen(prefix_of(place->source)));
	}
	return counter;
}

/* The values of the N counters of the driver of NETDEV, in the order of
 * find_driver(), on the heap; NULL if they cannot be read or are no longer
 * N. */
static uint64_t *read_driver(const char *netdev, uint32_t n)
{
	struct ethtool_stats *stats;
	uint64_t *values = NULL;

	stats = xcalloc(1, sizeof(*stats) + (n + MORE) * sizeof(uint64_t));
	stats->cmd = ETHTOOL_GSTATS;
	stats->n_stats = n;
	if (count_driver(netdev) == n && !ethtool_query(netdev, stats) &&
	    stats->n_stats == n) {
		values = xcalloc(n, sizeof(*values));
		memcpy(values, stats->data, n * sizeof(*values));
	}
	free(stats);
	return values;
}

static bool is_traffic(const char *name)
{
	const struct counter_row *row = counter_row(name);

	return !row || row->kind == COUNTER_TRAFFIC;
}

/* Read all counters of R, or but those of traffic. */
static struct counters read_them(const struct counter_reader *r, bool all)
{
	struct counters c = { .list = xcalloc(r->n, sizeof(*c.list)) };
	uint64_t *driver = NULL;

	if (r->n_driver)
		driver = read_driver(r->netdev, r->n_driver);
	for (uint32_t i = 0; i < r->n; i++)
		if (all || !is_traffic(r->places[i].name))
			c.list[c.n++] = read_one(r, &r->places[i], driver);
	free(driver);
	return c;
}

struct counters counter_reader_glance(const struct counter_reader *r)
{
	return r ? read_them(r, false) : (struct counters){ 0 };
}

/* The place of NAME among those of R; NULL: there is none. */
static const struct place *find_place(const struct counter_reader *r,
				      const char *name)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (!strcmp(r->places[i].name, name))
			return &r->places[i];
	return NULL;
}

/* Read NAME into *VALUE; false if it cannot be. */
static bool read_value(const struct counter_reader *r, const char *name,
		       uint64_t *value)
{
	const struct place *place = find_place(r, name);
	struct counter now;

	if (!place || place->source == DRIVER)
		return false;
	now = read_one(r, place, NULL);
	*value = now.value;
	return now.known;
}

struct packet_counts counter_reader_packets(const struct counter_reader *r)
{
	struct packet_counts c = { 0 };

	c.known = r && read_value(r, "sent_pkts", &c.sent) &&
		  read_value(r, "rcvd_pkts", &c.came) &&
		  read_value(r, "netdev.tx_packets", &c.out) &&
		  read_value(r, "netdev.rx_packets", &c.in);
	return c;
}

bool counter_reader_rise(const struct counter_reader *r, const char *name,
			 uint64_t *rise)
{
	const struct place *place = r ? find_place(r, name) : NULL;
	struct counter now;

	if (!place || !r->before.list || place->source == DRIVER)
		return false;
	now = read_one(r, place, NULL);
	now = counter_rise(&r->before.list[place - r->places], &now);
	if (now.known)
		*rise = now.value;
	return now.known;
}

void counter_reader_begin(struct counter_reader *r)
{
	if (!r)
		return;
	forget(r);
	r->before = read_them(r, true);
	r->began = time_now();
}

static void sleep_until(uint64_t when)
{
	const struct timespec at = {
		.tv_sec = (time_t)(when / SECOND),
		.tv_nsec = (long)(when % SECOND),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) ==
	       EINTR)
		;
}

void counter_reader_end(struct counter_reader *r)
{
	uint64_t fresh;

	if (!r || !r->before.list || r->after.list)
		return;
	fresh = r->began + r->lifespan;
	sleep_until(smaller(fresh, time_after(FRESH_TIMEOUT)));
	r->ended = time_now();
	r->after = read_them(r, true);
	/* these are still the old values */
	for (uint32_t i = 0; r->ended < fresh && i < r->n; i++)
		if (r->places[i].source == PORT_HARDWARE ||
		    r->places[i].source == DEVICE_HARDWARE)
			r->after.list[i].known = false;
}

struct counters counter_reader_take(struct counter_reader *r)
{
	struct counters rise = { 0 };

	if (!r || !r->after.list)
		return rise;
	rise = r->after;
	r->after = (struct counters){ 0 };
	rise.ns = r->ended - r->began;
	for (uint32_t i = 0; i < rise.n; i++)
		rise.list[i] = counter_rise(&r->before.list[i], &rise.list[i]);
	forget(r);
	return rise;
}
