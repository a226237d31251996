/* The options of perftest 6.06 and 6.29, which are all of their long_options,
 * and those that only releases between them have; see its
 * perftest_parameters.c. */
#include "config.h"
#include "cli/perftest_table.h"

#include <stdio.h>
#include <string.h>

#define SAME(name, letter, argument, ours) \
	{ name, letter, argument, PERFTEST_SAME, ours, NULL, NULL, 0 }
#define SET(name, letter, ours, value) \
	{ name, letter, NULL, PERFTEST_SAME, ours, value, NULL, 0 }
#define OWN(name, letter, argument, ours, note) \
	{ name, letter, argument, PERFTEST_SAME, ours, NULL, note, 0 }
#define GPU(name, argument, kind, note) \
	{ name, 0, argument, PERFTEST_SAME, "memory", kind, note, 0 }
/* of no effect in a case */
#define LESS(name, letter, argument, ours, value, note, idle) \
	{ name, letter, argument, PERFTEST_SAME, ours, value, note, \
	  PERFTEST_IDLE_##idle }
#define NOTHING(name, letter, argument, note) \
	{ name, letter, argument, PERFTEST_NOTHING, NULL, NULL, note, 0 }
#define SAID(name, letter, argument, note) \
	{ name, letter, argument, PERFTEST_SAID, NULL, NULL, note, 0 }
#define OTHER(name, letter, argument, note) \
	{ name, letter, argument, PERFTEST_OTHER_TOOL, NULL, NULL, note, 0 }

#define RAW_ETHERNET "raw Ethernet: use perftest's raw_ethernet_bw"
#define ENCRYPTION "encryption by the device: use perftest"
#define GPU_MEMORY \
	"verbsperf has no memory of accelerators but that of CUDA and HIP"
#define GPU_PLAIN \
	"GPU memory is mapped as the drivers do without being asked"
#define DEVICE \
	"verbsperf does not use this feature of some devices: leave it out"

// clang-format off
const struct perftest_option perftest_options[] = {
	OWN("help", 'h', NULL, NULL, "this text; exit status 1, as perftest's"),
	OWN("version", 'V', NULL, NULL, "version; exit status 1"),

	/* device and connection */
	SAME("ib-dev", 'd', "DEVICE", "device"),
	SAME("ib-port", 'i', "N", "ib-port"),
	SAME("port", 'p', "N", "port"),
	SAME("gid-index", 'x', "N", "gid-index"),
	SAME("bind_source_ip", 0, "ADDRESS", "bind"),
	SAME("source_ip", 'j', "ADDRESS", "bind"),
	SAME("pkey_index", 0, "N", "pkey-index"),
	NOTHING("ipv6-addr", '6', NULL,
		"verbsperf tries IPv4 and IPv6 addresses"),
	NOTHING("ipv6", 0, NULL,
		"verbsperf chooses a GID that fits the peer's"),
	NOTHING("comm_rdma_cm", 'z', NULL,
		"both ends exchange their parameters over TCP"),
	NOTHING("com_rdma_cm", 0, NULL,
		"both ends exchange their parameters over TCP"),
	SAME("rdma_cm", 'R', NULL, "rdma-cm"),
	NOTHING("dont_xchg_versions", 0, NULL,
		"each end needs the version of the other"),
	NOTHING("force-link", 0, "TYPE", "the port reports its link layer"),
	OTHER("dlid", 0, "N", "verbsperf uses the LID that the peer reports"),
	SAID("dualport", 'O', NULL,
	     "one port is measured: run one test for each port"),
	SAID("report-per-port", 0, NULL,
	     "one port is measured: run one test for each port"),

	/* what is sent */
	LESS("size", 's', "BYTES", "size", NULL,
	     "message size; no effect with -a, nor on atomics, which have 8 "
	     "bytes", SIZED),
	SAME("all", 'a', NULL, "all"),
	OWN("iters", 'n', "N", "iterations",
	    "number of messages; no effect with -D"),
	OWN("duration", 'D', "SECONDS", "duration",
	    "length of the measurement"),
	OWN("margin", 'f', "SECONDS", "warmup",
	    "time at the beginning that is not measured"),
	OWN("run_infinitely", 0, NULL, "duration",
	    "run until stopped; print a row every -D seconds (default 5)"),
	SAME("connection", 'c', "TYPE", "transport"),
	SAME("atomic_type", 'A', "TYPE", "atomic-type"),
	SAME("bidirectional", 'b', NULL, "bidirectional"),
	SAME("reversed", 0, NULL, "reversed"),
	SAME("write_with_imm", 0, NULL, "imm"),
	SAME("send_with_imm", 0, NULL, "imm"),
	SAME("inline_size", 'I', "BYTES", "inline"),
	SAME("outs", 'o', "N", "outstanding-reads"),
	OWN("mtu", 'm', "BYTES", "mtu",
	    "path MTU; the active one, if that is less or none has this size"),
	SAME("sl", 'S', "N", "sl"),
	SAME("tclass", 0, "N", "tclass"),
	OWN("tos", 'T', "N", "tclass",
	    "traffic class; with -R it is rdma_cm's type of service, too"),
	SAME("flow_label", 0, "LIST", "flow-label"),
	SAME("hop_limit", 'L', "N", "hop-limit"),
	SAME("qp-timeout", 'u', "N", "qp-timeout"),
	OWN("retry_count", 0, "N", "retry-count",
	    "retries before a send is given up, at most 7"),
	SAID("payload_file_path", 0, "FILE",
	     "messages are random, or a pattern with --data_validation"),
	LESS("mcg", 'g', NULL, "mcast", "auto",
	     "send to a multicast group, over UD; send_lat is over UD without "
	     "a group", LATENCY),
	LESS("MGID", 'M', "GID", "mcast", NULL,
	     "that multicast group, in the same way", LATENCY),
	OTHER("connectionless", 0, NULL,
	      "the ends of verbsperf exchange their parameters"),
	OTHER("unsolicited_write", 0, NULL, DEVICE),

	/* queues, posting, polling */
	SAME("qp", 'q', "N", "qps"),
	SAME("tx-depth", 't', "N", "tx-depth"),
	SAME("rx-depth", 'r', "N", "rx-depth"),
	SAME("cq-mod", 'Q', "N", "cq-mod"),
	SAME("post_list", 'l', "N", "post-list"),
	LESS("recv_post_list", 0, "N", "recv-post-list", NULL,
	     "receives posted per call; only for send_bw and --write_with_imm",
	     RECEIVES),
	SAME("events", 'e', NULL, "events"),
	SAME("vector", 'X', "N", "vector"),
	SAME("use-srq", 0, NULL, "srq"),
	SAME("mr_per_qp", 0, NULL, "mr-per-qp"),
	SET("use_old_post_send", 0, "post", "legacy"),
	SET("perform_warm_up", 0, "warmup", "0.2"),
	OWN("latency_gap", 0, "US", "gap",
	    "pause of the client before each operation, in microseconds"),
	NOTHING("cqe_poll", 0, "N",
		"each poll takes as many completions as there are"),
	NOTHING("disable_dynamic_polling", 0, NULL,
		"each poll takes as many completions as there are"),
	NOTHING("no_lock", 0, NULL, "each thread has a queue of its own"),
	NOTHING("wait_destroy", 0, "SECONDS",
		"verbsperf does not wait before it destroys its objects"),
	NOTHING("no_enhanced_reorder", 0, NULL,
		"verbsperf does not use enhanced reordering"),
	NOTHING("no_ddp", 0, NULL,
		"verbsperf does not use direct data placement"),
	SAID("inline_recv", 0, "BYTES",
	     "perftest has had no use for it, either; verbsperf's own is "
	     "--inline-recv"),
	OTHER("use_ooo", 0, NULL, DEVICE),
	OTHER("congest_type", 0, "TYPE", DEVICE),
	OTHER("log_dci_streams", 0, "N", DEVICE),
	OTHER("log_active_dci_streams", 0, "N", DEVICE),

	/* memory and CPUs */
	LESS("use_hugepages", 0, NULL, "hugepages", NULL,
	     "put messages into huge pages; no effect with --use_cuda", GPU),
	SAME("odp", 0, NULL, "odp"),
	SAME("pin_cores", 0, "LIST", "cpus"),
	SAME("numa_node", 0, "N", "numa"),
	SET("disable_numa", 0, "numa", "none"),
	OWN("disable_pcie_relaxed", 0, NULL, NULL,
	    "PCIe may not reorder writes to memory, the default of "
	    "verbsperf's own options"),
	SAID("use-null-mr", 0, NULL,
	     "messages are read from memory and written to it"),
	OTHER("tph_mem", 0, "TYPE", DEVICE),
	OTHER("cpu_id", 0, "N", DEVICE),
	OTHER("ph", 0, "N", DEVICE),
	OWN("mmap", 0, "FILE", "memory",
	    "put messages into this file, which they overwrite"),
	OWN("mmap-offset", 0, "N", "memory", "where in the file, in bytes"),
	GPU("use_cuda", "N", "cuda",
	    "put messages into the memory of this NVIDIA GPU"),
	GPU("use_cuda_bus_id", "ADDRESS", "cuda",
	    "the same, named by its PCI address: 0000:19:00.0"),
	NOTHING("use_cuda_dmabuf", 0, NULL,
		"GPU memory is a dma-buf wherever that works"),
	SAID("use_cuda_pcie_mapping", 0, NULL, GPU_PLAIN),
	SAID("use_data_direct", 0, NULL, GPU_PLAIN),
	OWN("cuda_mem_type", 0, "TYPE", "memory",
	    "only 0: verbsperf has what cuMemAlloc allocates"),
	OTHER("use_musa", 0, "N", GPU_MEMORY),
	OTHER("use_musa_bus_id", 0, "ID", GPU_MEMORY),
	OTHER("use_musa_dmabuf", 0, NULL, GPU_MEMORY),
	OTHER("use_musa_pcie_mapping", 0, NULL, GPU_MEMORY),
	GPU("use_rocm", "N", "hip",
	    "put messages into the memory of this AMD GPU"),
	NOTHING("use_rocm_dmabuf", 0, NULL,
		"GPU memory is a dma-buf wherever that works"),
	OTHER("use_neuron", 0, "N", GPU_MEMORY),
	OTHER("use_neuron_dmabuf", 0, NULL, GPU_MEMORY),
	OTHER("use_hl", 0, "ID", GPU_MEMORY),
	OTHER("use_mlu", 0, "N", GPU_MEMORY),
	OTHER("use_mlu_dmabuf", 0, NULL, GPU_MEMORY),
	OTHER("use_opencl", 0, "N", GPU_MEMORY),
	OTHER("opencl_platform_id", 0, "N", GPU_MEMORY),
	OTHER("use_ib_dm_dmabuf", 0, "N",
	      "verbsperf --memory=device uses the memory of the RDMA device"),
	OTHER("gpu_touch", 0, "TYPE",
	      "verbsperf has only what cuMemAlloc and hipMalloc allocate"),

	/* rates */
	OWN("rate_limit", 0, "RATE", "rate", "maximum rate, in --rate_units"),
	OWN("rate_units", 0, "M|g|p", "rate",
	    "unit of --rate_limit: MiB/s, Gb/s (default) or messages per "
	    "second"),
	OWN("rate_limit_type", 0, "HW|SW|PP", "pacing",
	    "SW (default): the loop limits the rate; HW or PP: the device "
	    "limits it for each queue pair, or is refused"),
	LESS("burst_size", 0, "N", "burst", NULL,
	     "messages sent at once under --rate_limit, at most --tx-depth",
	     UNRATED),
	OTHER("typical_pkt_size", 0, "BYTES", DEVICE),

	/* reports */
	SAME("report_gbits", 0, NULL, "report-gbits"),
	OWN("output", 0, "bandwidth|message_rate|latency", "format",
	    "print only that number"),
	OWN("out_json", 0, NULL, "json", "write perftest's JSON as well"),
	OWN("out_json_file", 0, "FILE", "json",
	    "file that --out_json writes (default perftest_out.json)"),
	LESS("limit_bw", 'w', "RATE", "min-gbps", NULL,
	     "minimum bandwidth, in the unit of the table", LATENCY),
	LESS("limit_msgrate", 'y', "MPPS", "min-mpps", NULL,
	     "minimum message rate", LATENCY),
	LESS("report-histogram", 'H', NULL, "samples", NULL,
	     "print all samples, sorted; no effect with -D", TIMED),
	LESS("report-histogrm", 0, NULL, "samples", NULL,
	     "print all samples, sorted; no effect with -D", TIMED),
	LESS("report-unsorted", 'U', NULL, "samples", NULL,
	     "print all samples, in the order measured; no effect with -D",
	     TIMED),
	SAME("data_validation", 0, NULL, "verify"),
	SAME("data_validation_debug", 0, NULL, "verify"),
	OWN("report-both", 0, NULL, NULL,
	    "each direction of -b, which verbsperf's own table always has"),
	LESS("report-min-bw", 0, "N", NULL, NULL,
	     "print the least bandwidth, that of the worst interval", LATENCY),
	SAID("report-cycles", 'C', NULL, "times are in microseconds"),
	NOTHING("noPeak", 'N', NULL, "measuring the peak costs nothing"),
	NOTHING("CPU-freq", 'F', NULL, "the clock is not the CPU's frequency"),
	LESS("cpu_util", 0, NULL, "cpu", NULL,
	     "print how busy all CPUs of the host were; only with -D", COUNTED),
	OWN("report-counters", 'W', "LIST", "counters",
	    "print how these counters of this end changed: "
	    "counters/NAME,hw_counters/NAME"),

	/* raw Ethernet and encryption */
	OTHER("source_mac", 'B', "MAC", RAW_ETHERNET),
	OTHER("dest_mac", 'E', "MAC", RAW_ETHERNET),
	OTHER("dest_ip", 'J', "ADDRESS", RAW_ETHERNET),
	OTHER("dest_port", 'K', "N", RAW_ETHERNET),
	OTHER("source_port", 'k', "N", RAW_ETHERNET),
	OTHER("ethertype", 'Y', "TYPE", RAW_ETHERNET),
	OTHER("server", 'Z', NULL, RAW_ETHERNET),
	OTHER("client", 'P', NULL, RAW_ETHERNET),
	OTHER("mac_fwd", 'v', NULL, RAW_ETHERNET),
	OTHER("use_rss", 'G', NULL, RAW_ETHERNET),
	OTHER("remote_mac", 0, "MAC", RAW_ETHERNET),
	OTHER("local_mac", 0, "MAC", RAW_ETHERNET),
	OTHER("remote_ip", 0, "ADDRESS", RAW_ETHERNET),
	OTHER("local_ip", 0, "ADDRESS", RAW_ETHERNET),
	OTHER("remote_port", 0, "N", RAW_ETHERNET),
	OTHER("local_port", 0, "N", RAW_ETHERNET),
	OTHER("tcp", 0, NULL, RAW_ETHERNET),
	OTHER("raw_ipv6", 0, NULL, RAW_ETHERNET),
	OTHER("promiscuous", 0, NULL, RAW_ETHERNET),
	OTHER("sniffer", 0, NULL, RAW_ETHERNET),
	OTHER("raw_mcast", 0, NULL, RAW_ETHERNET),
	OTHER("flows", 0, "N", RAW_ETHERNET),
	OTHER("flows_burst", 0, "N", RAW_ETHERNET),
	OTHER("reply_every", 0, "N", RAW_ETHERNET),
	OTHER("vlan_en", 0, NULL, RAW_ETHERNET),
	OTHER("vlan_pcp", 0, "N", RAW_ETHERNET),
	OTHER("aes_xts", 0, NULL, ENCRYPTION),
	OTHER("encrypt_on_tx", 0, NULL, ENCRYPTION),
	OTHER("sig_before", 0, NULL, ENCRYPTION),
	OTHER("sig_offload", 0, NULL, ENCRYPTION),
	OTHER("aes_block_size", 0, "BYTES", ENCRYPTION),
	OTHER("data_enc_keys_number", 0, "N", ENCRYPTION),
	OTHER("kek_path", 0, "FILE", ENCRYPTION),
	OTHER("credentials_path", 0, "FILE", ENCRYPTION),
	OTHER("data_enc_key_app_path", 0, "FILE", ENCRYPTION),
};
// clang-format on

const size_t perftest_option_count =
	sizeof(perftest_options) / sizeof(*perftest_options);

_Static_assert(sizeof(perftest_options) / sizeof(*perftest_options) <=
	       PERFTEST_OPTIONS_MAX, "more options than PERFTEST_OPTIONS_MAX");

/* What 6.29 has and 6.06, as Debian builds it, has not; and what only 6.06 has,
 * or only 6.24 to 6.26, or a fork, or only perftest's --help.  Each is a name
 * between blanks. */
static const char newer[] =
	" bind_source_ip congest_type connectionless cpu_id cqe_poll "
	"cuda_mem_type data_validation data_validation_debug "
	"disable_dynamic_polling disable_numa gpu_touch ipv6-addr "
	"no_enhanced_reorder no_lock numa_node opencl_platform_id "
	"payload_file_path ph pin_cores send_with_imm sig_offload tph_mem "
	"sig_before unsolicited_write use-null-mr use_cuda_dmabuf "
	"use_cuda_pcie_mapping use_data_direct use_hl use_ib_dm_dmabuf "
	"use_mlu use_mlu_dmabuf use_musa use_musa_bus_id use_musa_dmabuf "
	"use_musa_pcie_mapping use_neuron use_neuron_dmabuf use_ooo "
	"use_opencl use_rocm_dmabuf write_with_imm ";
static const char rare[] =
	" com_rdma_cm inline_recv no_ddp report-histogram report-min-bw ";

const char *const perftest_class_names[PERFTEST_CLASSES] = {
	[PERFTEST_SAME] = "same",
	[PERFTEST_NOTHING] = "nothing",
	[PERFTEST_SAID] = "said",
	[PERFTEST_OTHER_TOOL] = "other",
};

const struct perftest_option *perftest_find(const char *name)
{
	for (size_t i = 0; i < perftest_option_count; i++)
		if (!strcmp(perftest_options[i].name, name))
			return &perftest_options[i];
	return NULL;
}

/* 0: of both versions; 1: only of the newer one; 2: rare. */
static int age_of(const struct perftest_option *o)
{
	char word[64];

	snprintf(word, sizeof(word), " %s ", o->name);
	return strstr(rare, word) ? 2 : strstr(newer, word) ? 1 : 0;
}

const struct perftest_option *perftest_match(const char *name)
{
	const struct perftest_option *found = perftest_find(name);
	int n = 0;

	for (int age = 0; age <= 2 && !found && !n; age++) {
		for (size_t i = 0; i < perftest_option_count; i++) {
			const struct perftest_option *o = &perftest_options[i];

			if (age_of(o) > age ||
			    strncmp(o->name, name, strlen(name)) != 0)
				continue;
			found = o;
			n++;
		}
		if (n > 1)
			found = NULL;
	}
	return found;
}

const struct perftest_option *perftest_find_letter(char letter)
{
	for (size_t i = 0; letter && i < perftest_option_count; i++)
		if (perftest_options[i].letter == letter)
			return &perftest_options[i];
	return NULL;
}
