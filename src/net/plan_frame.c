/* PLAN and ACCEPT: the test the client asks for, and both ends' ports. */
#include "config.h"
#include "net/frames.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "model/param.h"

/* In place of a metric: connections are measured, and no traffic. */
#define CONNECTIONS METRIC_COUNT

/* The transports of every version: RC, UC and UD. */
#define OLD_TRANSPORTS (TRANSPORT_UD + 1)

/* The numbers of a port's limits, and those of its fields "sge" and "mcast". */
#define LIMIT_LIST(X) \
	X(8, max_msg_sz) X(4, max_qp) X(4, max_qp_wr) X(4, max_cqe) \
	X(4, max_qp_rd_atom) X(4, max_qp_init_rd_atom) X(4, max_srq) \
	X(4, max_srq_wr) X(4, max_mr)
#define SGE_LIST(X) X(4, max_sge) X(4, max_sge_rd) X(4, max_srq_sge)
#define MCAST_LIST(X) X(4, max_mcast_grp) X(4, max_mcast_qp_attach)

/* The numbers of a port before its limits. */
#define PORT_LIST(X) \
	X(1, number) X(1, state) X(1, link_layer) X(1, active_mtu) \
	X(1, grh_required) X(1, gid_forced) X(2, lid) X(2, pkey) \
	X(4, rate_mbps) X(4, numa_node)

static void put_fact(struct cursor *c, const struct facts *facts,
		     enum fact fact)
{
	switch (fact_table[fact].kind) {
	case FACT_TEXT:
		wire_put_string(c, facts_text(facts, fact));
		break;
	case FACT_REAL:
		wire_put_real(c, facts_real(facts, fact));
		break;
	default:
		wire_put(c, 8, facts_count(facts, fact));
	}
}

static void put_facts(struct cursor *c, const struct facts *facts)
{
	struct field_list list;

	wire_begin_fields(c, &list);
	for (int i = 0; i < FACTS; i++) {
		if (!facts_known(facts, (enum fact)i))
			continue;
		wire_begin_field(c, &list, fact_table[i].id, true,
				 fact_table[i].key);
		put_fact(c, facts, (enum fact)i);
	}
	wire_end_fields(c, &list);
}

/* Replace in TEXT what may not be in FACT: advice puts facts into commands,
 * which a user may copy into a root shell, and nothing of a peer's may be a
 * command of its own. */
static void tame(enum fact fact, char *text)
{
	static const char harmless[] = "abcdefghijklmnopqrstuvwxyz"
				       "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "0123456789._:@-";

	if (fact != FACT_NETDEV && fact != FACT_PCIE_ADDRESS &&
	    fact != FACT_PCIE_SLOWEST)
		return;
	for (text += strspn(text, harmless); *text;
	     text += strspn(text, harmless))
		*text = '_';
}

static void get_real(struct cursor *value, const struct fact_row *row,
		     struct facts *facts)
{
	const double real = wire_get_real(value);

	if (real >= 0 && real <= (double)row->most)
		facts_set_real(facts, (enum fact)(row - fact_table), real);
	else
		value->ret = wire_refuse(value->err, value->frame,
					 "with %s %g: expected 0 to %llu",
					 row->key, real,
					 (unsigned long long)row->most);
}

/* A field_reader; INTO is a struct facts. */
static bool get_fact(struct field *field, void *into)
{
	const struct fact_row *row = facts_find(field->id);
	char text[FACT_TEXT_SIZE] = "";
	struct facts *facts = into;
	enum fact fact;
	uint64_t count;

	if (!row)
		return false;
	fact = (enum fact)(row - fact_table);
	switch (row->kind) {
	case FACT_TEXT:
		wire_get_string(&field->value, text, sizeof(text));
		tame(fact, text);
		facts_set_text(facts, fact, text);
		break;
	case FACT_REAL:
		get_real(&field->value, row, facts);
		break;
	default:
		count = wire_get_within(&field->value, 8, row->key, 0,
					row->most);
		if (!field->value.ret)
			facts_set_count(facts, fact, count);
	}
	return true;
}

static void get_facts(struct cursor *c, struct facts *facts)
{
	wire_get_fields(c, get_fact, facts);
}

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

enum { FIELD_FACTS = 1, FIELD_XRC, FIELD_SGE, FIELD_MCAST,
       FIELD_IWARP };

