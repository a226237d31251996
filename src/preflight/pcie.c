/* Preflight: the way between the device and the memory of its host. */
#include "config.h"
#include "preflight/check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define TEXT_SIZE 64

/* "16 GT/s x8"; "" if it is not known. */
static const char *link_text(const struct facts *facts, enum fact speed,
			     enum fact width, char text[TEXT_SIZE])
{
	text[0] = '\0';
	if (facts_known(facts, speed) && facts_known(facts, width))
		snprintf(text, TEXT_SIZE, "%g GT/s x%u",
			 facts_real(facts, speed),
			 (unsigned int)facts_count(facts, width));
	return text;
}

static const char *link_now(const struct facts *facts, char text[TEXT_SIZE])
{
	return link_text(facts, FACT_PCIE_SPEED_GT, FACT_PCIE_WIDTH, text);
}

static bool is_guest(const struct facts *facts)
{
	const char *maker = facts_text(facts, FACT_VIRTUAL_MACHINE);

	return maker[0] && strcmp(maker, "none") != 0;
}

/* The rate, in Gb/s, of the link, or of the slowest link on the way; 0:
 * unknown.  In a guest the bridges above the device are emulated, and some
 * devices are. */
static double rate_of(const struct facts *facts)
{
	static const char *const emulated[] = { "virtio_net", "vmxnet3",
						"e1000", "e1000e" };
	const char *driver = facts_text(facts, FACT_NETDEV_DRIVER);

	if (!is_guest(facts))
		return facts_real(facts, FACT_PCIE_GBPS);
	for (size_t i = 0; i < sizeof(emulated) / sizeof(*emulated); i++)
		if (!strcmp(driver, emulated[i]))
			return 0;
	return pcie_gbps(facts_real(facts, FACT_PCIE_SPEED_GT),
			 facts_count(facts, FACT_PCIE_WIDTH));
}

static void show_rate(const struct end *end, char *text)
{
	const double gbps = rate_of(end->facts);
	char link[TEXT_SIZE];

	link_now(end->facts, link);
	preflight_print(text, gbps ? "%s%s%.4g Gb/s" : "%s%semulated", link,
			link[0] ? ", " : "", gbps);
}

static uint32_t fastest_link(const struct ends *ends)
{
	const uint32_t mine = ends->client->rate_mbps;
	const uint32_t theirs = ends->server ? ends->server->rate_mbps : mine;

	return mine > theirs ? mine : theirs;
}

static void need_rate(const struct ends *ends, char *text)
{
	if (fastest_link(ends))
		preflight_print(text, "%g Gb/s", fastest_link(ends) / 1000.0);
}

static int inspect_rate(const struct end *end, struct error *err)
{
	const char *device = facts_text(end->facts, FACT_PCIE_ADDRESS);
	const char *at = is_guest(end->facts) ? device :
			 facts_text(end->facts, FACT_PCIE_SLOWEST);
	const double gbps = rate_of(end->facts);
	char link[TEXT_SIZE], place[2 * FACT_TEXT_SIZE] = "";

	if (!gbps || gbps >= end->port->rate_mbps / 1000.0)
		return 0;
	if (strcmp(at, device) != 0)
		snprintf(place, sizeof(place), ", slowest at %s", at);
	return fail_advise(err, -EINVAL,
			   "%s PCIe carries %.4g Gb/s (%s%s), the link %g Gb/s\n"
			   "move the card to a faster slot; lspci -vv -s %s "
			   "shows what this one can do (LnkCap, LnkSta)",
			   end->whose, gbps, link_now(end->facts, link), place,
			   end->port->rate_mbps / 1000.0, at);
}

static double number(const struct facts *facts, enum fact fact)
{
	return fact_table[fact].kind == FACT_REAL ?
		       facts_real(facts, fact) :
		       (double)facts_count(facts, fact);
}

/* True if the link is slower or narrower than both of its ends support. */
static bool is_below(const struct facts *facts, enum fact now, enum fact most,
		     enum fact slot)
{
	return facts_known(facts, now) &&
	       number(facts, now) < number(facts, most) &&
	       number(facts, now) < number(facts, slot);
}

static void show_training(const struct end *end, char *text)
{
	char device[TEXT_SIZE], slot[TEXT_SIZE];

	link_text(end->facts, FACT_PCIE_MAX_SPEED_GT, FACT_PCIE_MAX_WIDTH,
		  device);
	link_text(end->facts, FACT_PCIE_SLOT_SPEED_GT, FACT_PCIE_SLOT_WIDTH,
		  slot);
	if (device[0])
		preflight_print(text, "%s%s%s", device,
				slot[0] ? " in " : "", slot);
}

static int inspect_training(const struct end *end, struct error *err)
{
	char now[TEXT_SIZE], can[PREFLIGHT_CELL];

	/* a guest's slot is emulated */
	if (is_guest(end->facts) ||
	    (!is_below(end->facts, FACT_PCIE_SPEED_GT, FACT_PCIE_MAX_SPEED_GT,
		       FACT_PCIE_SLOT_SPEED_GT) &&
	     !is_below(end->facts, FACT_PCIE_WIDTH, FACT_PCIE_MAX_WIDTH,
		       FACT_PCIE_SLOT_WIDTH)))
		return 0;
	show_training(end, can);
	return fail_advise(err, -EINVAL,
			   "%s PCIe link runs at %s, device and slot can do %s\n"
			   "reseat the card, or look for errors of the link: "
			   "lspci -vv -s %s; dmesg | grep -i pcie", end->whose,
			   link_now(end->facts, now), can,
			   facts_text(end->facts, FACT_PCIE_ADDRESS));
}

