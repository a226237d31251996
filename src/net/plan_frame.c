/* PLAN and ACCEPT: the test the client asks for, and both ends' ports. */
#include "config.h"
#include "net/frames.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/param.h"
#include "net/frame_parts.h"

/* In place of a metric: connections are measured, and no traffic. */
#define CONNECTIONS METRIC_COUNT

/* The transports of every version: RC, UC and UD. */
#define OLD_TRANSPORTS (TRANSPORT_UD + 1)

/* The numbers of a port's limits, and those of its field "sge". */
#define LIMIT_LIST(X) \
	X(8, max_msg_sz) X(4, max_qp) X(4, max_qp_wr) X(4, max_cqe) \
	X(4, max_qp_rd_atom) X(4, max_qp_init_rd_atom) X(4, max_srq) \
	X(4, max_srq_wr) X(4, max_mr)
#define SGE_LIST(X) X(4, max_sge) X(4, max_sge_rd) X(4, max_srq_sge)

/* The numbers of a port before its limits. */
#define PORT_LIST(X) \
	X(1, number) X(1, state) X(1, link_layer) X(1, active_mtu) \
	X(1, grh_required) X(1, gid_forced) X(2, lid) X(2, pkey) \
	X(4, rate_mbps) X(4, numa_node)

static void put_limits(struct cursor *c, const struct port_limits *s)
{
	LIMIT_LIST(WIRE_PUT)
	for (int i = 0; i < OLD_TRANSPORTS; i++)
		wire_put(c, 4, s->odp[i]);
}

static void get_limits(struct cursor *c, struct port_limits *s)
{
	LIMIT_LIST(WIRE_GET)
	for (int i = 0; i < OLD_TRANSPORTS; i++)
		s->odp[i] = (uint32_t)wire_get(c, 4);
}

enum { FIELD_FACTS = 1, FIELD_XRC, FIELD_SGE, FIELD_MCAST };

static void put_more(struct cursor *c, const struct port *port)
{
	const struct port_limits *s = &port->limits;
	struct field_list list;

	wire_begin_fields(c, &list);
	if (facts_any(&port->facts)) {
		wire_begin_field(c, &list, FIELD_FACTS, true, "facts");
		facts_put(c, &port->facts);
		wire_end_field(c, &list);
	}
	if (s->xrc) {
		wire_begin_field(c, &list, FIELD_XRC, true, "xrc");
		wire_put(c, 4, s->odp[TRANSPORT_XRC]);
		wire_end_field(c, &list);
	}
	if (s->max_sge) {
		wire_begin_field(c, &list, FIELD_SGE, true, "sge");
		SGE_LIST(WIRE_PUT)
		wire_end_field(c, &list);
	}
	if (s->max_mcast_grp) {
		wire_begin_field(c, &list, FIELD_MCAST, true, "mcast");
		wire_put(c, 4, s->max_mcast_grp);
		wire_put(c, 4, s->max_mcast_qp_attach);
		wire_end_field(c, &list);
	}
	wire_end_fields(c, &list);
}

/* A field_reader; INTO is a struct port. */
static int get_more(const struct frame *frame, struct field *field, void *into,
		    struct error *err)
{
	struct port *port = into;
	struct port_limits *s = &port->limits;
	struct cursor *c = &field->value;

	switch (field->id) {
	case FIELD_FACTS:
		return facts_get(frame, c, &port->facts, err);
	case FIELD_XRC:
		s->xrc = true;
		s->odp[TRANSPORT_XRC] = (uint32_t)wire_get(c, 4);
		return 0;
	case FIELD_SGE:
		SGE_LIST(WIRE_GET)
		return 0;
	case FIELD_MCAST:
		s->max_mcast_grp = (uint32_t)wire_get(c, 4);
		s->max_mcast_qp_attach = (uint32_t)wire_get(c, 4);
		return 0;
	default:
		return -ENOENT;
	}
}

static void put_port(struct cursor *c, const struct port *s)
{
	wire_put_string(c, s->hostname);
	wire_put_string(c, s->device);
	wire_put_string(c, s->firmware);
	PORT_LIST(WIRE_PUT)
	put_limits(c, &s->limits);
	wire_put(c, 2, s->n_gids);
	for (uint32_t i = 0; i < s->n_gids; i++) {
		wire_put(c, 4, s->gids[i].index);
		wire_put(c, 1, s->gids[i].type);
		wire_put_raw(c, s->gids[i].raw.raw, 16);
	}
	put_more(c, s);
}

