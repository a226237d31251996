/* Preflight: what the processors and the memory of both hosts are set to. */
#include "config.h"
#include "preflight/check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers.h"
#include "model/need.h"

/* C1, which every processor enters, takes no longer to leave, in us. */
#define SHALLOW_EXIT_US 3
/* So many times as many tasks as processors keep a host busy. */
#define LOADED 1.2
/* Strictly ordered writes limit devices above this rate. */
#define FAST_MBPS 100000

static int inspect_governor(const struct end *end, struct error *err)
{
	const char *governor = facts_text(end->facts, FACT_GOVERNOR);

	if (!governor[0] || !strcmp(governor, "performance"))
		return 0;
	return fail(err, -EINVAL,
		    "cpupower frequency-set --governor performance",
		    "%s processors have the governor %s",
		    end->whose, governor);
}

/* More tasks than processors have none for the threads of a test at times; a
 * test that just ran, or the other end on this host, is one of them. */
static bool is_loaded(const struct end *end)
{
	return facts_known(end->facts, FACT_LOAD_AVERAGE) &&
	       facts_known(end->facts, FACT_CPUS_ONLINE) &&
	       facts_real(end->facts, FACT_LOAD_AVERAGE) >
		       LOADED * (1 +
				 (double)facts_count(end->facts,
						     FACT_CPUS_ONLINE));
}

static int inspect_load(const struct end *end, struct error *err)
{
	if (!is_loaded(end))
		return 0;
	return fail(err, -EBUSY, "look with top at what runs there, and keep "
		    "idle CPUs for the test with --cpus",
		    "%s %" PRIu64 " processors have %.3g tasks to run (the "
		    "load of the last minute)", end->whose,
		    facts_count(end->facts, FACT_CPUS_ONLINE),
		    facts_real(end->facts, FACT_LOAD_AVERAGE));
}

static void show_idle(const struct end *end, char *text)
{
	preflight_print(text, "%s, %" PRIu64 " us",
			facts_text(end->facts, FACT_IDLE_STATE),
			facts_count(end->facts, FACT_IDLE_EXIT_US));
}

static int inspect_idle(const struct end *end, struct error *err)
{
	const uint64_t us = facts_count(end->facts, FACT_IDLE_EXIT_US);

	if (us <= SHALLOW_EXIT_US)
		return 0;
	return fail(err, -EINVAL, "cpupower idle-set --disable-by-latency 3",
		    "%s processors may sleep as deep as %s, and take %" PRIu64
		    " us to wake", end->whose,
		    facts_text(end->facts, FACT_IDLE_STATE), us);
}

static int inspect_irqbalance(const struct end *end, struct error *err)
{
	if (!facts_count(end->facts, FACT_IRQBALANCE))
		return 0;
	return fail(err, -EINVAL, "systemctl stop irqbalance",
		    "%s interrupts are moved about by irqbalance",
		    end->whose);
}

/* True if there are several nodes, and the device is near one of them. */
static bool has_near_node(const struct end *end)
{
	return facts_known(end->facts, FACT_NUMA_NODE) &&
	       facts_count(end->facts, FACT_NUMA_NODES) > 1;
}

static void show_nodes(const struct end *end, char *text)
{
	if (has_near_node(end))
		preflight_print(text, "%" PRIu64 ", threads on %s",
				facts_count(end->facts, FACT_NUMA_NODE),
				facts_text(end->facts, FACT_THREAD_NODES));
}

static int inspect_nodes(const struct end *end, struct error *err)
{
	const char *threads = facts_text(end->facts, FACT_THREAD_NODES);
	uint64_t node = facts_count(end->facts, FACT_NUMA_NODE);
	char near[24], advice[160];

	snprintf(near, sizeof(near), "%" PRIu64, node);
	snprintf(advice, sizeof(advice), "leave --numa and --cpus out, or "
		 "start it with numactl --cpunodebind=%s --membind=%s", near,
		 near);
	if (!has_near_node(end))
		return 0;
	if (end->port->numa_node != PORT_NO_NODE &&
	    end->port->numa_node != node)
		return fail(err, -EINVAL, advice,
			    "%s memory is on NUMA node %u, %s is on node %s",
			    end->whose, end->port->numa_node, end->port->device,
			    near);
	if (!threads[0] || !strcmp(threads, near))
		return 0;
	return fail(err, -EINVAL, advice,
		    "%s threads may run on NUMA node%s %s, %s is on node %s",
		    end->whose, strpbrk(threads, ",-") ? "s" : "",
		    threads, end->port->device, near);
}

