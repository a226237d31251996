/* Allocates and registers the memory of messages. */
#include "config.h"
#include "verbs/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

#define OPTION_SIZE (MEMORY_PATH_SIZE + 40)

const char *memory_advice(const struct device *device,
			  const struct memory_ops *ops, int errnum,
			  char text[VERB_ADVICE_SIZE])
{
	return ops->advice ? ops->advice :
			     verb_advice(&device->port, "ibv_reg_mr", errnum,
					 text);
}

static int refused(const struct device *device, const struct memory *m,
		   int ret, struct error *err)
{
	char part[80] = "", advice[VERB_ADVICE_SIZE];

	if (m->part < m->length)
		snprintf(part, sizeof(part), " of memory region %u of %"
			 PRIu64, m->n_mrs + 1, m->length / m->part);
	return fail(err, ret, memory_advice(device, m->ops, -ret, advice),
		    "%s: cannot register %" PRIu64 " bytes%s: %s",
		    device->port.device, m->part, part,
		    memory_why(m->allocation, -ret));
}

static unsigned int access_flags(const struct device *device,
				 const struct plan *plan, bool client,
				 uint32_t region)
{
	unsigned int flags = (unsigned int)plan_access(plan, client, region);

	/* on iWARP the peer answers a read by writing to it */
	if (device->port.iwarp && op_table[plan->op].fetches &&
	    flags & IBV_ACCESS_LOCAL_WRITE)
		flags |= IBV_ACCESS_REMOTE_WRITE;
	if (plan->relaxed_ordering)
		flags |= IBV_ACCESS_RELAXED_ORDERING;
	if (plan->odp)
		flags |= IBV_ACCESS_ON_DEMAND;
	return flags;
}

static int register_parts(const struct device *device, struct ibv_pd *pd,
			  const struct plan *plan, bool client,
			  struct memory *m, struct error *err)
{
	const uint64_t n = m->length / m->part;
	const uint64_t of_region = n / plan_regions(plan);

	m->mrs = xcalloc(n, sizeof(*m->mrs));
	while (m->n_mrs < n) {
		uint32_t region = (uint32_t)(m->n_mrs / of_region);

		m->mrs[m->n_mrs] = m->ops->reg(
			m->allocation, pd, m->n_mrs * m->part, m->part,
			access_flags(device, plan, client, region));
		if (!m->mrs[m->n_mrs])
			return refused(device, m, -errno, err);
		m->n_mrs++;
	}
	return 0;
}

/* Check that this kind of memory can do what PLAN asks, which may be the
 * client's choice. */
static int check(const struct plan *plan, bool client,
		 const struct memory *m, struct error *err)
{
	const char *option = m->allocation->option;
	const bool asked = plan->inline_size && plan->inline_size != PLAN_AUTO;

	if (asked && m->ops->in && plan_sends(plan, client))
		return fail(err, -ENOTSUP, "leave --inline out",
			    "%s: the host cannot read this memory to send from "
			    "it inline (--inline)", option);
	if (plan->odp && !m->ops->pageable)
		return fail(err, -ENOTSUP, "leave --odp out",
			    "%s: this memory is not paged on demand (--odp)",
			    option);
	if (plan->mr_per_qp && m->ops->zero_based)
		return fail(err, -ENOTSUP, "leave --mr-per-qp out",
			    "%s: its regions all begin at address 0, so it "
			    "cannot have one for each queue pair (--mr-per-qp)",
			    option);
	return 0;
}

static int allocate(const struct plan *plan, bool client, struct memory *m,
		    struct error *err)
{
	struct allocation *a = m->allocation;
	int ret = check(plan, client, m, err) ?: m->ops->allocate(a, err);

	if (ret)
		return ret;
	m->buffer = a->buffer;
	/* without this the first messages would wait for page faults */
	if (!plan->odp && !m->ops->in)
		memory_touch(a);
	if (!m->ops->in)
		return 0;
	m->copier = xcalloc(1, sizeof(*m->copier));
	*m->copier = (struct copier){
		.memory = a,
		.verb = m->ops->copy_verb,
		.in = m->ops->in,
		.out = m->ops->out,
	};
	return 0;
}

/* Choose the memory of this end: --hugepages of the client is for an end that
 * chose nothing else.  OPTION becomes the option that asked for it. */
static struct memory_choice choose(const struct plan *plan,
				   const struct memory_choice *choice,
				   char option[OPTION_SIZE])
{
	struct memory_choice c = *choice;

	if (c.kind == MEMORY_ANONYMOUS && plan->hugepages) {
		c.kind = MEMORY_HUGE_PAGES;
		snprintf(option, OPTION_SIZE, "--hugepages");
		return c;
	}
	snprintf(option, OPTION_SIZE, "--memory=");
	memory_choice_format(&c, option + strlen(option),
			     OPTION_SIZE - strlen(option));
	return c;
}

int memory_create(const struct device *device, struct ibv_pd *pd,
		  const struct plan *plan, bool client,
		  const struct memory_choice *choice, struct memory *memory,
		  struct error *err)
{
	const uint64_t stride = plan_stride(plan);
	char option[OPTION_SIZE];
	struct memory m = {
		.length = plan_memory(plan, client),
		.part = plan->mr_per_qp ? stride :
					  stride * plan_qps(plan, client),
		.allocation = xcalloc(1, sizeof(*m.allocation)),
	};
	int ret;

	*m.allocation = (struct allocation){
		.choice = choose(plan, choice, option),
		.option = option,
		.context = device->context,
		.device = device->port.device,
		.paged = plan->odp,
		.length = m.length,
		.fd = -1,
	};
	m.ops = memory_ops_of(m.allocation->choice.kind);
	memory_choice_format(&m.allocation->choice, m.allocation->text,
			     sizeof(m.allocation->text));
	ret = allocate(plan, client, &m, err) ?:
	      register_parts(device, pd, plan, client, &m, err);
	m.allocation->option = NULL;	/* nothing fails from here on */
	if (ret)
		memory_destroy(&m);
	else
		*memory = m;
	return ret;
}

void memory_destroy(struct memory *memory)
{
	for (uint32_t i = 0; i < memory->n_mrs; i++)
		ibv_dereg_mr(memory->mrs[i]);
	free(memory->mrs);
	if (memory->allocation)
		memory->ops->free(memory->allocation);
	free(memory->allocation);
	free(memory->copier);
	memset(memory, 0, sizeof(*memory));
}

struct ibv_mr *memory_mr(const struct memory *memory, const uint8_t *address)
{
	return memory->mrs[(uint64_t)(address - memory->buffer) / memory->part];
}

uint64_t memory_address(const struct memory *memory, const uint8_t *address)
{
	if (!memory->ops->zero_based)
		return (uintptr_t)address;
	return (uint64_t)(address - memory->buffer) % memory->part;
}
