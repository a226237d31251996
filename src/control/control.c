/* Runs a test of the control path at every size. */
#include "config.h"
#include "control/control.h"

#include <errno.h>

#include "base/numbers.h"
#include "base/xalloc.h"
#include "control/engine.h"
#include "control/op.h"
#include "model/gid.h"
#include "model/plan.h"

/* Intervals that a window is cut into, unless the user says how long. */
#define INTERVALS 30

struct control_run {
	const struct control_op *op;
	const struct device *device;
	int cancel_fd;
	struct result *result;
	struct clock clock;
	struct clock_watch watch;
	struct control_shared shared;
};

static int run_engine(struct control_run *run, struct control_engine *e)
{
	struct control_row *row = e->row->control;
	const int ret = control_engine_run(e);

	control_summarise(e, clock_ns_per_tick(&run->clock));
	if (firmware_between(e->before, e->after, &row->firmware))
		row->firmware.operations = e->row->total.iterations;
	return ret;
}

/* With --all, a size that is too large ends the test without a failure. */
static bool is_limit(const struct control_engine *e, int ret)
{
	return e->result->params.plan.all && e->result->n_rows > 1 &&
	       !e->row->total.iterations && ret != -ECANCELED;
}

static int run_size(struct control_run *run, uint64_t size, bool *last)
{
	struct result *result = run->result;
	const struct plan *plan = &result->params.plan;
	struct control_engine e = {
		.op = run->op,
		.shared = &run->shared,
		.cancel_fd = run->cancel_fd,
		.interval = plan->interval ? plan->interval :
			    larger(INTERVALS_SHORTEST,
				   plan->duration / INTERVALS),
		.watch = &run->watch,
		.result = result,
		.row = &result->rows[result->n_rows++],
	};
	int ret;

	e.row->size = size;
	e.row->control = xcalloc(1, sizeof(*e.row->control));
	run->shared.size = size;
	ret = run_engine(run, &e);
	if (ret && is_limit(&e, ret)) {
		e.row->control->limit = e.err;
		*last = true;
		ret = 0;
	} else if (ret) {
		e.row->failed = true;
		result->error = e.err;
	}
	control_engine_free(&e);
	if (result->observer)
		result->observer->row(result->observer, result, e.row);
	return ret;
}

/* Find out how the port reaches itself. */
static int find_path(struct control_run *run)
{
	const struct port *port = &run->device->port;
	const struct parameters *params = &run->result->params;
	const struct ways ways = { .family = param_family(params) };
	const struct plan *plan = &params->plan;
	struct path *path = &run->shared.path;
	int ret;

	if (!run->op->needs_path)
		return 0;
	if (port->iwarp)
		return port_lacks(port, "address handles, and no queue pairs "
				  "that are connected without rdma_cm",
				  &run->result->error);
	ret = path_choose(port, port, &ways, path, &run->result->error) ?:
	      addressing_check_path(plan, path, &run->result->error);
	path->mtu = plan->mtu == PLAN_AUTO ? port->active_mtu :
					     mtu_from_bytes(plan->mtu);
	run->shared.has_path = !ret;
	run->result->path = *path;
	run->result->has_path = !ret;
	return ret;
}

static int prepare(struct control_run *run)
{
	struct error *err = &run->result->error;
	int ret;

	error_stage(err, "run");
	if (run->op->pinning)
		memory_choice_format(&run->result->params.memory,
				     run->result->ends[1].memory,
				     sizeof(run->result->ends[1].memory));
	ret = find_path(run);
	if (ret)
		return ret;
	return pd_alloc(run->device, &run->shared.pd, err);
}

int control_run(const struct device *device, int cancel_fd,
		struct connection *conn, struct result *result)
{
	const struct plan *plan = &result->params.plan;
	struct control_run run = {
		.op = control_op_of(plan->control, plan->rdma_cm),
		.device = device,
		.cancel_fd = cancel_fd,
		.result = result,
		.shared = {
			.params = &result->params,
			.device = device,
			.clock = &run.clock,
			.conn = conn,
			.path = result->path,
			.has_path = result->has_path,
		},
	};
	bool last = false;
	int ret;

	clock_start(&run.clock, result->params.clock);
	clock_watch_begin(&run.watch, &run.clock);
	ret = prepare(&run);
	if (!ret && result->observer)
		result->observer->begin(result->observer, result);
	for (uint32_t i = 0; i < plan->sizes.n && !ret && !last; i++)
		ret = run_size(&run, plan->sizes.bytes[i], &last);
	result->clock = clock_describe(&run.clock,
				       clock_ns_per_tick(&run.clock),
				       run.watch.deviation);
	result->clocks[1] = result->clock;
	result->implausible = run.shared.implausible;
	if (run.shared.pd)
		ibv_dealloc_pd(run.shared.pd);
	return ret;
}
