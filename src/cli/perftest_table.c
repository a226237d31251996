/* The options of perftest 6.06 and 6.29, which are all of their long_options;
 * see its perftest_parameters.c. */
#include "config.h"
#include "cli/perftest_table.h"

#include <string.h>

#define SAME(name, letter, argument, ours) \
	{ name, letter, argument, PERFTEST_SAME, ours, NULL, NULL }
#define SET(name, letter, ours, value) \
	{ name, letter, NULL, PERFTEST_SAME, ours, value, NULL }
#define OWN(name, letter, argument, ours, note) \
	{ name, letter, argument, PERFTEST_SAME, ours, NULL, note }
#define NOTHING(name, letter, argument, note) \
	{ name, letter, argument, PERFTEST_NOTHING, NULL, NULL, note }
#define DEVICE(name, argument, note) \
	{ name, 0, argument, PERFTEST_DEVICE, NULL, NULL, note }
#define OTHER(name, letter, argument, note) \
	{ name, letter, argument, PERFTEST_OTHER_TOOL, NULL, NULL, note }

#define RAW_ETHERNET "raw Ethernet: use perftest's raw_ethernet_bw"
#define ENCRYPTION "encryption by the device: use perftest"
#define GPU_MEMORY \
	"verbsperf has no memory of accelerators but that of CUDA and HIP"
#define GPU_PLAIN "verbsperf has only what cuMemAlloc and hipMalloc allocate"

