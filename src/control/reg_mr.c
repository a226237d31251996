/* Registers and deregisters memory. */
#include "config.h"
#include "control/op.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "memory/kind.h"
#include "verbs/memory.h"

enum { REGISTER, DEREGISTER };

/* Each thread has memory of its own, and registers all of it. */
struct own {
	struct allocation allocation;
	const struct memory_ops *ops;
	unsigned int access;
};

static unsigned int access_of(const struct parameters *params)
{
	static const unsigned int flags[CONTROL_ACCESSES] = {
		[CONTROL_LOCAL] = 0,
		[CONTROL_REMOTE_READ] = IBV_ACCESS_REMOTE_READ,
		[CONTROL_REMOTE_WRITE] = IBV_ACCESS_REMOTE_WRITE,
		[CONTROL_REMOTE_ATOMIC] = IBV_ACCESS_REMOTE_ATOMIC,
		[CONTROL_ALL_ACCESS] = IBV_ACCESS_REMOTE_READ |
				       IBV_ACCESS_REMOTE_WRITE |
				       IBV_ACCESS_REMOTE_ATOMIC |
				       IBV_ACCESS_MW_BIND,
	};
	unsigned int access = flags[params->access] | IBV_ACCESS_LOCAL_WRITE;

	if (params->plan.relaxed_ordering)
		access |= IBV_ACCESS_RELAXED_ORDERING;
	if (params->plan.odp)
		access |= IBV_ACCESS_ON_DEMAND;
	return access;
}

static bool pages_on_demand(const struct port_limits *limits)
{
	for (int i = 0; i < TRANSPORTS; i++)
		if (limits->odp[i])
			return true;
	return false;
}

static int check_odp(struct control_thread *t, const struct own *own)
{
	const struct port *port = &t->shared->device->port;

	if (!t->shared->params->plan.odp)
		return 0;
	if (!own->ops->pageable)
		return fail(&t->err, -ENOTSUP, "leave --odp out",
			    "%s: this memory is not paged on demand (--odp)",
			    own->allocation.option);
	if (pages_on_demand(&port->limits))
		return 0;
	return fail(&t->err, -EOPNOTSUPP, "leave --odp out",
		    "--odp: %s has no on-demand paging", port->device);
}

static int setup(struct control_thread *t)
{
	const struct control_shared *shared = t->shared;
	struct own *own = t->own;
	struct allocation *a = &own->allocation;
	int ret;

	*a = (struct allocation){
		.choice = shared->params->memory,
		.option = "--memory",
		.context = shared->device->context,
		.device = shared->device->port.device,
		.paged = shared->params->plan.odp,
		.length = shared->size,
		.fd = -1,
	};
	own->ops = memory_ops_of(a->choice.kind);
	own->access = access_of(shared->params);
	memory_choice_format(&a->choice, a->text, sizeof(a->text));
	ret = check_odp(t, own) ?: own->ops->allocate(a, &t->err);
	/* or else the first registration would allocate the pages */
	if (!ret && !shared->params->plan.odp && !own->ops->in)
		memory_touch(a);
	return ret;
}

static void release(struct control_thread *t)
{
	struct own *own = t->own;

	if (own->ops)
		own->ops->free(&own->allocation);
}

static int make(struct control_thread *t, void *object)
{
	struct own *own = t->own;
	struct ibv_mr **mr = object;
	char what[64], advice[VERB_ADVICE_SIZE];
	int errnum;

	*mr = own->ops->reg(&own->allocation, t->shared->pd, 0,
			    t->shared->size, own->access);
	errnum = errno;
	control_lap(t, REGISTER);
	if (*mr)
		return 0;
	snprintf(what, sizeof(what), "register %" PRIu64 " bytes",
		 t->shared->size);
	return control_refused_as(t, "ibv_reg_mr", errnum, what,
				  memory_why(&own->allocation, errnum),
				  memory_advice(t->shared->device, own->ops,
						errnum, advice));
}

static int undo(struct control_thread *t, void *object)
{
	struct ibv_mr **mr = object;

	return control_end_part(t, DEREGISTER, "ibv_dereg_mr",
				ibv_dereg_mr(*mr), "deregister memory");
}

const struct control_op control_reg_mr = {
	.test = CONTROL_REG_MR,
	.parts = {
		[REGISTER] = { .name = "register" },
		[DEREGISTER] = { .name = "deregister", .undoes = true },
	},
	.pinning = 1 + REGISTER,
	.own_size = sizeof(struct own),
	.object_size = sizeof(struct ibv_mr *),
	.setup = setup,
	.make = make,
	.undo = undo,
	.release = release,
};
