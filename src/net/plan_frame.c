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

static void put_limits(struct cursor *c, const struct port_limits *limits)
{
	wire_put(c, 8, limits->max_msg_sz);
	wire_put(c, 4, limits->max_qp);
	wire_put(c, 4, limits->max_qp_wr);
	wire_put(c, 4, limits->max_cqe);
	wire_put(c, 4, limits->max_qp_rd_atom);
	wire_put(c, 4, limits->max_qp_init_rd_atom);
	wire_put(c, 4, limits->max_srq);
	wire_put(c, 4, limits->max_srq_wr);
	wire_put(c, 4, limits->max_mr);
	for (int i = 0; i < OLD_TRANSPORTS; i++)
		wire_put(c, 4, limits->odp[i]);
}

static void get_limits(struct cursor *c, struct port_limits *limits)
{
	limits->max_msg_sz = wire_get(c, 8);
	limits->max_qp = (uint32_t)wire_get(c, 4);
	limits->max_qp_wr = (uint32_t)wire_get(c, 4);
	limits->max_cqe = (uint32_t)wire_get(c, 4);
	limits->max_qp_rd_atom = (uint32_t)wire_get(c, 4);
	limits->max_qp_init_rd_atom = (uint32_t)wire_get(c, 4);
	limits->max_srq = (uint32_t)wire_get(c, 4);
	limits->max_srq_wr = (uint32_t)wire_get(c, 4);
	limits->max_mr = (uint32_t)wire_get(c, 4);
	for (int i = 0; i < OLD_TRANSPORTS; i++)
		limits->odp[i] = (uint32_t)wire_get(c, 4);
}

enum { FIELD_FACTS = 1, FIELD_XRC, FIELD_SGE, FIELD_MCAST };

static void get_sge(struct cursor *c, struct port_limits *limits)
{
	limits->max_sge = (uint32_t)wire_get(c, 4);
	limits->max_sge_rd = (uint32_t)wire_get(c, 4);
	limits->max_srq_sge = (uint32_t)wire_get(c, 4);
}

static void put_more(struct cursor *c, const struct port *port)
{
	struct field_list list;

	wire_begin_fields(c, &list);
	if (facts_any(&port->facts)) {
		wire_begin_field(c, &list, FIELD_FACTS, true, "facts");
		facts_put(c, &port->facts);
		wire_end_field(c, &list);
	}
	if (port->limits.xrc) {
		wire_begin_field(c, &list, FIELD_XRC, true, "xrc");
		wire_put(c, 4, port->limits.odp[TRANSPORT_XRC]);
		wire_end_field(c, &list);
	}
	if (port->limits.max_sge) {
		wire_begin_field(c, &list, FIELD_SGE, true, "sge");
		wire_put(c, 4, port->limits.max_sge);
		wire_put(c, 4, port->limits.max_sge_rd);
		wire_put(c, 4, port->limits.max_srq_sge);
		wire_end_field(c, &list);
	}
	if (port->limits.max_mcast_grp) {
		wire_begin_field(c, &list, FIELD_MCAST, true, "mcast");
		wire_put(c, 4, port->limits.max_mcast_grp);
		wire_put(c, 4, port->limits.max_mcast_qp_attach);
		wire_end_field(c, &list);
	}
	wire_end_fields(c, &list);
}

/* A field_reader; INTO is a struct port. */
static int get_more(const struct frame *frame, struct field *field, void *into,
		    struct error *err)
{
	struct port *port = into;

	if (field->id == FIELD_XRC) {
		port->limits.xrc = true;
		port->limits.odp[TRANSPORT_XRC] =
			(uint32_t)wire_get(&field->value, 4);
		return 0;
	}
	if (field->id == FIELD_SGE) {
		get_sge(&field->value, &port->limits);
		return 0;
	}
	if (field->id == FIELD_MCAST) {
		port->limits.max_mcast_grp =
			(uint32_t)wire_get(&field->value, 4);
		port->limits.max_mcast_qp_attach =
			(uint32_t)wire_get(&field->value, 4);
		return 0;
	}
	if (field->id != FIELD_FACTS)
		return -ENOENT;
	return facts_get(frame, &field->value, &port->facts, err);
}

static void put_port(struct cursor *c, const struct port *port)
{
	wire_put_string(c, port->hostname);
	wire_put_string(c, port->device);
	wire_put_string(c, port->firmware);
	wire_put(c, 1, port->number);
	wire_put(c, 1, port->state);
	wire_put(c, 1, port->link_layer);
	wire_put(c, 1, port->active_mtu);
	wire_put(c, 1, port->grh_required);
	wire_put(c, 1, port->gid_forced);
	wire_put(c, 2, port->lid);
	wire_put(c, 2, port->pkey);
	wire_put(c, 4, port->rate_mbps);
	wire_put(c, 4, port->numa_node);
	put_limits(c, &port->limits);
	wire_put(c, 2, port->n_gids);
	for (uint32_t i = 0; i < port->n_gids; i++) {
		wire_put(c, 4, port->gids[i].index);
		wire_put(c, 1, port->gids[i].type);
		wire_put_raw(c, port->gids[i].raw.raw, 16);
	}
	put_more(c, port);
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
		    struct port *port, struct error *err)
{
	int ret;

