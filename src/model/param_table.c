/* The table of all options. */
#include "config.h"
#include "model/param.h"

#include "base/time.h"
#include "model/inject.h"
#include "traffic/clock.h"

/* A field and its kind.  It does not compile if the field's C type is not that
 * of the kind. */
#define FIELD(value, type, field) \
	.kind = value, \
	.offset = offsetof(struct parameters, field) + \
		0 * sizeof(char[_Generic(((struct parameters *)NULL)->field, \
					 type: 1)])
#define FLAG(field) FIELD(PARAM_FLAG, bool, field), .max = 1
#define NUMBER(field) FIELD(PARAM_NUMBER, uint32_t, field)
#define AUTO(field) FIELD(PARAM_AUTO_NUMBER, uint32_t, field)
#define COUNT(field) FIELD(PARAM_COUNT, uint64_t, field)
#define BYTES(field) FIELD(PARAM_BYTES, uint64_t, field)
#define TIME(field) FIELD(PARAM_TIME, uint64_t, field)
#define SIZES(field) FIELD(PARAM_SIZES, struct sizes, field)
#define STRING(field) FIELD(PARAM_STRING, const char *, field)
#define CHOICE(field) FIELD(PARAM_CHOICE, uint32_t, field)
#define PERCENTILES(field) \
	FIELD(PARAM_PERCENTILES, struct percentiles, field)
#define CPUS(field) FIELD(PARAM_CPUS, struct cpus, field)
#define RATE(field) FIELD(PARAM_RATE, uint64_t, field)
#define LABELS(field) FIELD(PARAM_LABELS, struct labels, field)
#define MCAST(field) FIELD(PARAM_MCAST, struct mcast, field)
#define NETWORKS(field) FIELD(PARAM_NETWORKS, struct networks, field)
#define LIMIT(kind) FIELD(PARAM_LIMIT, struct limit, limits[kind])
#define NODE(field) FIELD(PARAM_NODE, uint32_t, field)
#define COUNTERS(field) FIELD(PARAM_COUNTERS, struct counter_choice, field)
#define COUNTER_LIMITS(field) \
	FIELD(PARAM_COUNTER_LIMITS, struct counter_limits, field)
#define MEMORY(field) FIELD(PARAM_MEMORY, struct memory_choice, field)
/* The client gives it, for both ends. */
#define CLIENT_PLAN (PARAM_CLIENT | PARAM_PLAN)

