/* One check of a preflight; for this folder only. */
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

/* What is compared. */
struct ends {
	const struct check *check; /* the one that is made */
	const struct plan *plan;
	const struct port *client;
	const struct port *server; /* NULL: not known */
	const struct subnet *tcp;
	bool has_path;
	struct path path;     /* from the client, if it has one */
	struct error no_path; /* why there is none */
};

/*
 * One check; any function may be NULL.  Those that are told which end look at
 * that one alone.  What says something says it by fail() in its ERR; warn()
 * says by that that there is something to warn of.
 */
struct check {
	const char *label;
	const struct device_limit *limit; /* of a device; see limits.c */
	bool (*applies)(const struct ends *ends);
	/* into TEXT of PREFLIGHT_CELL bytes, empty before */
	void (*show)(const struct ends *ends, bool client, char *text);
	const char *needed;	/* the same of every plan, or: */
	void (*need)(const struct ends *ends, char *text);
	int (*refuse)(const struct ends *ends, bool client, struct error *err);
	/* only with both ends known */
	int (*refuse_pair)(const struct ends *ends, struct error *err);
	void (*warn)(const struct ends *ends, struct error *err);
};

/* The port of the client, or the server. */
static inline const struct port *end_port(const struct ends *ends, bool client)
{
	return client ? ends->client : ends->server;
}

static inline const char *end_name(bool client)
{
	return client ? "client" : "server";
}

/* What FMT makes into the cell TEXT, as far as it fits. */
void preflight_print(char text[PREFLIGHT_CELL], const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Who both are: port.c. */
extern const struct check port_checks[];
extern const size_t n_port_checks;
/* The way between them: path.c. */
extern const struct check path_checks[];
extern const size_t n_path_checks;
/* What devices can do: limits.c. */
extern const struct check limit_checks[];
extern const size_t n_limit_checks;

#endif