static void put_more(struct cursor *c, const struct port *port)
{
	const struct port_limits *s = &port->limits;
	struct field_list list;

	wire_begin_fields(c, &list);
	if (facts_any(&port->facts)) {
		wire_begin_field(c, &list, FIELD_FACTS, true, "facts");
		put_facts(c, &port->facts);
	}
	if (s->xrc) {
		wire_begin_field(c, &list, FIELD_XRC, true, "xrc");
		wire_put(c, 4, s->odp[TRANSPORT_XRC]);
	}
	if (s->max_sge) {
		wire_begin_field(c, &list, FIELD_SGE, true, "sge");
		SGE_LIST(WIRE_PUT)
	}
	if (s->max_mcast_grp) {
		wire_begin_field(c, &list, FIELD_MCAST, true, "mcast");
		MCAST_LIST(WIRE_PUT)
	}
	if (port->iwarp) {
		wire_begin_field(c, &list, FIELD_IWARP, true, "iwarp");
		wire_put(c, 1, 1);
	}
	wire_end_fields(c, &list);
}

/* A field_reader; INTO is a struct port. */
static bool get_more(struct field *field, void *into)
{
	struct port *port = into;
	struct port_limits *s = &port->limits;
	struct cursor *c = &field->value;

	switch (field->id) {
	case FIELD_FACTS:
		get_facts(c, &port->facts);
		return true;
	case FIELD_XRC:
		s->xrc = true;
		s->odp[TRANSPORT_XRC] = (uint32_t)wire_get(c, 4);
		return true;
	case FIELD_SGE:
		SGE_LIST(WIRE_GET)
		return true;
	case FIELD_MCAST:
		MCAST_LIST(WIRE_GET)
		return true;
	case FIELD_IWARP:
		port->iwarp = wire_get_within(c, 1, "iwarp", 1, 1);
		return true;
	default:
		return false;
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

static void get_gids(struct cursor *c, struct port *port)
{
	port->n_gids = (uint32_t)wire_get_within(c, 2, "number of GIDs", 0,
						 PORT_GIDS_MAX);
	for (uint32_t i = 0; i < port->n_gids; i++) {
		port->gids[i].index = (uint32_t)wire_get(c, 4);
		port->gids[i].type = (uint8_t)wire_get(c, 1);
		wire_get_raw(c, port->gids[i].raw.raw, 16);
	}
}

static void get_port(struct cursor *c, struct port *s)
{
	memset(s, 0, sizeof(*s));
	wire_get_string(c, s->hostname, sizeof(s->hostname));
	wire_get_string(c, s->device, sizeof(s->device));
	wire_get_string(c, s->firmware, sizeof(s->firmware));
	PORT_LIST(WIRE_GET)
	get_limits(c, &s->limits);
	get_gids(c, s);
	wire_expect(c, "active MTU", s->active_mtu, IBV_MTU_256, IBV_MTU_4096);
	wire_get_fields(c, get_more, s);
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
	case PARAM_BATCH:
		return !((const struct batch *)field)->n;
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
	const struct batch *batch = param_field(params, row);

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
	case PARAM_BATCH:
		for (uint32_t i = 0; i < batch->n; i++) {
			wire_put(c, 4, batch->parts[i].count);
			wire_put(c, 4, batch->parts[i].size);
		}
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
	}
	wire_end_fields(c, &list);
}

static void get_number(struct cursor *value, const struct param *row,
		       struct parameters *params)
{
	uint64_t number = wire_get(value, 8);

	if (param_in_range(row, number))
		param_set(params, row, number);
	else
		wire_expect(value, row->name, number, row->min, row->max);
}

static void check_n_sizes(struct cursor *c, uint64_t n)
{
	wire_expect(c, "number of sizes", n, 1, SIZES_MAX);
}

static void get_sizes(struct cursor *value, struct sizes *sizes)
{
	const uint64_t n = value->size / 8;

	check_n_sizes(value, n);
	for (sizes->n = 0; sizes->n < n && wire_is_good(value); sizes->n++)
		sizes->bytes[sizes->n] = wire_get_within(value, 8, "size", 0,
							 1ULL << 31);
}

static void get_labels(struct cursor *value, struct labels *labels)
{
	const uint64_t n = value->size / 4;

	wire_expect(value, "number of flow labels", n, 0, LABELS_MAX);
	for (labels->n = 0; labels->n < n && wire_is_good(value); labels->n++)
		labels->value[labels->n] = (uint32_t)wire_get_within(
			value, 4, "flow label", 0, LABEL_MAX);
}

static void get_batch(struct cursor *value, struct batch *batch)
{
	const uint64_t n = value->size / 8;

	wire_expect(value, "number of sizes in a batch", n, 0,
		    BATCH_PARTS_MAX);
	for (batch->n = 0; batch->n < n && wire_is_good(value); batch->n++) {
		struct batch_part *part = &batch->parts[batch->n];

		part->count = (uint32_t)wire_get_within(
			value, 4, "number of requests", 1, BATCH_COUNT_MAX);
		part->size = (uint32_t)wire_get_within(
			value, 4, "size of a request", 1, BATCH_SIZE_MAX);
	}
}

/* Read a multicast group; zeros leave it open. */
static void get_group(struct cursor *value, struct mcast *mcast)
{
	char text[GID_TEXT_SIZE];
	uint8_t any = 0;

	for (int i = 0; i < 16; i++) {
		mcast->gid.raw[i] = (uint8_t)wire_get(value, 1);
		any |= mcast->gid.raw[i];
	}
	mcast->wanted = true;
	mcast->given = any != 0;
	if (mcast->given && !gid_is_multicast(&mcast->gid))
		value->ret = wire_refuse(value->err, value->frame,
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

/* A parameter that this version does not know, and may not skip. */
static void refuse_parameter(struct field *field)
{
	char advice[FIELD_NAME_SIZE + 64];

	snprintf(advice, sizeof(advice), "upgrade verbsperf on the "
		 "server, or leave --%s out", field->name);
	field->value.ret = fail(field->value.err, -EPROTO, advice,
				"the client asks for --%s, which this version "
				"does not know", field->name);
}

/* A field_reader; INTO is a struct parameters. */
static bool get_parameter(struct field *field, void *into)
{
	const struct param *row = row_of(field->id);

	if (!row) {
		if (!field->optional)
			refuse_parameter(field);
		return !field->optional;
	}
	switch (row->kind) {
	case PARAM_SIZES:
		get_sizes(&field->value, param_field(into, row));
		break;
	case PARAM_LABELS:
		get_labels(&field->value, param_field(into, row));
		break;
	case PARAM_MCAST:
		get_group(&field->value, param_field(into, row));
		break;
	case PARAM_BATCH:
		get_batch(&field->value, param_field(into, row));
		break;
	default:
		get_number(&field->value, row, into);
	}
	return true;
}

static void get_parameters(struct cursor *c, struct plan *plan)
{
	struct parameters params;

	param_defaults(&params);
	wire_get_fields(c, get_parameter, &params);
	check_n_sizes(c, params.plan.sizes.n);
	*plan = params.plan;
}

struct frame encode_plan(const struct plan *plan, const struct port *client)
{
	struct cursor c = wire_begin(FRAME_PLAN);

	put_port(&c, client);
	wire_put(&c, 1, plan->op);
	wire_put(&c, 1, plan->control ? CONNECTIONS : plan->metric);
	put_parameters(&c, plan);
	return wire_end(&c);
}

int decode_plan(const struct frame *frame, struct plan *plan,
		struct port *client, struct error *err)
{
	struct cursor c = wire_open(frame, err);
	uint64_t op, metric;
	struct plan p;

	get_port(&c, client);
	op = wire_get_within(&c, 1, "operation", 0, OP_COUNT - 1);
	metric = wire_get_within(&c, 1, "metric", 0, CONNECTIONS);
	get_parameters(&c, &p);
	if (metric == CONNECTIONS)
		wire_expect(&c, "transport", p.transport, TRANSPORT_RC,
			    TRANSPORT_RC);
	if (wire_close(&c))
		return c.ret;
	p.op = (enum op)op;
	p.control = metric == CONNECTIONS ? CONTROL_CONNECT : CONTROL_NONE;
	p.metric = p.control ? METRIC_LATENCY : (enum metric)metric;
	*plan = p;
	return 0;
}

struct frame encode_accept(const struct port *server)
{
	struct cursor c = wire_begin(FRAME_ACCEPT);

	put_port(&c, server);
	return wire_end(&c);
}

int decode_accept(const struct frame *frame, struct port *server,
		  struct error *err)
{
	struct cursor c = wire_open(frame, err);

	get_port(&c, server);
	return wire_close(&c);
}
