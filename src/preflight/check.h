/* One preflight check; private to this directory. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/gid.h"
#include "model/plan.h"
#include "model/port.h"
#include "model/preflight.h"

struct device_limit;
struct check;
struct ends;

/* The client or the server. */
struct end {
	const struct ends *ends;
	const struct plan *plan;
	const struct port *port;	/* NULL: unknown */
	const struct facts *facts;	/* of the port */
	const struct gid *gid;	/* its end of the path, if there is one */
	bool client;
	const char *name;	/* "client", "server" */
	const char *whose;	/* "the client's", "the server's", or "this
				 * host's" when it is alone */
};

/* What the checks compare. */
struct ends {
	const struct check *check; /* current check */
	const struct plan *plan;
	const struct port *client;
	const struct port *server; /* NULL: unknown */
	bool alone; /* there is one end only, which is called the client */
	const struct ways *ways;
	bool has_path;
	struct path path;     /* from the client, if has_path */
	struct error no_path; /* why there is no path */
	struct end end[2];    /* the server, the client */
};

/*
 * One check; any function may be NULL.  A function of a struct end is about
 * that end only.  refuse, refuse_pair, inspect and warn report by calling
 * fail() on ERR; from inspect and warn that means a warning.  An ordinary run
 * calls refuse and refuse_pair only.
 */
struct check {
	const char *label;
	const struct device_limit *limit; /* device limit, see limits.c */
	/* What the check is about, which an end must know; 0: nothing of this
	 * kind. */
	enum fact fact;
	/* The offset of a bool in struct plan without which there is nothing to
	 * check; 0: there always is. */
	size_t option;
	/* asked of each end that is known: one is enough */
	bool (*applies)(const struct end *end);
	/* Fill TEXT of PREFLIGHT_CELL bytes, empty before, if END knows the
	 * fact; NULL: the value of the fact. */
	void (*show)(const struct end *end, char *text);
	const char *needed;	/* text that is the same for every plan, or: */
	void (*need)(const struct ends *ends, char *text);
	int (*refuse)(const struct end *end, struct error *err);
	/* called only when both ends are known */
	int (*refuse_pair)(const struct ends *ends, struct error *err);
	/* called for each end that is known */
	int (*inspect)(const struct end *end, struct error *err);
	bool wrong; /* what inspect finds is an error: the test will fail */
	void (*warn)(const struct ends *ends, struct error *err);
	const char *cost; /* of what inspect and warn find, in a sentence */
};

/* Format into the cell TEXT, truncated to fit. */
void preflight_print(char text[PREFLIGHT_CELL], const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* limits.c: check --odp against the device of END.  Returns 0, or -EINVAL with
 * the reason in ERR. */
int refuse_paging(const struct end *end, struct error *err);

/* The checks; a row without a label ends each table. */

/* Who both ends are: port.c. */
extern const struct check port_checks[];
/* Their processors and memory: host.c. */
extern const struct check host_checks[];
/* The way from their memory to the device: pcie.c. */
extern const struct check pcie_checks[];
/* The network interface, the link and its priorities: network.c. */
extern const struct check network_checks[];
/* The path between them: path.c. */
extern const struct check path_checks[];
/* What the devices can do: limits.c. */
extern const struct check limit_checks[];