static int get_gids(const struct frame *frame, struct cursor *c,
		    struct port *port, struct error *err)
{
	uint64_t n = wire_get(c, 2);
	int ret = wire_check(frame, "number of GIDs", n, 0, PORT_GIDS_MAX, err);

	if (ret)
		return ret;
	port->n_gids = (uint32_t)n;
	for (uint32_t i = 0; i < port->n_gids; i++) {
		port->gids[i].index = (uint32_t)wire_get(c, 4);
		port->gids[i].type = (uint8_t)wire_get(c, 1);
		wire_get_raw(c, port->gids[i].raw.raw, 16);
	}
	return 0;
}

static int get_port(const struct frame *frame, struct cursor *c,
		    struct port *s, struct error *err)
{
	int ret;

	memset(s, 0, sizeof(*s));
	wire_get_string(c, s->hostname, sizeof(s->hostname));
	wire_get_string(c, s->device, sizeof(s->device));
	wire_get_string(c, s->firmware, sizeof(s->firmware));
	PORT_LIST(WIRE_GET)
	get_limits(c, &s->limits);
	ret = get_gids(frame, c, s, err);
	if (!ret && !c->failed)
		ret = wire_check(frame, "active MTU", s->active_mtu,
				 IBV_MTU_256, IBV_MTU_4096, err);
	return ret ?: wire_get_fields(frame, c, get_more, s, err);
}

static bool is_default(const struct parameters *params,
		       const struct parameters *defaults,
		       const struct param *row)
{
	const void *field = param_field(params, row);

	switch (row->kind) {
	case PARAM_SIZES:
		return !((const struct sizes *)field)->n;
	case PARAM_LABELS:
		return !((const struct labels *)field)->n;
	case PARAM_MCAST:
		return !((const struct mcast *)field)->wanted;
	default:
		return param_get(params, row) == param_get(defaults, row);
	}
}

static void put_value(struct cursor *c, const struct parameters *params,
		      const struct param *row)
{
	const struct labels *labels = param_field(params, row);
	const struct sizes *sizes = param_field(params, row);
	const struct mcast *mcast = param_field(params, row);

	switch (row->kind) {
	case PARAM_SIZES:
		for (uint32_t i = 0; i < sizes->n; i++)
			wire_put(c, 8, sizes->bytes[i]);
		break;
	case PARAM_LABELS:
		for (uint32_t i = 0; i < labels->n; i++)
			wire_put(c, 4, labels->value[i]);
		break;
	case PARAM_MCAST:
		wire_put_raw(c, mcast->gid.raw, 16);
		break;
	default:
		wire_put(c, 8, param_get(params, row));
	}
}

/* The rows of the table that travel are in ascending order of id. */
static void put_parameters(struct cursor *c, const struct plan *plan)
{
	const struct parameters params = { .plan = *plan };
	struct parameters defaults;
	struct field_list list;

	param_defaults(&defaults);
	wire_begin_fields(c, &list);
	for (size_t i = 0; i < param_count; i++) {
		const struct param *row = &param_table[i];

		if (!(row->who & PARAM_PLAN) ||
		    is_default(&params, &defaults, row))
			continue;
		wire_begin_field(c, &list, row->id, row->who & PARAM_OPTIONAL,
				 row->name);
		put_value(c, &params, row);
		wire_end_field(c, &list);
	}
	wire_end_fields(c, &list);
}

static int get_number(const struct frame *frame, struct cursor *value,
		      const struct param *row, struct parameters *params,
		      struct error *err)
{
	uint64_t number = wire_get(value, 8);

	if (value->failed || param_in_range(row, number)) {
		param_set(params, row, number);
		return 0;
	}
	return wire_check(frame, row->name, number, row->min, row->max, err);
}

static int check_n_sizes(const struct frame *frame, uint64_t n,
			 struct error *err)
{
	return wire_check(frame, "number of sizes", n, 1, SIZES_MAX, err);
}

static int get_sizes(const struct frame *frame, struct cursor *value,
		     struct sizes *sizes, struct error *err)
{
	uint64_t n = value->size / 8;
	int ret = check_n_sizes(frame, n, err);

	if (ret)
		return ret;
	sizes->n = (uint32_t)n;
	for (uint32_t i = 0; i < sizes->n && !ret; i++) {
		sizes->bytes[i] = wire_get(value, 8);
		ret = wire_check(frame, "size", sizes->bytes[i], 0, 1ULL << 31,
				 err);
	}
	return ret;
}

static int get_labels(const struct frame *frame, struct cursor *value,
		      struct labels *labels, struct error *err)
{
	uint64_t n = value->size / 4;
	int ret = wire_check(frame, "number of flow labels", n, 0, LABELS_MAX,
			     err);