/* True when registering locks memory, which on-demand paging does not. */
static bool locks_memory(const struct end *end)
{
	return !end->plan->odp;
}

/* The memory of the end that needs more, in bytes. */
static uint64_t most_memory(const struct plan *plan)
{
	return larger(plan_memory(plan, true), plan_memory(plan, false));
}

/* What the plan needs at END; what is still open of a plan that both ends have
 * not agreed on is as if the other end were like this one. */
static struct need need_at(const struct end *end)
{
	struct plan plan = *end->plan;
	struct need need;

	if (plan.rx_depth == PLAN_AUTO)
		plan_choose(&plan, end->port, end->port);
	need_of(&plan, end->client, end->port, &need);
	return need;
}

static void need_locked(const struct ends *ends, char *text)
{
	uint64_t most = need_at(&ends->end[true]).messages;

	if (ends->server)
		most = larger(most, need_at(&ends->end[false]).messages);
	preflight_print(text, "%" PRIu64, most);
}

#define MORE_LOCKED \
	"ulimit -l unlimited, allowed by a line with memlock in " \
	"/etc/security/limits.conf, or LimitMEMLOCK=infinity of a service"

static int inspect_memlock(const struct end *end, struct error *err)
{
	const uint64_t most = facts_count(end->facts, FACT_MEMLOCK_BYTES);
	const uint64_t messages = need_at(end).messages;

	if (!facts_known(end->facts, FACT_MEMLOCK_BYTES) || messages <= most)
		return 0;
	return fail(err, -ENOMEM, MORE_LOCKED,
		    "%s process may lock %" PRIu64 " bytes of memory, the "
		    "messages need %" PRIu64, end->whose, most, messages);
}

/* True where queues are locked like messages: drivers that run on the processor
 * lock none. */
static bool locks_queues(const struct end *end)
{
	const char *driver = facts_text(end->facts, FACT_DRIVER);

	return facts_known(end->facts, FACT_MEMLOCK_BYTES) &&
	       strcmp(driver, "rdma_rxe") != 0 && strcmp(driver, "siw") != 0;
}

static void show_memlock(const struct end *end, char *text)
{
	const uint64_t most = facts_count(end->facts, FACT_MEMLOCK_BYTES);

	if (most == FACT_UNLIMITED)
		preflight_print(text, "unlimited");
	else
		preflight_print(text, "%" PRIu64, most);
}

/* Of messages and queues together, which is an estimate: the driver decides how
 * large queues are. */
static void need_with_queues(const struct ends *ends, char *text)
{
	struct need need = need_at(&ends->end[true]);
	uint64_t most = need.messages + need.objects;

	if (ends->server) {
		need = need_at(&ends->end[false]);
		most = larger(most, need.messages + need.objects);
	}
	preflight_print(text, "about %" PRIu64, most);
}

static int inspect_locked_queues(const struct end *end, struct error *err)
{
	const uint64_t most = facts_count(end->facts, FACT_MEMLOCK_BYTES);
	const struct need need = need_at(end);

	if (!locks_queues(end) || need.messages > most ||
	    need.messages + need.objects <= most)
		return 0;
	return fail(err, -ENOMEM, MORE_LOCKED,
		    "%s process may lock %" PRIu64 " bytes of memory: the "
		    "messages need %" PRIu64 ", and their queues about %" PRIu64
		    " more", end->whose, most, need.messages, need.objects);
}

/* True when the messages are in the memory of the host that is not set aside
 * for huge pages. */
static bool in_host_memory(const struct end *end)
{
	return !end->plan->hugepages && !facts_known(end->facts, FACT_GPU);
}

/* A run refuses only what is exact, its messages (session/setup.c). */
static int inspect_available(const struct end *end, struct error *err)
{
	const uint64_t most = facts_count(end->facts, FACT_MEMORY_AVAILABLE);
	const struct need need = need_at(end);

	if (!facts_known(end->facts, FACT_MEMORY_AVAILABLE) ||
	    need.messages + need.objects <= most)
		return 0;
	return fail(err, -ENOMEM, "use fewer --qps, a smaller --size or "
		    "--tx-depth, or raise memory.max of the control group",
		    "%s host, or the control group of the process, has %" PRIu64
		    " bytes of memory available, the messages need %" PRIu64
		    " and their queues about %" PRIu64, end->whose, most,
		    need.messages, need.objects);
}

static uint64_t pages_needed(const struct ends *ends, const struct facts *facts)
{
	const uint64_t size = facts_count(facts, FACT_HUGE_PAGE_BYTES);

	return size ? (most_memory(ends->plan) + size - 1) / size : 0;
}

