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

static void code_text(struct cursor *c, struct facts *facts, enum fact fact)
{
	char text[FACT_TEXT_SIZE];

	snprintf(text, sizeof(text), "%s", facts_text(facts, fact));
	WIRE_STRING(c, text);
	if (!c->frame)
		return;
	tame(fact, text);
	facts_set_text(facts, fact, text);
}

static void code_real(struct cursor *c, struct facts *facts, enum fact fact)
{
	const struct fact_row *row = &fact_table[fact];
	double real = facts_real(facts, fact);

	wire_real(c, &real);
	if (!c->frame)
		return;
	if (real >= 0 && real <= (double)row->most)
		facts_set_real(facts, fact, real);
	else
		c->ret = wire_refuse(c->err, NULL, c->frame->type,
				     "with %s %g: expected 0 to %llu", row->key,
				     real, (unsigned long long)row->most);
}

static void code_count(struct cursor *c, struct facts *facts, enum fact fact)
{
	const struct fact_row *row = &fact_table[fact];
	uint64_t count = facts_count(facts, fact);

	WIRE_WITHIN(c, 8, count, row->key, 0, row->most);
	if (c->frame && !c->ret)
		facts_set_count(facts, fact, count);
}

/* A field_coder of struct facts. */
static bool code_fact(struct field *field, void *what)
{
	const struct fact_row *row = facts_find(field->id);
	enum fact fact;

	if (!row)
		return false;
	fact = (enum fact)(row - fact_table);
	if (row->kind == FACT_TEXT)
		code_text(&field->value, what, fact);
	else if (row->kind == FACT_REAL)
		code_real(&field->value, what, fact);
	else
		code_count(&field->value, what, fact);
	return true;
}

static void code_facts(struct cursor *c, struct facts *facts)
{
	struct field_to_write rows[FACTS];

	for (int i = 0; i < FACTS; i++)
		rows[i] = (struct field_to_write){
			fact_table[i].id, facts_known(facts, (enum fact)i),
			true, fact_table[i].key,
		};
	wire_fields(c, rows, FACTS, code_fact, facts);
}

static void code_xrc(struct cursor *c, struct port_limits *limits)
{
	if (c->frame)
		limits->xrc = true;
	WIRE(c, 4, limits->odp[TRANSPORT_XRC]);
}

/* The fields of a port, for wire_fields(). */
#define FIELD_LIST(X) \
	X(FACTS, "facts", true, facts_any(&port->facts), \
	  code_facts(c, &port->facts)) \
	X(XRC, "xrc", true, s->xrc, code_xrc(c, s)) \
	X(SGE, "sge", true, s->max_sge, SGE_LIST(WIRE_MEMBER)) \
	X(MCAST, "mcast", true, s->max_mcast_grp, MCAST_LIST(WIRE_MEMBER)) \
	X(IWARP, "iwarp", true, port->iwarp, \
	  WIRE_WITHIN(c, 1, port->iwarp, "iwarp", 1, 1)) \
	X(TRANSPORT, "transport", true, port->transport, \
	  WIRE_WITHIN(c, 1, port->transport, "transport", \
		      IBV_TRANSPORT_USNIC, PORT_TRANSPORT_UNKNOWN))

WIRE_FIELD_IDS(FIELD_LIST);

/* A field_coder of a struct port. */
static bool code_more(struct field *field, void *what)
{
	struct port *port = what;
	struct port_limits *s = &port->limits;
	struct cursor *c = &field->value;

	switch (field->id) {
		FIELD_LIST(WIRE_FIELD_CASE)
	default:
		return false;
	}
}

static void code_fields(struct cursor *c, struct port *port)
{
	const struct port_limits *s = &port->limits;
	const struct field_to_write rows[] = { FIELD_LIST(WIRE_FIELD_ROW) };

	wire_fields(c, rows, sizeof(rows) / sizeof(*rows), code_more, port);
}

static void code_limits(struct cursor *c, struct port_limits *s)
{
	LIMIT_LIST(WIRE_MEMBER)
	for (int i = 0; i < OLD_TRANSPORTS; i++)
		WIRE(c, 4, s->odp[i]);
}

static void code_gids(struct cursor *c, struct port *port)
{
	WIRE_WITHIN(c, 2, port->n_gids, "number of GIDs", 0, PORT_GIDS_MAX);
	for (uint32_t i = 0; i < port->n_gids; i++) {
		WIRE(c, 4, port->gids[i].index);
		WIRE(c, 1, port->gids[i].type);
		WIRE_RAW(c, port->gids[i].raw.raw);
	}
}

/* A wire_coder of a struct port, which is zeros before it is read. */
static void code_port(struct cursor *c, void *what)
{
	struct port *s = what;

	WIRE_STRING(c, s->hostname);
	WIRE_STRING(c, s->device);
	WIRE_STRING(c, s->firmware);
	PORT_LIST(WIRE_MEMBER)
	code_limits(c, &s->limits);
	code_gids(c, s);
	wire_expect(c, "active MTU", s->active_mtu, IBV_MTU_256, IBV_MTU_4096);
	code_fields(c, s);
}

static void code_number(struct cursor *c, const struct param *row,
			struct parameters *params)
{
	uint64_t number = param_get(params, row);

	WIRE(c, 8, number);
	if (!param_in_range(row, number))
		wire_expect(c, row->name, number, row->min, row->max);
	else if (c->frame)
		param_set(params, row, number);
}

/* The number of the items of BYTES each that a field consists of. */
static void code_length(struct cursor *c, const char *what, size_t bytes,
			uint32_t *n, uint64_t min, uint64_t max)
{
	const uint64_t length = c->frame ? c->size / bytes : *n;

	wire_expect(c, what, length, min, max);
	if (c->frame)
		*n = wire_is_good(c) ? (uint32_t)length : 0;
}

