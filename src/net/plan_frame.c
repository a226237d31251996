/* PLAN and ACCEPT: the test the client asks for, and both ends' ports. */
#include "config.h"
#include "net/frames.h"

#include <errno.h>
#include <string.h>

#include "model/param.h"

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
	for (int i = 0; i < TRANSPORTS; i++)
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
	for (int i = 0; i < TRANSPORTS; i++)
		limits->odp[i] = (uint32_t)wire_get(c, 4);
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
	return ret;
}

static bool travels(const struct param *row)
{
	return (row->who & PARAM_PLAN) && param_is_number(row);
}

static uint16_t count_travelling(void)
{
	uint16_t n = 0;

	for (size_t i = 0; i < param_count; i++)
		n += travels(&param_table[i]);
	return n;
}

static void put_parameters(struct cursor *c, const struct plan *plan)
{
	const struct parameters params = { .plan = *plan };

	wire_put(c, 2, count_travelling());
	for (size_t i = 0; i < param_count; i++) {
		if (!travels(&param_table[i]))
			continue;
		wire_put(c, 2, param_table[i].id);
		wire_put(c, 8, param_get(&params, &param_table[i]));
	}
}

static int get_parameter(const struct frame *frame, struct cursor *c,
			 const struct param *row, struct parameters *params,
			 struct error *err)
{
	uint64_t id = wire_get(c, 2);
	uint64_t value = wire_get(c, 8);

	if (!c->failed && id != row->id)
		return fail(err, -EPROTO, NULL,
			    "the peer sent a PLAN with parameter %u where %u "
			    "(--%s) is due", (unsigned int)id, row->id,
			    row->name);
	if (!c->failed && !param_in_range(row, value))
		return wire_check(frame, row->name, value, row->min, row->max,
				err);
	param_set(params, row, value);
	return 0;
}

static int get_parameters(const struct frame *frame, struct cursor *c,
			  struct plan *plan, struct error *err)
{
	struct parameters params = { .plan = *plan };
	uint64_t n = wire_get(c, 2);
	int ret = wire_check(frame, "number of parameters", n,
			   count_travelling(), count_travelling(), err);

	for (size_t i = 0; i < param_count && !ret; i++)
		if (travels(&param_table[i]))
			ret = get_parameter(frame, c, &param_table[i], &params,
					    err);
	*plan = params.plan;
	return ret;
}

static int get_sizes(const struct frame *frame, struct cursor *c,
		     struct sizes *sizes, struct error *err)
{
	uint64_t n = wire_get(c, 2);
	int ret = wire_check(frame, "number of sizes", n, 1, SIZES_MAX, err);

	if (ret)
		return ret;
	sizes->n = (uint32_t)n;
	for (uint32_t i = 0; i < sizes->n && !ret; i++) {
		sizes->bytes[i] = wire_get(c, 8);
		ret = wire_check(frame, "size", sizes->bytes[i], 0,
			       1ULL << 31, err);
	}
	return ret;
}

static int get_labels(const struct frame *frame, struct cursor *c,
		      struct labels *labels, struct error *err)
{
	uint64_t n = wire_get(c, 2);
	int ret = wire_check(frame, "number of flow labels", n, 0, LABELS_MAX,
			     err);

	if (ret)
		return ret;
	labels->n = (uint32_t)n;
	for (uint32_t i = 0; i < labels->n && !ret; i++) {
		labels->value[i] = (uint32_t)wire_get(c, 4);
		ret = wire_check(frame, "flow label", labels->value[i], 0,
				 LABEL_MAX, err);
	}
	return ret;
}

void encode_plan(struct frame *frame, const struct plan *plan,
		 const struct port *client)
{
	struct cursor c = wire_begin(frame, FRAME_PLAN);

	put_port(&c, client);
	wire_put(&c, 1, plan->op);
	wire_put(&c, 1, plan->metric);
	put_parameters(&c, plan);
	wire_put(&c, 2, plan->sizes.n);
	for (uint32_t i = 0; i < plan->sizes.n; i++)
		wire_put(&c, 8, plan->sizes.bytes[i]);
	wire_put(&c, 2, plan->flow_labels.n);
	for (uint32_t i = 0; i < plan->flow_labels.n; i++)
		wire_put(&c, 4, plan->flow_labels.value[i]);
	wire_end(frame, &c);
}

int decode_plan(const struct frame *frame, struct plan *plan,
		struct port *client, struct error *err)
{
	struct cursor c = wire_open(frame);
	struct plan p = { 0 };
	uint64_t op, metric;
	int ret = get_port(frame, &c, client, err);

	if (ret)
		return ret;
	op = wire_get(&c, 1);
	metric = wire_get(&c, 1);
	ret = wire_check(frame, "operation", op, 0, OP_COUNT - 1, err);
	if (!ret)
		ret = wire_check(frame, "metric", metric, 0, METRIC_COUNT - 1,
			       err);
	p.op = (enum op)op;
	p.metric = (enum metric)metric;
	if (!ret)
		ret = get_parameters(frame, &c, &p, err);
	if (!ret)
		ret = get_sizes(frame, &c, &p.sizes, err);
	if (!ret)
		ret = get_labels(frame, &c, &p.flow_labels, err);
	if (!ret)
		ret = wire_close(&c, frame, err);
	if (!ret)
		*plan = p;
	return ret;
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
