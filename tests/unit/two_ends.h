/* Two good ends with a good plan, to be spoiled, and what is found then. */
#pragma once

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "good_plan.h"
#include "preflight/judge.h"

struct two_ends {
	struct plan plan;
	struct port client, server;
	struct ways ways;
	struct preflight found;
};

static inline void set_gid(struct port *port, uint8_t type, const char *text)
{
	port->n_gids = 1;
	port->gids[0] = (struct gid){ .index = 3, .type = type };
	inet_pton(AF_INET6, text, port->gids[0].raw.raw);
}

static inline struct port good_end(const char *host, const char *address)
{
	struct port port = good_port();

	strcpy(port.device, "mlx5_0");
	strcpy(port.firmware, "22.1");
	port.rate_mbps = 100000;
	port.numa_node = PORT_NO_NODE;
	port.limits.max_mr = 200;
	for (int i = 0; i < TRANSPORTS; i++)
		port.limits.odp[i] = 63;
	snprintf(port.hostname, sizeof(port.hostname), "%s", host);
	set_gid(&port, GID_TYPE_ROCE_V2, address);
	return port;
}

static inline struct two_ends good_ends(void)
{
	return (struct two_ends){
		.plan = good_plan(),
		.client = good_end("alpha", "::ffff:10.0.0.1"),
		.server = good_end("beta", "::ffff:10.0.0.2"),
	};
}

/* Both over InfiniBand, without a GRH. */
static inline struct two_ends good_infiniband(void)
{
	struct two_ends e = good_ends();

	e.client.link_layer = e.server.link_layer = IBV_LINK_LAYER_INFINIBAND;
	e.client.lid = 4;
	e.server.lid = 5;
	set_gid(&e.client, GID_TYPE_IB, "fe80::1");
	set_gid(&e.server, GID_TYPE_IB, "fe80::2");
	return e;
}

static inline void look(struct two_ends *e)
{
	/* of the latest only: nobody has to free them */
	static struct preflight latest;

	preflight_free(&latest);
	plan_choose(&e->plan, &e->client, &e->server);
	preflight_run(&e->plan, &e->client, &e->server, &e->ways, &latest);
	e->found = latest;
}

/* The row of CHECK; an empty one, that has no name, when there is none. */
static inline const struct preflight_row *find_row(const struct two_ends *e,
						   const char *check)
{
	static const struct preflight_row none;

	for (uint32_t i = 0; i < e->found.n; i++)
		if (!strcmp(e->found.rows[i].check, check))
			return &e->found.rows[i];
	return &none;
}

static inline bool has_row(const struct two_ends *e, const char *check)
{
	return find_row(e, check)->check[0];
}

/* All is well but CHECK, which has VERDICT, because of MESSAGE; an ordinary run
 * says the beginning of it when it is an error. */
static inline void check_only(struct two_ends *e, const char *check,
			      enum verdict verdict, const char *message)
{
	const struct preflight_row *row;
	struct error err = { 0 };
	int ret;

	look(e);
	row = find_row(e, check);
	assert_string_equal(row->check, check);
	assert_string_equal(row->error.message, message);
	assert_int_equal(row->verdict, verdict);
	assert_true(row->error.advice[0]);
	assert_int_equal(preflight_count(&e->found, verdict), 1);
	assert_int_equal(preflight_count(&e->found, VERDICT_OK),
			 e->found.n - 1);
	assert_ptr_equal(preflight_first(&e->found),
			 verdict == VERDICT_ERROR ? row : NULL);
	ret = plan_fit(&e->plan, &e->client, &e->server, &err);
	assert_int_equal(ret < 0, verdict == VERDICT_ERROR);
	assert_memory_equal(message, err.message, strlen(err.message));
}