static void code_sizes(struct cursor *c, struct sizes *sizes)
{
	code_length(c, "number of sizes", 8, &sizes->n, 1, SIZES_MAX);
	for (uint32_t i = 0; i < sizes->n && wire_is_good(c); i++)
		WIRE_WITHIN(c, 8, sizes->bytes[i], "size", 0, 1ULL << 31);
}

static void code_labels(struct cursor *c, struct labels *labels)
{
	code_length(c, "number of flow labels", 4, &labels->n, 0, LABELS_MAX);
	for (uint32_t i = 0; i < labels->n && wire_is_good(c); i++)
		WIRE_WITHIN(c, 4, labels->value[i], "flow label", 0, LABEL_MAX);
}

static void code_batch(struct cursor *c, struct batch *batch)
{
	code_length(c, "number of sizes in a batch", 8, &batch->n, 0,
		    BATCH_PARTS_MAX);
	for (uint32_t i = 0; i < batch->n && wire_is_good(c); i++) {
		WIRE_WITHIN(c, 4, batch->parts[i].count, "number of requests",
			    1, BATCH_COUNT_MAX);
		WIRE_WITHIN(c, 4, batch->parts[i].size, "size of a request", 1,
			    BATCH_SIZE_MAX);
	}
}

/* A multicast group; zeros leave it open. */
static void code_group(struct cursor *c, struct mcast *mcast)
{
	static const union ibv_gid any;
	char text[GID_TEXT_SIZE];

	WIRE_RAW(c, mcast->gid.raw);
	if (!c->frame)
		return;
	mcast->wanted = true;
	mcast->given = memcmp(&mcast->gid, &any, sizeof(any)) != 0;
	if (mcast->given && !gid_is_multicast(&mcast->gid))
		c->ret = wire_refuse(c->err, NULL, c->frame->type,
				     "with group %s, which is not a multicast "
				     "address", gid_format(&mcast->gid, text));
}

static void code_value(struct cursor *c, const struct param *row,
		       struct parameters *params)
{
	switch (row->kind) {
	case PARAM_SIZES:
		code_sizes(c, param_field(params, row));
		break;
	case PARAM_LABELS:
		code_labels(c, param_field(params, row));
		break;
	case PARAM_MCAST:
		code_group(c, param_field(params, row));
		break;
	case PARAM_BATCH:
		code_batch(c, param_field(params, row));
		break;
	default:
		code_number(c, row, params);
	}
}

/* The rows of the table that travel are in ascending order of id. */
static void put_parameters(struct cursor *c, const struct plan *plan)
{
	struct parameters params = { .plan = *plan }, defaults;
	struct field_list list;

	param_defaults(&defaults);
	wire_begin_fields(c, &list);
	for (size_t i = 0; i < param_count; i++) {
		const struct param *row = &param_table[i];

		if (!(row->who & PARAM_PLAN) ||
		    param_is_same(&params, &defaults, row))
			continue;
		wire_begin_field(c, &list, row->id, row->who & PARAM_OPTIONAL,
				 row->name);
		code_value(c, row, &params);
	}
	wire_end_fields(c, &list);
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
	field->value.ret =
		fail_advise(field->value.err, -EPROTO,
			    "the client asks for --%s, which this version does "
			    "not know\nupgrade verbsperf on the server, or "
			    "leave --%s out", field->name, field->name);
}

/* A field_coder of struct parameters that reads. */
static bool get_parameter(struct field *field, void *into)
{
	const struct param *row = row_of(field->id);

	if (row)
		code_value(&field->value, row, into);
	else if (!field->optional)
		refuse_parameter(field);
	return row || !field->optional;
}

struct frame encode_plan(const struct plan *plan, const struct port *client)
{
	struct cursor c = wire_begin(FRAME_PLAN);

	code_port(&c, (struct port *)client);
	wire_put(&c, 1, plan->op);
	wire_put(&c, 1, plan->control ? CONNECTIONS : plan->metric);
	put_parameters(&c, plan);
	return wire_end(&c);
}

int decode_plan(const struct frame *frame, struct plan *plan,
		struct port *client, struct error *err)
{
	struct cursor c = wire_open(frame, err);
	struct parameters params;
	struct plan *p = &params.plan;
	uint64_t op, metric;

	param_defaults(&params);
	memset(client, 0, sizeof(*client));
	code_port(&c, client);
	op = wire_get_within(&c, 1, "operation", 0, OP_COUNT - 1);
	metric = wire_get_within(&c, 1, "metric", 0, CONNECTIONS);
	wire_get_fields(&c, get_parameter, &params);
	wire_expect(&c, "number of sizes", p->sizes.n, 1, SIZES_MAX);
	if (metric == CONNECTIONS)
		wire_expect(&c, "transport", p->transport, TRANSPORT_RC,
			    TRANSPORT_RC);
	if (wire_close(&c))
		return c.ret;
	p->op = (enum op)op;
	p->control = metric == CONNECTIONS ? CONTROL_CONNECT : CONTROL_NONE;
	p->metric = p->control ? METRIC_LATENCY : (enum metric)metric;
	*plan = *p;
	return 0;
}

struct frame encode_accept(const struct port *server)
{
	return wire_encode(FRAME_ACCEPT, code_port, server);
}

int decode_accept(const struct frame *frame, struct port *server,
		  struct error *err)
{
	memset(server, 0, sizeof(*server));
	return wire_decode(frame, code_port, server, err);
}
