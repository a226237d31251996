/* One preflight check; private to this directory. */
#ifndef PREFLIGHT_CHECK_H
#define PREFLIGHT_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "model/gid.h"
#include "model/plan.h"
#include "model/port.h"
#include "model/preflight.h"

struct device_limit;
struct check;

/* What the checks compare. */
struct ends {
	const struct check *check; /* current check */
	const struct plan *plan;
	const struct port *client;
	const struct port *server; /* NULL: unknown */
	const struct subnet *tcp;
	bool has_path;
	struct path path;     /* from the client, if has_path */
	struct error no_path; /* why there is no path */
};

/*
 * One check; any function may be NULL.  A function with a "client" argument
 * looks at that end only.  refuse and warn report by calling fail() on ERR;
 * from warn that means a warning.
 */
struct check {
	const char *label;
	const struct device_limit *limit; /* device limit, see limits.c */
	bool (*applies)(const struct ends *ends);
	/* Fill TEXT of PREFLIGHT_CELL bytes, empty before. */
	void (*show)(const struct ends *ends, bool client, char *text);
	const char *needed;	/* text that is the same for every plan, or: */
	void (*need)(const struct ends *ends, char *text);
	int (*refuse)(const struct ends *ends, bool client, struct error *err);
	/* called only when both ends are known */
	int (*refuse_pair)(const struct ends *ends, struct error *err);
	void (*warn)(const struct ends *ends, struct error *err);
};

/* The port of the client or of the server. */
static inline const struct port *end_port(const struct ends *ends, bool client)
{
	return client ? ends->client : ends->server;
}

static inline const char *end_name(bool client)
{
	return client ? "client" : "server";
}

/* Format into the cell TEXT, truncated to fit. */
void preflight_print(char text[PREFLIGHT_CELL], const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Who both ends are: port.c. */
extern const struct check port_checks[];
extern const size_t n_port_checks;
/* The path between them: path.c. */
extern const struct check path_checks[];
extern const size_t n_path_checks;
/* What the devices can do: limits.c. */
extern const struct check limit_checks[];
extern const size_t n_limit_checks;

#endif