// clang-format off
const struct param param_table[] = {
	{
		.name = "device", .letter = 'd',
		STRING(device),
		.argument = "NAME",
		.who = PARAM_ANY | PARAM_WATCH, .group = GROUP_CONNECTION,
		.help = "RDMA device [the first with an active port]",
		.description =
		"RDMA device to use. Default: the first one with an active "
		"port; all of them for devices and watch.",
	},
	{
		.name = "ib-port", .letter = 'i',
		AUTO(ib_port), .min = 1, .max = 255,
		.initial = "auto", .argument = "N",
		.who = PARAM_ANY | PARAM_WATCH, .group = GROUP_CONNECTION,
		.help = "port of the device [the first active one]",
		.description =
		"Port of the device. Default: the first active one; all of "
		"them for devices and watch.",
	},
	{
		.name = "gid-index", .letter = 'x',
		AUTO(gid_index), .min = 0, .max = 255,
		.initial = "auto", .argument = "N",
		.who = PARAM_ANY, .group = GROUP_CONNECTION,
		.help = "index of the source GID [chosen to fit the peer's]",
		.description =
		"Use the GID at this index, and no other. On InfiniBand this "
		"also sends a GRH. Default: see 'PATH SELECTION' in "
		"verbsperf-measurement(7).",
	},
	{
		.name = "port", .letter = 'p',
		NUMBER(port), .min = 0, .max = 65535,
		.initial = "18515", .argument = "N",
		.who = PARAM_BOTH | PARAM_CONTROL, .group = GROUP_CONNECTION,
		.control = PARAM_ON(CONNECT),
		.help = "TCP port; 0 on a server: any free one",
		.description =
		"TCP port of the server. With 0 a server takes any free port "
		"and prints which.",
	},
	{
		.name = "bind",
		STRING(bind),
		.argument = "ADDRESS",
		.who = PARAM_BOTH | PARAM_CONTROL, .group = GROUP_CONNECTION,
		.control = PARAM_ON(CONNECT),
		.help = "local address to bind or to connect from",
		.description =
		"Local address to connect from, or to listen on. A client "
		"then tries only the server's addresses of the same family. "
		"Default: any.",
	},
	{
		.name = "wait",
		TIME(wait), .min = 0, .max = 86400 * SECOND,
		.argument = "SECONDS", .implied = "60",
		.who = PARAM_CLIENT | PARAM_CONTROL, .group = GROUP_CONNECTION,
		.control = PARAM_ON(CONNECT),
		.help = "retry until the server is up [60 when given]",
		.description =
		"Keep trying to connect until the server is up, for 60 "
		"seconds unless SECONDS are given. A server whose queue of "
		"waiting clients is full is also tried again.",
	},
	{
		.name = "loopback",
		FLAG(loopback),
		.who = PARAM_CLIENT | PARAM_CONTROL, .group = GROUP_CONNECTION,
		.control = PARAM_ON(CONNECT),
		.help = "run both ends here, on one device",
		.description =
		"Run both ends on this machine, in two processes on different "
		"CPUs.",
	},
	{
		.name = "once",
		FLAG(once),
		.who = PARAM_SERVER, .group = GROUP_SERVER,
		.help = "serve one client, then exit",
		.description =
		"A server: serve one client, then exit with that client's "
		"exit status. A connection that never sends a test does not "
		"count.",
	},
	{
		.name = "parallel",
		NUMBER(parallel), .min = 1, .max = 256,
		.initial = "1", .argument = "N",
		.who = PARAM_SERVER, .group = GROUP_SERVER,
		.help = "clients served at once; others wait their turn",
		.description =
		"A server: serve this many clients at once, for instance to "
		"measure incast. Other clients wait, and are told how many "
		"are ahead of them. With --cpus the threads of every client "
		"run on the same CPUs.",
	},
	{
		.name = "allow",
		NETWORKS(allow),
		.argument = "LIST",
		.who = PARAM_SERVER, .group = GROUP_SERVER,
		.help = "clients' networks: 10.0.0.0/8,::1 [any]",
		.description =
		"A server: accept only clients from these IP addresses and "
		"networks, at most 64, for instance "
		"10.0.0.0/8,192.0.2.7,2001:db8::/32. Bits after the prefix "
		"must be zero. ::/0 matches all of IPv6 and nothing of IPv4. "
		"Default: everybody.",
	},
	{
		.name = "allow-inject",
		FLAG(allow_inject),
		.who = PARAM_SERVER | PARAM_HIDDEN, .group = GROUP_SERVER,
		.help = "let clients provoke faults",
		.description =
		"A server: let clients provoke faults with --inject; see "
		"'SELF-TEST' in verbsperf-measurement(7). Without it the "
		"server refuses them.",
	},
	{
		.name = "max-memory",
		BYTES(max_memory), .min = 1, .max = UINT64_MAX,
		.initial = "4G", .argument = "BYTES",
		.who = PARAM_SERVER, .group = GROUP_SERVER,
		.help = "maximum memory of a client's test",
		.description =
		"A server: refuse a test that needs more memory, for messages "
		"and queues together. What the driver needs for queues is "
		"estimated, too high rather than too low: 16 KiB for each "
		"queue pair; for each entry of a send queue 512 bytes and "
		"twice the inline size; for each entry of a receive queue 256 "
		"bytes; for each entry of a completion queue 128 bytes. The "
		"refusal says how much each part needs. A test of 1,024 queue "
		"pairs with default size and depths needs less than 1G. With "
		"--parallel the limit applies to each client.",
	},
	{
		.name = "key-file",
		STRING(key_file),
		.argument = "FILE",
		.who = PARAM_BOTH | PARAM_CONTROL, .group = GROUP_CONNECTION,
		.control = PARAM_ON(CONNECT),
		.help = "shared key, which both ends must have",
		.description =
		"A key that both ends must have. They prove it to each other "
		"before anything else, and encrypt the rest of the TCP "
		"connection with it. If the keys differ, or only one end has "
		"one, both ends refuse. The key is the whole FILE without a "
		"newline at its end, 16 to 4,096 bytes. FILE must be a "
		"regular file owned by this user or root; only its owner may "
		"write it, only its owner and group may read it. A server "
		"reads it again for each client. With --loopback both ends "
		"use the same key. See 'SECURITY'.",
	},
	{
		.name = "max-qps",
		NUMBER(max_qps), .min = 1, .max = 16384,
		.initial = "16384", .argument = "N",
		.who = PARAM_SERVER, .group = GROUP_SERVER,
		.help = "maximum queue pairs of a client",
		.description =
		"A server: refuse a test with more queue pairs.",
	},
	{
		.name = "max-duration",
		TIME(max_duration), .min = SECOND, .max = 7 * 86400 * SECOND,
		.argument = "SECONDS",
		.who = PARAM_SERVER, .group = GROUP_SERVER,
		.help = "longest turn of a client [4 times its own + 10m]",
		.description =
		"A server: refuse a test that takes longer than this by its "
		"--duration, --warmup and --hold over all sizes, and end a "
		"test that does. A process that has not ended 10 seconds later "
		"is killed, and the next client has its turn even if the "
		"kernel keeps the process. Default: 10 minutes more than four "
		"times what --duration, --warmup and --hold of the test add up "
		"to, as the client's clock may be slow. How long --iterations "
		"take is not known in advance; a test of more than 10 minutes "
		"needs a server with a higher limit.",
	},
	{
		.name = "idle-timeout",
		TIME(idle_timeout), .min = 2 * SECOND, .max = 3600 * SECOND,
		.initial = "10", .argument = "SECONDS",
		.who = PARAM_SERVER, .group = GROUP_SERVER,
		.help = "drop a client that is silent for this long",
		.description =
		"A server: drop a client that stays silent for this long, "
		"before or during its turn, whatever --timeout it asks for. A "
		"client sends a sign of life every second, also while it "
		"registers memory or makes queue pairs.",
	},
	{
		.name = "ready-fd",
		NUMBER(ready_fd), .min = 3, .max = 65535,
		.argument = "N",
		.who = PARAM_SERVER, .group = GROUP_SERVER,
		.help = "file descriptor to write the TCP port to",
		.description =
		"A server: when it listens, write the TCP port and a newline "
		"to file descriptor N, then close it.",
	},
	{
		.id = 1, .name = "size", .letter = 's',
		SIZES(plan.sizes), .min = 0, .max = 1ULL << 31,
		.argument = "BYTES",
		.who = CLIENT_PLAN | PARAM_CHECK | PARAM_CONTROL,
		.control = PARAM_ON(REG_MR) | PARAM_ON(POST_POLL),
		.tests = "BL BL BL --",
		.help = "message size: 64, 4K,1M, 2..8M [bw 64K, lat 2]",
		.description =
		"Message size. Several sizes are measured one after the other "
		"over the same connection: a list (64,4K) or a range that "
		"doubles (2..8M). A size may be 0 (write_lat without --imm: "
		"1) up to the largest message of the port, or up to the MTU "
		"over UD. Atomics always have 8 bytes. Default: 64K for "
		"bandwidth, 1K over UD; 2 for latency. reg_mr: memory to "
		"register, by default 4K; post_poll: 64.",
	},
	{
		.id = 2, .name = "iterations", .letter = 'n',
		COUNT(plan.iterations), .min = 1, .max = 1000000000000,
		.argument = "N",
		.who = CLIENT_PLAN | PARAM_CONTROL,
		.help = "measure exactly N messages per QP",
		.description =
		"Measure exactly N messages on each queue pair, instead of "
		"for a --duration. A test of the control path: N operations "
		"of each thread.",
	},
	{
		.id = 3, .name = "duration", .letter = 'D',
		TIME(plan.duration), .min = 0, .max = PLAN_LONGEST,
		.initial = "3", .argument = "SECONDS",
		.who = CLIENT_PLAN | PARAM_WATCH | PARAM_CONTROL,
		.help = "length of the measurement",
		.description =
		"How long to measure each size. For watch, how long to watch; "
		"by default until it is stopped.",
	},
	{
		.id = 4, .name = "warmup",
		TIME(plan.warmup), .min = 0, .max = 3600 * SECOND,
		.initial = "0.2", .argument = "SECONDS",
		.who = CLIENT_PLAN | PARAM_CONTROL,
		.help = "traffic before the measurement",
		.description =
		"How long to run traffic before the measurement begins.",
	},
	{
		.id = 5, .name = "timeout",
		TIME(plan.timeout), .min = SECOND, .max = 3600 * SECOND,
		.initial = "10", .argument = "SECONDS",
		.who = PARAM_BOTH | PARAM_PLAN | PARAM_CONTROL,
		.control = PARAM_ON(POST_POLL) | PARAM_ON(MW_BIND) |
			   PARAM_ON(CONNECT),
		.help = "give up after this long without progress",
		.description =
		"Give up when nothing completes, or nothing is heard from the "
		"other end or from a name server, for this long. An end that "
		"is still registering memory or making queue pairs says so "
		"every second, and may take as long as its plan can need. "
		"Until a client has sent its plan, the server's own value "
		"applies.",
	},
	{
		.id = 6, .name = "qps", .letter = 'q',
		NUMBER(plan.qps), .min = 1, .max = 16384,
		.initial = "1", .argument = "N",
		.who = CLIENT_PLAN | PARAM_CHECK,
		.tests = "B- B- B- B-",
		.help = "queue pairs, for bandwidth",
		.description =
		"Number of queue pairs. Bandwidth only.",
	},
	{
		.id = 7, .name = "tx-depth", .letter = 't',
		AUTO(plan.tx_depth), .min = 1, .max = 65536,
		.initial = "auto", .argument = "N",
		.who = CLIENT_PLAN | PARAM_CONTROL,
		.control = PARAM_ON(CREATE_QP) | PARAM_ON(CREATE_CQ) |
			   PARAM_ON(QP_SETUP),
		.help = "sends outstanding per QP [bw 128 to 512, lat 8]",
		.description =
		"Sends outstanding on each queue pair. Default for latency: "
		"8. Default for bandwidth: 128, or up to 512 on a link that "
		"carries more than three quarters of 128 messages in 10 us, "
		"so that the device still has work while a distant "
		"acknowledgement is on its way; but never more than 32 MiB, "
		"than both devices can, and less with thousands of queue "
		"pairs. The JSON has the number used, and a line below the "
		"table says when it was too small; see 'Send queue' in "
		"verbsperf-measurement(7). A test of the control path: "
		"entries of each queue, by default 128.",
	},
	{
		.id = 8, .name = "rx-depth", .letter = 'r',
		AUTO(plan.rx_depth), .min = 1, .max = 65536,
		.initial = "auto", .argument = "N",
		.who = CLIENT_PLAN | PARAM_CONTROL,
		.tests = "BL bl -- --",
		.control = PARAM_ON(CREATE_QP) | PARAM_ON(QP_SETUP),
		.help = "receives posted per QP [bw 512 or fewer, lat 16]",
		.description =
		"Receives posted on each queue pair, for send and for write "
		"with --imm. Default: 512, or as many as both completion "
		"queues can hold; 16 for latency.",
	},
	{
		.id = 9, .name = "cq-mod", .letter = 'Q',
		AUTO(plan.cq_mod), .min = 1, .max = 65536,
		.initial = "auto", .argument = "N",
		.who = CLIENT_PLAN,
		.tests = "BL BL B- B-",
		.help = "messages per send completion [a quarter of -t]",
		.description =
		"Request one send completion for every N messages. Default: a "
		"quarter of --tx-depth, at most 100, and at least one for "
		"every MiB over all queue pairs. With several queue pairs and "
		"--iterations, at least 256 completions over the run; with "
		"--rate at least one every 10 ms. The JSON has the number "
		"used.",
	},
	{
		.id = 10, .name = "mtu", .letter = 'm',
		AUTO(plan.mtu), .min = 256, .max = 4096,
		.initial = "auto", .argument = "BYTES",
		.who = CLIENT_PLAN | PARAM_CHECK | PARAM_CONTROL,
		.control = PARAM_ON(QP_SETUP) | PARAM_ON(POST_POLL),
		.help = "path MTU [the smaller of both active ones]",
		.description =
		"Path MTU: 256, 512, 1024, 2048 or 4096. Default: the smaller "
		"active MTU of both ports.",
	},
	{
		.id = 11, .name = "outstanding-reads", .letter = 'o',
		AUTO(plan.outstanding_reads), .min = 1, .max = 255,
		.initial = "auto", .argument = "N",
		.who = CLIENT_PLAN,
		.tests = "-- -- BL BL",
		.help = "outstanding reads, atomics per QP [most possible]",
		.description =
		"RDMA reads or atomics outstanding on each queue pair. "
		"Default: as many as the device that reads can start and the "
		"other device can answer. With --bidirectional each direction "
		"has its own number.",
	},
	{
		.id = 12, .name = "qp-timeout", .letter = 'u',
		AUTO(plan.qp_timeout), .min = 0, .max = 31,
		.initial = "auto", .argument = "N",
		.who = CLIENT_PLAN,
		.help = "ACK timeout, 4.096 us x 2^N; 0: never",
		.description =
		"RC: ACK timeout of the queue pairs, 4.096 us x 2^N. With 0 "
		"the device waits for ever, until --timeout ends the test. "
		"Default: 14, which is 67 ms; on a link below 32 Gb/s up to "
		"18, which is 1.07 s, because there an ACK may have to wait "
		"for everything outstanding. With the default --retry-count "
		"the device waits 7 times as long before it gives up, and "
		"some devices wait up to four times longer than asked. The "
		"JSON has the number used.",
	},
	{
		.id = 13, .name = "sl", .letter = 'S',
		NUMBER(plan.sl), .min = 0, .max = 15,
		.initial = "0", .argument = "N",
		.who = CLIENT_PLAN | PARAM_CHECK | PARAM_CONTROL,
		.control = PARAM_ON(CREATE_AH) | PARAM_ON(QP_SETUP) |
			   PARAM_ON(POST_POLL),
		.help = "service level",
		.description =
		"Service level.",
	},
	{
		.id = 14, .name = "walk",
		BYTES(plan.walk), .min = 0, .max = 1ULL << 31,
		.initial = "4K", .argument = "BYTES",
		.who = CLIENT_PLAN,
		.tests = "B- B- B- B-",
		.help = "buffer that messages step through, per QP",
		.description =
		"Bandwidth: the buffer of each queue pair, through which its "
		"messages step in whole cache lines, so that they do not all "
		"hit the same one. A message larger than the buffer always "
		"uses the same place.",
	},
	{
		.id = 15, .name = "post-list", .letter = 'l',
		NUMBER(plan.post_list), .min = 1, .max = 1024,
		.initial = "1", .argument = "N",
		.who = CLIENT_PLAN,
		.tests = "B- B- B- B-",
		.help = "work requests posted per call",
		.description =
		"Bandwidth: post N sends with one call, at most --tx-depth. "
		"Fewer are posted when messages are so large or so few that "
		"less is outstanding; the JSON has the number used. "
		"Completions are requested at fixed places of the list: one "
		"for several lists, or several in each.",
	},
	{
		.id = 16, .name = "post",
		CHOICE(plan.post), .min = 0, .max = POST_METHODS - 1,
		.initial = "auto", .argument = "auto|wr|legacy",
		.who = CLIENT_PLAN | PARAM_CONTROL,
		.control = PARAM_ON(POST_POLL),
		.help = "ibv_wr_* where supported, or ibv_post_send",
		.description =
		"How sends are posted: wr with ibv_wr_start(3) and its "
		"companions, legacy with ibv_post_send(3), auto with wr if "
		"the driver has it. Messages of several entries (--sge) are "
		"posted by ibv_post_send(3) unless wr is given, because "
		"Soft-RoCE's library, in rdma-core until 2026, counts their "
		"bytes wrongly.",
	},
	{
		.id = 17, .name = "threads",
		NUMBER(plan.threads), .min = 1, .max = CPUS_MAX,
		.initial = "1", .argument = "N",
		.who = CLIENT_PLAN | PARAM_CONTROL,
		.tests = "B- B- B- B-",
		.help = "threads sharing the QPs, each with its own CQ",
		.description =
		"Bandwidth: spread the queue pairs over N threads, at most "
		"--qps. Each thread has its own completion queue. A test of "
		"the control path: N threads at once.",
	},
	{
		.id = 18, .name = "round-trip",
		FLAG(plan.round_trip),
		.who = CLIENT_PLAN,
		.tests = "-L -L -- --",
		.help = "report the full round trip of a ping-pong",
		.description =
		"Ping-pong (send_lat, write_lat): report the full round trip "
		"instead of half of it.",
	},
	{
		.id = 19, .name = "transport", .letter = 'c',
		CHOICE(plan.transport), .min = 0, .max = TRANSPORTS - 1,
		.initial = "RC", .argument = TRANSPORT_WORDS,
		.who = CLIENT_PLAN | PARAM_CONTROL,
		.tests = "BL BL BL BL",
		.control = PARAM_ON(CREATE_QP) | PARAM_ON(QP_SETUP) |
			   PARAM_ON(POST_POLL),
		.help = "transport of the queue pairs",
		.description =
		"Transport of the queue pairs. Send has all of them, write all "
		"but UD, read and atomic have RC and XRC only. See "
		"'TRANSPORTS' in verbsperf-measurement(7).",
	},
	{
		.id = 20, .name = "bidirectional", .letter = 'b',
		FLAG(plan.bidirectional),
		.who = CLIENT_PLAN,
		.tests = "B- B- B- B-",
		.help = "both ends send at once, for bandwidth",
		.description =
		"Bandwidth: both ends send at once. The rates are the sum of "
		"both directions.",
	},
	{
		.id = 21, .name = "reversed",
		FLAG(plan.reversed),
		.who = CLIENT_PLAN,
		.tests = "B- B- B- B-",
		.help = "the server sends, for bandwidth",
		.description =
		"Bandwidth: the ends change places, so that the server sends, "
		"reads or does the atomics.",
	},
	{
		.id = 22, .name = "imm",
		FLAG(plan.imm),
		.who = CLIENT_PLAN,
		.tests = "BL BL -- --",
		.help = "write or send with immediate data",
		.description =
		"Write or send with immediate data. A write then uses up a "
		"receive at the other end, which waits for its completion "
		"instead of watching memory.",
	},
	{
		.id = 23, .name = "atomic-type", .letter = 'A',
		CHOICE(plan.atomic), .min = 0, .max = ATOMIC_TYPES - 1,
		.initial = "FETCH_AND_ADD",
		.argument = "FETCH_AND_ADD|CMP_AND_SWAP",
		.who = CLIENT_PLAN,
		.tests = "-- -- -- BL",
		.help = "which atomic operation",
		.description =
		"Which atomic operation to use.",
	},
	{
		.id = 24, .name = "all", .letter = 'a',
		FLAG(plan.all),
		.who = CLIENT_PLAN | PARAM_CONTROL,
		.control = PARAM_ON(REG_MR),
		.tests = "BL BL BL --",
		.help = "all sizes from 2 to 8M; UD: to the MTU",
		.description =
		"All sizes from 2 bytes to 8 MiB that are powers of two; over "
		"UD up to the MTU. reg_mr: from 4K to 1G, or as far as "
		"memory allows. Not with --size, and not for atomics.",
	},
	{
		.id = 25, .name = "inline", .letter = 'I',
		AUTO(plan.inline_size), .min = 0, .max = 65536,
		.initial = "auto", .argument = "BYTES",
		.who = CLIENT_PLAN | PARAM_CONTROL,
		.tests = "BL BL -- --",
		.control = PARAM_ON(CREATE_QP) | PARAM_ON(POST_POLL),
		.help = "largest inline message [bw 0, lat up to 256]",
		.description =
		"Send and write: copy messages of up to this size into the "
		"work request, so that the device need not fetch them from "
		"memory. A device that refuses is asked for half as much "
		"until it agrees; the JSON has what it granted. Default: 0 "
		"for bandwidth; for latency as much as the messages need and "
		"the device has.",
	},
	{
		.id = 26, .name = "recv-post-list",
		NUMBER(plan.recv_post_list), .min = 1, .max = 1024,
		.initial = "1", .argument = "N",
		.who = CLIENT_PLAN,
		.tests = "B- b- -- --",
		.help = "receives posted per call",
		.description =
		"Bandwidth: post N receives with one call, for send and for "
		"write with --imm.",
	},
	{
		.id = 27, .name = "srq",
		FLAG(plan.srq),
		.who = CLIENT_PLAN,
		.tests = "BL bl -- --",
		.help = "shared receive queue, of --rx-depth",
		.description =
		"All queue pairs of a thread take their receives from one "
		"shared receive queue of --rx-depth entries, for send and for "
		"write with --imm. Over XRC they always do.",
	},
	{
		.id = 28, .name = "events", .letter = 'e',
		FLAG(plan.events),
		.who = CLIENT_PLAN | PARAM_CHECK,
		.tests = "BL Bl BL BL",
		.help = "wait for completion events, do not poll",
		.description =
		"Sleep until the device reports a completion, instead of "
		"polling: less CPU time, more latency. write_lat needs --imm "
		"for it.",
	},
	{
		.id = 29, .name = "rate",
		RATE(plan.rate), .min = 0, .max = RATE_MAX,
		.argument = "GBPS|MPPS",
		.who = CLIENT_PLAN,
		.tests = "BL BL BL B-",
		.help = "rate limit: 10, 2.5Gb/s, 1.2Mpps; lat: open loop",
		.description =
		"Send no faster than this. Either bits of payload per second "
		"(10, 2.5Gb/s, 900Mbps; Gb/s if there is no unit), bytes "
		"(1.25GB/s, 300MBps, 2GiB/s: b is bits, B is bytes) or "
		"messages (1.2Mpps, 350kpps, 5000pps), at most 10^6 Gb/s or "
		"Mpps. Bandwidth: all queue pairs "
		"share the rate, and with --bidirectional each direction has "
		"it; a result that misses it says so. For write_lat, send_lat "
		"and read_lat it makes the test an open loop; see 'OPEN "
		"LOOP' in verbsperf-measurement(7). Default: as fast as "
		"possible.",
	},
	{
		.id = 30, .name = "burst",
		NUMBER(plan.burst), .min = 1, .max = 65536,
		.initial = "1", .argument = "N",
		.who = CLIENT_PLAN,
		.tests = "B- B- B- B-",
		.help = "messages sent back to back at --rate",
		.description =
		"Bandwidth with --rate: send N messages back to back, then "
		"pause N times as long.",
	},
	{
		.id = 31, .name = "arrival",
		CHOICE(plan.arrival), .min = 0, .max = ARRIVALS - 1,
		.initial = "fixed", .argument = "fixed|poisson",
		.who = CLIENT_PLAN,
		.tests = "-L -L -L --",
		.help = "spacing of operations, open loop",
		.description =
		"Open loop: spacing of the operations, equal (fixed) or "
		"exponentially distributed (poisson).",
	},
	{
		.id = 32, .name = "depth",
		NUMBER(plan.open_depth), .min = 1, .max = 1024,
		.initial = "64", .argument = "N",
		.who = CLIENT_PLAN,
		.tests = "-L -L -L --",
		.help = "operations in flight, open loop",
		.description =
		"Open loop: at most N operations in flight.",
	},
	{
		.id = 33, .name = "tclass",
		NUMBER(plan.tclass), .min = 0, .max = 255,
		.initial = "0", .argument = "N",
		.who = CLIENT_PLAN | PARAM_CHECK | PARAM_CONTROL,
		.control = PARAM_ON(CREATE_AH) | PARAM_ON(QP_SETUP) |
			   PARAM_ON(POST_POLL),
		.help = "traffic class in the GRH or IP header",
		.description =
		"Traffic class in the GRH, or in the IP header of RoCE v2. "
		"Not with --dscp. On InfiniBand it needs a GRH: see "
		"--gid-index.",
	},
	{
		.id = 34, .name = "dscp",
		AUTO(plan.dscp), .min = 0, .max = 63,
		.initial = "auto", .argument = "N",
		.who = CLIENT_PLAN | PARAM_CHECK | PARAM_CONTROL,
		.control = PARAM_ON(CREATE_AH) | PARAM_ON(QP_SETUP) |
			   PARAM_ON(POST_POLL),
		.help = "DSCP: upper 6 bits of the traffic class",
		.description =
		"The upper six bits of the traffic class: --dscp 26 is "
		"--tclass 104. On InfiniBand it needs a GRH: see --gid-index.",
	},
	{
		.id = 35, .name = "flow-label",
		LABELS(plan.flow_labels),
		.argument = "LIST",
		.who = CLIENT_PLAN | PARAM_CONTROL,
		.control = PARAM_ON(CREATE_AH) | PARAM_ON(QP_SETUP) |
			   PARAM_ON(POST_POLL),
		.help = "flow labels, one per QP in turn",
		.description =
		"Flow labels, at most 64, decimal or hexadecimal, each below "
		"2^20, for instance 1,2,0x3a. The queue pairs take them in "
		"turn. RoCE v2 derives its UDP source port from the flow "
		"label, and switches choose among paths by that port. On "
		"InfiniBand it needs a GRH: see --gid-index. Default: 0.",
	},
	{
		.id = 36, .name = "hop-limit",
		NUMBER(plan.hop_limit), .min = 1, .max = 255,
		.initial = "64", .argument = "N",
		.who = CLIENT_PLAN | PARAM_CONTROL,
		.control = PARAM_ON(CREATE_AH) | PARAM_ON(QP_SETUP) |
			   PARAM_ON(POST_POLL),
		.help = "hop limit, or TTL",
		.description =
		"Hop limit in the GRH, or time to live in the IP header. On "
		"InfiniBand it needs a GRH: see --gid-index.",
	},
	{
		.id = 37, .name = "retry-count",
		NUMBER(plan.retry_count), .min = 0, .max = 7,
		.initial = "6", .argument = "N",
		.who = CLIENT_PLAN,
		.help = "retries when no ACK comes",
		.description =
		"RC: how often a message is sent again when no ACK comes in "
		"time.",
	},
	{
		.id = 38, .name = "rnr-retry",
		NUMBER(plan.rnr_retry), .min = 0, .max = 7,
		.initial = "7", .argument = "N",
		.who = CLIENT_PLAN,
		.tests = "BL bl -- --",
		.help = "RNR retries; 7: for ever",
		.description =
		"RC: how often a message is sent again when the other end has "
		"no receive posted for it. 7 means for ever, until --timeout "
		"ends the test.",
	},
	{
		.id = 39, .name = "min-rnr-timer",
		NUMBER(plan.min_rnr_timer), .min = 0, .max = 31,
		.initial = "12", .argument = "N",
		.who = CLIENT_PLAN,
		.tests = "BL bl -- --",
		.help = "RNR NAK timer, as a code; 12: 0.64 ms",
		.description =
		"RC: how long the sender waits before that, as InfiniBand's "
		"code: 1 is 0.01 ms, 12 is 0.64 ms, 31 is 491.52 ms, and 0 is "
		"the longest, 655.36 ms.",
	},
	{
		.id = 40, .name = "hugepages",
		FLAG(plan.hugepages),
		.who = CLIENT_PLAN | PARAM_CHECK,
		.help = "message buffers in huge pages",
		.description =
		"Put messages into huge pages of the kernel's default size, "
		"which must be there (sysctl vm.nr_hugepages).",
	},
	{
		.id = 41, .name = "mr-per-qp",
		FLAG(plan.mr_per_qp),
		.who = CLIENT_PLAN,
		.tests = "B- B- B- B-",
		.help = "a memory region for each QP",
		.description =
		"Give each queue pair a memory region of its own, instead of "
		"a part of one region.",
	},
	{
		.id = 42, .name = "relaxed-ordering",
		FLAG(plan.relaxed_ordering),
		.who = CLIENT_PLAN | PARAM_CHECK | PARAM_CONTROL,
		.control = PARAM_ON(REG_MR),
		.help = "PCIe may reorder writes to memory",
		.description =
		"Allow the PCIe bus to reorder what the device writes to "
		"memory. Devices that cannot do that ignore it.",
	},
	{
		.id = 43, .name = "odp",
		FLAG(plan.odp),
		.who = CLIENT_PLAN | PARAM_CHECK | PARAM_CONTROL,
		.control = PARAM_ON(REG_MR),
		.help = "on-demand paging, where supported",
		.description =
		"On-demand paging: memory is not pinned; the device asks for "
		"a page when it first needs it. Refused if the device lacks "
		"it for this operation and transport.",
	},
	{
		.id = 44, .name = "verify",
		FLAG(plan.verify),
		.who = CLIENT_PLAN,
		.help = "check every byte where it arrives",
		.description =
		"Check every byte where it arrives; see 'CHECKING THE DATA' "
		"in verbsperf-measurement(7).",
	},
	{
		.id = 45, .name = "interval",
		TIME(plan.interval), .min = SECOND / 100, .max = 3600 * SECOND,
		.argument = "SECONDS",
		.who = CLIENT_PLAN | PARAM_CONTROL,
		.tests = "B- B- B- B-",
		.help = "print the rate this often, on stderr",
		.description =
		"Bandwidth: print the rate this often to standard error while "
		"the test runs, and make the intervals of the JSON this long. "
		"A row that standard error does not take at once is left out. "
		"Without it intervals are 100 ms or a thirtieth of the run, "
		"whichever is longer, and on a terminal a line shows the "
		"progress: the size and how many there are, the seconds left, "
		"and the rate or mean latency of the last half second. Not "
		"with --reversed for read, atomic and a plain write, where "
		"nothing tells the client what arrives.",
	},
	{
		.id = 46, .name = "check",
		FLAG(plan.check),
		.who = CLIENT_PLAN,
		.help = "compare both ends side by side, then exit",
		.description =
		"Compare both ends, without a test; see 'Checking both ends'.",
	},
	{
		.id = 47, .name = "inject",
		CHOICE(plan.inject), .min = 0, .max = INJECT_COUNT - 1,
		.initial = "none", .argument = INJECT_WORDS,
		.who = CLIENT_PLAN | PARAM_HIDDEN,
		.help = "provoke this fault, to see how it is reported",
		.description =
		"Provoke this fault, to see what verbsperf says about it; "
		"'verbsperf faults' lists them. See 'SELF-TEST' in "
		"verbsperf-measurement(7).",
	},
	{
		.id = 48, .name = "perftest-defaults",
		FLAG(plan.perftest_defaults),
		.who = CLIENT_PLAN,
		.tests = "B- B- B- B-",
		.help = "use -t 128 -Q 100 where they are not given",
		.description =
		"Where --tx-depth and --cq-mod are not given, use perftest's: "
		"128 messages (at most 32 MiB) and one completion for every "
		"100 messages (or every MiB). An --mtu above the active MTU "
		"is reduced to it. Under the names of perftest's "
		"programs, such as ib_write_bw, this is the default.",
	},
	{
		.id = 49, .name = "rdma-cm",
		FLAG(plan.rdma_cm),
		.who = CLIENT_PLAN | PARAM_CONTROL,
		.control = PARAM_ON(CONNECT),
		.help = "let rdma_cm connect the queue pairs",
		.description =
		"Connect the queue pairs by the connection manager "
		"(librdmacm) instead of by the addresses that both ends told "
		"each other, over RC and UD; with --mcast, join the group by "
		"it. --tclass or --dscp is its type of service. The test "
		"connect measures that. See 'PATH SELECTION' in "
		"verbsperf-measurement(7).",
	},
	{
		.id = 50, .name = "counters",
		COUNTERS(plan.counters), .min = 0, .max = COUNTER_SCOPES - 1,
		.initial = "interest", .argument = "WHICH",
		.who = CLIENT_PLAN | PARAM_OPTIONAL,
		.group = GROUP_STATISTICS,
		.help = "counters: interest, all, none or names",
		.description =
		"Which counters of both ends' ports to show: those that "
		"indicate trouble or congestion (interest), all, none, or "
		"those named, with commas between them, for instance "
		"port_xmit_wait,ethtool.rx_prio3_pause; see 'Counters' in "
		"verbsperf-measurement(7).",
	},
	{
		.id = 51, .name = "gap",
		TIME(plan.gap), .min = SECOND / 1000000, .max = SECOND / 2,
		.argument = "SECONDS",
		.who = CLIENT_PLAN | PARAM_OPTIONAL,
		.tests = "-L -L -L -L",
		.help = "latency: pause before each operation: 10us",
		.description =
		"Latency: let this time go by from the end of an operation to "
		"the start of the next, for instance 10us. The pause is no "
		"part of the latency. It shows what an operation costs when "
		"CPUs, device and caches were idle before it. Not with "
		"--rate, which sets the time at which operations start. "
		"Default: no pause.",
	},
	{
		.id = 52, .name = "hold",
		TIME(plan.hold), .min = SECOND / 100, .max = 3600 * SECOND,
		.argument = "SECONDS",
		.who = CLIENT_PLAN,
		.help = "warm up until a line on stdin, at most this long",
		.description =
		"After the warm-up say so on standard error, and let the "
		"traffic go on until a line comes on standard input; then the "
		"measurement begins, at both ends. So several tests can begin "
		"together, as those of verbsperf-cluster do. No line within "
		"SECONDS, or the end of standard input, is an error. With "
		"several sizes each of them waits for a line. Not with "
		"--iterations.",
	},
	{
		.id = 53, .name = "pacing",
		CHOICE(plan.pacing), .min = 0, .max = PACINGS - 1,
		.initial = "loop", .argument = "loop|device",
		.who = CLIENT_PLAN,
		.tests = "B- B- -- --",
		.help = "what limits the rate: loop or device",
		.description =
		"Bandwidth with --rate in bits per second: what limits it. "
		"loop posts each message when it is due. device gives each "
		"queue pair its share: on InfiniBand as the static rate of its "
		"path, which must be one that InfiniBand has; on Ethernet by "
		"packet pacing (rate_limit of ibv_modify_qp(3)). The device "
		"counts headers, too, so that less payload passes. Refused if "
		"the device does not have it. Not for read and atomic, whose "
		"data the other end sends, and not with --burst or --rdma-cm.",
	},
	{
		.id = 54, .name = "sge",
		NUMBER(plan.sge), .min = 1, .max = GATHER_MAX,
		.initial = "1", .argument = "N",
		.who = CLIENT_PLAN,
		.tests = "BL BL BL --",
		.help = "scatter/gather entries of a message",
		.description =
		"Gather each message from N places in memory, or scatter what "
		"a read brings to N places: its work request has N entries of "
		"about the same length, each in cache lines of its own. Of a "
		"send the receive has N entries, too; with several sizes they "
		"share the largest size, so that smaller messages fill only "
		"the first ones. What the other end writes or reads is in one "
		"piece. A message of fewer than N bytes has an entry for each "
		"byte. Both devices must have as many (max_sge; for a read "
		"max_sge_rd, with --srq max_srq_sge). Not for atomics, which "
		"have one entry.",
	},
	{
		.id = 55, .name = "fence",
		FLAG(plan.fence),
		.who = CLIENT_PLAN,
		.tests = "-- -- BL B-",
		.help = "reads, atomics wait for earlier ones",
		.description =
		"Set IBV_SEND_FENCE: a read or atomic begins only when the "
		"earlier ones of its queue pair are complete. A latency test "
		"has earlier ones only in an open loop. Refused for send and "
		"write, which wait for reads and atomics and for nothing "
		"else.",
	},
	{
		.id = 56, .name = "solicited",
		FLAG(plan.solicited),
		.who = CLIENT_PLAN,
		.tests = "BL bl -- --",
		.help = "with -e: receivers wake for some messages only",
		.description =
		"With --events: the receiver sleeps until a message comes that "
		"asks for an event (IBV_SEND_SOLICITED), and not until any "
		"message comes. All messages of a latency test ask for one, "
		"and in a bandwidth test every --cq-mod'th and the last. See "
		"'WORK REQUESTS' in verbsperf-measurement(7).",
	},
	{
		.id = 57, .name = "mcast",
		MCAST(plan.mcast),
		.argument = "GROUP", .implied = "auto",
		.who = CLIENT_PLAN,
		.tests = "B- -- -- --",
		.help = "UD: send to a multicast group [one of its own]",
		.description =
		"UD: the client sends to a multicast group, and the server's "
		"queue pair is attached to it. GROUP is an address of the "
		"family of the GIDs, 239.255.1.2 or ff12::1; without it, or "
		"with auto, the test has a group of its own. On InfiniBand "
		"with --rdma-cm only. See 'MULTICAST' in "
		"verbsperf-measurement(7).",
	},
	{
		.id = 58, .name = "receivers",
		NUMBER(plan.receivers), .min = 1, .max = 16384,
		.initial = "1", .argument = "N",
		.who = CLIENT_PLAN,
		.tests = "B- -- -- --",
		.help = "with --mcast: the server's QPs in the group",
		.description =
		"With --mcast: number of queue pairs of the server that are "
		"attached to the group. Each gets every message, so that N "
		"times as many are received as are sent. See 'MULTICAST' in "
		"verbsperf-measurement(7).",
	},
	{
		.name = "pattern",
		CHOICE(pattern), .min = 0, .max = CONTROL_PATTERNS - 1,
		.initial = "churn", .argument = CONTROL_PATTERN_WORDS,
		.who = PARAM_CONTROL, .group = GROUP_CONTROL,
		.control = PARAM_ALL_BUT(POST_POLL),
		.help = "undo each object at once, or hold them all",
		.description =
		"What becomes of an object that was made: churn undoes it "
		"before the next one is made; hold makes all of them first, "
		"and then undoes them, so that it shows what an operation "
		"costs when many objects exist already. See "
		"'WHAT IS MEASURED' in verbsperf-control(1).",
	},
	{
		.name = "access",
		CHOICE(access), .min = 0, .max = CONTROL_ACCESSES - 1,
		.initial = "local", .argument = CONTROL_ACCESS_WORDS,
		.who = PARAM_CONTROL, .group = GROUP_CONTROL,
		.control = PARAM_ON(REG_MR),
		.help = "access to register memory for",
		.description =
		"What memory is registered for: only this host's own use, or "
		"also reads, writes or atomics of others, or all of these and "
		"memory windows. Local writes are always allowed.",
	},
	{
		.name = "mw",
		CHOICE(mw), .min = 0, .max = CONTROL_MWS - 1,
		.initial = "type2", .argument = CONTROL_MW_WORDS,
		.who = PARAM_CONTROL, .group = GROUP_CONTROL,
		.control = PARAM_ON(MW_BIND),
		.help = "memory windows, and their invalidation",
		.description =
		"Which memory windows mw_bind makes: type1 is bound by "
		"ibv_bind_mw(3), and unbound by binding no bytes; type2 is "
		"bound by a work request, and invalidated by IBV_WR_LOCAL_INV "
		"or, with type2-send, by the other end's SEND with "
		"invalidate.",
	},
	{
		.name = "percentiles",
		PERCENTILES(percentiles),
		.argument = "LIST",
		.who = PARAM_BOTH | PARAM_CONTROL, .group = GROUP_STATISTICS,
		.tests = "-L -L -L -L",
		.help = "shown instead of 99% and 99.9%: 50,99.99",
		.description =
		"Latency: show these percentiles instead of 99% and 99.9%, "
		"for instance 50,99.5,99.9999. At most 16, above 0 and below "
		"100, with at most four decimals. Those that would make the "
		"table too wide stand below each row.",
	},
	{
		.name = "histogram",
		FLAG(histogram),
		.who = PARAM_BOTH | PARAM_CONTROL, .group = GROUP_STATISTICS,
		.tests = "-L -L -L -L",
		.help = "print a histogram of the latencies",
		.description =
		"Latency: show how the samples are distributed, as a chart "
		"below the table and as bins in the JSON.",
	},
	{
		.name = "cpu",
		FLAG(cpu),
		.who = PARAM_BOTH, .group = GROUP_STATISTICS,
		.help = "print the CPU time that both ends used",
		.description =
		"Show how much CPU time each end used, below each row; see "
		"'CPU time' in verbsperf-measurement(7). The JSON always has "
		"it. In perftest's table it adds the column CPU_Util: how "
		"busy all CPUs of this end's host were.",
	},
	{
		.name = "samples",
		STRING(samples),
		.argument = "FILE",
		.who = PARAM_CLIENT, .group = GROUP_REPORT,
		.tests = "-L -L -L -L",
		.help = "write every sample; as text to FILE.csv",
		.description =
		"Latency: write every sample to FILE, which must be neither a "
		"pipe nor - for standard output; see 'Samples' in "
		"verbsperf-measurement(7).",
	},
	{
		.name = "cpus",
		CPUS(cpus),
		.argument = "LIST",
		.who = PARAM_BOTH | PARAM_CALIBRATE | PARAM_CHECK |
		       PARAM_CONTROL,
		.group = GROUP_END,
		.help = "pin each thread to a CPU: 0,2,4-7",
		.description =
		"Pin each thread to a CPU of this list, in order, for "
		"instance 0,2,4-7. A bandwidth test needs at least as many "
		"CPUs as --threads; a latency test has one thread. With "
		"--loopback the list is for the client, and the server takes "
		"other CPUs; without the option a client of one thread "
		"chooses its own.",
	},
	{
		.name = "pkey-index",
		NUMBER(pkey_index), .min = 0, .max = 65535,
		.initial = "0", .argument = "N",
		.who = PARAM_BOTH | PARAM_CONTROL, .group = GROUP_END,
		.control = PARAM_ON(QP_SETUP) | PARAM_ON(POST_POLL),
		.help = "index into the port's P_Key table",
		.description =
		"Index into the P_Key table of this end's port. The P_Keys of "
		"both ends must belong to the same partition, and one of them "
		"must be a full member's.",
	},
	{
		.name = "vector",
		NUMBER(vector), .min = 0, .max = 65535,
		.initial = "0", .argument = "N",
		.who = PARAM_BOTH | PARAM_CONTROL, .group = GROUP_END,
		.control = PARAM_ON(CREATE_CQ),
		.help = "completion vector of the first thread",
		.description =
		"Completion vector of this end's first thread; the other "
		"threads take the next ones. With --events it decides which "
		"CPU is interrupted.",
	},
	{
		.name = "numa",
		NODE(numa), .min = 0, .max = 1023,
		.initial = "auto", .argument = "N|auto|none",
		.who = PARAM_BOTH | PARAM_CHECK | PARAM_CONTROL,
		.group = GROUP_END,
		.help = "NUMA node of memory, threads [the device's]",
		.description =
		"NUMA node for memory and threads of this end. auto takes the "
		"node of the device, unless CPUs or memory were already chosen "
		"for the process, as by taskset(1) or numactl(8); none leaves "
		"it to the kernel. For threads --cpus overrides it.", },
	{
		.name = "memory",
		MEMORY(memory),
		.initial = "anonymous", .argument = "KIND",
		.who = PARAM_BOTH | PARAM_CONTROL, .group = GROUP_END,
		.control = PARAM_ON(REG_MR),
		.help = "kind of memory for messages",
		.description =
		"What this end puts its messages into: anonymous, "
		"hugepages[=2M|1G], shared, file:PATH[,offset=BYTES], device, "
		"dmabuf:udmabuf, cuda[:N] or hip[:N], where N may be a PCI "
		"address; see 'MEMORY' in verbsperf-measurement(7). Each end "
		"chooses its own, and a KIND other than anonymous overrides "
		"--hugepages.",
	},
	{
		.name = "inline-recv",
		CHOICE(inline_recv), .min = 0, .max = INLINE_RECEIVES - 1,
		.initial = "auto", .argument = INLINE_RECEIVE_WORDS,
		.who = PARAM_BOTH, .group = GROUP_END,
		.help = "mlx5: messages that come in a completion",
		.description =
		"What messages this end's device puts into their completions: "
		"none (off), or those of up to 32 or 64 bytes. Only the driver "
		"of mlx5 can be told; auto leaves it to the driver. See 'WORK "
		"REQUESTS' in verbsperf-measurement(7).",
	},
	{
		.name = "clock",
		CHOICE(clock), .min = 0, .max = CLOCK_RAW,
		.initial = "auto", .argument = "auto|counter|monotonic_raw",
		.who = PARAM_BOTH | PARAM_CALIBRATE | PARAM_CONTROL,
		.group = GROUP_END,
		.help = "auto: the CPU's counter if it is invariant",
		.description =
		"Clock to read: the CPU's counter or CLOCK_MONOTONIC_RAW. "
		"auto takes the counter if it is invariant.",
	},
	{
		.name = "min-gbps",
		LIMIT(LIMIT_MIN_GBPS), .min = 1, .max = 1000000,
		.argument = "GBPS", .unit = "Gb/s",
		.who = PARAM_CLIENT, .group = GROUP_STATISTICS,
		.tests = "B- B- B- B-",
		.help = "minimum bandwidth in Gb/s, else exit status 3",
		.description =
		"Bandwidth: the lowest bandwidth that is good enough; see "
		"'Limits'. Above 0, at most 10^6, optionally with a fraction. "
		"Default: no limit, as for the following ones.",
	},
	{
		.name = "min-mpps",
		LIMIT(LIMIT_MIN_MPPS), .min = 1, .max = 1000000,
		.argument = "MPPS", .unit = "Mpps",
		.who = PARAM_CLIENT, .group = GROUP_STATISTICS,
		.tests = "B- B- B- B-",
		.help = "minimum message rate in Mpps, else exit status 3",
		.description =
		"Bandwidth: the lowest message rate that is good enough. Above "
		"0, at most 10^6.",
	},
	{
		.name = "max-p50",
		LIMIT(LIMIT_MAX_P50), .min = 1, .max = 1000000000,
		.argument = "US", .unit = "us",
		.who = PARAM_CLIENT | PARAM_CONTROL, .group = GROUP_STATISTICS,
		.tests = "-L -L -L -L",
		.help = "maximum median in us, else exit status 3",
		.description =
		"Latency: the largest median that is good enough. Above 0, at "
		"most 10^9.",
	},
	{
		.name = "max-p99",
		LIMIT(LIMIT_MAX_P99), .min = 1, .max = 1000000000,
		.argument = "US", .unit = "us",
		.who = PARAM_CLIENT | PARAM_CONTROL, .group = GROUP_STATISTICS,
		.tests = "-L -L -L -L",
		.help = "maximum 99% in us, else exit status 3",
		.description =
		"Latency: the largest 99% that is good enough, whatever "
		"--percentiles shows. Above 0, at most 10^9.",
	},
	{
		.name = "max-p99.9",
		LIMIT(LIMIT_MAX_P99_9), .min = 1, .max = 1000000000,
		.argument = "US", .unit = "us",
		.who = PARAM_CLIENT | PARAM_CONTROL, .group = GROUP_STATISTICS,
		.tests = "-L -L -L -L",
		.help = "maximum 99.9% in us, else exit status 3",
		.description =
		"Latency: the largest 99.9% that is good enough, whatever "
		"--percentiles shows. Above 0, at most 10^9.",
	},
	{
		.name = "max-lost",
		LIMIT(LIMIT_MAX_LOST), .min = 0, .max = 100,
		.argument = "PERCENT", .unit = "%",
		.who = PARAM_CLIENT, .group = GROUP_STATISTICS,
		.tests = "BL BL -- --",
		.help = "maximum loss in %, else exit status 3",
		.description =
		"UC and UD: the largest loss that is good enough, in percent "
		"of the messages sent, from 0 to 100; for a ping-pong, of the "
		"pings. Not for a write_bw without --imm or --verify, because "
		"nobody counts what arrives.",
	},
	{
		.name = "max-counter",
		COUNTER_LIMITS(counter_limits),
		.argument = "NAME=N",
		.who = PARAM_CLIENT, .group = GROUP_STATISTICS,
		.help = "most that a counter may rise, else exit status 3",
		.description =
		"By how much a counter may rise at most, at either end: "
		"out_of_sequence=10. Several are separated by commas, or given "
		"by the option again. A counter that neither end has, and one "
		"whose rise is not known, is not good enough. See 'Counters' "
		"in verbsperf-measurement(7).",
	},
	{
		.name = "json",
		STRING(json),
		.argument = "FILE", .implied = "-",
		.who = PARAM_BOTH | PARAM_CALIBRATE | PARAM_CHECK |
		       PARAM_CONTROL,
		.group = GROUP_REPORT,
		.help = "write the result as JSON [to stdout]",
		.description =
		"Write the result as one JSON document to FILE. Without FILE "
		"it goes to standard output, and the table to standard error. "
		"A run that failed also writes one, with its error. A server "
		"writes one for each client, so that FILE holds the latest. "
		"FILE is replaced only when the document is complete: if it "
		"cannot be written, or the program is killed, FILE stays as "
		"it was. Only one of --json, --json-lines and --csv can go to "
		"standard output.",
	},
	{
		.name = "json-lines",
		STRING(json_lines),
		.argument = "FILE", .implied = "-",
		.who = PARAM_BOTH | PARAM_WATCH | PARAM_CONTROL,
		.group = GROUP_REPORT,
		.help = "JSON, a line per interval and result",
		.description =
		"Write a line of JSON when the test begins, for each interval "
		"and each result when it is over, and at the end; see 'JSON "
		"LINES' in verbsperf-json(5). A server writes the lines of "
		"all its clients. With --parallel the lines of several "
		"clients alternate, but each line stays whole, in a pipe as "
		"well as in FILE. watch writes "
		"a line for each event instead of its text; see 'WATCHING "
		"DEVICES'.",
	},
	{
		.name = "csv",
		STRING(csv),
		.argument = "FILE", .implied = "-",
		.who = PARAM_BOTH | PARAM_CONTROL, .group = GROUP_REPORT,
		.help = "write the results as CSV [to stdout]",
		.description =
		"Write a line of column names, then a line for each result "
		"when its size is done; see 'CSV' in verbsperf-json(5). FILE "
		"of a server holds its latest client.",
	},
	{
		.name = "format",
		CHOICE(format), .min = 0, .max = TABLES - 1,
		.initial = "text",
		.argument = "text|perftest|bandwidth|message-rate|latency",
		.who = PARAM_BOTH, .group = GROUP_REPORT,
		.help = "this program's table, or perftest's",
		.description =
		"Which table to print: this program's, or the one that "
		"perftest 6.06 would print, with its parameters, headings and "
		"columns, for scripts that read that. See 'perftest's table'.",
	},
	{
		.name = "report-gbits",
		FLAG(gbits),
		.who = PARAM_BOTH, .group = GROUP_REPORT,
		.tests = "B- B- B- B-",
		.help = "perftest's table: Gb/s, not MiB/s",
		.description =
		"Print the bandwidth of perftest's table in Gb/s. Otherwise "
		"it is in MiB/s, which perftest calls MB/sec. This program's "
		"own table has both.",
	},
	{
		.name = "verbose",
		FLAG(verbose),
		.who = PARAM_BOTH | PARAM_CONTROL, .group = GROUP_REPORT,
		.help = "say below the table what its numbers mean",
		.description =
		"Say below the table how its numbers are defined, which clock "
		"measured them, and all that makes them doubtful. Otherwise "
		"the most doubtful is said, in one line. The JSON always has "
		"the figures of all of it. Also, log exactly what was wrong "
		"with what the other end sent, if something was.",
	},
	{
		.name = "title",
		STRING(title),
		.argument = "TEXT",
		.who = PARAM_BOTH | PARAM_CALIBRATE | PARAM_CHECK |
		       PARAM_CONTROL,
		.group = GROUP_REPORT,
		.help = "a name for this run, in the JSON",
		.description =
		"A name for this run, in the JSON. It must be valid UTF-8.",
	},
};
// clang-format on

_Static_assert(sizeof(param_table) / sizeof(*param_table) <= PARAMS_MAX,
	       "more options than PARAMS_MAX");

const size_t param_count = sizeof(param_table) / sizeof(*param_table);
