/*
 * Links between the NICs of several processes, if FAKE_FABRIC names a file:
 *
 *   link NAME GBPS
 *   path FROM TO NAME...
 *
 * What the address FROM sends to TO goes over those links, each of which has
 * its rate for all that use it: a link that one path has is the rate of that
 * pair, and one of many paths is congested when they need more than it has.
 * What is read goes the way back.  Datagrams go over none.  When each link is
 * free again is in FAKE_FABRIC.links, by the counter, which is the same in all
 * processes of a machine.
 */
#include "fake_nic.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LINKS 4096
#define HOPS 8
#define NAME 64
#define LINE 1024

struct hop {
	uint64_t *free_at;	/* ticks of the counter */
	double gbps;
};

struct fake_route {
	struct hop hops[2][HOPS];	/* [1]: of what is read */
	uint32_t n[2];
};

struct link {
	char name[NAME];
	double gbps;
};

static __attribute__((noreturn)) void refuse(const char *what)
{
	fprintf(stderr, "fake NIC: FAKE_FABRIC: %s\n", what);
	exit(1);
}

static uint64_t *map_links(const char *path)
{
	const size_t size = LINKS * sizeof(uint64_t);
	char name[4096];
	void *all;
	int fd;

	snprintf(name, sizeof(name), "%s.links", path);
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, (off_t)size))
		refuse(name);
	all = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (all == MAP_FAILED)
		refuse(name);
	return all;
}

/* Add the links that the rest of a line names, one of LIST, to ROUTE. */
static void add_hops(struct fake_route *route, bool reads, char **place,
		     const struct link *list, uint32_t n, uint64_t *free_at)
{
	for (char *name = strtok_r(NULL, " \n", place); name;
	     name = strtok_r(NULL, " \n", place)) {
		uint32_t i = 0;

		while (i < n && strcmp(list[i].name, name) != 0)
			i++;
		if (i == n || route->n[reads] == HOPS)
			refuse(name);
		route->hops[reads][route->n[reads]++] =
			(struct hop){ &free_at[i], list[i].gbps };
	}
}

static void read_lines(FILE *file, struct fake_route *route, const char *own,
		       const char *peer, uint64_t *free_at)
{
	static struct link list[LINKS];
	uint32_t n = 0;
	char line[LINE], *place;

	while (fgets(line, sizeof(line), file)) {
		char *from, *to;

		if (n < LINKS && sscanf(line, "link %63s %lf", list[n].name,
					&list[n].gbps) == 2) {
			n++;
			continue;
		}
		strtok_r(line, " \n", &place);
		from = strtok_r(NULL, " \n", &place);
		to = from ? strtok_r(NULL, " \n", &place) : NULL;
		if (!to)
			refuse(line);
		if (!strcmp(from, own) && !strcmp(to, peer))
			add_hops(route, false, &place, list, n, free_at);
		else if (!strcmp(from, peer) && !strcmp(to, own))
			add_hops(route, true, &place, list, n, free_at);
	}
}

bool fake_fabric(void)
{
	return getenv("FAKE_FABRIC");
}

void fake_fabric_join(struct fake_qp *q, const union ibv_gid *gid)
{
	static uint64_t *free_at;
	const char *path = getenv("FAKE_FABRIC"), *own = getenv("FAKE_ADDRESS");
	char peer[INET_ADDRSTRLEN];
	FILE *file;

	if (!path || !own || q->route)
		return;
	if (!free_at)
		free_at = map_links(path);
	inet_ntop(AF_INET, &gid->raw[12], peer, sizeof(peer));
	file = fopen(path, "r");
	q->route = calloc(1, sizeof(*q->route));
	if (!file || !q->route)
		refuse(path);
	read_lines(file, q->route, own, peer, free_at);
	fclose(file);
}

/* The link of HOP is taken for TICKS, once it is free; returns its end. */
static uint64_t take(const struct hop *hop, uint64_t now, uint64_t ticks)
{
	uint64_t before = __atomic_load_n(hop->free_at, __ATOMIC_RELAXED), end;

	do {
		end = (before > now ? before : now) + ticks;
	} while (!__atomic_compare_exchange_n(hop->free_at, &before, end, true,
					      __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return end;
}

uint64_t fake_fabric_due(const struct fake_qp *q, uint64_t now, uint32_t length,
			 bool reads, double ticks_per_ns)
{
	const struct fake_route *route = q->route;
	uint64_t due = now;

	for (uint32_t i = 0; route && i < route->n[reads]; i++) {
		const struct hop *hop = &route->hops[reads][i];
		const uint64_t end = take(hop, now, (uint64_t)(
			length * 8 / hop->gbps * ticks_per_ns));

		if (due < end)
			due = end;
	}
	return due;
}