	memset(port, 0, sizeof(*port));
	wire_get_string(c, port->hostname, sizeof(port->hostname));
	wire_get_string(c, port->device, sizeof(port->device));
	wire_get_string(c, port->firmware, sizeof(port->firmware));
	port->number = (uint8_t)wire_get(c, 1);
	port->state = (uint8_t)wire_get(c, 1);
	port->link_layer = (uint8_t)wire_get(c, 1);
	port->active_mtu = (uint8_t)wire_get(c, 1);
	port->grh_required = wire_get(c, 1);
	port->gid_forced = wire_get(c, 1);
	port->lid = (uint16_t)wire_get(c, 2);
	port->pkey = (uint16_t)wire_get(c, 2);
	port->rate_mbps = (uint32_t)wire_get(c, 4);
	port->numa_node = (uint32_t)wire_get(c, 4);
	get_limits(c, &port->limits);
	ret = get_gids(frame, c, port, err);
	if (!ret && !c->failed)
		ret = wire_check(frame, "active MTU", port->active_mtu,
			       IBV_MTU_256, IBV_MTU_4096, err);
	return ret ? ret : wire_get_fields(frame, c, get_more, port, err);
}

/* The list that ROW stands for. */
static const void *list_of(const struct parameters *params,
			   const struct param *row)
{
	return (const char *)params + row->offset;
}

static void *list_to_set(struct parameters *params, const struct param *row)
{
	return (char *)params + row->offset;
}

static bool is_default(const struct parameters *params,
		       const struct parameters *defaults,
		       const struct param *row)
{
	switch (row->kind) {
	case PARAM_SIZES:
		return !((const struct sizes *)list_of(params, row))->n;
	case PARAM_LABELS:
		return !((const struct labels *)list_of(params, row))->n;
	case PARAM_MCAST:
		return !((const struct mcast *)list_of(params, row))->wanted;
	default:
		return param_get(params, row) == param_get(defaults, row);
	}
}

static void put_sizes(struct cursor *c, const struct sizes *sizes)
{
	for (uint32_t i = 0; i < sizes->n; i++)
		wire_put(c, 8, sizes->bytes[i]);
}

static void put_labels(struct cursor *c, const struct labels *labels)
{
	for (uint32_t i = 0; i < labels->n; i++)
		wire_put(c, 4, labels->value[i]);
}

static void put_group(struct cursor *c, const struct mcast *mcast)
{
	for (int i = 0; i < 16; i++)
		wire_put(c, 1, mcast->gid.raw[i]);
}

static void put_value(struct cursor *c, const struct parameters *params,
		      const struct param *row)
{
	switch (row->kind) {
	case PARAM_SIZES:
		put_sizes(c, list_of(params, row));
		break;
	case PARAM_LABELS:
		put_labels(c, list_of(params, row));
		break;
	case PARAM_MCAST:
		put_group(c, list_of(params, row));
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

/* Zeros leave the group open. */
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
	return fail(err, -EPROTO, NULL,
		    "the peer sent %s %s with group %s, which is not a "
		    "multicast address", frame_article(frame->type),
		    frame_name(frame->type), gid_format(&mcast->gid, text));
}

static const struct param *row_of(uint16_t id)
{
	for (size_t i = 0; i < param_count; i++)
		if ((param_table[i].who & PARAM_PLAN) &&
		    param_table[i].id == id)
			return &param_table[i];
	return NULL;
}

static int fail_unknown(const char *name, struct error *err)
{
	char advice[FIELD_NAME_SIZE + 64];

	snprintf(advice, sizeof(advice),
		 "upgrade verbsperf on the server, or leave --%s out", name);
	return fail(err, -EPROTO, advice,
		    "the client asks for --%s, which this version does not "
		    "know", name);
}

/* A field_reader; INTO is a struct parameters. */
static int get_parameter(const struct frame *frame, struct field *field,
			 void *into, struct error *err)
{
	const struct param *row = row_of(field->id);

	if (!row)
		return field->optional ? -ENOENT :
					 fail_unknown(field->name, err);
	switch (row->kind) {
	case PARAM_SIZES:
		return get_sizes(frame, &field->value, list_to_set(into, row),
				 err);
	case PARAM_LABELS:
		return get_labels(frame, &field->value, list_to_set(into, row),
				  err);
	case PARAM_MCAST:
		return get_group(frame, &field->value, list_to_set(into, row),
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
	ret = wire_check(frame, "operation", op, 0, OP_COUNT - 1, err);
	if (!ret)
		ret = wire_check(frame, "metric", metric, 0, CONNECTIONS, err);
	if (!ret)
		ret = get_parameters(frame, &c, &p, err);
	if (!ret)
		ret = wire_close(&c, frame, err);
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
	int ret = get_port(frame, &c, server, err);

	return ret ? ret : wire_close(&c, frame, err);
}