// clang-format off
const struct perftest_option perftest_options[] = {
	/* device and connection */
	SAME("ib-dev", 'd', "DEVICE", "device"),
	SAME("ib-port", 'i', "N", "ib-port"),
	SAME("port", 'p', "N", "port"),
	SAME("gid-index", 'x', "N", "gid-index"),
	SAME("bind_source_ip", 0, "ADDRESS", "bind"),
	SAME("source_ip", 'j', "ADDRESS", "bind"),
	SAME("pkey_index", 0, "N", "pkey-index"),
	NOTHING("ipv6-addr", 0, NULL,
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
	OTHER("dualport", 'O', NULL, "run one test for each port"),
	OTHER("report-per-port", 0, NULL, "run one test for each port"),

	/* what is sent */
	OWN("size", 's', "BYTES", "size",
	    "message size; no effect on atomics, which have 8 bytes"),
	SAME("all", 'a', NULL, "all"),
	OWN("iters", 'n', "N", "iterations",
	    "number of messages; no effect with -D"),
	OWN("duration", 'D', "SECONDS", "duration",
	    "length of the measurement"),
	OWN("margin", 'f', "SECONDS", "warmup",
	    "time at the beginning that is not measured"),
	OWN("run_infinitely", 0, NULL, "duration",
	    "run for a day; print the rate every -D seconds to standard error"),
	SAME("connection", 'c', "TYPE", "transport"),
	SAME("atomic_type", 'A', "TYPE", "atomic-type"),
	SAME("bidirectional", 'b', NULL, "bidirectional"),
	SAME("reversed", 0, NULL, "reversed"),
	SAME("write_with_imm", 0, NULL, "imm"),
	SAME("send_with_imm", 0, NULL, "imm"),
	SAME("inline_size", 'I', "BYTES", "inline"),
	SAME("outs", 'o', "N", "outstanding-reads"),
	SAME("mtu", 'm', "BYTES", "mtu"),
	SAME("sl", 'S', "N", "sl"),
	SAME("tclass", 0, "N", "tclass"),
	OWN("tos", 'T', "N", "tclass",
	    "traffic class; with -R it is rdma_cm's type of service, too"),
	SAME("flow_label", 0, "LIST", "flow-label"),
	SAME("hop_limit", 'L', "N", "hop-limit"),
	SAME("qp-timeout", 'u', "N", "qp-timeout"),
	SAME("retry_count", 0, "N", "retry-count"),
	OTHER("payload_file_path", 0, "FILE",
	      "messages are random, or a pattern with --data_validation"),
	SET("mcg", 'g', "mcast", "auto"),
	SAME("MGID", 'M', "GID", "mcast"),
	OTHER("connectionless", 0, NULL,
	      "the ends of verbsperf exchange their parameters"),
	DEVICE("unsolicited_write", NULL, "unsolicited receives of SRD"),

	/* queues, posting, polling */
	SAME("qp", 'q', "N", "qps"),
	SAME("tx-depth", 't', "N", "tx-depth"),
	SAME("rx-depth", 'r', "N", "rx-depth"),
	SAME("cq-mod", 'Q', "N", "cq-mod"),
	SAME("post_list", 'l', "N", "post-list"),
	SAME("recv_post_list", 0, "N", "recv-post-list"),
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
	DEVICE("no_enhanced_reorder", NULL, "enhanced reordering"),
	DEVICE("use_ooo", NULL, "out-of-order delivery"),
	DEVICE("congest_type", "TYPE", "a choice of congestion control"),
	DEVICE("log_dci_streams", "N", "streams of DC"),
	DEVICE("log_active_dci_streams", "N", "streams of DC"),

	/* memory and CPUs */
	SAME("use_hugepages", 0, NULL, "hugepages"),
	SAME("odp", 0, NULL, "odp"),
	SAME("pin_cores", 0, "LIST", "cpus"),
	SAME("numa_node", 0, "N", "numa"),
	SET("disable_numa", 0, "numa", "none"),
	OWN("disable_pcie_relaxed", 0, NULL, NULL,
	    "PCIe may not reorder writes to memory, the default of "
	    "verbsperf's own options"),
	DEVICE("use-null-mr", NULL, "null memory regions"),
	DEVICE("tph_mem", "TYPE", "TLP processing hints"),
	DEVICE("cpu_id", "N", "TLP processing hints"),
	DEVICE("ph", "N", "TLP processing hints"),
	OWN("mmap", 0, "FILE", "memory",
	    "put messages into this file, which they overwrite"),
	OWN("mmap-offset", 0, "N", "memory", "where in the file, in bytes"),
	OWN("use_cuda", 0, "N", "memory",
	    "put messages into the memory of this NVIDIA GPU"),
	OTHER("use_cuda_bus_id", 0, "ID", "use --use_cuda and its number"),
	NOTHING("use_cuda_dmabuf", 0, NULL,
		"GPU memory is a dma-buf wherever that works"),
	OTHER("use_cuda_pcie_mapping", 0, NULL, GPU_PLAIN),
	OTHER("use_data_direct", 0, NULL, GPU_PLAIN),
	OTHER("cuda_mem_type", 0, "TYPE", GPU_PLAIN),
	OTHER("use_musa", 0, "N", GPU_MEMORY),
	OTHER("use_musa_bus_id", 0, "ID", GPU_MEMORY),
	OTHER("use_musa_dmabuf", 0, NULL, GPU_MEMORY),
	OTHER("use_musa_pcie_mapping", 0, NULL, GPU_MEMORY),
	OWN("use_rocm", 0, "N", "memory",
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
	OTHER("gpu_touch", 0, "TYPE", GPU_PLAIN),

	/* rates */
	OWN("rate_limit", 0, "RATE", "rate", "maximum rate, in --rate_units"),
	OWN("rate_units", 0, "M|g|p", "rate",
	    "unit of --rate_limit: MiB/s, Gb/s (default) or messages per second"),
	OWN("rate_limit_type", 0, "HW|SW|PP", "pacing",
	    "SW (default): the loop limits the rate; HW or PP: the device "
	    "limits it for each queue pair, or is refused"),
	SAME("burst_size", 0, "N", "burst"),
	DEVICE("typical_pkt_size", "BYTES", "packet pacing"),

	/* reports */
	SAME("report_gbits", 0, NULL, "report-gbits"),
	OWN("output", 0, "bandwidth|message_rate|latency", "format",
	    "print only that number"),
	OWN("out_json", 0, NULL, "json", "write perftest's JSON as well"),
	OWN("out_json_file", 0, "FILE", "json",
	    "file that --out_json writes (default perftest_out.json)"),
	OWN("limit_bw", 'w', "RATE", "min-gbps",
	    "minimum bandwidth, in the unit of the table"),
	OWN("limit_msgrate", 'y', "MPPS", "min-mpps", "minimum message rate"),
	OWN("report-histogram", 'H', NULL, "samples", "print all samples, sorted"),
	OWN("report-histogrm", 0, NULL, "samples", "print all samples, sorted"),
	OWN("report-unsorted", 'U', NULL, "samples",
	    "print all samples, in the order measured"),
	SAME("data_validation", 0, NULL, "verify"),
	SAME("data_validation_debug", 0, NULL, "verify"),
	OWN("report-both", 0, NULL, NULL,
	    "each direction of -b, which verbsperf's own table always has"),
	NOTHING("report-cycles", 'C', NULL, "times are in microseconds"),
	NOTHING("noPeak", 'N', NULL, "measuring the peak costs nothing"),
	NOTHING("CPU-freq", 'F', NULL, "the clock is not the CPU's frequency"),
	OWN("cpu_util", 0, NULL, "cpu",
	    "print how busy all CPUs of the host were; only with -D"),
	OWN("report-counters", 'W', "LIST", "counters",
	    "print how these counters of this end changed: counters/NAME,hw_counters/NAME"),

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

const char *perftest_class_name(enum perftest_class class)
{
	static const char *const names[PERFTEST_CLASSES] = {
		[PERFTEST_SAME] = "same",
		[PERFTEST_NOTHING] = "nothing",
		[PERFTEST_DEVICE] = "device",
		[PERFTEST_OTHER_TOOL] = "other",
	};

	return names[class];
}

const struct perftest_option *perftest_find(const char *name)
{
	for (size_t i = 0; i < perftest_option_count; i++)
		if (!strcmp(perftest_options[i].name, name))
			return &perftest_options[i];
	return NULL;
}

const struct perftest_option *perftest_find_letter(char letter)
{
	for (size_t i = 0; letter && i < perftest_option_count; i++)
		if (perftest_options[i].letter == letter)
			return &perftest_options[i];
	return NULL;
}