	if (ret)
		return ret;
	labels->n = (uint32_t)n;
	for (uint32_t i = 0; i < labels->n && !ret; i++) {
		labels->value[i] = (uint32_t)wire_get(value, 4);
		ret = wire_check(frame, "flow label", labels->value[i], 0,
				 LABEL_MAX, err);
	}
	return ret;
}

/* Read a multicast group; zeros leave it open. */
static int get_group(const struct frame *frame, struct cursor *value,
		     struct mcast *mcast, struct error *err)
{
	char text[GID_TEXT_SIZE];
	uint8_t any = 0;

	for (int i = 0; i < 16; i++) {
		mcast->gid.raw[i] = (uint8_t)wire_get(value, 1);
		any |= mcast->gid.raw[i];
	}
	mcast->wanted = true;
	mcast->given = any != 0;
	if (!mcast->given || gid_is_multicast(&mcast->gid))
		return 0;
	return wire_refuse(err, frame,
			   "with group %s, which is not a "
			   "multicast address",
			   gid_format(&mcast->gid, text));
}

static const struct param *row_of(uint16_t id)
{
	for (size_t i = 0; i < param_count; i++)
		if ((param_table[i].who & PARAM_PLAN) &&
		    param_table[i].id == id)
			return &param_table[i];
	return NULL;
}

/* A field_reader; INTO is a struct parameters. */
static int get_parameter(const struct frame *frame, struct field *field,
			 void *into, struct error *err)
{
	const struct param *row = row_of(field->id);
	char advice[FIELD_NAME_SIZE + 64];

	if (!row && field->optional)
		return -ENOENT;
	if (!row) {
		snprintf(advice, sizeof(advice), "upgrade verbsperf on the "
			 "server, or leave --%s out", field->name);
		return fail(err, -EPROTO, advice,
			    "the client asks for --%s, which this version "
			    "does not know", field->name);
	}
	switch (row->kind) {
	case PARAM_SIZES:
		return get_sizes(frame, &field->value, param_field(into, row),
				 err);
	case PARAM_LABELS:
		return get_labels(frame, &field->value, param_field(into, row),
				  err);
	case PARAM_MCAST:
		return get_group(frame, &field->value, param_field(into, row),
				 err);
	default:
		return get_number(frame, &field->value, row, into, err);
	}
}

static int get_parameters(const struct frame *frame, struct cursor *c,
			  struct plan *plan, struct error *err)
{
	struct parameters params;
	int ret;

	param_defaults(&params);
	ret = wire_get_fields(frame, c, get_parameter, &params, err);
	if (ret)
		return ret;
	*plan = params.plan;
	return check_n_sizes(frame, plan->sizes.n, err);
}

void encode_plan(struct frame *frame, const struct plan *plan,
		 const struct port *client)
{
	struct cursor c = wire_begin(frame, FRAME_PLAN);

	put_port(&c, client);
	wire_put(&c, 1, plan->op);
	wire_put(&c, 1, plan->control ? CONNECTIONS : plan->metric);
	put_parameters(&c, plan);
	wire_end(frame, &c);
}

int decode_plan(const struct frame *frame, struct plan *plan,
		struct port *client, struct error *err)
{
	struct cursor c = wire_open(frame);
	struct plan p;
	uint64_t op, metric;
	int ret = get_port(frame, &c, client, err);

	if (ret)
		return ret;
	op = wire_get(&c, 1);
	metric = wire_get(&c, 1);
	ret = wire_check(frame, "operation", op, 0, OP_COUNT - 1, err) ?:
	      wire_check(frame, "metric", metric, 0, CONNECTIONS, err) ?:
	      get_parameters(frame, &c, &p, err) ?:
	      wire_close(&c, frame, err);
	if (ret)
		return ret;
	if (metric == CONNECTIONS)
		ret = wire_check(frame, "transport", p.transport,
				 TRANSPORT_RC, TRANSPORT_RC, err);
	if (ret)
		return ret;
	p.op = (enum op)op;
	p.control = metric == CONNECTIONS ? CONTROL_CONNECT : CONTROL_NONE;
	p.metric = p.control ? METRIC_LATENCY : (enum metric)metric;
	*plan = p;
	return 0;
}

void encode_accept(struct frame *frame, const struct port *server)
{
	struct cursor c = wire_begin(frame, FRAME_ACCEPT);

	put_port(&c, server);
	wire_end(frame, &c);
}

int decode_accept(const struct frame *frame, struct port *server,
		  struct error *err)
{
	struct cursor c = wire_open(frame);

	return get_port(frame, &c, server, err) ?: wire_close(&c, frame, err);
}
