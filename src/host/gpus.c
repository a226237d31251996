/* The GPU whose memory an end uses, and the one that it should use. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "host/facts.h"
#include "host/place.h"
#include "host/topology.h"
#include "memory/gpu.h"

/* The GPU to use with NIC, which may be NULL; NULL: none. */
static const struct topology_gpu *nearest(const struct topology *t,
					  const struct topology_nic *nic)
{
	return nic && nic->gpu != TOPOLOGY_NONE ? &t->gpus[nic->gpu] : NULL;
}

/* How many GPUs of MAKER this host has; *last: the last of them. */
static uint32_t count_gpus(const struct topology *t, const char *maker,
			   const struct topology_gpu **last)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n_gpus; i++) {
		if (strcmp(t->gpus[i].maker, maker) != 0)
			continue;
		*last = &t->gpus[i];
		n++;
	}
	return n;
}

/*
 * The GPU to use with DEVICE, which is not on PCI (a software device, say) or
 * has none of the maker near it: the only one, if there is one.
 */
static int choose_without_distance(const struct topology *t,
				   const char *device,
				   const struct memory_choice *choice,
				   const struct topology_gpu **gpu,
				   struct error *err)
{
	const char *maker = gpu_maker(choice->kind);
	const char *name = memory_kind_name(choice->kind);
	const uint32_t n = count_gpus(t, maker, gpu);

	if (n > 1)
		return fail(err, -ENODEV, "name one: nvidia-smi -L, rocm-smi "
			    "or lspci lists them",
			    "--memory=%s:auto: %s is not on PCI, so none of "
			    "the %u GPUs is near it", name, device, n);
	if (!n)
		return fail(err, -ENODEV, "use another --memory",
			    "--memory=%s:auto: this host shows no GPU of %s",
			    name, maker);
	return 0;
}

int gpus_choose(struct memory_choice *choice, const char *device,
		struct error *err)
{
	const struct topology_gpu *gpu = NULL;
	struct topology t;
	int ret = 0;

	if (!choice->automatic)
		return 0;
	topology_read(&t);
	topology_choose(&t, gpu_maker(choice->kind));
	gpu = nearest(&t, topology_find(&t, device));
	if (!gpu)
		ret = choose_without_distance(&t, device, choice, &gpu, err);
	if (!ret) {
		snprintf(choice->pci, sizeof(choice->pci), "%s",
			 gpu->place.address);
		choice->automatic = false;
	}
	topology_free(&t);
	return ret;
}

/* Parse "00000000:1B:00.0", or "1b:00.0" of domain 0. */
static bool parse_address(const char *text, unsigned int n[4])
{
	if (sscanf(text, "%x:%x:%x.%x", n, n + 1, n + 2, n + 3) == 4)
		return true;
	n[0] = 0;
	return sscanf(text, "%x:%x.%x", n + 1, n + 2, n + 3) == 3;
}

static bool same_address(const char *a, const char *b)
{
	unsigned int x[4], y[4];

	return parse_address(a, x) && parse_address(b, y) &&
	       !memcmp(x, y, sizeof(x));
}

/* The GPU of CHOICE; NULL: none, or not known. */
static const struct topology_gpu *used(const struct topology *t,
				       const struct memory_choice *choice)
{
	char address[GPU_ADDRESS_SIZE];

	if (choice->automatic || !gpu_find_address(choice, address))
		return NULL;
	for (uint32_t i = 0; i < t->n_gpus; i++)
		if (same_address(t->gpus[i].place.address, address))
			return &t->gpus[i];
	return NULL;
}

static void note_gpu(const struct topology_nic *nic,
		     const struct topology_gpu *gpu, enum fact address,
		     enum fact distance, struct facts *facts)
{
	struct way way;

	if (!gpu)
		return;
	way = topology_way(&nic->place, &gpu->place);
	facts_set_text(facts, address, gpu->place.address);
	if (way.distance != DISTANCE_UNKNOWN)
		facts_set_text(facts, distance, distance_name(way.distance));
}

static void note_acs(const struct topology_nic *nic,
		     const struct topology_gpu *gpu, struct facts *facts)
{
	struct way way;

	if (!gpu)
		return;
	way = topology_way(&nic->place, &gpu->place);
	if (way.distance == DISTANCE_SWITCH && way.acs != PCI_ACS_UNKNOWN)
		facts_set_text(facts, FACT_ACS_REDIRECT,
			       way.port ? way.port : "none");
}

void facts_of_gpus(const char *device, const struct memory_choice *choice,
		   struct facts *facts)
{
	const struct topology_gpu *near, *own;
	const struct topology_nic *nic;
	struct topology t;

	topology_read(&t);
	topology_choose(&t, gpu_maker(choice->kind));
	nic = topology_find(&t, device);
	near = nearest(&t, nic);
	own = nic ? used(&t, choice) : NULL;
	note_gpu(nic, near, FACT_NEAREST_GPU, FACT_NEAREST_GPU_DISTANCE, facts);
	note_gpu(nic, own, FACT_GPU, FACT_GPU_DISTANCE, facts);
	note_acs(nic, own ? own : near, facts);
	topology_free(&t);
}