static void show_pages(const struct end *end, char *text)
{
	preflight_print(text, "%" PRIu64 " of %" PRIu64 " KiB",
			facts_count(end->facts, FACT_HUGE_PAGES_FREE),
			facts_count(end->facts, FACT_HUGE_PAGE_BYTES) >> 10);
}

static void need_pages(const struct ends *ends, char *text)
{
	preflight_print(text, "%" PRIu64,
			pages_needed(ends, &ends->client->facts));
}

static int inspect_pages(const struct end *end, struct error *err)
{
	const uint64_t idle = facts_count(end->facts, FACT_HUGE_PAGES_FREE);
	const uint64_t needed = pages_needed(end->ends, end->facts);

	if (!facts_known(end->facts, FACT_HUGE_PAGES_FREE) || needed <= idle)
		return 0;
	return fail_advise(err, -ENOMEM,
			   "%s kernel has %" PRIu64 " free huge pages, "
			   "--hugepages needs %" PRIu64 "\n"
			   "echo %" PRIu64 " > /proc/sys/vm/nr_hugepages",
			   end->whose, idle, needed, needed);
}

/* True for devices that relax the order of their writes only when asked to. */
static bool can_relax(const struct end *end)
{
	return !strncmp(facts_text(end->facts, FACT_DRIVER), "mlx5", 4) &&
	       strstr(facts_text(end->facts, FACT_CPU_MODEL), "AMD") &&
	       end->port->rate_mbps >= FAST_MBPS;
}

static void show_ordering(const struct end *end, char *text)
{
	preflight_print(text, "%s",
			end->plan->relaxed_ordering ? "relaxed" : "strict");
}

static int inspect_ordering(const struct end *end, struct error *err)
{
	if (end->plan->relaxed_ordering || !can_relax(end))
		return 0;
	return fail(err, -EINVAL, "add --relaxed-ordering",
		    "%s device writes in strict order to a host with AMD "
		    "processors", end->whose);
}

// clang-format off
const struct check host_checks[] = {
	{ .label = "governor", .fact = FACT_GOVERNOR,
	  .needed = "performance", .inspect = inspect_governor,
	  .cost = "the frequency follows the load, so that latencies and "
		  "message rates vary" },
	{ .label = "load average", .fact = FACT_LOAD_AVERAGE,
	  .applies = is_loaded, .inspect = inspect_load,
	  .cost = "a thread that polls does not have its CPU all the time: "
		  "less bandwidth, and stalls" },
	{ .label = "deepest idle state", .fact = FACT_IDLE_STATE,
	  .show = show_idle, .inspect = inspect_idle,
	  .cost = "an idle host answers late: with --events, and where the "
		  "memory sleeps with its processors" },
	{ .label = "irqbalance", .fact = FACT_IRQBALANCE,
	  .option = offsetof(struct plan, events),
	  .inspect = inspect_irqbalance,
	  .cost = "with --events latencies change when an interrupt moves to "
		  "another processor" },
	{ .label = "device's NUMA node", .applies = has_near_node,
	  .show = show_nodes, .inspect = inspect_nodes,
	  .cost = "data crosses the link between the nodes: less bandwidth, "
		  "and about 100 ns more for each access" },
	{ .label = "locked memory", .fact = FACT_MEMLOCK_BYTES,
	  .applies = locks_memory, .need = need_locked,
	  .inspect = inspect_memlock, .wrong = true,
	  .cost = "the memory of the messages cannot be locked" },
	{ .label = "locked, with queues", .applies = locks_queues,
	  .show = show_memlock, .need = need_with_queues,
	  .inspect = inspect_locked_queues,
	  .cost = "a completion queue or a queue pair may not be created, for "
		  "want of memory" },
	{ .label = "available memory", .fact = FACT_MEMORY_AVAILABLE,
	  .applies = in_host_memory, .need = need_with_queues,
	  .inspect = inspect_available,
	  .cost = "the kernel ends a process for want of memory, or the queue "
		  "pairs cannot be created" },
	{ .label = "free huge pages", .fact = FACT_HUGE_PAGES_FREE,
	  .option = offsetof(struct plan, hugepages), .show = show_pages,
	  .need = need_pages, .inspect = inspect_pages, .wrong = true,
	  .cost = "the memory of the messages cannot be allocated" },
	{ .label = "ordering", .applies = can_relax,
	  .show = show_ordering, .inspect = inspect_ordering,
	  .cost = "each write to memory waits for the one before it, and "
		  "bandwidth stays below the link's" },
	{ .label = NULL },
};
// clang-format on
