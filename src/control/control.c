#include "config.h"
#include "control/control.h"

#include <errno.h>
#include <stdlib.h>

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
	struct call_counter *counter;
	int cancel_fd;
	struct result *result;
	struct clock clock;
	struct clock_watch watch;
	struct control_shared shared;
	struct firmware_counts *before, *after;
	struct result_row *row;
};

static void on_window(void *argument, bool opens)
{
	struct control_run *run = argument;

	if (!opens) {
		run->after = firmware_read(run->device->port.device);
		return;
	}
	run->before = firmware_read(run->device->port.device);
	clock_gettime(CLOCK_REALTIME, &run->row->opened);
}

static void on_interval(void *argument, const struct interval *one)
{
	struct control_run *run = argument;
	struct observer *observer = run->result->observer;
	const struct observed part = {
		.size = run->shared.size,
		.interval = *one,
		.from_client = true,
	};

	clock_watch_update(&run->watch, &run->clock);
	if (observer)
		observer->interval(observer, run->result, &part);
}

static int run_engine(struct control_run *run, struct control_engine *e)
{
	const int ret = control_engine_run(e);

	control_summarise(e, clock_ns_per_tick(&run->clock), run->row);
	if (e->calls.operations || e->calls.reason[0])
		run->row->control->system_calls = e->calls;
	if (firmware_between(run->before, run->after,
			     &run->row->control->firmware))
		run->row->control->firmware.operations =
			run->row->total.iterations;
	free(run->before);
	free(run->after);
	run->before = run->after = NULL;
	return ret;
}

/* With --all, a size that is too large ends the test without a failure. */
static bool is_limit(const struct control_run *run, int ret)
{
	return run->result->params.plan.all && run->result->n_rows > 1 &&
	       !run->row->total.iterations && ret != -ECANCELED;
}

static int run_size(struct control_run *run, uint64_t size, bool *last)
{
	struct result *result = run->result;
	const struct plan *plan = &result->params.plan;
	struct control_engine e = {
		.op = run->op,
		.shared = &run->shared,
		.counter = run->counter,
		.cancel_fd = run->cancel_fd,
		.interval = plan->interval ? plan->interval :
			    larger(INTERVALS_SHORTEST,
				   plan->duration / INTERVALS),
		.on_interval = on_interval,
		.on_window = on_window,
		.argument = run,
	};
	int ret;

	run->row = &result->rows[result->n_rows++];
	run->row->size = size;
	run->row->control = xcalloc(1, sizeof(*run->row->control));
	run->shared.size = size;
	ret = run_engine(run, &e);
	if (ret && is_limit(run, ret)) {
		run->row->control->limit = e.err;
		*last = true;
		ret = 0;
	} else if (ret) {
		run->row->failed = true;
		result->error = e.err;
	}
	control_engine_free(&e);
	if (result->observer)
		result->observer->row(result->observer, result, run->row);
	return ret;
}

/* Find out how the port reaches itself. */
static int find_path(struct control_run *run)
{
	const struct port *port = &run->device->port;
	const struct subnet nowhere = { .known = false };
	const struct plan *plan = &run->result->params.plan;
	struct path *path = &run->shared.path;
	int ret;

	if (!run->op->needs_path)
		return 0;
	if (port->iwarp)
		return port_lacks(port, "address handles, and no queue pairs "
				  "that are connected without rdma_cm",
				  &run->result->error);
	ret = path_choose(port, port, &nowhere, path, &run->result->error) ?:
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

int control_run(const struct device *device, struct call_counter *counter,
		int cancel_fd, struct connection *conn, struct result *result)
{
	const struct plan *plan = &result->params.plan;
	struct control_run run = {
		.op = control_op_of((enum control_test)plan->control,
				    plan->rdma_cm),
		.device = device,
		.counter = counter,
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

	clock_start(&run.clock, (enum clock_choice)result->params.clock);
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