static int inspect_iommu(const struct end *end, struct error *err)
{
	if (strcmp(facts_text(end->facts, FACT_IOMMU), "translated") != 0)
		return 0;
	return fail(err, -EINVAL, "boot the kernel with iommu=pt",
		    "%s IOMMU translates each address that the device uses",
		    end->whose);
}

static void show_power(const struct end *end, char *text)
{
	const char *l1 = !facts_known(end->facts, FACT_ASPM_L1) ? "" :
			 facts_count(end->facts, FACT_ASPM_L1) ? ", L1 on" :
							    ", L1 off";

	preflight_print(text, "%s%s", facts_text(end->facts, FACT_ASPM), l1);
}

/* Whether the link may save power counts; the policy only where that is not
 * known. */
static int inspect_power(const struct end *end, struct error *err)
{
	const char *policy = facts_text(end->facts, FACT_ASPM);
	const bool on = facts_known(end->facts, FACT_ASPM_L1) ?
				facts_count(end->facts, FACT_ASPM_L1) :
				!strncmp(policy, "powersave", 9) ||
				!strcmp(policy, "powersupersave");

	if (!on)
		return 0;
	return fail(err, -EINVAL, "echo performance > "
		    "/sys/module/pcie_aspm/parameters/policy",
		    "%s PCIe link sleeps when it is idle (ASPM %s)",
		    end->whose, policy);
}

static void show_gpu(const struct end *end, char *text)
{
	if (facts_known(end->facts, FACT_GPU))
		preflight_print(text, "%s, %s",
				facts_text(end->facts, FACT_GPU),
				facts_text(end->facts, FACT_GPU_DISTANCE));
}

/* A GPU as far as the nearest one is far only on another processor. */
static int inspect_gpu(const struct end *end, struct error *err)
{
	const char *device = end->port->device;
	const char *gpu = facts_text(end->facts, FACT_GPU);
	const char *distance = facts_text(end->facts, FACT_GPU_DISTANCE);
	const char *least = facts_text(end->facts, FACT_NEAREST_GPU_DISTANCE);

	if (strcmp(distance, least) != 0)
		return fail(err, -EINVAL, "--memory=cuda:auto or hip:auto "
			    "takes the nearest",
			    "%s GPU %s is far from %s (%s), GPU %s is near "
			    "(%s)", end->whose, gpu, device,
			    distance, facts_text(end->facts, FACT_NEAREST_GPU),
			    least);
	if (strcmp(distance, "across sockets") != 0)
		return 0;
	return fail(err, -EINVAL, "use a --device on the GPU's side: verbsperf "
		    "devices --topology",
		    "%s GPU %s is far from %s (%s)", end->whose,
		    gpu, device, distance);
}

static int inspect_acs(const struct end *end, struct error *err)
{
	const char *port = facts_text(end->facts, FACT_ACS_REDIRECT);
	if (!port[0] || !strcmp(port, "none"))
		return 0;
	return fail_advise(err, -EINVAL,
			   "%s PCIe switch sends peer to peer with the GPU to "
			   "the root complex (ACS of %s)\n"
			   "without virtual machines, switch it off at each port "
			   "of the switch: setpci -s %s ECAP_ACS+6.w=0",
			   end->whose, port, port);
}

// clang-format off
const struct check pcie_checks[] = {
	{ .label = "PCIe", .fact = FACT_PCIE_GBPS,
	  .show = show_rate, .need = need_rate, .inspect = inspect_rate,
	  .cost = "bandwidth ends at what the slower of both carries, less "
		  "about a tenth for the headers of PCIe" },
	{ .label = "PCIe supported", .fact = FACT_PCIE_MAX_WIDTH,
	  .show = show_training, .inspect = inspect_training,
	  .cost = "the device has less bandwidth to memory than it could "
		  "have" },
	{ .label = "IOMMU", .fact = FACT_IOMMU, .inspect = inspect_iommu,
	  .cost = "an address that is not in the IOMMU's cache costs a "
		  "look-up in memory: less bandwidth with many or large "
		  "buffers" },
	{ .label = "PCIe power saving", .fact = FACT_ASPM,
	  .show = show_power, .inspect = inspect_power,
	  .cost = "the first message after a pause waits microseconds until "
		  "the link is awake" },
	{ .label = "GPU", .fact = FACT_GPU_DISTANCE,
	  .show = show_gpu, .inspect = inspect_gpu,
	  .cost = "messages cross the root complex, or the link between the "
		  "processors: less bandwidth" },
	{ .label = "ACS redirect", .fact = FACT_ACS_REDIRECT,
	  .needed = "none", .inspect = inspect_acs,
	  .cost = "messages in the memory of a GPU go up to the root complex "
		  "and back: less bandwidth" },
	{ .label = NULL },
};
// clang-format on
